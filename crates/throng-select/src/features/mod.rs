//! The features: integers that describe a map and an instance on it, in a fixed order.
//!
//! Every group of features is a struct whose fields are the features; their comments are the descriptions in
//! [`FEATURES`]. Shares are in 1/10,000, ratios in 1/1,000, lengths in tenths of a cell. Nothing is random: agents are
//! sampled by a fixed stride over their order.

mod builder;
mod coarse;
mod crowd;
mod landmarks;
mod pairs;
mod shape;
mod traffic;

use throng_grid::{Cell, Ground};

pub use self::builder::MapFeaturesBuilder;
use self::coarse::CoarseGraph;
use self::crowd::CrowdFeatures;
use self::landmarks::CoarseFeatures;
use self::pairs::PairFeatures;
use self::shape::ShapeFeatures;
use self::traffic::TrafficFeatures;

/// Name and meaning of a feature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Feature {
    /// The name, also of the column in files.
    pub name: &'static str,
    /// What the value is, in one line.
    pub meaning: &'static str,
}

/// Declares a group of features: a struct of `i32` fields, the table of their names and meanings, and their values in
/// the order of the table.
macro_rules! features {
    ($(#[$attribute:meta])* $group:ident { $(#[doc = $meaning:literal] $name:ident,)+ }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub(super) struct $group { $(#[doc = $meaning] pub(super) $name: i32,)+ }

        impl $group {
            /// Names and meanings.
            pub(super) const TABLE: &[$crate::Feature] =
                &[$($crate::Feature { name: stringify!($name), meaning: $meaning.trim_ascii() }),+];

            /// Returns the values in the order of the table.
            pub(super) const fn values(&self) -> [i32; Self::TABLE.len()] {
                [$(self.$name),+]
            }
        }
    };
}
use features;

/// The groups, in the order of the vector.
const GROUPS: [&[Feature]; 5] = [
    ShapeFeatures::TABLE,
    CoarseFeatures::TABLE,
    CrowdFeatures::TABLE,
    TrafficFeatures::TABLE,
    PairFeatures::TABLE,
];

const COUNT: usize = {
    let (mut count, mut group) = (0, 0);
    while group < GROUPS.len() {
        count += GROUPS[group].len();
        group += 1;
    }
    count
};

/// Names and meanings of all features, in the order of [`FeatureVector::values`]. The features of the map come first.
pub const FEATURES: &[Feature] = &{
    let mut all = [Feature { name: "", meaning: "" }; COUNT];
    let (mut at, mut group) = (0, 0);
    while group < GROUPS.len() {
        let mut i = 0;
        while i < GROUPS[group].len() {
            all[at] = GROUPS[group][i];
            (at, i) = (at + 1, i + 1);
        }
        group += 1;
    }
    all
};

/// The values of all [`FEATURES`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FeatureVector([i32; COUNT]);

impl FeatureVector {
    /// Returns a vector with given values, as stored in a file; `None` if their number is wrong.
    pub fn from_values(values: &[i32]) -> Option<Self> {
        values.try_into().ok().map(Self)
    }

    /// Returns the values in the order of [`FEATURES`].
    pub fn values(&self) -> &[i32] {
        &self.0
    }

    /// Returns the value of a feature, `None` if there is no feature of the name.
    pub fn get(&self, name: &str) -> Option<i32> {
        FEATURES.iter().position(|feature| feature.name == name).map(|at| self.0[at])
    }
}

/// What is computed about a map: its features, its coarse graph and the clearance of its cells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MapFeatures {
    /// The fingerprint of the ground that was analysed.
    fingerprint: u64,
    shape: ShapeFeatures,
    coarse: CoarseFeatures,
    graph: CoarseGraph,
    /// Per cell: the distance to the nearest blocked cell or the map's edge, 0 if it is blocked itself.
    clearance: Vec<u8>,
}

impl MapFeatures {
    /// Number of features of the map: the first ones of [`FEATURES`].
    pub const COUNT: usize = ShapeFeatures::TABLE.len() + CoarseFeatures::TABLE.len();

    /// Analyses a map at once.
    pub fn of(ground: &Ground) -> Self {
        let mut builder = MapFeaturesBuilder::new(ground);
        builder.step(ground, usize::MAX);
        builder.finish()
    }

    /// Returns the fingerprint of the ground that was analysed. The features are stale if it differs from
    /// [`Ground::fingerprint`].
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Returns the features of the map, in the order of [`FEATURES`].
    pub fn values(&self) -> Vec<i32> {
        [&self.shape.values()[..], &self.coarse.values()].concat()
    }
}

/// Returns the features of an instance: those of the map, and those of the starts and goals of its agents. Starts and
/// goals must be free cells; a goal need not be reachable. Without agents all features of the instance are 0.
///
/// The time does not grow with the map, and hardly with the number of agents: at most 32 agents are
/// searched for, and all searches have limits.
pub fn instance_features(map: &MapFeatures, ground: &Ground, agents: &[(Cell, Cell)]) -> FeatureVector {
    let mut crowd = CrowdFeatures::default();
    let mut traffic = TrafficFeatures::default();
    let mut pairs = PairFeatures::default();
    if !agents.is_empty() {
        crowd = CrowdFeatures::of(map, ground, agents);
        traffic = TrafficFeatures::of(map, agents);
        pairs = PairFeatures::of(map, ground, agents);
    }
    let groups: [&[i32]; 5] =
        [&map.shape.values(), &map.coarse.values(), &crowd.values(), &traffic.values(), &pairs.values()];
    let mut values = [0; COUNT];
    for (value, feature) in values.iter_mut().zip(groups.iter().copied().flatten()) {
        *value = *feature;
    }
    FeatureVector(values)
}

/// Returns up to `limit` agents at equal distances in the order of the agents.
fn sample(agents: &[(Cell, Cell)], limit: usize) -> impl Iterator<Item = (Cell, Cell)> + '_ {
    let count = agents.len().min(limit);
    (0..count).map(move |i| agents[i * agents.len() / count])
}

/// Returns `part / whole` in units of `1 / unit`, 0 if the whole is 0; never above the largest `i32`.
fn ratio(part: u64, whole: u64, unit: u64) -> i32 {
    let value = (part * unit).checked_div(whole).unwrap_or(0);
    i32::try_from(value).unwrap_or(i32::MAX)
}

/// Returns a share in 1/10,000.
fn share(part: u64, whole: u64) -> i32 {
    ratio(part, whole, 10_000)
}

/// Mean, largest value and 90th percentile of a list, 0 if it is empty. Changes the order of the list.
#[derive(Clone, Copy, Debug, Default)]
struct Summary {
    mean: i32,
    max: i32,
    p90: i32,
}

impl Summary {
    fn of(values: &mut [u32]) -> Self {
        let Some(&max) = values.iter().max() else { return Self::default() };
        let sum = values.iter().map(|&value| u64::from(value)).sum();
        let at = |value: u32| i32::try_from(value).unwrap_or(i32::MAX);
        let place = (values.len() - 1) * 9 / 10;
        Self {
            mean: ratio(sum, values.len() as u64, 1),
            max: at(max),
            p90: at(*values.select_nth_unstable(place).1),
        }
    }
}

#[cfg(test)]
mod oracles;
#[cfg(test)]
mod tests;
