//! Files as storage uses them. Every file that a sweep, a recording, a path database or a download writes is created,
//! written, synchronised, renamed, locked and removed here, and every error names the file.
//!
//! A file that is replaced appears under its name complete or not at all ([`Replacement`]): it is written beside its name,
//! synchronised with the disk and renamed, and the folder is synchronised after that. So a full disk, a crash or a power
//! failure leaves either the older file or the new one. Only regular files are replaced this way; a device or a pipe is
//! written in place.
//!
//! Tests let the n-th operation fail or end the program ([`Files::with_fault`]).

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use throng_grid::limits::{Limit, LimitError};

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} {}: {reason}", path.display())]
pub struct FilesError {
    /// What was tried.
    pub action: &'static str,
    /// The file or folder.
    pub path: PathBuf,
    /// The system's reason.
    pub reason: io::Error,
}

/// Access to the file system.
#[derive(Clone, Debug, Default)]
pub struct Files {
    /// For tests: which operation fails.
    fault: Option<Arc<Fault>>,
}

/// What happens at the operation of a test that is to fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// The operation fails as on a full disk; a write has written half of its bytes.
    Fails,
    /// The program is aborted; a write has written half of its bytes.
    Aborts,
}

#[derive(Debug)]
struct Fault {
    kind: FaultKind,
    /// The number of operations up to the one that fails; 0 after it.
    left: AtomicUsize,
    /// The file that the operation is written to, so that a test knows what failed.
    log: PathBuf,
}

type Done<T> = Result<T, FilesError>;

/// Returns a function that adds the action and the path to a system error.
fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FilesError {
    let path = path.to_owned();
    move |reason| FilesError { action, path, reason }
}

impl Files {
    /// Returns access in which operation `nth`, counted from 1, fails, and is then described in the file `log`.
    #[doc(hidden)]
    pub fn with_fault(kind: FaultKind, nth: usize, log: &Path) -> Self {
        Self { fault: Some(Arc::new(Fault { kind, left: nth.into(), log: log.to_owned() })) }
    }

