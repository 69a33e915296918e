//! The HTML page: one file with style and drawings included. It is well-formed XML too, so that tests can parse it.

mod facts;
mod findings;
mod table;

use std::fmt::Write as _;

use super::figures::{ChartFrame, boxes, curves, line_chart, swatch};
use super::measure::{Measure, setting_label};
use super::runs::RunSet;
use super::settings::CurveSettings;
use super::svg::{each, escape, unless_empty};
use super::{ExperimentReport, ReportConfig};
use crate::format::thousands;

const STYLE: &str = include_str!("style.css");

/// The measures whose distributions are drawn by default.
const DISTRIBUTIONS: [&str; 2] = ["travel_over_shortest", "tick_us_p99"];

/// The widths of drawings. The style sheet shows the one that fits.
const WIDTHS: [(f64, &str); 2] = [(860.0, "wide"), (400.0, "narrow")];

/// Returns the page.
pub(super) fn page(experiments: &[ExperimentReport]) -> String {
    let title = match experiments {
        [one] => one.title().to_owned(),
        _ => "Report of throng experiments".to_owned(),
    };
    let articles: String = experiments.iter().map(article).collect();
    let contents = if experiments.len() > 1 { contents(experiments) } else { String::new() };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{contents}{articles}{}</body>\n</html>\n",
        escape(&title),
        footer()
    )
}

fn contents(experiments: &[ExperimentReport]) -> String {
    let items = each(experiments, |experiment| {
        format!("<li><a href=\"#{}\">{}</a></li>", id(&experiment.name), escape(experiment.title()))
    });
    format!("<nav><p class=\"kicker\">throng laboratory</p><ol>{items}</ol></nav>\n")
}

fn article(experiment: &ExperimentReport) -> String {
    let sections = [
        header(experiment),
        findings::section(experiment),
        experiment.tables.iter().map(|table| table::section(table, experiment)).collect(),
        curve_section(experiment),
        distribution_section(experiment),
        facts::heat_maps(experiment),
        facts::provenance(experiment),
        facts::repeat(experiment),
    ];
    let (id, name, body) = (id(&experiment.name), escape(&experiment.name), sections.join(""));
    format!("<article id=\"{id}\" data-experiment=\"{name}\">\n{body}</article>\n")
}

fn header(experiment: &ExperimentReport) -> String {
    let facts = &experiment.provenance.scales;
    let runs: usize = facts.iter().map(|scale| scale.runs).sum();
    let maps = facts.iter().map(|scale| scale.maps).max().unwrap_or(0);
    let scales: Vec<&str> = facts.iter().map(|scale| scale.scale.as_str()).collect();
    let chips = [
        (thousands(runs as u64), plural(runs, "run", "runs")),
        (maps.to_string(), plural(maps, "map", "maps")),
        (experiment.planners.len().to_string(), plural(experiment.planners.len(), "planner", "planners")),
        (scales.join(" + "), plural(scales.len(), "scale", "scales")),
    ];
    let chips = each(&chips, |(number, word)| format!("<li><b>{}</b> {word}</li>", escape(number)));
    let ReportConfig { settings, paper } = &experiment.config;
    let question = unless_empty(&settings.question, |text| format!("<p class=\"lead\">{text}</p>\n"));
    let citation =
        unless_empty(&paper.citation, |text| format!("<p class=\"citation\">Compared with {text}</p>\n"));
    format!(
        "<header>\n<p class=\"kicker\">throng laboratory · {}</p>\n<h1>{}</h1>\n{question}\
         <ul class=\"chips\">{chips}</ul>\n{citation}</header>\n",
        escape(&experiment.name),
        escape(experiment.title())
    )
}

fn plural(count: usize, singular: &'static str, plural: &'static str) -> &'static str {
    if count == 1 { singular } else { plural }
}

/// Returns the legend of planners and marks.
fn legend(experiment: &ExperimentReport) -> String {
    let items = each(&experiment.planners, |planner| {
        let (title, label) = (escape(planner), escape(experiment.label(planner)));
        format!("<li title=\"{title}\">{} {label}</li>", swatch(planner, experiment))
    });
    format!("<ul class=\"legend\">{items}</ul>\n")
}

fn curve_section(experiment: &ExperimentReport) -> String {
    let Some(runs) = experiment.sets.first() else { return String::new() };
    let mut all = experiment.config.settings.curves.clone();
    if all.is_empty() && runs.values_of("agents").len() > 1 {
        all.push(CurveSettings {
            name: "Completion by number of agents".to_owned(),
            x: "agents".to_owned(),
            measure: "completion_rate".to_owned(),
            each: Some("map".to_owned()),
            over: None,
            label: None,
        });
    }
    all.iter().map(|settings| curve_figure(experiment, settings)).collect()
}

