//! BMAA*, Bounded Multi-Agent A*: every agent runs its own real-time search and takes the others for obstacles.
//!
//! D. Sigurdson, V. Bulitko, W. Yeoh, C. Hernández, S. Koenig, *Multi-Agent Pathfinding with Real-Time Heuristic
//! Search*, CIG 2018, algorithms 2 to 5. In the search phase every agent whose path has ended or expired runs RTAA*
//! from where it stands ([`RtaaSearch`]); in the execution phase agents step along their paths one after the other,
//! and may push another off its goal.
//!
//! Departures, none of which changes what a run with enough budget does:
//! - an agent at its goal does not search, for it would find nothing and learn nothing;
//! - where the budget does not suffice, agents are served one after the other, and those not served go on along the
//!   path they have, or wait, and are first in the next tick. The last one's search may be half done by then: it goes
//!   on in the next tick ([`AgentSearch`]), on what the agent saw when it began, and the agent stays until it is done;
//! - one-way streets are laid for the whole map when the planner is made, and again after the map has changed;
//! - a path is dropped when the map changes so that a step of it is no longer legal.
//!
//! What the paper leaves open: agents act in the order of their numbers, so one may enter a cell that another has
//! just left; a blocked agent keeps its path and waits until it expires (`blocked=search` searches at once); pushed
//! is who stands on its own goal or has none (`push=on`), or whoever stands on the pusher's (`push=own-goal`, as in
//! D. Sigurdson's thesis), to a random free neighbour, once a tick, and never by being pushed itself.

mod agent_state;
mod options;
mod search;
mod search_phase;

pub(crate) use options::{INFO, Options};

use serde::Deserialize;
use throng_crowd::MoveDraft;
use throng_crowd::state::{decode, encode};
use throng_crowd::{
    AgentChange, AgentId, DebugLayer, DebugMark, Limits, Moves, Occupant, Planner, Sharing, StateError,
    Validate, View, Work,
};
use throng_grid::{Cell, Grid, ProfileId};
use throng_toolkit::{DirectionLearner, Flow, SavedDirectionLearner, SearchQueue, TimeSliced};

use crate::rtaa::RtaaSearch;
use crate::{Resources, directions, inspect};
use agent_state::BmaaAgent;
use options::Push;
use search::{AgentSearch, SavedAgentSearch};

/// What a snapshot holds.
#[derive(Deserialize)]
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
#[derive(Debug)]
pub struct Bmaa {
    options: Options,
    agents: Vec<BmaaAgent>,
    /// The number of the agent that searches first.
    first: u32,
    /// How often an estimate was about to fall below the distance on an empty map.
    clamped: u64,
    /// The revision of the grid that paths and flows belong to.
    seen: Option<u64>,
    /// The one-way streets of each profile's ground, where they are in use.
    flows: Vec<Option<Flow>>,
    /// The direction map, if there is one.
    learner: Option<DirectionLearner>,
    /// The searches of a round. Between ticks at most one: the last search when the budget did not suffice.
    queue: SearchQueue<AgentSearch, RtaaSearch>,
    claims: MoveDraft,
    waiting: Vec<AgentId>,
    turns: Vec<AgentId>,
}

impl Bmaa {
    pub(crate) fn new(options: Options, grid: &Grid, resources: &mut Resources) -> Self {
        let grounds = (0..=u8::MAX).map_while(|number| grid.ground_of(ProfileId(number)));
        Self {
            flows: grounds.take_while(|_| options.flow).map(|ground| Some(Flow::of(ground))).collect(),
            learner: directions::learner(options.directions, grid, resources),
            options,
            agents: Vec::new(),
            first: 0,
            clamped: 0,
            seen: None,
            queue: SearchQueue::new(),
            claims: MoveDraft::default(),
            waiting: Vec::new(),
            turns: Vec::new(),
        }
    }

    /// How often a learned estimate was about to fall below the distance on an empty map, because a unit that it was
    /// learned from has gone.
    pub fn clamped(&self) -> u64 {
        self.clamped
    }

    /// After the map has changed: no path has an illegal step.
    fn take_in_map(&mut self, view: &View<'_>) {
        self.agents.resize_with(self.agents.len().max(view.id_limit()), BmaaAgent::default);
        if self.seen == Some(view.grid().revision()) {
            return;
        }
        self.seen = Some(view.grid().revision());
        for &agent in view.agents() {
            let (ground, mind) = (view.ground(agent), &mut self.agents[agent.index()]);
            let mut at = view.at(agent);
            let legal = |&to: &Cell| ground.legal_step(std::mem::replace(&mut at, to), to).is_some();
            if !mind.path.iter().rev().all(legal) {
                mind.drop_path();
            }
        }
    }

    /// Algorithm 2, lines 5 to 15.
    fn execution_phase(&mut self, view: &View<'_>, moves: &mut Moves) {
        self.claims.begin(view);
        self.turns.clear();
        self.turns.extend_from_slice(view.movers());
        if self.options.random_order {
            self.turns.sort_unstable_by_key(|&agent| (view.random_per_tick(agent), agent));
        }
        for i in 0..self.turns.len() {
            self.execute(view, moves, self.turns[i]);
        }
    }