    /// Counts an operation; returns the fault if it is this one.
    fn fault(&self, action: &str, path: &Path) -> Option<FaultKind> {
        let fault = self.fault.as_ref()?;
        let count = |left: usize| left.checked_sub(1);
        let before = fault.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, count);
        if before != Ok(1) {
            return None;
        }
        fs::write(&fault.log, format!("{action} {}", path.display())).expect("the log of a fault is written");
        Some(fault.kind)
    }

    /// Executes an operation unless a test lets it fail.
    fn attempt<T>(
        &self,
        action: &'static str,
        path: &Path,
        operation: impl FnOnce() -> io::Result<T>,
    ) -> Done<T> {
        let result = match self.fault(action, path) {
            None => operation(),
            Some(FaultKind::Fails) => Err(ErrorKind::StorageFull.into()),
            Some(FaultKind::Aborts) => std::process::abort(),
        };
        result.map_err(failed(action, path))
    }

    /// Creates a folder and those above it, unless they exist.
    ///
    /// # Errors
    /// If the system cannot.
    pub fn create_folder(&self, path: &Path) -> Done<()> {
        self.attempt("create", path, || fs::create_dir_all(path))
    }

    /// Removes a file.
    ///
    /// # Errors
    /// If the system cannot.
    pub fn remove(&self, path: &Path) -> Done<()> {
        self.attempt("remove", path, || fs::remove_file(path))
    }

    /// Removes a folder with all it contains, if it exists.
    ///
    /// # Errors
    /// If the system cannot.
    pub fn remove_folder(&self, path: &Path) -> Done<()> {
        self.attempt("remove", path, || match fs::remove_dir_all(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            result => result,
        })
    }

    /// Renames a file or folder, and synchronises the folder of the new name.
    ///
    /// # Errors
    /// If the system cannot rename it.
    pub fn rename(&self, from: &Path, to: &Path) -> Done<()> {
        self.attempt("rename a file to", to, || fs::rename(from, to))?;
        // Where the system cannot open or synchronise folders, the new name reaches the disk when the system pleases.
        let _ = self.attempt("synchronise", folder_of(to), || File::open(folder_of(to))?.sync_all());
        Ok(())
    }

    /// Creates a file that must not exist yet.
    ///
    /// # Errors
    /// If it exists, or the system cannot.
    pub fn create_new(&self, path: &Path) -> Done<StoredFile> {
        let open = || File::options().read(true).write(true).create_new(true).open(path);
        self.stored("create", path, open)
    }

    /// Opens a file for reading and appending, and creates it if it does not exist.
    ///
    /// # Errors
    /// If the system cannot.
    pub fn append(&self, path: &Path) -> Done<StoredFile> {
        self.stored("open", path, || File::options().read(true).append(true).create(true).open(path))
    }

    fn stored(
        &self,
        action: &'static str,
        path: &Path,
        open: impl FnOnce() -> io::Result<File>,
    ) -> Done<StoredFile> {
        let file = self.attempt(action, path, open)?;
        Ok(StoredFile { files: self.clone(), file, path: path.to_owned() })
    }

    /// Takes the lock of a lock file, which is held while the returned file is open. Returns none if another process has
    /// it. The file is created if it does not exist, and must never be removed: a process that waits for the lock of a
    /// removed file would lock a file that no other process can find.
    ///
    /// # Errors
    /// If the lock file cannot be created.
    pub fn lock(&self, path: &Path) -> Done<Option<File>> {
        let open = || File::options().write(true).create(true).truncate(false).open(path);
        let file = self.attempt("create", path, open)?;
        // Some network file systems have no locks; work goes on without one there.
        match self.attempt("lock", path, || match file.try_lock() {
            Err(TryLockError::WouldBlock) => Ok(false),
            Ok(()) => Ok(true),
            Err(TryLockError::Error(error)) => Err(error),
        }) {
            Ok(false) => Ok(None),
            Ok(true) | Err(_) => Ok(Some(file)),
        }
    }

    /// Replaces a file by these bytes, or creates it. It then has all of them, or an error leaves it as it was.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn replace(&self, path: &Path, bytes: &[u8]) -> Done<()> {
        let mut replacement = self.replacement(path)?;
        replacement.write(bytes)?;
        replacement.commit()
    }

    /// Begins to replace a file.
    ///
    /// # Errors
    /// If the file beside it cannot be created, or another process is writing it.
    pub fn replacement(&self, path: &Path) -> Done<Replacement> {
        let metadata = fs::metadata(path).ok();
        if metadata.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(failed("write", path)(ErrorKind::IsADirectory.into()));
        }
        if metadata.as_ref().is_some_and(|metadata| !metadata.is_file()) {
            let file = self.stored("open", path, || File::options().write(true).open(path))?;
            return Ok(Replacement { file, path: path.to_owned(), state: ReplacementState::InPlace });
        }
        // A link is followed, so that the file it names is replaced and not the link.
        let path = if metadata.is_some() {
            fs::canonicalize(path).map_err(failed("write", path))?
        } else {
            path.to_owned()
        };
        let beside = with_suffix(&path, ".new");
        let create = || {
            let open = || File::options().read(true).write(true).create_new(true).open(&beside);
            self.stored("write", &beside, open)
        };
        let file = match create() {
            Err(error) if error.reason.kind() == ErrorKind::AlreadyExists => {
                self.remove_abandoned(&beside)?;
                create()?
            }
            result => result?,
        };
        // Without locks on a file system two processes that write the same file are not told apart.
        let _ = file.file.try_lock();
        if let Some(metadata) = metadata {
            // Where the permissions cannot be kept, those of a new file hold.
            let _ = file.file.set_permissions(metadata.permissions());
        }
        Ok(Replacement { file, path, state: ReplacementState::Beside(beside) })
    }

    /// Removes the file that a crashed program left beside the one that it was writing.
    fn remove_abandoned(&self, beside: &Path) -> Done<()> {
        let file = File::options().read(true).open(beside).map_err(failed("open", beside))?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            let busy = io::Error::new(ErrorKind::ResourceBusy, "another process is writing it");
            return Err(failed("write", beside)(busy));
        }
        self.remove(beside)
    }
}

