//! The saved world: every value that the next ticks depend on, and the one place where loaded values are checked.
//!
//! [`WorldState::read`] accepts a state only if cells, agents, profiles and times exist, the columns of each agent
//! satisfy the invariants of `goals/arrival.rs`, no cell is occupied or claimed twice, and every target can be reached.
//! So a snapshot that was altered on purpose cannot make a later tick panic or stall.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use throng_grid::{Cell, Grid, ProfileId};

use super::map_state::MapState;
use super::{MAX_COUNT, RestoreError};
use crate::fog::state::KnowledgeState;
use crate::goals::arrival::{Arrival, Effort, Stage, StuckWatch};
use crate::goals::assignment::MAX_REASSIGNMENTS;
use crate::goals::groups::GroupId;
use crate::goals::reviews::Review;
use crate::limits::SNAPSHOT_CELLS;
use crate::orders::Order;
use crate::planner::Stationary;
use crate::state::{Limits, StateError, Validate, decode_prefix};
use crate::world::hash;
use crate::world::step_time::LastStep;
use crate::{AgentRow, NamedPlanner, Occupancy, Occupant, Settings, Speed, Totals, World};

/// A world without its planner.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct WorldState {
    pub(crate) planner_name: String,
    pub(crate) map: MapState,
    pub(crate) settings: Settings,
    /// What agents know of the map, `None` without fog.
    pub(crate) knowledge: Option<KnowledgeState>,
    pub(crate) tick: u64,
    pub(crate) handled_revision: u64,
    pub(crate) handled_overlay: u64,
    /// All rows of agents, in order.
    pub(crate) agents: Vec<RowState<AgentState>>,
    /// All rows of foreign units, in order, and the cells of the units.
    pub(crate) foreign: Vec<RowState<Cell>>,
    pending_reports: Vec<AgentRow>,
    /// The row at which reviews of targets go on.
    next_review: AgentRow,
    next_test: AgentRow,
    /// The number of groups that have been formed.
    pub(crate) next_group: u64,
    totals: Totals,
    state_hash: u64,
}

/// A row of a unit.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RowState<T> {
    /// The generation of the unit that has the row or had it last.
    pub(crate) generation: u32,
    /// The unit, `None` if it was removed.
    pub(crate) unit: Option<T>,
}

/// One agent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AgentState {
    pub(crate) at: Cell,
    pub(crate) goal: Option<Cell>,
    pub(crate) target: Option<Cell>,
    pub(crate) arrival: Arrival,
    /// The step that the agent made or went on with in the last tick.
    pub(crate) step: Option<StepState>,
    /// The units of time that the last step left for the next one.
    pub(crate) carry: u32,
    pub(crate) profile: ProfileId,
    pub(crate) speed: Speed,
    user: u64,
    pub(crate) controlled: bool,
    pub(crate) order: Option<Order>,
    priority: i8,
    pub(crate) holds: bool,
    pub(crate) group: Option<GroupId>,
}

/// A step that was under way in the last tick.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct StepState {
    pub(crate) from: Cell,
    /// The number of ticks that it lasts.
    pub(crate) ticks: u32,
    /// The number of coming ticks among them, in which the agent may not step.
    pub(crate) left: u32,
}

impl WorldState {
    pub(crate) fn of(world: &World) -> Self {
        Self {
            planner_name: world.planner_name.clone(),
            map: MapState::of(&world.grid),
            settings: world.settings,
            knowledge: world.knowledge.as_deref().map(KnowledgeState::of),
            tick: world.tick,
            handled_revision: world.handled_revision,
            handled_overlay: world.handled_overlay,
            agents: (0..world.agents.at.len()).map(|i| AgentState::of(world, i)).collect(),
            foreign: (0..).zip(&world.foreign.at).map(|(row, &at)| foreign_state(world, row, at)).collect(),
            pending_reports: world.pending_reports.clone(),
            next_review: world.next_review,
            next_test: world.next_test,
            next_group: world.next_group,
            totals: world.totals(),
            state_hash: world.state_hash(),
        }
    }

