//! The journal of a sweep: finished runs, appended one by one, so that they survive a crash of the program. A note of its
//! start precedes each run, so that interrupted runs can be told from runs that never started.
//!
//! The file is append-only. It consists of sessions. A session starts with eight bytes: the name of the format and the
//! version of the columns. Entries follow, each with its length (four bytes, little-endian), its checksum (eight), and its
//! bytes, written by one call. A crash may leave an incomplete entry at the end; the next writer starts a new session after
//! it, and readers skip it. An incomplete entry that another entry follows within a session means that the file was
//! altered: it is refused.
//!
//! An entry is passed to the operating system when its run finishes, so a killed program loses nothing. The file is
//! synchronised with the disk at least every second, so a power failure loses at most a second.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::entry::{JournalEntry, StoredRun};
use super::{StoreError, io};
use crate::columns::SCHEMA_VERSION;
use crate::hash::checksum;

const MAGIC: &[u8; 4] = b"THJ\n";

/// The length of a session's header.
const HEADER: usize = 8;

/// Returns the header of a session.
fn header() -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..4].copy_from_slice(MAGIC);
    header[4..].copy_from_slice(&SCHEMA_VERSION.to_le_bytes());
    header
}

/// The length of what precedes an entry: its length and checksum.
const FRAME: usize = 12;

/// The longest time between two synchronisations with the disk.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// A journal that is open for writing.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    path: PathBuf,
    /// Whether the file ends with an incomplete entry, or is empty: a session must be started.
    needs_session: bool,
    synced: Instant,
}

impl Journal {
    /// Opens a journal, or creates it. Also returns the finished runs that it has.
    ///
    /// # Errors
    /// If the file cannot be used, or is not a journal of this version.
    pub(super) fn open(path: &Path) -> Result<(Self, Vec<StoredRun>), StoreError> {
        let mut file =
            File::options().read(true).append(true).create(true).open(path).map_err(io("open", path))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io("read", path))?;
        let Content { entries, is_complete } = content(&bytes, path)?;
        let needs_session = bytes.is_empty() || !is_complete;
        let mut journal = Self { file, path: path.to_owned(), needs_session, synced: Instant::now() };
        journal.start_session()?;
        Ok((journal, finished(entries, path)?))
    }

    /// Appends a finished run.
    ///
    /// # Errors
    /// If it cannot be written, for example because the disk is full; everything before it stays.
    pub(super) fn append(&mut self, run: &StoredRun) -> Result<(), StoreError> {
        self.write_entry(&JournalEntry::finished(run))?;
        if self.synced.elapsed() >= SYNC_INTERVAL {
            self.sync()?;
        }
        Ok(())
    }

    /// Appends a note that a run starts.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn begin(&mut self, run: &str) -> Result<(), StoreError> {
        self.write_entry(&JournalEntry::Begun(run.to_owned()))
    }

    fn write_entry(&mut self, entry: &JournalEntry) -> Result<(), StoreError> {
        self.start_session()?;
        let body = entry.encode();
        let mut bytes = Vec::with_capacity(FRAME + body.len());
        bytes.extend_from_slice(&(body.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&checksum(0, &body).to_le_bytes());
        bytes.extend_from_slice(&body);
        self.write(&bytes)
    }

    /// Starts a session if the last one ended with an incomplete entry.
    fn start_session(&mut self) -> Result<(), StoreError> {
        if self.needs_session {
            self.write(&header())?;
            self.needs_session = false;
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        let written = self.file.write_all(bytes);
        self.needs_session |= written.is_err();
        written.map_err(io("write", &self.path))
    }

    /// Synchronises the file with the disk.
    ///
    /// # Errors
    /// If the system cannot.
    pub(super) fn sync(&mut self) -> Result<(), StoreError> {
        self.synced = Instant::now();
        self.file.sync_data().map_err(io("write", &self.path))
    }
}

/// Returns the finished runs of a journal; none if there is no such file.
///
/// # Errors
/// If the file cannot be read, or is not a journal of this version.
pub(super) fn read(path: &Path) -> Result<Vec<StoredRun>, StoreError> {
    finished(read_entries(path)?, path)
}

/// Returns the keys of the runs that were started, in order.
///
/// # Errors
/// If the file cannot be read, or is not a journal of this version.
pub(super) fn begun(path: &Path) -> Result<Vec<String>, StoreError> {
    let run = |entry| match entry {
        JournalEntry::Begun(run) => Some(run),
        JournalEntry::Finished(..) => None,
    };
    Ok(read_entries(path)?.into_iter().filter_map(run).collect())
}

fn read_entries(path: &Path) -> Result<Vec<JournalEntry>, StoreError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(content(&bytes, path)?.entries),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(io("read", path)(error)),
    }
}

fn finished(entries: Vec<JournalEntry>, path: &Path) -> Result<Vec<StoredRun>, StoreError> {
    let runs = entries.into_iter().filter_map(|entry| entry.into_run().transpose());
    runs.map(|run| run.map_err(damaged(path))).collect()
}

/// Returns a function that adds the path to a reason why a journal is damaged.
fn damaged(path: &Path) -> impl FnOnce(String) -> StoreError {
    let path = path.to_owned();
    move |reason| StoreError::Damaged { path, reason }
}

/// The content of a journal.
struct Content {
    entries: Vec<JournalEntry>,
    /// Whether the file ends with a complete entry or header.
    is_complete: bool,
}

