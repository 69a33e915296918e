//! Probes: how far a few fixed configurations of the real-time search walk on random problems of a map.
//!
//! B. Pfahringer, H. Bensusan, C. Giraud-Carrier, *Meta-Learning by Landmarking Various Learning Algorithms*, ICML 2000:
//! what cheap algorithms reach on a task says which other algorithm suits it. Unlike the other features, these need searches.
//! The problems are drawn with a seed of their own, and walks are cut off early, which bounds the time of a map.

use throng::Ground;
use throng::grid::random_queries;
use throng_search::real_time::{LearningOperator, Rths, RthsParameters, Walker};

use crate::select::dataset::PROBE_PREFIX;

/// Number of problems.
const PROBLEMS: usize = 24;

/// The seed of the problems; those that are stored have others.
const SEED: u64 = 0x9_0BE5;

/// A walk ends at this multiple of the optimum.
const CAP: u64 = 30;

/// Settings of the probes: weight, weight of the cost, beam, operator, depression avoidance, expendable states. They span the
/// space of configurations and were not chosen by their results.
const PROBES: [(f64, f64, f64, usize, bool, bool); 12] = [
    (1.0, 1.0, 0.0, 0, false, false),
    (1.0, 1.0, 0.0, 0, true, false),
    (1.0, 1.0, 0.0, 0, true, true),
    (1.0, 1.0, 1.0, 1, false, false),
    (1.0, 1.0, 1.0, 2, true, true),
    (1.0, 4.0, 0.5, 3, true, true),
    (3.0, 1.0, 0.0, 0, true, true),
    (3.0, 1.0, 0.5, 1, true, false),
    (3.0, 1.0, 1.0, 2, false, true),
    (8.0, 1.0, 0.0, 0, false, true),
    (8.0, 1.0, 0.5, 3, true, true),
    (8.0, 8.0, 1.0, 0, true, true),
];

/// Returns the names of the features.
pub(crate) fn names() -> impl Iterator<Item = String> {
    (0..PROBES.len()).map(|at| format!("{PROBE_PREFIX}{}", at + 1))
}

/// Returns, for each probe, the mean of cost over optimum in percent.
pub(crate) fn probes(ground: &Ground) -> Vec<i32> {
    let Ok(mut shortest) = throng::search("astar") else { return vec![0; PROBES.len()] };
    let problems: Vec<_> = random_queries(ground, PROBLEMS, SEED)
        .into_iter()
        .filter_map(|ends| {
            let found = shortest.find(ground, ends.0, ends.1, &mut Vec::new()).ok()?;
            Some((ends, u64::from(found.cost?).max(1)))
        })
        .collect();
    let mut search = Rths::default();
    let probe =
        |&(weight, cost_weight, beam, operator, avoid_depressions, expendable): &(_, _, _, usize, _, _)| {
            let operator = LearningOperator::ALL[operator];
            search.set_parameters(RthsParameters {
                weight,
                cost_weight,
                beam,
                operator,
                avoid_depressions,
                expendable,
            });
            let mut percent = 0;
            for &(ends, optimum) in &problems {
                let walk = search.walk(ground, ends, CAP * optimum, |_| {});
                percent += if walk.arrived { 100 * walk.cost / optimum } else { 100 * CAP };
            }
            percent.checked_div(problems.len() as u64).map_or(0, |mean| mean as i32)
        };
    PROBES.iter().map(probe).collect()
}

#[cfg(test)]
mod tests {
    use throng::grid::builtin::builtin;
    use throng::{Grid, MoveRules};

    use super::*;

    #[test]
    fn probes_tell_open_maps_from_rooms_and_are_repeatable() {
        let of = |map: &str| probes(Grid::new(builtin(map).unwrap(), MoveRules::default()).ground());
        let (arena, rooms) = (of("arena"), of("rooms"));
        assert_eq!((arena.len(), names().count()), (PROBES.len(), PROBES.len()));
        assert_eq!(arena, of("arena"));
        assert!(
            arena.iter().chain(&rooms).all(|&percent| (100..=3_000).contains(&percent)),
            "{arena:?} {rooms:?}"
        );
        assert!(rooms[0] > arena[0], "{} {}", rooms[0], arena[0]);
    }
}
