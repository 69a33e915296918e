//! The journal of a sweep: finished runs, appended one by one, so that they survive a crash of the program. A note of its
//! start precedes each run, so that interrupted runs can be told from runs that never started.
//!
//! The file is append-only. It consists of sessions. A session starts with eight bytes: the name of the format and the
//! version of the columns. Entries follow, each with its length (four bytes, little-endian), its checksum (eight), and its
//! bytes, written by one call. A crash may leave an incomplete entry at the end; the next writer starts a new session after
//! it, and readers skip it. A power failure may leave a last entry of full length whose bytes never reached the disk:
//! readers skip it with a warning. An incomplete entry that another entry follows within a session means that the file
//! was altered: it is refused.
//!
//! An entry is passed to the operating system when its run finishes, so a killed program loses nothing. When a run finishes
//! more than a second after the last synchronisation with the disk, the file is synchronised. So a power failure loses the
//! runs of at most a second before the last run that finished, and that run at worst.

use std::path::Path;
use std::time::{Duration, Instant};

use super::entry::{JournalEntry, StoredRun};
use super::{ReadLimits, StoreError};
use crate::columns::SCHEMA_VERSION;
use crate::files::{self, Files, ReadError, StoredFile};
use crate::hash::checksum;
use crate::limits::JOURNAL_FILE;

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

/// The number of bytes that are hashed at most while looking for entries in damaged bytes: a constant, and a number per byte
/// of the journal. Hashing takes about a nanosecond per byte.
const MIN_SEARCH_WORK: usize = 16 << 20;
const SEARCH_WORK_PER_BYTE: usize = 16;

/// The time after a synchronisation with the disk from which on a finished run causes the next one.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// A journal that is open for writing.
#[derive(Debug)]
pub(super) struct Journal {
    file: StoredFile,
    /// Whether the file ends with an incomplete entry, or is empty: a session must be started.
    needs_session: bool,
    synced: Instant,
}

impl Journal {
    /// Opens a journal, or creates it. Also returns the finished runs that it has.
    ///
    /// # Errors
    /// If the file cannot be used, or is not a journal of this version.
    pub(super) fn open(files: &Files, path: &Path) -> Result<(Self, JournalContent), StoreError> {
        let mut file = files.append(path)?;
        let bytes = file.read_all(JOURNAL_FILE)?;
        let content = content(&bytes, path)?;
        let needs_session = bytes.is_empty() || !content.is_complete;
        let mut journal = Self { file, needs_session, synced: Instant::now() };
        journal.start_session()?;
        Ok((journal, content.finished(path)?))
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
        let written = self.file.write(bytes);
        self.needs_session |= written.is_err();
        Ok(written?)
    }

    /// Synchronises the file with the disk.
    ///
    /// # Errors
    /// If the system cannot.
    pub(super) fn sync(&mut self) -> Result<(), StoreError> {
        self.synced = Instant::now();
        Ok(self.file.sync()?)
    }
}

/// What a journal holds.
#[derive(Debug, Default)]
pub(super) struct JournalContent {
    /// The finished runs, in order.
    pub(super) runs: Vec<StoredRun>,
    /// What was lost, in a sentence.
    pub(super) warning: Option<String>,
}

/// Returns what a journal holds; nothing if there is no such file.
///
/// # Errors
/// If the file cannot be read, or is not a journal of this version.
pub(super) fn read(path: &Path) -> Result<JournalContent, StoreError> {
    read_within(path, ReadLimits::NONE)
}

/// As [`read`], unless the file is too large.
pub(super) fn read_within(path: &Path, limits: ReadLimits) -> Result<JournalContent, StoreError> {
    if let Ok(metadata) = path.metadata() {
        limits.check_size(path, metadata.len())?;
    }
    read_content(path)?.finished(path)
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
    Ok(read_content(path)?.entries.into_iter().filter_map(run).collect())
}

