//! Advice on a planner for a map and a crowd, from short trials.
//!
//! All candidates run on a first problem, the better half of them on a second one, and so on (successive halving: K. Jamieson,
//! A. Talwalkar, *Non-stochastic Best Arm Identification and Hyperparameter Optimization*, AISTATS 2016). So most of the time
//! goes to the planners among which the decision falls.

use serde::Serialize;
use throng::{Grid, MapKnowledge, MoveRules, Tiles};
use throng_crowd::Sharing;

use crate::{RunResult, Stopped};

/// The planners that are tried: every family, and the parameters that matter most. Of equal ones the first is preferred.
const CANDIDATES: [&str; 13] = [
    "surge",
    "surge:flow=0.5",
    "pibt",
    "whca:window=8",
    "whca:window=16",
    "far",
    "far:reserve=2",
    "bmaa",
    "bmaa-c",
    "bmaa:expansions=128",
    "lra",
    "dm",
    "rtaa",
];

/// The number of candidates that are always kept.
const MIN_KEPT: usize = 2;

/// What trials of a planner have shown.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TrialSummary {
    /// The planner with its parameters.
    pub planner: String,
    /// The number of trials.
    pub trials: usize,
    /// The number of trials that the limit of time ended.
    pub cut_short: usize,
    /// The mean share of the agents that arrived.
    pub completion_rate: f64,
    /// The mean tick of arrival; an agent that has not arrived counts the limit.
    pub completion_ticks_mean: f64,
    /// The mean of the 99th percentiles of the time per tick, in microseconds.
    pub tick_us_p99: f64,
}

impl TrialSummary {
    fn add(&mut self, result: &RunResult) {
        let before = self.trials as f64;
        let extend = |mean: &mut f64, value: f64| *mean = before.mul_add(*mean, value) / (before + 1.0);
        extend(&mut self.completion_rate, result.completion_rate);
        extend(&mut self.completion_ticks_mean, result.completion_ticks_mean);
        extend(&mut self.tick_us_p99, result.tick_us.p99);
        self.trials += 1;
        self.cut_short += usize::from(result.stopped == Stopped::Wall);
    }

    /// Orders planners from best to worst: by trials, since only the better ones get more; then by completion in steps of half
    /// a point, and then by the mean tick of arrival in steps of a twentieth. Smaller differences are luck.
    fn compare(&self, other: &Self) -> std::cmp::Ordering {
        let steps = |summary: &Self| (summary.completion_rate * 200.0).round();
        let by_trials = other.trials.cmp(&self.trials);
        let by_completion = steps(other).total_cmp(&steps(self));
        let arrival = |summary: &Self| (summary.completion_ticks_mean.max(1.0).ln() * 20.0).round();
        by_trials.then(by_completion).then(arrival(self).total_cmp(&arrival(other)))
    }
}

/// Returns the planners that need no more sharing and no more of the map than is granted.
pub fn candidates(sharing: Sharing, map: MapKnowledge) -> Vec<&'static str> {
    let grid = Grid::new(Tiles::picture("."), MoveRules::default());
    let is_allowed = |spec: &&str| {
        let made = throng_planners::planner(spec, &grid).expect("candidates are registered").planner;
        made.required_sharing() <= sharing && made.required_map() <= map
    };
    CANDIDATES.into_iter().filter(is_allowed).collect()
}

/// Returns the number of trials of [`advise`] with a number of candidates and rounds.
pub fn trial_count(candidates: usize, rounds: usize) -> usize {
    let next = |kept: &usize| Some((kept.div_ceil(2)).max(MIN_KEPT.min(*kept)));
    std::iter::successors(Some(candidates), next).take(rounds).sum()
}

