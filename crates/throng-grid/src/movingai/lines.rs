//! Lines and fields of a text with their line and column numbers. A text that ends with a line feed has an empty last
//! line, so that the end of the text has a line and a column.

use super::{ParseError, ParseProblem};
use crate::MAX_SIDE;

/// One line, without its end (LF or CRLF).
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// Line number, from 1.
    pub(super) number: u32,
    pub(super) text: &'a [u8],
}

impl<'a> Line<'a> {
    pub(super) fn is_blank(self) -> bool {
        trim(self.text).is_empty()
    }

    /// Returns the fields with their columns. A line with a tab is separated by tabs, and fields may contain blanks;
    /// otherwise runs of blanks separate fields. Blanks after the last field are ignored.
    pub(super) fn fields(self) -> impl Iterator<Item = Field<'a>> {
        let indent = self.text.len() - trim_start(self.text).len();
        let text = &self.text[..indent + trim(self.text).len()];
        let tabs = text.contains(&b'\t');
        let mut offset = 0;
        text.split(move |&byte| byte == if tabs { b'\t' } else { b' ' })
            .map(move |field| {
                let indent = field.len() - trim_start(field).len();
                let column = offset + indent + 1;
                offset += field.len() + 1;
                Field { line: self.number, column: column as u32, text: trim(field) }
            })
            .filter(move |field| tabs || !field.text.is_empty())
    }

    /// Returns an error at a column of this line.
    pub(super) fn error(self, column: usize, problem: ParseProblem) -> ParseError {
        ParseError::new(self.number, column as u32, problem)
    }
}

/// A word or number inside a line.
#[derive(Clone, Copy, Default)]
pub(super) struct Field<'a> {
    line: u32,
    column: u32,
    pub(super) text: &'a [u8],
}

impl<'a> Field<'a> {
    /// Returns an error at this field.
    pub(super) fn error(self, problem: ParseProblem) -> ParseError {
        ParseError::new(self.line, self.column, problem)
    }

    /// Returns an error that quotes this field.
    pub(super) fn unexpected(self, expected: &'static str) -> ParseError {
        self.error(ParseProblem::unexpected(self.text, expected))
    }

    pub(super) fn str(self) -> Result<&'a str, ParseError> {
        str::from_utf8(self.text).map_err(|_| self.unexpected("UTF-8 text"))
    }

    /// Parses an integer that consists of digits only.
    pub(super) fn whole_number(self) -> Result<u32, ParseError> {
        const EXPECTED: &str = "a whole number from 0 to 4294967295";
        let digits = !self.text.is_empty() && self.text.iter().all(u8::is_ascii_digit);
        let number = if digits { self.str()?.parse().ok() } else { None };
        number.ok_or_else(|| self.unexpected(EXPECTED))
    }

    /// Parses a width or height within the grid limit.
    pub(super) fn side(self) -> Result<u32, ParseError> {
        let found = self.whole_number()?;
        let allowed = (1..=MAX_SIDE).contains(&found);
        if allowed { Ok(found) } else { Err(self.error(ParseProblem::Side { found })) }
    }

    /// Parses a finite decimal number that is not negative.
    pub(super) fn length(self) -> Result<f64, ParseError> {
        // The first character excludes signs, `nan` and `inf`, which the standard parser accepts.
        let number: Option<f64> =
            if self.text.first().is_some_and(u8::is_ascii_digit) { self.str()?.parse().ok() } else { None };
        number
            .filter(|number| number.is_finite())
            .ok_or_else(|| self.unexpected("a finite length, not negative"))
    }
}

/// Removes leading blanks. A stray carriage return is not a blank, so that it causes an error.
fn trim_start(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|&byte| matches!(byte, b' ' | b'\t')).count();
    &text[blanks..]
}

/// Removes leading and trailing blanks.
fn trim(text: &[u8]) -> &[u8] {
    let text = trim_start(text);
    let blanks = text.iter().rev().take_while(|&byte| matches!(byte, b' ' | b'\t')).count();
    &text[..text.len() - blanks]
}

/// An iterator over the lines of a text.
pub(super) struct Lines<'a> {
    /// The unread text, `None` after the last line.
    rest: Option<&'a [u8]>,
    /// The line that was read last.
    last: Line<'a>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { rest: Some(text), last: Line { number: 0, text: b"" } }
    }

    /// Returns an upper bound on the bytes of the unread lines.
    pub(super) fn bytes_left(&self) -> usize {
        self.rest.map_or(0, <[u8]>::len)
    }

    /// Returns an error just after the line that was read last.
    pub(super) fn error_at_end(&self, problem: ParseProblem) -> ParseError {
        self.last.error(self.last.text.len() + 1, problem)
    }

    /// Returns the next line that is not blank.
    pub(super) fn next_content(&mut self) -> Option<Line<'a>> {
        self.find(|line| !line.is_blank())
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let rest = self.rest?;
        let end = rest.iter().position(|&byte| byte == b'\n');
        let text = &rest[..end.unwrap_or(rest.len())];
        self.rest = end.map(|end| &rest[end + 1..]);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        self.last = Line { number: self.last.number + 1, text };
        Some(self.last)
    }
}
