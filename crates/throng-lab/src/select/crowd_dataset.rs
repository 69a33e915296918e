//! Crowds as a dataset: the features of instances joined with the outcomes of planners at a limit of work.
//!
//! The limit `paper` is the one at which the planners' completion on the thesis's game comes nearest to the thesis's; it is
//! calibrated once, on all its problems, because it defines the task and is no part of a selector. `starved` and `ample` are
//! fixed multiples of it.

use std::path::Path;

use serde::Serialize;

use super::crowd::{
    CrowdRuns, Prices, ProblemCourses, THESIS_COMPLETION, THESIS_PORTFOLIO, best, calibrate, problems,
};
use super::evaluation::Spread;
use super::single_agent::SelectError;
use super::{Dataset, Group, InstanceId, Measure, Split, argmax, best_single, features};

/// The file of the courses of crowd runs.
pub const CROWD_FILE: &str = "crowd.parquet";

/// The file of the prices.
pub const PRICES_FILE: &str = "crowd-prices.toml";

/// The game of the thesis.
const THESIS_GAME: &str = "bg";

/// A limit of work.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkLimit {
    /// Completion is as near as possible to the thesis's.
    #[default]
    Paper,
    /// A third of that work.
    Starved,
    /// Three times that work.
    Ample,
}

impl WorkLimit {
    /// Returns the work relative to that of the limit `paper`.
    pub const fn factor(self) -> f64 {
        match self {
            Self::Paper => 1.0,
            Self::Starved => 1.0 / 3.0,
            Self::Ample => 3.0,
        }
    }
}

/// Problems for crowds with their features and courses.
pub struct CrowdData {
    problems: Vec<ProblemCourses>,
    rows: Vec<Vec<i32>>,
    portfolio: Vec<String>,
    /// The work of the limit `paper`, in expansions of A*.
    pub work: f64,
}

impl CrowdData {
    /// Reads the stored courses, prices and features, and calibrates the limit.
    ///
    /// # Errors
    /// If a file is missing or damaged, or no problem has runs of the whole portfolio.
    pub fn read(folder: &Path, portfolio: &[&str]) -> Result<Self, SelectError> {
        let [runs, prices] = [CROWD_FILE, PRICES_FILE].map(|file| folder.join(file));
        if let Some(missing) = [&runs, &prices].into_iter().find(|path| !path.is_file()) {
            return Err(SelectError::Missing(missing.clone()));
        }
        let runs = CrowdRuns::read(&runs)?;
        let prices = Prices::read(&prices).map_err(|error| SelectError::Runs(error.to_string()))?;
        let known = features::read_crowds(folder)?;
        let mut data = Self { problems: Vec::new(), rows: Vec::new(), portfolio: Vec::new(), work: 0.0 };
        for problem in problems(&runs, portfolio, &prices) {
            if let Some(row) = known.get(&problem.key) {
                data.rows.push(row.clone());
                data.problems.push(problem);
            }
        }
        data.portfolio = portfolio.iter().map(|&planner| planner.to_owned()).collect();
        let nothing = |planners: &[&str]| {
            SelectError::Runs(format!(
                "no stored problem has runs and features of all of {}",
                planners.join("; ")
            ))
        };
        if data.problems.is_empty() {
            return Err(nothing(portfolio));
        }
        let all = problems(&runs, &THESIS_PORTFOLIO, &prices);
        let of_thesis: Vec<&ProblemCourses> =
            all.iter().filter(|problem| problem.key.game == THESIS_GAME).collect();
        let calibrated = calibrate(&of_thesis, &THESIS_COMPLETION);
        data.work = calibrated.ok_or_else(|| nothing(&THESIS_PORTFOLIO))?.work;
        Ok(data)
    }

    /// Returns the outcomes at a limit. Problems of which a run was cut off before the limit are left out. Equal completion is
    /// told apart by distance, then by ticks.
    pub fn dataset(&self, limit: WorkLimit) -> Dataset {
        let work = self.work * limit.factor();
        let mut data = Dataset {
            measure: Measure::Completion,
            features: throng_select::FEATURES.iter().map(|feature| feature.name.to_owned()).collect(),
            rows: Vec::new(),
            groups: Vec::new(),
            ids: Vec::new(),
            algorithms: self.portfolio.clone(),
            utilities: Vec::new(),
            labels: None,
        };
        let mut labels = Vec::new();
        for (problem, row) in self.problems.iter().zip(&self.rows) {
            let Some(outcomes) = problem.at(work) else { continue };
            let key = &problem.key;
            data.rows.push(row.clone());
            data.ids.push(InstanceId::Crowd(key.clone()));
            data.groups.push(Group { game: key.game.clone(), map: key.map.clone(), kind: key.kind.clone() });
            data.utilities.push(outcomes.iter().map(|outcome| outcome.completion).collect());
            labels.push(best(&outcomes));
        }
        data.labels = Some(labels);
        data
    }
}

