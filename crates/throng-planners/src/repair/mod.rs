//! Local repair: agents follow a path, and plan again when an agent blocks it. The engine of `lra` and `dm`.
//!
//! M. R. Jansen, N. R. Sturtevant, *Direction Maps for Cooperative Pathfinding*, AIIDE 2008. A search treats agents within
//! a radius as obstacles, except one on the target. Agents act in the order of their numbers; an agent whose next cell is
//! occupied waits and plans again.
//!
//! Departures:
//! - An agent that finds no path tries again after one tick, as in the paper, then after 2, 4, up to 32 ticks, because a
//!   failed search has expanded every reachable cell.
//! - A search that exceeds the work of a tick goes on in the next, among the agents that were visible when it began.
//! - With partial refinement, which is meant for real time, a blocked agent first waits until the cell is free or searches
//!   a short detour back to its path. Only if there is none does it plan the piece again, with an expansion limit that grows
//!   slowly and a larger weight of the heuristic. Each of these is an option ([`PartialRefinement`]), and so is the abstract
//!   path, which is kept from piece to piece. Without them partial refinement is that of Jansen's thesis.
//! - An agent whose target stays occupied steps aside, because two agents on each other's targets would never move.

mod abstract_graph;
mod agent_state;
mod neighbourhood;
mod options;
mod path_search;
mod search_state;
mod steps;
mod tuning;

pub(crate) use options::{DirectionOptions, PartialRefinement, RepairOptions, SectorOptions, square};

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use throng_crowd::state::{decode, encode};
use throng_crowd::{
    AgentChange, AgentRow, Certainty, Limits, MapKnowledge, MoveDraft, Moves, Planner, PlannerLayer,
    PlannerMark, Sharing, StateError, StepTime, Validate, View, Work,
};
use throng_grid::{Cell, Grid};
use throng_search::{Heuristic, OctileDistance, Sectors};
use throng_toolkit::{DirectionLearner, SavedDirectionLearner, SearchQueue, Slicing, TimeSliced};

use crate::{Resources, directions, inspect, prices};
use agent_state::RepairAgent;
use path_search::{RepairSearch, SavedRepairSearch};
use search_state::{SearchContext, SearchMode};
use tuning::{GROUP_RADIUS, SLICING};

/// The planner.
#[derive(Clone, Debug)]
pub(crate) struct Repair {
    options: RepairOptions,
    /// The direction map; `None` without one.
    learner: Option<DirectionLearner>,
    /// The abstraction of each profile's ground; empty without one.
    sectors: Vec<Option<Sectors>>,
    agents: Vec<RepairAgent>,
    searches: SearchQueue<RepairSearch>,
    draft: MoveDraft,
    /// The agents that need a path, longest wait first.
    waiting: Vec<AgentRow>,
}

/// Everything that the next decisions depend on.
#[derive(Debug, Serialize, Deserialize)]
struct SavedRepair<'a> {
    agents: Cow<'a, [RepairAgent]>,
    learner: Option<SavedDirectionLearner>,
    searches: Vec<SavedRepairSearch>,
}

impl Validate for SavedRepair<'_> {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { agents, learner, searches } = self;
        limits.per_agent(agents)?;
        learner.validate(limits)?;
        limits.at_most(searches.len() as u64, SLICING.at_once as u64, "the number of searches")?;
        searches.validate(limits)?;
        let is_repeated = |i: usize| searches[..i].iter().any(|other| other.agent() == searches[i].agent());
        limits.require(!(0..searches.len()).any(is_repeated), "an agent has two searches")
    }
}

impl Repair {
    pub(crate) fn new(options: RepairOptions, grid: &Grid, resources: &mut Resources) -> Self {
        let abstraction = |sectors: SectorOptions| {
            let mut abstraction = Sectors::new(sectors.side);
            abstraction.update(grid.ground());
            vec![Some(abstraction)]
        };
        let learning = options.directions.map(|directions| directions.learning);
        Self {
            options,
            learner: directions::learner(learning, grid, resources),
            sectors: options.sectors.map_or_else(Vec::new, abstraction),
            agents: Vec::new(),
            searches: SearchQueue::new(),
            draft: MoveDraft::default(),
            waiting: Vec::new(),
        }
    }

    /// Updates the direction map and the abstractions with what has happened since the last tick.
    fn observe(&mut self, view: &View<'_>) {
        if let Some(learner) = &mut self.learner {
            learner.observe(view);
        }
        let Some(sectors) = self.options.sectors else { return };
        let mut is_updated = [false; 256];
        for &id in view.movers() {
            let profile = usize::from(view.profile(id).0);
            if std::mem::replace(&mut is_updated[profile], true) {
                continue;
            }
            if self.sectors.len() <= profile {
                self.sectors.resize_with(profile + 1, || None);
            }
            let abstraction = self.sectors[profile].get_or_insert_with(|| Sectors::new(sectors.side));
            abstraction.update(view.ground(id));
        }
    }

