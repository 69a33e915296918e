//! Questions about maps that have changed since their path database was built.
//!
//! Every search is asked the same questions on the same perturbed maps, and all of them in a row, so that none works
//! with memory that another one has fetched. All questions are gone through several times, and the least time of each
//! counts: whatever else the machine does meanwhile only adds to it. A question is never asked twice running. Only the
//! question is timed: before it a search may look at what has changed. Every path is checked: its steps, its cost
//! against the least, and the search's own lower bound.

use std::sync::Arc;
use std::time::Instant;

use throng::cpd::{Cpd, CpdBuilder, Perturbation, Perturbed, any_search};
use throng::searches::Unsupported;
use throng::searches::spec::{MILLION, SpecError, Values, split};
use throng::{Cell, Cost, Executor, Grid, Ground, Pool, RegisteredSearch};

use crate::stats::Percentiles;

/// How often all questions are gone through.
pub const PASSES: usize = 3;

/// Builds the path database of a ground on all processors; `watch` is told how many rows are done, and may end it.
///
/// # Errors
/// When there are no threads to be had.
pub fn build(ground: &Ground, mut watch: impl FnMut(usize) -> bool) -> std::io::Result<Option<Cpd>> {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let pool = Pool::new(threads).map_err(std::io::Error::other)?;
    let mut build = CpdBuilder::new(ground);
    while build.advance(&|count, piece| pool.run(count, piece)).is_some() {
        if !watch(build.done()) {
            return Ok(None);
        }
    }
    Ok(Some(build.finish()))
}

/// A question about a perturbed map.
#[derive(Clone, Debug)]
pub struct Question {
    /// From where to where.
    pub ends: (Cell, Cell),
    /// What happens to the map.
    perturbed: Perturbed,
    /// The cost of a shortest path then.
    pub least: Cost,
}

/// Questions that have an answer, and how many have none.
#[derive(Clone, Debug, Default)]
pub struct Questions {
    /// Those that have one.
    pub asked: Vec<Question>,
    /// How many were made unsolvable by the perturbation.
    pub dropped: usize,
}

impl Questions {
    /// Perturbs a map for each pair of cells. `watch` is told after each, and may end it.
    ///
    /// # Errors
    /// When A* does not support the map: never, as it supports all.
    pub fn new(
        grid: &mut Grid,
        pairs: &[(Cell, Cell)],
        perturbation: Perturbation,
        mut watch: impl FnMut() -> bool,
    ) -> Result<Self, Unsupported> {
        let mut shortest = throng::search("astar").unwrap_or_else(|error| panic!("{error}"));
        let mut questions = Self::default();
        for &ends in pairs {
            if !watch() {
                break;
            }
            let Some(perturbed) = perturbation.apply(grid, ends, &mut shortest)? else { continue };
            perturbed.undo(grid);
            match perturbed.after {
                Some(least) => questions.asked.push(Question { ends, perturbed, least }),
                None => questions.dropped += 1,
            }
        }
        Ok(questions)
    }
}

/// Where the quarters of many values lie, as nearest ranks, and their mean.
#[derive(Clone, Copy, PartialEq, Debug, Default, serde::Serialize)]
pub struct Quartiles {
    /// A quarter is not above it.
    pub p25: f64,
    /// The median.
    pub p50: f64,
    /// Three quarters are not above it.
    pub p75: f64,
    /// The mean.
    pub mean: f64,
}

impl Quartiles {
    /// The quartiles of values; all zero when there are none.
    pub fn of(values: &[f64]) -> Self {
        let Some(all) = Percentiles::of(values) else { return Self::default() };
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        Self { p25: all.at(25), p50: all.at(50), p75: all.at(75), mean }
    }
}

