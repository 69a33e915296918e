//! Baselines that every model is compared with: nearest neighbours, a lookup by origin, and a random choice.

use std::collections::BTreeMap;

use super::{Inputs, Learner, Predictor};

/// Predicts the mean utilities of the nearest training instances. Each feature is divided by its standard deviation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NearestNeighbours {
    /// The number of instances.
    pub count: usize,
}

/// The training instances and the weight of each feature.
struct Neighbours {
    count: usize,
    weights: Vec<f64>,
    rows: Vec<Vec<i32>>,
    utilities: Vec<Vec<f64>>,
}

impl Learner for NearestNeighbours {
    fn name(&self) -> String {
        format!("{} nearest neighbours", self.count)
    }

    fn fit(&self, rows: &[&[i32]], utilities: &[Vec<f64>]) -> Box<dyn Predictor> {
        let features = rows.first().map_or(0, |row| row.len());
        let weight = |feature: usize| {
            let values = || rows.iter().map(|row| f64::from(row[feature]));
            let mean = values().sum::<f64>() / rows.len() as f64;
            let variance = values().map(|value| (value - mean).powi(2)).sum::<f64>() / rows.len() as f64;
            if variance > 0.0 { 1.0 / variance } else { 0.0 }
        };
        Box::new(Neighbours {
            count: self.count,
            weights: (0..features).map(weight).collect(),
            rows: rows.iter().map(|row| row.to_vec()).collect(),
            utilities: utilities.to_vec(),
        })
    }
}

impl Predictor for Neighbours {
    fn utilities(&self, row: &[i32]) -> Vec<f64> {
        let distance = |other: &[i32]| -> f64 {
            let squares = row.iter().zip(other).zip(&self.weights);
            squares.map(|((&a, &b), weight)| (f64::from(a) - f64::from(b)).powi(2) * weight).sum()
        };
        let mut near: Vec<(f64, usize)> =
            self.rows.iter().enumerate().map(|(at, other)| (distance(other), at)).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        mean(near.iter().take(self.count).map(|&(_, at)| &self.utilities[at]))
    }
}

/// Predicts the mean utilities of the training instances of the same origin. It knows where an instance comes from and nothing
/// else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lookup {
    /// By map and type; by type if there are no instances of the map, or of all if there are none of the type.
    MapAndType,
    /// By game; of all if there are no instances of the game.
    Game,
}

impl Lookup {
    /// Returns the keys of a row of game, map and type, from the finest.
    fn keys(self, row: &[i32]) -> [Vec<i32>; 3] {
        match self {
            Self::MapAndType => [row[1..].to_vec(), row[2..].to_vec(), Vec::new()],
            Self::Game => [row[..1].to_vec(), Vec::new(), Vec::new()],
        }
    }
}

/// The mean utilities by key, from the finest.
struct LookupTable {
    by: Lookup,
    means: [BTreeMap<Vec<i32>, Vec<f64>>; 3],
}

impl Learner for Lookup {
    fn name(&self) -> String {
        match self {
            Self::MapAndType => "lookup by map and type",
            Self::Game => "lookup by game",
        }
        .to_owned()
    }

    fn inputs(&self) -> Inputs {
        Inputs::Group
    }

    fn fit(&self, rows: &[&[i32]], utilities: &[Vec<f64>]) -> Box<dyn Predictor> {
        let table = |level: usize| {
            let mut groups: BTreeMap<Vec<i32>, Vec<&Vec<f64>>> = BTreeMap::new();
            for (row, utilities) in rows.iter().zip(utilities) {
                groups.entry(self.keys(row)[level].clone()).or_default().push(utilities);
            }
            groups.into_iter().map(|(key, members)| (key, mean(members.into_iter()))).collect()
        };
        Box::new(LookupTable { by: *self, means: std::array::from_fn(table) })
    }
}

impl Predictor for LookupTable {
    fn utilities(&self, row: &[i32]) -> Vec<f64> {
        let found = self.means.iter().zip(self.by.keys(row)).find_map(|(means, key)| means.get(&key));
        found.cloned().unwrap_or_default()
    }
}

/// Picks at random: a hash of the row decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RandomPick {
    /// The seed.
    pub seed: u64,
}

/// The seed and the number of choices.
struct RandomUtilities(u64, usize);

impl Learner for RandomPick {
    fn name(&self) -> String {
        "random".to_owned()
    }

    fn fit(&self, _: &[&[i32]], utilities: &[Vec<f64>]) -> Box<dyn Predictor> {
        Box::new(RandomUtilities(self.seed, utilities.first().map_or(0, Vec::len)))
    }
}

impl Predictor for RandomUtilities {
    fn utilities(&self, row: &[i32]) -> Vec<f64> {
        let bytes: Vec<u8> = row.iter().flat_map(|value| value.to_le_bytes()).collect();
        let mut rng = throng::grid::SeededRng::new(crate::hash::checksum(self.0, &bytes));
        (0..self.1).map(|_| f64::from(rng.below(1 << 24))).collect()
    }
}

/// Returns the mean of utilities, choice by choice.
fn mean<'a>(rows: impl Iterator<Item = &'a Vec<f64>>) -> Vec<f64> {
    let (mut sums, mut count) = (Vec::new(), 0.0);
    for row in rows {
        sums.resize(row.len(), 0.0);
        for (sum, value) in sums.iter_mut().zip(row) {
            *sum += value;
        }
        count += 1.0;
    }
    sums.into_iter().map(|sum: f64| sum / count).collect()
}
