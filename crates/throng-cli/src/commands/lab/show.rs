//! `throng lab show`: the plan of an experiment and its estimated cost.

use std::fmt::Write;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use serde_json::Value as Json;
use throng_lab::{Plan, Value};

use super::run::duration;
use super::{Choice, refuse};
use crate::output::{fields, print_either, thousands, wrap};

/// What closes the help.
pub(crate) const EXAMPLE: &str = "Example: throng lab show bmaa-completion --scale paper";

/// The arguments of `throng lab show`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What is shown.
    #[command(flatten)]
    choice: Choice,
}

/// A plan, as JSON.
#[derive(Debug, Serialize)]
struct Shown<'a> {
    experiment: &'a str,
    scale: &'a str,
    scales: Vec<&'a str>,
    title: &'a str,
    about: &'a str,
    reference: &'a str,
    runs: usize,
    /// Every axis with its values.
    axes: serde_json::Map<String, Json>,
    check: bool,
    series: bool,
    by_the_clock: bool,
    /// On one core, roughly.
    estimated_seconds: f64,
}

/// `throng lab show`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let experiment = arguments.choice.open()?;
    let plan = experiment.plan(&arguments.choice.scale).map_err(refuse)?;
    let list =
        |values: &[Option<Value>]| Json::Array(values.iter().map(|each| value(each.as_ref())).collect());
    let shown = Shown {
        experiment: &experiment.name,
        scale: &plan.scale,
        scales: experiment.scales().collect(),
        title: &experiment.title,
        about: &experiment.about,
        reference: &experiment.reference,
        runs: plan.runs.len(),
        axes: plan.axes.iter().map(|(name, values)| ((*name).to_owned(), list(values))).collect(),
        check: plan.check,
        series: plan.series,
        by_the_clock: plan.is_by_the_clock(),
        estimated_seconds: plan.estimate(),
    };
    print_either(json, &shown, || text(&shown, &plan))
}

fn value(value: Option<&Value>) -> Json {
    match value {
        None => Json::Null,
        Some(Value::Text(text)) => text.as_str().into(),
        Some(Value::Integer(number)) => (*number).into(),
        Some(Value::Float(number)) => (*number).into(),
        Some(Value::Flag(is)) => (*is).into(),
    }
}

/// For people.
fn text(shown: &Shown<'_>, plan: &Plan) -> String {
    let mut text = format!("{}: {}\n", shown.experiment, shown.title);
    for part in [shown.about, shown.reference].into_iter().filter(|part| !part.is_empty()) {
        let _ = writeln!(text, "\n{}", wrap(part));
    }
    let cores =
        if shown.by_the_clock { 1 } else { std::thread::available_parallelism().map_or(1, usize::from) };
    let seconds = shown.estimated_seconds / cores as f64;
    let cost = duration(Duration::try_from_secs_f64(seconds).unwrap_or_default());
    let at_a_time =
        if cores == 1 { "one run at a time".to_owned() } else { format!("{cores} runs at a time") };
    let mut lines = vec![
        ("scale", format!("{} of {}", shown.scale, shown.scales.join(", "))),
        ("runs", thousands(shown.runs as u64)),
        ("may take", format!("about {cost} with {at_a_time}, very roughly")),
    ];
    for (name, values) in &plan.axes {
        let words =
            values.iter().map(|value| value.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string));
        lines.push((name, words.collect::<Vec<_>>().join(", ")));
    }
    lines.push(("checked", if shown.check { "by the independent checker" } else { "no" }.to_owned()));
    text + "\n" + &fields(&lines)
}
