//! The world: a grid, a crowd on it, and a planner. Games talk to this.

use throng_grid::{Area, Cell, Grid, Pos, Terrain};

use crate::agent::Agents;
use crate::input::{ForeignId, Input, SetupError, WorldError};
use crate::planner::{Change, Moves, Planner, Sharing, View};
use crate::referee::Referee;
use crate::work::{Executor, Sequential};
use crate::{AgentId, AgentSpec, Event, Occupancy, Occupant};

/// What is chosen once for a world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// How much agents may share; a planner that needs more is refused.
    pub sharing: Sharing,
    /// For planners that draw lots.
    pub seed: u64,
    /// After so many ticks without a step an agent that has somewhere to go is reported stuck.
    pub stuck_after: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { sharing: Sharing::Everything, seed: 0, stuck_after: 50 }
    }
}

impl Settings {
    /// The same with another seed.
    #[must_use]
    pub const fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The same, granting agents to share so much.
    #[must_use]
    pub const fn sharing(self, sharing: Sharing) -> Self {
        Self { sharing, ..self }
    }
}

/// Where an agent will go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Destination {
    /// To its goal.
    Goal,
    /// To the nearest cell that it can reach and nobody else goes to.
    Near(Cell),
    /// Nowhere: it stands inside a wall, or there is no room.
    Nowhere,
}

/// What a world has counted since it was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Totals {
    /// Expansions of the planner.
    pub expansions: u64,
    /// Times an agent wanted a cell and stayed because somebody held or took it.
    pub failed_moves: u64,
    /// Proposals that the referee refused.
    pub overruled: u64,
    /// Pairs of agents that crossed diagonally in one tick.
    pub crossings: u64,
}

/// A grid, a crowd on it, and the planner that moves it.
pub struct World {
    pub(crate) grid: Grid,
    pub(crate) settings: Settings,
    pub(crate) planner: Box<dyn Planner>,
    pub(crate) executor: Box<dyn Executor>,
    pub(crate) tick: u64,
    pub(crate) agents: Agents,
    pub(crate) occupancy: Occupancy,
    /// Who goes to a cell: no two agents have the same target.
    pub(crate) targets: Occupancy,
    pub(crate) foreign: Vec<Option<Cell>>,
    /// The revision of the grid that targets were chosen for.
    pub(crate) seen: u64,
    /// Ticks since each agent last stepped or had nowhere to go; it is told once when it gets long.
    pub(crate) stalled: Vec<u32>,
    pub(crate) totals: Totals,
    /// The agents' part of the state's hash.
    pub(crate) hash: u64,
    /// Told at the next tick.
    pub(crate) pending: Vec<Event>,
    pub(crate) moves: Moves,
    pub(crate) referee: Referee,
    pub(crate) movers: Vec<AgentId>,
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World")
            .field("tick", &self.tick)
            .field("agents", &self.agents.living.len())
            .finish_non_exhaustive()
    }
}

impl World {
    /// An empty world.
    ///
    /// # Errors
    /// When the planner needs agents to share more than the settings grant.
    pub fn new(grid: Grid, planner: Box<dyn Planner>, settings: Settings) -> Result<Self, SetupError> {
        let (needs, grants) = (planner.needs(), settings.sharing);
        if needs > grants {
            return Err(SetupError::Sharing { needs, grants });
        }
        let cells = grid.size().area();
        Ok(Self {
            seen: grid.revision(),
            grid,
            settings,
            planner,
            executor: Box::new(Sequential),
            tick: 0,
            agents: Agents::default(),
            occupancy: Occupancy::new(cells),
            targets: Occupancy::new(cells),
            foreign: Vec::new(),
            stalled: Vec::new(),
            totals: Totals::default(),
            hash: 0,
            pending: Vec::new(),
            moves: Moves::default(),
            referee: Referee::default(),
            movers: Vec::new(),
        })
    }

    /// Has independent searches run elsewhere, for example on a pool of threads. Results do not depend on it.
    pub fn set_executor(&mut self, executor: Box<dyn Executor>) {
        self.executor = executor;
    }

    /// Does something that a recording holds. The methods below are these with names; each says what is refused.
    ///
    /// # Errors
    /// When it cannot be done; then nothing has changed.
    pub fn apply(&mut self, input: Input) -> Result<(), WorldError> {
        let _cells_changed = match input {
            Input::Block(area) => self.block(area),
            Input::Unblock(area) => self.unblock(area),
            Input::SetTerrain(area, terrain) => self.set_terrain(area, terrain),
            other => return self.apply_to_units(other),
        };
        Ok(())
    }

