use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::{TickSample, Value};

/// A row with a value of every kind and gaps.
fn row(run: u64) -> RunRow {
    let mut row = RunRow::new();
    row.set("run", format!("{run:016x}"));
    row.set("experiment", "try");
    row.set("commit", "a");
    row.set("seed", run);
    row.set("agents", 7 * run % 5);
    if !run.is_multiple_of(3) {
        row.set("planner", ["bmaa", "färö", ""][run as usize % 3]);
        row.set("completion_rate", 1.0 / run as f64);
        row.set("walls", run.is_multiple_of(2));
    }
    row
}

fn stored(run: u64) -> StoredRun {
    let sample = TickSample { arrived: run, expansions: 2 * run, tick_us: 0.5 };
    StoredRun { row: row(run), series: vec![sample; run as usize % 3], recording: Vec::new() }
}

fn open(path: &Path) -> Result<ResultFolder, StoreError> {
    ResultFolder::open(&Files::default(), path, Resume::SameProgram, "a")
}

fn runs(rows: &[RunRow]) -> Vec<&str> {
    rows.iter().filter_map(|row| row.text("run")).collect()
}

#[test]
fn rows_are_equal_before_and_after_compaction() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut store = open(path).unwrap();
    (0..50).for_each(|run| store.append(&stored(run)).unwrap());
    let before = Results::open(&[path]).unwrap().rows;
    assert_eq!(before.len(), 50);
    assert!(before.is_sorted_by(|a, b| a.compare_settings(b).is_le()));
    assert_eq!(store.compact().unwrap(), 50);
    assert!(!path.join(JOURNAL_FILE).exists());
    assert_eq!(Results::open(&[path]).unwrap().rows, before);
    assert_eq!(Results::open(&[path.join(RESULTS_FILE)]).unwrap().rows, before);

    // A second sweep loses and repeats nothing, even if a crash left the journal beside the new file.
    let mut store = open(path).unwrap();
    assert_eq!(store.finished(), 50);
    (40..60).for_each(|run| store.append(&stored(run)).unwrap());
    drop(store);
    let results = Results::open(&[path]).unwrap();
    assert_eq!((results.rows.len(), results.repeated), (60, 10));
    assert_eq!(open(path).unwrap().compact().unwrap(), 60);
    let series = table::read(&path.join(SERIES_FILE)).unwrap();
    assert_eq!(series[1].values[..3], [1, 1, 2].map(|tick| Some(Value::Integer(tick))));
    assert_eq!(series[0].values.len(), (0..60).map(|run| run % 3).sum::<usize>());
}

#[test]
fn folders_are_merged_in_the_order_of_settings() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    for (part, folder) in folders.iter().enumerate() {
        let mut store = open(folder.path()).unwrap();
        (0..20).filter(|run| run % 2 == part as u64).for_each(|run| store.append(&stored(run)).unwrap());
        if part == 0 {
            store.compact().unwrap();
        }
    }
    let paths = folders.each_ref().map(tempfile::TempDir::path);
    let merged = Results::open(&paths).unwrap().rows;
    assert_eq!(merged, sorted_unique((0..20).map(row).collect()));
    let swapped = Results::open(&[paths[1], paths[0]]).unwrap().rows;
    assert_eq!(runs(&swapped), runs(&merged));
}

/// Two writers never hold the lock at the same time, whichever of them created the folder or finished first.
#[test]
fn only_one_writer_at_a_time_has_the_lock() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let first = open(path).unwrap();
    assert!(matches!(open(path), Err(StoreError::InUse(_))));
    first.compact().unwrap();
    assert!(path.join(LOCK_FILE).exists(), "a waiting process must find the same lock file");
    let (inside, entered) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for writer in 0..4_u64 {
            let (inside, entered) = (&inside, &entered);
            scope.spawn(move || {
                let mut run = 0;
                while run < 20 {
                    let Ok(mut store) = open(path) else { continue };
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two writers are inside");
                    store.append(&stored(100 * writer + run)).unwrap();
                    inside.fetch_sub(1, Ordering::SeqCst);
                    if run.is_multiple_of(2) {
                        store.compact().unwrap();
                    }
                    entered.fetch_add(1, Ordering::SeqCst);
                    run += 1;
                }
            });
        }
    });
    assert_eq!(entered.into_inner(), 80);
    assert_eq!(Results::open(&[path]).unwrap().rows.len(), 80, "no run is lost");
}

