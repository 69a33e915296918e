//! The state of a path search that a snapshot holds, and what follows from it: goal, limits and search space.

use serde::{Deserialize, Serialize};
use throng_crowd::{AgentRow, Limits, StateError, Validate, View};
use throng_grid::Cell;
use throng_search::spec::MILLION;
use throng_search::{Sectors, f_range};
use throng_toolkit::{DirectionLearner, DirectionMapVersion, PausedSearch};

use super::RepairOptions;
use super::agent_state::RepairAgent;
use super::neighbourhood::{Neighbourhood, SearchGoal};
use super::tuning::{MAX_AGITATION, MAX_DETOUR_EXPANSIONS, MAX_DOUBLINGS};

/// What all searches of a tick read.
#[derive(Clone, Copy)]
pub(super) struct SearchContext<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) options: &'a RepairOptions,
    pub(super) learner: Option<&'a DirectionLearner>,
    /// The abstraction of each profile's ground; empty without one.
    pub(super) sectors: &'a [Option<Sectors>],
}

impl<'a> SearchContext<'a> {
    /// Returns the abstraction of an agent's ground.
    pub(super) fn sectors_of(self, agent: AgentRow) -> Option<&'a Sectors> {
        self.sectors.get(usize::from(self.view.profile(agent).0))?.as_ref()
    }
}

/// The stage of a search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum SearchMode {
    /// Searches the abstract graph for a route. [`SearchMode::Refine`] follows.
    Abstract {
        /// Whether the refinement leaves out the next node of the route.
        skip: bool,
    },
    /// Searches the map for the next piece of the path, from node to node of a route.
    Refine {
        /// One cell of each node of the abstract path, in order. Empty without an abstraction: the only piece leads to the
        /// target.
        route: Vec<Cell>,
        /// Whether the first piece leaves out the next node.
        skip: bool,
    },
    /// Searches the map for a short path around a blocking agent.
    Detour {
        /// The cell of the agent's path at which the detour ends.
        end: Cell,
    },
}

impl Default for SearchMode {
    fn default() -> Self {
        Self::Refine { route: Vec::new(), skip: false }
    }
}

/// Everything that the result of a paused search depends on, besides the direction map and the number of expansions.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct SearchState {
    pub(super) paused: PausedSearch,
    pub(super) mode: SearchMode,
    /// The path so far, from the agent's cell.
    pub(super) path: Vec<Cell>,
    /// The agent's agitation when the search began.
    pub(super) agitation: u32,
    /// How often the expansion limit of partial refinement is doubled.
    doublings: u32,
    /// Whether the agent was held up on an earlier path, which increases the weight of the heuristic.
    held_up: bool,
    /// The cells of the leader's path when the search began, in ascending order. Empty without a leader.
    /// Steps into them have no penalty.
    pub(super) leader_path: Vec<Cell>,
    /// The cells of the other agents of the group when the search began, in ascending order.
    pub(super) group_cells: Vec<Cell>,
}

impl SearchState {
    /// Begins a search for a path to the target, or for a detour that ends at the cell `rejoin`.
    pub(super) fn begin(
        &mut self,
        context: SearchContext<'_>,
        (id, target): (AgentRow, Cell),
        agent: &RepairAgent,
        rejoin: Option<Cell>,
    ) {
        self.paused.begin(context.view, id, target);
        let from = self.paused.from;
        self.path.clear();
        self.path.push(from);
        self.leader_path.clear();
        self.group_cells.clear();
        (self.agitation, self.doublings) = (agent.agitation, agent.doublings());
        let was_blocked = agent.failures > 0 || agent.next(from).is_some();
        self.held_up = context.options.partial().is_some() && was_blocked;
        self.mode = match rejoin {
            Some(end) => SearchMode::Detour { end },
            None => self.first_mode(context, agent),
        };
    }

    fn first_mode(&self, context: SearchContext<'_>, agent: &RepairAgent) -> SearchMode {
        let skip = agent.skip;
        if context.options.sectors.is_none() {
            return SearchMode::Refine { route: Vec::new(), skip };
        }
        // An agent that is still on its route needs no other.
        let keeps_route = context.options.partial().is_some_and(|partial| partial.keeps_route);
        if keeps_route && self.place_on_route(context, &agent.route).is_some() {
            return SearchMode::Refine { route: agent.route.clone(), skip };
        }
        SearchMode::Abstract { skip }
    }

    /// Makes the search follow a leader's path. `group_cells` are the cells of the other agents of the group.
    pub(super) fn follow(&mut self, leader_path: &[Cell], group_cells: impl Iterator<Item = Cell>) {
        self.leader_path.extend_from_slice(leader_path);
        self.leader_path.sort_unstable();
        self.group_cells.extend(group_cells);
        self.group_cells.sort_unstable();
    }

