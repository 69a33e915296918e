//! Splits of a dataset into a training and a test part: of instances, of whole maps, or of whole games.

use std::collections::BTreeSet;

use throng::grid::SeededRng;

use super::Group;

/// A training and a test part, as numbers of instances in ascending order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Split {
    /// The instances to learn from.
    pub train: Vec<usize>,
    /// The instances to test on.
    pub test: Vec<usize>,
}

/// What the test part does not share with the training part.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Holdout {
    /// Instances: maps and types are shared.
    Problems,
    /// Whole maps.
    Maps,
    /// Whole games.
    Games,
}

impl Holdout {
    /// Returns the unit of an instance; instances of one unit are never separated.
    fn unit(self, at: usize, group: &Group) -> (usize, String, String) {
        match self {
            Self::Problems => (at, String::new(), String::new()),
            Self::Maps => (0, group.game.clone(), group.map.clone()),
            Self::Games => (0, group.game.clone(), String::new()),
        }
    }
}

impl Split {
    /// Returns the split of some of the instances, with their new numbers. Returns `None` if a part would be empty.
    pub(super) fn among(&self, kept: &[usize]) -> Option<Self> {
        let renumbered =
            |part: &[usize]| part.iter().filter_map(|at| kept.binary_search(at).ok()).collect::<Vec<usize>>();
        let split = Self { train: renumbered(&self.train), test: renumbered(&self.test) };
        (!split.train.is_empty() && !split.test.is_empty()).then_some(split)
    }
}

/// Returns random splits with a share of the units in the training part, rounded. For games it returns one split per game
/// instead, which is its test part. Each split has a training and a test part, or is left out.
pub fn splits(
    groups: &[Group],
    holdout: Holdout,
    count: usize,
    train_percent: usize,
    seed: u64,
) -> Vec<Split> {
    let units: Vec<_> = groups.iter().enumerate().map(|(at, group)| holdout.unit(at, group)).collect();
    let distinct: Vec<_> = units.iter().collect::<BTreeSet<_>>().into_iter().collect();
    let mut rng = SeededRng::new(seed);
    let mut random_test = || {
        let mut order: Vec<usize> = (0..distinct.len()).collect();
        rng.shuffle(&mut order);
        order.split_off((distinct.len() * train_percent + 50) / 100)
    };
    let tests: Vec<Vec<usize>> = match holdout {
        Holdout::Games => (0..distinct.len()).map(|game| vec![game]).collect(),
        _ => (0..count).map(|_| random_test()).collect(),
    };
    let split = |test: Vec<usize>| {
        let held: BTreeSet<_> = test.into_iter().map(|unit| distinct[unit]).collect();
        let (test, train) = (0..units.len()).partition(|&at| held.contains(&units[at]));
        Split { train, test }
    };
    let is_whole = |split: &Split| !split.train.is_empty() && !split.test.is_empty();
    tests.into_iter().map(split).filter(is_whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::tests::dataset;

    #[test]
    fn parts_are_disjoint_and_share_no_unit() {
        let data = dataset(200, 3);
        for (holdout, count) in [(Holdout::Problems, 20), (Holdout::Maps, 20), (Holdout::Games, 4)] {
            let all = splits(&data.groups, holdout, 20, 75, 1);
            assert_eq!(all.len(), count, "{holdout:?}");
            for Split { train, test } in &all {
                let mut both: Vec<usize> = train.iter().chain(test).copied().collect();
                both.sort_unstable();
                assert_eq!(both, (0..200).collect::<Vec<_>>());
                let units = |part: &[usize]| -> BTreeSet<_> {
                    part.iter().map(|&at| holdout.unit(at, &data.groups[at])).collect()
                };
                assert!(units(train).is_disjoint(&units(test)), "{holdout:?}");
            }
        }
        let problems = splits(&data.groups, Holdout::Problems, 20, 75, 1);
        assert!(problems.iter().all(|split| split.train.len() == 150));
        assert_ne!(problems[0], problems[1]);
        assert_eq!(problems, splits(&data.groups, Holdout::Problems, 20, 75, 1));
        assert_ne!(problems, splits(&data.groups, Holdout::Problems, 20, 75, 2));
    }
}
