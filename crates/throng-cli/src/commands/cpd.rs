//! `throng cpd`: builds path databases and looks at them.
//!
//! Finished rows are appended to a file beside the database, each batch with its checksum. Whatever stops a build
//! leaves a file that the next call takes up where it was; when all is done the database is written beside its place and
//! renamed into it.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use serde::Serialize;
use throng::Pool;
use throng::cpd::{Cpd, CpdBuilder, CpdInfo, any_search, search_infos};
use throng::searches::spec;
use throng::{Executor, Ground, RegisteredSearch, Terrain};

use crate::output::{self, bad_input, fields, measure, note, print_either, thousands};
use crate::rules::{Rules, terrain_name};
use crate::source;

/// What closes the help.
pub(crate) const EXAMPLE: &str = "\
Examples:
  throng cpd build builtin:arena -o arena.cpd
  throng cpd info arena.cpd
  throng path builtin:arena --from 24,4 --to 24,44 --search cpd --cpd arena.cpd";

/// The bar shown while building.
const TEMPLATE: &str = "{msg} [{bar:30}] {pos}/{len} rows {eta}";

/// What can be done with path databases.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Build the path database of a map; an interrupted build goes on where it was
    #[command(after_help = "Example: throng cpd build builtin:arena -o arena.cpd")]
    Build(BuildArguments),
    /// What a path database says of itself
    #[command(after_help = "Example: throng cpd info arena.cpd")]
    Info(InfoArguments),
}

/// The arguments of `throng cpd build`.
#[derive(Debug, Args)]
pub(crate) struct BuildArguments {
    /// A map file, or builtin:NAME
    map: String,
    /// Where to write the database
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// How many threads to use; all processors when not given
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Who walks how.
    #[command(flatten)]
    rules: Rules,
}

/// The arguments of `throng cpd info`.
#[derive(Debug, Args)]
pub(crate) struct InfoArguments {
    /// The database
    file: String,
}

/// What is printed about a build.
#[derive(Debug, Serialize)]
struct Built<'a> {
    map: &'a str,
    file: &'a Path,
    nodes: u32,
    runs: u64,
    runs_per_row: f64,
    bytes: usize,
    /// Rows that an earlier build had made.
    resumed_rows: usize,
    threads: usize,
    seconds: f64,
}

/// What is printed about a file.
#[derive(Debug, Serialize)]
struct Told<'a> {
    file: &'a str,
    width: u32,
    height: u32,
    nodes: u32,
    runs: u64,
    runs_per_row: f64,
    bytes: usize,
    bytes_per_run: u8,
    corners: &'static str,
    four_way: bool,
    /// What each terrain that may be entered costs, times the plain cost.
    terrain: Vec<(String, f64)>,
    fingerprint: String,
}

/// `throng cpd`.
pub(crate) fn run(command: &Command, json: bool) -> Result<()> {
    match command {
        Command::Build(arguments) => build(arguments, json),
        Command::Info(arguments) => info(arguments, json),
    }
}

/// Opens a database for a map.
pub(crate) fn open(file: &str, ground: &Ground) -> Result<Cpd> {
    let bytes = source::read(file)?;
    Cpd::open(&bytes, ground).map_err(|error| bad_input(format_args!("{file}: {error}")))
}

fn build(arguments: &BuildArguments, json: bool) -> Result<()> {
    let grid = arguments.rules.grid(source::open_map(&arguments.map)?);
    let threads = arguments
        .threads
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get));
    let pool = Pool::new(threads)?;
    let start = Instant::now();
    let mut build = CpdBuilder::new(grid.ground());
    let partial = partial_file(&arguments.out);
    let mut records = open_records(&partial, &mut build)?;
    let resumed_rows = build.done();
    let bar = output::progress(Some(build.rows() as u64), TEMPLATE, arguments.map.clone());
    bar.set_position(resumed_rows as u64);
    bar.reset_eta();
    let cannot_write = || format!("cannot write {}", partial.display());
    while let Some(record) = build.advance(&|count, piece| pool.run(count, piece)) {
        records.write_all(&record).with_context(cannot_write)?;
        bar.set_position(build.done() as u64);
    }
    bar.finish_and_clear();
    let cpd = build.finish();
    let seconds = start.elapsed().as_secs_f64();
    let bytes = cpd.to_bytes();
    write_whole(&arguments.out, &bytes)?;
    drop(records);
    fs::remove_file(&partial).with_context(|| format!("cannot remove {}", partial.display()))?;
    let CpdInfo { nodes, runs, .. } = cpd.info();
    let report = Built {
        map: &arguments.map,
        file: &arguments.out,
        nodes,
        runs,
        runs_per_row: runs as f64 / f64::from(nodes.max(1)),
        bytes: bytes.len(),
        resumed_rows,
        threads,
        seconds,
    };
    print_either(json, &report, || report.text())
}

