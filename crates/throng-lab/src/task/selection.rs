//! The task `selection`: a model learns from the training part of a split of stored results and picks for the test part.
//!
//! D. Sigurdson, *Automatic Algorithm Selection in Videogame Pathfinding*, M.Sc. thesis, University of Alberta, 2018, Tables
//! 4.2 to 4.5, 5.1 and 5.2. A run is one split and one model. Fixed choices are models too, so that tables can show them:
//! `prior`, `perfect-label`, `virtual-best`, `virtual-worst`, `expected`, and every planner of a portfolio for crowds. The data
//! are files that `throng select gather` and `throng select features` made, or `sample`, which is drawn and needs no files. The
//! predictions of a network that are stored beside the data are a model with the name of the network.

mod data;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use self::data::{Prepared, Shared};
use super::{Refusal, RunContext, Task, TaskError};
use crate::columns::{RowPart, SharedSettings, columns};
use crate::experiment::{Key, KeyKind};
use crate::hash::checksum;
use crate::select::crowd::{OWN_PORTFOLIO, THESIS_PORTFOLIO};
use crate::select::single_agent::SelectError;
use crate::select::{
    Holdout, Learner, Measure, PickOutcome, SplitOutcome, StoredPredictions, Target, WorkLimit,
    crowd_task_name, evaluate_trial,
};
use crate::store::StoredRun;
use crate::{Maps, RunRow};

/// The data that are drawn.
const SAMPLE: &str = "sample";

/// Finds a fixed choice in the outcome of a split.
type FindChoice = fn(&SplitOutcome) -> Option<&PickOutcome>;

/// Models that are fixed choices, and how to find them.
const FIXED: [(&str, FindChoice); 5] = [
    ("prior", |outcome| Some(&outcome.prior)),
    ("perfect-label", |outcome| outcome.perfect_label.as_ref()),
    ("virtual-best", |outcome| Some(&outcome.best)),
    ("virtual-worst", |outcome| Some(&outcome.worst)),
    ("expected", |outcome| Some(&outcome.expected)),
];

columns! { Setting:
    /// The settings of the task `selection`.
    struct SelectionSettings {
        /// what a selection is made for: genre, game, map, problem, crowd
        target: String,
        /// what test and training part do not share: problems, maps, games
        holdout: Option<String>,
        /// limit of work of crowds: paper, starved, ample
        limit: Option<String>,
        /// game of the crowds, or `all`
        game: Option<String>,
        /// planners of crowds: thesis, own
        portfolio: Option<String>,
        /// folder of the stored data, or `sample`
        data: String,
        /// model, or a fixed choice
        model: String,
    }
}

columns! { Measure:
    /// The measures of the task `selection`.
    struct SelectionMeasures {
        /// number of instances in the test part
        tested: usize,
        /// limit of work in expansions of A*, calibrated on the training part; none for single agents
        work: Option<f64>,
        /// share of right choices; none for a choice that is not in the portfolio
        accuracy: Option<f64>,
        /// mean over the choices of the share of their instances that were chosen rightly
        balanced_accuracy: Option<f64>,
        /// share of the gap between prior and virtual best that is closed; none without a gap
        gap_closed: Option<f64>,
        /// 1 if the model is better than the prior on this split, 0 otherwise
        won: f64,
        /// how much better than the prior, as a share of the prior's cost or completion
        improvement: Option<f64>,
        /// share of the test instances for which the first choice was chosen
        chosen_first: Option<f64>,
        /// share of the test instances for which the second choice was chosen
        chosen_second: Option<f64>,
        /// share of the test instances for which the third choice was chosen
        chosen_third: Option<f64>,
        /// completion rate on problems of the type random
        completion_random: Option<f64>,
        /// completion rate on problems of the type cross-sides
        completion_cross_sides: Option<f64>,
        /// completion rate on problems of the type swap-sides
        completion_swap_sides: Option<f64>,
        /// completion rate on problems of the type inside-out
        completion_inside_out: Option<f64>,
        /// completion rate on problems of the type outside-in
        completion_outside_in: Option<f64>,
        /// completion rate on problems of the type tight-to-tight
        completion_tight_to_tight: Option<f64>,
        /// completion rate on problems of the type tight-to-wide
        completion_tight_to_wide: Option<f64>,
    }
}

columns! { Measure:
    /// The quality of the picks, in the columns of the tasks whose results are stored.
    struct QualityMeasures {
        /// share of the agents that have arrived at their goals at the end
        completion_rate: Option<f64>,
        /// mean distance that an agent has walked
        travel_mean: Option<f64>,
        /// mean cost of the walks over the optimum, at most the cap
        suboptimality_mean: Option<f64>,
    }
}

columns! { Timing:
    /// The timings of the task `selection`.
    struct SelectionTimings {
        /// time of training and picking in seconds; of picking alone if predictions are stored
        learning_seconds: f64,
    }
}