    fn apply_to_units(&mut self, input: Input) -> Result<(), WorldError> {
        match input {
            Input::Spawn(spec) => self.spawn(spec).map(drop),
            Input::Despawn(agent) => self.despawn(agent),
            Input::Teleport(agent, to) => self.teleport(agent, to),
            Input::Send(agent, goal) => self.send(agent, goal).map(drop),
            Input::Halt(agent) => self.halt(agent),
            Input::Control(agent, ours) => self.control(agent, ours),
            Input::PlaceForeign(at) => self.place_foreign(at).map(drop),
            Input::MoveForeign(unit, to) => self.move_foreign(unit, to),
            Input::RemoveForeign(unit) => self.remove_foreign(unit),
            Input::Block(_) | Input::Unblock(_) | Input::SetTerrain(..) => Ok(()),
        }
    }

    /// Puts an agent on the map.
    ///
    /// # Errors
    /// When the place is outside, blocked for its profile, or occupied, or the grid has no such profile.
    pub fn spawn(&mut self, spec: AgentSpec) -> Result<AgentId, WorldError> {
        let ground = self.grid.ground_of(spec.profile).ok_or(WorldError::NoSuchProfile(spec.profile))?;
        let cell = ground.cell(spec.at).ok_or(WorldError::Outside(spec.at))?;
        if !ground.is_free(cell) {
            return Err(WorldError::Blocked(spec.at));
        }
        if !self.occupancy.is_free(cell) {
            return Err(WorldError::Occupied(spec.at));
        }
        let agent = self.agents.push(spec, cell);
        self.stalled.push(0);
        self.occupancy.set(cell, Occupant::Agent(agent));
        self.hash ^= crate::hash::agent(agent, cell, None);
        self.planner.notice(agent, Change::Spawned);
        Ok(agent)
    }

