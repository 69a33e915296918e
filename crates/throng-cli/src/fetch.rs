//! `throng maps fetch`: downloads a MovingAI set into the user's data folder, checked and resumable.
//!
//! The archives go to `.downloads` in the data folder ([`download`]), every entry is checked while it is unpacked
//! into a folder beside them ([`unpack`]), and that folder is renamed into place at the end: a set is either
//! there as a whole or not at all. A fetch that was interrupted goes on where it stopped.

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
pub(crate) use unpack::Check;

/// What to fetch, and where from and to.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    /// Name of a set, one of [`names`].
    pub(crate) set: &'a str,
    /// The address under which the sets lie, [`BASE`] unless a mirror is asked for.
    pub(crate) base: &'a str,
    /// Replace a set that is already there.
    pub(crate) force: bool,
    /// The folder that holds one folder a set.
    pub(crate) data: PathBuf,
}

/// What was done.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// Name of the set.
    pub(crate) set: String,
    /// Where it lies.
    pub(crate) folder: PathBuf,
    /// Whether it was there already, so that nothing was done.
    pub(crate) present: bool,
    /// Maps in the set.
    pub(crate) maps: usize,
    /// Scenario files in the set.
    pub(crate) scenarios: usize,
}

/// Fetches a set; `check` judges each map and scenario file before it is kept.
pub(crate) fn fetch(request: &Request<'_>, check: Check) -> Result<Report> {
    let set = sets::find(request.set).ok_or_else(|| SpecError::unknown("map set", request.set, names()))?;
    let folder = request.data.join(set.name);
    if !request.force && folder.exists() {
        let found = Report::new(set.name, &folder, true)?;
        if found.maps > 0 {
            return Ok(found);
        }
        if fs::read_dir(&folder)?.next().is_some() {
            bail!("{} exists and holds no maps; --force replaces it", folder.display());
        }
    }

    let downloads = request.data.join(".downloads");
    let beside = |kind: &str| downloads.join(format!("{}.{kind}", set.name));
    fs::create_dir_all(&downloads).with_context(|| format!("cannot create {}", downloads.display()))?;
    let _lock = lock(&beside("lock"), set.name)?;
    let mut archives = Vec::new();
    for name in set.archives {
        let url = format!("{}/{}/{name}", request.base.trim_end_matches('/'), set.folder);
        archives.push(download::download(&url, &downloads.join(name))?);
    }
    let staging = beside("unpacking");
    if let Err(error) = unpack_all(&archives, &staging, set.scenarios, check) {
        remove_folder(&staging)?;
        return Err(error);
    }
    put_in_place(&staging, &folder, &beside("old"))?;

    archives.iter().for_each(Download::remove);
    let _ = fs::remove_file(beside("lock"));
    // Stays when another set is half fetched.
    let _ = fs::remove_dir(&downloads);
    Report::new(set.name, &folder, false)
}

impl Report {
    /// Counts what is in the set's folder.
    fn new(set: &str, folder: &Path, present: bool) -> Result<Self> {
        let (maps, scenarios) = (count(folder, "map")?, count(folder, "scen")?);
        Ok(Self { set: set.to_owned(), folder: folder.to_owned(), present, maps, scenarios })
    }
}

/// Keeps other processes from fetching the same set, as long as the file is open.
fn lock(path: &Path, set: &str) -> Result<File> {
    let file = File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => bail!("the set {set} is being fetched by another process"),
        // Some network file systems know no locks; fetching there without one is better than not at all.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// Unpacks all archives of a set into the new folder `staging`. A bad archive is removed, so that the next try
/// fetches it anew.
fn unpack_all(archives: &[Download], staging: &Path, scenarios: &str, check: Check) -> Result<()> {
    remove_folder(staging)?;
    fs::create_dir(staging).with_context(|| format!("cannot create {}", staging.display()))?;
    for archive in archives {
        if let Err(error) = unpack::unpack(&archive.path, staging, scenarios, check) {
            archive.remove();
            return Err(error.context(format!("the archive from {} is not used", archive.url)));
        }
    }
    if count(staging, "map")? == 0 {
        archives.iter().for_each(Download::remove);
        bail!("the archives hold no maps");
    }
    Ok(())
}

/// Renames `staging` to `folder`, by way of `old` when there is one already.
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

/// Removes a folder with what is in it; none is fine too.
fn remove_folder(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Files with this extension in a folder and the folders below it.
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
