//! Finished runs, one record each, appended as they finish: what survives whatever happens to the program. Before each
//! stands a note that it was begun, so that a journal also tells which runs were cut off and made again.
//!
//! A file begins with eight bytes that name the format and the version of the columns. A record is its length (four
//! bytes, lowest first), a checksum of it (eight), and itself, written by one call. A record that was cut short by a
//! crash is at the end of the file and does not fit its checksum: it is not counted, and the next writer cuts it off. One that
//! was altered has whole records behind it: such a file is refused and left alone. A record
//! is in the hands of the operating system as soon as its run is counted, so a killed program loses nothing; the disk
//! is told to keep it at least every second, so a power failure loses a second at most.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use throng::crowd::bytes::checksum;

use super::record::{Entry, Record, decode, encode, encode_begun};
use super::{StoreError, io};
use crate::columns::SCHEMA_VERSION;

const MAGIC: &[u8; 4] = b"THJ\n";

/// The first bytes of a journal.
fn head() -> [u8; 8] {
    let mut head = [0; 8];
    head[..4].copy_from_slice(MAGIC);
    head[4..].copy_from_slice(&SCHEMA_VERSION.to_le_bytes());
    head
}

/// What lies before a record: its length and checksum.
const FRAME: usize = 12;

/// How long a record may be without being on the disk.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// A journal being written.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    path: PathBuf,
    /// Up to where the records are whole.
    end: u64,
    synced: Instant,
}

impl Journal {
    /// Opens a journal, or begins one; also gives the records that it has. What a crash left at its end is cut off.
    ///
    /// # Errors
    /// When the file cannot be used or is no journal of this version.
    pub(super) fn open(path: &Path) -> Result<(Self, Vec<Record>), StoreError> {
        let mut options = File::options();
        let opened = options.read(true).write(true).create(true).truncate(false).open(path);
        let mut file = opened.map_err(io("open", path))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io("read", path))?;
        let (entries, mut end) = entries(&bytes, path)?;
        file.set_len(end).map_err(io("cut", path))?;
        file.seek(SeekFrom::Start(end)).map_err(io("write", path))?;
        if end == 0 {
            file.write_all(&head()).map_err(io("write", path))?;
            end = head().len() as u64;
        }
        Ok((Self { file, path: path.to_owned(), end, synced: Instant::now() }, finished(entries)))
    }

    /// Appends a record. When that fails, for example because the disk is full, everything before is still there.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn append(&mut self, record: &Record) -> Result<(), StoreError> {
        self.write(&encode(record))?;
        if self.synced.elapsed() >= SYNC_EVERY {
            self.sync()?;
        }
        Ok(())
    }

    /// Appends a note that a run is begun.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn begin(&mut self, run: &str) -> Result<(), StoreError> {
        self.write(&encode_begun(run))
    }

    fn write(&mut self, body: &[u8]) -> Result<(), StoreError> {
        let mut bytes = Vec::with_capacity(FRAME + body.len());
        bytes.extend_from_slice(&(body.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&checksum(0, body).to_le_bytes());
        bytes.extend_from_slice(body);
        if let Err(error) = self.file.write_all(&bytes) {
            // Should this fail too, the half record does not fit its checksum and is cut off by the next writer.
            let _ = self.file.set_len(self.end);
            let _ = self.file.seek(SeekFrom::Start(self.end));
            return Err(io("write", &self.path)(error));
        }
        self.end += bytes.len() as u64;
        Ok(())
    }

    /// Has the disk keep everything so far.
    ///
    /// # Errors
    /// When it cannot.
    pub(super) fn sync(&mut self) -> Result<(), StoreError> {
        self.synced = Instant::now();
        self.file.sync_data().map_err(io("write", &self.path))
    }
}

/// The finished runs of a journal that is left behind; none when there is no such file.
///
/// # Errors
/// When the file cannot be read or is no journal of this version.
pub(super) fn read(path: &Path) -> Result<Vec<Record>, StoreError> {
    Ok(finished(left_behind(path)?))
}

/// The runs that were begun, in order.
///
/// # Errors
/// When the file cannot be read or is no journal of this version.
pub(super) fn begun(path: &Path) -> Result<Vec<String>, StoreError> {
    let run = |entry| match entry {
        Entry::Begun(run) => Some(run),
        Entry::Finished(_) => None,
    };
    Ok(left_behind(path)?.into_iter().filter_map(run).collect())
}