/// An open file that is written.
#[derive(Debug)]
pub struct StoredFile {
    files: Files,
    file: File,
    path: PathBuf,
}

impl StoredFile {
    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the whole file, up to a limit.
    ///
    /// # Errors
    /// If it cannot be read, or is larger than the limit.
    pub fn read_all(&mut self, limit: Limit) -> Result<Vec<u8>, ReadError> {
        read_from(&mut self.file, &self.path, limit)
    }

    /// Writes all bytes. After an error some of them may have been written.
    ///
    /// # Errors
    /// If the system cannot write them all.
    pub fn write(&mut self, bytes: &[u8]) -> Done<()> {
        let Self { files, file, path } = self;
        match files.fault("write", path) {
            None => file.write_all(bytes).map_err(failed("write", path)),
            Some(kind) => {
                file.write_all(&bytes[..bytes.len() / 2]).map_err(failed("write", path))?;
                if kind == FaultKind::Aborts {
                    std::process::abort();
                }
                Err(failed("write", path)(ErrorKind::StorageFull.into()))
            }
        }
    }

    /// Cuts the file to a length and goes on writing there.
    ///
    /// # Errors
    /// If the system cannot.
    pub fn cut(&mut self, length: u64) -> Done<()> {
        let Self { files, file, path } = self;
        files.attempt("cut", path, || {
            file.set_len(length)?;
            file.seek(SeekFrom::End(0)).map(drop)
        })
    }

    /// Returns the length of the file, after which it goes on writing.
    ///
    /// # Errors
    /// If the system cannot.
    pub fn end(&mut self) -> Done<u64> {
        self.file.seek(SeekFrom::End(0)).map_err(failed("read", &self.path))
    }

    /// Synchronises the file with the disk.
    ///
    /// # Errors
    /// If the system cannot.
    pub fn sync(&self) -> Done<()> {
        self.files.attempt("synchronise", &self.path, || self.file.sync_data())
    }
}

impl Write for StoredFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Self::write(self, bytes).map_err(|error| error.reason)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that is being written beside the one that it replaces. It is removed unless it is committed.
#[derive(Debug)]
pub struct Replacement {
    file: StoredFile,
    path: PathBuf,
    state: ReplacementState,
}

#[derive(Debug)]
enum ReplacementState {
    /// The file is a device or a pipe.
    InPlace,
    /// The new file has this path.
    Beside(PathBuf),
    Committed,
}

impl Replacement {
    /// Appends bytes.
    ///
    /// # Errors
    /// If the system cannot write them all.
    pub fn write(&mut self, bytes: &[u8]) -> Done<()> {
        self.file.write(bytes)
    }

    /// Returns the open file, for writers that need one.
    pub fn file(&mut self) -> &mut StoredFile {
        &mut self.file
    }

    /// Synchronises the new file with the disk and gives it the name of the one that it replaces.
    ///
    /// # Errors
    /// If the system cannot; the older file stays as it was.
    pub fn commit(mut self) -> Done<()> {
        if let ReplacementState::Beside(beside) = &self.state {
            self.file.files.attempt("synchronise", beside, || self.file.file.sync_all())?;
            self.file.files.rename(beside, &self.path)?;
            self.state = ReplacementState::Committed;
        }
        Ok(())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let ReplacementState::Beside(beside) = &self.state {
            let _ = fs::remove_file(beside);
        }
    }
}

/// Why a file is not read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system refuses.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// The file is too large.
    #[error("{}: {error}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit.
        error: LimitError,
    },
}

impl ReadError {
    /// Returns the system's reason, if the system refuses.
    pub fn system(&self) -> Option<&io::Error> {
        match self {
            Self::Files(error) => Some(&error.reason),
            Self::TooLarge { .. } => None,
        }
    }
}

