//! A world that is shown: what the page does to it, and what it looks like after a tick. All use of [`World`] is here and in
//! `inspect.rs`.

use std::sync::Arc;
use std::time::Instant;

use throng::{
    AgentId, AgentSpec, Area, Budget, Event, ForeignId, Ground, Pos, StuckReason, Unit, World, WorldError,
};
use throng_crowd::{AgentRow, View};
use throng_lab::Instance;

use crate::frame::{Agents, Note, NoteKind, Side, Stats};
use crate::setup::SetupError;

/// A world and what is known about its agents since the last tick.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) world: World,
    /// The map before all strokes: path databases are made of it.
    pub(crate) before: Arc<Ground>,
    /// The rows of all agents, in order.
    rows: Arc<[u32]>,
    /// The agent of each row.
    ids: Vec<Option<AgentId>>,
    /// Per row, what the agent waited for in the last tick.
    pub(crate) waits: Vec<Option<Wait>>,
    /// Per row, why the agent was reported stuck; `None` once it has stepped.
    pub(crate) stuck: Vec<Option<StuckReason>>,
    /// Per row, [`WAITS`] and [`STUCK`] as in the two tables above: every frame reads them for all agents, beside a browser that
    /// fills the caches.
    flags: Vec<u8>,
    events: Vec<Event>,
    stats: Stats,
}

/// The agent waited in the last tick.
const WAITS: u8 = 1;
/// The agent was reported stuck and has not stepped since.
const STUCK: u8 = 2;
/// By flags: the state of an agent under way.
const STATES: [u8; 4] = [Agents::MOVING, Agents::WAITING, Agents::STUCK, Agents::STUCK];

/// What an agent waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    pub(crate) wanted: Pos,
    pub(crate) by: Option<Unit>,
}

impl Scene {
    /// Places the agents of an instance in a world without agents.
    pub(crate) fn new(mut world: World, instance: &Instance) -> Result<Self, SetupError> {
        let size = world.grid().size();
        let mut agents = Vec::with_capacity(instance.starts.len());
        for &start in &instance.starts {
            let Pos { x, y } = size.pos(start);
            agents.push(world.spawn(AgentSpec::at(x, y))?);
        }
        for (&agent, &goal) in agents.iter().zip(&instance.goals) {
            world.send(agent, size.pos(goal))?;
        }
        let mut scene = Self {
            before: Arc::new(world.grid().ground().clone()),
            world,
            rows: Arc::default(),
            ids: Vec::new(),
            waits: Vec::new(),
            stuck: Vec::new(),
            flags: Vec::new(),
            events: Vec::new(),
            stats: Stats::default(),
        };
        scene.update_rows();
        Ok(scene)
    }

    /// Adapts the tables to the present agents.
    fn update_rows(&mut self) {
        self.rows = self.world.agents().iter().map(|agent| agent.row()).collect();
        let rows = self.world.agents().last().map_or(0, |agent| agent.index() + 1);
        self.ids.clear();
        self.ids.resize(rows, None);
        for &agent in self.world.agents() {
            self.ids[agent.index()] = Some(agent);
        }
        self.waits.resize(rows, None);
        self.stuck.resize(rows, None);
        self.flags.resize(rows, 0);
    }

    /// Returns the agent of a row.
    pub(crate) fn agent(&self, row: u32) -> Option<AgentId> {
        self.ids.get(row as usize).copied().flatten()
    }

    /// Moves the agents by one tick. The budget is in microseconds of planning, 0 for no limit.
    pub(crate) fn tick(&mut self, budget: u64) {
        self.events.clear();
        let start = Instant::now();
        // A microsecond is 20 units of 50 nanoseconds.
        let budget = if budget == 0 { Budget::Unlimited } else { Budget::units(budget.saturating_mul(20)) };
        let report = self.world.tick(budget, &mut self.events);
        self.stats.tick_us = start.elapsed().as_micros().min(u128::from(u32::MAX)) as u32;
        self.stats.units = report.units.min(u64::from(u32::MAX)) as u32;
        self.observe();
    }

    /// Evaluates the events of a tick.
    fn observe(&mut self) {
        self.waits.fill(None);
        self.flags.iter_mut().for_each(|flags| *flags &= !WAITS);
        for event in &self.events {
            match *event {
                Event::Moved { agent, .. } | Event::Arrived { agent } => {
                    self.stuck[agent.index()] = None;
                    self.flags[agent.index()] &= !STUCK;
                }
                Event::Waited { agent, wanted, by } => {
                    self.waits[agent.index()] = Some(Wait { wanted, by });
                    self.flags[agent.index()] |= WAITS;
                }
                Event::Stuck { agent, reason, .. } => {
                    self.stuck[agent.index()] = Some(reason);
                    self.flags[agent.index()] |= STUCK;
                }
                _ => {}
            }
        }
    }

    /// Returns what the last tick reported, without steps and waits.
    pub(crate) fn notes(&self) -> Vec<Note> {
        let note = |kind, agent: AgentId, by: Option<Unit>| {
            let by = by.and_then(Unit::agent).map_or(Note::NOBODY, AgentId::row);
            Some(Note { kind, agent: agent.row(), by })
        };
        let notes = self.events.iter().filter_map(|event| match *event {
            Event::Stuck { agent, reason, by } => note(NoteKind::stuck(reason), agent, by),
            Event::Unreachable { agent, .. } => note(NoteKind::Unreachable, agent, None),
            Event::Displaced { agent, .. } => note(NoteKind::Displaced, agent, None),
            Event::Overruled { agent, .. } => note(NoteKind::Overruled, agent, None),
            Event::LeftGoal { agent } => note(NoteKind::LeftGoal, agent, None),
            Event::Arrived { agent } => note(NoteKind::Arrived, agent, None),
            _ => None,
        });
        notes.take(Note::MAX).collect()
    }

