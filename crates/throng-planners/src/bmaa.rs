//! BMAA*, Bounded Multi-Agent A*: every agent runs its own real-time search and treats the others as obstacles.
//!
//! D. Sigurdson, V. Bulitko, W. Yeoh, C. Hernández, S. Koenig, *Multi-Agent Pathfinding with Real-Time Heuristic
//! Search*, CIG 2018, algorithms 2 to 5. In the search phase every agent whose path has ended or expired runs RTAA*
//! from its cell ([`RtaaSearch`]), or another real-time search (`core`). In the execution phase agents step along their paths one after the other, and may
//! push another agent off its goal.
//!
//! Departures, none of which changes a run with sufficient budget:
//! - an agent at its goal does not search, because it would find and learn nothing;
//! - if the budget does not suffice, agents are served one after the other. The others follow their old path or wait, and
//!   come first in the next tick. The last search may be unfinished: it pauses and resumes in the next tick
//!   ([`AgentSearch`]), on what the agent saw when it began, and the agent stays until it is finished;
//! - flow annotations, landmarks and abstract graphs are made for the whole map with the planner, and updated after the map
//!   has changed. They depend on the map alone, so agents decide as if each cell were annotated when it is first expanded,
//!   as in the paper;
//! - a path is dropped when a change of the map makes a step of it illegal.
//!
//! What the paper leaves open: agents act in the order of their numbers, so one may enter a cell that another has just
//! left. A blocked agent keeps its path and waits until it expires (`blocked=search` searches at once). An agent can be
//! pushed if it is at its goal or has none (`push=on`), or if it stands on the pusher's goal (`push=own-goal`, as in
//! D. Sigurdson's thesis). It moves to a random free neighbour cell, once per tick, and does not push others itself.

mod agent_state;
mod map_data;
mod options;
mod search;
mod search_phase;
mod tree;

pub(crate) use options::{INFO, Options};

use std::cmp::Reverse;

use serde::Deserialize;
use throng_crowd::MoveDraft;
use throng_crowd::state::{decode, encode};
use throng_crowd::{
    AgentChange, AgentRow, Certainty, Limits, MapKnowledge, Moves, Occupant, Planner, PlannerLayer,
    PlannerMark, Sharing, StateError, StepTime, Validate, View, Work,
};
use throng_grid::{Cell, Grid};
use throng_toolkit::{DirectionLearner, SavedDirectionLearner, SearchQueue, TimeSliced, random_item};

use crate::rtaa::RtaaSearch;
use crate::{Resources, directions, inspect, prices};
use agent_state::BmaaAgent;
use map_data::MapData;
use options::Push;
use search::{AgentSearch, SavedAgentSearch};

/// What a snapshot holds.
#[derive(Clone, Deserialize)]
struct SavedBmaa {
    first: u32,
    clamped: u64,
    agents: Vec<BmaaAgent>,
    learner: Option<SavedDirectionLearner>,
    search: Option<SavedAgentSearch>,
}

impl Validate for SavedBmaa {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        // Any number may be the first: the agent with the next higher number is.
        let Self { first: _, clamped, agents, learner, search } = self;
        limits.at_most(*clamped, u64::MAX / 2, "the number of clamped estimates")?;
        limits.per_agent(agents)?;
        learner.validate(limits)?;
        search.validate(limits)
    }
}

/// The planner: see the registry's entries `bmaa` and `rtaa`.
#[derive(Clone, Debug)]
pub struct Bmaa {
    options: Options,
    agents: Vec<BmaaAgent>,
    /// The number of the agent that searches first.
    first: u32,
    /// How many times an estimate would have fallen below the initial one.
    clamped: u64,
    /// The revision of the map that the paths were checked against; `None` after loading.
    revision: Option<u64>,
    map_data: MapData,
    /// The direction map, if there is one.
    learner: Option<DirectionLearner>,
    /// The searches of a round. Between ticks at most one: the last search when the budget did not suffice.
    queue: SearchQueue<AgentSearch, RtaaSearch>,
    draft: MoveDraft,
    /// Scratch: the agents that need a search.
    waiting: Vec<AgentRow>,
    /// Scratch: the agents in the order in which they act.
    turns: Vec<AgentRow>,
}

