//! A world that is shown: what the page does to it, and what it looks like after a tick. All use of [`World`] is here and in
//! `inspect.rs`.

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use throng::{AgentId, AgentSpec, Area, Budget, Event, Pos, StuckReason, Unit, World, WorldError};
use throng_lab::Instance;

use crate::frame::{AgentState, Note, NoteKind, Side, Stats};
use crate::setup::SetupError;

/// A world and what is known about its agents since the last tick.
#[derive(Debug)]
pub(crate) struct Scene {
    pub(crate) world: World,
    /// The agent of each row.
    ids: Vec<Option<AgentId>>,
    /// Per row, what the agent waited for in the last tick.
    pub(crate) waits: Vec<Option<Wait>>,
    /// Per row, why the agent was reported stuck; `None` once it has stepped.
    pub(crate) stuck: Vec<Option<StuckReason>>,
    /// Goals to go to after the present one, by row.
    queues: BTreeMap<u32, VecDeque<Pos>>,
    events: Vec<Event>,
    stats: Stats,
}

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
            world,
            ids: Vec::new(),
            waits: Vec::new(),
            stuck: Vec::new(),
            queues: BTreeMap::new(),
            events: Vec::new(),
            stats: Stats::default(),
        };
        scene.update_rows();
        Ok(scene)
    }

    /// Adapts the tables to the present agents.
    fn update_rows(&mut self) {
        let rows = self.world.agents().last().map_or(0, |agent| agent.index() + 1);
        self.ids.clear();
        self.ids.resize(rows, None);
        for &agent in self.world.agents() {
            self.ids[agent.index()] = Some(agent);
        }
        self.waits.resize(rows, None);
        self.stuck.resize(rows, None);
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

    /// Evaluates the events of a tick, and sends agents on that have arrived and have another goal.
    fn observe(&mut self) {
        self.waits.fill(None);
        for event in &self.events {
            match *event {
                Event::Moved { agent, .. } => self.stuck[agent.index()] = None,
                Event::Waited { agent, wanted, by } => self.waits[agent.index()] = Some(Wait { wanted, by }),
                Event::Stuck { agent, reason, .. } => self.stuck[agent.index()] = Some(reason),
                Event::Arrived { agent } => {
                    self.stuck[agent.index()] = None;
                    let next = self.queues.get_mut(&agent.row()).and_then(VecDeque::pop_front);
                    if let Some(goal) = next {
                        // The goal was on the map when it was queued.
                        let _ = self.world.send(agent, goal);
                    }
                }
                _ => {}
            }
        }
        self.queues.retain(|_, queue| !queue.is_empty());
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
        let agents: Vec<AgentState> = self.world.agents().iter().map(|&id| self.state(id)).collect();
        for agent in &agents {
            stats.arrived += u32::from(agent.state == AgentState::ARRIVED);
            stats.waiting += u32::from(agent.state == AgentState::WAITING);
            stats.stuck += u32::from(agent.state == AgentState::STUCK);
        }
        let totals = self.world.totals();
        stats.waits = totals.failed_moves.min(u64::from(u32::MAX)) as u32;
        stats.expansions = totals.expansions;
        let unit = |unit| self.world.foreign_position(unit).ok().and_then(|pos| size.cell(pos));
        let units = self.world.foreign_units().filter_map(unit).map(|cell| cell.0).collect();
        Side { stats, agents, units, notes }
    }

    fn state(&self, id: AgentId) -> AgentState {
        let row = id.index();
        let at = self.world.position(id).ok().and_then(|pos| self.world.grid().cell(pos));
        let state = if self.world.has_arrived(id) == Ok(true) {
            AgentState::ARRIVED
        } else if self.world.target(id).ok().flatten().is_none() {
            AgentState::IDLE
        } else if self.stuck[row].is_some() {
            AgentState::STUCK
        } else if self.waits[row].is_some() {
            AgentState::WAITING
        } else {
            AgentState::MOVING
        };
        AgentState { row: id.row(), cell: at.map_or(0, |cell| cell.0), state }
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

    /// Sends agents to a goal, or after the goals that they have.
    pub(crate) fn send(&mut self, rows: &[u32], goal: Pos, queue: bool) {
        if !self.world.grid().size().contains(goal) {
            return;
        }
        for &row in rows {
            let Some(agent) = self.agent(row) else { continue };
            let is_under_way = self.world.target(agent).ok().flatten().is_some()
                && self.world.has_arrived(agent) == Ok(false);
            if queue && is_under_way {
                let goals = self.queues.entry(row).or_default();
                if goals.len() < 32 {
                    goals.push_back(goal);
                }
            } else {
                self.queues.remove(&row);
                self.clear_flags(row);
                let _ = self.world.send(agent, goal);
            }
        }
    }

    /// Takes the goals from agents.
    pub(crate) fn halt(&mut self, rows: &[u32]) {
        for &row in rows {
            if let Some(agent) = self.agent(row) {
                self.queues.remove(&row);
                self.clear_flags(row);
                let _ = self.world.halt(agent);
            }
        }
    }

    fn clear_flags(&mut self, row: u32) {
        (self.waits[row as usize], self.stuck[row as usize]) = (None, None);
    }

    /// Removes agents.
    pub(crate) fn remove(&mut self, rows: &[u32]) {
        for &row in rows {
            if let Some(agent) = self.agent(row) {
                self.queues.remove(&row);
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

    /// Adds a foreign unit, or removes the one that is there.
    pub(crate) fn toggle_unit(&mut self, at: Pos) -> Result<(), WorldError> {
        match self.world.occupant(at) {
            Some(Unit::Foreign(unit)) => self.world.remove_foreign(unit),
            _ => self.world.place_foreign(at).map(drop),
        }
    }

    /// Returns the goals that follow the present one.
    pub(crate) fn queue(&self, row: u32) -> Vec<Pos> {
        self.queues.get(&row).map_or_else(Vec::new, |queue| queue.iter().copied().collect())
    }
}
