//! Crowds under a limit of work: which planner of a portfolio brings the most agents to their goals.
//!
//! D. Sigurdson, *Automatic Algorithm Selection in Videogame Pathfinding*, thesis, University of Alberta, 2018, chapter 5,
//! limits a run to 30 seconds. Here a run is limited by priced work: its expansions times the time per expansion of its
//! planner, measured once in units of an expansion of A* ([`Prices`]). The courses of stored runs ([`CrowdRuns`]) give the
//! result at every limit, so that the limit can be calibrated ([`calibrate`]) and varied ([`curve`]).

mod calibration;
mod prices;
mod stored;

pub use calibration::{Calibration, CurvePoint, THESIS_COMPLETION, calibrate, curve};
pub use prices::{PRICE_SCALE, PriceError, Prices};
pub use stored::{CrowdRun, CrowdRuns, is_stored_scale};

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::Course;

/// The portfolio of the thesis: BMAA*, FAR with the published rules for deadlocks, WHCA*.
pub const THESIS_PORTFOLIO: [&str; 3] =
    ["bmaa:push=own-goal,flow=off", "far:reserve=3,deadlock=paper", "whca:window=8"];

/// The same portfolio with our rules for deadlocks.
pub const OWN_PORTFOLIO: [&str; 3] = ["bmaa:push=own-goal,flow=off", "far:reserve=3", "whca:window=8"];

/// What determines a problem for a crowd.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ProblemKey {
    /// The game, which is the set of the map.
    pub game: String,
    /// The name of the map with its set, such as `bg/AR0011SR`.
    pub map: String,
    /// The problem type.
    pub kind: String,
    /// The number of the problem among those of its map and type.
    pub instance: u64,
    /// The number of agents.
    pub agents: usize,
    /// The seed that starts and goals are drawn with.
    pub seed: u64,
}

/// The result of a planner at a limit of work.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Outcome {
    /// The share of the agents on their goals.
    pub completion: f64,
    /// The mean distance that an agent has walked.
    pub travel: f64,
    /// The number of ticks.
    pub ticks: f64,
}

impl Outcome {
    /// Orders outcomes from worst to best: by completion; equal ones by the shorter distance, then by fewer ticks.
    pub fn compare(&self, other: &Self) -> Ordering {
        let completion = self.completion.total_cmp(&other.completion);
        completion.then(other.travel.total_cmp(&self.travel)).then(other.ticks.total_cmp(&self.ticks))
    }
}

/// The courses of all planners of a portfolio on one problem.
#[derive(Clone, Debug)]
pub struct ProblemCourses {
    /// The problem.
    pub key: ProblemKey,
    /// The runs of each planner, in the order of the portfolio: by rising limits.
    planners: Vec<Vec<PricedCourse>>,
}

/// The course of a run, and what an expansion costs.
#[derive(Clone, Debug)]
struct PricedCourse {
    course: Course,
    price: f64,
    /// The work of the run's limit. A run that ended before by itself counts up to there and no further: otherwise only
    /// problems that end early would be known at high limits.
    reach: f64,
}

impl ProblemCourses {
    /// Returns the outcome of each planner at a limit of work. Returns `None` if the limits of its runs are lower.
    pub fn at(&self, work: f64) -> Option<Vec<Outcome>> {
        let outcome = |runs: &Vec<PricedCourse>| {
            let run = runs.iter().find(|run| work <= run.reach)?;
            let mark = run.course.at(work / run.price);
            let completion = mark.arrived / self.key.agents.max(1) as f64;
            Some(Outcome { completion, travel: mark.travel, ticks: mark.ticks })
        };
        self.planners.iter().map(outcome).collect()
    }

    /// Returns the largest limit of work at which the outcomes of all planners are known.
    pub fn max_work(&self) -> f64 {
        let known = |runs: &Vec<PricedCourse>| runs.iter().map(|run| run.reach).fold(0.0, f64::max);
        self.planners.iter().map(known).fold(f64::INFINITY, f64::min)
    }
}

/// Returns the position of the best outcome: the first of several that are equal in all respects.
pub fn best(outcomes: &[Outcome]) -> usize {
    let better =
        |best: usize, at: usize| if outcomes[at].compare(&outcomes[best]).is_gt() { at } else { best };
    (0..outcomes.len()).fold(0, better)
}

/// Returns the problems on which every planner of the portfolio has a run, in the order of their keys. A planner without a
/// price is an error of the caller and has no runs.
pub fn problems(runs: &CrowdRuns, portfolio: &[&str], prices: &Prices) -> Vec<ProblemCourses> {
    let mut found: BTreeMap<&ProblemKey, Vec<Vec<PricedCourse>>> = BTreeMap::new();
    for run in &runs.runs {
        let Some(place) = portfolio.iter().position(|planner| *planner == run.planner) else { continue };
        let Some(price) = prices.of(&run.planner) else { continue };
        let planners = found.entry(&run.key).or_insert_with(|| vec![Vec::new(); portfolio.len()]);
        let reach = run.limit as f64 * price;
        planners[place].push(PricedCourse { course: run.course.clone(), price, reach });
    }
    let complete = found.into_iter().filter(|(_, planners)| planners.iter().all(|runs| !runs.is_empty()));
    let problem = |(key, mut planners): (&ProblemKey, Vec<Vec<PricedCourse>>)| {
        for runs in &mut planners {
            runs.sort_by(|a, b| a.reach.total_cmp(&b.reach));
        }
        ProblemCourses { key: key.clone(), planners }
    };
    complete.map(problem).collect()
}

#[cfg(test)]
mod tests;
