//! Unknown maps: agents know only the cells that they have seen, and take every other cell for free.
//!
//! The papers on BMAA* name unknown maps among the requirements of games. Unseen cells are treated by the free-space
//! assumption (S. Koenig, Y. Smirnov, *Sensor-Based Planning with the Freespace Assumption*, ICRA 1997). An agent sees
//! all cells up to a Chebyshev distance; lines of sight are not modelled. A cell that changes out of sight is known as it
//! was when it was last seen.
//!
//! Planners and goal assignment read known maps. Referee, occupancy and checker use the true map. An agent sees at least
//! the cells around it, so its next step is legal on the true map if it is legal on the known one.

mod look;
pub(crate) mod state;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use throng_grid::{BitGrid, Cell, Grid, Ground, Pos, ProfileId, Size};

use crate::AgentRow;

/// The setting for unknown maps: how far agents see, and whether they share what they know.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Fog {
    /// Agents see all cells up to this Chebyshev distance; at least 1.
    pub radius: u16,
    /// True if all agents use one map of what any of them has seen. Allowed if agents may share more than
    /// [`Sharing::Nothing`](crate::Sharing::Nothing). Otherwise each agent has a map of its own, which takes about one and
    /// a half bytes per cell.
    pub shared: bool,
}

impl Fog {
    /// Agents see this far, in cells, and each has a map of its own.
    pub const fn radius(radius: u16) -> Self {
        Self { radius, shared: false }
    }

    /// Lets the agents share one map.
    #[must_use]
    pub const fn shared(self) -> Self {
        Self { shared: true, ..self }
    }

    /// Returns how much of the map a planner knows.
    pub const fn grants(fog: Option<Self>) -> MapKnowledge {
        match fog {
            None => MapKnowledge::Whole,
            Some(Self { shared: true, .. }) => MapKnowledge::Shared,
            Some(_) => MapKnowledge::Own,
        }
    }
}

/// Written as the radius, with `:shared` if agents share one map.
impl fmt::Display for Fog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.radius, if self.shared { SHARED } else { "" })
    }
}

/// Why a text is not a fog.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected how far agents see, in cells, such as `8`, or `8:shared` if they share one map, not `{0}`")]
pub struct FogError(String);

impl FromStr for Fog {
    type Err = FogError;

    fn from_str(text: &str) -> Result<Self, FogError> {
        let shared = text.ends_with(SHARED);
        let radius = text.strip_suffix(SHARED).unwrap_or(text).parse().ok().filter(|&radius| radius > 0);
        radius.map(|radius| Self { radius, shared }).ok_or_else(|| FogError(text.to_owned()))
    }
}

const SHARED: &str = ":shared";

/// How much of the map a planner knows. A planner states what it requires, a world what it grants.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MapKnowledge {
    /// For each agent what it has seen itself.
    Own,
    /// What all agents together have seen.
    Shared,
    /// The whole map.
    Whole,
}

impl MapKnowledge {
    /// Returns the name for messages and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Own => "what each agent has seen",
            Self::Shared => "what all agents have seen",
            Self::Whole => "the whole map",
        }
    }

    /// Returns how to grant a planner what it requires, or to do without.
    pub(crate) const fn remedy(self) -> &'static str {
        match self {
            Self::Own | Self::Shared => "let the agents share one map",
            Self::Whole => "choose a planner for unknown maps, or no fog",
        }
    }
}

/// What the agents of a world know of its map.
#[derive(Clone, Debug)]
pub(crate) struct Knowledge {
    pub(crate) fog: Fog,
    /// The map that all agents share. With maps of their own, the map of an agent that has seen nothing.
    pub(crate) grid: Arc<Grid>,
    /// The cells seen of the shared map, and when it last changed.
    shared: Memory,
    /// The maps of the living agents, by number; empty if they share one.
    own: Vec<Option<Arc<OwnMap>>>,
    /// How often a known map has changed.
    changes: u64,
    /// Agents whose targets have to be reviewed, because their map or position changed.
    due: Vec<AgentRow>,
    /// True if the targets of all agents have to be reviewed.
    all_due: bool,
}

/// The map of one agent.
#[derive(Clone, Debug)]
struct OwnMap {
    ground: Ground,
    memory: Memory,
}

/// What is remembered about a known map beside its cells.
#[derive(Clone, Debug)]
struct Memory {
    seen: BitGrid,
    /// The tick in which a known cell last changed; 0 if none has.
    changed_at: u64,
}

impl Memory {
    fn new(size: Size) -> Self {
        Self { seen: BitGrid::new(size.width(), size.height()), changed_at: 0 }
    }
}