    /// Reads a state and returns it with the bytes that follow it.
    pub(crate) fn read(bytes: &[u8]) -> Result<(Self, &[u8]), StateError> {
        let (state, rest) = decode_prefix::<Self>(bytes)?;
        let (size, profiles) = (state.map.size, state.map.profiles.len());
        state.validate(&Limits { size, agents: state.agents.len(), tick: state.tick, profiles })?;
        Ok((state, rest))
    }

    /// Builds the map.
    pub(crate) fn grid(&self) -> Result<Grid, StateError> {
        self.map.grid().ok_or(StateError::invalid("the parts of the map do not fit together"))
    }

    /// Builds the world on its map. The planner has not loaded its own state yet.
    pub(crate) fn world(&self, grid: Arc<Grid>, planner: NamedPlanner) -> Result<World, RestoreError> {
        let world = self.world_of_any_hash(grid, planner)?;
        if world.state_hash() != self.state_hash {
            return Err(StateError::invalid("the state hash differs from the saved one").into());
        }
        Ok(world)
    }

    /// Returns the state with the hash of its world.
    pub(crate) fn with_true_hash(mut self) -> Result<Self, RestoreError> {
        let planner = NamedPlanner::new(self.planner_name.clone(), Box::new(Stationary));
        self.state_hash = self.world_of_any_hash(Arc::new(self.grid()?), planner)?.state_hash();
        Ok(self)
    }

    /// Builds the world whatever its hash is.
    fn world_of_any_hash(&self, grid: Arc<Grid>, planner: NamedPlanner) -> Result<World, RestoreError> {
        let require = |condition, what: &str| if condition { Ok(()) } else { Err(StateError::invalid(what)) };
        let mut world = World::on(grid, planner, self.settings)?;
        (world.tick, world.handled_revision) = (self.tick, self.handled_revision);
        world.handled_overlay = self.handled_overlay;
        world.pending_reports.clone_from(&self.pending_reports);
        (world.totals, world.referee.crossings) = (self.totals, self.totals.crossings);
        for row in &self.agents {
            match &row.unit {
                Some(agent) => {
                    agent.add_to(&mut world, row.generation)?;
                    world.has_reviews |= agent.arrival.review != Review::Done;
                }
                None => world.agents.push_free(row.generation),
            }
        }
        (world.next_review, world.next_test) = (self.next_review, self.next_test);
        world.next_group = self.next_group;
        self.restore_knowledge(&mut world)?;
        for (row, unit) in (0..).zip(&self.foreign) {
            world.foreign.rows.push(unit.generation, unit.unit.is_some());
            world.foreign.at.push(unit.unit.unwrap_or_default());
            if let Some(at) = unit.unit {
                occupy(&mut world.occupancy, at, Occupant::Foreign)?;
                world.occupancy.set_foreign(at, row);
                world.units_hash ^= hash::foreign(world.foreign.id(row), at);
            }
        }
        // Targets are reviewed at the next tick if the map has been edited since.
        let reachable = |agent: &AgentRow| {
            let (at, target) = (world.agents.at[agent.index()], world.agents.target[agent.index()]);
            let is_due = world.knowledge.as_ref().is_some_and(|knowledge| knowledge.is_due(*agent));
            is_due || target.is_none_or(|target| world.view_ground(*agent).reachable(at, target))
        };
        let reviewed = self.handled_revision == self.map.revision;
        require(!reviewed || world.agents.living.iter().all(reachable), "a target cannot be reached")?;
        require(!reviewed || world.agents_know_what_they_see(), "an agent does not know what it sees")?;
        Ok(world)
    }
}

impl WorldState {
    fn restore_knowledge(&self, world: &mut World) -> Result<(), StateError> {
        let (Some(state), Some(fog)) = (&self.knowledge, self.settings.fog) else { return Ok(()) };
        let knowledge = state.knowledge(fog, &self.map, |agent| world.true_ground(agent));
        let wrong = StateError::invalid("the parts of a known map do not fit together");
        world.knowledge = Some(Arc::new(knowledge.ok_or(wrong)?));
        Ok(())
    }

