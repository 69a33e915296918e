//! The folder of the user's maps.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, Result};

/// Returns the folder with one subfolder per set: `THRONG_DATA` if set, otherwise the platform's data folder.
pub(crate) fn data_folder() -> Result<PathBuf> {
    folder_from(|name| std::env::var_os(name))
        .context("cannot determine the data folder; set THRONG_DATA to a folder")
}

/// Returns the folder that these environment variables define.
fn folder_from(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let path = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = path("THRONG_DATA") {
        return Some(folder);
    }
    let platform = if cfg!(windows) {
        path("APPDATA")
    } else if cfg!(target_os = "macos") {
        path("HOME").map(|home| home.join("Library").join("Application Support"))
    } else {
        // The XDG specification requires that a relative path is ignored.
        let home = || path("HOME").map(|home| home.join(".local").join("share"));
        path("XDG_DATA_HOME").filter(|folder| folder.is_absolute()).or_else(home)
    };
    platform.map(|folder| folder.join("throng").join("maps"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(variables: &[(&str, &str)]) -> Option<PathBuf> {
        folder_from(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
    }

    #[test]
    fn throng_data_comes_first() {
        assert_eq!(
            folder(&[("THRONG_DATA", "here"), ("HOME", "/h"), ("APPDATA", "/a")]),
            Some("here".into())
        );
    }

    #[test]
    fn without_any_variable_there_is_no_folder() {
        assert_eq!(folder(&[]), None);
        assert_eq!(folder(&[("THRONG_DATA", "")]), None);
    }

    #[cfg(all(unix, not(target_os = "macos")))]
    #[test]
    fn the_xdg_folder_comes_before_the_home_folder() {
        let home = ("HOME", "/h");
        assert_eq!(folder(&[home]), Some("/h/.local/share/throng/maps".into()));
        assert_eq!(folder(&[home, ("XDG_DATA_HOME", "/x")]), Some("/x/throng/maps".into()));
        assert_eq!(folder(&[home, ("XDG_DATA_HOME", "x")]), Some("/h/.local/share/throng/maps".into()));
    }
}
