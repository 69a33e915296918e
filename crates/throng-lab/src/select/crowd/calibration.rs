//! The limit of work at which the planners complete as much as in the thesis, and completion over limits.

use super::{Outcome, ProblemCourses, best};

/// Completion of BMAA*, FAR and WHCA* in Table 5.1 of the thesis.
pub const THESIS_COMPLETION: [f64; 3] = [0.657, 0.661, 0.546];

/// The number of limits that are tried.
const STEPS: i32 = 400;

/// The smallest limit that is tried, in expansions of A*.
const SMALLEST: f64 = 50_000.0;

/// A limit of work that was chosen to reproduce published completions.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct Calibration {
    /// The limit, in expansions of A*.
    pub work: f64,
    /// The completion of each planner at the limit.
    pub completion: Vec<f64>,
    /// The root of the mean squared difference from the targets.
    pub error: f64,
}

/// Completion at a limit of work, over all problems.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct CurvePoint {
    /// The limit, in expansions of A*.
    pub work: f64,
    /// The completion of each planner.
    pub completion: Vec<f64>,
    /// The completion of the virtual best planner.
    pub best: f64,
    /// The completion of the worst choice on every problem.
    pub worst: f64,
    /// The share of the problems on which each planner is the best choice.
    pub best_share: Vec<f64>,
}

impl CurvePoint {
    /// Returns the completion of the best single planner.
    pub fn prior(&self) -> f64 {
        self.completion.iter().copied().fold(0.0, f64::max)
    }
}

/// Returns the point of the curve at a limit. Returns `None` without problems, or if the outcome of one is not known.
fn point(problems: &[&ProblemCourses], work: f64) -> Option<CurvePoint> {
    let outcomes: Vec<Vec<Outcome>> =
        problems.iter().map(|problem| problem.at(work)).collect::<Option<_>>()?;
    let (count, planners) = (outcomes.len() as f64, outcomes.first()?.len());
    let (mut completion, mut best_share) = (vec![0.0; planners], vec![0.0; planners]);
    let (mut highest, mut lowest) = (0.0, 0.0);
    for outcomes in &outcomes {
        let chosen = best(outcomes);
        best_share[chosen] += 1.0 / count;
        highest += outcomes[chosen].completion / count;
        lowest += outcomes.iter().map(|outcome| outcome.completion).fold(1.0, f64::min) / count;
        for (sum, outcome) in completion.iter_mut().zip(outcomes) {
            *sum += outcome.completion / count;
        }
    }
    Some(CurvePoint { work, completion, best: highest, worst: lowest, best_share })
}

/// Returns the limit of work at which the completions come nearest to the targets, by least squares: the one free number of
/// the comparison with the thesis. Limits are tried in a geometric sequence as far as the outcomes of all problems are known.
/// Returns `None` without problems or if no limit is known.
pub fn calibrate(problems: &[&ProblemCourses], targets: &[f64]) -> Option<Calibration> {
    let most = known_work(problems).min(1e9);
    let ratio = (most / SMALLEST).powf(1.0 / f64::from(STEPS));
    let at = |step: i32| {
        let CurvePoint { work, completion, .. } = point(problems, SMALLEST * ratio.powi(step))?;
        let squares = completion.iter().zip(targets).map(|(own, target)| (own - target).powi(2));
        let error = (squares.sum::<f64>() / targets.len() as f64).sqrt();
        Some(Calibration { work, completion, error })
    };
    (0..STEPS).filter_map(at).min_by(|a, b| a.error.total_cmp(&b.error))
}

/// Returns completion at `count` limits in a geometric sequence up to the largest one at which all outcomes are known, but at
/// most to `most`.
pub fn curve(problems: &[&ProblemCourses], most: f64, count: usize) -> Vec<CurvePoint> {
    let ratio = (known_work(problems).min(most).min(1e9) / SMALLEST)
        .powf(1.0 / count.max(2).saturating_sub(1) as f64);
    // The last limit is a little lower, so that rounding does not exceed what is known.
    let limit = |step: usize| SMALLEST * ratio.powi(step as i32) * 0.999_999;
    (0..count).filter_map(|step| point(problems, limit(step))).collect()
}

/// Returns the largest limit of work at which the outcomes of all problems are known.
fn known_work(problems: &[&ProblemCourses]) -> f64 {
    problems.iter().map(|problem| problem.max_work()).fold(f64::INFINITY, f64::min)
}
