//! A result folder while a sweep runs: it is locked, finished runs are appended to the journal, and at the end the journal
//! and the older results become one Parquet file.
//!
//! The lock file is never removed: a process that waits for the lock of a removed file would lock a file that no other
//! process can find. The journal is append-only until the results that contain it are stored.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};

use super::journal::{self, Journal};
use super::table::{self, TableColumn};
use super::{
    JOURNAL_FILE, LOCK_FILE, RESULTS_FILE, ReadLimits, SERIES_FILE, StoreError, StoredRun, rows as read_rows,
    sorted_unique, write_rows,
};
use crate::columns::{ColumnKind, Provenance, RowPart};
use crate::experiment::run_key;
use crate::files::Files;
use crate::{RunRow, TickSample, Value};

/// Which results a folder may have when a sweep opens it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resume {
    /// None.
    No,
    /// Results of the same program.
    SameProgram,
    /// Results of any program.
    AnyProgram,
}

/// A result folder that a sweep writes to.
#[derive(Debug)]
pub struct ResultFolder {
    files: Files,
    path: PathBuf,
    journal: Journal,
    /// The rows that the folder had when it was opened.
    earlier: Vec<RunRow>,
    /// The number of runs that were appended since.
    appended: usize,
    /// What the journal lost before it was opened, in a sentence.
    warning: Option<String>,
    /// Holds the lock while it is open.
    _lock: File,
}

impl ResultFolder {
    /// Opens a folder for a program and locks it; creates it if it does not exist.
    ///
    /// # Errors
    /// If the folder cannot be used, another process writes to it, it holds results that `resume` does not allow, or a file
    /// in it cannot be read.
    pub fn open(files: &Files, path: &Path, resume: Resume, program: &str) -> Result<Self, StoreError> {
        files.create_folder(path)?;
        let lock = files.lock(&path.join(LOCK_FILE))?.ok_or_else(|| StoreError::InUse(path.to_owned()))?;
        if resume == Resume::No && Self::has_results(path) {
            return Err(StoreError::NotEmpty(path.to_owned()));
        }
        // Stored results are read first, so that no journal is started beside damaged ones.
        let mut earlier = stored_rows(path, ReadLimits::NONE)?;
        let (journal, content) = Journal::open(files, &path.join(JOURNAL_FILE))?;
        earlier.extend(content.runs.into_iter().map(|run| run.row));
        if resume == Resume::SameProgram {
            check_program(path, &earlier, program)?;
        }
        let (files, path, warning) = (files.clone(), path.to_owned(), content.warning);
        Ok(Self { files, path, journal, earlier, appended: 0, warning, _lock: lock })
    }

    /// Returns true if a folder has results.
    pub fn has_results(path: &Path) -> bool {
        path.join(RESULTS_FILE).exists() || path.join(JOURNAL_FILE).exists()
    }

    /// Returns what the journal had lost when it was opened, in a sentence; none if it was intact.
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }

    /// Returns the rows that the folder had when it was opened.
    pub fn earlier(&self) -> &[RunRow] {
        &self.earlier
    }

    /// Returns the keys that the runs, which the folder had when it was opened, have for a program. If the folder mixes programs, a
    /// run of another program counts as finished too.
    pub fn finished_runs(&self, program: &str) -> BTreeSet<String> {
        self.earlier.iter().map(|row| run_key(row, program)).collect()
    }

    /// Returns the number of finished runs.
    pub fn finished(&self) -> usize {
        self.earlier.len() + self.appended
    }

    /// Notes the start of a run, so that [`begun`] can list the runs that were interrupted.
    ///
    /// # Errors
    /// If it cannot be written; everything written before stays.
    pub fn begin(&mut self, run: &str) -> Result<(), StoreError> {
        self.journal.begin(run)
    }

    /// Appends a finished run.
    ///
    /// # Errors
    /// If it cannot be written; everything written before stays.
    pub fn append(&mut self, run: &StoredRun) -> Result<(), StoreError> {
        self.journal.append(run)?;
        self.appended += 1;
        Ok(())
    }

    /// Combines the journal and the older results in one file and removes the journal. Returns the number of rows.
    ///
    /// # Errors
    /// If the file cannot be written; then the journal and the older results stay as they were.
    pub fn compact(mut self) -> Result<usize, StoreError> {
        self.journal.sync()?;
        let journal_path = self.path.join(JOURNAL_FILE);
        let runs = journal::read(&journal_path)?.runs;
        let series: Vec<(&str, &[TickSample])> = runs
            .iter()
            .filter(|run| !run.series.is_empty())
            .filter_map(|run| Some((run.row.text("run")?, run.series.as_slice())))
            .collect();
        if !series.is_empty() {
            write_series(&self.files, &self.path.join(SERIES_FILE), &series)?;
        }
        let mut rows = stored_rows(&self.path, ReadLimits::NONE)?;
        rows.extend(runs.into_iter().map(|run| run.row));
        let rows = sorted_unique(rows);
        write_rows(&self.files, &self.path.join(RESULTS_FILE), &rows)?;
        self.files.remove(&journal_path)?;
        Ok(rows.len())
    }
}

