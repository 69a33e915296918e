//! Strict reading of TOML files. Unknown and missing keys are refused with line and column, and a misspelt key with a
//! suggestion.

use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use throng::grid::spec::SpecError;

/// A position in a file. Line and column are counted when they are shown, so that noting a position takes constant time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    source: Arc<Source>,
    /// The offset in bytes.
    start: usize,
}

/// The name and the text of a file.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct Source {
    pub(crate) file: String,
    pub(crate) text: String,
}

impl Source {
    pub(crate) fn new(file: &str, text: &str) -> Arc<Self> {
        Arc::new(Self { file: file.to_owned(), text: text.to_owned() })
    }

    /// Returns the position at a byte offset.
    pub(crate) fn place(self: &Arc<Self>, start: usize) -> Place {
        Place { source: Arc::clone(self), start }
    }
}

impl Place {
    /// Returns the error for what stands there.
    pub(crate) fn refuse(&self, reason: String) -> FileError {
        FileError { place: self.clone(), reason }
    }
}

/// Writes `FILE:LINE:COLUMN`, both counted from 1, the column in characters.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Source { file, text } = &*self.source;
        let before = text.get(..self.start).unwrap_or(text);
        let line = 1 + before.matches('\n').count();
        let column = 1 + before.rsplit('\n').next().map_or(0, |start| start.chars().count());
        write!(f, "{file}:{line}:{column}")
    }
}

/// The error in a file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct FileError {
    place: Place,
    reason: String,
}

/// Parses the text of a file. `file` is its name in errors.
pub(crate) fn read<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, FileError> {
    toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        Source::new(file, text).place(start).refuse(with_hint(error.message()))
    })
}

/// Replaces the list of known names in the message of the TOML parser by the nearest one.
fn with_hint(message: &str) -> String {
    let unknown =
        ["unknown field `", "unknown variant `"].into_iter().find_map(|start| message.strip_prefix(start));
    let Some((name, rest)) = unknown.and_then(|rest| rest.split_once('`')) else { return message.to_owned() };
    let what = if message.starts_with("unknown field") { "key" } else { "kind" };
    SpecError::unknown(what, name, rest.split('`').skip(1).step_by(2)).to_string()
}
