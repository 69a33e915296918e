//! `throng cpd`: builds and describes path databases.
//!
//! Finished rows are appended to a file beside the database, each batch with its checksum. An interrupted build leaves
//! that file behind, and the next call continues it. The finished database is written to a temporary file and renamed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use clap::{Args, Subcommand};
use serde::Serialize;
use throng::Pool;
use throng::{Executor, Ground, RegisteredSearch, Terrain};
use throng_cpd::{CPD_FILE, Cpd, CpdBuilder, CpdInfo, any_search, search_infos};
use throng_lab::files::{self, Files, StoredFile, with_suffix};
use throng_search::spec;

use crate::output::{self, bad_input, count, fields, measure, note, print_either, thousands};
use crate::rules::{Rules, terrain_name};
use crate::source;

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "\
Examples:
  throng cpd build builtin:arena -o arena.cpd
  throng cpd info arena.cpd
  throng path builtin:arena --from 24,4 --to 24,44 --search cpd --cpd arena.cpd";

/// Progress bar while building.
const TEMPLATE: &str = "{msg} [{bar:30}] {pos}/{len} rows {eta}";

/// The commands on path databases.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Build the path database of a map; an interrupted build is resumed
    #[command(after_help = "Example: throng cpd build builtin:arena -o arena.cpd")]
    Build(BuildArguments),
    /// Describe a path database
    #[command(after_help = "Example: throng cpd info arena.cpd")]
    Info(InfoArguments),
}

/// The arguments of `throng cpd build`.
#[derive(Debug, Args)]
pub(crate) struct BuildArguments {
    /// A map file, or builtin:NAME
    map: String,
    /// File of the database
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Number of threads; all processors by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Terrain costs and legal moves.
    #[command(flatten)]
    rules: Rules,
}

/// The arguments of `throng cpd info`.
#[derive(Debug, Args)]
pub(crate) struct InfoArguments {
    /// File of the database
    file: String,
}

/// The size of a database.
#[derive(Debug, Serialize)]
struct DatabaseSize {
    nodes: u32,
    runs: u64,
    runs_per_row: f64,
    bytes: usize,
}

/// The report on a build.
#[derive(Debug, Serialize)]
struct BuildReport<'a> {
    map: &'a str,
    file: &'a Path,
    #[serde(flatten)]
    size: DatabaseSize,
    /// Number of rows taken from an earlier build.
    resumed_rows: usize,
    threads: usize,
    seconds: f64,
}

/// The description of a database.
#[derive(Debug, Serialize)]
struct DatabaseReport<'a> {
    file: &'a str,
    width: u32,
    height: u32,
    #[serde(flatten)]
    size: DatabaseSize,
    bytes_per_run: u8,
    corners: &'static str,
    four_way: bool,
    /// Cost of each passable terrain, relative to plain ground.
    terrain: Vec<(String, f64)>,
    fingerprint: String,
}

/// `throng cpd`.
pub(crate) fn run(command: &Command, json: bool, files: &Files) -> Result<()> {
    match command {
        Command::Build(arguments) => build(arguments, json, files),
        Command::Info(arguments) => info(arguments, json),
    }
}

/// Opens the database of a map.
pub(crate) fn open(file: &str, ground: &Ground) -> Result<Cpd> {
    let bytes = source::read(file, CPD_FILE)?;
    Cpd::open(&bytes, ground).map_err(|error| bad_input(format_args!("{file}: {error}")))
}

fn build(arguments: &BuildArguments, json: bool, files: &Files) -> Result<()> {
    if fs::metadata(&arguments.out).is_ok_and(|metadata| !metadata.is_file()) {
        let out = arguments.out.display();
        return Err(bad_input(format_args!("cannot write {out}: it exists and is no regular file")));
    }
    let grid = arguments.rules.grid(source::open_map(&arguments.map)?);
    let threads = arguments
        .threads
        .map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    let pool = Pool::new(threads)?;
    let start = Instant::now();
    let mut build = CpdBuilder::new(grid.ground());
    let partial = with_suffix(&arguments.out, ".partial");
    let mut records = open_records(files, &partial, &mut build)?;
    let resumed_rows = build.done();
    let bar = output::progress(Some(build.rows() as u64), TEMPLATE, arguments.map.clone());
    bar.set_position(resumed_rows as u64);
    bar.reset_eta();
    while let Some(record) = build.advance(&|count, piece| pool.run(count, piece)) {
        records.write(&record)?;
        bar.set_position(build.done() as u64);
    }
    bar.finish_and_clear();
    let cpd = build.finish();
    let seconds = start.elapsed().as_secs_f64();
    let bytes = cpd.to_bytes();
    files.replace(&arguments.out, &bytes)?;
    drop(records);
    files.remove(&partial)?;
    let report = BuildReport {
        map: &arguments.map,
        file: &arguments.out,
        size: DatabaseSize::new(&cpd.info(), &bytes),
        resumed_rows,
        threads,
        seconds,
    };
    print_either(json, &report, || report.text())
}