/// Returns the rows of a folder's Parquet file; none if there is no such file.
fn stored_rows(path: &Path, limits: ReadLimits) -> Result<Vec<RunRow>, StoreError> {
    let stored = path.join(RESULTS_FILE);
    if stored.exists() { read_rows(&stored, limits) } else { Ok(Vec::new()) }
}

/// Refuses rows of another program.
fn check_program(path: &Path, rows: &[RunRow], program: &str) -> Result<(), StoreError> {
    let mut others = rows.iter().map(Provenance::load);
    match others.find(|other| other.program() != program) {
        Some(other) => Err(StoreError::OtherProgram {
            path: path.to_owned(),
            other: other.program().to_owned(),
            program: program.to_owned(),
        }),
        None => Ok(()),
    }
}

/// Returns the rows of a folder, whether its sweep is finished or not, and what its journal has lost.
pub(super) fn rows(folder: &Path, limits: ReadLimits) -> Result<(Vec<RunRow>, Option<String>), StoreError> {
    if !ResultFolder::has_results(folder) {
        return Err(StoreError::Empty(folder.to_owned()));
    }
    // The journal is read first: a sweep that finishes meanwhile stores its rows before it removes the journal.
    let journal = journal::read_within(&folder.join(JOURNAL_FILE), limits)?;
    let mut rows = stored_rows(folder, limits)?;
    rows.extend(journal.runs.into_iter().map(|run| run.row));
    Ok((rows, journal.warning))
}

/// Returns the finished runs of a folder with their series.
///
/// # Errors
/// If the folder holds no results, or a file cannot be read.
pub fn stored_runs(folder: &Path) -> Result<Vec<StoredRun>, StoreError> {
    let mut series = stored_series(&folder.join(SERIES_FILE))?;
    let mut runs: Vec<StoredRun> = Vec::new();
    for row in rows(folder, ReadLimits::NONE)?.0 {
        let samples = row.text("run").and_then(|run| series.remove(run)).unwrap_or_default();
        runs.push(StoredRun { row, series: samples, recording: Vec::new() });
    }
    // Runs of a sweep that goes on have their series in the journal.
    for run in journal::read(&folder.join(JOURNAL_FILE))?.runs {
        let same = runs.iter_mut().find(|known| known.row.text("run") == run.row.text("run"));
        if let Some(known) = same.filter(|known| known.series.is_empty()) {
            known.series = run.series;
        }
    }
    Ok(runs)
}

/// Reads the series of a file, which may not exist, by the keys of their runs.
fn stored_series(path: &Path) -> Result<BTreeMap<String, Vec<TickSample>>, StoreError> {
    let mut series: BTreeMap<String, Vec<TickSample>> = BTreeMap::new();
    if !path.exists() {
        return Ok(series);
    }
    let columns = table::read(path)?;
    if !columns.iter().map(|column| (column.name.as_str(), column.kind)).eq(SERIES) {
        return Err(StoreError::NotResults(path.to_owned()));
    }
    for row in 0..columns[0].values.len() {
        let value = |column: usize| columns[column].values[row].as_ref();
        let count =
            |column| value(column).and_then(Value::integer).and_then(|count| u64::try_from(count).ok());
        let sample = TickSample {
            arrived: count(2).unwrap_or_default(),
            expansions: count(3).unwrap_or_default(),
            tick_us: value(4).and_then(Value::float).unwrap_or_default(),
        };
        let run = value(0).and_then(Value::text).unwrap_or_default();
        series.entry(run.to_owned()).or_default().push(sample);
    }
    Ok(series)
}

/// Returns the keys of the runs that were started in a folder since its results were compacted, in order. A run that was
/// interrupted and repeated is listed once per start.
///
/// # Errors
/// If the journal cannot be read or has another version.
pub fn begun(folder: &Path) -> Result<Vec<String>, StoreError> {
    journal::begun(&folder.join(JOURNAL_FILE))
}

/// The columns of the series.
const SERIES: [(&str, ColumnKind); 5] = [
    ("run", ColumnKind::Text),
    ("tick", ColumnKind::Integer),
    ("arrived", ColumnKind::Integer),
    ("expansions", ColumnKind::Integer),
    ("tick_us", ColumnKind::Float),
];

/// Adds series to those of a file, which may not exist yet. Runs that the file has are not added again.
fn write_series(files: &Files, path: &Path, series: &[(&str, &[TickSample])]) -> Result<(), StoreError> {
    let new = SERIES.map(|(name, kind)| TableColumn { name: name.to_owned(), kind, values: Vec::new() });
    let mut columns = if path.exists() { table::read(path)? } else { new.to_vec() };
    if !columns.iter().map(|column| (column.name.as_str(), column.kind)).eq(SERIES) {
        return Err(StoreError::NotResults(path.to_owned()));
    }
    let known = columns[0].values.iter().filter_map(|value| value.as_ref()?.text().map(str::to_owned));
    let known: BTreeSet<String> = known.collect();
    for &(run, samples) in series.iter().filter(|(run, _)| !known.contains(*run)) {
        for (tick, sample) in (1_u64..).zip(samples) {
            let values: [Value; 5] = [
                run.into(),
                tick.into(),
                sample.arrived.into(),
                sample.expansions.into(),
                sample.tick_us.into(),
            ];
            for (column, value) in columns.iter_mut().zip(values) {
                column.values.push(Some(value));
            }
        }
    }
    table::write(files, path, &columns)
}
