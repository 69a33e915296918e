//! Problems for crowds: the starts and goals of all agents.
//!
//! The seven types are those of D. Sigurdson, *Automatic Algorithm Selection in Videogame Pathfinding*, 2018, section 5.4.
//! The thesis names them without numbers; ours are stated at each type. All starts and goals lie in the largest connected
//! component of the map. Starts differ from each other, so do goals, and no agent starts at its own goal.

mod sampler;

use std::str::FromStr;

use throng::grid::movingai::Scenario;
use throng::grid::spec::SpecError;
use throng::{Cell, Ground};

use sampler::CellSampler;

/// A problem type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum ProblemType {
    /// Starts and goals anywhere.
    #[default]
    Random,
    /// From one side of the map to the opposite one. A side is the outer 15 % of the map's extent.
    CrossSides,
    /// Half of the agents from one side to the opposite one, half the other way.
    SwapSides,
    /// From the middle (the tenth of the cells nearest to the centre) to the edges (the outer 10 % of the extent).
    InsideOut,
    /// From the edges to the middle.
    OutsideIn,
    /// From one dense cluster to another that is at least half as far away as the farthest cell.
    TightToTight,
    /// From a dense cluster to an area of four times as many cells.
    TightToWide,
}

impl ProblemType {
    /// All types.
    pub const ALL: [Self; 7] = [
        Self::Random,
        Self::CrossSides,
        Self::SwapSides,
        Self::InsideOut,
        Self::OutsideIn,
        Self::TightToTight,
        Self::TightToWide,
    ];

    /// Returns the name on the command line.
    pub const fn name(self) -> &'static str {
        self.words().0
    }

    /// Returns a description in one line.
    pub const fn summary(self) -> &'static str {
        self.words().1
    }

    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Random => ("random", "starts and goals anywhere"),
            Self::CrossSides => ("cross-sides", "from one side of the map to the opposite one"),
            Self::SwapSides => ("swap-sides", "two halves of the crowd change sides"),
            Self::InsideOut => ("inside-out", "from the middle to the edges"),
            Self::OutsideIn => ("outside-in", "from the edges to the middle"),
            Self::TightToTight => ("tight-to-tight", "from one dense cluster to another, far away"),
            Self::TightToWide => ("tight-to-wide", "from a dense cluster to a wide area, far away"),
        }
    }
}

impl FromStr for ProblemType {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let kind = Self::ALL.into_iter().find(|kind| kind.name() == text);
        kind.ok_or_else(|| SpecError::unknown("problem type", text, Self::ALL.map(Self::name)))
    }
}

/// A problem: one start and one goal per agent.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Instance {
    /// The start of each agent.
    pub starts: Vec<Cell>,
    /// The goal of each agent.
    pub goals: Vec<Cell>,
}

/// Why a problem cannot be made.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// The map has too few cells.
    #[error("{agents} agents do not fit: the largest connected component of the map has {cells} cells")]
    TooManyAgents {
        /// The number of agents.
        agents: usize,
        /// The number of cells of the component.
        cells: usize,
    },
    /// There are more agents than cells of any map of this size.
    #[error("{agents} agents do not fit: such a map has {area} cells")]
    MoreThanArea {
        /// The number of agents.
        agents: usize,
        /// The number of cells, free or not.
        area: usize,
    },
    /// No agent can have a goal other than its start.
    #[error("the largest connected component of the map has one cell: no agent can have another goal")]
    NowhereToGo,
    /// The scenario has too few problems.
    #[error("the scenario has {lines} problems, and {agents} are needed")]
    TooFewLines {
        /// The number of agents.
        agents: usize,
        /// The number of problems.
        lines: usize,
    },
    /// The map has too few places for patrols.
    #[error("{agents} agents do not fit: there are {places} places for patrols, and {needed} are needed")]
    TooFewPlaces {
        /// The number of agents.
        agents: usize,
        /// The number of places.
        places: usize,
        /// The number of places that the agents need.
        needed: usize,
    },
    /// The problem type has no patrols.
    #[error("patrols are of type random or swap-sides, not {0}")]
    NoPatrol(String),
    /// A problem of the scenario cannot be used.
    #[error("{line}:1: {reason}")]
    Line {
        /// The line of the file.
        line: u32,
        /// Why.
        reason: String,
    },
}