/// What a selector could reach that knows the expected utilities of map and type, but not the luck of an instance.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ExpectedUtility {
    /// Mean utility of its picks.
    pub quality: f64,
    /// Share of the gap between prior and virtual best that its picks close.
    pub gap_closed: Spread,
}

/// Picks, for every test instance, the algorithm with the highest mean utility over all other instances of its map and type,
/// whatever part they are in.
pub fn expected_utility(data: &Dataset, splits: &[Split]) -> ExpectedUtility {
    let pick = |at: usize| {
        let others = (0..data.len()).filter(|&other| other != at && data.groups[other] == data.groups[at]);
        let mut sums = vec![0.0; data.algorithms.len()];
        for other in others {
            for (sum, utility) in sums.iter_mut().zip(&data.utilities[other]) {
                *sum += utility;
            }
        }
        argmax(&sums)
    };
    let picks: Vec<usize> = (0..data.len()).map(pick).collect();
    let (mut qualities, mut closed) = (Vec::new(), Vec::new());
    for Split { train, test } in splits {
        let mean = |of: &dyn Fn(usize) -> f64| test.iter().map(|&at| of(at)).sum::<f64>() / test.len() as f64;
        let prior = best_single(&data.utilities, train).unwrap_or(0);
        let prior = mean(&|at| data.utilities[at][prior]);
        let best = mean(&|at| data.utilities[at].iter().copied().fold(f64::NEG_INFINITY, f64::max));
        let own = mean(&|at| data.utilities[at][picks[at]]);
        qualities.push(own);
        if best - prior > 1e-9 {
            closed.push((own - prior) / (best - prior));
        }
    }
    let quality = qualities.iter().sum::<f64>() / qualities.len().max(1) as f64;
    ExpectedUtility { quality, gap_closed: Spread::of(&closed) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::{Holdout, splits};

    /// Four instances of each of ten maps. The first algorithm is better on even maps, except for one instance of each.
    fn dataset() -> Dataset {
        let mut data = Dataset {
            measure: Measure::Completion,
            features: Vec::new(),
            rows: Vec::new(),
            groups: Vec::new(),
            ids: Vec::new(),
            algorithms: ["a", "b"].map(str::to_owned).to_vec(),
            utilities: Vec::new(),
            labels: None,
        };
        for (map, instance) in (0..10).flat_map(|map| (0..4).map(move |instance| (map, instance))) {
            let first = (map % 2 == 0) != (instance == 3);
            data.rows.push(Vec::new());
            data.groups.push(Group { game: "g".to_owned(), map: map.to_string(), kind: "random".to_owned() });
            data.utilities.push(if first { vec![1.0, 0.0] } else { vec![0.0, 1.0] });
        }
        data
    }

    /// The mean of the others of its map and type is right for three instances of four.
    #[test]
    fn expected_utilities_do_not_know_the_luck_of_an_instance() {
        let data = dataset();
        let every: Vec<usize> = (0..data.len()).collect();
        let found = expected_utility(&data, &[Split { train: every.clone(), test: every }]);
        assert!((found.quality - 0.75).abs() < 1e-9, "{found:?}");
        assert!((found.gap_closed.mean.unwrap() - 0.5).abs() < 1e-9, "prior 0.5, best 1: {found:?}");
        let all = splits(&data, Holdout::Maps, 5, 70, 1);
        let found = expected_utility(&data, &all);
        assert!((found.quality - 0.75).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn a_folder_without_data_is_refused_with_the_command_that_makes_them() {
        let folder = tempfile::tempdir().unwrap();
        let error = CrowdData::read(folder.path(), &THESIS_PORTFOLIO).err().unwrap().to_string();
        assert!(error.contains(CROWD_FILE) && error.contains("throng select gather"), "{error}");
    }
}