    /// Takes an agent off the map.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn despawn(&mut self, agent: AgentId) -> Result<(), WorldError> {
        self.known(agent)?;
        self.set_goal(agent, None, None);
        let at = self.agents.at[agent.index()];
        self.hash ^= crate::hash::agent(agent, at, None);
        self.occupancy.set(at, Occupant::Nobody);
        self.agents.remove(agent);
        self.planner.notice(agent, Change::Despawned);
        Ok(())
    }

    /// Sets an agent down elsewhere. It keeps its goal.
    ///
    /// # Errors
    /// When there is no such agent, or the place is outside, blocked for it, or occupied.
    pub fn teleport(&mut self, agent: AgentId, to: Pos) -> Result<(), WorldError> {
        self.known(agent)?;
        let ground = self.view_ground(agent);
        let cell = ground.cell(to).ok_or(WorldError::Outside(to))?;
        if !ground.is_free(cell) {
            return Err(WorldError::Blocked(to));
        }
        if cell != self.agents.at[agent.index()] && !self.occupancy.is_free(cell) {
            return Err(WorldError::Occupied(to));
        }
        self.relocate(agent, cell);
        if let Some(goal) = self.agents.goal[agent.index()] {
            self.retarget(agent, goal);
        }
        Ok(())
    }

    /// Sends an agent to a place, from now on and whatever it was doing. Several agents may be sent to one place:
    /// they take the free cells nearest to it.
    ///
    /// A place that cannot be reached is answered at once: the agent goes to the nearest cell that can, and an
    /// [`Event::Unreachable`] says so at the next tick.
    ///
    /// # Errors
    /// When there is no such agent or the place is outside the map.
    pub fn send(&mut self, agent: AgentId, goal: Pos) -> Result<Destination, WorldError> {
        self.known(agent)?;
        if !self.grid.size().contains(goal) {
            return Err(WorldError::Outside(goal));
        }
        Ok(self.retarget(agent, goal))
    }

    /// Lets an agent stay where it is; it may be asked to make room.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn halt(&mut self, agent: AgentId) -> Result<(), WorldError> {
        self.known(agent)?;
        self.set_goal(agent, None, None);
        self.planner.notice(agent, Change::Retasked);
        Ok(())
    }

    /// Says whether the planner moves an agent; one that it does not move is an obstacle, and moves by
    /// [`World::teleport`] only.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn control(&mut self, agent: AgentId, ours: bool) -> Result<(), WorldError> {
        self.known(agent)?;
        self.agents.controlled[agent.index()] = ours;
        Ok(())
    }

    /// Blocks cells and says how many were not blocked before. An agent that stands on one is set down on the
    /// nearest free cell at the next tick, and an [`Event::Displaced`] says so; when there is none it stays, walled
    /// in, until it is opened again.
    pub fn block(&mut self, area: impl Into<Area>) -> usize {
        self.grid.block(area)
    }

    /// Takes back [`World::block`] and says how many cells were blocked.
    pub fn unblock(&mut self, area: impl Into<Area>) -> usize {
        self.grid.unblock(area)
    }

    /// Changes terrain and says how many cells had another.
    pub fn set_terrain(&mut self, area: impl Into<Area>, terrain: Terrain) -> usize {
        self.grid.set_terrain(area, terrain)
    }

    /// Puts a unit on the map that is not ours: it occupies its cell and moves as the game says.
    ///
    /// # Errors
    /// When the place is outside or occupied.
    pub fn place_foreign(&mut self, at: Pos) -> Result<ForeignId, WorldError> {
        let cell = self.room(at)?;
        self.occupancy.set(cell, Occupant::Foreign);
        self.foreign.push(Some(cell));
        let unit = ForeignId(self.foreign.len() as u32 - 1);
        self.hash ^= crate::hash::foreign(unit, cell);
        Ok(unit)
    }

    /// Moves a foreign unit, any distance.
    ///
    /// # Errors
    /// When there is no such unit, or the place is outside or occupied.
    pub fn move_foreign(&mut self, unit: ForeignId, to: Pos) -> Result<(), WorldError> {
        let from = self.foreign_at(unit)?;
        if self.grid.cell(to) == Some(from) {
            return Ok(());
        }
        let cell = self.room(to)?;
        self.occupancy.set(from, Occupant::Nobody);
        self.occupancy.set(cell, Occupant::Foreign);
        self.foreign[unit.0 as usize] = Some(cell);
        self.hash ^= crate::hash::foreign(unit, from) ^ crate::hash::foreign(unit, cell);
        Ok(())
    }

    /// Takes a foreign unit off the map.
    ///
    /// # Errors
    /// When there is no such unit.
    pub fn remove_foreign(&mut self, unit: ForeignId) -> Result<(), WorldError> {
        let from = self.foreign_at(unit)?;
        self.occupancy.set(from, Occupant::Nobody);
        self.foreign[unit.0 as usize] = None;
        self.hash ^= crate::hash::foreign(unit, from);
        Ok(())
    }

    fn foreign_at(&self, unit: ForeignId) -> Result<Cell, WorldError> {
        self.foreign.get(unit.0 as usize).copied().flatten().ok_or(WorldError::NoSuchForeign(unit))
    }

    /// A cell inside the map that nobody holds.
    fn room(&self, at: Pos) -> Result<Cell, WorldError> {
        let cell = self.grid.cell(at).ok_or(WorldError::Outside(at))?;
        if self.occupancy.is_free(cell) { Ok(cell) } else { Err(WorldError::Occupied(at)) }
    }

    fn known(&self, agent: AgentId) -> Result<(), WorldError> {
        if self.agents.is_alive(agent) { Ok(()) } else { Err(WorldError::NoSuchAgent(agent)) }
    }

    pub(crate) fn view_ground(&self, agent: AgentId) -> &throng_grid::Ground {
        let profile = self.agents.profile[agent.index()];
        self.grid.ground_of(profile).unwrap_or_else(|| self.grid.ground())
    }

    /// The map.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The number of ticks so far.
    pub fn ticks(&self) -> u64 {
        self.tick
    }

    /// The agents, in the order of their numbers.
    pub fn agents(&self) -> &[AgentId] {
        &self.agents.living
    }

    /// Where an agent stands; `None` when there is no such agent.
    pub fn position(&self, agent: AgentId) -> Option<Pos> {
        self.known(agent).ok().map(|()| self.grid.size().pos(self.agents.at[agent.index()]))
    }

    /// The place an agent was sent to, if it was.
    pub fn goal(&self, agent: AgentId) -> Option<Pos> {
        self.known(agent).ok().and_then(|()| self.agents.goal[agent.index()])
    }

    /// The cell an agent goes to: its goal, or the nearest to it that it can have.
    pub fn target(&self, agent: AgentId) -> Option<Cell> {
        self.known(agent).ok().and_then(|()| self.agents.target[agent.index()])
    }

    /// Whether an agent stands where it goes.
    pub fn is_home(&self, agent: AgentId) -> bool {
        self.target(agent).is_some_and(|target| target == self.agents.at[agent.index()])
    }

    /// The value that the game gave an agent.
    pub fn user(&self, agent: AgentId) -> Option<u64> {
        self.known(agent).ok().map(|()| self.agents.user[agent.index()])
    }

    /// Who holds a cell.
    pub fn occupant(&self, cell: Cell) -> Occupant {
        self.occupancy.at(cell)
    }

    /// The planner.
    pub fn planner(&self) -> &dyn Planner {
        self.planner.as_ref()
    }

    /// What has been counted since the world was made.
    pub fn totals(&self) -> Totals {
        Totals { crossings: self.referee.crossings, ..self.totals }
    }

    /// A hash of the tick's number, the terrain, and where everyone stands and goes. Equal on every machine, after
    /// the same inputs, whatever the number of threads.
    pub fn state_hash(&self) -> u64 {
        crate::hash::number(self.tick) ^ self.grid.ground().fingerprint() ^ self.hash
    }

    pub(crate) fn view(&self) -> View<'_> {
        View {
            tick: self.tick,
            seed: self.settings.seed,
            grid: &self.grid,
            agents: &self.agents,
            occupancy: &self.occupancy,
            movers: &self.movers,
            executor: self.executor.as_ref(),
        }
    }
}
