//! Pictures of maps with paths, written to files.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use throng::Cell;
use throng::grid::render::{Picture, RenderError};

use crate::output::bad_input;

/// Draws a picture into a file.
pub(crate) fn write(picture: &Picture<'_>, file: &Path) -> Result<()> {
    if !file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        return Err(bad_input(format_args!(
            "pictures are PNG: name the file {}",
            file.with_extension("png").display()
        )));
    }
    let png = picture.png().map_err(|error| match error {
        RenderError::Scale { .. } => bad_input(error),
        error => error.into(),
    })?;
    write_file(file, &png)
}

/// Writes a file, whatever was there before.
pub(crate) fn write_file(file: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(file, bytes).with_context(|| format!("cannot write {}", file.display()))
}

/// Numbers of cells as cells.
pub(crate) fn cells(numbers: &[u32]) -> Vec<Cell> {
    numbers.iter().map(|&number| Cell(number)).collect()
}
