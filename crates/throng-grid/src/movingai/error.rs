//! Parse errors with line and column. A caller prefixes the file name to get `file:line:column: reason`.

use crate::{MAX_CELLS, MAX_SIDE};

/// A parse error: line, column and reason.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{line}:{column}: {problem}")]
pub struct ParseError {
    /// Line number, from 1.
    pub line: u32,
    /// Column in bytes, from 1; one past the end of the line if something is missing there.
    pub column: u32,
    /// What was found and what was expected.
    pub problem: ParseProblem,
}

impl ParseError {
    pub(crate) fn new(line: u32, column: u32, problem: ParseProblem) -> Self {
        Self { line, column, problem }
    }
}

/// What was found in a text and what was expected.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ParseProblem {
    /// The text is not what the format requires.
    #[error("found {found}, expected {expected}")]
    Unexpected {
        /// An excerpt of the text, quoted, or a description.
        found: String,
        /// What the format requires.
        expected: &'static str,
    },
    /// A header line occurs twice.
    #[error("found a second `{name}` line, expected one")]
    RepeatedHeader {
        /// The line's keyword.
        name: &'static str,
    },
    /// A header line is missing before `map`.
    #[error("found `map`, expected a `{name}` line before it")]
    MissingHeader {
        /// The line's keyword.
        name: &'static str,
    },
    /// A side of the map is zero or exceeds [`MAX_SIDE`].
    #[error("found a side of {found} cells, expected 1 to {MAX_SIDE}")]
    Side {
        /// The side's length.
        found: u32,
    },
    /// The map has more than [`MAX_CELLS`] cells.
    #[error("found a map of {width}x{height} cells, expected at most {MAX_CELLS} in all")]
    TooManyCells {
        /// Number of columns.
        width: u32,
        /// Number of rows.
        height: u32,
    },
    /// A row is shorter or longer than the map is wide.
    #[error("found a row of {found} cells, expected {width}")]
    RowLength {
        /// The row's length.
        found: usize,
        /// The map's width.
        width: u32,
    },
    /// The file has too few rows.
    #[error("found {found} rows, expected {height}")]
    MissingRows {
        /// Number of rows found.
        found: u32,
        /// The map's height.
        height: u32,
    },
    /// The file continues after the last row.
    #[error("found {found} after the last of {height} rows, expected the end of the file")]
    AfterLastRow {
        /// An excerpt of the text, quoted.
        found: String,
        /// The map's height.
        height: u32,
    },
    /// A scenario line does not have nine fields.
    #[error(
        "found {found} fields, expected 9: bucket, map, width, height, start x, start y, goal x, goal y, length"
    )]
    FieldCount {
        /// Number of fields found.
        found: usize,
    },
    /// A start or goal lies outside the map size on its scenario line.
    #[error("found the coordinate {found}, expected less than {side}, the map's size on this line")]
    OutsideMap {
        /// The coordinate.
        found: u32,
        /// The map's size along that axis.
        side: u32,
    },
    /// A letter occurs twice in a scene.
    #[error("found a second `{letter}`, expected only the one at {line}:{column}")]
    RepeatedLetter {
        /// The letter.
        letter: char,
        /// Line of the first occurrence.
        line: u32,
        /// Column of the first occurrence.
        column: u32,
    },
    /// A scene has a goal without its agent.
    #[error("found the goal `{goal}`, expected an agent `{}` too", goal.to_ascii_lowercase())]
    GoalWithoutAgent {
        /// The goal's letter.
        goal: char,
    },
}

impl ParseProblem {
    pub(crate) fn unexpected(found: &[u8], expected: &'static str) -> Self {
        Self::Unexpected { found: excerpt(found), expected }
    }
}

/// Returns a short printable quotation. Bounds the length of error messages about long lines.
pub(crate) fn excerpt(text: &[u8]) -> String {
    const MAX_BYTES: usize = 40;
    if text.is_empty() {
        return "nothing".to_owned();
    }
    let shown = String::from_utf8_lossy(&text[..text.len().min(MAX_BYTES)]);
    let more = if text.len() > MAX_BYTES { "…" } else { "" };
    format!("`{}{more}`", shown.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpts_are_short_and_printable() {
        assert_eq!(excerpt(b""), "nothing");
        assert_eq!(excerpt(b"a\r\0"), "`a\\r\\0`");
        assert_eq!(excerpt(&[0xff]), "`\u{fffd}`");
        assert_eq!(excerpt(&[b'x'; 1000]), format!("`{}…`", "x".repeat(40)));
    }
}
