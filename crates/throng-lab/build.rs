//! Embeds the experiments of the folder `experiments`, and the commit and compiler of the build.
//!
//! Every folder with an `experiment.toml` becomes an entry of the table that `src/experiment/embedded.rs` includes, so
//! that adding an experiment means adding its folder. The commit identifies the program in stored results. Changes that
//! are not committed add `+` and a hash of them, so that two different builds of one commit differ.

use std::collections::hash_map::DefaultHasher;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The files of an experiment's folder; only the first is required.
const FILES: [&str; 3] = ["experiment.toml", "report.toml", "paper.toml"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=experiments");
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("experiments");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("experiments.rs");
    fs::write(out, embedded(&folder)).expect("the build folder is writable");
    println!("cargo::rustc-env=THRONG_COMMIT={}", commit());
    let compiler = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = output(&compiler, &["--version"]).unwrap_or_else(|| "unknown".to_owned());
    println!("cargo::rustc-env=THRONG_RUSTC={version}");
}

/// Returns the table of experiments as source code, sorted by name.
fn embedded(folder: &Path) -> String {
    let entries = fs::read_dir(folder).expect("the package has a folder `experiments`");
    let mut folders: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    folders.retain(|path| path.join(FILES[0]).is_file());
    folders.sort();
    let mut table = "&[\n".to_owned();
    for path in folders {
        let name = path.file_name().expect("a folder has a name").to_string_lossy().into_owned();
        let include = |file: &str| {
            let path = path.join(file);
            println!("cargo::rerun-if-changed={}", path.display());
            path.is_file().then(|| format!("include_str!({:?})", path.display().to_string()))
        };
        let [experiment, report, paper] = FILES.map(include);
        let experiment = experiment.unwrap_or_default();
        let optional =
            |text: Option<String>| text.map_or_else(|| "None".to_owned(), |text| format!("Some({text})"));
        let (report, paper) = (optional(report), optional(paper));
        let _ = writeln!(
            table,
            "Embedded {{ name: {name:?}, experiment: {experiment}, report: {report}, paper: {paper} }},"
        );
    }
    table + "]\n"
}

/// Returns the commit of the repository that the package is built in; `unknown` outside of one.
fn commit() -> String {
    let log = output("git", &["rev-parse", "--git-path", "logs/HEAD"]);
    if let Some(log) = log.filter(|log| Path::new(log).exists()) {
        println!("cargo::rerun-if-changed={log}");
        println!("cargo::rerun-if-changed=..");
    }
    // A package that lies inside another repository is not built from its commits.
    let is_tracked = output("git", &["ls-files", "build.rs"]).is_some_and(|files| !files.is_empty());
    let Some(commit) = output("git", &["rev-parse", "--short=12", "HEAD"]).filter(|_| is_tracked) else {
        return "unknown".to_owned();
    };
    let changes = output("git", &["diff", "HEAD", "--", ".."]).unwrap_or_default();
    let untracked =
        output("git", &["ls-files", "--others", "--exclude-standard", "--", ".."]).unwrap_or_default();
    if changes.is_empty() && untracked.is_empty() {
        return commit;
    }
    let mut hasher = DefaultHasher::new();
    changes.hash(&mut hasher);
    for file in untracked.lines() {
        (file, fs::read(file).ok()).hash(&mut hasher);
    }
    format!("{commit}+{:08x}", hasher.finish() as u32)
}

/// Returns what a command prints, if it succeeds.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output =
        Command::new(program).args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
