//! What the commands print: one JSON document or tables on standard output, everything else on standard error;
//! and how a command ends.
//!
//! Exit codes: 0 success, 1 failure, 2 bad usage or bad input. A command fails with an [`anyhow::Error`]; one that
//! holds a [`BadInput`] is the user's to correct.

mod json;

use std::fmt::{self, Display};
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use anyhow::Result;
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

/// What the user gave cannot be used; the text says why, in one line.
#[derive(Debug)]
pub(crate) struct BadInput(String);

impl Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadInput {}

/// A refusal of what the user gave, for this reason.
pub(crate) fn bad_input(reason: impl Display) -> anyhow::Error {
    BadInput(reason.to_string()).into()
}

/// Tells how a command ended.
pub(crate) fn exit(result: Result<()>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    note(format_args!("error: {error:#}"));
    if error.is::<BadInput>() { ExitCode::from(2) } else { ExitCode::FAILURE }
}

/// Prints text on standard output. A reader that has seen enough, such as `head`, is no failure.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Prints one JSON document, or the text when JSON is not asked for.
pub(crate) fn print_either(json: bool, value: &impl Serialize, text: impl FnOnce() -> String) -> Result<()> {
    if json { print(&json::text(value)?) } else { print(&text()) }
}

/// Prints a line on standard error; nobody listening there is fine.
pub(crate) fn note(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// A table without borders, a line below its header. The columns whose names begin with `>` are numbers.
pub(crate) fn table<R>(header: &[&str], rows: impl IntoIterator<Item = R>) -> String
where
    R: IntoIterator<Item = String>,
{
    const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));
    let mut table = Table::new();
    table.load_style(STYLE).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(header.iter().map(|name| name.trim_start_matches('>')));
    table.add_rows(rows.into_iter().map(|row| row.into_iter().collect::<Vec<String>>()));
    for (name, column) in header.iter().zip(table.column_iter_mut()) {
        column.set_padding((0, 1));
        if name.starts_with('>') {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt() + "\n"
}

/// Lines of a name and what is to be said of it, the latter aligned.
pub(crate) fn fields(lines: &[(&str, String)]) -> String {
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    lines.iter().fold(String::new(), |all, (name, text)| all + &format!("{name:width$}  {text}\n"))
}

/// Text broken into lines of up to 100 characters, between words.
pub(crate) fn wrap(text: &str) -> String {
    const WIDTH: usize = 100;
    let (mut lines, mut length) = (String::new(), 0);
    for word in text.split_whitespace() {
        let letters = word.chars().count();
        if length > 0 && length + 1 + letters > WIDTH {
            lines.push('\n');
            length = 0;
        } else if length > 0 {
            lines.push(' ');
            length += 1;
        }
        lines.push_str(word);
        length += letters;
    }
    lines
}

/// A number with a comma between thousands.
pub(crate) fn thousands(number: impl Into<u64>) -> String {
    let digits = number.into().to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count of things: `1 map`, `1,200 maps`.
pub(crate) fn count(number: usize, one: &str, more: &str) -> String {
    format!("{} {}", thousands(number as u64), if number == 1 { one } else { more })
}

/// Three digits that matter at least: `1,234`, `12.3`, `0.123`.
pub(crate) fn measure(value: f64) -> String {
    match value.abs() {
        large if large >= 1_000.0 => thousands(value.round() as u64),
        large if large >= 100.0 => format!("{value:.0}"),
        large if large >= 10.0 => format!("{value:.1}"),
        large if large >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// A progress bar on standard error; invisible when that is no terminal.
pub(crate) fn progress(length: Option<u64>, template: &str, message: String) -> ProgressBar {
    let bar = length.map_or_else(ProgressBar::no_length, ProgressBar::new);
    bar.set_style(ProgressStyle::with_template(template).expect("the template is correct"));
    bar.with_message(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(number as u64), text);
        }
        let measured = [0.012, 0.5, 1.0, 12.345, 123.45, 1_234.5].map(measure);
        assert_eq!(measured, ["0.012", "0.500", "1.00", "12.3", "123", "1,235"]);
        assert_eq!((count(1, "map", "maps"), count(0, "map", "maps")), ("1 map".into(), "0 maps".into()));
    }

    #[test]
    fn long_text_is_broken_between_words() {
        assert_eq!(wrap("a few words"), "a few words");
        let lines = wrap(&"word ".repeat(45));
        assert_eq!(lines.lines().map(str::len).collect::<Vec<_>>(), [99, 99, 24]);
    }

    #[test]
    fn tables_are_aligned() {
        let rows = [["astar", "12"], ["jps", "1,234"]].map(|row| row.map(str::to_owned));
        assert_eq!(
            table(&["search", ">µs"], rows),
            "search     µs\n──────────────\nastar      12\njps     1,234\n"
        );
        assert_eq!(fields(&[("a", "1".into()), ("long", "2".into())]), "a     1\nlong  2\n");
    }
}
