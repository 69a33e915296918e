//! An experiment that is killed repeatedly, or whose disk is full: no finished run is lost or counted twice, and only
//! unfinished runs are repeated.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use throng::grid::SeededRng;
use throng_lab::Results;
use throng_lab::store::{JOURNAL_FILE, LOCK_FILE, begun};

use crate::support::{Folder, failure, json, throng};

/// Returns the number of kills. `THRONG_KILLS` sets it.
fn kills() -> usize {
    std::env::var("THRONG_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(20)
}

/// Number of parallel runs.
const JOBS: usize = 2;

/// An experiment whose runs take a few milliseconds each.
const EXPERIMENT: &str = r#"
maps = "builtin:rooms"
agents = 40
instances = 600
planners = ["bmaa", "far"]
max_ticks = 150
still_limit = "none"
"#;

fn start(file: &str, out: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_throng"));
    command.args(["lab", "run", file, "-o", out, "--resume", "--jobs", "2"]);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Returns the finished runs and checks that none is stored twice.
fn finished(out: &Path) -> BTreeSet<String> {
    if !out.join(JOURNAL_FILE).exists() {
        return BTreeSet::new();
    }
    let results = Results::open(&[out]).unwrap();
    assert_eq!(results.repeated, 0, "no run is stored twice");
    results.rows.iter().map(|row| row.text("run").unwrap().to_owned()).collect()
}

/// Waits until another run is finished, so that the kill happens in the middle of the experiment. A started run adds a
/// few bytes to the journal, a finished run hundreds.
fn wait_for_growth(journal: &Path) {
    let length = || journal.metadata().map_or(0, |data| data.len());
    let (before, begun) = (length(), Instant::now());
    while length() < before + 500 && begun.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A second process is refused while the first one writes, and both lock the same file, which is never removed.
#[test]
fn two_processes_never_write_to_one_folder() {
    let folder = Folder::new();
    let file = folder.write("two.toml", EXPERIMENT);
    let (out, out_text) = (folder.join("out"), folder.path("out"));
    for _ in 0..3 {
        let mut first = start(&file, &out_text);
        wait_for_growth(&out.join(JOURNAL_FILE));
        let second = throng(&["lab", "run", &file, "-o", &out_text, "--resume"]);
        assert!(failure(&second, 2).contains("is in use by another run"));
        first.kill().unwrap();
        first.wait().unwrap();
        assert!(out.join(LOCK_FILE).exists());
        assert!(!finished(&out).is_empty());
    }
}

#[test]
fn kills_lose_and_repeat_no_finished_run() {
    let folder = Folder::new();
    let file = folder.join("kills.toml");
    // Two planners per instance: long enough for all kills.
    let (kills, runs) = (kills(), 60 * kills());
    std::fs::write(&file, EXPERIMENT.replace("600", &(runs / 2).to_string())).unwrap();
    let (file, out) = (file.display().to_string(), folder.join("out"));
    let out_text = out.display().to_string();
    let mut rng = SeededRng::new(20);
    let (mut before, mut killed, mut seen, mut repeated) = (BTreeSet::new(), 0, 0, 0);
    for _ in 0..kills {
        let mut child = start(&file, &out_text);
        wait_for_growth(&out.join(JOURNAL_FILE));
        std::thread::sleep(Duration::from_millis(rng.below(40).into()));
        killed += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        let now = finished(&out);
        assert!(now.is_superset(&before), "a finished run was lost");
        assert!(now.len() > before.len(), "the experiment made progress between two kills");
        // Only runs that are unfinished when the process is killed are repeated: one per thread.
        let started = begun(&out).unwrap();
        let new = &started[seen..];
        assert!(new.iter().all(|run| !before.contains(run)), "a finished run was started again");
        let cut_off = new.iter().filter(|run| !now.contains(*run)).count();
        assert!(cut_off <= JOBS, "{cut_off} runs were unfinished on {JOBS} threads");
        repeated += cut_off;
        seen = started.len();
        before = now;
    }
    assert!((1..=kills * JOBS).contains(&repeated), "{repeated} runs were interrupted");
    assert_eq!(seen, before.len() + repeated, "every started run is finished or was interrupted");
    assert_eq!(killed, kills, "the experiment is long enough for all kills");
    // Resuming makes exactly the missing runs.
    let done = json(&["lab", "run", &file, "-o", &out_text, "--resume", "--jobs", "2"]);
    assert_eq!(done["planned"], runs);
    assert_eq!(done["earlier"], before.len());
    assert_eq!(done["made"], runs - before.len());
    assert_eq!(done["rows"], runs);
    assert!(!out.join(JOURNAL_FILE).exists());
    let whole = Results::open(&[&out]).unwrap();
    assert_eq!((whole.rows.len(), whole.repeated), (runs, 0));
}

/// A limited file size acts like a full disk: the error names the file, stored runs stay, and the experiment can be
/// resumed.
#[cfg(unix)]
#[test]
fn a_full_disk_loses_no_finished_run() {
    let folder = Folder::new();
    let file = folder.join("full.toml");
    std::fs::write(&file, EXPERIMENT.replace("600", "30")).unwrap();
    let (file, out) = (file.display().to_string(), folder.join("out"));
    let out_text = out.display().to_string();
    // Blocks have 512 or 1,024 bytes. Ignoring the signal SIGXFSZ (25) turns a larger write into an error.
    let script = "trap '' 25; ulimit -f 16; exec \"$0\" lab run \"$1\" -o \"$2\" --jobs 2";
    let shell =
        Command::new("sh").args(["-c", script, env!("CARGO_BIN_EXE_throng"), &file, &out_text]).output();
    let output = shell.unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(
        text.contains("cannot write") && text.contains(JOURNAL_FILE) && text.contains("--resume"),
        "{text}"
    );
    let kept = finished(&out);
    assert!((1..60).contains(&kept.len()), "{} runs", kept.len());
    assert!(text.contains(&format!("{} finished run", kept.len())), "{text}");
    let done = json(&["lab", "run", &file, "-o", &out_text, "--resume"]);
    assert_eq!((&done["earlier"], &done["rows"]), (&kept.len().into(), &60.into()));
}
