//! What a crowd leaves behind: the direction map of a run, learned from where agents really went.
//!
//! A planner that uses it calls [`DirectionLearner::observe`] first thing in a tick: the moves that the last tick really made are
//! learned, in the order of the agents' numbers, and what lies on cells that were blocked since is forgotten. A search
//! that goes on in a later tick must see the map as it was when it began, so the map is shared: whoever keeps a
//! [`DirectionMapVersion`](super::DirectionMapVersion) keeps it, and the next observation goes to a copy.
//!
//! Sectors can have vectors, too (the thesis's section 5.4): one each, whatever its parts, learned from steps between them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use throng_crowd::{AgentChange, AgentId, Limits, StateError, Validate, View};
use throng_grid::{Cell, Grid, Pos, Size};
use throng_search::PagedCells;

use super::map::DirectionMap;
use super::saved::SavedVectors;
use super::step_penalties::StepPenalties;
use super::step_penalty::StepPenalty;
use super::trips::Trips;
use super::vector::{Rate, Vector};

/// How a direction map is learned, and what it costs not to follow it.
#[derive(Clone, Copy, Debug)]
pub struct Learning {
    /// What steps against the vectors cost.
    pub step_penalty: StepPenalty,
    /// How far vectors move towards each step.
    pub rate: Rate,
    /// The rate of free cells around a cell entered, and up to which distance.
    pub around: Option<(Rate, u32)>,
    /// The part of their length that vectors lose a tick.
    pub fade: Option<Rate>,
    /// Agents have copies of their own: the distance up to which they see the map after each of their steps.
    pub local: Option<u32>,
    /// A step in a narrow passage is learned by all of its cells.
    pub passages: bool,
    /// Sectors of this side have vectors too.
    pub sector: Option<u32>,
    /// Steps are learned when a trip is over, by how well it went, and not at once.
    pub by_trip: bool,
}

impl Learning {
    /// By each step at once, in the cells left and entered only.
    #[must_use]
    pub const fn plain(step_penalty: StepPenalty, rate: Rate) -> Self {
        Self {
            step_penalty,
            rate,
            around: None,
            fade: None,
            local: None,
            passages: false,
            sector: None,
            by_trip: false,
        }
    }
}

/// The direction map that a crowd walks.
#[derive(Debug)]
pub struct DirectionLearner {
    learning: Learning,
    pub(super) map: Arc<DirectionMap>,
    /// The side of the squares that are one cell of the map each.
    side: u32,
    /// The map of sectors, where there is one.
    above: Option<Box<Self>>,
    /// Versions that somebody may still need, and memory to be used again.
    older: Vec<Arc<DirectionMap>>,
    /// Where each agent stood when it was last seen; nowhere after it was set down elsewhere.
    last: Vec<Option<Cell>>,
    /// The copies of agents that have their own.
    own: Vec<Option<PagedCells<Vector>>>,
    /// The map's revision that was seen last.
    revision: u64,
    moved: Vec<AgentId>,
    /// The trips under way, where they are learned as a whole.
    trips: Trips,
}

impl DirectionLearner {
    /// Nobody has passed anywhere.
    pub fn new(grid: &Grid, learning: Learning) -> Self {
        let above =
            Learning { around: None, local: None, passages: false, by_trip: false, sector: None, ..learning };
        let above = |side| Box::new(Self::of_size(grid, coarser(grid.size(), side), side, above));
        Self { above: learning.sector.map(above), ..Self::of_size(grid, grid.size(), 1, learning) }
    }

    fn of_size(grid: &Grid, size: Size, side: u32, learning: Learning) -> Self {
        Self {
            learning,
            map: Arc::new(DirectionMap::new(size)),
            side,
            above: None,
            older: Vec::new(),
            last: Vec::new(),
            own: Vec::new(),
            revision: grid.revision(),
            moved: Vec::new(),
            trips: Trips::default(),
        }
    }

    /// The map as it is now.
    pub fn map(&self) -> &DirectionMap {
        &self.map
    }

    /// What is learned of sectors, where there is anything.
    pub(super) fn above(&self) -> Option<&Self> {
        self.above.as_deref()
    }

    /// The cell of the map that an agent stands in.
    fn place(side: u32, view: &View<'_>, agent: AgentId) -> Cell {
        if side == 1 {
            return view.at(agent);
        }
        let (size, pos) = (view.grid().size(), view.grid().size().pos(view.at(agent)));
        Cell(pos.y as u32 / side * size.width().div_ceil(side) + pos.x as u32 / side)
    }

