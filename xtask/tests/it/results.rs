//! The stored results in `experiments/results` can be read, and their rows are complete.

use std::path::{Path, PathBuf};

use throng_lab::columns::{COLUMNS, Role, tasks_with};
use throng_lab::store::RESULTS_FILE;
use throng_lab::{Results, task};

use crate::root;

/// Adds the result folders below a folder to a list.
pub(crate) fn result_folders(folder: &Path, found: &mut Vec<PathBuf>) {
    if folder.join(RESULTS_FILE).is_file() {
        found.push(folder.to_owned());
    }
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            result_folders(&path, found);
        }
    }
}

#[test]
fn stored_results_have_the_columns_of_their_task() {
    let mut folders = Vec::new();
    result_folders(&root().join("experiments/results"), &mut folders);
    assert!(folders.len() > 30, "{} folders", folders.len());
    let results = Results::open(&folders).unwrap();
    assert_eq!((results.rows.len() > 10_000, results.repeated), (true, 0));
    for row in &results.rows {
        let name = row.text("task").unwrap();
        assert!(task(name).is_some(), "{name}");
        assert!(["quiet", "loaded"].contains(&row.text("load").unwrap()), "{row:?}");
        for (column, value) in row.columns() {
            let tasks = tasks_with(column);
            assert!(value.is_none() || tasks.is_empty() || tasks.contains(&name), "{name}: {}", column.name);
        }
        let mut provenance = COLUMNS.iter().filter(|column| column.role == Role::Provenance);
        assert!(provenance.all(|column| row.value(column.name).is_some()), "{row:?}");
    }
}

#[test]
fn no_report_is_stored_beside_results() {
    let mut folders = Vec::new();
    result_folders(&root().join("experiments/results"), &mut folders);
    for folder in folders.iter().flat_map(|folder| [folder.as_path(), folder.parent().unwrap()]) {
        for name in ["report.html", "report.md"] {
            assert!(!folder.join(name).exists(), "{} holds {name}", folder.display());
        }
    }
}
