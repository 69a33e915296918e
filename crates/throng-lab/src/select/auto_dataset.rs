//! The data of the planner `auto`: what each planner completes on the problems of the experiment `auto`, and the features of
//! these problems.
//!
//! `auto.parquet` has one row per problem and budget, and one column per planner with its completion in 1/10,000.
//! `auto-features.parquet` has one row per problem. A [`Dataset`] is taken from both per sharing setting and kind of budget.

use std::collections::BTreeMap;
use std::path::Path;

use throng_crowd::Sharing;
use throng_select::FEATURES;

use super::crowd::ProblemKey;
use super::features::{AUTO_FEATURES_FILE, key_columns, read_crowds, read_keys};
use super::single_agent::{SelectError, Table, integers};
use super::{Dataset, Group, Measure};
use crate::columns::ColumnKind;
use crate::files::Files;
use crate::store::{TableColumn, write_table};
use crate::{Results, RunRow};

/// The file of the runs.
pub const AUTO_FILE: &str = "auto.parquet";

/// The experiment whose runs are stored, and the scale that is left out: it only shows that the experiment works.
const EXPERIMENT: &str = "auto";
const UNUSED_SCALE: &str = "smoke";

/// The columns of a run that are no planners.
const RUN_KEYS: [&str; 7] = ["game", "map", "type", "instance", "agents", "seed", "budget"];

/// Units of a completion in the file.
const UNITS: f64 = 10_000.0;

/// The kinds of budgets that have a model of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BudgetKind {
    /// At least [`throng_planners::SMALL_BUDGET`] expansions per agent and tick.
    Ample,
    /// Less.
    Small,
}

impl BudgetKind {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Ample, Self::Small];

    /// Returns the kind of a budget per tick; none is no limit.
    pub fn of(budget: Option<u64>, agents: usize) -> Self {
        let needed = throng_planners::SMALL_BUDGET * agents as u64;
        if budget.is_none_or(|budget| budget >= needed) { Self::Ample } else { Self::Small }
    }

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ample => "ample",
            Self::Small => "small",
        }
    }
}

/// What the planners complete on one problem with one budget.
#[derive(Clone, PartialEq, Debug)]
pub struct AutoProblem {
    /// The problem.
    pub key: ProblemKey,
    /// Expansions per tick; none is no limit.
    pub budget: Option<u64>,
    /// The share of the agents on their goals at the end, by planner.
    pub completion: Vec<f64>,
}

/// The stored runs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct AutoRuns {
    /// The planners.
    pub planners: Vec<String>,
    /// The problems on which every planner was run, in the order of their keys.
    pub problems: Vec<AutoProblem>,
}

impl AutoRuns {
    /// Takes the runs of the experiment from results.
    pub fn from_results(results: &Results) -> Self {
        let mut found: BTreeMap<(ProblemKey, Option<u64>), BTreeMap<String, f64>> = BTreeMap::new();
        let is_stored = |row: &&RunRow| {
            row.text("experiment") == Some(EXPERIMENT) && row.text("scale") != Some(UNUSED_SCALE)
        };
        for row in results.rows.iter().filter(is_stored) {
            let Some((key, budget, planner, completion)) = run_of(row) else { continue };
            found.entry((key, budget)).or_default().insert(planner, completion);
        }
        let planners: Vec<String> = found
            .values()
            .max_by_key(|runs| runs.len())
            .map_or_else(Vec::new, |runs| runs.keys().cloned().collect());
        let problem = |((key, budget), runs): (_, BTreeMap<String, f64>)| {
            let completion =
                planners.iter().map(|planner| runs.get(planner).copied()).collect::<Option<_>>()?;
            Some(AutoProblem { key, budget, completion })
        };
        Self { problems: found.into_iter().filter_map(problem).collect(), planners }
    }

