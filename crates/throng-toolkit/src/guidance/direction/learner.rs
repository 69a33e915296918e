//! Learns a direction map from the executed moves of all agents.
//!
//! A planner calls [`DirectionLearner::observe`] at the start of each tick. It learns the moves executed in the last tick,
//! in order of agent ids, and drops the vectors of cells that were blocked since. A search that spans several ticks must
//! see the map of its first tick. It holds a [`DirectionMapVersion`](super::DirectionMapVersion), which shares the map,
//! and the next observation then modifies a copy.
//!
//! Sectors can have vectors too (section 5.4 of the thesis): one per sector, learned from moves between sectors.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use throng_crowd::{AgentChange, AgentRow, Limits, StateError, Validate, View};
use throng_grid::{Cell, Grid, Size};

use super::local_copies::{LocalCopies, SavedCopies};
use super::map::DirectionMap;
use super::parts::Parts;
use super::saved::SavedVectors;
use super::step_penalties::StepPenalties;
use super::step_penalty::StepPenalty;
use super::surround::Surround;
use super::trips::Trips;
use super::vector::Rate;

/// The parameters of learning, and the penalty of steps against the vectors.
#[derive(Clone, Copy, Debug)]
pub struct Learning {
    /// Penalty of steps against the vectors.
    pub step_penalty: StepPenalty,
    /// Rate at which the vectors of the two cells of a step move towards it.
    pub rate: Rate,
    /// How the cells around the entered cell learn; `None` if they do not.
    pub surround: Option<Surround>,
    /// The cells whose vectors are stored. The vectors of sectors are all stored.
    pub parts: Parts,
    /// Share of their length that vectors lose per tick.
    pub fade: Option<Rate>,
    /// If set, each agent has its own copy of the map and after each step copies the vectors within this distance.
    pub local: Option<u32>,
    /// If true, all cells of a corridor learn each step in it.
    pub corridors: bool,
    /// If set, square sectors with this side in cells have vectors too.
    pub sector: Option<u32>,
    /// If true, steps are learned at the end of a trip at a rate that depends on its quality.
    pub by_trip: bool,
}

impl Learning {
    /// Returns parameters with which each step is learned at once and only in its two cells.
    #[must_use]
    pub const fn plain(step_penalty: StepPenalty, rate: Rate) -> Self {
        Self {
            step_penalty,
            rate,
            surround: None,
            parts: Parts::All,
            fade: None,
            local: None,
            corridors: false,
            sector: None,
            by_trip: false,
        }
    }
}

/// Learns the direction map of a run.
#[derive(Clone, Debug)]
pub struct DirectionLearner {
    learning: Learning,
    pub(super) map: Arc<DirectionMap>,
    /// Side in grid cells of the square that a cell of the map stands for; 1 except for the sector map.
    side: u32,
    /// Learner of the sector map, if sectors have vectors.
    sectors: Option<Box<Self>>,
    /// Earlier versions. Those that no search holds any more are reused.
    older: Vec<Arc<DirectionMap>>,
    /// Cell of the map at the last observation, by agent; `None` if the agent is new or was relocated since.
    last: Vec<Option<Cell>>,
    /// The agents' own copies of the map, with [`Learning::local`].
    own: Option<LocalCopies>,
    /// Revision of the grid at the last observation.
    revision: u64,
    /// Agents that moved in the last tick.
    moved: Vec<AgentRow>,
    /// Trips in progress; used only with [`Learning::by_trip`].
    trips: Trips,
}

impl DirectionLearner {
    /// Creates a learner with an empty map.
    pub fn new(grid: &Grid, learning: Learning) -> Self {
        let sector_learning =
            Learning { fade: learning.fade, ..Learning::plain(learning.step_penalty, learning.rate) };
        let sectors =
            |side| Box::new(Self::of_size(grid, sector_map_size(grid.size(), side), side, sector_learning));
        Self { sectors: learning.sector.map(sectors), ..Self::of_size(grid, grid.size(), 1, learning) }
    }

    fn of_size(grid: &Grid, size: Size, side: u32, learning: Learning) -> Self {
        Self {
            learning,
            map: Arc::new(DirectionMap::new(size)),
            side,
            sectors: None,
            older: Vec::new(),
            last: Vec::new(),
            own: learning.local.map(|radius| LocalCopies::new(size, radius)),
            revision: grid.revision(),
            moved: Vec::new(),
            trips: Trips::default(),
        }
    }

    /// Returns the present map.
    pub fn map(&self) -> &DirectionMap {
        &self.map
    }

