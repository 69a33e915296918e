//! What a crowd is made of: map, problem, planners, rules. The form of the page and its links have the same fields.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use throng::grid::builtin::builtin;
use throng::grid::generate::{GenerateError, generate};
use throng::grid::spec::SpecError;
use throng::{
    Corners, Crossings, Grid, MoveRules, Profile, RecordingError, Settings, Size, Tiles, World, WorldError,
    planner,
};
use throng_lab::{Instance, ProblemError, ProblemType};

use crate::scene::Scene;

/// The largest crowd.
pub(crate) const MAX_AGENTS: usize = 20_000;

/// The largest map, in cells: 2048×2048.
pub(crate) const MAX_AREA: usize = 1 << 22;

/// The prefix of the name of a generated map; a specification of a generator follows.
const GENERATE: &str = "generate:";

/// The name of the map that was opened or uploaded last.
const OWN: &str = "own";

/// A map, a crowd on it, and the planners that move it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Setup {
    /// `builtin:NAME`; `generate:GENERATOR` with parameters; `own` for the map that was opened or uploaded last.
    pub map: String,
    /// Columns of a generated map.
    pub width: u32,
    /// Rows of a generated map.
    pub height: u32,
    /// Seed of a generated map.
    pub map_seed: u64,
    /// The problem type: where agents start and where they go.
    pub problem: String,
    /// Number of agents; 0 for an empty map.
    pub agents: usize,
    /// Seed of the problem and of the planners' random values.
    pub seed: u64,
    /// Specifications of one planner, or of two that are compared.
    pub planners: Vec<String>,
    /// Budget of a tick in microseconds of planning, at the planner's prices; 0 for no limit.
    pub budget: u64,
    /// The corner rule.
    pub corners: String,
    /// Whether two agents may cross diagonally within a tick.
    pub crossings: String,
    /// Whether agents move in four directions only.
    pub four_way: bool,
    /// Terrain costs: `uniform` or `wc3`.
    pub terrain: String,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            map: "builtin:town".to_owned(),
            width: 128,
            height: 96,
            map_seed: 1,
            problem: ProblemType::SwapSides.name().to_owned(),
            agents: 2_000,
            seed: 1,
            planners: vec!["surge".to_owned()],
            budget: 2_000,
            corners: Corners::Forbid.name().to_owned(),
            crossings: Crossings::Forbid.name().to_owned(),
            four_way: false,
            terrain: "uniform".to_owned(),
        }
    }
}

/// What is shown at the start.
#[derive(Clone, Debug)]
pub enum MapSource {
    /// The map that the setup names.
    Named,
    /// A map that is not built in, with its name.
    Own(String, Arc<Tiles>),
    /// The content of a recording, with its name.
    Recording(String, Vec<u8>),
}

impl MapSource {
    /// Returns the map that is not built in.
    pub(crate) fn own(&self) -> Option<OwnMap> {
        match self {
            Self::Own(name, tiles) => Some(OwnMap { name: name.clone(), tiles: Arc::clone(tiles) }),
            _ => None,
        }
    }
}

