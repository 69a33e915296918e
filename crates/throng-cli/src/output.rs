//! Output and exit codes. A command prints one JSON document or tables on standard output, everything else on standard
//! error.
//!
//! Exit codes: 0 success, 1 failure, 2 bad usage or bad input. A command fails with an [`anyhow::Error`]; an error that
//! contains a [`BadInput`] is one that the user can correct.

mod json;

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use anyhow::Result;
use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
pub(crate) use throng_lab::format::thousands;

use crate::interrupt;

/// Input that cannot be used. The text gives the reason in one line.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct BadInput(String);

/// Returns the error for bad input with this reason.
pub(crate) fn bad_input(reason: impl Display) -> anyhow::Error {
    BadInput(reason.to_string()).into()
}

/// A command that Ctrl-C has ended after it had printed what it had done.
#[derive(Debug, thiserror::Error)]
#[error("stopped by Ctrl-C")]
pub(crate) struct Interrupted;

/// Prints the error of a failed command and returns the exit code.
pub(crate) fn exit(result: Result<()>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    note(format_args!("error: {error:#}"));
    if error.is::<Interrupted>() {
        ExitCode::from(interrupt::EXIT_CODE)
    } else if error.is::<BadInput>() {
        ExitCode::from(2)
    } else {
        ExitCode::FAILURE
    }
}

/// Keeps the messages of panics in the decoder of tables from the terminal. They come from damaged files, and the command
/// reports an error that names the file.
pub(crate) fn hide_decoder_panics() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().name() != Some(throng_lab::store::DECODER_THREAD) {
            usual(info);
        }
    }));
}

/// Escapes control characters except line feeds and tabs. File names may contain some that a terminal would obey.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let is_harmless = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    if text.chars().all(is_harmless) {
        return text.into();
    }
    let escaped = |c: char| if is_harmless(c) { c.to_string() } else { c.escape_default().to_string() };
    text.chars().map(escaped).collect()
}

/// Prints text on standard output. A closed pipe, as with `head`, is no failure.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(printable(text).as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Prints the value as one JSON document if `json` is set, and the text otherwise.
pub(crate) fn print_either(json: bool, value: &impl Serialize, text: impl FnOnce() -> String) -> Result<()> {
    if json { print(&json::text(value)?) } else { print(&text()) }
}

/// Prints a line on standard error and ignores failures to write there.
pub(crate) fn note(line: impl Display) {
    let _ = writeln!(io::stderr(), "{}", printable(&line.to_string()));
}

/// Formats a table without borders and with a line below its header. A column whose name begins with `>` is aligned to
/// the right.
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

/// Formats one line per field: its name and its value, with the values aligned.
pub(crate) fn fields(lines: &[(&str, String)]) -> String {
    let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    lines.iter().fold(String::new(), |all, (name, text)| all + &format!("{name:width$}  {text}\n"))
}

/// Breaks text between words into lines of up to 100 characters.
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

/// Formats a count with its unit: `1 map`, `1,200 maps`.
pub(crate) fn count(number: usize, singular: &str, plural: &str) -> String {
    format!("{} {}", thousands(number as u64), if number == 1 { singular } else { plural })
}

/// Formats a measured value with at least three significant digits: `1,234`, `12.3`, `0.123`.
pub(crate) fn measure(value: f64) -> String {
    match value.abs() {
        large if large >= 1_000.0 => thousands(value.round() as u64),
        large if large >= 100.0 => format!("{value:.0}"),
        large if large >= 10.0 => format!("{value:.1}"),
        large if large >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// Shows a progress bar on standard error if that is a terminal.
pub(crate) fn progress(length: Option<u64>, template: &str, message: String) -> ProgressBar {
    let bar = length.map_or_else(ProgressBar::no_length, ProgressBar::new);
    bar.set_style(ProgressStyle::with_template(template).expect("the template is correct"));
    let is_plain = !message.contains(char::is_control);
    bar.with_message(if is_plain { message } else { printable(&message).into_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_separators_and_units() {
        let measured = [0.012, 0.5, 1.0, 12.345, 123.45, 1_234.5].map(measure);
        assert_eq!(measured, ["0.012", "0.500", "1.00", "12.3", "123", "1,235"]);
        assert_eq!((count(1, "map", "maps"), count(0, "map", "maps")), ("1 map".into(), "0 maps".into()));
    }

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(printable("a\tb\nü×"), "a\tb\nü×");
        assert_eq!(printable("\u{1b}[31mred\r\u{9b}"), "\\u{1b}[31mred\\r\\u{9b}");
    }

    #[test]
    fn text_wraps_between_words() {
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
