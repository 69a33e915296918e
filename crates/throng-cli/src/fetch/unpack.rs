//! Unpacks an archive into a folder of checked files.
//!
//! Downloads are not trusted: an archive is refused for names that leave the folder, links, oversized files, wrong
//! checksums and unreadable maps. Folders inside the archive are dropped, because only some sets have them. Only maps
//! and scenario files are unpacked.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail, ensure};
use throng::grid::movingai::{read_map, read_scenario};
use throng_lab::files::Files;
use throng_lab::limits::{ARCHIVE_ENTRIES, ARCHIVE_ENTRY, ARCHIVE_TOTAL};
use zip::ZipArchive;

use crate::output::progress;

/// Progress bar while unpacking.
const TEMPLATE: &str = "{msg} [{bar:30}] {pos}/{len} files {eta}";

/// Unpacks the maps into `folder` and the scenario files into its subfolder `scenarios`, and checks each file.
pub(super) fn unpack(files: &Files, archive: &Path, folder: &Path, scenarios: &str) -> Result<()> {
    let file = File::open(archive).with_context(|| format!("cannot open {}", archive.display()))?;
    let mut entries = ZipArchive::new(BufReader::new(file)).context("not a zip archive")?;
    ARCHIVE_ENTRIES.check(entries.len())?;
    let scenarios = folder.join(scenarios);
    files.create_folder(&scenarios)?;

    let bar = progress(Some(entries.len() as u64), TEMPLATE, "checking".to_owned());
    let mut total = 0;
    for index in 0..entries.len() {
        bar.inc(1);
        let mut entry = entries.by_index(index).with_context(|| format!("entry {index} is damaged"))?;
        let name = entry.name().with_context(|| format!("entry {index} has no readable name"))?.into_owned();
        ensure!(is_inside(&name), "the entry {name:?} would be written outside the folder");
        ensure!(!entry.is_symlink(), "the entry {name:?} is a link");
        let Some((file_name, is_map)) = wanted(&name) else { continue };

        let mut bytes = Vec::new();
        // The size stated in the archive is not trusted. Reading to the end verifies the checksum.
        let read = entry.by_ref().take(ARCHIVE_ENTRY.max + 1).read_to_end(&mut bytes);
        read.with_context(|| format!("the entry {name:?} is damaged"))?;
        ARCHIVE_ENTRY.check(bytes.len()).with_context(|| format!("the entry {name:?} is refused"))?;
        total += bytes.len() as u64;
        ARCHIVE_TOTAL.check(total)?;
        // A file that the commands cannot read is refused, with the position of the error.
        let checked = if is_map { read_map(&bytes).map(drop) } else { read_scenario(&bytes).map(drop) };
        let checked = checked.map_err(|error| anyhow!("{file_name}:{error}"));
        checked.with_context(|| format!("the entry {name:?} is refused"))?;

        let path = if is_map { folder.join(file_name) } else { scenarios.join(file_name) };
        let mut file = match files.create_new(&path) {
            Err(error) if error.reason.kind() == std::io::ErrorKind::AlreadyExists => {
                bail!("two entries have the name {file_name:?}")
            }
            file => file?,
        };
        file.write(&bytes)?;
        file.sync()?;
    }
    bar.finish_and_clear();
    Ok(())
}

/// Returns true if the path stays inside the folder it is unpacked into, on every platform.
fn is_inside(name: &str) -> bool {
    !name.starts_with(['/', '\\'])
        && !name.contains([':', '\0'])
        && name.split(['/', '\\']).all(|part| part != "..")
}

/// Returns the file name of a map or scenario file and whether it is a map; `None` for other files.
fn wanted(name: &str) -> Option<(&str, bool)> {
    let file_name = name.rsplit(['/', '\\']).next()?;
    // Archives made on macOS contain a metadata file `__MACOSX/._NAME` for each file.
    if file_name.starts_with('.') || name.starts_with("__MACOSX") {
        return None;
    }
    match file_name.rsplit_once('.')?.1 {
        "map" => Some((file_name, true)),
        "scen" => Some((file_name, false)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_leave_the_folder_are_detected() {
        for name in ["a.map", "maps/a.map", "a..b.map", "...map"] {
            assert!(is_inside(name), "{name}");
        }
        for name in ["../a.map", "maps/../../a.map", "/a.map", "\\a.map", "..\\a.map", "C:\\a.map", "C:a.map"]
        {
            assert!(!is_inside(name), "{name}");
        }
    }

    #[test]
    fn only_maps_and_scenario_files_are_wanted() {
        assert_eq!(wanted("dao/arena.map"), Some(("arena.map", true)));
        assert_eq!(wanted("arena.map.scen"), Some(("arena.map.scen", false)));
        for name in ["dao/", "readme.txt", "__MACOSX/arena.map", "x/._arena.map", "map"] {
            assert_eq!(wanted(name), None, "{name}");
        }
    }
}