    /// Replaces runs by newer ones of the same problem, budget and planner, for a planner whose decisions have changed. Problems
    /// and planners that are not here yet are left out. Returns the number of runs replaced.
    pub fn replace(&mut self, newer: &Self) -> usize {
        let mut replaced = 0;
        for problem in &mut self.problems {
            let found = newer.problems.iter().find(|it| it.key == problem.key && it.budget == problem.budget);
            for (planner, &completion) in
                found.iter().flat_map(|it| newer.planners.iter().zip(&it.completion))
            {
                if let Some(at) = self.planners.iter().position(|known| known == planner) {
                    problem.completion[at] = completion;
                    replaced += 1;
                }
            }
        }
        replaced
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), SelectError> {
        let mut columns = key_columns(self.problems.iter().map(|problem| &problem.key));
        columns.push(integers("agents", self.problems.iter().map(|problem| problem.key.agents as i64)));
        columns.push(TableColumn {
            name: "budget".to_owned(),
            kind: ColumnKind::Integer,
            values: self.problems.iter().map(|problem| problem.budget.map(Into::into)).collect(),
        });
        for (at, planner) in self.planners.iter().enumerate() {
            let units = |problem: &AutoProblem| (problem.completion[at] * UNITS).round() as i64;
            columns.push(integers(planner, self.problems.iter().map(units)));
        }
        Ok(write_table(&Files::default(), &folder.join(AUTO_FILE), &columns)?)
    }

    /// Reads the file.
    ///
    /// # Errors
    /// If it is missing or damaged.
    pub fn read(folder: &Path) -> Result<Self, SelectError> {
        let table = Table::read(folder, AUTO_FILE)?;
        let keys = read_keys(&table)?;
        let budget = table.columns.iter().find(|column| column.name == "budget");
        let budgets = budget.ok_or_else(|| table.damaged("the column `budget` is missing"))?;
        let budget = |at: usize| budgets.values[at].as_ref()?.integer().and_then(|it| u64::try_from(it).ok());
        let is_planner = |column: &&TableColumn| !RUN_KEYS.contains(&column.name.as_str());
        let planners: Vec<String> =
            table.columns.iter().filter(is_planner).map(|column| column.name.clone()).collect();
        let columns =
            planners.iter().map(|planner| table.integers(planner)).collect::<Result<Vec<_>, _>>()?;
        let problem = |(at, key)| AutoProblem {
            key,
            budget: budget(at),
            completion: columns.iter().map(|column| column[at] as f64 / UNITS).collect(),
        };
        Ok(Self { planners, problems: keys.into_iter().enumerate().map(problem).collect() })
    }
}

/// Returns problem, budget, planner and completion of a run.
fn run_of(row: &RunRow) -> Option<(ProblemKey, Option<u64>, String, f64)> {
    let number = |name| row.integer(name).and_then(|number| u64::try_from(number).ok());
    let map = row.text("map")?.to_owned();
    let game = map.split_once('/').map_or("generated", |(game, _)| game).to_owned();
    let key = ProblemKey {
        game,
        map,
        kind: row.text("type")?.to_owned(),
        instance: number("instance")?,
        agents: number("agents")? as usize,
        seed: row.integer("seed")? as u64,
    };
    Some((key, number("budget"), row.text("planner")?.to_owned(), row.number("completion_rate")?))
}

/// The stored runs and features.
pub struct AutoData {
    runs: AutoRuns,
    /// The features of each problem of the runs.
    rows: Vec<Vec<i32>>,
}

impl AutoData {
    /// Reads runs and features.
    ///
    /// # Errors
    /// If a file is missing or damaged, or the features are not those of this program or of these problems.
    pub fn read(folder: &Path) -> Result<Self, SelectError> {
        let runs = AutoRuns::read(folder)?;
        let known = read_crowds(folder, AUTO_FEATURES_FILE)?;
        let row = |problem: &AutoProblem| known.get(&problem.key).cloned();
        let rows = runs.problems.iter().map(row).collect::<Option<Vec<_>>>();
        let rows = rows.ok_or_else(|| {
            let what = "lacks a stored problem: run `throng select features`";
            SelectError::Runs(format!("{} {what}", folder.join(AUTO_FEATURES_FILE).display()))
        })?;
        Ok(Self { runs, rows })
    }

