//! The page: one HTML file with everything in it, style and drawings included. It is written so that it is well-formed
//! XML too, which is how the tests read it.

use super::Experiment;
use std::fmt::Write as _;

use super::data::SELECTORS;
use super::figures::{Frame, Look, boxes, curves, line_chart, swatch};
use super::measure::{Measure, setting_label, thousands};
use super::parts;
use super::settings::CurveSettings;
use super::svg::{each, escape};

const STYLE: &str = include_str!("style.css");

/// The measures whose distributions are drawn when the experiment says nothing.
const DISTRIBUTIONS: [&str; 2] = ["travel_over_shortest", "tick_us_p99"];

/// The widths at which drawings are made: whichever fits is shown.
const WIDTHS: [(f64, &str); 2] = [(860.0, "wide"), (400.0, "narrow")];

/// The whole page.
pub(super) fn page(experiments: &[Experiment]) -> String {
    let title = match experiments {
        [one] => one.title().to_owned(),
        _ => "Report of the laboratory".to_owned(),
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

fn contents(experiments: &[Experiment]) -> String {
    let item = |experiment: &Experiment| {
        format!("<li><a href=\"#{}\">{}</a></li>", id(&experiment.name), escape(experiment.title()))
    };
    format!(
        "<nav><p class=\"kicker\">throng laboratory</p><ol>{}</ol></nav>\n",
        experiments.iter().map(item).collect::<String>()
    )
}

fn article(experiment: &Experiment) -> String {
    let sections = [
        header(experiment),
        parts::findings(experiment),
        experiment.tables.iter().map(|table| parts::table(table, experiment)).collect(),
        curve_section(experiment),
        distribution_section(experiment),
        parts::pictures(experiment),
        parts::provenance(experiment),
        parts::repeat(experiment),
    ];
    format!("<article id=\"{}\">\n{}</article>\n", id(&experiment.name), sections.join(""))
}

fn header(experiment: &Experiment) -> String {
    let facts = &experiment.provenance.scales;
    let runs: usize = facts.iter().map(|scale| scale.runs).sum();
    let maps = facts.iter().map(|scale| scale.maps).max().unwrap_or(0);
    let scales: Vec<&str> = facts.iter().map(|scale| scale.scale.as_str()).collect();
    let chips = [
        (thousands(runs as f64, 0), plural(runs, "run", "runs")),
        (maps.to_string(), plural(maps, "map", "maps")),
        (experiment.planners.len().to_string(), plural(experiment.planners.len(), "planner", "planners")),
        (scales.join(" + "), plural(scales.len(), "scale", "scales")),
    ];
    let chips = each(&chips, |(number, word)| format!("<li><b>{}</b> {word}</li>", escape(number)));
    let question = &experiment.about.settings.question;
    let question = if question.is_empty() {
        String::new()
    } else {
        format!("<p class=\"lead\">{}</p>\n", escape(question))
    };
    let citation = &experiment.about.paper.citation;
    let citation = if citation.is_empty() {
        String::new()
    } else {
        format!("<p class=\"citation\">Beside {}</p>\n", escape(citation))
    };
    format!(
        "<header>\n<p class=\"kicker\">throng laboratory · {}</p>\n<h1>{}</h1>\n{question}\
         <ul class=\"chips\">{chips}</ul>\n{citation}</header>\n",
        escape(&experiment.name),
        escape(experiment.title())
    )
}

fn plural(count: usize, one: &'static str, more: &'static str) -> &'static str {
    if count == 1 { one } else { more }
}

/// The planners with their marks.
fn legend(look: Look<'_>) -> String {
    let item = |planner: &String| {
        format!(
            "<li title=\"{}\">{} {}</li>",
            escape(planner),
            swatch(planner, look),
            escape(look.label(planner))
        )
    };
    format!("<ul class=\"legend\">{}</ul>\n", look.planners.iter().map(item).collect::<String>())
}

fn curve_section(experiment: &Experiment) -> String {
    let Some(runs) = experiment.sets.first() else { return String::new() };
    let mut all = experiment.about.settings.curves.clone();
    if all.is_empty() && runs.values_of("agents").len() > 1 {
        all.push(CurveSettings {
            name: "Completion against agents".to_owned(),
            x: "agents".to_owned(),
            measure: "completion_rate".to_owned(),
            each: Some("map".to_owned()),
        });
    }
    all.iter().map(|settings| curve_figure(experiment, settings)).collect()
}

/// One large chart over everything, a small one each map, and the same of the other scales.
fn curve_figure(experiment: &Experiment, settings: &CurveSettings) -> String {
    let (look, measure) = (experiment.look(), Measure::of(&settings.measure));
    let (mut body, x_label) = (String::new(), setting_label(&settings.x));
    for runs in &experiment.sets {
        if runs.values_of(&settings.x).len() < 2 {
            continue;
        }
        let all = curves(runs, look.planners, &settings.x, measure, |_| true);
        let scale = if experiment.sets.len() > 1 {
            format!("<h3>{}</h3>\n", escape(&runs.scale))
        } else {
            String::new()
        };
        body += &scale;
        for (width, class) in WIDTHS {
            let class = format!("chart {class}");
            let size = (width, if width > 500.0 { 400.0 } else { 300.0 });
            let frame = Frame { title: &settings.name, x_label: &x_label, size, class: &class, words: true };
            body += &line_chart(&all, measure, look, frame);
        }
        let Some(each) = &settings.each else { continue };
        let values = look.paper.ordered(runs.values_of(each));
        if values.len() < 2 {
            continue;
        }
        body += "<div class=\"multiples\">\n";
        for value in &values {
            let some = curves(runs, look.planners, &settings.x, measure, |run| run.setting(each) == *value);
            let size = (250.0, 170.0);
            let frame = Frame { title: value, x_label: &x_label, size, class: "chart", words: false };
            let _ = writeln!(
                body,
                "<figure><figcaption>{}</figcaption>{}</figure>",
                escape(&caption_of(each, look.label(value))),
                line_chart(&some, measure, look, frame)
            );
        }
        body += "</div>\n";
    }
    if body.is_empty() {
        return body;
    }
    format!(
        "<section class=\"figure\">\n<h2>{}</h2>\n<p class=\"note\">{} against {}; a line a planner, with the 95 % \
         interval of the mean as a band{}.</p>\n{}{body}</section>\n",
        escape(&settings.name),
        measure.title(),
        escape(&x_label),
        settings.each.as_ref().map_or_else(String::new, |each| {
            format!(", first over everything, then by {}", escape(&setting_label(each)))
        }),
        legend(look)
    )
}

/// What stands above a small picture: a name as it is, a number with what it counts.
fn caption_of(column: &str, value: &str) -> String {
    let names_itself = value.parse::<f64>().is_err() && !["true", "false"].contains(&value);
    if names_itself { value.to_owned() } else { format!("{}: {value}", setting_label(column)) }
}

fn distribution_section(experiment: &Experiment) -> String {
    let chosen = &experiment.about.settings.distributions;
    let names: Vec<&str> =
        if chosen.is_empty() { DISTRIBUTIONS.to_vec() } else { chosen.iter().map(String::as_str).collect() };
    let look = experiment.look();
    let mut body = String::new();
    for name in names {
        let measure = Measure::of(name);
        for runs in &experiment.sets {
            let drawn: Option<String> = WIDTHS
                .iter()
                .map(|(width, class)| boxes(runs, measure, look, *width, &format!("chart {class}")))
                .collect();
            let Some(drawn) = drawn else { continue };
            let scale = if experiment.sets.len() > 1 {
                format!(" · {}", escape(&runs.scale))
            } else {
                String::new()
            };
            let _ = writeln!(body, "<h3>{}{scale}</h3>\n{drawn}", measure.title());
        }
    }
    if body.is_empty() {
        return body;
    }
    format!(
        "<section class=\"figure\">\n<h2>Distributions</h2>\n<p class=\"note\">Over all runs of a planner: the box is the \
         middle half with the median, the line the middle 90 %, the dot the mean. Each instance counts alike.</p>\n\
         {body}</section>\n"
    )
}

fn footer() -> String {
    "<footer>\n<h2>How to read the numbers</h2>\n<p>Intervals are 95 % bootstrap intervals of the mean: 2,000 draws with \
     replacement among the runs that differ in the instance only, widened by Student’s factor where runs are few. \
     Where a setting was run once, all runs are drawn as one, which makes intervals wider. Fewer than three runs have \
     none. Differences are taken on the same instances. A finding holds when the whole interval is on its side, does not \
     hold when the whole interval is on the other, and otherwise there is not enough data to say.</p>\n</footer>\n"
        .to_owned()
}

/// A name as an anchor.
fn id(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// Whether a planner is a selector, which has no colour of its own.
pub(super) fn is_selector(name: &str) -> bool {
    SELECTORS.contains(&name)
}