    /// Returns the index on the route of the node in which the path so far ends. `None` if it has left the route, or if the
    /// route is blocked or leads elsewhere.
    fn place_on_route(&self, context: SearchContext<'_>, route: &[Cell]) -> Option<usize> {
        let agent = self.paused.agent;
        let (ground, sectors) = (context.view.ground(agent), context.sectors_of(agent)?);
        let (end, &here) = (*route.last()?, self.path.last()?);
        let in_node = |cell: Cell, sample: Cell| {
            ground.is_free(sample) && sectors.node_of(ground, sample) == sectors.node_of(ground, cell)
        };
        let is_valid = in_node(self.paused.target, end) && route.iter().all(|&cell| ground.is_free(cell));
        route.iter().rposition(|&sample| in_node(here, sample)).filter(|_| is_valid)
    }

    /// Returns the node at which the next piece ends. `None` if the piece ends at a cell: that of a detour, or the target,
    /// because the last node is entered at the target itself.
    pub(super) fn next_node<'a>(&self, context: SearchContext<'a>) -> Option<SearchGoal<'a>> {
        let SearchMode::Refine { route, skip } = &self.mode else { return None };
        let options = context.options.sectors?;
        let sectors = context.sectors_of(self.paused.agent)?;
        let at = self.place_on_route(context, route)?;
        let is_first = self.path.len() == 1;
        let ahead = 1 + usize::from(options.partial.is_some()) + usize::from(*skip && is_first);
        let sample = *route[..route.len() - 1].get(at + ahead)?;
        let node = sectors.node_of(context.view.ground(self.paused.agent), sample);
        Some(SearchGoal::Node(sectors, node))
    }

    /// Returns the cell at which the whole path ends.
    pub(super) fn end(&self) -> Cell {
        if let SearchMode::Detour { end } = self.mode { end } else { self.paused.target }
    }

    /// Returns the most expansions of one piece.
    pub(super) fn max_expansions(&self, options: &RepairOptions) -> u64 {
        if matches!(self.mode, SearchMode::Detour { .. }) {
            return MAX_DETOUR_EXPANSIONS;
        }
        options.max_piece_expansions().map_or(u64::MAX, |limit| limit << self.doublings)
    }

    /// Returns the weight of the heuristic, in millionths.
    pub(super) fn weight(&self, options: &RepairOptions) -> u64 {
        let partial = options.partial().filter(|_| self.held_up);
        partial.map_or(options.weight, |partial| options.weight * partial.held_up_weight / MILLION)
    }

    /// Returns the search space for a goal, with a version of the direction map.
    pub(super) fn neighbourhood<'a>(
        &'a self,
        context: SearchContext<'a>,
        directions: &'a DirectionMapVersion,
        goal: SearchGoal<'a>,
    ) -> Neighbourhood<'a> {
        let (view, agent) = (context.view, self.paused.agent);
        let ground = view.ground(agent);
        let here = ground.pos(self.paused.from);
        let window = context.options.directions.and_then(|directions| directions.window);
        let mut penalties = directions.step_penalties(context.learner, agent);
        if let Some(window) = window {
            penalties = penalties.map(|penalties| penalties.within(here, window));
        }
        Neighbourhood {
            view: *view,
            options: context.options,
            state: self,
            others: self.paused.visible_agents(view),
            ground,
            here,
            goal,
            sight_squared: context.options.sight_in(view),
            penalties,
            shift: f_range(ground).1,
            best_blocked: None,
        }
    }

    /// Returns the bytes of memory held besides the value itself.
    pub(super) fn memory_bytes(&self) -> usize {
        let route = if let SearchMode::Refine { route, .. } = &self.mode { route.capacity() } else { 0 };
        let lists = [&self.path, &self.leader_path, &self.group_cells];
        let cells = route + lists.iter().map(|list| list.capacity()).sum::<usize>();
        self.paused.memory_bytes() + cells * size_of::<Cell>()
    }
}

impl Validate for SearchMode {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        match self {
            Self::Abstract { skip: _ } => Ok(()),
            Self::Refine { route, skip: _ } => route.validate(limits),
            Self::Detour { end } => end.validate(limits),
        }
    }
}

impl Validate for SearchState {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { paused, mode, path, agitation, doublings, held_up: _, leader_path, group_cells } = self;
        paused.validate(limits)?;
        mode.validate(limits)?;
        for cells in [path, leader_path, group_cells] {
            cells.validate(limits)?;
        }
        limits.require(path.first() == Some(&paused.from), "a path does not begin at its agent")?;
        let sorted = leader_path.is_sorted() && group_cells.is_sorted();
        limits.require(sorted, "the cells of a group are not in order")?;
        limits.at_most(*agitation, u64::from(MAX_AGITATION), "an agitation")?;
        limits.at_most(*doublings, u64::from(MAX_DOUBLINGS), "the number of doublings")
    }
}
