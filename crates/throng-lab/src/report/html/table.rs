//! The section of a table: our means, coloured by how they compare with the paper's numbers.

use std::fmt::Write as _;

use super::super::ExperimentReport;
use super::super::figures::with_interval;
use super::super::runs::SELECTORS;
use super::super::svg::{each, escape};
use super::super::table::{ReportTable, TableCell, TableHeading};
use crate::paper::OVERALL;

/// Returns the section of a table with our means and the paper's numbers.
pub(super) fn section(table: &ReportTable, experiment: &ExperimentReport) -> String {
    let heading = |scope: &str, heading: &TableHeading| {
        let dot = experiment.styles.slot(&heading.key).map_or_else(String::new, |_| {
            format!("<i class=\"dot {}\"></i>", experiment.styles.class(&heading.key))
        });
        let (key, label) = (escape(&heading.key), escape(&heading.label));
        format!("<th scope=\"{scope}\" title=\"{key}\">{dot}{label}</th>")
    };
    let columns = each(&table.columns, |column| heading("col", column));
    let rows = each(table.rows.iter().zip(&table.cells), |(row, cells)| {
        let cells = each(cells, |cell| self::cell(cell, &table.scales));
        let class = if row.key == OVERALL || SELECTORS.contains(&row.key.as_str()) {
            " class=\"overall\""
        } else {
            ""
        };
        format!("<tr{class}>{}{cells}</tr>\n", heading("row", row))
    });
    // Tables with many columns and scales have less space between them.
    let dense = if table.columns.len() * table.scales.len() > 12 { " dense" } else { "" };
    format!(
        "<section>\n<h2>{}</h2>\n<p class=\"note\">{}</p>\n<div class=\"scroll\"><table class=\"results{dense}\" \
         data-rows=\"{}\" data-columns=\"{}\">\n\
         <thead><tr><th class=\"corner\">{}</th>{columns}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n{}</section>\n",
        escape(&table.name),
        escape(&table.full_caption()),
        escape(&table.settings[0]),
        escape(&table.settings[1]),
        escape(&table.corner),
        if table.has_paper { KEY } else { "" }
    )
}

/// The legend of the colours.
const KEY: &str = "<p class=\"key\"><span class=\"better3\">far better</span> <span class=\"better2\">better</span> \
    <span class=\"better1\">a little better</span> <span>the paper’s number is in our interval</span> \
    <span class=\"worse1\">a little worse</span> <span class=\"worse2\">worse</span> \
    <span class=\"worse3\">far worse</span> <span class=\"plain\">than the paper’s number, which is printed small \
    below ours; <b>bold</b> is the best.</span></p>\n";

fn cell(cell: &TableCell, scales: &[String]) -> String {
    let class = cell
        .against_paper()
        .map_or_else(String::new, |(side, strength)| format!(" class=\"{side}{strength}\""));
    let mut body = String::new();
    for (scale, ours) in cell.ours.iter().enumerate() {
        let Some(ours) = ours else {
            body += if scale == 0 { "<span class=\"none\">–</span>" } else { "" };
            continue;
        };
        let number = cell.measure.number(ours.value) + cell.load_mark(scale);
        let number = if cell.best[scale] { format!("<b>{number}</b>") } else { number };
        let half = ours.interval.map_or_else(
            || "<small>n&#160;=&#160;".to_owned() + &ours.runs.to_string() + "</small>",
            |interval| format!("<small>±&#160;{}</small>", cell.measure.number(interval.half())),
        );
        let about = format!("{} ({} runs)", with_interval(cell.measure, *ours), ours.runs);
        let (class, name) = if scale == 0 {
            ("ours", String::new())
        } else {
            ("other", format!("{} ", escape(&scales[scale])))
        };
        let _ =
            write!(body, "<span class=\"{class}\" title=\"{}\">{name}{number} {half}</span>", escape(&about));
    }
    if let Some((number, spread)) = cell.printed() {
        let number = if cell.paper_best { format!("<b>{number}</b>") } else { number };
        let _ = write!(body, "<span class=\"paper\">{number}{spread}</span>");
    }
    format!("<td{class}>{body}</td>")
}