    /// Returns true if there is a known map for each agent, or one for all, as the settings say.
    fn has_known_maps(&self) -> bool {
        match (self.settings.fog, &self.knowledge) {
            (None, None) => true,
            (Some(fog), Some(knowledge)) if fog.shared => knowledge.own.is_empty(),
            (Some(_), Some(knowledge)) => {
                let own = knowledge.own.iter().map(Option::is_some).chain(std::iter::repeat(false));
                self.agents.iter().zip(own).all(|(row, has_map)| row.unit.is_some() == has_map)
            }
            _ => false,
        }
    }
}

impl Validate for WorldState {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { planner_name: _, map, settings: _, knowledge, tick, handled_revision, .. } = self;
        let Self {
            handled_overlay,
            agents,
            foreign,
            pending_reports,
            next_review,
            next_test,
            next_group,
            totals,
            state_hash: _,
            ..
        } = self;
        let Totals { expansions, failed_moves, overruled, crossings } = *totals;
        for count in [*tick, *next_group, expansions, failed_moves, overruled, crossings] {
            limits.at_most(count, MAX_COUNT, "a count")?;
        }
        let maps = map.profiles.len() as u64 * if knowledge.is_some() { 2 } else { 1 };
        SNAPSHOT_CELLS.check(maps * map.size.area() as u64)?;
        map.validate(limits)?;
        knowledge.validate(limits)?;
        limits.require(self.has_known_maps(), "what agents know of the map contradicts the settings")?;
        limits.at_most(*handled_revision, map.revision, "the handled revision")?;
        // As many edits of overlays can be missing as edits in all.
        let is_past = *handled_overlay <= map.overlay_revision.min(*handled_revision)
            && map.overlay_revision - handled_overlay <= map.revision - handled_revision;
        limits.require(is_past, "the handled revision of overlays contradicts that of the map")?;
        agents.validate(limits)?;
        foreign.validate(limits)?;
        limits.at_most(next_review.0, agents.len() as u64, "the next agent to review")?;
        limits.at_most(next_test.0, agents.len() as u64, "the next agent to test")?;
        pending_reports.validate(limits)
    }
}

impl AgentState {
    fn of(world: &World, i: usize) -> RowState<Self> {
        let (agents, row) = (&world.agents, AgentRow(i as u32));
        let agent = || Self {
            at: agents.at[i],
            goal: agents.goal[i].and_then(|goal| world.grid.cell(goal)),
            target: agents.target[i],
            arrival: agents.arrival[i],
            step: StepState::of(world, i),
            carry: agents.last_step[i].carry,
            profile: agents.profile[i],
            speed: agents.speed[i],
            user: agents.user[i],
            controlled: agents.controlled[i],
            order: world.orders.get(row).cloned(),
            priority: agents.priority[i],
            holds: agents.holds[i],
            group: agents.group[i],
        };
        let unit = agents.is_alive(row).then(agent);
        RowState { generation: agents.rows.generation(row.0), unit }
    }

    /// Adds the agent to all tables of a world.
    fn add_to(&self, world: &mut World, generation: u32) -> Result<(), StateError> {
        let size = world.grid.size();
        let agent = world.agents.push_living(generation);
        let i = agent.index();
        world.agents.at[i] = self.at;
        world.agents.profile[i] = self.profile;
        world.agents.speed[i] = self.speed;
        world.agents.user[i] = self.user;
        world.agents.goal[i] = self.goal.map(|goal| size.pos(goal));
        world.agents.target[i] = self.target;
        world.agents.arrival[i] = self.arrival;
        world.agents.last_step[i].carry = self.carry;
        world.agents.controlled[i] = self.controlled;
        world.orders.set(agent, self.order.clone());
        world.agents.set_priority(agent, self.priority);
        (world.agents.holds[i], world.agents.group[i]) = (self.holds, self.group);
        occupy(&mut world.occupancy, self.at, Occupant::Agent(agent))?;
        self.step.map_or(Ok(()), |step| step.add_to(world, agent, self.carry))?;
        if let Some(goal) = self.goal {
            world.count_goal(goal, 1);
        }
        if let Some(target) = self.target.filter(|_| self.arrival.stage.has_claim()) {
            if world.claims.get(target).is_some() {
                return Err(StateError::invalid("a cell is claimed twice"));
            }
            world.claims.set(target, agent.0);
        }
        world.units_hash ^= hash::agent(world.agents.id(agent), self.at, self.target);
        Ok(())
    }
}

