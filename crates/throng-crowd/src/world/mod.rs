//! The world: a grid, a crowd on it, and a planner. Games talk to this.

pub(crate) mod agents;
pub(crate) mod event;
mod foreign;
pub(crate) mod hash;
pub(crate) mod input;
pub(crate) mod occupancy;
pub(crate) mod occupied_next;
mod referee;
pub(crate) mod tick;

use throng_grid::{Area, Cell, Grid, Pos, Terrain};

use crate::goals::enclosure::Pockets;
use crate::goals::rings::Whereabouts;
use crate::planner::{AgentChange, Moves, NamedPlanner, Planner, Sharing, View};
use crate::record::Recorder;
use crate::work::{Executor, Sequential};
use crate::world::agents::Agents;
use crate::world::input::{Input, SetupError, WorldError};
use crate::world::referee::Referee;
use crate::{AgentId, AgentSpec, Occupancy, Occupant};

/// What is chosen once for a world.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// How much agents may share; a planner that needs more is refused.
    pub sharing: Sharing,
    /// For planners that draw lots.
    pub seed: u64,
    /// After so many ticks without a step an agent that has somewhere to go is reported stuck; never at 0.
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

    /// The same, reporting agents stuck after so many ticks without a step; never at 0.
    #[must_use]
    pub const fn stuck_after(self, ticks: u32) -> Self {
        Self { stuck_after: ticks, ..self }
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
    /// To another cell: the nearest that it can reach, or, when it is near already, one around the goal that nobody
    /// else claims.
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
    /// What the planner calls itself, or did when a recording that is played was made.
    pub(crate) planner_name: String,
    pub(crate) executor: Box<dyn Executor>,
    pub(crate) tick: u64,
    pub(crate) agents: Agents,
    pub(crate) occupancy: Occupancy,
    /// Who claims a cell: no two agents have the same one.
    pub(crate) targets: Occupancy,
    /// How many agents were sent to each cell.
    pub(crate) sent: Vec<u32>,
    pub(crate) whereabouts: Whereabouts,
    pub(crate) pockets: Pockets,
    pub(crate) foreign: Vec<Option<Cell>>,
    /// The revision of the grid that targets were chosen for.
    pub(crate) seen: u64,
    /// Ticks since each agent last stepped or had nowhere to go; it is told once when it gets long.
    pub(crate) stalled: Vec<u32>,
    pub(crate) totals: Totals,
    /// The agents' part of the state's hash.
    pub(crate) hash: u64,
    /// Those to be told at the next tick that they cannot go where they were sent.
    pub(crate) pending: Vec<AgentId>,
    pub(crate) moves: Moves,
    pub(crate) referee: Referee,
    pub(crate) movers: Vec<AgentId>,
    pub(crate) recorder: Option<Box<Recorder>>,
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
    pub fn new(grid: Grid, planner: impl Into<NamedPlanner>, settings: Settings) -> Result<Self, SetupError> {
        let NamedPlanner { name: planner_name, planner } = planner.into();
        let (needs, grants) = (planner.required_sharing(), settings.sharing);
        if needs > grants {
            return Err(SetupError::Sharing { required: needs, granted: grants });
        }
        let cells = grid.size().area();
        Ok(Self {
            seen: grid.revision(),
            grid,
            settings,
            planner_name,
            planner,
            executor: Box::new(Sequential),
            tick: 0,
            agents: Agents::default(),
            occupancy: Occupancy::new(cells),
            targets: Occupancy::new(cells),
            sent: vec![0; cells],
            whereabouts: Whereabouts::default(),
            pockets: Pockets::default(),
            foreign: Vec::new(),
            stalled: Vec::new(),
            totals: Totals::default(),
            hash: 0,
            pending: Vec::new(),
            moves: Moves::default(),
            referee: Referee::default(),
            movers: Vec::new(),
            recorder: None,
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
        self.hash ^= crate::world::hash::agent(agent, cell, None);
        self.planner.on_change(agent, AgentChange::Spawned);
        self.record(Input::Spawn(spec));
        Ok(agent)
    }

    /// Takes an agent off the map.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn despawn(&mut self, agent: AgentId) -> Result<(), WorldError> {
        self.known(agent)?;
        self.forget_goal(agent);
        let at = self.agents.at[agent.index()];
        self.hash ^= crate::world::hash::agent(agent, at, None);
        self.occupancy.set(at, Occupant::Nobody);
        self.agents.remove(agent);
        self.planner.on_change(agent, AgentChange::Despawned);
        self.record(Input::Despawn(agent));
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
        self.review_target(agent);
        self.record(Input::Teleport(agent, to));
        Ok(())
    }

    /// Sends an agent to a place, from now on and whatever it was doing. Several agents may be sent to one place: who
    /// comes near takes a cell of its own there, so that they fill it from the inside out.
    ///
    /// Sending an agent where it is going already changes nothing: orders may be repeated every tick.
    ///
    /// A place that cannot be reached is answered at once: the agent goes to the nearest cell that can, and an
    /// [`Event::Unreachable`](crate::Event::Unreachable) says so at the next tick.
    ///
    /// # Errors
    /// When there is no such agent or the place is outside the map.
    pub fn send(&mut self, agent: AgentId, goal: Pos) -> Result<Destination, WorldError> {
        self.known(agent)?;
        if !self.grid.size().contains(goal) {
            return Err(WorldError::Outside(goal));
        }
        self.record(Input::Send(agent, goal));
        Ok(self.retask(agent, goal))
    }

    /// Lets an agent stay where it is; it may be asked to make room.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn halt(&mut self, agent: AgentId) -> Result<(), WorldError> {
        self.known(agent)?;
        self.forget_goal(agent);
        self.record(Input::Halt(agent));
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
        self.record(Input::Control(agent, ours));
        Ok(())
    }

    /// Blocks cells and says how many were not blocked before. An agent that stands on one is set down on the
    /// nearest free cell at the next tick, and an [`Event::Displaced`](crate::Event::Displaced) says so; when there is
    /// none it stays, walled in, until it is opened again.
    pub fn block(&mut self, area: impl Into<Area>) -> usize {
        let area = area.into();
        self.record(Input::Block(area));
        self.grid.block(area)
    }

    /// Takes back [`World::block`] and says how many cells were blocked.
    pub fn unblock(&mut self, area: impl Into<Area>) -> usize {
        let area = area.into();
        self.record(Input::Unblock(area));
        self.grid.unblock(area)
    }

    /// Changes terrain and says how many cells had another.
    pub fn set_terrain(&mut self, area: impl Into<Area>, terrain: Terrain) -> usize {
        let area = area.into();
        self.record(Input::SetTerrain(area, terrain));
        self.grid.set_terrain(area, terrain)
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

    /// The cell an agent heads for: its goal or the nearest to it that it can reach, and once it is near, the cell that
    /// it takes there. Only that one is no other agent's.
    pub fn target(&self, agent: AgentId) -> Option<Cell> {
        self.known(agent).ok().and_then(|()| self.agents.target[agent.index()])
    }

    /// Whether an agent stands where it goes.
    pub fn has_arrived(&self, agent: AgentId) -> bool {
        let arrived = |target| self.agents.claimed[agent.index()] && target == self.agents.at[agent.index()];
        self.target(agent).is_some_and(arrived)
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

    /// A hash of the tick's number, the map as each profile sees it, and where everyone stands and goes. Equal on
    /// every machine, after the same inputs, whatever the number of threads.
    ///
    /// With `n` for the finalizer of `SplitMix64` (its increment added first) and cells numbered in row order, it is
    /// the exclusive or of:
    /// - `n(tick)`;
    /// - for each profile, rotated left by the profile's number: `(width << 32 | height)` rotated left by 8, the rules
    ///   `four_way << 2 | corners` (forbid 0, allow 1, mixed 2), and `n(cell << 8 | halves << 1 | blocked)` for each
    ///   cell whose terrain it may enter, with the terrain's cost in halves and whether something blocks the cell;
    /// - for each agent `n(n(number << 32 | cell) ^ target)`, the target counted from 1 and 0 when there is none;
    /// - for each foreign unit `n(!(number << 32 | cell))`.
    pub fn state_hash(&self) -> u64 {
        let grounds = self.grid.grounds().iter().zip(0..);
        let map = grounds.fold(0, |hash, (ground, profile)| hash ^ ground.fingerprint().rotate_left(profile));
        crate::world::hash::number(self.tick) ^ map ^ self.hash
    }

    /// The world as its planner sees it between two ticks.
    pub fn view(&self) -> View<'_> {
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
