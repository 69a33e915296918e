//! The stored instances as problems on maps, so that pictures of them can be made.

use std::collections::HashMap;
use std::sync::Arc;

use throng::grid::random_queries;
use throng::{Cell, Corners, Grid};

use super::{ChannelPicture, Input};
use crate::select::InstanceId;
use crate::select::features::ends;
use crate::select::single_agent::SelectError;
use crate::task::scenario_ends;
use crate::{Instance, Maps, ProblemType};

/// The number of random agents that stand for the problems of a map, in pictures with channels for agents.
const SAMPLES: usize = 64;

/// The seed of the random agents, another one than that of the problems that were walked.
const SEED: u64 = 0x5E1E_C700;

/// A stored instance.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The map.
    pub grid: Arc<Grid>,
    /// Start and goal of each agent; none if the instance is a map.
    pub ends: Vec<(Cell, Cell)>,
}

impl Scene {
    /// Makes the picture. A map as a whole has random agents in channels for agents; in the thesis's picture it has none.
    pub fn picture(&self, input: Input) -> ChannelPicture {
        let ground = self.grid.ground();
        if self.ends.is_empty() && !input.is_coloured() {
            return input.picture(ground, &random_queries(ground, SAMPLES, SEED));
        }
        input.picture(ground, &self.ends)
    }
}

/// Opens stored instances. The problems of scenarios are kept, maps are kept by [`Maps`].
pub struct Scenes {
    maps: Maps,
    scenarios: HashMap<String, Vec<(Cell, Cell)>>,
}

impl Scenes {
    /// Takes the folders of the maps.
    pub fn new(maps: Maps) -> Self {
        Self { maps, scenarios: HashMap::new() }
    }

    /// Opens the map of an instance and makes its starts and goals.
    ///
    /// # Errors
    /// If the map or its scenario is missing, or the problem cannot be made.
    pub fn open(&mut self, id: &InstanceId) -> Result<Scene, SelectError> {
        let grid =
            |map: &str, corners: Corners, seed: u64| self.maps.grid(map, corners.name(), "uniform", seed);
        match id {
            InstanceId::Map(map) => Ok(Scene { grid: grid(map, Corners::Forbid, 0)?, ends: Vec::new() }),
            InstanceId::Problem(map, number) => {
                let grid = grid(map, Corners::Forbid, 0)?;
                if !self.scenarios.contains_key(map) {
                    let problems = scenario_ends(&self.maps, grid.ground(), &format!("{map}.map.scen"))?;
                    self.scenarios.insert(map.clone(), problems);
                }
                let problem = self.scenarios[map].get(*number).copied();
                let missing = || SelectError::Runs(format!("the scenario of {map} has no problem {number}"));
                Ok(Scene { grid, ends: vec![problem.ok_or_else(missing)?] })
            }
            InstanceId::Crowd(key) => {
                let grid = grid(&key.map, Corners::Allow, key.seed)?;
                let refused = |reason: String| SelectError::Runs(format!("{}: {reason}", key.map));
                let kind: ProblemType = key.kind.parse().map_err(|error| refused(format!("{error}")))?;
                let instance = Instance::generate(grid.ground(), kind, key.agents, key.seed)
                    .map_err(|error| refused(error.to_string()))?;
                Ok(Scene { grid, ends: ends(&instance) })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::crowd::ProblemKey;

    #[test]
    fn stored_crowds_are_made_again() {
        let mut scenes = Scenes::new(Maps::default());
        let key = ProblemKey {
            map: "builtin:town".to_owned(),
            kind: "random".to_owned(),
            agents: 20,
            seed: 5,
            ..ProblemKey::default()
        };
        let id = InstanceId::Crowd(key.clone());
        let scene = scenes.open(&id).unwrap();
        let instance = Instance::generate(scene.grid.ground(), ProblemType::Random, 20, 5).unwrap();
        assert_eq!(scene.ends, ends(&instance));
        assert_eq!(scene.picture(Input::Pyramid), scenes.open(&id).unwrap().picture(Input::Pyramid));
        let unknown = InstanceId::Crowd(ProblemKey { kind: "no-type".to_owned(), ..key });
        assert!(scenes.open(&unknown).unwrap_err().to_string().contains("no-type"));
    }

    #[test]
    fn a_map_has_agents_in_channels_only() {
        let scene = Scenes::new(Maps::default()).open(&InstanceId::Map("builtin:town".to_owned())).unwrap();
        let coloured = scene.picture(Input::Thesis);
        let (third, rest) = coloured.values.split_at(coloured.values.len() / 3);
        assert!(rest.chunks(third.len()).all(|other| other == third), "black and white");
        let channels = scene.picture(Input::Channels);
        let starts = &channels.values[channels.side.pow(2)..2 * channels.side.pow(2)];
        assert!(starts.iter().filter(|&&value| value > 0.0).count() > SAMPLES / 2);
    }
}
