//! Strict reading of TOML files. Unknown and missing keys are refused with line and column, and a misspelt key with a
//! suggestion.

use serde::de::DeserializeOwned;
use throng_search::spec::nearest;

/// The error in a file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{file}:{line}:{column}: {reason}")]
pub struct FileError {
    /// The file's name.
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The reason.
    pub reason: String,
}

/// Parses the text of a file. `file` is its name in errors.
pub(crate) fn read<T: DeserializeOwned>(file: &str, text: &str) -> Result<T, FileError> {
    toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start);
        at(file, text, start, with_hint(error.message()))
    })
}

/// Returns the error at a byte offset of the text.
pub(crate) fn at(file: &str, text: &str, start: usize, reason: String) -> FileError {
    let before = text.get(..start).unwrap_or(text);
    let line = 1 + before.matches('\n').count();
    let column = 1 + before.rsplit('\n').next().map_or(0, |start| start.chars().count());
    FileError { file: file.to_owned(), line, column, reason }
}

/// Replaces the list of known names in the message of the TOML parser by the nearest one.
fn with_hint(message: &str) -> String {
    let unknown =
        ["unknown field `", "unknown variant `"].into_iter().find_map(|start| message.strip_prefix(start));
    let Some((name, rest)) = unknown.and_then(|rest| rest.split_once('`')) else { return message.to_owned() };
    let known = rest.split('`').skip(1).step_by(2);
    let hint = nearest(name, known).map_or_else(String::new, |known| format!(": did you mean `{known}`?"));
    let what = if message.starts_with("unknown field") { "key" } else { "kind" };
    format!("there is no {what} `{name}`{hint}")
}