    fn execute(&mut self, view: &View<'_>, moves: &mut Moves, agent: AgentId) {
        // What a search that is half done finds is of use only where it began.
        if self.claims.has_moved(agent) || self.queue.is_running(agent) {
            return;
        }
        let mind = &self.agents[agent.index()];
        let Some(&next) = mind.path.last() else {
            if let Some(held) = mind.shut_by.filter(|&held| !view.occupancy().is_free(held)) {
                moves.wait(agent, held, view.occupancy().agent(held));
            }
            return;
        };
        if let Occupant::Agent(other) = self.claims.at(view, next)
            && self.may_push(view, agent, other)
        {
            self.push(view, moves, other, agent);
        }
        match self.claims.at(view, next) {
            Occupant::Nobody => {
                self.claims.go(view, moves, agent, next);
                self.agents[agent.index()].path.pop();
            }
            Occupant::Agent(other) => moves.wait(agent, next, Some(other)),
            Occupant::Foreign => moves.wait(agent, next, None),
        }
    }

    fn may_push(&self, view: &View<'_>, agent: AgentId, other: AgentId) -> bool {
        let asked = match self.options.push {
            Push::Off => false,
            Push::On => view.target(other).is_none_or(|target| target == view.at(other)),
            Push::OwnGoal => view.target(agent) == Some(view.at(other)),
        };
        asked && view.may_step(other) && !self.claims.has_moved(other)
    }

    /// Moves an agent to one of the free cells beside it, if there is one.
    fn push(&mut self, view: &View<'_>, moves: &mut Moves, agent: AgentId, by: AgentId) {
        let mut room = [Cell(0); 8];
        let mut count = 0;
        for (_, cell) in view.ground(agent).neighbours(view.at(agent)) {
            if self.claims.at(view, cell) == Occupant::Nobody {
                room[count] = cell;
                count += 1;
            }
        }
        if count > 0 {
            let to = room[(view.random_per_tick(agent) % count as u64) as usize];
            self.claims.push(view, moves, agent, to, by);
            self.agents[agent.index()].drop_path();
        }
    }
}

impl Planner for Bmaa {
    fn required_sharing(&self) -> Sharing {
        match self.options.push {
            Push::Off => Sharing::Nothing,
            Push::On | Push::OwnGoal => Sharing::MoveRequests,
        }
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        self.take_in_map(view);
        if let Some(learner) = &mut self.learner {
            learner.observe(view);
        }
        self.search_phase(view, work);
        self.execution_phase(view, moves);
    }

    fn on_change(&mut self, agent: AgentId, change: AgentChange) {
        self.queue.retain(|search| search.agent() != agent);
        if let Some(learner) = &mut self.learner {
            learner.on_change(agent, change);
        }
        let Some(mind) = self.agents.get_mut(agent.index()) else { return };
        match change {
            AgentChange::Relocated => mind.drop_path(),
            AgentChange::Despawned => *mind = BmaaAgent::default(),
            _ => mind.forget(),
        }
    }

    fn inspect(&self, layer: DebugLayer, emit: &mut dyn FnMut(DebugMark)) {
        inspect::paths(layer, self.agents.iter().map(|mind| mind.path.iter().rev().copied()), emit);
        inspect::directions(self.learner.as_ref().map(DirectionLearner::map), layer, emit);
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
        let fits = search.as_ref().is_none_or(|search| search.expansions < self.options.bounds.expansions);
        limits.require(fits, "a paused search has made too many expansions")?;
        limits.require(
            learner.is_some() == self.learner.is_some(),
            "the direction map is of another planner",
        )?;
        if let (Some(learner), Some(saved)) = (&mut self.learner, learner) {
            learner.restore(saved)?;
        }
        let search = search.map(|search| AgentSearch::restored(search, self.learner.as_ref())).transpose()?;
        self.queue = Vec::from_iter(search).into();
        (self.first, self.clamped, self.agents, self.seen) = (first, clamped, agents, None);
        Ok(())
    }

    fn memory_bytes(&self) -> usize {
        let flows = self.flows.iter().flatten().map(Flow::memory_bytes);
        let minds = self.agents.iter().map(BmaaAgent::memory_bytes);
        let searches = self.queue.slots().iter().map(AgentSearch::memory_bytes);
        let workers = self.queue.workers().iter().map(RtaaSearch::memory_bytes);
        let spare = (self.agents.capacity() - self.agents.len()) * size_of::<BmaaAgent>();
        let lists = (self.waiting.capacity() + self.turns.capacity()) * size_of::<AgentId>();
        let learner = self.learner.as_ref().map_or(0, DirectionLearner::memory_bytes);
        let rest = [spare, lists, learner, self.claims.memory_bytes()];
        flows.chain(minds).chain(searches).chain(workers).chain(rest).sum()
    }
}
