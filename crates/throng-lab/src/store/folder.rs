//! A folder of results while an experiment runs: it is locked, finished runs go into the journal, and in the end
//! journal and older results become one file.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use super::journal::{self, Journal};
use super::table::{self, TableColumn};
use super::{
    JOURNAL_FILE, RESULTS_FILE, Record, SERIES_FILE, StoreError, in_order, io, rows as read_rows, write_rows,
};
use crate::columns::ColumnKind;
use crate::{Row, TickSample, Value};

/// A folder that results are being written to.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    journal: Journal,
    /// The runs that are finished.
    finished: BTreeSet<String>,
    /// Keeps other programs out as long as it is open.
    _lock: File,
}

impl Folder {
    /// Opens a folder, which is made if there is none, with whatever results it has.
    ///
    /// # Errors
    /// When the folder cannot be used, another program writes there, or what it holds cannot be read.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        fs::create_dir_all(path).map_err(io("create", path))?;
        let lock_path = path.join(".lock");
        let lock = File::create(&lock_path).map_err(io("create", &lock_path))?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(StoreError::InUse(path.to_owned())),
            // Some network file systems know no locks; going on there without one is better than not at all.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let opened = Self::read(path);
        if opened.is_err() {
            // A refusal leaves the folder as it was.
            let _ = fs::remove_file(&lock_path);
        }
        let (journal, finished) = opened?;
        Ok(Self { path: path.to_owned(), journal, finished, _lock: lock })
    }

    /// The runs that a folder has, and its journal; results are read first, so that none is begun beside damaged ones.
    fn read(path: &Path) -> Result<(Journal, BTreeSet<String>), StoreError> {
        let stored = path.join(RESULTS_FILE);
        let mut rows = if stored.exists() { read_rows(&stored)? } else { Vec::new() };
        let (journal, records) = Journal::open(&path.join(JOURNAL_FILE))?;
        rows.extend(records.into_iter().map(|record| record.row));
        let finished = rows.iter().filter_map(|row| row.text("run")).map(str::to_owned).collect();
        Ok((journal, finished))
    }

    /// Whether a folder has results already.
    pub fn has_results(path: &Path) -> bool {
        path.join(RESULTS_FILE).exists() || path.join(JOURNAL_FILE).exists()
    }

    /// The ids of the runs that are finished.
    pub fn finished(&self) -> &BTreeSet<String> {
        &self.finished
    }

    /// Notes that a run is begun, so that it can be told later which runs were cut off and made again.
    ///
    /// # Errors
    /// When it cannot be written; whatever was kept before still is.
    pub fn begin(&mut self, run: &str) -> Result<(), StoreError> {
        self.journal.begin(run)
    }

    /// Keeps a finished run.
    ///
    /// # Errors
    /// When it cannot be written; whatever was kept before still is.
    pub fn keep(&mut self, record: &Record) -> Result<(), StoreError> {
        self.journal.append(record)?;
        if let Some(run) = record.row.text("run") {
            self.finished.insert(run.to_owned());
        }
        Ok(())
    }

    /// Makes one file of journal and older results, and removes the journal. Gives the number of rows.
    ///
    /// # Errors
    /// When the file cannot be written; then journal and older results are as they were.
    pub fn compact(mut self) -> Result<usize, StoreError> {
        self.journal.sync()?;
        let journal_path = self.path.join(JOURNAL_FILE);
        let records = journal::read(&journal_path)?;
        let series: Vec<(&str, &[TickSample])> = records
            .iter()
            .filter(|record| !record.series.is_empty())
            .filter_map(|record| Some((record.row.text("run")?, record.series.as_slice())))
            .collect();
        if !series.is_empty() {
            write_series(&self.path.join(SERIES_FILE), &series)?;
        }
        let stored = self.path.join(RESULTS_FILE);
        let mut rows = if stored.exists() { read_rows(&stored)? } else { Vec::new() };
        rows.extend(records.into_iter().map(|record| record.row));
        let rows = in_order(rows);
        write_rows(&stored, &rows)?;
        fs::remove_file(&journal_path).map_err(io("remove", &journal_path))?;
        let _ = fs::remove_file(self.path.join(".lock"));
        Ok(rows.len())
    }
}

/// The rows of a folder, whether its experiment is done or not.
pub(super) fn rows(folder: &Path) -> Result<Vec<Row>, StoreError> {
    if !Folder::has_results(folder) {
        return Err(StoreError::Empty(folder.to_owned()));
    }
    let stored = folder.join(RESULTS_FILE);
    let mut rows = if stored.exists() { read_rows(&stored)? } else { Vec::new() };
    rows.extend(journal::read(&folder.join(JOURNAL_FILE))?.into_iter().map(|record| record.row));
    Ok(rows)
}

/// The runs that were begun in a folder since its last results were compacted, in order; one that was cut off and made
/// again is there as often as it was begun.
///
/// # Errors
/// When the journal cannot be read or is no journal of this version.
pub fn begun(folder: &Path) -> Result<Vec<String>, StoreError> {
    journal::begun(&folder.join(JOURNAL_FILE))
}

/// The columns of the series.
const SERIES: [(&str, ColumnKind); 5] = [
    ("run", ColumnKind::Text),
    ("tick", ColumnKind::Integer),
    ("home", ColumnKind::Integer),
    ("expansions", ColumnKind::Integer),
    ("tick_us", ColumnKind::Float),
];

/// Adds series to those of a file, which may not be there yet. A run that is there already is not added again.
fn write_series(path: &Path, series: &[(&str, &[TickSample])]) -> Result<(), StoreError> {
    let new = SERIES.map(|(name, kind)| TableColumn { name: name.to_owned(), kind, values: Vec::new() });
    let mut columns = if path.exists() { table::read(path)? } else { new.to_vec() };
    if !columns.iter().map(|column| (column.name.as_str(), column.kind)).eq(SERIES) {
        return Err(StoreError::NotOurs(path.to_owned()));
    }
    let known: BTreeSet<String> = columns[0]
        .values
        .iter()
        .filter_map(|value| match value {
            Some(Value::Text(run)) => Some(run.clone()),
            _ => None,
        })
        .collect();
    for &(run, samples) in series.iter().filter(|(run, _)| !known.contains(*run)) {
        for (tick, sample) in (1_u64..).zip(samples) {
            let values: [Value; 5] = [
                run.into(),
                tick.into(),
                sample.home.into(),
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