    /// Returns the learner of the sector map, if sectors have vectors.
    pub(super) fn sectors(&self) -> Option<&Self> {
        self.sectors.as_deref()
    }

    /// Returns the cell of the map that contains an agent.
    fn map_cell(side: u32, view: &View<'_>, agent: AgentRow) -> Cell {
        if side == 1 {
            return view.at(agent);
        }
        let (size, pos) = (view.grid().size(), view.grid().size().pos(view.at(agent)));
        Cell(pos.y as u32 / side * size.width().div_ceil(side) + pos.x as u32 / side)
    }

    /// Starts from a map learned earlier. Returns false and changes nothing if its size differs.
    pub fn set_map(&mut self, map: DirectionMap) -> bool {
        let fits = map.size() == self.map.size();
        if fits {
            if let Some(sectors) = &mut self.sectors {
                sectors.map =
                    Arc::new(map.sector_means(sector_map_size(map.size(), sectors.side), sectors.side));
            }
            self.map = Arc::new(map);
        }
        fits
    }

    /// Returns the step penalties of an agent by the present map or by a version of it.
    pub fn step_penalties<'a>(
        &'a self,
        version: Option<&'a DirectionMap>,
        agent: AgentRow,
    ) -> StepPenalties<'a> {
        let own = self.own.as_ref().map(|copies| copies.of(agent));
        StepPenalties {
            own,
            ..StepPenalties::of_map(self.learning.step_penalty, version.unwrap_or(&self.map))
        }
    }

    /// Handles a change of an agent between two ticks.
    pub fn on_change(&mut self, agent: AgentRow, change: AgentChange) {
        if let Some(sectors) = &mut self.sectors {
            sectors.on_change(agent, change);
        }
        if change == AgentChange::Retasked {
            self.trips.end(agent);
        }
        if matches!(change, AgentChange::Relocated | AgentChange::Despawned) {
            if let Some(last) = self.last.get_mut(agent.index()) {
                *last = None;
            }
            self.trips.forget(agent);
        }
        if let Some(copies) = &mut self.own
            && change == AgentChange::Despawned
        {
            copies.forget(agent);
        }
    }

    /// Learns the moves and edits since the last observation.
    pub fn observe(&mut self, view: &View<'_>) {
        if let Some(sectors) = &mut self.sectors {
            sectors.observe(view);
        }
        self.last.resize(view.id_limit(), None);
        if let Some(copies) = &mut self.own {
            copies.fit(view.id_limit());
        }
        if self.learning.by_trip {
            self.trips.fit(view.id_limit());
        }
        self.moved.clear();
        let has_moved = |agent: &&AgentRow| {
            let before = self.last[agent.index()];
            before.is_some_and(|cell| cell != Self::map_cell(self.side, view, **agent))
        };
        self.moved.extend(view.agents().iter().filter(has_moved));
        let edited = view.grid().revision() != self.revision;
        let learns_every_tick = self.learning.fade.is_some() || self.learning.by_trip;
        if edited || !self.moved.is_empty() || learns_every_tick {
            self.learn(view, edited);
        }
        for &agent in view.agents() {
            self.last[agent.index()] = Some(Self::map_cell(self.side, view, agent));
        }
    }

    fn learn(&mut self, view: &View<'_>, edited: bool) {
        self.unshare_map();
        let map = Arc::make_mut(&mut self.map);
        if edited {
            // The penalties of sectors without a free cell are never read.
            if self.side == 1 {
                map.follow(view.grid(), self.revision);
            }
            self.revision = view.grid().revision();
        }
        if let Some(rate) = self.learning.fade {
            map.fade(view.tick(), rate);
        }
        for &agent in &self.moved {
            let (Some(from), to) = (self.last[agent.index()], Self::map_cell(self.side, view, agent)) else {
                continue;
            };
            if self.learning.by_trip {
                self.trips.step(agent, (from, to), view.tick());
            } else {
                learn_step(&self.learning, map, view, agent, (from, to));
            }
        }
        if self.learning.by_trip {
            for &agent in view.agents() {
                let stores = |map: &DirectionMap, cell| self.learning.parts.stores(map, view, agent, cell);
                let state = (view.is_at_target(agent), view.tick());
                self.trips.settle(agent, state, map, self.learning.rate, stores);
            }
        }
        if let Some(copies) = &mut self.own {
            for &agent in &self.moved {
                copies.update(map, agent, view.at(agent));
            }
        }
    }

    /// Replaces the map by a copy if a search holds it.
    fn unshare_map(&mut self) {
        if Arc::get_mut(&mut self.map).is_some() {
            return;
        }
        let spare = self.older.iter().position(|old| Arc::strong_count(old) == 1);
        let mut fresh =
            spare.map_or_else(|| Arc::new(DirectionMap::new(self.map.size())), |i| self.older.swap_remove(i));
        Arc::make_mut(&mut fresh).copy_from(&self.map);
        self.older.push(std::mem::replace(&mut self.map, fresh));
    }

    /// Returns the memory in use, in bytes.
    pub fn memory_bytes(&self) -> usize {
        let lists =
            self.last.capacity() * size_of::<Option<Cell>>() + self.moved.capacity() * size_of::<AgentRow>();
        self.map.memory_bytes()
            + self.older.iter().map(|map| map.memory_bytes()).sum::<usize>()
            + self.sectors.as_ref().map_or(0, |sectors| sectors.memory_bytes() + size_of::<Self>())
            + self.own.as_ref().map_or(0, LocalCopies::memory_bytes)
            + lists
            + self.trips.memory_bytes()
    }

    /// Returns everything that further learning depends on.
    pub fn saved(&self) -> SavedDirectionLearner {
        SavedDirectionLearner {
            revision: self.revision,
            map: self.map.saved(),
            last: self.last.iter().map(|last| last.map_or(0, |cell| cell.0 + 1)).collect(),
            own: self.own.as_ref().map_or_else(Vec::new, LocalCopies::saved),
            trips: self.trips.clone(),
            sectors: self.sectors.as_ref().map(|sectors| Box::new(sectors.saved())),
        }
    }

    /// Restores what [`DirectionLearner::saved`] returned.
    ///
    /// # Errors
    /// When a value does not fit the map of this planner.
    pub fn restore(&mut self, saved: SavedDirectionLearner) -> Result<(), StateError> {
        let SavedDirectionLearner { revision, map, last, own, trips, sectors } = saved;
        let size = self.map.size();
        let is_inside = |cell: Cell| cell.index() < size.area();
        let last: Vec<_> = last.into_iter().map(|cell| cell.checked_sub(1).map(Cell)).collect();
        if !last.iter().copied().flatten().all(is_inside) {
            return Err(StateError::invalid("an agent was seen outside the map"));
        }
        match &mut self.own {
            Some(copies) => copies.restore(own)?,
            None if own.is_empty() => {}
            None => return Err(StateError::invalid("agents have no copies of the direction map")),
        }
        (self.revision, self.last, self.trips) = (revision, last, trips);
        self.map = Arc::new(DirectionMap::restored(size, &map)?);
        self.older.clear();
        match (&mut self.sectors, sectors) {
            (Some(layer), Some(saved)) => layer.restore(*saved),
            (None, None) => Ok(()),
            _ => Err(StateError::invalid("the direction map of sectors is missing")),
        }
    }
}