#[test]
fn results_of_another_program_are_refused_unless_mixed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut store = ResultFolder::open(&Files::default(), path, Resume::No, "a").unwrap();
    store.append(&stored(1)).unwrap();
    drop(store);
    let open = |resume, program| ResultFolder::open(&Files::default(), path, resume, program);
    assert!(matches!(open(Resume::No, "a"), Err(StoreError::NotEmpty(_))));
    assert_eq!(open(Resume::SameProgram, "a").unwrap().earlier().len(), 1);
    let error = open(Resume::SameProgram, "b").unwrap_err().to_string();
    assert!(
        error.contains("--mix-versions") && error.contains("program a") && error.contains("is b"),
        "{error}"
    );
    assert_eq!(open(Resume::AnyProgram, "b").unwrap().earlier().len(), 1);
}

/// Wherever a Parquet file is cut, it is refused by name.
#[test]
fn a_damaged_file_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(RESULTS_FILE);
    let rows: Vec<RunRow> = (0..30).map(row).collect();
    write_rows(&Files::default(), &path, &rows).unwrap();
    let bytes = fs::read(&path).unwrap();
    for cut in (0..bytes.len()).step_by(97) {
        fs::write(&path, &bytes[..cut]).unwrap();
        let error = Results::open(&[folder.path()]).unwrap_err().to_string();
        assert!(error.contains(RESULTS_FILE), "{error}");
    }
    fs::write(&path, b"PAR1 and something else PAR1").unwrap();
    let error = open(folder.path()).unwrap_err().to_string();
    assert!(error.contains(RESULTS_FILE) && error.contains("damaged"), "{error}");
}

#[test]
fn files_with_other_columns_and_empty_folders_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(Results::open(&[folder.path()]), Err(StoreError::Empty(_))));
    let path = folder.path().join(RESULTS_FILE);
    let strange = table::TableColumn {
        name: "colour".to_owned(),
        kind: crate::columns::ColumnKind::Text,
        values: vec![Some(Value::from("red"))],
    };
    table::write(&Files::default(), &path, &[strange]).unwrap();
    let error = Results::open(&[folder.path()]).unwrap_err().to_string();
    assert!(error.contains(RESULTS_FILE) && error.contains("`colour`"), "{error}");
}

#[test]
fn a_failed_write_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path()).unwrap();
    store.append(&stored(1)).unwrap();
    // The new file cannot be written, because a folder has its name.
    fs::create_dir(folder.path().join("results.parquet.new")).unwrap();
    let error = store.compact().unwrap_err().to_string();
    assert!(error.contains("results.parquet.new"), "{error}");
    assert_eq!(Results::open(&[folder.path()]).unwrap().rows, [row(1)]);
}

/// Runs have their series whether they are in the journal or in files.
#[test]
fn stored_runs_have_their_series() {
    let folder = tempfile::tempdir().unwrap();
    let found = || {
        let mut runs = stored_runs(folder.path()).unwrap();
        runs.sort_by(|a, b| a.row.text("run").cmp(&b.row.text("run")));
        runs
    };
    let expected: Vec<StoredRun> = (0..6).map(stored).collect();
    let mut store = open(folder.path()).unwrap();
    expected[..4].iter().for_each(|run| store.append(run).unwrap());
    assert_eq!(found(), expected[..4]);
    store.compact().unwrap();
    assert_eq!(found(), expected[..4]);
    let mut store = open(folder.path()).unwrap();
    expected[4..].iter().for_each(|run| store.append(run).unwrap());
    assert_eq!(found(), expected);
}

/// A file that is larger than the caller reads is refused before it is read, wherever its rows are.
#[test]
fn too_many_rows_or_bytes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut store = open(path).unwrap();
    (0..50).for_each(|run| store.append(&stored(run)).unwrap());
    let within = |bytes, rows| Results::open_within(&[path], ReadLimits { bytes, rows });
    let refusal = |bytes, rows| within(bytes, rows).unwrap_err().to_string();
    for file in [JOURNAL_FILE, RESULTS_FILE] {
        assert_eq!(within(1 << 20, 50).unwrap().rows.len(), 50, "{file}");
        assert!(refusal(1 << 20, 49).contains("50 runs, and at most 49"), "{file}");
        assert!(refusal(100, 50).contains(file), "{file}");
        if file == JOURNAL_FILE {
            drop(store);
            open(path).unwrap().compact().unwrap();
            store = open(path).unwrap();
        }
    }
    // All folders together.
    let other = tempfile::tempdir().unwrap();
    let mut second = open(other.path()).unwrap();
    (50..60).for_each(|run| second.append(&stored(run)).unwrap());
    let both = Results::open_within(&[path, other.path()], ReadLimits { bytes: 1 << 20, rows: 55 });
    assert!(matches!(both, Err(StoreError::TooLarge { .. })));
}
