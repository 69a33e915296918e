//! How much of the gap per map is luck: a choice by one half of the problems of each map, judged on the other half.
//!
//! The best configuration of a map on a few dozen problems is partly the one that suits these problems by chance, which no
//! description of the map foretells. A choice by the true results on other problems of the same map knows all that can be
//! known about the map from as many problems. What it leaves open is luck, or needs more problems.

use serde::Serialize;

use super::super::evaluation::Spread;
use super::super::portfolio::best_single;
use super::{MapWalks, PORTFOLIO, SPLITS, TRAIN_PERCENT, walked};
use crate::select::{Group, Holdout, argmax, greedy_portfolio, splits};

/// What choices by the other half reach.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct OtherHalf {
    /// The smallest number of problems of a map that a choice is made by, or judged on.
    pub problems: usize,
    /// The share of the gap between prior and best that is closed; the mean of both halves of a split.
    pub gap_closed: Spread,
}

impl OtherHalf {
    /// Evaluates choices of a greedy portfolio on the splits of the evaluation. Portfolio and prior come from the half that
    /// choices are judged on, of the training part of each split. Returns `None` if a map has fewer than two problems, or no
    /// split has a gap.
    pub(super) fn of(walks: &[MapWalks], groups: &[Group], seed: u64) -> Option<Self> {
        let problems = walks.iter().map(|walks| walks.problems / 2).min().filter(|&problems| problems > 0)?;
        let halves = [0, 1].map(|half| walked(walks.iter().map(|walks| walks.halves[half].as_slice())));
        let closed = |train: &[usize], test: &[usize], judged: usize| {
            let [known, judged] = [&halves[1 - judged].utilities, &halves[judged].utilities];
            let prior = best_single(judged, train)?;
            let members = greedy_portfolio(judged, train, PORTFOLIO);
            let pick = |of: &[Vec<f64>], at: usize| {
                members[argmax(&members.iter().map(|&member| of[at][member]).collect::<Vec<_>>())]
            };
            let sum = |of: &dyn Fn(usize) -> usize| test.iter().map(|&at| judged[at][of(at)]).sum::<f64>();
            let (before, best) = (sum(&|_| prior), sum(&|at| pick(judged, at)));
            (best - before > 1e-9).then(|| (sum(&|at| pick(known, at)) - before) / (best - before))
        };
        let of_split: Vec<f64> = splits(groups, Holdout::Maps, SPLITS, TRAIN_PERCENT, seed)
            .iter()
            .filter_map(|split| {
                let both = [0, 1].map(|judged| closed(&split.train, &split.test, judged));
                Some(f64::midpoint(both[0]?, both[1]?))
            })
            .collect();
        (!of_split.is_empty()).then(|| Self { problems, gap_closed: Spread::of(&of_split) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sixty maps; `luck` decides which of two configurations is better per half, or the map does.
    fn closed(luck: bool) -> f64 {
        let walks: Vec<MapWalks> = (0..60_usize)
            .map(|at| {
                let half = |half: usize| {
                    let first = if luck {
                        (at / 2 + half * (at % 3)).is_multiple_of(2)
                    } else {
                        at.is_multiple_of(2)
                    };
                    vec![if first { 100 } else { 300 }, 200]
                };
                let map = format!("game/{at:02}");
                MapWalks { map, problems: 50, halves: [half(0), half(1)], ..MapWalks::default() }
            })
            .collect();
        let group = |walks: &MapWalks| Group { map: walks.map.clone(), ..Group::default() };
        let groups: Vec<Group> = walks.iter().map(group).collect();
        let found = OtherHalf::of(&walks, &groups, 1).unwrap();
        assert_eq!(found.problems, 25);
        found.gap_closed.mean.unwrap()
    }

    #[test]
    fn halves_that_agree_close_the_gap_and_lucky_ones_do_not() {
        assert!((closed(false) - 1.0).abs() < 1e-9);
        assert!(closed(true) < 0.7, "{}", closed(true));
        let one = MapWalks { problems: 1, halves: [vec![200], vec![0]], ..MapWalks::default() };
        assert_eq!(OtherHalf::of(&[one], &[Group::default()], 1), None, "one half has no problem");
    }
}
