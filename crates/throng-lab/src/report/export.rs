//! The tables as Markdown, CSV and LaTeX.

use std::fmt::Write as _;

use super::ExperimentReport;
use super::measure::Measure;
use super::svg::each;
use super::table::{ReportTable, TableCell};
use crate::stats::Estimate;

/// Returns findings and tables as Markdown.
pub(super) fn markdown(experiment: &ExperimentReport) -> String {
    let mut out = format!("# {}\n", experiment.title());
    let question = &experiment.config.settings.question;
    if !question.is_empty() {
        let _ = writeln!(out, "\n{question}");
    }
    if !experiment.config.paper.citation.is_empty() {
        let _ = writeln!(out, "\nCompared with {}", experiment.config.paper.citation);
    }
    if !experiment.findings.is_empty() {
        out += "\n## Findings\n\n";
        for finding in &experiment.findings {
            for result in &finding.results {
                let scale =
                    if finding.results.len() > 1 { format!(" ({})", result.scale) } else { String::new() };
                let _ = writeln!(
                    out,
                    "- {}: **{}**{scale}, {}",
                    finding.text,
                    result.verdict.text(),
                    result.decisive
                );
            }
        }
    }
    for table in &experiment.tables {
        let _ = writeln!(out, "\n## {}\n\n{}\n", table.name, table.full_caption());
        out += &markdown_table(table);
    }
    let _ = writeln!(out, "\n## How to repeat it\n\n```sh\n{}\n```", experiment.commands().join("\n"));
    out
}

fn markdown_table(table: &ReportTable) -> String {
    let cell = |text: &str| text.replace('|', "\\|").replace('*', "\\*");
    let line = |first: &str, cells: Vec<String>| format!("| {} | {} |\n", cell(first), cells.join(" | "));
    let mut out = line(&table.corner, table.columns.iter().map(|column| cell(&column.label)).collect());
    let _ = writeln!(out, "|---|{}", "---:|".repeat(table.columns.len()));
    for (row, cells) in table.rows.iter().zip(&table.cells) {
        out += &line(&row.label, cells.iter().map(|cell| markdown_cell(cell, &table.scales)).collect());
    }
    out
}

fn markdown_cell(cell: &TableCell, scales: &[String]) -> String {
    let mut values = Vec::new();
    for (scale, ours) in cell.ours.iter().enumerate() {
        let Some(ours) = ours else { continue };
        let text = plus_minus(cell.measure, *ours, " ± ") + cell.load_mark(scale);
        let text = if cell.best[scale] { format!("**{text}**") } else { text };
        values.push(if scale == 0 { text } else { format!("{} {text}", scales[scale]) });
    }
    if let Some((number, spread)) = cell.printed() {
        values.push(format!("(paper {number}{spread})"));
    }
    if values.is_empty() { "–".to_owned() } else { values.join(" ") }
}

/// Formats a mean and half of its interval.
fn plus_minus(measure: &Measure, estimate: Estimate, sign: &str) -> String {
    let half = estimate
        .interval
        .map_or_else(String::new, |interval| format!("{sign}{}", measure.number(interval.half())));
    measure.number(estimate.value) + &half
}

/// Returns one CSV line per cell and scale.
pub(super) fn csv(experiments: &[ExperimentReport]) -> String {
    let mut out =
        "experiment,table,row,column,measure,unit,scale,mean,low,high,runs,loaded_runs,paper\n".to_owned();
    for experiment in experiments {
        for table in &experiment.tables {
            for (row, cells) in table.rows.iter().zip(&table.cells) {
                for (column, cell) in table.columns.iter().zip(cells) {
                    let place =
                        [&experiment.name, &table.name, &row.key, &column.key].map(|text| quoted(text));
                    for (index, scale) in table.scales.iter().enumerate() {
                        out += &csv_line(&place, cell, scale, index);
                    }
                }
            }
        }
    }
    out
}

fn csv_line(place: &[String], cell: &TableCell, scale: &str, index: usize) -> String {
    let ours = cell.ours[index];
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.6}"));
    let interval = ours.and_then(|ours| ours.interval);
    format!(
        "{},{},{},{},{},{},{},{},{},{}\n",
        place.join(","),
        cell.measure.name,
        quoted(cell.measure.unit),
        quoted(scale),
        number(ours.map(|ours| ours.value)),
        number(interval.map(|interval| interval.low)),
        number(interval.map(|interval| interval.high)),
        ours.map_or(0, |ours| ours.runs),
        cell.loaded[index],
        cell.paper.map_or_else(String::new, |(paper, _)| paper.to_string())
    )
}

/// Formats a CSV field, in quotes if necessary.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Returns the tables as LaTeX for the package `booktabs`.
pub(super) fn latex(experiment: &ExperimentReport) -> String {
    experiment.tables.iter().map(|table| latex_table(experiment, table)).collect::<Vec<_>>().join("\n")
}

fn latex_table(experiment: &ExperimentReport, table: &ReportTable) -> String {
    let headings = each(&table.columns, |column| format!(" & {}", latex_escape(&column.label)));
    let mut out = format!(
        "% {}, {}\n\\begin{{table}}\n\\centering\n\\caption{{{}}}\n\\begin{{tabular}}{{l{}}}\n\\toprule\n{headings} \
         \\\\\n\\midrule\n",
        experiment.name,
        table.name,
        latex_escape(&format!("{}: {}", table.name, table.full_caption())),
        "r".repeat(table.columns.len())
    );
    for (row, cells) in table.rows.iter().zip(&table.cells) {
        let cells = each(cells, |cell| format!(" & {}", latex_cell(cell)));
        let _ = writeln!(out, "{}{cells} \\\\", latex_escape(&row.label));
    }
    out + "\\bottomrule\n\\end{tabular}\n\\end{table}\n"
}

/// Formats our means at each scale, then the paper's number in parentheses.
fn latex_cell(cell: &TableCell) -> String {
    let mut values = Vec::new();
    for (scale, ours) in cell.ours.iter().enumerate() {
        let Some(ours) = ours else { continue };
        let number = plus_minus(cell.measure, *ours, " \\pm ").replace('−', "-").replace(',', "{,}");
        let text = format!("${number}${}", latex_escape(cell.load_mark(scale)));
        values.push(if cell.best[scale] { format!("\\boldmath{text}\\unboldmath") } else { text });
    }
    let ours = if values.is_empty() { "--".to_owned() } else { values.join(" / ") };
    match cell.printed() {
        Some((number, _)) => format!("{ours} ({})", number.replace('−', "-")),
        None => ours,
    }
}

/// Escapes text for LaTeX.
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
            '†' => out += "$^\\dagger$",
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
    fn latex_and_csv_are_escaped() {
        assert_eq!(
            latex_escape("50 % of a_b & {c} \\ A*"),
            "50 \\% of a\\_b \\& \\{c\\} \\textbackslash{} A$^{*}$"
        );
        assert_eq!(quoted("bmaa:push=on,flow=on"), "\"bmaa:push=on,flow=on\"");
        assert_eq!(quoted("say \"x\""), "\"say \"\"x\"\"\"");
        assert_eq!(quoted("plain"), "plain");
    }
}