impl Instance {
    /// Draws a problem of a type; equal seeds give equal problems on every machine.
    ///
    /// # Errors
    /// If the map has too few cells for the agents.
    pub fn generate(
        ground: &Ground,
        kind: ProblemType,
        agents: usize,
        seed: u64,
    ) -> Result<Self, ProblemError> {
        Self::check_room(ground, agents)?;
        let mut sampler = CellSampler::new(ground, seed);
        let (here, there) = match kind {
            ProblemType::Random => (sampler.cells.clone(), sampler.cells.clone()),
            ProblemType::CrossSides => sampler.opposite_sides(agents),
            ProblemType::SwapSides => {
                let (starts, goals) = sampler.swap_sides(agents);
                return Ok(Self { starts, goals }.without_fixed_points());
            }
            ProblemType::InsideOut => (sampler.inside(agents), sampler.outside(agents)),
            ProblemType::OutsideIn => (sampler.outside(agents), sampler.inside(agents)),
            ProblemType::TightToTight => sampler.clusters(agents, agents),
            ProblemType::TightToWide => sampler.clusters(agents, 4 * agents),
        };
        let (starts, goals) = (sampler.draw(here, agents), sampler.draw(there, agents));
        Ok(Self { starts, goals }.without_fixed_points())
    }

    /// Returns the number of cells of the largest connected component.
    pub(crate) fn room(ground: &Ground) -> usize {
        let components = ground.components();
        components.largest().map_or(0, |label| components.sizes()[label as usize] as usize)
    }

    /// Checks that the agents find room in the largest connected component of a map.
    ///
    /// # Errors
    /// If they do not.
    pub(crate) fn check_room(ground: &Ground, agents: usize) -> Result<(), ProblemError> {
        let cells = Self::room(ground);
        if agents > cells {
            return Err(ProblemError::TooManyAgents { agents, cells });
        }
        if agents > 0 && cells < 2 { Err(ProblemError::NowhereToGo) } else { Ok(()) }
    }

    /// Takes the first problems of a scenario file, one per agent.
    ///
    /// # Errors
    /// If the file has too few, or one of them cannot be used: it does not fit the map, or has the start or goal of an
    /// earlier one.
    pub fn from_scenario(ground: &Ground, scenario: &Scenario, agents: usize) -> Result<Self, ProblemError> {
        let lines = scenario.problems.len();
        if lines < agents {
            return Err(ProblemError::TooFewLines { agents, lines });
        }
        let mut instance = Self::default();
        let area = ground.size().area();
        let (mut started, mut aimed) = (vec![false; area], vec![false; area]);
        for problem in &scenario.problems[..agents] {
            let refuse = |reason: String| ProblemError::Line { line: problem.line, reason };
            if let Some(flaw) = problem.flaw(ground) {
                return Err(refuse(flaw.to_string()));
            }
            let (Some(start), Some(goal)) = (ground.cell(problem.start), ground.cell(problem.goal)) else {
                return Err(refuse("a place lies outside the map".to_owned()));
            };
            if std::mem::replace(&mut started[start.index()], true) {
                return Err(refuse(format!("an earlier line starts at {} too", problem.start)));
            }
            if std::mem::replace(&mut aimed[goal.index()], true) {
                return Err(refuse(format!("an earlier line goes to {} too", problem.goal)));
            }
            instance.starts.push(start);
            instance.goals.push(goal);
        }
        Ok(instance)
    }

    /// Exchanges goals until no agent starts at its own.
    fn without_fixed_points(mut self) -> Self {
        let agents = self.starts.len();
        for i in 0..agents {
            let other = (0..agents)
                .find(|&j| j != i && self.goals[j] != self.starts[i] && self.goals[i] != self.starts[j]);
            if let Some(j) = other.filter(|_| self.starts[i] == self.goals[i]) {
                self.goals.swap(i, j);
            }
        }
        self
    }
}

/// Returns the cells of the largest connected component, in row order.
pub(crate) fn largest_component(ground: &Ground) -> Vec<Cell> {
    let components = ground.components();
    let largest = components.largest();
    let belongs = |cell: &Cell| largest.is_some() && components.label(ground, *cell) == largest;
    ground.free_cells().filter(belongs).collect()
}

#[cfg(test)]
mod tests;