impl Bmaa {
    pub(crate) fn new(options: Options, grid: &Grid, resources: &mut Resources) -> Self {
        Self {
            map_data: MapData::new(&options, grid),
            learner: directions::learner(options.directions, grid, resources),
            options,
            agents: Vec::new(),
            first: 0,
            clamped: 0,
            revision: None,
            queue: SearchQueue::new(),
            draft: MoveDraft::default(),
            waiting: Vec::new(),
            turns: Vec::new(),
        }
    }

    /// Returns how many times a learned estimate would have fallen below the initial one, because the unit that it was learned
    /// from has gone.
    pub fn clamped(&self) -> u64 {
        self.clamped
    }

    /// Drops the paths that a change of the map has made illegal, and reports those that an agent has discovered to be.
    fn drop_illegal_paths(&mut self, view: &View<'_>, moves: &mut Moves) {
        self.agents.resize_with(self.agents.len().max(view.id_limit()), BmaaAgent::default);
        if self.revision == Some(view.map_revision()) {
            return;
        }
        self.revision = Some(view.map_revision());
        for &agent in view.agents() {
            let (ground, state) = (view.ground(agent), &mut self.agents[agent.index()]);
            let mut at = view.at(agent);
            let is_illegal = |&to: &Cell| ground.legal_step(std::mem::replace(&mut at, to), to).is_none();
            if let Some(cell) = state.path.iter().rev().copied().find(is_illegal) {
                state.drop_path();
                if view.has_discovered(agent) {
                    moves.discover(agent, cell);
                }
            }
        }
    }

    /// Algorithm 2, lines 5 to 15.
    fn execution_phase(&mut self, view: &View<'_>, moves: &mut Moves) {
        self.draft.begin(view);
        self.turns.clear();
        self.turns.extend_from_slice(view.movers());
        if self.options.random_order {
            self.turns.sort_unstable_by_key(|&agent| (view.random_per_tick(agent), agent));
        }
        if view.has_priorities() {
            let random = |agent| if self.options.random_order { view.random_per_tick(agent) } else { 0 };
            self.turns.sort_unstable_by_key(|&agent| (Reverse(view.priority(agent)), random(agent), agent));
        }
        for i in 0..self.turns.len() {
            self.execute(view, moves, self.turns[i]);
        }
    }

    fn execute(&mut self, view: &View<'_>, moves: &mut Moves, agent: AgentRow) {
        // The result of a paused search is useful only in the cell where it began.
        if self.draft.has_moved(agent) || self.queue.is_running(agent) {
            return;
        }
        let state = &self.agents[agent.index()];
        let Some(&next) = state.path.last() else {
            if let Some(held) = state.blocked_by.filter(|&held| !view.occupancy().is_free(held)) {
                moves.wait(agent, held, view.occupancy().agent(held));
            }
            return;
        };
        if let Occupant::Agent(other) = self.draft.at(view, next)
            && self.may_push(view, agent, other)
        {
            self.push(view, moves, other, agent);
        }
        match self.draft.blocker(view, agent, next) {
            Occupant::Nobody => {
                self.draft.go(view, moves, agent, next);
                self.agents[agent.index()].path.pop();
            }
            Occupant::Agent(other) => moves.wait(agent, next, Some(other)),
            Occupant::Foreign => moves.wait(agent, next, None),
        }
    }

    fn may_push(&self, view: &View<'_>, agent: AgentRow, other: AgentRow) -> bool {
        let may = match self.options.push {
            Push::Off => false,
            Push::On => view.target(other).is_none_or(|target| target == view.at(other)),
            Push::OwnGoal => view.target(agent) == Some(view.at(other)),
        };
        may && view.may_step(other) && !self.draft.has_moved(other) && !view.goes_around(agent, other)
    }

    /// Moves an agent to a random free cell beside it, if there is one.
    fn push(&mut self, view: &View<'_>, moves: &mut Moves, agent: AgentRow, by: AgentRow) {
        let is_free = |&(_, cell): &(_, Cell)| self.draft.blocker(view, agent, cell) == Occupant::Nobody;
        let free = || view.ground(agent).neighbours(view.at(agent)).filter(is_free);
        if let Some((_, to)) = random_item(free, view.random_per_tick(agent)) {
            self.draft.push(view, moves, agent, to, by);
            self.agents[agent.index()].drop_path();
        }
    }
}

