//! `throng maps fetch`: downloads a MovingAI set into the user's data folder. Downloads are checked and resumable.
//!
//! The archives are stored in `.downloads` in the data folder ([`download`]). Every entry is checked while it is
//! unpacked into a folder beside them ([`unpack`]), and that folder is renamed at the end, so a set is present either
//! completely or not at all. An interrupted fetch continues where it stopped.

mod data;
mod download;
mod sets;
mod unpack;

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::Serialize;
use throng::grid::spec::SpecError;

pub(crate) use data::data_folder;
use download::Download;
pub(crate) use sets::{BASE, names, sets};

/// The result of a fetch.
#[derive(Debug, Serialize)]
pub(crate) struct FetchReport {
    /// Name of the set.
    pub(crate) set: String,
    /// Folder of the set.
    pub(crate) folder: PathBuf,
    /// Whether the set existed already, so that nothing was downloaded.
    pub(crate) present: bool,
    /// Number of maps in the set.
    pub(crate) maps: usize,
    /// Number of scenario files in the set.
    pub(crate) scenarios: usize,
}

/// Fetches a set, one of [`names`]. `base` is the address of the sets: [`BASE`] or a mirror. An existing set is replaced
/// only if `force` is set.
pub(crate) fn fetch(set: &str, base: &str, force: bool) -> Result<FetchReport> {
    let set = sets::find(set).ok_or_else(|| SpecError::unknown("map set", set, names()))?;
    let data = data_folder()?;
    let folder = data.join(set.name);
    if !force && folder.exists() {
        let found = FetchReport::new(set.name, &folder, true)?;
        if found.maps > 0 {
            return Ok(found);
        }
        if fs::read_dir(&folder)?.next().is_some() {
            bail!("{} exists but contains no maps; --force replaces it", folder.display());
        }
    }

    let downloads = data.join(".downloads");
    let beside = |kind: &str| downloads.join(format!("{}.{kind}", set.name));
    fs::create_dir_all(&downloads).with_context(|| format!("cannot create {}", downloads.display()))?;
    let _lock = lock(&beside("lock"), set.name)?;
    let mut archives = Vec::new();
    for name in set.archives() {
        let url = format!("{}/{}/{name}", base.trim_end_matches('/'), set.folder);
        archives.push(download::download(&url, &downloads.join(name))?);
    }
    let staging = beside("unpacking");
    if let Err(error) = unpack_all(&archives, &staging, set.scenarios) {
        remove_folder(&staging)?;
        return Err(error);
    }
    put_in_place(&staging, &folder, &beside("old"))?;

    archives.iter().for_each(Download::remove);
    let _ = fs::remove_file(beside("lock"));
    // The folder is not empty if the download of another set is incomplete.
    let _ = fs::remove_dir(&downloads);
    FetchReport::new(set.name, &folder, false)
}

impl FetchReport {
    /// Counts the files in the set's folder.
    fn new(set: &str, folder: &Path, present: bool) -> Result<Self> {
        let (maps, scenarios) = (count(folder, "map")?, count(folder, "scen")?);
        Ok(Self { set: set.to_owned(), folder: folder.to_owned(), present, maps, scenarios })
    }
}

/// Takes a lock that keeps other processes from fetching the same set while the file is open.
fn lock(path: &Path, set: &str) -> Result<File> {
    let file = File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => bail!("another process is fetching the set {set}"),
        // Some network file systems do not support locks. Fetching without a lock is better than failing there.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// Unpacks all archives of a set into the new folder `staging`. A damaged archive is removed, so that the next attempt
/// downloads it again.
fn unpack_all(archives: &[Download], staging: &Path, scenarios: &str) -> Result<()> {
    remove_folder(staging)?;
    fs::create_dir(staging).with_context(|| format!("cannot create {}", staging.display()))?;
    for archive in archives {
        if let Err(error) = unpack::unpack(&archive.path, staging, scenarios) {
            archive.remove();
            return Err(error.context(format!("the archive from {} was refused", archive.url)));
        }
    }
    if count(staging, "map")? == 0 {
        archives.iter().for_each(Download::remove);
        bail!("the archives contain no maps");
    }
    Ok(())
}

/// Renames `staging` to `folder`. An existing folder is moved to `old` first and removed at the end.
fn put_in_place(staging: &Path, folder: &Path, old: &Path) -> Result<()> {
    remove_folder(old)?;
    let replaced = folder.exists();
    if replaced {
        fs::rename(folder, old).with_context(|| format!("cannot move {} away", folder.display()))?;
    }
    if let Err(error) = fs::rename(staging, folder) {
        if replaced {
            let _ = fs::rename(old, folder);
        }
        return Err(error).with_context(|| format!("cannot create {}", folder.display()));
    }
    remove_folder(old)
}

/// Removes a folder and its contents, if it exists.
fn remove_folder(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Counts the files with this extension in a folder and its subfolders.
fn count(folder: &Path, extension: &str) -> Result<usize> {
    let mut found = 0;
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            found += count(&path, extension)?;
        } else if path.extension().is_some_and(|found| found == extension) {
            found += 1;
        }
    }
    Ok(found)
}
