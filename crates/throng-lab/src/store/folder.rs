//! A result folder while a sweep runs: it is locked, finished runs are appended to the journal, and at the end the journal
//! and the older results become one Parquet file.
//!
//! The lock file is never removed: a process that waits for the lock of a removed file would lock a file that no other
//! process can find. The journal is append-only until the results that contain it are stored.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use super::journal::{self, Journal};
use super::table::{self, TableColumn};
use super::{
    JOURNAL_FILE, LOCK_FILE, RESULTS_FILE, SERIES_FILE, StoreError, StoredRun, io, rows as read_rows,
    sorted_unique, write_rows,
};
use crate::columns::{ColumnKind, Provenance, RowPart};
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
    path: PathBuf,
    journal: Journal,
    /// The rows that the folder had when it was opened.
    earlier: Vec<RunRow>,
    /// The number of runs that were appended since.
    appended: usize,
    /// Holds the lock while it is open.
    _lock: File,
}

impl ResultFolder {
    /// Opens a folder for a program and locks it; creates it if it does not exist.
    ///
    /// # Errors
    /// If the folder cannot be used, another process writes to it, it holds results that `resume` does not allow, or a file
    /// in it cannot be read.
    pub fn open(path: &Path, resume: Resume, program: &str) -> Result<Self, StoreError> {
        fs::create_dir_all(path).map_err(io("create", path))?;
        let lock = lock(path)?;
        if resume == Resume::No && Self::has_results(path) {
            return Err(StoreError::NotEmpty(path.to_owned()));
        }
        // Stored results are read first, so that no journal is started beside damaged ones.
        let mut earlier = stored_rows(path)?;
        let (journal, runs) = Journal::open(&path.join(JOURNAL_FILE))?;
        earlier.extend(runs.into_iter().map(|run| run.row));
        if resume == Resume::SameProgram {
            check_program(path, &earlier, program)?;
        }
        Ok(Self { path: path.to_owned(), journal, earlier, appended: 0, _lock: lock })
    }

    /// Returns true if a folder has results.
    pub fn has_results(path: &Path) -> bool {
        path.join(RESULTS_FILE).exists() || path.join(JOURNAL_FILE).exists()
    }

    /// Returns the rows that the folder had when it was opened.
    pub fn earlier(&self) -> &[RunRow] {
        &self.earlier
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
        let runs = journal::read(&journal_path)?;
        let series: Vec<(&str, &[TickSample])> = runs
            .iter()
            .filter(|run| !run.series.is_empty())
            .filter_map(|run| Some((run.row.text("run")?, run.series.as_slice())))
            .collect();
        if !series.is_empty() {
            write_series(&self.path.join(SERIES_FILE), &series)?;
        }
        let mut rows = stored_rows(&self.path)?;
        rows.extend(runs.into_iter().map(|run| run.row));
        let rows = sorted_unique(rows);
        write_rows(&self.path.join(RESULTS_FILE), &rows)?;
        fs::remove_file(&journal_path).map_err(io("remove", &journal_path))?;
        Ok(rows.len())
    }
}

/// Locks a folder.
fn lock(path: &Path) -> Result<File, StoreError> {
    let lock_path = path.join(LOCK_FILE);
    let mut options = File::options();
    let lock = options.write(true).create(true).truncate(false).open(&lock_path);
    let lock = lock.map_err(io("create", &lock_path))?;
    match lock.try_lock() {
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse(path.to_owned())),
        // Some network file systems have no locks; the sweep goes on without one there.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(lock),
    }
}

/// Returns the rows of a folder's Parquet file; none if there is no such file.
fn stored_rows(path: &Path) -> Result<Vec<RunRow>, StoreError> {
    let stored = path.join(RESULTS_FILE);
    if stored.exists() { read_rows(&stored) } else { Ok(Vec::new()) }
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

/// Returns the rows of a folder, whether its sweep is finished or not.
pub(super) fn rows(folder: &Path) -> Result<Vec<RunRow>, StoreError> {
    if !ResultFolder::has_results(folder) {
        return Err(StoreError::Empty(folder.to_owned()));
    }
    // The journal is read first: a sweep that finishes meanwhile stores its rows before it removes the journal.
    let journal = journal::read(&folder.join(JOURNAL_FILE))?;
    let mut rows = stored_rows(folder)?;
    rows.extend(journal.into_iter().map(|run| run.row));
    Ok(rows)
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
fn write_series(path: &Path, series: &[(&str, &[TickSample])]) -> Result<(), StoreError> {
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
    table::write(path, &columns)
}