impl Planner for Bmaa {
    fn clone_box(&self) -> Box<dyn Planner> {
        Box::new(self.clone())
    }

    fn required_sharing(&self) -> Sharing {
        match self.options.push {
            Push::Off => Sharing::Nothing,
            Push::On | Push::OwnGoal => Sharing::MoveRequests,
        }
    }

    fn required_map(&self) -> MapKnowledge {
        // What is made from the whole map is made once per profile, so all agents of a profile must know the same map.
        if self.options.prepares() { MapKnowledge::Shared } else { MapKnowledge::Own }
    }

    fn step_time(&self) -> StepTime {
        StepTime::Cost
    }

    fn expansion_price(&self) -> u64 {
        prices::REAL_TIME
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        self.drop_illegal_paths(view, moves);
        if let Some(learner) = &mut self.learner {
            learner.observe(view);
        }
        self.search_phase(view, work);
        self.execution_phase(view, moves);
    }

    fn on_change(&mut self, agent: AgentRow, change: AgentChange) {
        self.queue.retain(|search| search.agent() != agent);
        if let Some(learner) = &mut self.learner {
            learner.on_change(agent, change);
        }
        let Some(state) = self.agents.get_mut(agent.index()) else { return };
        match change {
            AgentChange::Relocated => state.drop_path(),
            AgentChange::Despawned => *state = BmaaAgent::default(),
            _ => state.forget(),
        }
    }

    fn preview(&self, _: &View<'_>, agent: AgentRow, emit: &mut dyn FnMut(Cell, Certainty) -> bool) {
        let path = self.agents.get(agent.index()).map(|state| state.path.iter().rev().copied());
        inspect::planned(path.into_iter().flatten(), emit);
    }

    fn inspect(&self, view: &View<'_>, layer: PlannerLayer, emit: &mut dyn FnMut(PlannerMark)) {
        inspect::paths(layer, self.agents.iter().map(|state| state.path.iter().rev().copied()), emit);
        inspect::directions(self.learner.as_ref().map(DirectionLearner::map), layer, emit);
        inspect::searched(&self.queue, layer, emit);
        inspect::streets(self.map_data.flow(view.grid().ground()), view, layer, emit);
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        let learner = self.learner.as_ref();
        let search = self.queue.searches().first().map(|search| search.saved(learner));
        encode(
            &(self.first, self.clamped, &self.agents, learner.map(DirectionLearner::saved), search),
            bytes,
        );
    }

    fn load(&mut self, bytes: &[u8], limits: &Limits) -> Result<(), StateError> {
        let SavedBmaa { first, clamped, agents, learner, search } = decode(bytes, limits)?;
        let fits =
            search.as_ref().is_none_or(|search| search.expansions < self.options.search_limits.expansions);
        limits.require(fits, "a paused search has made too many expansions")?;
        directions::restore(self.learner.as_mut(), learner)?;
        let search = search.map(|search| AgentSearch::restored(search, self.learner.as_ref())).transpose()?;
        self.queue = Vec::from_iter(search).into();
        (self.first, self.clamped, self.agents, self.revision) = (first, clamped, agents, None);
        Ok(())
    }

    fn memory_bytes(&self) -> usize {
        let agents = self.agents.iter().map(BmaaAgent::memory_bytes);
        let searches = self.queue.slots().iter().map(AgentSearch::memory_bytes);
        let workers = self.queue.workers().iter().map(RtaaSearch::memory_bytes);
        let spare = (self.agents.capacity() - self.agents.len()) * size_of::<BmaaAgent>();
        let lists = (self.waiting.capacity() + self.turns.capacity()) * size_of::<AgentRow>();
        let learner = self.learner.as_ref().map_or(0, DirectionLearner::memory_bytes);
        let rest = [spare, lists, learner, self.map_data.memory_bytes(), self.draft.memory_bytes()];
        agents.chain(searches).chain(workers).chain(rest).sum()
    }
}