/// Reads a whole file, up to a limit. A device or pipe that does not end is refused when it exceeds the limit.
///
/// # Errors
/// If it cannot be read, is larger than the limit, or memory for it cannot be reserved.
pub fn read(path: &Path, limit: Limit) -> Result<Vec<u8>, ReadError> {
    let mut file = File::open(path).map_err(failed("read", path))?;
    read_from(&mut file, path, limit)
}

/// Reads a whole text file, up to a limit.
///
/// # Errors
/// Those of [`read`], and if it is not UTF-8.
pub fn read_text(path: &Path, limit: Limit) -> Result<String, ReadError> {
    let not_text = |_| failed("read", path)(io::Error::new(ErrorKind::InvalidData, "it is not UTF-8 text"));
    Ok(String::from_utf8(read(path, limit)?).map_err(not_text)?)
}

fn read_from(file: &mut File, path: &Path, limit: Limit) -> Result<Vec<u8>, ReadError> {
    let too_large = |value| ReadError::TooLarge { path: path.to_owned(), error: LimitError { limit, value } };
    let cannot = |error: io::Error| ReadError::from(failed("read", path)(error));
    // The length of a device is 0, and a file may grow meanwhile, so the length is a hint only.
    let length = file.metadata().map_err(cannot)?.len();
    limit.check(length).map_err(|error| too_large(error.value))?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(length as usize + 1).map_err(|_| cannot(ErrorKind::OutOfMemory.into()))?;
    // `read_to_end` reserves fallibly too.
    file.take(limit.max + 1).read_to_end(&mut bytes).map_err(cannot)?;
    limit.check(bytes.len()).map_err(|error| too_large(error.value))?;
    Ok(bytes)
}

/// Returns the path of a file beside another one, with a suffix to its name.
pub fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Limit = Limit { name: "test", max: 100, unit: "bytes", what: "a file", reason: "" };

    /// Whichever operation fails, the file has the older bytes or the new ones, and an error names it.
    #[test]
    fn a_file_is_replaced_wholly_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let (path, log) = (folder.path().join("file"), folder.path().join("log"));
        let mut failures = 0;
        for nth in 1.. {
            fs::write(&path, "older").unwrap();
            let result = Files::with_fault(FaultKind::Fails, nth, &log).replace(&path, b"newer bytes");
            let found = fs::read_to_string(&path).unwrap();
            assert!(!with_suffix(&path, ".new").exists());
            if !log.exists() {
                result.unwrap();
                break;
            }
            let failed = fs::read_to_string(&log).unwrap();
            fs::remove_file(&log).unwrap();
            match result {
                Err(error) => {
                    assert_eq!(found, "older", "{failed}");
                    assert!(error.to_string().contains("file"), "{error}");
                    failures += 1;
                }
                // Only the folder was not synchronised.
                Ok(()) => assert!(failed.starts_with("synchronise") && found == "newer bytes", "{failed}"),
            }
        }
        assert_eq!(failures, 4, "create, write, synchronise, rename");
    }

    #[test]
    fn what_a_crash_left_is_replaced_and_what_is_being_written_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(with_suffix(&path, ".new"), "left by a crash").unwrap();
        let files = Files::default();
        files.replace(&path, b"bytes").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"bytes");
        let _writing = files.replacement(&path).unwrap();
        let error = files.replace(&path, b"other").unwrap_err().to_string();
        assert!(error.contains("file.new") && error.contains("another process"), "{error}");
    }

    #[test]
    #[cfg(unix)]
    fn devices_stay_and_links_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let files = Files::default();
        files.replace(Path::new("/dev/null"), b"bytes").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "older").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        files.replace(&link, b"newer").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"newer");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let error = files.replace(folder.path(), b"").unwrap_err();
        assert_eq!(error.reason.kind(), ErrorKind::IsADirectory);
    }

    #[test]
    #[cfg(unix)]
    fn files_without_an_end_are_refused() {
        let error = read(Path::new("/dev/zero"), LIMIT).unwrap_err().to_string();
        assert_eq!(error, "/dev/zero: a file of 101 bytes exceeds the limit `test` of 100");
    }
}