/// Reads all sessions of a journal.
fn content(bytes: &[u8], path: &Path) -> Result<Content, StoreError> {
    let mut entries = Vec::new();
    let mut rest = bytes;
    while !rest.is_empty() {
        if rest.len() < HEADER && header().starts_with(rest) {
            return Ok(Content { entries, is_complete: false });
        }
        rest = check_header(after_incomplete_header(rest), path)?;
        while let Some((body, after)) = complete_entry(rest) {
            entries.push(JournalEntry::decode(body).map_err(damaged(path))?);
            rest = after;
        }
        let Some(incomplete) = next_session(rest) else {
            let is_complete = rest.is_empty();
            refuse_entries(rest, entries.len(), path)?;
            return Ok(Content { entries, is_complete });
        };
        refuse_entries(&rest[..incomplete], entries.len(), path)?;
        rest = &rest[incomplete..];
    }
    Ok(Content { entries, is_complete: true })
}

/// Skips the remains of a header that a crash cut, if a complete header follows.
fn after_incomplete_header(bytes: &[u8]) -> &[u8] {
    let follows = |&length: &usize| {
        let (before, after) = bytes.split_at(length.min(bytes.len()));
        header().starts_with(before) && after.starts_with(&header())
    };
    &bytes[(1..HEADER).find(follows).unwrap_or(0)..]
}

/// Checks the header of a session and returns what follows it.
fn check_header<'a>(bytes: &'a [u8], path: &Path) -> Result<&'a [u8], StoreError> {
    let Some((version, rest)) = bytes.strip_prefix(MAGIC).and_then(|rest| rest.split_first_chunk::<4>())
    else {
        return Err(StoreError::NotAJournal(path.to_owned()));
    };
    let version = u32::from_le_bytes(*version);
    if version != SCHEMA_VERSION {
        return Err(StoreError::Version { path: path.to_owned(), version: version.to_string() });
    }
    Ok(rest)
}

/// Returns where the next session starts after an incomplete entry.
fn next_session(bytes: &[u8]) -> Option<usize> {
    bytes.windows(HEADER).position(|window| window == header())
}

/// Refuses complete entries in bytes that should be the remains of one incomplete entry.
fn refuse_entries(bytes: &[u8], before: usize, path: &Path) -> Result<(), StoreError> {
    if (1..bytes.len()).any(|skip| complete_entry(&bytes[skip..]).is_some()) {
        let reason = format!("the entry after the first {before} was altered");
        return Err(StoreError::Damaged { path: path.to_owned(), reason });
    }
    Ok(())
}

/// Returns the first entry of some bytes, if it is complete, and what follows it.
fn complete_entry(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (sum, rest) = rest.split_first_chunk::<8>()?;
    let (body, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    (!body.is_empty() && checksum(0, body) == u64::from_le_bytes(*sum)).then_some((body, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunRow;

    fn run(agents: u64) -> StoredRun {
        let mut row = RunRow::new();
        row.set("run", format!("{agents:016x}"));
        row.set("agents", agents);
        StoredRun { row, series: Vec::new() }
    }

    fn length(path: &Path) -> u64 {
        path.metadata().unwrap().len()
    }

    /// Wherever a crash cuts the file, all complete runs before are read, nothing is removed, and writing goes on.
    #[test]
    fn an_incomplete_entry_is_skipped_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let (mut journal, before) = Journal::open(&path).unwrap();
        assert!(before.is_empty());
        let mut ends = vec![length(&path)];
        for agents in 0..4 {
            journal.begin("a run").unwrap();
            journal.append(&run(agents)).unwrap();
            ends.push(length(&path));
        }
        let bytes = std::fs::read(&path).unwrap();
        for cut in 0..=bytes.len() {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let complete = ends.iter().filter(|&&end| end <= cut as u64).count().saturating_sub(1);
            let mut expected: Vec<StoredRun> = (0..complete as u64).map(run).collect();
            assert_eq!(read(&path).unwrap(), expected, "cut at {cut}");
            for again in [8, 9] {
                let (mut journal, found) = Journal::open(&path).unwrap();
                assert_eq!(found, expected, "cut at {cut}");
                journal.append(&run(again)).unwrap();
                expected.push(run(again));
                assert_eq!(read(&path).unwrap(), expected, "cut at {cut}");
            }
            assert!(std::fs::read(&path).unwrap().starts_with(&bytes[..cut]), "the journal is append-only");
        }
    }

    /// An altered entry in the middle of a session is no remains of a crash: the file is refused and stays as it is.
    #[test]
    fn an_altered_entry_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut journal = Journal::open(&path).unwrap().0;
        journal.append(&run(0)).unwrap();
        let first = length(&path);
        journal.append(&run(1)).unwrap();
        let second = length(&path);
        journal.append(&run(2)).unwrap();
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        for place in first as usize..second as usize {
            let mut bytes = whole.clone();
            bytes[place] ^= 1;
            std::fs::write(&path, &bytes).unwrap();
            assert!(matches!(read(&path), Err(StoreError::Damaged { .. })), "byte {place}");
            assert!(Journal::open(&path).is_err());
            assert_eq!(std::fs::read(&path).unwrap(), bytes);
        }
    }

    #[test]
    fn other_files_are_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        std::fs::write(&path, "something else").unwrap();
        assert!(matches!(read(&path), Err(StoreError::NotAJournal(_))));
        let mut other = header().to_vec();
        other[4] += 1;
        std::fs::write(&path, other).unwrap();
        let error = read(&path).unwrap_err().to_string();
        assert!(error.contains("journal") && error.contains("version 3"), "{error}");
        assert_eq!(read(&folder.path().join("none")).unwrap(), []);
    }
}