/// Where finished rows are kept while a database is being built.
fn partial_file(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".partial");
    name.into()
}

/// Opens the file of finished rows for the next ones, after what an earlier build for the same map has left in it.
fn open_records(partial: &Path, build: &mut CpdBuilder) -> Result<File> {
    let cannot_write = || format!("cannot write {}", partial.display());
    let kept = match fs::read(partial) {
        Ok(records) => match build.resume(&records) {
            Ok(length) => {
                let (done, rows) = (build.done(), build.rows());
                note(format_args!("going on after {done} of {rows} rows in {}", partial.display()));
                Some(length)
            }
            Err(error) => {
                note(format_args!("{} is not used: {error}", partial.display()));
                None
            }
        },
        Err(_) => None,
    };
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(partial)
        .with_context(cannot_write)?;
    if let Some(length) = kept {
        file.set_len(length as u64).with_context(cannot_write)?;
        std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0)).with_context(cannot_write)?;
    } else {
        file.set_len(0).with_context(cannot_write)?;
        file.write_all(&build.first_record()).with_context(cannot_write)?;
    }
    Ok(file)
}

/// Writes a file beside its place and renames it, so that it is there as a whole or not at all.
fn write_whole(file: &Path, bytes: &[u8]) -> Result<()> {
    let mut beside = file.as_os_str().to_owned();
    beside.push(".new");
    let written = fs::write(&beside, bytes).and_then(|()| fs::rename(&beside, file));
    written.with_context(|| format!("cannot write {}", file.display()))
}

fn info(arguments: &InfoArguments, json: bool) -> Result<()> {
    let bytes = source::read(&arguments.file)?;
    let info =
        CpdInfo::check(&bytes).map_err(|error| bad_input(format_args!("{}: {error}", arguments.file)))?;
    let enterable = Terrain::ALL.into_iter().filter(|&terrain| info.profile.enters(terrain));
    let told = Told {
        file: &arguments.file,
        width: info.size.width(),
        height: info.size.height(),
        nodes: info.nodes,
        runs: info.runs,
        runs_per_row: info.runs as f64 / f64::from(info.nodes.max(1)),
        bytes: bytes.len(),
        bytes_per_run: info.run_bytes,
        corners: info.corners.name(),
        four_way: info.four_way,
        terrain: enterable
            .map(|terrain| (terrain_name(terrain), f64::from(info.profile.halves(terrain)) / 2.0))
            .collect(),
        fingerprint: format!("{:016x}", info.fingerprint),
    };
    print_either(json, &told, || told.text())
}

impl Built<'_> {
    /// For people.
    fn text(&self) -> String {
        let mut lines = vec![
            ("database", self.file.display().to_string()),
            ("nodes", thousands(self.nodes)),
            ("runs a row", measure(self.runs_per_row)),
            ("size", format!("{} MB", measure(self.bytes as f64 / 1e6))),
            ("built in", format!("{} s on {} threads", measure(self.seconds), self.threads)),
        ];
        if self.resumed_rows > 0 {
            lines.push(("resumed after", format!("{} rows", thousands(self.resumed_rows as u64))));
        }
        fields(&lines)
    }
}

impl Told<'_> {
    /// For people.
    fn text(&self) -> String {
        let terrain: Vec<String> = self.terrain.iter().map(|(name, cost)| format!("{name} {cost}")).collect();
        let moves = if self.four_way { "four directions" } else { self.corners };
        fields(&[
            ("map", format!("{}×{}", self.width, self.height)),
            ("nodes", thousands(self.nodes)),
            ("runs a row", measure(self.runs_per_row)),
            ("size", format!("{} MB, {} bytes a run", measure(self.bytes as f64 / 1e6), self.bytes_per_run)),
            ("corners", moves.to_owned()),
            ("terrain", terrain.join(", ")),
            ("fingerprint", self.fingerprint.clone()),
        ])
    }
}

/// Makes a search by its name, with a path database for those that need one.
pub(crate) fn finder(text: &str, cpd: Option<&Arc<Cpd>>) -> Result<RegisteredSearch> {
    let (name, _) = spec::split(text);
    if cpd.is_none() && search_infos().any(|info| info.name == name) {
        return Err(bad_input(format_args!(
            "`{name}` needs a path database: `throng cpd build MAP -o FILE` builds one, --cpd FILE gives it"
        )));
    }
    any_search(text, cpd).map_err(bad_input)
}

/// The same with the database in a file, if one is given.
pub(crate) fn finder_with(text: &str, file: Option<&str>, ground: &Ground) -> Result<RegisteredSearch> {
    let cpd = file.map(|file| open(file, ground)).transpose()?.map(Arc::new);
    finder(text, cpd.as_ref())
}
