//! `throng select predict`: picks a planner for an instance and says why.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use clap::Args;
use serde::Serialize;
use throng::Corners;
use throng_lab::files;
use throng_lab::select::features::ends;
use throng_select::{MODEL_FILE as MODEL_LIMIT, MapFeatures, Model, Reason, instance_features};

use super::MODEL_FILE;
use crate::commands::crowd::InstanceArguments;
use crate::output::{bad_input, fields, print_either, table};

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "\
Examples:
  throng select predict builtin:town --agents 200
  throng select predict bg512/AR0011SR.map --agents 300 --type swap-sides --explain --json";

/// The number of reasons that are shown.
const REASONS: usize = 8;

/// The arguments of `throng select predict`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The instance.
    #[command(flatten)]
    instance: InstanceArguments,
    /// Show which features decided
    #[arg(long)]
    explain: bool,
    /// The model file, made by `throng select train`
    #[arg(long, value_name = "FILE", default_value_os_t = PathBuf::from("experiments/select").join(MODEL_FILE))]
    model: PathBuf,
}

/// A prediction.
#[derive(Debug, Serialize)]
struct Prediction {
    pick: String,
    /// Estimated probability that the pick is better than the runner-up.
    confidence: f64,
    /// The rule for diagonal steps: by default the one that the model was trained with.
    corners: &'static str,
    /// Time of the instance's features and the model.
    milliseconds: f64,
    /// Time of the map's features.
    map_milliseconds: f64,
    utilities: Vec<Utility>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasons: Option<Vec<ShownReason>>,
}

/// The predicted utility of a planner.
#[derive(Debug, Serialize)]
struct Utility {
    planner: String,
    /// Share of the agents that arrive.
    utility: f64,
}

/// What a feature contributed to the pick.
#[derive(Debug, Serialize)]
struct ShownReason {
    feature: &'static str,
    meaning: &'static str,
    value: i32,
    /// How much the feature raised the utility of the pick above that of the runner-up.
    contribution: f64,
}

impl From<&Reason> for ShownReason {
    fn from(reason: &Reason) -> Self {
        let &Reason { feature, meaning, value, contribution } = reason;
        Self { feature, meaning, value, contribution: f64::from(contribution) / 10_000.0 }
    }
}

/// `throng select predict`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let file = arguments.model.display().to_string();
    let bytes = files::read(&arguments.model, MODEL_LIMIT).map_err(|error| {
        bad_input(format_args!("{error}; `throng select train` makes a model, and --model names one"))
    })?;
    let model = Model::read(&bytes).map_err(|error| bad_input(format_args!("{file}: {error}")))?;
    let mut instance = arguments.instance.clone();
    let trained = trained_corners(model.note());
    match (instance.rules.corners, trained) {
        (None, _) if !instance.rules.four_way => instance.rules.corners = trained,
        (Some(asked), Some(trained)) if asked != trained => eprintln!(
            "{file} was trained on crowds with --corners {trained}; its predictions for --corners {asked} were never tested"
        ),
        _ => {}
    }
    let grid = instance.grid()?;
    let agents = ends(&instance.instance(&grid)?);
    let begun = Instant::now();
    let map = MapFeatures::of(grid.ground());
    let map_milliseconds = begun.elapsed().as_secs_f64() * 1e3;
    let begun = Instant::now();
    let features = instance_features(&map, grid.ground(), &agents);
    let utilities = model.utilities(&features);
    let milliseconds = begun.elapsed().as_secs_f64() * 1e3;
    let explanation = model.explain(&features);
    let utility = |(planner, &utility): (&String, &i32)| Utility {
        planner: planner.clone(),
        utility: f64::from(utility) / 10_000.0,
    };
    let prediction = Prediction {
        pick: model.portfolio()[explanation.pick].clone(),
        confidence: confidence(&model, &utilities, explanation.pick, explanation.runner_up),
        corners: instance.rules.corners().name(),
        milliseconds,
        map_milliseconds,
        utilities: model.portfolio().iter().zip(&utilities).map(utility).collect(),
        reasons: arguments
            .explain
            .then(|| explanation.reasons.iter().take(REASONS).map(ShownReason::from).collect()),
    };
    print_either(json, &prediction, || text(&prediction))
}

/// Returns the corner rule of the crowds that a model was trained on, as its note says; none if it does not.
fn trained_corners(note: &str) -> Option<Corners> {
    note.split_once("corners=")?.1.split([' ', ',']).next()?.parse().ok()
}

/// Returns the probability that the pick is better than the runner-up, if the errors of both predictions were independent and
/// normal with the spread on held-out maps. The logistic function stands for the normal distribution.
fn confidence(model: &Model, utilities: &[i32], pick: usize, runner_up: Option<usize>) -> f64 {
    let Some(runner_up) = runner_up else { return 1.0 };
    let error = |planner: usize| f64::from(model.forests()[planner].error.max(1));
    let margin = f64::from(utilities[pick] - utilities[runner_up]);
    1.0 / (1.0 + (-1.702 * margin / error(pick).hypot(error(runner_up))).exp())
}

fn text(prediction: &Prediction) -> String {
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let mut lines = vec![("pick", prediction.pick.clone()), ("confidence", percent(prediction.confidence))];
    lines.extend(
        prediction.utilities.iter().map(|utility| (utility.planner.as_str(), percent(utility.utility))),
    );
    let time = format!("{:.2} ms, map {:.1} ms", prediction.milliseconds, prediction.map_milliseconds);
    lines.push(("corners", prediction.corners.to_owned()));
    lines.push(("time", time));
    let mut text = fields(&lines);
    if let Some(reasons) = &prediction.reasons {
        let row = |reason: &ShownReason| {
            [
                format!("{:+.1} %", reason.contribution * 100.0),
                reason.value.to_string(),
                reason.meaning.to_owned(),
            ]
        };
        text += "\n";
        text += &table(&[">for the pick", ">value", "feature"], reasons.iter().map(row));
    }
    text
}