    /// If agents know only what they have seen: drops and reports the paths that an agent has discovered to be illegal.
    /// Without fog an agent notices that when it comes to the illegal step.
    fn drop_discovered_paths(&mut self, view: &View<'_>, moves: &mut Moves) {
        for &id in view.agents().iter().filter(|&&id| view.has_discovered(id)) {
            let Some(agent) = self.agents.get_mut(id.index()) else { continue };
            let steps = agent.path.windows(2).rev();
            let illegal = steps
                .map(|step| (step[1], step[0]))
                .find(|&(from, to)| view.ground(id).legal_step(from, to).is_none());
            if let Some((_, cell)) = illegal {
                agent.path.clear();
                moves.discover(id, cell);
            }
        }
    }

    /// Drops paths that are no longer legal and lists the agents that need another.
    fn list_waiting(&mut self, view: &View<'_>) {
        self.agents.resize(view.id_limit(), RepairAgent::NEW);
        self.waiting.clear();
        for &id in view.movers() {
            let (at, agent) = (view.at(id), &mut self.agents[id.index()]);
            let Some(target) = view.target(id).filter(|&target| target != at) else {
                agent.path.clear();
                (agent.replan_since, agent.blocked_by) = (None, None);
                continue;
            };
            if agent.next(at).is_none_or(|next| view.ground(id).legal_step(at, next).is_none()) {
                agent.path.clear();
                agent.replan_since.get_or_insert(view.tick());
            }
            let distance = OctileDistance::to_cell(view.ground(id), target).lower(at.0);
            if distance < agent.min_distance {
                (agent.min_distance, agent.agitation) = (distance, 0);
            }
            if agent.replan_since.is_some() && agent.retry_at <= view.tick() {
                self.waiting.push(id);
            }
        }
        let agents = &self.agents;
        self.waiting.sort_unstable_by_key(|id| (agents[id.index()].replan_since, *id));
    }

    /// Searches paths for as many agents as the work suffices for. Unfinished searches go on in the next tick.
    fn search_paths(&mut self, view: &View<'_>, work: &mut Work<'_>) {
        let agents = &self.agents;
        let is_needed = |id: AgentRow| agents[id.index()].replan_since.is_some();
        self.searches.retain(|search| search.state.paused.is_current(view) && is_needed(search.agent()));
        // An agent that follows a leader waits until the leader has a path.
        let at_once = if self.options.has_leaders() { 1 } else { SLICING.at_once };
        let (slicing, mut next) = (Slicing { at_once, ..SLICING }, 0);
        loop {
            while self.searches.len() < slicing.affordable(work.left()) && next < self.waiting.len() {
                self.start_search(view, self.waiting[next]);
                next += 1;
            }
            let Some(grant) = slicing.grant(work, work.left(), self.searches.len()) else { break };
            let Self { options, learner, sectors, agents, searches, .. } = self;
            let context = SearchContext { view, options, learner: learner.as_ref(), sectors };
            let advance = |search: &mut RepairSearch, (): &mut (), limit| search.advance(context, limit);
            work.spend(searches.advance(view.executor(), grant, advance));
            searches.deliver(|search| {
                let agent = &mut agents[search.agent().index()];
                accept(view, agent, search, options);
            });
        }
        self.searches.retain(|search| search.has_begun());
        let Self { options, learner, sectors, searches, .. } = self;
        let context = SearchContext { view, options, learner: learner.as_ref(), sectors };
        searches.searches_mut().iter_mut().for_each(|search| search.pause(context));
    }

    /// Starts a search for an agent, unless one is running or the agent should wait.
    fn start_search(&mut self, view: &View<'_>, id: AgentRow) {
        let is_running = self.searches.is_running(id);
        let Some(target) = view.target(id).filter(|_| !is_running) else { return };
        let agent = &mut self.agents[id.index()];
        let may_detour = self.options.has_detours() && agent.failures == 0;
        let mut rejoin = None;
        if let Some(next) = agent.next(view.at(id)).filter(|_| may_detour) {
            if view.occupancy().is_free(next) {
                // The blocking agent has moved on.
                return;
            }
            rejoin = agent.rejoin(|cell| view.occupancy().is_free(cell) || !view.sees(id, cell));
            if rejoin.is_none() {
                return agent.rest(view.tick(), 0);
            }
        }
        let Self { options, learner, sectors, agents, searches, .. } = self;
        let context = SearchContext { view, options, learner: learner.as_ref(), sectors };
        let search = searches.start();
        search.state.begin(context, (id, target), &agents[id.index()], rejoin);
        search.restart();
        if options.has_leaders() {
            follow_leader(view, agents, (id, target), search);
        }
    }
}

/// Makes a new search follow the first agent of its agent's group that has a path. An agent that is itself the first, or
/// close to its target, has no leader, because the targets of a group differ.
fn follow_leader(
    view: &View<'_>,
    agents: &[RepairAgent],
    (id, target): (AgentRow, Cell),
    search: &mut RepairSearch,
) {
    let (size, at) = (view.grid().size(), view.at(id));
    let is_near = |a: Cell, b: Cell| {
        let (a, b) = (size.pos(a), size.pos(b));
        a.x.abs_diff(b.x).max(a.y.abs_diff(b.y)) <= GROUP_RADIUS
    };
    let in_group = |&other: &AgentRow| {
        is_near(view.at(other), at)
            && view.target(other).is_some_and(|end| is_near(end, target))
            && agents[other.index()].next(view.at(other)).is_some()
    };
    let mut group = view.movers().iter().copied().filter(in_group);
    let leader = group.next().filter(|&leader| leader < id && !is_near(at, target));
    if let Some(leader) = leader {
        let cells = std::iter::once(leader).chain(group).map(|other| view.at(other));
        search.state.follow(&agents[leader.index()].path, cells);
    }
}

