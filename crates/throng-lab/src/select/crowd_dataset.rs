//! Crowds as data for evaluations: the features of instances joined with the outcomes of planners at a limit of work.
//!
//! The limit `paper` is the one at which the planners' completion on the thesis's game comes nearest to the thesis's. It is
//! calibrated for each split on the problems of its training part, so that nothing of the test part is known before the test.
//! A split whose training part has no problem of that game uses the limit of all stored problems. `starved` and `ample` are
//! fixed multiples of the limit. A problem of which a run had a lower limit is left out of the split,
//! also if the run ended by itself before: otherwise those that end early would be preferred. A split whose limit is higher
//! than the stored runs reach is evaluated at the largest limit that they reach, if the limit of all problems is not higher
//! too. What runs reach depends on their limits alone and not on their results.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::crowd::{
    Calibration, CrowdRuns, Prices, ProblemCourses, ProblemKey, THESIS_COMPLETION, THESIS_PORTFOLIO, best,
    calibrate, curve, problems,
};
use super::single_agent::SelectError;
use super::{Dataset, Group, Holdout, InstanceId, Measure, Split, Trial, WorkCurve, features, splits};

/// The file of the courses of crowd runs.
pub const CROWD_FILE: &str = "crowd.parquet";

/// The file of the prices.
pub const PRICES_FILE: &str = "crowd-prices.toml";

/// The game of the thesis.
const THESIS_GAME: &str = "bg";

/// Number of splits, and the share of the training part in percent, as in the thesis.
const SPLITS: usize = 10;
const TRAIN_PERCENT: usize = 70;

/// The fewest problems with long runs that the curve up to the limit `ample` is drawn for, and that an evaluation may be
/// confined to because the runs of all others end before its limit.
const ENOUGH_PROBLEMS: usize = 100;

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
    /// All limits.
    pub const ALL: [Self; 3] = [Self::Paper, Self::Starved, Self::Ample];

    /// Returns the name in experiment files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Starved => "starved",
            Self::Ample => "ample",
        }
    }

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
#[derive(Clone, Debug)]
pub struct CrowdData {
    problems: Vec<ProblemCourses>,
    rows: Vec<Vec<i32>>,
    features: Vec<String>,
    portfolio: Vec<String>,
    /// By problem: the courses of the thesis's planners, if it is one of the thesis's game.
    of_thesis: Vec<Option<ProblemCourses>>,
    /// The limit `paper`, calibrated on all stored problems of the thesis's game.
    pub calibration: Calibration,
}

/// The limits of the splits, in expansions of A*.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct LimitSpread {
    /// Calibrated on all stored problems.
    pub all: f64,
    /// The lowest of the splits.
    pub lowest: f64,
    /// The mean of the splits.
    pub mean: f64,
    /// The highest of the splits.
    pub highest: f64,
    /// The number of splits without a problem of the thesis's game in the training part, whose limit is that of all.
    pub not_own: usize,
    /// The number of splits whose limit was lowered to the largest one that the stored runs reach.
    pub lowered: usize,
}

