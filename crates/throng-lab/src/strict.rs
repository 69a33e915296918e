//! TOML files that are read strictly: whatever is unknown or missing is refused with its place, and a misspelt key with
//! the nearest known one.

use serde::de::DeserializeOwned;
use throng::searches::spec::nearest;

/// Why a file is refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{file}:{line}:{column}: {reason}")]
pub struct FileError {
    /// Which file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// Why.
    pub reason: String,
}

/// Reads a file; `file` is its name in refusals.
pub(crate) fn read<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, FileError> {
    toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        at(file, text, start, with_hint(error.message()))
    })
}

/// A refusal at a byte of the text.
pub(crate) fn at(file: &str, text: &str, start: usize, reason: String) -> FileError {
    let before = text.get(..start).unwrap_or(text);
    let line = 1 + before.matches('\n').count();
    let column = 1 + before.rsplit('\n').next().map_or(0, |start| start.chars().count());
    FileError { file: file.to_owned(), line, column, reason }
}

/// The parser names what it expected instead of an unknown word: the nearest of these is the hint.
fn with_hint(message: &str) -> String {
    let unknown =
        ["unknown field `", "unknown variant `"].into_iter().find_map(|start| message.strip_prefix(start));
    let Some((name, rest)) = unknown.and_then(|rest| rest.split_once('`')) else { return message.to_owned() };
    let known = rest.split('`').skip(1).step_by(2);
    let hint = nearest(name, known).map_or_else(String::new, |known| format!(": did you mean `{known}`?"));
    let what = if message.starts_with("unknown field") { "key" } else { "kind" };
    format!("there is no {what} `{name}`{hint}")
}
