//! A sweep that is killed again and again: nothing that was finished is lost, nothing is counted or done twice.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use throng::grid::Dice;
use throng_lab::Results;
use throng_lab::store::JOURNAL_FILE;

use crate::run::json;

const KILLS: usize = 20;

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

/// Waits until another run is finished, so that the kill comes in the middle of the sweep.
fn wait_for_growth(journal: &Path) {
    let length = || journal.metadata().map_or(0, |data| data.len());
    let (before, begun) = (length(), Instant::now());
    while length() <= before.max(8) && begun.elapsed() < Duration::from_secs(30) {
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
    let mut dice = Dice::new(20);
    let (mut before, mut killed) = (BTreeSet::new(), 0);
    for _ in 0..KILLS {
        let mut child = start(&file, &out_text);
        wait_for_growth(&out.join(JOURNAL_FILE));
        std::thread::sleep(Duration::from_millis(dice.below(40).into()));
        killed += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        let now = finished(&out);
        assert!(now.is_superset(&before), "a finished run was lost");
        assert!(now.len() > before.len(), "the sweep went on between two kills");
        before = now;
    }
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
