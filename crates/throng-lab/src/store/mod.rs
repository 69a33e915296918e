//! Stored results: a folder has a journal while a sweep runs, and Parquet files when it is finished.
//!
//! [`Results::open`] reads any set of folders as one table, whether their sweeps are finished or not. Rows are sorted by
//! their settings, so that the same runs make the same table however they were split.

mod entry;
mod folder;
mod journal;
mod page_scan;
mod table;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::RunRow;
use crate::columns::{COLUMNS, SCHEMA_VERSION, index};
use crate::experiment::run_key;
use crate::files::{Files, FilesError, ReadError};

pub use entry::{StoredRun, decode_runs, encode_runs};
pub use folder::{ResultFolder, Resume, begun, stored_runs};
pub use table::DECODER_THREAD;
pub(crate) use table::{TableColumn, read as read_table, write as write_table};

/// The file of rows in a result folder.
pub const RESULTS_FILE: &str = "results.parquet";

/// The file of per-tick series in a result folder.
pub const SERIES_FILE: &str = "series.parquet";

/// The journal in a result folder.
pub const JOURNAL_FILE: &str = "journal";

/// The lock file in a result folder. It is never removed.
pub const LOCK_FILE: &str = ".lock";

/// Why results cannot be stored or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The system refuses.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// A Parquet file cannot be written.
    #[error("cannot write {}: {reason}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A file is damaged.
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A file is not a journal.
    #[error("{} is not a journal of results", .0.display())]
    NotAJournal(PathBuf),
    /// A Parquet file holds something else.
    #[error("{} holds no results of throng", .0.display())]
    NotResults(PathBuf),
    /// A file has the columns of another version.
    #[error("{} has results of schema version {version}; this throng reads version {SCHEMA_VERSION}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: String,
    },
    /// A folder holds no results.
    #[error("{} holds no results: neither {RESULTS_FILE} nor a {JOURNAL_FILE}", .0.display())]
    Empty(PathBuf),
    /// A folder holds results, and the sweep was not told to resume.
    #[error("{} has results already; --resume continues them", .0.display())]
    NotEmpty(PathBuf),
    /// A folder holds results of another program.
    #[error(
        "{} has results of the program {other}, and this is {program}: use another folder, or add --mix-versions to \
         continue them with this program",
        path.display()
    )]
    OtherProgram {
        /// The folder.
        path: PathBuf,
        /// The program of the results.
        other: String,
        /// This program.
        program: String,
    },
    /// A file is larger than the caller reads.
    #[error("{} is too large: {reason}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// How large it is, and what is read.
        reason: String,
    },
    /// Another process is writing to the folder.
    #[error("{} is in use by another run", .0.display())]
    InUse(PathBuf),
}

impl From<ReadError> for StoreError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Files(error) => Self::Files(error),
            ReadError::TooLarge { path, error } => too_large(&path, error.to_string()),
        }
    }
}

/// How much is read of results that may come from anywhere.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadLimits {
    /// The largest size of a file in bytes, also after it was decompressed.
    pub bytes: u64,
    /// The largest number of rows.
    pub rows: u64,
}

impl ReadLimits {
    /// No limits.
    pub const NONE: Self = Self { bytes: u64::MAX, rows: u64::MAX };

    fn check_size(self, path: &Path, bytes: u64) -> Result<(), StoreError> {
        let reason = || format!("{bytes} bytes, and at most {} are read", self.bytes);
        if bytes <= self.bytes { Ok(()) } else { Err(too_large(path, reason())) }
    }

    fn check_rows(self, path: &Path, rows: u64) -> Result<(), StoreError> {
        let reason = || format!("{rows} runs, and at most {} are read", self.rows);
        if rows <= self.rows { Ok(()) } else { Err(too_large(path, reason())) }
    }
}

fn too_large(path: &Path, reason: String) -> StoreError {
    StoreError::TooLarge { path: path.to_owned(), reason }
}

/// The rows of a set of folders.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The rows, sorted by their settings; runs with equal settings once.
    pub rows: Vec<RunRow>,
    /// The number of runs that were left out because an earlier one has the same settings.
    pub repeated: usize,
    /// What was lost, in a sentence per journal with a damaged last entry.
    pub warnings: Vec<String>,
}

impl Results {
    /// Reads result folders, or single Parquet files of results.
    ///
    /// # Errors
    /// If one of them holds no results, or a file cannot be read or has other columns.
    pub fn open<P: AsRef<Path>>(paths: &[P]) -> Result<Self, StoreError> {
        Self::open_within(paths, ReadLimits::NONE)
    }

    /// Reads result folders, or single Parquet files of results, unless they are too large.
    ///
    /// # Errors
    /// As [`Results::open`], and if a file or all rows together exceed a limit.
    pub fn open_within<P: AsRef<Path>>(paths: &[P], limits: ReadLimits) -> Result<Self, StoreError> {
        let (mut found, mut warnings) = (Vec::new(), Vec::new());
        for path in paths.iter().map(AsRef::as_ref) {
            let left = ReadLimits { rows: limits.rows.saturating_sub(found.len() as u64), ..limits };
            let (rows, warning) =
                if path.is_file() { (rows(path, left)?, None) } else { folder::rows(path, left)? };
            left.check_rows(path, rows.len() as u64)?;
            found.extend(rows);
            warnings.extend(warning);
        }
        let count = found.len();
        let rows = sorted_unique(found);
        Ok(Self { repeated: count - rows.len(), rows, warnings })
    }
}

/// Sorts rows by their settings and keeps the first of several with equal settings, whichever program made them.
fn sorted_unique(rows: Vec<RunRow>) -> Vec<RunRow> {
    let mut seen = BTreeSet::new();
    let mut rows: Vec<RunRow> = rows.into_iter().filter(|row| seen.insert(run_key(row, ""))).collect();
    rows.sort_by(RunRow::compare_settings);
    rows
}

/// Reads the rows of a Parquet file.
fn rows(path: &Path, limits: ReadLimits) -> Result<Vec<RunRow>, StoreError> {
    let columns = table::read_within(path, limits)?;
    let count = columns.first().map_or(0, |column| column.values.len());
    let mut rows = vec![RunRow::new(); count];
    for column in columns {
        let damaged = || StoreError::Damaged {
            path: path.to_owned(),
            reason: format!("unknown column `{}`", column.name),
        };
        let place = index(&column.name).filter(|&place| COLUMNS[place].kind == column.kind);
        let place = place.ok_or_else(damaged)?;
        for (row, value) in rows.iter_mut().zip(column.values) {
            row.set_at(place, value);
        }
    }
    Ok(rows)
}

/// Writes rows into a Parquet file.
///
/// # Errors
/// If it cannot be written; then an existing file stays as it was.
pub fn write_rows(files: &Files, path: &Path, rows: &[RunRow]) -> Result<(), StoreError> {
    let column = |(place, column): (usize, &crate::columns::Column)| table::TableColumn {
        name: column.name.to_owned(),
        kind: column.kind,
        values: rows.iter().map(|row| row.at(place).cloned()).collect(),
    };
    let columns: Vec<_> = COLUMNS.iter().enumerate().map(column).collect();
    table::write(files, path, &columns)
}

#[cfg(test)]
mod tests;