/// Opens the file of finished rows for appending, and resumes an earlier build of the same map from it.
fn open_records(files: &Files, partial: &Path, build: &mut CpdBuilder) -> Result<StoredFile> {
    let mut resumed = None;
    if let Ok(records) = files::read(partial, CPD_FILE) {
        match build.resume(&records) {
            Ok(length) => {
                let (done, rows) = (build.done(), build.rows());
                note(format_args!("resuming after {done} of {rows} rows in {}", partial.display()));
                resumed = Some(length);
            }
            Err(error) => note(format_args!("ignoring {}: {error}", partial.display())),
        }
    }
    let mut file = files.append(partial)?;
    file.cut(resumed.unwrap_or(0) as u64)?;
    if resumed.is_none() {
        file.write(&build.first_record())?;
    }
    Ok(file)
}

fn info(arguments: &InfoArguments, json: bool) -> Result<()> {
    let bytes = source::read(&arguments.file, CPD_FILE)?;
    let info =
        CpdInfo::check(&bytes).map_err(|error| bad_input(format_args!("{}: {error}", arguments.file)))?;
    let enterable = Terrain::ALL.into_iter().filter(|&terrain| info.profile.enters(terrain));
    let report = DatabaseReport {
        file: &arguments.file,
        width: info.size.width(),
        height: info.size.height(),
        size: DatabaseSize::new(&info, &bytes),
        bytes_per_run: info.run_bytes,
        corners: info.corners.name(),
        four_way: info.four_way,
        terrain: enterable
            .map(|terrain| (terrain_name(terrain), f64::from(info.profile.halves(terrain)) / 2.0))
            .collect(),
        fingerprint: format!("{:016x}", info.fingerprint),
    };
    print_either(json, &report, || report.text())
}

impl DatabaseSize {
    fn new(&CpdInfo { nodes, runs, .. }: &CpdInfo, bytes: &[u8]) -> Self {
        Self { nodes, runs, runs_per_row: runs as f64 / f64::from(nodes.max(1)), bytes: bytes.len() }
    }

    /// Returns the size as fields of a report, with a text after the number of bytes.
    fn fields(&self, details: &str) -> [(&'static str, String); 3] {
        [
            ("nodes", thousands(self.nodes)),
            ("runs per row", measure(self.runs_per_row)),
            ("size", format!("{} MB{details}", measure(self.bytes as f64 / 1e6))),
        ]
    }
}

impl BuildReport<'_> {
    /// Returns the report as text.
    fn text(&self) -> String {
        let threads = count(self.threads, "thread", "threads");
        let mut lines = vec![("database", self.file.display().to_string())];
        lines.extend(self.size.fields(""));
        lines.push(("build time", format!("{} s on {threads}", measure(self.seconds))));
        if self.resumed_rows > 0 {
            lines.push(("resumed after", format!("{} rows", thousands(self.resumed_rows as u64))));
        }
        fields(&lines)
    }
}

impl DatabaseReport<'_> {
    /// Returns the report as text.
    fn text(&self) -> String {
        let terrain: Vec<String> = self.terrain.iter().map(|(name, cost)| format!("{name} {cost}")).collect();
        let moves = if self.four_way { "four directions" } else { self.corners };
        let mut lines = vec![("map", format!("{}×{}", self.width, self.height))];
        lines.extend(self.size.fields(&format!(", {} bytes per run", self.bytes_per_run)));
        lines.extend([
            ("corners", moves.to_owned()),
            ("terrain", terrain.join(", ")),
            ("fingerprint", self.fingerprint.clone()),
        ]);
        fields(&lines)
    }
}

/// Creates a search by its name. Searches on path databases get `cpd`.
pub(crate) fn finder(text: &str, cpd: Option<&Arc<Cpd>>) -> Result<RegisteredSearch> {
    let (name, _) = spec::split(text);
    if cpd.is_none() && search_infos().any(|info| info.name == name) {
        return Err(bad_input(format_args!(
            "`{name}` needs a path database: `throng cpd build MAP -o FILE` builds one, --cpd FILE passes it"
        )));
    }
    any_search(text, cpd).map_err(bad_input)
}

/// Creates a search by its name, with the path database in `file` if one is given.
pub(crate) fn finder_with(text: &str, file: Option<&str>, ground: &Ground) -> Result<RegisteredSearch> {
    let cpd = file.map(|file| open(file, ground)).transpose()?.map(Arc::new);
    finder(text, cpd.as_ref())
}