/// Why a crowd cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A name or parameter is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The map cannot be generated.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// The problem cannot be made.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// The planner refuses the settings.
    #[error(transparent)]
    World(#[from] throng::SetupError),
    /// An agent cannot be placed or sent.
    #[error(transparent)]
    Agent(#[from] WorldError),
    /// The recording cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// The recording cannot be played.
    #[error(transparent)]
    Playback(#[from] throng::PlaybackError),
    /// The results cannot be read.
    #[error(transparent)]
    Results(#[from] throng_lab::StoreError),
    /// A field has a value that it cannot have.
    #[error("{0}")]
    Field(String),
}

fn field(reason: impl Into<String>) -> SetupError {
    SetupError::Field(reason.into())
}

/// A map in use, with what the page says about it.
#[derive(Clone, Debug)]
pub(crate) struct OwnMap {
    pub(crate) name: String,
    pub(crate) tiles: Arc<Tiles>,
}

/// Free cells per agent of a usual crowd: enough room to see each one move.
const USUAL_ROOM: usize = 10;

impl Setup {
    /// Returns the number of agents of a usual crowd: that of [`Setup::default`], or fewer on a small map.
    ///
    /// # Errors
    /// If the map or the rules are wrong.
    pub fn usual_agents(&self, source: &MapSource) -> Result<usize, SetupError> {
        let grid = self.grid(source.own().as_ref())?;
        let ground = grid.ground();
        let free = ground.size().cells().filter(|&cell| ground.is_free(cell)).count();
        Ok((free / USUAL_ROOM).min(Self::default().agents))
    }

    /// Makes one scene per planner, with the same agents.
    pub(crate) fn build(&self, own: Option<&OwnMap>) -> Result<Vec<Scene>, SetupError> {
        if self.agents > MAX_AGENTS {
            return Err(field(format!("at most {MAX_AGENTS} agents can be shown, not {}", self.agents)));
        }
        if self.planners.is_empty() || self.planners.len() > 2 {
            return Err(field("choose one planner, or two to compare"));
        }
        let grid = self.grid(own)?;
        let settings = Settings::default().seed(self.seed).crossings(self.crossings.parse()?);
        let kind: ProblemType = self.problem.parse()?;
        let instance = match self.agents {
            0 => Instance::default(),
            agents => Instance::generate(grid.ground(), kind, agents, self.seed)?,
        };
        let scene = |name: &String| {
            let world = World::new(grid.clone(), planner(name, &grid)?, settings)?;
            Scene::new(world, &instance)
        };
        self.planners.iter().map(scene).collect()
    }

    /// Returns the map in use.
    fn grid(&self, own: Option<&OwnMap>) -> Result<Grid, SetupError> {
        let profile = match self.terrain.as_str() {
            "uniform" => Profile::WALKER,
            "wc3" => Profile::WC3,
            other => return Err(field(format!("terrain is `uniform` or `wc3`, not `{other}`"))),
        };
        let corners: Corners = self.corners.parse()?;
        let rules = MoveRules { corners, four_way: self.four_way };
        Ok(Grid::with_profile(self.tiles(own)?, rules, profile))
    }

    /// Returns the terrain of the map.
    fn tiles(&self, own: Option<&OwnMap>) -> Result<Tiles, SetupError> {
        let tiles = match self.map.strip_prefix(GENERATE) {
            Some(generator) => {
                let size = Size::new(self.width, self.height).filter(|size| size.area() <= MAX_AREA);
                let size = size.ok_or_else(|| {
                    field(format!(
                        "a map of {}×{} cells cannot be shown: at most 2048×2048",
                        self.width, self.height
                    ))
                })?;
                generate(generator, size, self.map_seed)?
            }
            None if self.map == OWN => {
                let own = own.ok_or_else(|| field("no map was uploaded: choose a map file first"))?;
                own.tiles.as_ref().clone()
            }
            None => builtin(&self.map)?,
        };
        check_area(tiles)
    }
}

/// Refuses a map that is too large for a page.
pub(crate) fn check_area(tiles: Tiles) -> Result<Tiles, SetupError> {
    let size = tiles.size();
    if size.area() <= MAX_AREA {
        return Ok(tiles);
    }
    Err(field(format!(
        "a map of {}×{} cells cannot be shown: at most 2048×2048",
        size.width(),
        size.height()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setup_that_cannot_be_made_says_why() {
        let usual = Setup { agents: 20, map: "builtin:arena".to_owned(), ..Setup::default() };
        assert_eq!(usual.build(None).unwrap().len(), 1);
        let cases: [(Setup, &str); 9] = [
            (Setup { map: "builtin:aren".to_owned(), ..usual.clone() }, "did you mean `arena`"),
            (Setup { map: "own".to_owned(), ..usual.clone() }, "choose a map file"),
            (Setup { map: "generate:maez".to_owned(), ..usual.clone() }, "did you mean `maze`"),
            (Setup { map: "generate:maze".to_owned(), width: 1 << 20, ..usual.clone() }, "at most 2048×2048"),
            (Setup { agents: 4_000, ..usual.clone() }, "do not fit"),
            (Setup { agents: usize::MAX, ..usual.clone() }, "at most 20000 agents"),
            (Setup { planners: vec!["surge:depth=9".to_owned()], ..usual.clone() }, "surge"),
            (Setup { planners: Vec::new(), ..usual.clone() }, "choose one planner"),
            (Setup { problem: "randon".to_owned(), ..usual }, "did you mean `random`"),
        ];
        for (setup, reason) in cases {
            let error = setup.build(None).unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
