//! The entries of a journal as bytes: finished runs, each value with its column's name, so that a journal can be read after
//! columns were added; and notes of started runs.

use serde::{Deserialize, Serialize};

use crate::columns::{COLUMNS, index};
use crate::{RunRow, TickSample, Value};

/// A finished run.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredRun {
    /// Its row of the results.
    pub row: RunRow,
    /// One sample per tick; empty unless the experiment asks for series.
    pub series: Vec<TickSample>,
}

/// An entry of a journal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) enum JournalEntry {
    /// A run with this key was started.
    Begun(String),
    /// A run was finished: the names and values of its columns, and its series.
    Finished(Vec<(String, Value)>, Vec<TickSample>),
}

impl JournalEntry {
    /// Returns the entry of a finished run.
    pub(super) fn finished(run: &StoredRun) -> Self {
        let values =
            run.row.columns().filter_map(|(column, value)| Some((column.name.to_owned(), value?.clone())));
        Self::Finished(values.collect(), run.series.clone())
    }

    /// Encodes the entry.
    pub(super) fn encode(&self) -> Vec<u8> {
        postcard::to_allocvec(self).expect("an entry has no type that postcard refuses")
    }

    /// Decodes an entry.
    ///
    /// # Errors
    /// If the bytes are not an entry.
    pub(super) fn decode(bytes: &[u8]) -> Result<Self, String> {
        postcard::from_bytes(bytes).map_err(|error| error.to_string())
    }

    /// Returns the finished run of the entry; none if it notes a start.
    ///
    /// # Errors
    /// If a column is unknown or has values of another kind.
    pub(super) fn into_run(self) -> Result<Option<StoredRun>, String> {
        let Self::Finished(values, series) = self else { return Ok(None) };
        let mut row = RunRow::new();
        for (name, value) in values {
            let place = index(&name).filter(|&place| COLUMNS[place].kind == value.kind());
            row.set_at(place.ok_or_else(|| format!("unknown column `{name}`"))?, Some(value));
        }
        Ok(Some(StoredRun { row, series }))
    }
}
