//! The tables as Markdown, CSV and LaTeX.

use std::fmt::Write as _;

use super::Experiment;
use super::measure::{Measure, thousands};
use super::parts::{caption, commands, printed_digits};
use super::svg::each;
use super::table::{Cell, Table};
use crate::stats::Estimate;

/// Findings and tables as Markdown.
pub(super) fn markdown(experiment: &Experiment) -> String {
    let mut out = format!("# {}\n", experiment.title());
    let question = &experiment.about.settings.question;
    if !question.is_empty() {
        let _ = writeln!(out, "\n{question}");
    }
    if !experiment.about.paper.citation.is_empty() {
        let _ = writeln!(out, "\nBeside {}", experiment.about.paper.citation);
    }
    if !experiment.findings.is_empty() {
        out += "\n## In short\n\n";
        for finding in &experiment.findings {
            for outcome in &finding.outcomes {
                let scale =
                    if finding.outcomes.len() > 1 { format!(" ({})", outcome.scale) } else { String::new() };
                let _ = writeln!(
                    out,
                    "- {}: **{}**{scale}, {}",
                    finding.text,
                    outcome.verdict.words(),
                    outcome.decisive
                );
            }
        }
    }
    for table in &experiment.tables {
        let _ = writeln!(out, "\n## {}\n\n{}\n", table.name, caption(table));
        out += &markdown_table(table);
    }
    let _ = writeln!(out, "\n## How to repeat it\n\n```sh\n{}\n```", commands(experiment).join("\n"));
    out
}

fn markdown_table(table: &Table) -> String {
    let cell = |text: &str| text.replace('|', "\\|").replace('*', "\\*");
    let line = |first: &str, cells: Vec<String>| format!("| {} | {} |\n", cell(first), cells.join(" | "));
    let mut out = line(&table.corner, table.columns.iter().map(|column| cell(&column.label)).collect());
    let _ = writeln!(out, "|---|{}", "---:|".repeat(table.columns.len()));
    for (row, cells) in table.rows.iter().zip(&table.cells) {
        out += &line(&row.label, cells.iter().map(|cell| markdown_cell(cell, &table.scales)).collect());
    }
    out
}

fn markdown_cell(cell: &Cell, scales: &[String]) -> String {
    let mut parts = Vec::new();
    for (scale, ours) in cell.ours.iter().enumerate() {
        let Some(ours) = ours else { continue };
        let text = plus_minus(cell.measure, *ours, " ± ");
        let text = if cell.best[scale] { format!("**{text}**") } else { text };
        parts.push(if scale == 0 { text } else { format!("{} {text}", scales[scale]) });
    }
    if let Some((paper, spread)) = cell.paper {
        let spread = spread.map_or_else(String::new, |spread| format!(" ± {}", thousands(spread, 1)));
        parts.push(format!("(paper {}{spread})", thousands(paper, printed_digits(paper, cell.measure))));
    }
    if parts.is_empty() { "–".to_owned() } else { parts.join(" ") }
}

/// A mean and half of its interval.
fn plus_minus(measure: &Measure, estimate: Estimate, sign: &str) -> String {
    let half = estimate
        .interval
        .map_or_else(String::new, |interval| format!("{sign}{}", measure.number(interval.half())));
    measure.number(estimate.value) + &half
}

/// Every cell, a line each.
pub(super) fn csv(experiments: &[Experiment]) -> String {
    let mut out = "experiment,table,row,column,measure,unit,scale,mean,low,high,runs,paper\n".to_owned();
    for experiment in experiments {
        for table in &experiment.tables {
            for (row, cells) in table.rows.iter().zip(&table.cells) {
                for (column, cell) in table.columns.iter().zip(cells) {
                    let place =
                        [&experiment.name, &table.name, &row.key, &column.key].map(|text| quoted(text));
                    for (scale, ours) in table.scales.iter().zip(&cell.ours) {
                        out += &csv_line(&place, cell, scale, *ours);
                    }
                }
            }
        }
    }
    out
}

