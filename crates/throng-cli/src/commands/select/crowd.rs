//! Crowds in `throng select`: the options, and the evaluation beside what expected utilities allow.

use std::fmt::Write;

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde::Serialize;
use throng_lab::select::crowd::{OWN_PORTFOLIO, THESIS_PORTFOLIO};
use throng_lab::select::{
    CrowdData, Dataset, Evaluation, ExpectedUtility, Holdout, Learner, Lookup, NearestNeighbours, Portfolio,
    RandomPick, StoredEvaluation, Trees, WorkLimit, crowd_splits, crowd_task_name, evaluate_stored,
    expected_utility,
};

use super::eval::{evaluation_table, stored_tables};
use super::{DataFolder, refused};
use crate::output::{bad_input, fields, measure, print_either};

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

    /// Reads the stored data. Returns them at the limit, and the work of the limit.
    pub(super) fn read(&self, folder: &DataFolder) -> Result<(Dataset, f64)> {
        let portfolio: Vec<&str> = match &self.portfolio[..] {
            [name] if name == "thesis" => THESIS_PORTFOLIO.to_vec(),
            [name] if name == "own" => OWN_PORTFOLIO.to_vec(),
            planners => planners.iter().map(String::as_str).collect(),
        };
        let stored = CrowdData::read(&folder.data, &portfolio).map_err(refused)?;
        let whole = stored.dataset(self.limit());
        let data = whole.filtered(|at| self.games.is_empty() || self.games.contains(&whole.groups[at].game));
        if data.is_empty() {
            let why =
                "no stored problem remains: its runs end before the limit, or --games names no stored game";
            return Err(bad_input(why));
        }
        Ok((data, stored.work * self.limit().factor()))
    }
}

/// An evaluation for crowds.
#[derive(Debug, Serialize)]
struct CrowdEvaluation {
    #[serde(flatten)]
    stored: StoredEvaluation,
    limit: WorkLimit,
    /// The limit in expansions of A*.
    work: f64,
    /// What is possible with the expected utilities of map and type.
    expected_utility: ExpectedUtility,
}

/// `throng select eval crowd`.
pub(super) fn run(options: &CrowdOptions, holdout: Holdout, folder: &DataFolder, json: bool) -> Result<()> {
    let (data, work) = options.read(folder)?;
    let all = crowd_splits(&data, holdout);
    if all.is_empty() {
        return Err(bad_input("the stored data have too few maps or games to hold some out"));
    }
    let trees = Trees::default();
    let mut learners: Vec<&dyn Learner> =
        vec![&trees, &NearestNeighbours { count: 1 }, &NearestNeighbours { count: 10 }];
    if holdout == Holdout::Problems {
        learners.push(&Lookup::MapAndType);
    }
    learners.push(&RandomPick { seed: 1 });
    let task = (folder.data.as_path(), &*crowd_task_name(holdout));
    let stored =
        evaluate_stored(&data, &Portfolio::All, (holdout, &all), &learners, task).map_err(refused)?;
    let expected_utility = expected_utility(&data, &all);
    let found = CrowdEvaluation { stored, limit: options.limit(), work, expected_utility };
    print_either(json, &found, || text(&found))
}

fn text(found: &CrowdEvaluation) -> String {
    let Evaluation { instances, splits, singles, .. } = &found.stored.evaluation;
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let mut text = format!(
        "{instances} instances, {splits} splits, limit of {} expansions of A*\n\n",
        measure(found.work)
    );
    text += &evaluation_table(&found.stored.evaluation);
    text += &stored_tables(&found.stored);
    let expected = &found.expected_utility;
    let gap = expected.gap_closed.mean.map_or_else(|| "no gap".to_owned(), percent);
    let _ = writeln!(
        text,
        "\nExpected utilities of map and type: quality {:.2}, gap closed {gap}\n",
        expected.quality
    );
    let rows: Vec<(&str, String)> = singles
        .iter()
        .map(|single| {
            (
                single.name.as_str(),
                format!("{}, best in {}", percent(single.quality), percent(single.best_share)),
            )
        })
        .collect();
    text + &fields(&rows)
}