/// Tries planners and returns them from best to worst; those without a trial are left out. `trial` runs a planner in a round,
/// on the same problem for all planners of a round, and returns nothing to stop.
///
/// # Errors
/// If a trial fails.
pub fn advise<E>(
    candidates: &[&str],
    rounds: usize,
    mut trial: impl FnMut(&str, usize) -> Result<Option<RunResult>, E>,
) -> Result<Vec<TrialSummary>, E> {
    let new = |planner: &&str| TrialSummary {
        planner: (*planner).to_owned(),
        trials: 0,
        cut_short: 0,
        completion_rate: 0.0,
        completion_ticks_mean: 0.0,
        tick_us_p99: 0.0,
    };
    let mut summaries: Vec<TrialSummary> = candidates.iter().map(new).collect();
    let place = |summary: &TrialSummary| candidates.iter().position(|name| *name == summary.planner);
    let order = |a: &TrialSummary, b: &TrialSummary| a.compare(b).then(place(a).cmp(&place(b)));
    let mut kept = summaries.len();
    'rounds: for round in 0..rounds {
        for summary in &mut summaries[..kept] {
            let Some(result) = trial(&summary.planner, round)? else { break 'rounds };
            summary.add(&result);
        }
        summaries.sort_by(order);
        kept = kept.div_ceil(2).max(MIN_KEPT.min(kept));
    }
    summaries.retain(|summary| summary.trials > 0);
    summaries.sort_by(order);
    Ok(summaries)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(planner: &str, round: usize) -> RunResult {
        let (completion_rate, completion_ticks_mean) = match planner {
            "surge" => (1.0, 50.0),
            "pibt" => (1.0, 40.0 + 40.0 * round as f64),
            "far" => (0.5, 10.0),
            _ => (0.1, 10.0),
        };
        RunResult { completion_rate, completion_ticks_mean, ..RunResult::default() }
    }

    #[test]
    fn the_better_half_is_tried_again() {
        let mut log = Vec::new();
        let candidates = ["bmaa", "far", "pibt", "surge"];
        let advice = advise(&candidates, 3, |planner, round| {
            log.push((planner.to_owned(), round));
            Ok::<_, ()>(Some(result(planner, round)))
        });
        let advice = advice.unwrap();
        let order: Vec<(&str, usize)> =
            advice.iter().map(|each| (each.planner.as_str(), each.trials)).collect();
        assert_eq!(order, [("surge", 3), ("pibt", 3), ("far", 1), ("bmaa", 1)]);
        assert_eq!(log.len(), trial_count(4, 3));
    }

    #[test]
    fn what_is_known_is_returned_when_trials_stop() {
        let mut left = 3;
        let advice = advise(&["bmaa", "far", "pibt", "surge"], 3, |planner, round| {
            left -= 1;
            Ok::<_, ()>((left >= 0).then(|| result(planner, round)))
        });
        let names: Vec<String> = advice.unwrap().into_iter().map(|each| each.planner).collect();
        assert_eq!(names, ["pibt", "far", "bmaa"]);
    }

    #[test]
    fn small_differences_do_not_decide() {
        let trial = |planner: &str, _| {
            let completion_ticks_mean = if planner == "lra" { 128.0 } else { 129.0 };
            let stopped = if planner == "dm" { Stopped::Wall } else { Stopped::Arrived };
            let completion_rate = if planner == "dm" { 0.0 } else { 1.0 };
            Ok::<_, ()>(Some(RunResult {
                stopped,
                completion_rate,
                completion_ticks_mean,
                ..RunResult::default()
            }))
        };
        let advice = advise(&["surge", "pibt", "lra", "dm"], 2, trial).unwrap();
        let order: Vec<(&str, usize)> =
            advice.iter().map(|each| (each.planner.as_str(), each.cut_short)).collect();
        assert_eq!(order, [("surge", 0), ("pibt", 0), ("lra", 0), ("dm", 1)]);
    }

    #[test]
    fn candidates_need_no_more_than_is_granted() {
        assert_eq!(candidates(Sharing::Everything, MapKnowledge::Whole), CANDIDATES);
        assert_eq!(
            candidates(Sharing::Nothing, MapKnowledge::Whole),
            ["bmaa", "bmaa:expansions=128", "lra", "dm", "rtaa"]
        );
        assert!(!candidates(Sharing::Everything, MapKnowledge::Own).contains(&"surge"));
    }
}