/// What a search has answered.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// Questions that it found a path for.
    pub solved: usize,
    /// Questions without a path, paths that are illegal or cost more than promised, and lower bounds that are none.
    pub violations: usize,
    /// Cost over least cost: mean and most.
    pub cost_over_optimal: (f64, f64),
    /// Time of a question, the least of several.
    pub us_per_query: Quartiles,
    /// The median time of questions that have not been asked before.
    pub us_first: f64,
    /// Nodes expanded.
    pub expansions: Quartiles,
    /// All percentiles of the times; nothing without questions.
    pub us_percentiles: Option<Percentiles>,
    /// All percentiles of the nodes; nothing without questions.
    pub expansion_percentiles: Option<Percentiles>,
}

impl Answers {
    /// Counts one of so many answers.
    fn count(&mut self, ratio: Result<f64, Broken>, of: usize) {
        match ratio {
            Ok(ratio) => {
                self.solved += 1;
                self.cost_over_optimal.0 += ratio / of as f64;
                self.cost_over_optimal.1 = self.cost_over_optimal.1.max(ratio);
            }
            Err(Broken) => self.violations += 1,
        }
    }
}

/// A search with what it promises.
#[derive(Debug)]
pub struct Candidate {
    /// Its name and parameters.
    pub text: String,
    finder: RegisteredSearch,
    /// What it promises, in millionths of the least cost.
    factor: Option<u64>,
}

impl Candidate {
    /// The search that a text names, with the factor `epsilon` if it takes one and the text does not say.
    ///
    /// # Errors
    /// When the name or a parameter is unknown, or a value is out of its range.
    pub fn new(text: &str, epsilon: &str, cpd: &Arc<Cpd>) -> Result<Self, SpecError> {
        let info = any_search(text, Some(cpd))?.info();
        let takes = |name: &&str| info.parameters.iter().any(|parameter| parameter.name == *name);
        let name = ["epsilon", "weight"].into_iter().find(takes);
        let full = match name.filter(|name| !text.contains(&format!("{name}="))) {
            Some(name) => format!("{text}{}{name}={epsilon}", if text.contains(':') { "," } else { ":" }),
            None => text.to_owned(),
        };
        let finder = any_search(&full, Some(cpd))?;
        let (search, parameters) = split(&full);
        let values = Values::parse(search, info.parameters, parameters)?;
        let factor = name.map(|name| values.get(name)).or(info.optimal.then_some(MILLION));
        Ok(Self { text: full, finder, factor })
    }

    /// Asks all questions in a row, several times. `watch` is told after each; nothing when it has ended it.
    ///
    /// # Errors
    /// When the search does not support the map.
    pub fn ask(
        &mut self,
        grid: &mut Grid,
        questions: &[Question],
        mut watch: impl FnMut() -> bool,
    ) -> Result<Option<Answers>, Unsupported> {
        let mut answers = Answers::default();
        let (mut microseconds, mut expansions) = (vec![f64::MAX; questions.len()], Vec::new());
        let mut path = Vec::new();
        for pass in 0..PASSES {
            for (question, least) in questions.iter().zip(&mut microseconds) {
                question.perturbed.redo(grid, question.ends);
                let asked = self.time(grid, question, &mut path);
                question.perturbed.undo(grid);
                let (time, expanded, ratio) = asked?;
                *least = least.min(time);
                if pass == 0 {
                    expansions.push(expanded as f64);
                    answers.count(ratio, questions.len());
                }
                if !watch() {
                    return Ok(None);
                }
            }
            if pass == 0 {
                answers.us_first = Quartiles::of(&microseconds).p50;
            }
        }
        answers.us_per_query = Quartiles::of(&microseconds);
        answers.us_percentiles = Percentiles::of(&microseconds);
        answers.expansions = Quartiles::of(&expansions);
        answers.expansion_percentiles = Percentiles::of(&expansions);
        Ok(Some(answers))
    }

