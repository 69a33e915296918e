//! The models that evaluations compare, by name.

use super::features::{CROWD_FEATURES_FILE, MAP_FEATURES_FILE, PROBLEM_FEATURES_FILE};
use super::single_agent::{CONFIGURATIONS_FILE, Granularity, MAPS_FILE, PROBLEMS_FILE};
use super::{
    Average, CROWD_FILE, Learner, Lookup, NearestNeighbours, PRICES_FILE, Probed, RandomPick, Ridge, Trees,
};

/// What a selection is made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// A configuration of a real-time search for single agents.
    SingleAgent(Granularity),
    /// A planner for a crowd.
    Crowd,
}

impl Target {
    /// All targets.
    pub const ALL: [Self; 5] = [
        Self::SingleAgent(Granularity::Genre),
        Self::SingleAgent(Granularity::Game),
        Self::SingleAgent(Granularity::Map),
        Self::SingleAgent(Granularity::Problem),
        Self::Crowd,
    ];

    /// Returns the name in experiment files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SingleAgent(granularity) => granularity.name(),
            Self::Crowd => "crowd",
        }
    }

    /// Returns the target with a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.name() == name)
    }

    /// Returns the files that its data are read from.
    pub fn files(self) -> &'static [&'static str] {
        match self {
            Self::SingleAgent(Granularity::Problem) => {
                &[CONFIGURATIONS_FILE, PROBLEMS_FILE, PROBLEM_FEATURES_FILE]
            }
            Self::SingleAgent(_) => &[CONFIGURATIONS_FILE, MAPS_FILE, MAP_FEATURES_FILE],
            Self::Crowd => &[CROWD_FILE, PRICES_FILE, CROWD_FEATURES_FILE],
        }
    }

    /// Returns true if a label of the map is predicted.
    const fn predicts_labels(self) -> bool {
        matches!(self, Self::SingleAgent(Granularity::Genre | Granularity::Game))
    }

    /// Returns the models for this target, in the order of tables. Models that look an instance up by its origin come last; a
    /// caller leaves them out where test and training part do not share it.
    pub fn learners(self) -> Vec<Box<dyn Learner>> {
        let trees = || -> Box<dyn Learner> {
            Box::new(if self.predicts_labels() { Trees::for_labels() } else { Trees::default() })
        };
        let both = || -> Box<dyn Learner> { Box::new(Average(vec![trees(), Box::new(Ridge)])) };
        let mut learners: Vec<Box<dyn Learner>> = vec![trees(), Box::new(Ridge), both()];
        if !matches!(self, Self::Crowd | Self::SingleAgent(Granularity::Problem)) {
            let probed = [trees(), Box::new(Ridge), both()].map(Probed);
            learners.extend(probed.map(|probed| -> Box<dyn Learner> { Box::new(probed) }));
        }
        learners.push(Box::new(NearestNeighbours { count: 1 }));
        learners.push(Box::new(NearestNeighbours { count: 10 }));
        learners.push(Box::new(RandomPick { seed: 1 }));
        learners.push(match self {
            Self::SingleAgent(Granularity::Map) => Box::new(Lookup::Game),
            _ => Box::new(Lookup::MapAndType),
        });
        learners
    }
}