fn read_content(path: &Path) -> Result<Content, StoreError> {
    match files::read(path, JOURNAL_FILE) {
        Ok(bytes) => content(&bytes, path),
        Err(ReadError::Files(error)) if error.reason.kind() == std::io::ErrorKind::NotFound => {
            Ok(Content::default())
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns a function that adds the path to a reason why a journal is damaged.
fn damaged(path: &Path) -> impl FnOnce(String) -> StoreError {
    let path = path.to_owned();
    move |reason| StoreError::Damaged { path, reason }
}

/// The entries of a journal.
#[derive(Debug)]
struct Content {
    entries: Vec<JournalEntry>,
    /// Whether the file ends with a complete entry or header.
    is_complete: bool,
    /// The number of entries of full length whose checksums do not match.
    damaged: usize,
}

impl Default for Content {
    fn default() -> Self {
        Self { entries: Vec::new(), is_complete: true, damaged: 0 }
    }
}

impl Content {
    fn finished(self, path: &Path) -> Result<JournalContent, StoreError> {
        let warning = (self.damaged > 0).then(|| {
            let entries = if self.damaged == 1 { "an entry" } else { "entries" };
            format!(
                "{}: {entries} of full length at the end of a session with a wrong checksum, as after a power failure: \
                 skipped, and the run is repeated when the sweep goes on",
                path.display()
            )
        });
        let runs = self.entries.into_iter().filter_map(|entry| entry.into_run().transpose());
        let runs = runs.map(|run| run.map_err(damaged(path))).collect::<Result<_, _>>()?;
        Ok(JournalContent { runs, warning })
    }
}

/// Reads all sessions of a journal.
fn content(bytes: &[u8], path: &Path) -> Result<Content, StoreError> {
    let mut content = Content::default();
    // Looking for entries in damaged bytes computes a checksum per offset. Remains of a crash need far less.
    let mut work = MIN_SEARCH_WORK + SEARCH_WORK_PER_BYTE * bytes.len();
    let mut rest = bytes;
    while !rest.is_empty() {
        if rest.len() < HEADER && header().starts_with(rest) {
            content.is_complete = false;
            break;
        }
        rest = check_header(after_incomplete_header(rest), path)?;
        while let Some((body, after)) = complete_entry(rest) {
            content.entries.push(JournalEntry::decode(body).map_err(damaged(path))?);
            rest = after;
        }
        let end = next_session(rest).unwrap_or(rest.len());
        let (incomplete, after) = rest.split_at(end);
        refuse_entries(incomplete, content.entries.len(), &mut work, path)?;
        content.damaged += usize::from(has_full_length(incomplete));
        content.is_complete = incomplete.is_empty();
        rest = after;
    }
    Ok(content)
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

/// Refuses complete entries in bytes that should be the remains of one incomplete entry. `work` is the number of bytes that
/// may still be hashed.
fn refuse_entries(bytes: &[u8], before: usize, work: &mut usize, path: &Path) -> Result<(), StoreError> {
    let altered = |what: &str| {
        let reason = format!("the entry after the first {before} was altered{what}");
        Err(StoreError::Damaged { path: path.to_owned(), reason })
    };
    for skip in 1..bytes.len() {
        let Some((body, ..)) = framed(&bytes[skip..]) else { continue };
        let Some(left) = work.checked_sub(body.len()) else {
            return altered(", and what follows it is no remains of a crash");
        };
        *work = left;
        if complete_entry(&bytes[skip..]).is_some() {
            return altered("");
        }
    }
    Ok(())
}

/// Returns true if bytes are an entry of full length, whatever its checksum.
fn has_full_length(bytes: &[u8]) -> bool {
    framed(bytes).is_some_and(|(.., after)| after.is_empty())
}

/// Returns the first entry of some bytes, if it is complete, and what follows it.
fn complete_entry(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (body, sum, rest) = framed(bytes)?;
    (checksum(0, body) == sum).then_some((body, rest))
}

/// Returns the bytes of the length that an entry states, the checksum that it states, and what follows it; none if there
/// are fewer or the length is 0.
fn framed(bytes: &[u8]) -> Option<(&[u8], u64, &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (sum, rest) = rest.split_first_chunk::<8>()?;
    let (body, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    (!body.is_empty()).then_some((body, u64::from_le_bytes(*sum), rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunRow;

    fn run(agents: u64) -> StoredRun {
        let mut row = RunRow::new();
        row.set("run", format!("{agents:016x}"));
        row.set("agents", agents);
        StoredRun { row, series: Vec::new(), recording: Vec::new() }
    }

    fn length(path: &Path) -> u64 {
        path.metadata().unwrap().len()
    }

    /// Wherever a crash cuts the file, all complete runs before are read, nothing is removed, and writing goes on.
    #[test]
    fn an_incomplete_entry_is_skipped_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let (mut journal, before) = Journal::open(&Files::default(), &path).unwrap();
        assert!(before.runs.is_empty());
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
            assert_eq!(read(&path).unwrap().runs, expected, "cut at {cut}");
            for again in [8, 9] {
                let (mut journal, found) = Journal::open(&Files::default(), &path).unwrap();
                assert_eq!(found.runs, expected, "cut at {cut}");
                journal.append(&run(again)).unwrap();
                expected.push(run(again));
                assert_eq!(read(&path).unwrap().runs, expected, "cut at {cut}");
            }
            assert!(std::fs::read(&path).unwrap().starts_with(&bytes[..cut]), "the journal is append-only");
        }
    }

    /// An altered entry in the middle of a session is no remains of a crash: the file is refused and stays as it is.
    #[test]
    fn an_altered_entry_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut journal = Journal::open(&Files::default(), &path).unwrap().0;
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
            assert!(Journal::open(&Files::default(), &path).is_err());
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
        assert_eq!(read(&folder.path().join("none")).unwrap().runs, []);
    }

    /// A power failure may leave the length of the file without its last bytes.
    #[test]
    fn a_last_entry_of_full_length_with_a_wrong_checksum_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let mut journal = Journal::open(&Files::default(), &path).unwrap().0;
        journal.append(&run(0)).unwrap();
        let first = length(&path) as usize;
        journal.append(&run(1)).unwrap();
        drop(journal);
        let mut bytes = std::fs::read(&path).unwrap();
        assert_eq!(read(&path).unwrap().warning, None);
        bytes[first + FRAME..].fill(0);
        std::fs::write(&path, &bytes).unwrap();
        let content = read(&path).unwrap();
        assert_eq!(content.runs, [run(0)]);
        let warning = content.warning.unwrap();
        assert!(warning.contains("journal") && warning.contains("wrong checksum"), "{warning}");
        // The next session follows it, and the warning stays.
        let (mut journal, content) = Journal::open(&Files::default(), &path).unwrap();
        assert!(content.warning.is_some());
        journal.append(&run(2)).unwrap();
        let content = read(&path).unwrap();
        assert_eq!((content.runs, content.warning.is_some()), (vec![run(0), run(2)], true));
    }

    /// Every offset of such bytes states a length that fits, so that each would be hashed to the end.
    #[test]
    fn bytes_that_look_like_entries_are_refused_in_time() {
        let mut bytes = header().to_vec();
        while bytes.len() < 4 << 20 {
            bytes.extend_from_slice(&[0, 0, 16, 0]);
        }
        let begun = Instant::now();
        let error = content(&bytes, Path::new("journal")).unwrap_err().to_string();
        assert!(error.contains("journal is damaged"), "{error}");
        assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    }
}