    /// Asks one question, and shows the perturbed map, the path, and the cells expanded.
    ///
    /// # Errors
    /// When the search does not support the map.
    pub fn show<R>(
        &mut self,
        grid: &mut Grid,
        question: &Question,
        draw: impl FnOnce(&Grid, &[Cell], &[u32]) -> R,
    ) -> Result<R, Unsupported> {
        question.perturbed.redo(grid, question.ends);
        let mut path = Vec::new();
        let answer = self.finder.find(grid.ground(), question.ends.0, question.ends.1, &mut path);
        let drawn = answer.map(|_| draw(grid, &path, self.finder.expanded()));
        question.perturbed.undo(grid);
        drawn
    }

    /// Asks a question: microseconds, expansions, and the cost over the least if the promise is kept.
    fn time(
        &mut self,
        grid: &Grid,
        Question { ends: (from, to), least, .. }: &Question,
        path: &mut Vec<Cell>,
    ) -> Result<(f64, u64, Result<f64, Broken>), Unsupported> {
        let ground = grid.ground();
        self.finder.prepare(ground)?;
        let start = Instant::now();
        let answer = self.finder.find(ground, *from, *to, path)?;
        let microseconds = start.elapsed().as_secs_f64() * 1e6;
        let kept = answer.cost.filter(|&cost| {
            let within =
                self.factor.is_none_or(|factor| u64::from(cost) * MILLION <= u64::from(*least) * factor);
            let ends = (path.first(), path.last()) == (Some(from), Some(to));
            within && ends && ground.path_cost(path) == Some(cost) && answer.lower_bound <= *least
        });
        let ratio = kept.map(|cost| f64::from(cost) / f64::from(*least)).ok_or(Broken);
        Ok((microseconds, answer.expansions, ratio))
    }
}

/// A promise that was not kept.
#[derive(Clone, Copy, Debug)]
struct Broken;

#[cfg(test)]
mod tests {
    use super::*;
    use throng::grid::random_queries;
    use throng::{Corners, MoveRules};

    #[test]
    fn quartiles_are_values_that_were_there() {
        assert_eq!(Quartiles::of(&[]), Quartiles::default());
        let found = Quartiles::of(&(1..=8).rev().map(f64::from).collect::<Vec<_>>());
        assert_eq!(found, Quartiles { p25: 2.0, p50: 4.0, p75: 6.0, mean: 4.5 });
    }

    #[test]
    fn all_searches_meet_the_same_perturbed_maps_and_leave_none() {
        let tiles = throng::grid::builtin::builtin("arena").unwrap();
        let mut grid = Grid::new(tiles, MoveRules::eight_way(Corners::Mixed));
        let before = grid.ground().fingerprint();
        let cpd = Arc::new(build(grid.ground(), |_| true).unwrap().unwrap());
        let pairs = random_queries(grid.ground(), 40, 3);
        let questions = Questions::new(&mut grid, &pairs, Perturbation::Exp1, || true).unwrap();
        assert!(questions.asked.len() > 20, "{} of 40", questions.asked.len());
        for text in ["astar", "wastar", "cpd-search", "cpd-near"] {
            let mut candidate = Candidate::new(text, "1.1", &cpd).unwrap();
            let answers = candidate.ask(&mut grid, &questions.asked, || true).unwrap().unwrap();
            assert_eq!((answers.solved, answers.violations), (questions.asked.len(), 0), "{text}");
            let (mean, most) = answers.cost_over_optimal;
            assert!((1.0..1.100_001).contains(&mean) && most < 1.100_001, "{text}: {mean}, {most}");
            assert_eq!(grid.ground().fingerprint(), before, "{text}");
            assert!(0.0 < answers.us_per_query.p50 && answers.us_per_query.p50 <= answers.us_first, "{text}");
        }
        // What costs more than the least does not count as kept by a search that promises the least.
        let mut hasty = Candidate::new("cpd-weighted:epsilon=2", "1.1", &cpd).unwrap();
        hasty.factor = Some(MILLION);
        assert!(hasty.ask(&mut grid, &questions.asked, || true).unwrap().unwrap().violations > 0);
    }
}