/// Passes the result of a finished search to its agent.
fn accept(view: &View<'_>, agent: &mut RepairAgent, search: &mut RepairSearch, options: &RepairOptions) {
    agent.skip = false;
    if !search.has_path() {
        // The agent keeps its earlier path.
        let doublings = options.max_piece_expansions().map_or(0, |_| agent.doublings());
        agent.rest(view.tick(), doublings);
        agent.blocked_by = search.blocked_by();
        if !matches!(search.state.mode, SearchMode::Detour { .. }) {
            agent.route.clear();
        }
        return;
    }
    let path = &mut search.state.path;
    path.reverse();
    match &mut search.state.mode {
        SearchMode::Detour { end } => agent.take_detour(*end, path),
        SearchMode::Refine { route, .. } => {
            std::mem::swap(&mut agent.path, path);
            std::mem::swap(&mut agent.route, route);
        }
        SearchMode::Abstract { .. } => unreachable!("a path is found on the map: a bug of throng"),
    }
    (agent.replan_since, agent.failures, agent.retry_at, agent.blocked_by) = (None, 0, 0, None);
}

impl Planner for Repair {
    fn clone_box(&self) -> Box<dyn Planner> {
        Box::new(self.clone())
    }

    fn required_sharing(&self) -> Sharing {
        Sharing::Nothing
    }

    fn required_map(&self) -> MapKnowledge {
        // There is one abstraction per profile, so all agents of a profile must know the same map.
        if self.options.sectors.is_some() { MapKnowledge::Shared } else { MapKnowledge::Own }
    }

    fn step_time(&self) -> StepTime {
        StepTime::Cost
    }

    fn expansion_price(&self) -> u64 {
        if self.learner.is_some() { prices::DIRECTION_ASTAR } else { prices::ASTAR }
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        self.observe(view);
        self.drop_discovered_paths(view, moves);
        self.list_waiting(view);
        self.search_paths(view, work);
        self.step_agents(view, moves);
    }

    fn on_change(&mut self, id: AgentRow, change: AgentChange) {
        self.searches.retain(|search| search.agent() != id);
        if let Some(agent) = self.agents.get_mut(id.index()) {
            agent.reset();
        }
        if let Some(learner) = &mut self.learner {
            learner.on_change(id, change);
        }
    }

    fn preview(&self, _: &View<'_>, agent: AgentRow, emit: &mut dyn FnMut(Cell, Certainty) -> bool) {
        let path = self.agents.get(agent.index()).map(|state| state.path.iter().rev().copied());
        inspect::planned(path.into_iter().flatten(), emit);
    }

    fn inspect(&self, view: &View<'_>, layer: PlannerLayer, emit: &mut dyn FnMut(PlannerMark)) {
        inspect::paths(layer, self.agents.iter().map(|agent| agent.path.iter().rev().copied()), emit);
        inspect::directions(self.learner.as_ref().map(DirectionLearner::map), layer, emit);
        inspect::searched(&self.searches, layer, emit);
        let sectors = self.sectors.first().and_then(Option::as_ref);
        inspect::sectors(view, sectors.map(|sectors| |pos| sectors.sector_at(pos)), layer, emit);
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        let learner = self.learner.as_ref();
        let searches = self.searches.searches().iter().map(|search| search.saved(learner)).collect();
        let agents = Cow::Borrowed(&*self.agents);
        encode(&SavedRepair { agents, learner: learner.map(DirectionLearner::saved), searches }, bytes);
    }

    fn load(&mut self, bytes: &[u8], limits: &Limits) -> Result<(), StateError> {
        let SavedRepair { agents, learner, searches } = decode(bytes, limits)?;
        directions::restore(self.learner.as_mut(), learner)?;
        let restored = |search| RepairSearch::restored(search, self.learner.as_ref());
        self.searches = searches.into_iter().map(restored).collect::<Result<Vec<_>, _>>()?.into();
        self.agents = agents.into_owned();
        Ok(())
    }

    fn memory_bytes(&self) -> usize {
        let agents = self.agents.iter().map(RepairAgent::memory_bytes).sum::<usize>();
        let searches: usize = self.searches.slots().iter().map(RepairSearch::memory_bytes).sum();
        let sectors: usize = self.sectors.iter().flatten().map(Sectors::memory_bytes).sum();
        agents
            + self.agents.capacity() * size_of::<RepairAgent>()
            + searches
            + sectors
            + self.waiting.capacity() * size_of::<AgentRow>()
            + self.learner.as_ref().map_or(0, DirectionLearner::memory_bytes)
            + self.draft.memory_bytes()
    }
}