impl Knowledge {
    /// Nobody has seen anything.
    pub(crate) fn new(truth: &Grid, fog: Fog) -> Self {
        let shared = Memory::new(truth.size());
        let grid = Arc::new(truth.known(&shared.seen));
        Self { fog, grid, shared, own: Vec::new(), changes: 0, due: Vec::new(), all_due: false }
    }

    fn own(&self, agent: AgentRow) -> Option<&OwnMap> {
        self.own.get(agent.index())?.as_deref()
    }

    /// Returns the map as an agent knows it.
    #[inline]
    pub(crate) fn ground(&self, agent: AgentRow, profile: ProfileId) -> &Ground {
        match self.own(agent) {
            Some(own) => &own.ground,
            None => self.grid.ground_of(profile).unwrap_or_else(|| self.grid.ground()),
        }
    }

    /// Returns a number that changes whenever a known map changes.
    pub(crate) fn revision(&self) -> u64 {
        self.changes
    }

    /// Returns the tick in which the map of an agent last changed; 0 if it never has.
    pub(crate) fn changed_at(&self, agent: AgentRow) -> u64 {
        self.memory(agent).changed_at
    }

    /// Returns true if an agent has seen a position, or any agent if they share a map.
    pub(crate) fn has_seen(&self, agent: AgentRow, pos: Pos) -> bool {
        self.grid.size().contains(pos) && self.memory(agent).seen.get(pos)
    }

    fn memory(&self, agent: AgentRow) -> &Memory {
        self.own(agent).map_or(&self.shared, |own| &own.memory)
    }

    /// Makes the cells around an agent known to it. Its target is due for review if that changes its map.
    fn look(&mut self, truth: &Grid, agent: AgentRow, profile: ProfileId, at: Cell, tick: u64) {
        let (size, radius) = (truth.size(), i32::from(self.fog.radius));
        let here = size.pos(at);
        let (min, max) = size
            .clipped(Pos::new(here.x - radius, here.y - radius), Pos::new(here.x + radius, here.y + radius));
        let (changed, memory) = if self.fog.shared {
            (Arc::make_mut(&mut self.grid).observe(truth, min, max), &mut self.shared)
        } else {
            if self.own.len() <= agent.index() {
                self.own.resize_with(agent.index() + 1, || None);
            }
            let blank = || self.grid.ground_of(profile).unwrap_or_else(|| self.grid.ground()).clone();
            let own = self.own[agent.index()]
                .get_or_insert_with(|| Arc::new(OwnMap { ground: blank(), memory: Memory::new(size) }));
            let own = Arc::make_mut(own);
            let truth = truth.ground_of(profile).unwrap_or_else(|| truth.ground());
            (own.ground.observe(truth, min, max), &mut own.memory)
        };
        memory.seen.set_rect(min, max);
        if changed {
            memory.changed_at = tick;
            self.changes += 1;
            if self.fog.shared {
                self.all_due = true;
            } else {
                self.due.push(agent);
            }
        }
    }

    /// Returns true if the target of an agent has to be reviewed, directly after the maps were loaded.
    pub(crate) fn is_due(&self, agent: AgentRow) -> bool {
        self.all_due || self.due.binary_search(&agent).is_ok()
    }

    /// Prepares the known maps for cost overlays, as the true one is. So a restored world does not differ from this one.
    pub(crate) fn expect_overlays(&mut self) {
        Arc::make_mut(&mut self.grid).expect_overlays();
        self.own.iter_mut().flatten().for_each(|own| Arc::make_mut(own).ground.expect_overlays());
    }

    /// Drops the map of an agent that was removed.
    fn forget(&mut self, agent: AgentRow) {
        if let Some(own) = self.own.get_mut(agent.index()) {
            *own = None;
        }
        self.due.retain(|&due| due != agent);
    }
}

/// How far an agent sees.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sight {
    size: Size,
    here: Pos,
    /// The radius, `None` without fog.
    radius: Option<u16>,
}

impl Sight {
    pub(crate) fn new(size: Size, at: Cell, fog: Option<Fog>) -> Self {
        Self { size, here: size.pos(at), radius: fog.map(|fog| fog.radius) }
    }

    /// Returns true if the agent sees a cell.
    #[inline]
    pub(crate) fn reaches(self, cell: Cell) -> bool {
        let Some(radius) = self.radius else { return true };
        let pos = self.size.pos(cell);
        pos.x.abs_diff(self.here.x).max(pos.y.abs_diff(self.here.y)) <= u32::from(radius)
    }
}