    /// Returns what the planner reported about itself in the last tick.
    pub(crate) fn notices(&self) -> &[String] {
        self.world.notices()
    }

    /// Describes the world as it is.
    pub(crate) fn side(&self, notes: Vec<Note>) -> Side {
        let size = self.world.grid().size();
        let mut stats = self.stats;
        let view = self.world.view();
        let mut agents = Agents {
            rows: Arc::clone(&self.rows),
            cells: Vec::with_capacity(self.rows.len()),
            states: Vec::with_capacity(self.rows.len()),
        };
        for &row in &*self.rows {
            let cell = view.at(AgentRow(row));
            agents.cells.push(cell.0);
            agents.states.push(self.state(&view, row, cell));
        }
        stats.arrived = agents.count(Agents::ARRIVED);
        stats.waiting = agents.count(Agents::WAITING);
        stats.stuck = agents.count(Agents::STUCK);
        let totals = self.world.totals();
        stats.waits = totals.failed_moves.min(u64::from(u32::MAX)) as u32;
        stats.expansions = totals.expansions;
        let unit = |unit| self.world.foreign_position(unit).ok().and_then(|pos| size.cell(pos));
        let units = self.world.foreign_units().filter_map(unit).map(|cell| cell.0).collect();
        Side { stats, agents, units, notes }
    }

    fn state(&self, view: &View<'_>, row: u32, at: throng::Cell) -> u8 {
        // The world is asked about arrival only where it is possible: the answer lies in memory that little else reads.
        let has_arrived = || self.agent(row).is_some_and(|id| self.world.has_arrived(id) == Ok(true));
        match view.target(AgentRow(row)) {
            None => Agents::IDLE,
            Some(target) if target == at && has_arrived() => Agents::ARRIVED,
            Some(_) => STATES[usize::from(self.flags[row as usize] & 3)],
        }
    }

    /// Returns the content of a cell for the page: the number of its terrain, and 128 if it was blocked.
    pub(crate) fn cell_value(&self, cell: throng::Cell) -> u8 {
        let grid = self.world.grid();
        grid.tiles().terrain()[cell.index()] as u8 | u8::from(grid.blocked()[cell.index()]) << 7
    }

    /// Changes the map in an area: `None` for walls.
    pub(crate) fn paint(&mut self, area: Area, terrain: Option<throng::Terrain>) {
        let Some(terrain) = terrain else {
            self.world.block(area);
            return;
        };
        self.world.unblock(area);
        self.world.set_terrain(area, terrain);
    }

    /// Gives an area the content that a value of [`Scene::cell_value`] describes.
    pub(crate) fn restore(&mut self, area: Area, value: u8) {
        if let Some(&terrain) = throng::Terrain::ALL.get(usize::from(value & 127)) {
            self.world.set_terrain(area, terrain);
        }
        if value & 128 == 0 {
            self.world.unblock(area);
        } else {
            self.world.block(area);
        }
    }

    /// Sends agents to a goal, or after the goals that they have. A goal outside the map, and one more than an agent can
    /// remember, changes nothing.
    pub(crate) fn send(&mut self, rows: &[u32], goal: Pos, queue: bool) {
        for &row in rows {
            let Some(agent) = self.agent(row) else { continue };
            if queue {
                let _ = self.world.queue(agent, goal);
            } else if self.world.send(agent, goal).is_ok() {
                self.clear_flags(row);
            }
        }
    }

    /// Takes the goals from agents.
    pub(crate) fn halt(&mut self, rows: &[u32]) {
        for &row in rows {
            if let Some(agent) = self.agent(row) {
                self.clear_flags(row);
                let _ = self.world.halt(agent);
            }
        }
    }

    fn clear_flags(&mut self, row: u32) {
        let row = row as usize;
        (self.waits[row], self.stuck[row], self.flags[row]) = (None, None, 0);
    }

    /// Removes agents.
    pub(crate) fn remove(&mut self, rows: &[u32]) {
        for &row in rows {
            if let Some(agent) = self.agent(row) {
                self.clear_flags(row);
                let _ = self.world.despawn(agent);
                self.ids[row as usize] = None;
            }
        }
        self.update_rows();
    }

    /// Adds an agent.
    pub(crate) fn spawn(&mut self, at: Pos) -> Result<AgentId, WorldError> {
        let id = self.world.spawn(AgentSpec::at(at.x, at.y))?;
        self.update_rows();
        self.clear_flags(id.row());
        Ok(id)
    }

    /// Returns true if an agent can be added at a position.
    pub(crate) fn has_room(&self, at: Pos) -> bool {
        let ground = self.world.grid().ground();
        ground.cell(at).is_some_and(|cell| ground.is_free(cell)) && self.world.occupant(at).is_none()
    }

    /// Returns the foreign unit at a position.
    pub(crate) fn unit(&self, at: Pos) -> Option<ForeignId> {
        match self.world.occupant(at) {
            Some(Unit::Foreign(unit)) => Some(unit),
            _ => None,
        }
    }
}