const KEYS: &[Key] = &[
    Key::axis(
        "target",
        KeyKind::Name("target", || Target::ALL.map(Target::name).into()),
        "what a selection is made for: `genre`, `game`, `map`, `problem`, `crowd`",
    )
    .required(),
    Key::axis("data", KeyKind::Text, "folder of the stored data, or `sample` for data that are drawn")
        .required(),
    Key::axis(
        "portfolio",
        KeyKind::Name("portfolio", || vec!["thesis", "own"]),
        "planners of crowds: `thesis`, or `own` with our rules for deadlocks of FAR",
    ),
    Key::axis("game", KeyKind::Text, "game of the crowds, such as `bg`, or `all`"),
    Key::axis(
        "holdout",
        KeyKind::Name("holdout", || vec!["problems", "maps", "games"]),
        "what test and training part of crowds do not share: `problems`, `maps`, `games`",
    ),
    Key::axis(
        "limit",
        KeyKind::Name("limit", || WorkLimit::ALL.map(WorkLimit::name).into()),
        "limit of work of crowds: `paper`, `starved`, `ample`",
    ),
    Key::axis("instance", KeyKind::Instances, "number of splits, or a list of their numbers")
        .named("splits")
        .required(),
    Key::axis("model", KeyKind::Text, "models and fixed choices").named("models").required(),
];

/// The task `selection`.
pub(super) const TASK: Task = Task {
    name: "selection",
    about: "a model learns from stored results which algorithm to pick, and is tested on others",
    keys: &[KEYS],
    columns: &[
        SelectionSettings::COLUMNS,
        SelectionMeasures::COLUMNS,
        QualityMeasures::COLUMNS,
        SelectionTimings::COLUMNS,
    ],
    solver_column: "model",
    completion_column: "completion_rate",
    moves_agents: false,
    seed_columns: &[("target", "target"), ("holdout", "holdout"), ("data", "data"), ("instance", "instance")],
    derive_settings: |_| {},
    content_hash,
    check: |_, _| Ok(()),
    check_solver,
    estimated_seconds: |settings| if settings.text("model") == Some("trees") { 1.0 } else { 0.2 },
    run,
    solver_seconds: |row| SelectionTimings::load(row).learning_seconds,
};

impl SelectionSettings {
    fn target(&self) -> Target {
        Target::named(&self.target).unwrap_or(Target::Crowd)
    }

    fn limit(&self) -> WorkLimit {
        let named = |limit: &WorkLimit| Some(limit.name()) == self.limit.as_deref();
        WorkLimit::ALL.into_iter().find(named).unwrap_or_default()
    }

    fn holdout(&self) -> Holdout {
        match self.holdout.as_deref() {
            Some("maps") => Holdout::Maps,
            Some("games") => Holdout::Games,
            _ => Holdout::Problems,
        }
    }

    /// Returns the games that crowds are of; none stands for all.
    fn games(&self) -> Vec<String> {
        self.game.iter().filter(|game| *game != "all").cloned().collect()
    }

    fn planners(&self) -> [&'static str; 3] {
        if self.portfolio.as_deref() == Some("own") { OWN_PORTFOLIO } else { THESIS_PORTFOLIO }
    }

    /// Returns the name of the task in the names of files of predictions.
    fn task_name(&self) -> String {
        match self.target() {
            Target::SingleAgent(granularity) => granularity.name().to_owned(),
            Target::Crowd => crowd_task_name(self.holdout()),
        }
    }

    /// Returns the file of the stored predictions of the model, whether it exists or not.
    fn predictions_file(&self) -> String {
        StoredPredictions::file(&self.task_name(), &self.model)
    }

    /// Returns true if predictions of the model are stored. Those of crowds are for one portfolio, all games and the limit `paper`.
    fn is_predicted(&self) -> bool {
        let is_trained = self.target() != Target::Crowd
            || (self.planners() == THESIS_PORTFOLIO
                && self.games().is_empty()
                && self.limit() == WorkLimit::Paper);
        is_trained && self.data != SAMPLE && Path::new(&self.data).join(self.predictions_file()).is_file()
    }

    /// Returns the learner with the name of the model; none if the model is a fixed choice.
    fn learner(&self) -> Option<Box<dyn Learner>> {
        self.target().learners().into_iter().find(|learner| learner.name() == self.model)
    }
}

