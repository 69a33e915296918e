//! A dataset: what is known about instances, and how well each algorithm did on them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use super::crowd::ProblemKey;

use super::Inputs;

/// The beginning of the names of features that are measured by searches on the map.
pub(super) const PROBE_PREFIX: &str = "rths_probe_";

/// Where an instance comes from.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Group {
    /// The game, which is the set of the map.
    pub game: String,
    /// The map.
    pub map: String,
    /// The type of the problem.
    pub kind: String,
}

/// What an instance is made from.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum InstanceId {
    /// All problems of a map.
    Map(String),
    /// A problem of a map: its number among those of the scenario with different start and goal.
    Problem(String, usize),
    /// A problem for a crowd.
    Crowd(ProblemKey),
}

impl fmt::Display for InstanceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Map(map) => write!(f, "{map}"),
            Self::Problem(map, number) => write!(f, "{map}/{number}"),
            Self::Crowd(key) => {
                write!(f, "{}/{}/{}/{}/{}", key.map, key.kind, key.instance, key.agents, key.seed)
            }
        }
    }
}

/// What a quality means. Utilities are always better if higher.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// The share of agents on their goals: the utility itself.
    Completion,
    /// Cost over optimum: the negative utility.
    Suboptimality,
}

impl Measure {
    /// Returns the quality that a utility stands for.
    pub fn quality(self, utility: f64) -> f64 {
        match self {
            Self::Completion => utility,
            Self::Suboptimality => -utility,
        }
    }
}

/// Instances with their features and the utilities of all algorithms.
#[derive(Clone, Debug)]
pub struct Dataset {
    /// What a quality means.
    pub measure: Measure,
    /// The names of the features.
    pub features: Vec<String>,
    /// The features of each instance.
    pub rows: Vec<Vec<i32>>,
    /// The origin of each instance.
    pub groups: Vec<Group>,
    /// The identity of each instance; empty where nobody asks for it.
    pub ids: Vec<InstanceId>,
    /// The names of the algorithms.
    pub algorithms: Vec<String>,
    /// The utility of each algorithm, by instance. Higher is better.
    pub utilities: Vec<Vec<f64>>,
    /// The best algorithm of each instance. `None`: the first algorithm with the highest utility. Set it where a second
    /// measure, such as distance, breaks ties between equal utilities.
    pub labels: Option<Vec<usize>>,
    /// The mean distance of the agents of each algorithm, by instance; none for single agents.
    pub travel: Option<Vec<Vec<f64>>>,
}

impl Dataset {
    /// Returns the number of instances.
    pub fn len(&self) -> usize {
        self.utilities.len()
    }

    /// Returns true if there are no instances.
    pub fn is_empty(&self) -> bool {
        self.utilities.is_empty()
    }

    /// Returns the features that a learner sees; none if it sees something else.
    pub(super) fn columns(&self, inputs: Inputs) -> Vec<usize> {
        let is_seen = |&at: &usize| match inputs {
            Inputs::Features => !self.features[at].starts_with(PROBE_PREFIX),
            Inputs::Probed => true,
            Inputs::Group | Inputs::Number => false,
        };
        (0..self.features.len()).filter(is_seen).collect()
    }

    /// Returns what a learner sees of each instance.
    pub(super) fn inputs(&self, inputs: Inputs) -> Cow<'_, [Vec<i32>]> {
        match inputs {
            Inputs::Group => return Cow::Owned(self.group_rows()),
            Inputs::Number => return Cow::Owned((0..self.len() as i32).map(|at| vec![at]).collect()),
            Inputs::Features | Inputs::Probed => {}
        }
        let columns = self.columns(inputs);
        if columns.len() == self.features.len() {
            return Cow::Borrowed(&self.rows);
        }
        Cow::Owned(self.rows.iter().map(|row| columns.iter().map(|&at| row[at]).collect()).collect())
    }

    /// Returns the numbers of game, map and type of each instance, in alphabetical order. Maps of different games differ, and
    /// so do types of different maps.
    pub(super) fn group_rows(&self) -> Vec<Vec<i32>> {
        let parts = |group: &Group| {
            let (game, map) = (vec![group.game.clone()], vec![group.game.clone(), group.map.clone()]);
            [game, map, vec![group.kind.clone()]]
        };
        let mut numbers: [BTreeMap<Vec<String>, i32>; 3] = Default::default();
        for group in &self.groups {
            for (numbers, part) in numbers.iter_mut().zip(parts(group)) {
                numbers.insert(part, 0);
            }
        }
        for numbers in &mut numbers {
            for (number, value) in (0..).zip(numbers.values_mut()) {
                *value = number;
            }
        }
        let row = |group| parts(group).iter().zip(&numbers).map(|(part, numbers)| numbers[part]).collect();
        self.groups.iter().map(row).collect()
    }

    /// Returns the instances that a condition holds for.
    #[must_use]
    pub fn filtered(&self, keep: impl Fn(usize) -> bool) -> Self {
        let kept: Vec<usize> = (0..self.len()).filter(|&at| keep(at)).collect();
        Self {
            measure: self.measure,
            features: self.features.clone(),
            rows: kept.iter().map(|&at| self.rows[at].clone()).collect(),
            groups: kept.iter().map(|&at| self.groups[at].clone()).collect(),
            ids: kept.iter().filter_map(|&at| self.ids.get(at).cloned()).collect(),
            algorithms: self.algorithms.clone(),
            utilities: kept.iter().map(|&at| self.utilities[at].clone()).collect(),
            labels: self.labels.as_ref().map(|labels| kept.iter().map(|&at| labels[at]).collect()),
            travel: self.travel.as_ref().map(|travel| kept.iter().map(|&at| travel[at].clone()).collect()),
        }
    }
}
