//! `throng maps fetch`: downloads a MovingAI set into the user's data folder. Downloads are checked and resumable.
//!
//! The archives are stored in `.downloads` in the data folder ([`download`]). Every entry is checked while it is
//! unpacked into a folder beside them ([`unpack`]), and that folder is renamed at the end, so a set is present either
//! completely or not at all. An interrupted fetch continues where it stopped. The lock file of a set stays in
//! `.downloads`: a process that waited for the lock of a removed file would lock a file that no other process can find.

mod data;
mod download;
mod sets;
mod unpack;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::Serialize;
use throng::grid::spec::SpecError;
use throng_lab::files::{Files, FilesError};

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

/// Where sets come from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'a> {
    /// The address of the sets: [`BASE`] or a mirror.
    pub(crate) base: &'a str,
    /// The longest time of a fetch.
    pub(crate) time: Duration,
}

/// Fetches a set, one of [`names`]. An existing set is replaced only if `force` is set.
pub(crate) fn fetch(files: &Files, set: &str, source: Source<'_>, force: bool) -> Result<FetchReport> {
    let deadline = Instant::now() + source.time;
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
    files.create_folder(&downloads)?;
    let Some(_lock) = files.lock(&beside("lock"))? else {
        bail!("another process is fetching the set {}", set.name);
    };
    restore(files, &folder, &beside("old"))?;
    let mut archives = Vec::new();
    for name in set.archives() {
        let url = format!("{}/{}/{name}", source.base.trim_end_matches('/'), set.folder);
        archives.push(download::download(files, &url, &downloads.join(name), deadline)?);
    }
    let staging = beside("unpacking");
    if let Err(error) = unpack_all(files, &archives, &staging, set.scenarios) {
        files.remove_folder(&staging)?;
        return Err(error);
    }
    put_in_place(files, &staging, &folder, &beside("old"))?;

    for archive in &archives {
        archive.remove(files);
    }
    FetchReport::new(set.name, &folder, false)
}

impl FetchReport {
    /// Counts the files in the set's folder.
    fn new(set: &str, folder: &Path, present: bool) -> Result<Self> {
        let (maps, scenarios) = (count(folder, "map")?, count(folder, "scen")?);
        Ok(Self { set: set.to_owned(), folder: folder.to_owned(), present, maps, scenarios })
    }
}

/// Unpacks all archives of a set into the new folder `staging`. A damaged archive is removed, so that the next attempt
/// downloads it again.
fn unpack_all(files: &Files, archives: &[Download], staging: &Path, scenarios: &str) -> Result<()> {
    files.remove_folder(staging)?;
    files.create_folder(staging)?;
    for archive in archives {
        if let Err(error) = unpack::unpack(files, &archive.path, staging, scenarios) {
            if error.is::<FilesError>() {
                // The archive is not to blame.
                return Err(error);
            }
            archive.remove(files);
            return Err(error.context(format!("the archive from {} was refused", archive.url)));
        }
    }
    if count(staging, "map")? == 0 {
        for archive in archives {
            archive.remove(files);
        }
        bail!("the archives contain no maps");
    }
    Ok(())
}

/// Renames `staging` to `folder`. An existing folder is moved to `old` first and removed at the end.
fn put_in_place(files: &Files, staging: &Path, folder: &Path, old: &Path) -> Result<()> {
    files.remove_folder(old)?;
    let replaced = folder.exists();
    if replaced {
        files.rename(folder, old)?;
    }
    if let Err(error) = files.rename(staging, folder) {
        if replaced {
            let _ = files.rename(old, folder);
        }
        return Err(error.into());
    }
    Ok(files.remove_folder(old)?)
}

/// Puts a set back that a program has moved away and not replaced because it was ended.
fn restore(files: &Files, folder: &Path, old: &Path) -> Result<()> {
    if old.exists() && !folder.exists() {
        files.rename(old, folder)?;
    }
    Ok(())
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