/// Returns one large chart over all runs and a small one per map, for each scale.
fn curve_figure(experiment: &ExperimentReport, settings: &CurveSettings) -> String {
    let measure = Measure::of(&settings.measure);
    let (mut body, x_label) = (String::new(), settings.x_label());
    for runs in &experiment.sets {
        let all = curves(runs, &experiment.planners, settings, |_| true);
        let is_empty =
            if settings.over.is_some() { all.is_empty() } else { runs.values_of(&settings.x).len() < 2 };
        if is_empty {
            continue;
        }
        body += &unless_empty(experiment.scale_name(runs), |scale| format!("<h3>{scale}</h3>\n"));
        for (width, class) in WIDTHS {
            let class = format!("chart {class}");
            let size = (width, if width > 500.0 { 400.0 } else { 300.0 });
            let title = &settings.name;
            let linear = settings.over.is_some();
            let frame =
                ChartFrame { title, x_label: &x_label, size, class: &class, axis_titles: true, linear };
            body += &line_chart(&all, measure, experiment, frame);
        }
        if let Some(column) = &settings.each {
            body += &small_charts(runs, settings, column, experiment);
        }
    }
    if body.is_empty() {
        return body;
    }
    format!(
        "<section class=\"figure\">\n<h2>{}</h2>\n<p class=\"note\">{} by {}; one line per planner, with the 95 % \
         interval of the mean as a band{}{}{}.</p>\n{}{body}</section>\n",
        escape(&settings.name),
        measure.title(),
        escape(&x_label),
        settings.each.as_ref().map_or_else(String::new, |each| {
            format!("; first over all runs, then by {}", escape(&setting_label(each)))
        }),
        if settings.over.is_some() { "; a line ends when half of its runs have ended" } else { "" },
        load_note(&experiment.sets, measure),
        legend(experiment)
    )
}

/// Returns a small chart per value of a column, or nothing if it has a single value.
fn small_charts(
    runs: &RunSet,
    settings: &CurveSettings,
    column: &str,
    experiment: &ExperimentReport,
) -> String {
    let (measure, x_label) = (Measure::of(&settings.measure), settings.x_label());
    let values = experiment.config.paper.ordered(runs.values_of(column));
    if values.len() < 2 {
        return String::new();
    }
    let chart = |value: &String| {
        let some = curves(runs, &experiment.planners, settings, |run| run.setting(column) == *value);
        let size = (250.0, 170.0);
        let (linear, class) = (settings.over.is_some(), "chart");
        let frame = ChartFrame { title: value, x_label: &x_label, size, class, axis_titles: false, linear };
        format!(
            "<figure><figcaption>{}</figcaption>{}</figure>\n",
            escape(&caption_of(column, experiment.label(value))),
            line_chart(&some, measure, experiment, frame)
        )
    };
    format!("<div class=\"multiples\">\n{}</div>\n", each(&values, chart))
}

/// Returns a note if some times of a measure were measured on a loaded machine, and nothing otherwise.
fn load_note(sets: &[RunSet], measure: &Measure) -> &'static str {
    let loaded = sets.iter().any(|runs| runs.loaded(measure, |_| true) > 0);
    if loaded { "; includes times measured on a loaded machine" } else { "" }
}

/// Returns the caption of a small chart: a name alone, or a number with the label of its setting.
fn caption_of(column: &str, value: &str) -> String {
    let names_itself = value.parse::<f64>().is_err() && !["true", "false"].contains(&value);
    if names_itself { value.to_owned() } else { format!("{}: {value}", setting_label(column)) }
}

fn distribution_section(experiment: &ExperimentReport) -> String {
    let chosen = &experiment.config.settings.distributions;
    let names: Vec<&str> =
        if chosen.is_empty() { DISTRIBUTIONS.to_vec() } else { chosen.iter().map(String::as_str).collect() };
    let mut body = String::new();
    for name in names {
        let measure = Measure::of(name);
        for runs in &experiment.sets {
            let drawn: Option<String> = WIDTHS
                .iter()
                .map(|(width, class)| boxes(runs, measure, experiment, *width, &format!("chart {class}")))
                .collect();
            let Some(drawn) = drawn else { continue };
            let scale = unless_empty(experiment.scale_name(runs), |scale| format!(" · {scale}"));
            let note = load_note(std::slice::from_ref(runs), measure);
            let _ = writeln!(body, "<h3>{}{scale}{note}</h3>\n{drawn}", measure.title());
        }
    }
    if body.is_empty() {
        return body;
    }
    format!(
        "<section class=\"figure\">\n<h2>Distributions</h2>\n<p class=\"note\">Over all runs of a planner: the box is the \
         middle half with the median, the line the middle 90 %, the dot the mean. All instances have the same weight.</p>\n\
         {body}</section>\n"
    )
}

fn footer() -> String {
    "<footer>\n<h2>How to read the numbers</h2>\n<p>Intervals are 95 % bootstrap intervals of the mean: 2,000 resamples with \
     replacement among the runs that differ in the instance only, widened by Student’s factor for few runs. If a setting \
     was run once, all runs are resampled together, which makes intervals wider. Fewer than three runs have no interval. \
     Differences are taken on the same instances. A finding holds if the whole interval is on its side, does not hold if \
     the whole interval is on the other side, and is open otherwise.</p>\n</footer>\n"
        .to_owned()
}

/// Returns a name as an anchor.
fn id(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}