/// Returns the hash of the files that the data and the predictions of all networks are read from. It is the same for all models, so
/// that their runs have the same instances.
fn content_hash(settings: &RunRow, _: &Maps) -> Result<u64, Refusal> {
    let own = SelectionSettings::load(settings);
    if own.data == SAMPLE {
        return Ok(checksum(0, SAMPLE.as_bytes()));
    }
    let refuse = |error: SelectError| Refusal::of("data")(TaskError::other(error));
    let mut hash = 0;
    let folder = Path::new(&own.data);
    let predicted = StoredPredictions::files(folder, &own.task_name()).map_err(refuse)?;
    let files = own.target().files().iter().map(ToString::to_string).chain(predicted);
    for file in files {
        let path = folder.join(file);
        let bytes = std::fs::read(&path).map_err(|_| refuse(SelectError::Missing(path)))?;
        hash = checksum(hash, &bytes);
    }
    Ok(hash)
}

/// Checks that there is a model with the name.
fn check_solver(settings: &RunRow) -> Result<(), Refusal> {
    let own = SelectionSettings::load(settings);
    let is_fixed = FIXED.iter().any(|(name, _)| *name == own.model);
    let is_planner = own.planners().contains(&own.model.as_str());
    if is_fixed || is_planner || own.learner().is_some() || own.is_predicted() {
        return Ok(());
    }
    let known = own.target().learners().iter().map(|learner| learner.name()).collect::<Vec<_>>();
    let fixed = FIXED.map(|(name, _)| name).join(", ");
    let reason = format!(
        "there is no model `{}`; expected one of {}, {fixed}, a planner, or a network whose predictions are stored beside the \
         data as {}; predictions for crowds are for the portfolio `thesis`, all games and the limit `paper`",
        own.model,
        known.join(", "),
        own.predictions_file(),
    );
    Err(Refusal::of("models")(TaskError::Other(reason)))
}

fn run(context: &RunContext, settings: &RunRow) -> Result<Option<StoredRun>, TaskError> {
    let own = SelectionSettings::load(settings);
    let split = SharedSettings::load(settings).instance as usize;
    let shared: Arc<Shared> = context.shared();
    let named = format!("{} {} {:?} {:?}", own.target, own.data, own.portfolio, own.game);
    let loaded = shared.data.get_or_make(&named, || own.open())?;
    let place = format!("{named} {:?} {:?} {split}", own.holdout, own.limit);
    let prepared = shared.trials.get_or_make(&place, || own.prepare(&loaded, split))?;
    if context.is_stopped() {
        return Ok(None);
    }
    let begun = Instant::now();
    let learner = own.learner();
    let learners: Vec<&dyn Learner> = learner.iter().map(AsRef::as_ref).collect();
    let outcome = if learner.is_none() && own.is_predicted() {
        own.predicted(&shared, &prepared, split)?
    } else {
        evaluate_trial(&prepared.trial, &prepared.portfolio, &learners)
    };
    let learning_seconds = begun.elapsed().as_secs_f64();
    let fixed = FIXED.iter().find(|(name, _)| *name == own.model).and_then(|(_, of)| of(&outcome));
    let single = || outcome.singles.iter().find(|single| single.name == own.model);
    let picked = outcome.models.first().or(fixed).or_else(single).ok_or_else(|| {
        TaskError::Other(format!("`{}` is not among the choices of the target `{}`", own.model, own.target))
    })?;
    let mut row = settings.clone();
    store(&mut row, picked, &outcome, &prepared);
    SelectionTimings { learning_seconds }.store(&mut row);
    Ok(Some(StoredRun { row, series: Vec::new(), recording: Vec::new() }))
}

/// Writes the outcome of a model into its row.
fn store(row: &mut RunRow, picked: &PickOutcome, outcome: &SplitOutcome, prepared: &Prepared) {
    let measure = prepared.trial.data.measure;
    let chosen = |choice: usize| picked.chosen.get(choice).copied();
    let kind = |name: &str| picked.by_kind.get(name).copied();
    let measures = SelectionMeasures {
        tested: outcome.tested,
        work: prepared.work,
        accuracy: picked.accuracy,
        balanced_accuracy: picked.balanced_accuracy,
        gap_closed: picked.gap_closed,
        won: f64::from(u8::from(picked.over_prior > 1e-9)),
        improvement: (outcome.prior.utility != 0.0).then(|| picked.over_prior / outcome.prior.utility.abs()),
        chosen_first: chosen(0),
        chosen_second: chosen(1),
        chosen_third: chosen(2),
        completion_random: kind("random"),
        completion_cross_sides: kind("cross-sides"),
        completion_swap_sides: kind("swap-sides"),
        completion_inside_out: kind("inside-out"),
        completion_outside_in: kind("outside-in"),
        completion_tight_to_tight: kind("tight-to-tight"),
        completion_tight_to_wide: kind("tight-to-wide"),
    };
    measures.store(row);
    let quality = Some(measure.quality(picked.utility));
    let [completion_rate, suboptimality_mean] = match measure {
        Measure::Completion => [quality, None],
        Measure::Suboptimality => [None, quality],
    };
    QualityMeasures { completion_rate, travel_mean: picked.travel, suboptimality_mean }.store(row);
}

#[cfg(test)]
mod tests;
