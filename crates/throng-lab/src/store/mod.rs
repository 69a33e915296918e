//! Where results lie: a folder with a journal while an experiment runs, and Parquet files when it is done.
//!
//! [`Results::open`] reads any set of folders as one table, whether their experiments are done or not. Rows are put in
//! the order of their settings, so that the same runs make the same table however they were split.

mod folder;
mod journal;
mod record;
mod table;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::Row;
use crate::columns::{COLUMNS, SCHEMA_VERSION, index};

pub use folder::{Folder, begun};
pub use record::Record;

/// The file of rows in a folder of results.
pub const RESULTS_FILE: &str = "results.parquet";

/// The file of per-tick series in a folder of results.
pub const SERIES_FILE: &str = "series.parquet";

/// The journal in a folder of results.
pub const JOURNAL_FILE: &str = "journal";

/// Why results cannot be kept or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The system refuses.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A Parquet file cannot be written.
    #[error("cannot write {}: {reason}", path.display())]
    Write {
        /// Which file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A file is damaged.
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A journal is something else.
    #[error("{} is no journal of results", .0.display())]
    NotAJournal(PathBuf),
    /// A Parquet file is not one of the laboratory's.
    #[error("{} holds no results of throng", .0.display())]
    NotOurs(PathBuf),
    /// A file has other columns.
    #[error("{} has results of schema version {version}; this throng reads version {SCHEMA_VERSION}", path.display())]
    Version {
        /// Which file.
        path: PathBuf,
        /// Its version.
        version: String,
    },
    /// There are no results.
    #[error("{} holds no results: neither {RESULTS_FILE} nor a {JOURNAL_FILE}", .0.display())]
    Empty(PathBuf),
    /// Another program is writing there.
    #[error("{} is in use by another run", .0.display())]
    InUse(PathBuf),
}

/// An error of the system with a file.
fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> StoreError {
    let path = path.to_owned();
    move |source| StoreError::Io { action, path, source }
}

/// The rows of any set of folders.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The rows, in the order of their settings; each run once.
    pub rows: Vec<Row>,
    /// Runs that were found again in a later folder, and left out.
    pub repeated: usize,
}

impl Results {
    /// Reads folders of results, or single Parquet files of them.
    ///
    /// # Errors
    /// When one of them holds no results, or a file in it cannot be read or has other columns.
    pub fn open<P: AsRef<Path>>(paths: &[P]) -> Result<Self, StoreError> {
        let mut found = Vec::new();
        for path in paths.iter().map(AsRef::as_ref) {
            found.extend(if path.is_file() { rows(path)? } else { folder::rows(path)? });
        }
        let count = found.len();
        let rows = in_order(found);
        Ok(Self { repeated: count - rows.len(), rows })
    }
}

/// Rows in the order of their settings, each run once: the first of several.
fn in_order(rows: Vec<Row>) -> Vec<Row> {
    let mut seen = BTreeSet::new();
    let is_new = |row: &Row| seen.insert(row.text("run").unwrap_or_default().to_owned());
    let mut rows: Vec<Row> = rows.into_iter().filter(is_new).collect();
    rows.sort_by(Row::compare_settings);
    rows
}

/// The rows of a Parquet file.
fn rows(path: &Path) -> Result<Vec<Row>, StoreError> {
    let columns = table::read(path)?;
    let count = columns.first().map_or(0, |column| column.values.len());
    let mut rows = vec![Row::new(); count];
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
/// When it cannot be written; then the file is as it was.
pub fn write_rows(path: &Path, rows: &[Row]) -> Result<(), StoreError> {
    let column = |(place, column): (usize, &crate::columns::Column)| table::TableColumn {
        name: column.name.to_owned(),
        kind: column.kind,
        values: rows.iter().map(|row| row.at(place).cloned()).collect(),
    };
    let columns: Vec<_> = COLUMNS.iter().enumerate().map(column).collect();
    table::write(path, &columns)
}

#[cfg(test)]
mod tests;
