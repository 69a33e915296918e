//! Embeds the experiments of the folder `experiments`, and the version of the compiler.
//!
//! Every folder with an `experiment.toml` becomes an entry of the table that `src/experiment/embedded.rs` includes, so
//! that adding an experiment means adding its folder.

use std::fmt::Write as _;
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
    let compiler = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(compiler).arg("--version").output().map(|output| output.stdout);
    let version = version.ok().and_then(|version| String::from_utf8(version).ok());
    println!("cargo::rustc-env=THRONG_RUSTC={}", version.as_deref().unwrap_or("unknown").trim());
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