fn left_behind(path: &Path) -> Result<Vec<Entry>, StoreError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(entries(&bytes, path)?.0),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(io("read", path)(error)),
    }
}

fn finished(entries: Vec<Entry>) -> Vec<Record> {
    let record = |entry| match entry {
        Entry::Finished(record) => Some(record),
        Entry::Begun(_) => None,
    };
    entries.into_iter().filter_map(record).collect()
}

/// The whole entries in these bytes, and where they end.
fn entries(bytes: &[u8], path: &Path) -> Result<(Vec<Entry>, u64), StoreError> {
    let head = head();
    if bytes.len() < head.len() && head.starts_with(bytes) {
        return Ok((Vec::new(), 0));
    }
    let Some(mut rest) = bytes.strip_prefix(MAGIC).and_then(|rest| rest.split_at_checked(4)) else {
        return Err(StoreError::NotAJournal(path.to_owned()));
    };
    let version = u32::from_le_bytes(rest.0.try_into().unwrap_or_default());
    if version != SCHEMA_VERSION {
        return Err(StoreError::Version { path: path.to_owned(), version: version.to_string() });
    }
    let mut found = Vec::new();
    while let Some((body, after)) = whole(rest.1) {
        let entry = decode(body);
        found.push(entry.map_err(|reason| StoreError::Damaged { path: path.to_owned(), reason })?);
        rest.1 = after;
    }
    // What a crash leaves is the end of the file. Whole records behind it are none of its doing.
    if (1..rest.1.len()).any(|skip| whole(&rest.1[skip..]).is_some()) {
        let reason = format!("the record after the first {} is altered; nothing was cut off", found.len());
        return Err(StoreError::Damaged { path: path.to_owned(), reason });
    }
    Ok((found, (bytes.len() - rest.1.len()) as u64))
}

/// The first record of these bytes, if it is whole, and what follows it.
fn whole(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (sum, rest) = rest.split_first_chunk::<8>()?;
    let (body, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    (!body.is_empty() && checksum(0, body) == u64::from_le_bytes(*sum)).then_some((body, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Row;

    fn record(agents: u64) -> Record {
        let mut row = Row::new();
        row.set("run", format!("{agents:016x}"));
        row.set("agents", agents);
        Record { row, series: Vec::new() }
    }

    /// Wherever a crash cuts the file, all whole records before are there, and writing goes on behind them.
    #[test]
    fn a_torn_tail_is_not_counted_and_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let (mut journal, before) = Journal::open(&path).unwrap();
        assert!(before.is_empty());
        let mut ends = vec![journal.end];
        for agents in 0..4 {
            journal.begin("a run").unwrap();
            journal.append(&record(agents)).unwrap();
            ends.push(journal.end);
        }
        let bytes = std::fs::read(&path).unwrap();
        for cut in 0..=bytes.len() {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let kept = ends.iter().filter(|&&end| end <= cut as u64).count().saturating_sub(1);
            let expected: Vec<Record> = (0..kept as u64).map(record).collect();
            assert_eq!(read(&path).unwrap(), expected, "cut at {cut}");
            let (mut journal, found) = Journal::open(&path).unwrap();
            assert_eq!(found, expected);
            journal.append(&record(9)).unwrap();
            assert_eq!(read(&path).unwrap().last(), Some(&record(9)));
        }
    }

    /// An altered record in the middle is no torn tail: whatever was altered, the file is refused and left alone.
    #[test]
    fn an_altered_record_is_refused_and_nothing_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut journal = Journal::open(&path).unwrap().0;
        journal.append(&record(0)).unwrap();
        let first = journal.end;
        journal.append(&record(1)).unwrap();
        let second = journal.end;
        journal.append(&record(2)).unwrap();
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        for place in first as usize..second as usize {
            let mut bytes = whole.clone();
            bytes[place] ^= 1;
            std::fs::write(&path, &bytes).unwrap();
            assert!(matches!(read(&path), Err(StoreError::Damaged { .. })), "byte {place}");
            assert!(Journal::open(&path).is_err());
            assert_eq!(std::fs::read(&path).unwrap(), bytes, "nothing is cut off");
        }
    }

    #[test]
    fn other_files_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        std::fs::write(&path, "something else").unwrap();
        assert!(matches!(read(&path), Err(StoreError::NotAJournal(_))));
        let mut other = head().to_vec();
        other[4] += 1;
        std::fs::write(&path, other).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("journal") && error.contains("version 2"), "{error}");
        assert_eq!(read(&folder.path().join("none")).unwrap(), []);
    }
}