    /// Returns the problems with one kind of budget, and the planners that need no more sharing than is granted.
    pub fn dataset(&self, sharing: Sharing, budget: BudgetKind) -> Dataset {
        let grid = throng::Grid::new(throng::Tiles::picture("."), throng::MoveRules::default());
        let needs =
            |spec: &str| throng_planners::planner(spec, &grid).ok().map(|it| it.planner.required_sharing());
        let planners = self.runs.planners.iter().enumerate();
        let allowed: Vec<usize> = planners
            .filter(|(_, spec)| needs(spec).is_some_and(|needed| needed <= sharing))
            .map(|(at, _)| at)
            .collect();
        let of_kind = |problem: &AutoProblem| BudgetKind::of(problem.budget, problem.key.agents) == budget;
        let kept = || self.runs.problems.iter().zip(&self.rows).filter(move |(problem, _)| of_kind(problem));
        let group = |problem: &AutoProblem| {
            let ProblemKey { game, map, kind, .. } = problem.key.clone();
            Group { game, map, kind }
        };
        Dataset {
            measure: Measure::Completion,
            features: FEATURES.iter().map(|feature| feature.name.to_owned()).collect(),
            rows: kept().map(|(_, row)| row.clone()).collect(),
            groups: kept().map(|(problem, _)| group(problem)).collect(),
            algorithms: allowed.iter().map(|&at| self.runs.planners[at].clone()).collect(),
            utilities: kept()
                .map(|(problem, _)| allowed.iter().map(|&at| problem.completion[at]).collect())
                .collect(),
            ids: Vec::new(),
            travel: None,
            labels: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Maps;
    use crate::select::features::write_features;

    fn row(map: &str, planner: &str, budget: Option<i64>, completion: f64) -> RunRow {
        let mut row = RunRow::new();
        row.set("experiment", "auto");
        row.set("scale", "few");
        row.set("map", map);
        row.set("type", "random");
        row.set("instance", 0_i64);
        row.set("agents", 20_i64);
        row.set("seed", -5_i64);
        row.set_some("budget", budget);
        row.set("planner", planner);
        row.set("completion_rate", completion);
        row
    }

    fn runs() -> AutoRuns {
        let mut rows = Vec::new();
        for (planner, completion) in [("dm", 0.25), ("whca:window=8", 0.5), ("surge", 1.0)] {
            rows.push(row("builtin:arena", planner, Some(1_279), completion));
            rows.push(row("builtin:arena", planner, Some(1_280), completion / 2.0));
            rows.push(row("builtin:bridge", planner, None, completion / 4.0));
        }
        rows.push(row("builtin:town", "dm", None, 0.5));
        AutoRuns::from_results(&Results { rows, ..Results::default() })
    }

    #[test]
    fn runs_are_read_back_and_incomplete_problems_left_out() {
        let runs = runs();
        assert_eq!(runs.planners, ["dm", "surge", "whca:window=8"]);
        assert_eq!(runs.problems.len(), 3, "not every planner was run in the town");
        let folder = tempfile::tempdir().unwrap();
        runs.write(folder.path()).unwrap();
        assert_eq!(AutoRuns::read(folder.path()).unwrap(), runs);
    }

    #[test]
    fn newer_runs_of_a_planner_replace_older_ones() {
        let (mut stored, before) = (runs(), runs());
        let rows =
            vec![row("builtin:arena", "surge", Some(1_280), 0.75), row("builtin:maze", "surge", None, 0.1)];
        let newer = AutoRuns::from_results(&Results { rows, ..Results::default() });
        assert_eq!(stored.replace(&newer), 1);
        let at =
            |runs: &AutoRuns| runs.problems.iter().map(|problem| problem.completion[1]).collect::<Vec<_>>();
        assert_eq!(at(&before), [1.0, 0.5, 0.25]);
        assert_eq!(at(&stored), [1.0, 0.75, 0.25]);
    }

    #[test]
    fn a_dataset_has_the_planners_of_its_sharing_and_the_problems_of_its_budget() {
        let folder = tempfile::tempdir().unwrap();
        runs().write(folder.path()).unwrap();
        assert!(AutoData::read(folder.path()).is_err(), "the features are missing");
        let written = write_features(&Maps::new(Vec::new()), folder.path(), |_, _, _| ()).unwrap();
        assert_eq!(written.auto, 2);
        let data = AutoData::read(folder.path()).unwrap();
        let of = |sharing, budget| {
            let data = data.dataset(sharing, budget);
            (data.algorithms, data.utilities)
        };
        let (planners, utilities) = of(Sharing::Everything, BudgetKind::Ample);
        assert_eq!(planners, ["dm", "surge", "whca:window=8"]);
        assert_eq!(utilities, [[0.125, 0.5, 0.25], [0.0625, 0.25, 0.125]]);
        assert_eq!(of(Sharing::Reservations, BudgetKind::Small).1, [[0.25, 0.5]]);
        assert_eq!(of(Sharing::Nothing, BudgetKind::Small).0, ["dm"]);
        let agents = FEATURES.iter().position(|feature| feature.name == "agents").unwrap();
        assert_eq!(data.dataset(Sharing::Nothing, BudgetKind::Ample).rows[0][agents], 20);
    }
}