/// A learned direction map as it is saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedDirectionLearner {
    revision: u64,
    map: SavedVectors,
    /// By agent: one more than the cell where it was last seen, 0 for none.
    last: Vec<u32>,
    own: SavedCopies,
    trips: Trips,
    sectors: Option<Box<Self>>,
}

impl Validate for SavedDirectionLearner {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        // Cells are checked when they are restored, against the size of their map.
        let Self { revision: _, map: _, last, own, trips, sectors } = self;
        limits.at_most(last.len().max(own.len()) as u64, limits.agents as u64, "the number of agents")?;
        trips.validate(limits)?;
        sectors.as_deref().map_or(Ok(()), |sectors| sectors.validate(limits))
    }
}

/// Returns the size of the sector map for sectors of this side.
fn sector_map_size(size: Size, side: u32) -> Size {
    // It is not larger than the size of the map, which is valid.
    Size::new(size.width().div_ceil(side), size.height().div_ceil(side)).unwrap_or(size)
}

/// Learns a step of an agent at once.
fn learn_step(
    learning: &Learning,
    map: &mut DirectionMap,
    view: &View<'_>,
    agent: AgentRow,
    step: (Cell, Cell),
) {
    let stores = |map: &DirectionMap, cell| learning.parts.stores(map, view, agent, cell);
    if learning.corridors {
        map.learn_corridor(view.ground(agent), step, learning.rate, stores);
    } else {
        map.learn_where(step, learning.rate, stores);
    }
    if let Some(surround) = learning.surround {
        map.learn_around(view.ground(agent), step, surround, stores);
    }
}

#[cfg(test)]
mod tests;
