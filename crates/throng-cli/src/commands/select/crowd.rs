//! Crowds in `throng select`: the options, and the evaluation beside what expected utilities allow.

use std::fmt::Write;
use std::path::Path;

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde::Serialize;
use throng_lab::select::crowd::{OWN_PORTFOLIO, THESIS_PORTFOLIO};
use throng_lab::select::{
    CrowdData, CrowdTrials, Dataset, Evaluation, Holdout, Inputs, Learner, LimitSpread, Portfolio,
    StoredEvaluation, Target, WorkLimit, crowd_task_name, evaluate_stored,
};

use super::eval::{chosen_table, evaluation_table, stored_tables};
use super::{DataFolder, refused};
use crate::output::{bad_input, measure, print_either};

/// Options for crowds.
#[derive(Debug, Args)]
pub(super) struct CrowdOptions {
    /// The limit of work; for `crowd` alone
    #[arg(long, default_value = "paper")]
    limit: LimitName,
    /// The planners: `thesis`, `own` (FAR with our rules for deadlocks), or planners, each with its own --portfolio
    #[arg(long, value_name = "PLANNER", default_value = "thesis")]
    portfolio: Vec<String>,
    /// Use the maps of these games alone, such as bg
    #[arg(long, value_name = "GAME,..", value_delimiter = ',')]
    games: Vec<String>,
}

/// The name of a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum LimitName {
    /// Completion is as near as possible to the thesis's
    Paper,
    /// A third of that work
    Starved,
    /// Three times that work
    Ample,
}

impl CrowdOptions {
    /// Refuses options that have no meaning for single agents.
    pub(super) fn refuse_for_single_agents(&self) -> Result<()> {
        if self.limit == LimitName::Paper && self.portfolio == ["thesis"] && self.games.is_empty() {
            return Ok(());
        }
        Err(bad_input("--limit, --portfolio and --games are for `throng select eval crowd`"))
    }

    pub(super) fn limit(&self) -> WorkLimit {
        match self.limit {
            LimitName::Paper => WorkLimit::Paper,
            LimitName::Starved => WorkLimit::Starved,
            LimitName::Ample => WorkLimit::Ample,
        }
    }

    /// Reads the stored data.
    pub(super) fn stored(&self, folder: &DataFolder) -> Result<CrowdData> {
        let portfolio: Vec<&str> = match &self.portfolio[..] {
            [name] if name == "thesis" => THESIS_PORTFOLIO.to_vec(),
            [name] if name == "own" => OWN_PORTFOLIO.to_vec(),
            planners => planners.iter().map(String::as_str).collect(),
        };
        let stored = CrowdData::read(&folder.data, &portfolio).map_err(refused)?.of_games(&self.games);
        if stored.is_empty() { Err(bad_input("--games names no stored game")) } else { Ok(stored) }
    }

    /// Reads the stored data at the limit that is calibrated on all of them. Returns them, and the work of the limit.
    pub(super) fn read(&self, folder: &DataFolder) -> Result<(Dataset, f64)> {
        let stored = self.stored(folder)?;
        let work = stored.work(self.limit());
        let (data, _) = stored.at(work);
        if data.is_empty() {
            return Err(bad_input("the runs of all stored problems end before the limit"));
        }
        Ok((data, work))
    }
}

/// An evaluation for crowds.
#[derive(Debug, Serialize)]
struct CrowdEvaluation {
    #[serde(flatten)]
    stored: StoredEvaluation,
    limit: WorkLimit,
    /// The limit that is calibrated on all stored problems, in expansions of A*.
    work: f64,
    /// The limits of the splits, each calibrated on its training part.
    limits: LimitSpread,
    /// The number of stored problems.
    problems: usize,
    /// The number of problems whose runs reach the limit of all.
    long_enough: usize,
}

/// `throng select eval crowd`.
pub(super) fn run(
    options: &CrowdOptions,
    holdout: Holdout,
    folder: &DataFolder,
    (seed, importance): (u64, Option<&Path>),
    json: bool,
) -> Result<()> {
    let data = options.stored(folder)?;
    if data.splits(holdout, seed).is_empty() {
        return Err(bad_input("the stored data have too few maps or games to hold some out"));
    }
    let all = Target::Crowd.learners();
    let mut learners: Vec<&dyn Learner> = all.iter().map(AsRef::as_ref).collect();
    if holdout != Holdout::Problems {
        learners.retain(|learner| learner.inputs() != Inputs::Group);
    }
    let too_short = || bad_input("the runs of all stored problems end before the limit");
    let CrowdTrials { trials, limits, problems, long_enough, .. } =
        data.trials(holdout, options.limit(), seed).ok_or_else(too_short)?;
    let task = (folder.data.as_path(), &*crowd_task_name(holdout));
    let stored = evaluate_stored(&trials, &Portfolio::All, holdout, &learners, task).map_err(refused)?;
    let stored = stored.ok_or_else(too_short)?;
    super::eval::write_importance(&stored.evaluation, importance)?;
    let limit = options.limit();
    let found = CrowdEvaluation { stored, limit, work: limits.all, limits, problems, long_enough };
    print_either(json, &found, || text(&found))
}

fn text(found: &CrowdEvaluation) -> String {
    let Evaluation { instances, splits, expected_utility: expected, .. } = &found.stored.evaluation;
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let LimitSpread { all, lowest, highest, not_own, lowered, .. } = found.limits;
    let mut text = format!(
        "{instances} instances, {splits} splits. Limit of work in expansions of A*: {} to {}, calibrated on the training part \
         of each split; {} on all problems. The runs of {} of {} problems reach it.\n",
        measure(lowest),
        measure(highest),
        measure(all),
        found.long_enough,
        found.problems,
    );
    if not_own > 0 {
        let _ = writeln!(
            text,
            "The training part of {not_own} splits has no problem of the thesis's game; they use the limit of all problems."
        );
    }
    if lowered > 0 {
        let _ = writeln!(
            text,
            "{lowered} splits have a higher limit than the stored runs reach; they are evaluated at {}.",
            measure(highest)
        );
    }
    text += "\n";
    text += &evaluation_table(&found.stored.evaluation);
    text += &stored_tables(&found.stored);
    let gap = expected.gap_closed.mean.map_or_else(|| "no gap".to_owned(), percent);
    let _ = writeln!(
        text,
        "\nExpected utilities of map and type: quality {:.2}, gap closed {gap}\n",
        expected.quality
    );
    text + &chosen_table(&found.stored.evaluation)
}