fn csv_line(place: &[String], cell: &Cell, scale: &str, ours: Option<Estimate>) -> String {
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.6}"));
    let interval = ours.and_then(|ours| ours.interval);
    format!(
        "{},{},{},{},{},{},{},{},{}\n",
        place.join(","),
        cell.measure.name,
        quoted(cell.measure.unit),
        quoted(scale),
        number(ours.map(|ours| ours.value)),
        number(interval.map(|interval| interval.low)),
        number(interval.map(|interval| interval.high)),
        ours.map_or(0, |ours| ours.runs),
        cell.paper.map_or_else(String::new, |(paper, _)| paper.to_string())
    )
}

/// A field of CSV, in quotes where it must be.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// The tables as LaTeX, for the package `booktabs`.
pub(super) fn latex(experiment: &Experiment) -> String {
    experiment.tables.iter().map(|table| latex_table(experiment, table)).collect::<Vec<_>>().join("\n")
}

fn latex_table(experiment: &Experiment, table: &Table) -> String {
    let headings = each(&table.columns, |column| format!(" & {}", latex_escape(&column.label)));
    let mut out = format!(
        "% {}, {}\n\\begin{{table}}\n\\centering\n\\caption{{{}}}\n\\begin{{tabular}}{{l{}}}\n\\toprule\n{headings} \
         \\\\\n\\midrule\n",
        experiment.name,
        table.name,
        latex_escape(&format!("{}: {}", table.name, caption(table))),
        "r".repeat(table.columns.len())
    );
    for (row, cells) in table.rows.iter().zip(&table.cells) {
        let cells = each(cells, |cell| format!(" & {}", latex_cell(cell)));
        let _ = writeln!(out, "{}{cells} \\\\", latex_escape(&row.label));
    }
    out + "\\bottomrule\n\\end{tabular}\n\\end{table}\n"
}

/// Ours at each scale, then the paper's in brackets.
fn latex_cell(cell: &Cell) -> String {
    let mut parts = Vec::new();
    for (scale, ours) in cell.ours.iter().enumerate() {
        let Some(ours) = ours else { continue };
        let text =
            format!("${}$", plus_minus(cell.measure, *ours, " \\pm ").replace('−', "-").replace(',', "{,}"));
        parts.push(if cell.best[scale] { format!("\\boldmath{text}\\unboldmath") } else { text });
    }
    let ours = if parts.is_empty() { "--".to_owned() } else { parts.join(" / ") };
    match cell.paper {
        Some((paper, _)) => {
            format!("{ours} ({})", thousands(paper, printed_digits(paper, cell.measure)).replace('−', "-"))
        }
        None => ours,
    }
}

/// Text for LaTeX: every character with a meaning of its own is escaped.
fn latex_escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(c);
            }
            '\\' => out += "\\textbackslash{}",
            '~' => out += "\\textasciitilde{}",
            '^' => out += "\\textasciicircum{}",
            '<' | '>' => {
                let _ = write!(out, "${c}$");
            }
            '*' => out += "$^{*}$",
            '×' => out += "$\\times$",
            '±' => out += "$\\pm$",
            '−' => out += "$-$",
            'µ' => out += "$\\mu$",
            '\u{a0}' => out.push('~'),
            '’' => out.push('\''),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out_of_latex_or_csv() {
        assert_eq!(
            latex_escape("50 % of a_b & {c} \\ A*"),
            "50 \\% of a\\_b \\& \\{c\\} \\textbackslash{} A$^{*}$"
        );
        assert_eq!(quoted("bmaa:push=on,flow=on"), "\"bmaa:push=on,flow=on\"");
        assert_eq!(quoted("say \"x\""), "\"say \"\"x\"\"\"");
        assert_eq!(quoted("plain"), "plain");
    }
}