/// The trials of an evaluation, and their limits.
#[derive(Clone, Debug)]
pub struct CrowdTrials {
    /// The trials.
    pub trials: Vec<Trial<'static>>,
    /// The limit of work of each trial, in expansions of A*.
    pub works: Vec<f64>,
    /// How far the limits spread.
    pub limits: LimitSpread,
    /// The number of problems.
    pub problems: usize,
    /// The number of problems whose runs reach the limit that is calibrated on all.
    pub long_enough: usize,
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
        let names = throng_select::FEATURES.iter().map(|feature| feature.name.to_owned()).collect();
        Self::new(
            &runs,
            &prices,
            (names, &features::read_crowds(folder, features::CROWD_FEATURES_FILE)?),
            portfolio,
        )
    }

    /// Joins runs and features, and calibrates the limit.
    ///
    /// # Errors
    /// If no problem has runs of the whole portfolio, or of the thesis's.
    pub fn new(
        runs: &CrowdRuns,
        prices: &Prices,
        (features, known): (Vec<String>, &BTreeMap<ProblemKey, Vec<i32>>),
        portfolio: &[&str],
    ) -> Result<Self, SelectError> {
        let nothing = |planners: &[&str]| {
            SelectError::Runs(format!(
                "no stored problem has runs and features of all of {}",
                planners.join("; ")
            ))
        };
        let stored = problems(runs, portfolio, prices);
        let (problems_known, rows): (Vec<ProblemCourses>, Vec<Vec<i32>>) = stored
            .into_iter()
            .filter_map(|problem| known.get(&problem.key).cloned().map(|row| (problem, row)))
            .unzip();
        if problems_known.is_empty() {
            return Err(nothing(portfolio));
        }
        let mut thesis: BTreeMap<ProblemKey, ProblemCourses> = problems(runs, &THESIS_PORTFOLIO, prices)
            .into_iter()
            .filter(|problem| problem.key.game == THESIS_GAME)
            .map(|problem| (problem.key.clone(), problem))
            .collect();
        let all: Vec<&ProblemCourses> = thesis.values().collect();
        let calibration = calibrate(&all, &THESIS_COMPLETION).ok_or_else(|| nothing(&THESIS_PORTFOLIO))?;
        Ok(Self {
            of_thesis: problems_known.iter().map(|problem| thesis.remove(&problem.key)).collect(),
            problems: problems_known,
            rows,
            features,
            portfolio: portfolio.iter().map(|&planner| planner.to_owned()).collect(),
            calibration,
        })
    }

    /// Returns the problems of some games alone; of all games if none is named.
    #[must_use]
    pub fn of_games(mut self, games: &[String]) -> Self {
        let is_kept: Vec<bool> = self
            .problems
            .iter()
            .map(|problem| games.is_empty() || games.contains(&problem.key.game))
            .collect();
        let mut keep = is_kept.iter();
        self.problems.retain(|_| keep.next().is_some_and(|kept| *kept));
        let mut keep = is_kept.iter();
        self.rows.retain(|_| keep.next().is_some_and(|kept| *kept));
        let mut keep = is_kept.iter();
        self.of_thesis.retain(|_| keep.next().is_some_and(|kept| *kept));
        self
    }

    /// Returns the number of problems.
    pub fn len(&self) -> usize {
        self.problems.len()
    }

    /// Returns true if there are no problems.
    pub fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    /// Returns the problems.
    pub fn ids(&self) -> Vec<InstanceId> {
        self.problems.iter().map(|problem| InstanceId::Crowd(problem.key.clone())).collect()
    }

    /// Returns the limit of all stored problems, in expansions of A*.
    pub fn work(&self, limit: WorkLimit) -> f64 {
        self.calibration.work * limit.factor()
    }

    /// Returns the limit `paper` of some problems; none if none of them is of the thesis's game.
    fn calibrated(&self, part: &[usize]) -> Option<f64> {
        let known: Vec<&ProblemCourses> = part.iter().filter_map(|&at| self.of_thesis[at].as_ref()).collect();
        Some(calibrate(&known, &THESIS_COMPLETION)?.work)
    }

    /// Returns the largest limit of work that the runs of enough problems reach, or those of all if there are few.
    fn reach(&self) -> f64 {
        let mut reaches: Vec<f64> = self.problems.iter().map(ProblemCourses::max_work).collect();
        reaches.sort_by(|a, b| b.total_cmp(a));
        reaches.get(ENOUGH_PROBLEMS - 1).or(reaches.last()).copied().unwrap_or(0.0)
    }

    /// Returns the limit of a split, and true if it was lowered to what the stored runs reach.
    fn split_work(&self, split: &Split, limit: WorkLimit) -> (f64, bool) {
        let own = self.calibrated(&split.train).unwrap_or(self.calibration.work) * limit.factor();
        let most = self.reach().max(self.work(limit));
        (own.min(most), own > most)
    }

    /// Returns the outcomes at a limit of work, and the numbers of the problems whose runs reach it. Equal completion is
    /// told apart by distance, then by ticks.
    pub fn at(&self, work: f64) -> (Dataset, Vec<usize>) {
        let mut data = Dataset {
            measure: Measure::Completion,
            features: self.features.clone(),
            rows: Vec::new(),
            groups: Vec::new(),
            ids: Vec::new(),
            algorithms: self.portfolio.clone(),
            utilities: Vec::new(),
            labels: None,
            travel: None,
        };
        let (mut labels, mut travel, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        for (at, (problem, row)) in self.problems.iter().zip(&self.rows).enumerate() {
            let Some(outcomes) = problem.at(work) else { continue };
            kept.push(at);
            data.rows.push(row.clone());
            data.ids.push(InstanceId::Crowd(problem.key.clone()));
            data.groups.push(group(&problem.key));
            data.utilities.push(outcomes.iter().map(|outcome| outcome.completion).collect());
            travel.push(outcomes.iter().map(|outcome| outcome.travel).collect());
            labels.push(best(&outcomes));
        }
        (data.labels, data.travel) = (Some(labels), Some(travel));
        (data, kept)
    }

    /// Returns the splits of the thesis: ten random ones with 70 % of the units in the training part, or one per game.
    pub fn splits(&self, holdout: Holdout, seed: u64) -> Vec<Split> {
        let groups: Vec<Group> = self.problems.iter().map(|problem| group(&problem.key)).collect();
        splits(&groups, holdout, SPLITS, TRAIN_PERCENT, seed)
    }

    /// Returns the trial of a split, and its limit of work. Returns `None` if a part has no problem whose runs reach the limit.
    pub fn trial(&self, split: &Split, limit: WorkLimit) -> Option<(Trial<'static>, f64)> {
        let (work, _) = self.split_work(split, limit);
        let (data, kept) = self.at(work);
        Some((Trial { data: Cow::Owned(data), split: split.among(&kept)? }, work))
    }

    /// Returns the trials of an evaluation. Returns `None` if there is no split, or no problem has runs that reach the limit.
    pub fn trials(&self, holdout: Holdout, limit: WorkLimit, seed: u64) -> Option<CrowdTrials> {
        let splits = self.splits(holdout, seed);
        let own = |split: &&Split| split.train.iter().any(|&at| self.of_thesis[at].is_some());
        let not_own = splits.iter().filter(|split| !own(split)).count();
        let lowered = splits.iter().filter(|split| self.split_work(split, limit).1).count();
        let (trials, works): (Vec<Trial<'static>>, Vec<f64>) =
            splits.iter().filter_map(|split| self.trial(split, limit)).unzip();
        let limits = LimitSpread {
            all: self.work(limit),
            lowest: works.iter().copied().reduce(f64::min)?,
            mean: works.iter().sum::<f64>() / works.len() as f64,
            highest: works.iter().copied().reduce(f64::max)?,
            not_own,
            lowered,
        };
        let long_enough = self.at(self.work(limit)).1.len();
        Some(CrowdTrials { trials, works, limits, problems: self.len(), long_enough })
    }

    /// Returns completion over limits of work. If enough problems have runs up to the limit
    /// `ample`, it is drawn for these and up to there, otherwise for all problems and as far as their runs reach.
    pub fn curve(&self, points: usize) -> WorkCurve {
        let ample = self.work(WorkLimit::Ample);
        let long: Vec<&ProblemCourses> =
            self.problems.iter().filter(|problem| problem.max_work() >= ample).collect();
        let (shown, most) = if long.len() >= ENOUGH_PROBLEMS {
            (long, ample)
        } else {
            (self.problems.iter().collect(), f64::INFINITY)
        };
        WorkCurve {
            points: curve(&shown, most, points),
            problems: shown.len(),
            portfolio: self.portfolio.clone(),
            calibrated: self.calibration.work,
        }
    }
}

fn group(key: &ProblemKey) -> Group {
    Group { game: key.game.clone(), map: key.map.clone(), kind: key.kind.clone() }
}

#[cfg(test)]
mod tests;
