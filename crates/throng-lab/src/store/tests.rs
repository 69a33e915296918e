use std::fs;

use super::*;
use crate::{TickSample, Value};

/// A row with a value of every kind and gaps.
fn row(run: u64) -> Row {
    let mut row = Row::new();
    row.set("run", format!("{run:016x}"));
    row.set("experiment", "try");
    row.set("agents", 7 * run % 5);
    if !run.is_multiple_of(3) {
        row.set("planner", ["bmaa", "färö", ""][run as usize % 3]);
        row.set("completion_rate", 1.0 / run as f64);
        row.set("walls", run.is_multiple_of(2));
    }
    row
}

fn record(run: u64) -> Record {
    let sample = TickSample { home: run, expansions: 2 * run, tick_us: 0.5 };
    Record { row: row(run), series: vec![sample; run as usize % 3] }
}

fn runs(rows: &[Row]) -> Vec<&str> {
    rows.iter().filter_map(|row| row.text("run")).collect()
}

#[test]
fn what_is_kept_is_read_again_before_and_after_compaction() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let mut store = Folder::open(path).unwrap();
    (0..50).for_each(|run| store.keep(&record(run)).unwrap());
    let before = Results::open(&[path]).unwrap().rows;
    assert_eq!(before.len(), 50);
    assert!(before.is_sorted_by(|a, b| a.compare_settings(b).is_le()));
    assert_eq!(store.compact().unwrap(), 50);
    assert!(!path.join(JOURNAL_FILE).exists());
    assert_eq!(Results::open(&[path]).unwrap().rows, before);
    assert_eq!(Results::open(&[path.join(RESULTS_FILE)]).unwrap().rows, before);

    // Another stretch: nothing is lost, nothing doubled, even when a crash left the journal behind the new file.
    let mut store = Folder::open(path).unwrap();
    assert_eq!(store.finished().len(), 50);
    (40..60).for_each(|run| store.keep(&record(run)).unwrap());
    drop(store);
    let results = Results::open(&[path]).unwrap();
    assert_eq!((results.rows.len(), results.repeated), (60, 10));
    assert_eq!(Folder::open(path).unwrap().compact().unwrap(), 60);
    let series = table::read(&path.join(SERIES_FILE)).unwrap();
    assert_eq!(series[1].values[..3], [1, 1, 2].map(|tick| Some(Value::Integer(tick))));
    assert_eq!(series[0].values.len(), (0..60).map(|run| run % 3).sum::<usize>());
}

#[test]
fn folders_merge_in_the_order_of_settings() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    for (part, folder) in folders.iter().enumerate() {
        let mut store = Folder::open(folder.path()).unwrap();
        (0..20).filter(|run| run % 2 == part as u64).for_each(|run| store.keep(&record(run)).unwrap());
        if part == 0 {
            store.compact().unwrap();
        }
    }
    let paths = folders.each_ref().map(tempfile::TempDir::path);
    let merged = Results::open(&paths).unwrap().rows;
    assert_eq!(merged, in_order((0..20).map(row).collect()));
    let swapped = Results::open(&[paths[1], paths[0]]).unwrap().rows;
    assert_eq!(runs(&swapped), runs(&merged));
}

#[test]
fn a_folder_in_use_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let first = Folder::open(folder.path()).unwrap();
    assert!(matches!(Folder::open(folder.path()), Err(StoreError::InUse(_))));
    drop(first);
    Folder::open(folder.path()).unwrap();
}

/// Wherever a Parquet file is cut or altered, it is refused by name or read as it was; the journal is untouched.
#[test]
fn a_damaged_file_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(RESULTS_FILE);
    let rows: Vec<Row> = (0..30).map(row).collect();
    write_rows(&path, &rows).unwrap();
    let bytes = fs::read(&path).unwrap();
    for cut in (0..bytes.len()).step_by(97) {
        fs::write(&path, &bytes[..cut]).unwrap();
        let error = Results::open(&[folder.path()]).unwrap_err().to_string();
        assert!(error.contains(RESULTS_FILE), "{error}");
    }
    fs::write(&path, b"PAR1 and something else PAR1").unwrap();
    let error = Folder::open(folder.path()).unwrap_err().to_string();
    assert!(error.contains(RESULTS_FILE) && error.contains("damaged"), "{error}");
}

#[test]
fn results_of_others_and_of_nobody_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(Results::open(&[folder.path()]), Err(StoreError::Empty(_))));
    let path = folder.path().join(RESULTS_FILE);
    let strange = table::TableColumn {
        name: "colour".to_owned(),
        kind: crate::columns::ColumnKind::Text,
        values: vec![Some(Value::from("red"))],
    };
    table::write(&path, &[strange]).unwrap();
    let error = Results::open(&[folder.path()]).unwrap_err().to_string();
    assert!(error.contains(RESULTS_FILE) && error.contains("`colour`"), "{error}");
}

#[test]
fn a_disk_that_refuses_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Folder::open(folder.path()).unwrap();
    store.keep(&record(1)).unwrap();
    // Where the new file would go is a folder, so it cannot be written.
    fs::create_dir(folder.path().join("results.parquet.new")).unwrap();
    let error = store.compact().unwrap_err().to_string();
    assert!(error.contains("results.parquet.new"), "{error}");
    assert_eq!(Results::open(&[folder.path()]).unwrap().rows, [row(1)]);
}
