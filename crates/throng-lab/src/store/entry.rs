//! The entries of a journal as bytes: finished runs, each value with its column's name, so that a journal can be read after
//! columns were added; and notes of started runs.

use serde::{Deserialize, Serialize};

use crate::columns::{COLUMNS, index};
use crate::hash::checksum;
use crate::{RunRow, TickSample, Value};

/// A finished run.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredRun {
    /// Its row of the results.
    pub row: RunRow,
    /// One sample per tick; empty unless the experiment asks for series.
    pub series: Vec<TickSample>,
    /// The recording, which is not stored; empty unless the context asks for it.
    pub recording: Vec<u8>,
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
        Ok(Some(StoredRun { row, series, recording: Vec::new() }))
    }
}

/// Encodes finished runs, to send them to another process of the same program.
pub fn encode_runs(runs: &[StoredRun]) -> Vec<u8> {
    let entries: Vec<JournalEntry> = runs.iter().map(JournalEntry::finished).collect();
    let body = postcard::to_allocvec(&entries).expect("an entry has no type that postcard refuses");
    [checksum(0, &body).to_le_bytes().as_slice(), &body].concat()
}

/// Decodes the runs that [`encode_runs`] encoded.
///
/// # Errors
/// If the bytes are cut short or altered, or have columns that this program does not have.
pub fn decode_runs(bytes: &[u8]) -> Result<Vec<StoredRun>, String> {
    let (sum, body) = bytes.split_first_chunk::<8>().ok_or("the runs are cut short")?;
    if checksum(0, body) != u64::from_le_bytes(*sum) {
        return Err("the runs are altered: their checksum does not match".to_owned());
    }
    let entries: Vec<JournalEntry> = postcard::from_bytes(body).map_err(|error| error.to_string())?;
    entries.into_iter().filter_map(|entry| entry.into_run().transpose()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_sent_as_bytes() {
        let mut row = RunRow::new();
        row.set("run", "a");
        row.set("completion_rate", 0.1 + 0.2);
        row.set("walls", true);
        let sample = TickSample { arrived: 3, expansions: 70, tick_us: 1.5 };
        let run = |row, series| StoredRun { row, series, recording: Vec::new() };
        let runs = vec![run(row, vec![sample]), run(RunRow::new(), vec![])];
        let bytes = encode_runs(&runs);
        assert_eq!(decode_runs(&bytes).unwrap(), runs);
        for place in 0..bytes.len() {
            let mut altered = bytes.clone();
            altered[place] ^= 4;
            assert!(decode_runs(&altered).is_err(), "byte {place}");
            assert!(decode_runs(&bytes[..place]).is_err(), "cut at {place}");
        }
    }
}
