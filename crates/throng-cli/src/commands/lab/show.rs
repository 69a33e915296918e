//! `throng lab show`: shows the plan of an experiment and its estimated cost.

use std::fmt::Write;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use serde_json::Value as Json;
use throng_lab::{RunPlan, Value};

use super::ExperimentChoice;
use super::run::duration;
use crate::output::{bad_input, fields, print_either, thousands, wrap};

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "Example: throng lab show bmaa-completion --scale paper";

/// The arguments of `throng lab show`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The experiment.
    #[command(flatten)]
    choice: ExperimentChoice,
}

/// The summary of a plan.
#[derive(Debug, Serialize)]
struct PlanSummary<'a> {
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
    /// Rough estimate for one core.
    estimated_seconds: f64,
}

/// `throng lab show`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let experiment = arguments.choice.open()?;
    let plan = experiment.plan(&arguments.choice.scale).map_err(bad_input)?;
    let list =
        |values: &[Option<Value>]| Json::Array(values.iter().map(|each| value(each.as_ref())).collect());
    let summary = PlanSummary {
        experiment: &experiment.name,
        scale: &plan.scale,
        scales: experiment.scales().collect(),
        title: &experiment.title,
        about: &experiment.about,
        reference: &experiment.reference,
        runs: plan.len(),
        axes: plan.axes.iter().map(|(name, values)| ((*name).to_owned(), list(values))).collect(),
        check: plan.check,
        series: plan.series,
        by_the_clock: plan.has_time_limit(),
        estimated_seconds: plan.estimate(),
    };
    print_either(json, &summary, || text(&summary, &plan))
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

/// Returns the plan as text.
fn text(summary: &PlanSummary<'_>, plan: &RunPlan) -> String {
    let mut text = format!("{}: {}\n", summary.experiment, summary.title);
    for part in [summary.about, summary.reference].into_iter().filter(|part| !part.is_empty()) {
        let _ = writeln!(text, "\n{}", wrap(part));
    }
    let cores =
        if summary.by_the_clock { 1 } else { std::thread::available_parallelism().map_or(1, usize::from) };
    let seconds = summary.estimated_seconds / cores as f64;
    let cost = duration(Duration::try_from_secs_f64(seconds).unwrap_or_default());
    let parallel = if cores == 1 { "one run at a time".to_owned() } else { format!("{cores} parallel runs") };
    let mut lines = vec![
        ("scale", format!("{} of {}", summary.scale, summary.scales.join(", "))),
        ("runs", thousands(summary.runs as u64)),
        ("estimated time", format!("about {cost} with {parallel}, a rough estimate")),
    ];
    for (name, values) in &plan.axes {
        let words =
            values.iter().map(|value| value.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string));
        lines.push((name, words.collect::<Vec<_>>().join(", ")));
    }
    lines.push(("checked", if summary.check { "by the independent checker" } else { "no" }.to_owned()));
    text + "\n" + &fields(&lines)
}