    /// Begins with a map that was learned before; false when it is of another size.
    pub fn set_map(&mut self, map: DirectionMap) -> bool {
        let fits = map.size() == self.map.size();
        if fits {
            if let Some(above) = &mut self.above {
                above.map = Arc::new(map.coarser(coarser(map.size(), above.side), above.side));
            }
            self.map = Arc::new(map);
        }
        fits
    }

    /// What an agent pays, by the map as it is now or by a version of it.
    pub fn step_penalties<'a>(
        &'a self,
        version: Option<&'a DirectionMap>,
        agent: AgentId,
    ) -> StepPenalties<'a> {
        let own = self.own.get(agent.index()).and_then(Option::as_ref);
        StepPenalties {
            own,
            ..StepPenalties::of_map(self.learning.step_penalty, version.unwrap_or(&self.map))
        }
    }

    /// Hears of what happened to an agent between two ticks.
    pub fn on_change(&mut self, agent: AgentId, change: AgentChange) {
        if let Some(above) = &mut self.above {
            above.on_change(agent, change);
        }
        match change {
            AgentChange::Despawned => self.forget(agent),
            AgentChange::Relocated => self.lose(agent),
            AgentChange::Retasked => self.trips.end(agent),
            AgentChange::Spawned => {}
        }
    }

    /// Learns what has happened since the last tick.
    pub fn observe(&mut self, view: &View<'_>) {
        if let Some(above) = &mut self.above {
            above.observe(view);
        }
        self.last.resize(view.id_limit(), None);
        if self.learning.local.is_some() {
            self.own.resize_with(view.id_limit(), || None);
        }
        if self.learning.by_trip {
            self.trips.fit(view.id_limit());
        }
        self.moved.clear();
        let has_moved = |agent: &&AgentId| {
            let before = self.last[agent.index()];
            before.is_some_and(|cell| cell != Self::place(self.side, view, **agent))
        };
        self.moved.extend(view.agents().iter().filter(has_moved));
        let edited = view.grid().revision() != self.revision;
        let always = self.learning.fade.is_some() || self.learning.by_trip;
        if edited || !self.moved.is_empty() || always {
            self.learn(view, edited);
        }
        for &agent in view.agents() {
            self.last[agent.index()] = Some(Self::place(self.side, view, agent));
        }
    }

    fn learn(&mut self, view: &View<'_>, edited: bool) {
        self.renew();
        let map = Arc::make_mut(&mut self.map);
        if edited {
            // Of sectors that nobody can enter nothing is ever asked.
            if self.side == 1 {
                map.follow(view.grid(), self.revision);
            }
            self.revision = view.grid().revision();
        }
        if let Some(rate) = self.learning.fade {
            map.fade(view.tick(), rate);
        }
        for &agent in &self.moved {
            let (Some(from), to) = (self.last[agent.index()], Self::place(self.side, view, agent)) else {
                continue;
            };
            if self.learning.by_trip {
                self.trips.step(agent, (from, to), view.tick());
                continue;
            }
            if self.learning.passages {
                map.learn_corridor(view.ground(agent), (from, to), self.learning.rate);
            } else {
                map.learn(from, to, self.learning.rate);
            }
            if let Some((rate, distance)) = self.learning.around {
                map.learn_around(view.ground(agent), (from, to), distance, rate);
            }
        }
        if self.learning.by_trip {
            for &agent in view.agents() {
                self.trips.settle(agent, view.is_at_target(agent), view.tick(), map, self.learning.rate);
            }
        }
        if let Some(radius) = self.learning.local {
            for &agent in &self.moved {
                let own = &mut self.own[agent.index()];
                let own = own.get_or_insert_with(|| PagedCells::new(map.size(), Vector::UNKNOWN));
                look_around(map, view.at(agent), radius, own);
            }
        }
    }

    /// Makes sure that nobody else keeps the version that is about to change.
    fn renew(&mut self) {
        if Arc::get_mut(&mut self.map).is_some() {
            return;
        }
        let spare = self.older.iter().position(|old| Arc::strong_count(old) == 1);
        let mut fresh =
            spare.map_or_else(|| Arc::new(DirectionMap::new(self.map.size())), |i| self.older.swap_remove(i));
        Arc::make_mut(&mut fresh).copy(&self.map);
        self.older.push(std::mem::replace(&mut self.map, fresh));
    }

    /// The agent is gone, or somewhere else without having walked there.
    fn lose(&mut self, agent: AgentId) {
        if let Some(last) = self.last.get_mut(agent.index()) {
            *last = None;
        }
        self.trips.forget(agent);
    }

    /// The agent is gone for good.
    fn forget(&mut self, agent: AgentId) {
        self.lose(agent);
        if let Some(own) = self.own.get_mut(agent.index()) {
            *own = None;
        }
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        let own = self.own.iter().flatten().map(PagedCells::memory_bytes).sum::<usize>();
        let lists = self.last.capacity() * size_of::<Option<Cell>>()
            + self.own.capacity() * size_of::<Option<PagedCells<Vector>>>()
            + self.moved.capacity() * size_of::<AgentId>();
        self.map.memory_bytes()
            + self.older.iter().map(|map| map.memory_bytes()).sum::<usize>()
            + self.above.as_ref().map_or(0, |above| above.memory_bytes() + size_of::<Self>())
            + own
            + lists
            + self.trips.memory_bytes()
    }

    /// Returns everything that further learning depends on.
    pub fn saved(&self) -> SavedDirectionLearner {
        let known = |own: &Option<PagedCells<Vector>>| {
            let vectors = own.iter().flat_map(PagedCells::touched);
            vectors.filter(|(_, vector)| vector.is_known()).collect()
        };
        SavedDirectionLearner {
            revision: self.revision,
            map: self.map.saved(),
            last: self.last.iter().map(|last| last.map_or(0, |cell| cell.0 + 1)).collect(),
            own: self.own.iter().map(known).collect(),
            trips: self.trips.clone(),
            above: self.above.as_ref().map(|above| Box::new(above.saved())),
        }
    }

    /// Restores what [`DirectionLearner::saved`] returned.
    ///
    /// # Errors
    /// When a value does not fit the map of this planner.
    pub fn restore(&mut self, saved: SavedDirectionLearner) -> Result<(), StateError> {
        let SavedDirectionLearner { revision, map, last, own, trips, above } = saved;
        let size = self.map.size();
        let is_inside = |cell: Cell| cell.index() < size.area();
        let last: Vec<_> = last.into_iter().map(|cell| cell.checked_sub(1).map(Cell)).collect();
        if !own.iter().flatten().all(|(_, vector)| vector.is_valid()) {
            return Err(StateError::invalid("a vector is longer than one"));
        }
        let own_cells = own.iter().flatten().map(|&(cell, _)| cell);
        if !last.iter().copied().flatten().chain(own_cells).all(is_inside) {
            return Err(StateError::invalid("an agent was seen outside the map"));
        }
        let own_map = |vectors: Vec<(Cell, Vector)>| {
            let mut own = (!vectors.is_empty()).then(|| PagedCells::new(size, Vector::UNKNOWN))?;
            for (cell, vector) in vectors {
                *own.touch(cell) = vector;
            }
            Some(own)
        };
        (self.revision, self.last, self.trips) = (revision, last, trips);
        self.map = Arc::new(DirectionMap::restored(size, &map)?);
        self.older.clear();
        self.own = own.into_iter().map(own_map).collect();
        match (&mut self.above, above) {
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
    own: Vec<Vec<(Cell, Vector)>>,
    trips: Trips,
    above: Option<Box<Self>>,
}

impl Validate for SavedDirectionLearner {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        // Cells are checked when they are restored, against the size of their map.
        let Self { revision: _, map: _, last, own, trips, above } = self;
        limits.at_most(last.len().max(own.len()) as u64, limits.agents as u64, "the number of agents")?;
        trips.validate(limits)?;
        above.as_deref().map_or(Ok(()), |above| above.validate(limits))
    }
}

/// The size of a map of squares of a side.
fn coarser(size: Size, side: u32) -> Size {
    // No larger than the map itself, which has a size.
    Size::new(size.width().div_ceil(side), size.height().div_ceil(side)).unwrap_or(size)
}

/// An agent looks around, and remembers what it sees.
fn look_around(map: &DirectionMap, at: Cell, radius: u32, own: &mut PagedCells<Vector>) {
    let (size, reach, square) = (map.size(), radius as i32, u64::from(radius).pow(2));
    let here = size.pos(at);
    for y in (here.y - reach).max(0)..=(here.y + reach).min(size.height() as i32 - 1) {
        for x in (here.x - reach).max(0)..=(here.x + reach).min(size.width() as i32 - 1) {
            let (dx, dy) = (u64::from(x.abs_diff(here.x)), u64::from(y.abs_diff(here.y)));
            let Some(cell) = size.cell(Pos::new(x, y)).filter(|_| dx * dx + dy * dy <= square) else {
                continue;
            };
            let seen = map.stored(cell);
            if seen != own.get(cell) {
                *own.touch(cell) = seen;
            }
        }
    }
}
