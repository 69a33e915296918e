//! Errors of the engine as Python exceptions.

use std::fmt::Display;
use std::path::Path;

use pyo3::exceptions::PyValueError;
use pyo3::{PyErr, PyResult, create_exception};
use throng_lab::files::Files;

create_exception!(
    throng,
    Refused,
    PyValueError,
    "The world refuses an order: the agent does not exist or was removed, or the position is outside the map, blocked or \
     occupied. Nothing has changed."
);

/// Returns a `ValueError` with the text of an error.
pub(crate) fn bad_value(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Writes a file and replaces an existing one, completely or not at all. An error is an `OSError` that names the file.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> PyResult<()> {
    let replaced = Files::default().replace(path, bytes);
    Ok(replaced.map_err(|error| std::io::Error::new(error.reason.kind(), error.to_string()))?)
}

/// Returns a `Refused` with the text of an error of a world.
pub(crate) fn refused(error: throng::WorldError) -> PyErr {
    Refused::new_err(error.to_string())
}