impl StepState {
    fn of(world: &World, i: usize) -> Option<Self> {
        let (last, ready) = (world.agents.last_step[i], world.agents.ready[i]);
        let left = ready.checked_sub(world.tick + 1).filter(|_| last.ticks > 0)?;
        Some(Self { from: last.from, ticks: last.ticks, left: left as u32 })
    }

    /// Lets an agent of a world make the step.
    fn add_to(self, world: &mut World, agent: AgentRow, carry: u32) -> Result<(), StateError> {
        let Self { from, ticks, left } = self;
        world.agents.last_step[agent.index()] = LastStep { from, ticks, carry };
        world.agents.ready[agent.index()] = world.tick + 1 + u64::from(left);
        if world.agents.tail(agent, world.tick + 1).is_some() {
            occupy(&mut world.occupancy, from, Occupant::Agent(agent))?;
        }
        Ok(())
    }
}

impl Validate for StepState {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { from, ticks, left } = self;
        from.validate(limits)?;
        limits.require(left < ticks, "a step has more ticks left than it lasts")?;
        limits.at_most(ticks - left, limits.tick, "the ticks of a step that have passed")
    }
}

impl Validate for AgentState {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { at, goal, target, arrival, step, carry, profile, speed, .. } = self;
        let Self { user: _, controlled: _, holds: _, group, order, priority: _, .. } = self;
        limits.require(group.is_none() || goal.is_some(), "an agent without a goal is in a group")?;
        order.validate(limits)?;
        let has_goal = goal.is_some() || !matches!(order, Some(Order::Queue(_)));
        limits.require(has_goal, "an agent has waypoints after a goal that it does not have")?;
        at.validate(limits)?;
        goal.validate(limits)?;
        target.validate(limits)?;
        profile.validate(limits)?;
        arrival.validate(limits)?;
        limits.require(step.is_none_or(|step| step.from != *at), "a step ends where it begins")?;
        step.validate(limits)?;
        let is_part = u64::from(*carry) < speed.tick_units();
        limits.require(is_part, "the time that a step left for the next one is a tick or more")?;
        let fits = match arrival.stage {
            Stage::NoGoal => goal.is_none() && target.is_none() && *arrival == Arrival::default(),
            Stage::NoTarget => goal.is_some() && target.is_none(),
            Stage::Approaching | Stage::Claimed | Stage::Settled => goal.is_some() && target.is_some(),
        };
        limits.require(fits, "the goal and the target of an agent contradict its arrival state")
    }
}

impl Validate for Arrival {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { stage, goal_unreachable: _, short, reported: _, review, effort, stuck } = self;
        limits.require(stage.has_claim() || !short, "an agent without a cell has settled short")?;
        let fits = *review != Review::LostTarget || *stage == Stage::NoTarget;
        limits.require(fits, "an agent has a target and waits for one")?;
        let Effort { closest: _, ticks_since_closest: _, reassignments, claimed_ticks: _ } = effort;
        let StuckWatch { still_ticks: _, wanted, anchor, anchor_ticks: _, blocker: _ } = stuck;
        limits.at_most(*reassignments, MAX_REASSIGNMENTS.into(), "a number of reassignments")?;
        wanted.validate(limits)?;
        anchor.validate(limits)
    }
}

impl<T: Validate> Validate for RowState<T> {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { generation: _, unit } = self;
        unit.validate(limits)
    }
}

fn foreign_state(world: &World, row: u32, at: Cell) -> RowState<Cell> {
    let rows = &world.foreign.rows;
    RowState { generation: rows.generation(row), unit: rows.is_taken(row).then_some(at) }
}

fn occupy(occupancy: &mut Occupancy, cell: Cell, unit: Occupant) -> Result<(), StateError> {
    if !occupancy.is_free(cell) {
        return Err(StateError::invalid("a cell is occupied twice"));
    }
    occupancy.set(cell, unit);
    Ok(())
}
