//! A sweep that is killed again and again, or whose disk is full: nothing that was finished is lost, nothing is counted
//! twice, and nothing is made again but what was under way.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use throng::grid::SeededRng;
use throng_lab::Results;
use throng_lab::store::{JOURNAL_FILE, begun};

use crate::run::json;

const KILLS: usize = 20;

/// Runs at a time.
const JOBS: usize = 2;

/// Runs of the experiment.
const RUNS: usize = 1_200;

/// Runs that take some milliseconds each.
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

/// The finished runs, each of them counted once.
fn finished(out: &Path) -> BTreeSet<String> {
    if !out.join(JOURNAL_FILE).exists() {
        return BTreeSet::new();
    }
    let results = Results::open(&[out]).unwrap();
    assert_eq!(results.repeated, 0, "no run was made twice");
    results.rows.iter().map(|row| row.text("run").unwrap().to_owned()).collect()
}

/// Waits until another run is finished, so that the kill comes in the middle of the sweep. Notes of runs that are begun
/// take a few bytes, finished ones hundreds.
fn wait_for_growth(journal: &Path) {
    let length = || journal.metadata().map_or(0, |data| data.len());
    let (before, begun) = (length(), Instant::now());
    while length() < before + 500 && begun.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn twenty_kills_lose_nothing_and_double_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kills.toml");
    std::fs::write(&file, EXPERIMENT).unwrap();
    let (file, out) = (file.display().to_string(), folder.path().join("out"));
    let out_text = out.display().to_string();
    let mut rng = SeededRng::new(20);
    let (mut before, mut killed, mut seen, mut repeated) = (BTreeSet::new(), 0, 0, 0);
    for _ in 0..KILLS {
        let mut child = start(&file, &out_text);
        wait_for_growth(&out.join(JOURNAL_FILE));
        std::thread::sleep(Duration::from_millis(rng.below(40).into()));
        killed += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        let now = finished(&out);
        assert!(now.is_superset(&before), "a finished run was lost");
        assert!(now.len() > before.len(), "the sweep went on between two kills");
        // What is begun and not finished when the kill comes is all that is ever made again: a run a thread.
        let runs = begun(&out).unwrap();
        let new = &runs[seen..];
        assert!(new.iter().all(|run| !before.contains(run)), "a finished run was begun again");
        let cut_off = new.iter().filter(|run| !now.contains(*run)).count();
        assert!(cut_off <= JOBS, "{cut_off} runs were under way on {JOBS} threads");
        repeated += cut_off;
        seen = runs.len();
        before = now;
    }
    assert!((1..=KILLS * JOBS).contains(&repeated), "{repeated} runs were cut off");
    assert_eq!(seen, before.len() + repeated, "runs were begun, finished or cut off");
    assert_eq!(killed, KILLS, "the sweep is long enough to be killed so often");
    // What was finished is not made again: only what was under way at a kill, a run a thread at most, was repeated.
    let done = json(&["lab", "run", &file, "-o", &out_text, "--resume", "--jobs", "2"]);
    assert_eq!(done["planned"], RUNS);
    assert_eq!(done["earlier"], before.len());
    assert_eq!(done["made"], RUNS - before.len());
    assert_eq!(done["rows"], RUNS);
    assert!(!out.join(JOURNAL_FILE).exists());
    let whole = Results::open(&[&out]).unwrap();
    assert_eq!((whole.rows.len(), whole.repeated), (RUNS, 0));
}

/// The system refuses to let the journal grow, as a full disk does: the error names the file, what is stored stays, and
/// the sweep goes on when there is room again.
#[cfg(unix)]
#[test]
fn a_full_disk_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("full.toml");
    std::fs::write(&file, EXPERIMENT.replace("600", "30")).unwrap();
    let (file, out) = (file.display().to_string(), folder.path().join("out"));
    let out_text = out.display().to_string();
    // Blocks are of 512 or 1,024 bytes. Whoever writes more is told so, where the signal is ignored (25: SIGXFSZ).
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
