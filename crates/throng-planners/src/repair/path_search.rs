//! The search of one agent that repairs its path. It runs in slices, over several ticks if necessary.
//!
//! Without an abstraction it is one search to the target. With one, it finds a route over the sectors first and refines it
//! on the map: full refinement goes from each node of the route to the nearest cell of the next; partial refinement
//! searches one piece, towards the node after the next, and keeps a fraction of it. With partial refinement, a blocked
//! agent first searches a short detour back to its path.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use throng_crowd::{AgentRow, Limits, StateError, Validate};
use throng_grid::{Cell, Cost};
use throng_search::open_list::{Buckets, Heap};
use throng_search::spec::MILLION;
use throng_search::{CenterDistance, Status};
use throng_toolkit::{
    DirectionLearner, DirectionMapVersion, SavedDirectionMapVersion, SlicedSearch, TimeSliced,
};

use super::SectorOptions;
use super::abstract_graph::AbstractGraph;
use super::neighbourhood::SearchGoal;
use super::search_state::{SearchContext, SearchMode, SearchState};
use super::tuning::MAX_DETOUR_EXPANSIONS;

/// A search for one agent.
#[derive(Clone, Debug, Default)]
pub(super) struct RepairSearch {
    pub(super) state: SearchState,
    /// The direction map at the first pause.
    directions: DirectionMapVersion,
    abstract_search: SlicedSearch<Heap>,
    /// The search for the present piece.
    map_search: SlicedSearch<Buckets>,
    status: Status,
    /// The occupied cell with the smallest f value that the search for the present piece came to, with that value.
    best_blocked: Option<(Cost, Cell)>,
    /// Expansions of the present slice.
    spent: u64,
    /// Scratch memory: the nodes of a path.
    trace: Vec<Cell>,
}

/// A search as it is saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SavedRepairSearch {
    state: SearchState,
    directions: SavedDirectionMapVersion,
    abstract_expansions: u64,
    /// The expansions for the present piece.
    expansions: u64,
}

impl TimeSliced for RepairSearch {
    fn agent(&self) -> AgentRow {
        self.state.paused.agent
    }

    fn is_done(&self) -> bool {
        self.status != Status::Paused
    }

    fn release(&mut self) {
        self.directions.forget();
    }

    fn expanded(&self) -> &[u32] {
        self.map_search.expanded()
    }
}

impl RepairSearch {
    /// Starts again, after [`SearchState::begin`].
    pub(super) fn restart(&mut self) {
        self.directions.forget();
        self.abstract_search.restart(0);
        self.map_search.restart(0);
        (self.status, self.best_blocked) = (Status::Paused, None);
    }

    /// Returns true if any work was done.
    pub(super) fn has_begun(&self) -> bool {
        self.state.path.len() > 1 || self.abstract_search.expansions() > 0 || self.map_search.expansions() > 0
    }

    /// Returns true if the search has found a path of at least one step.
    pub(super) fn has_path(&self) -> bool {
        matches!(self.status, Status::Found(_)) && self.state.path.len() > 1
    }

    /// Returns the occupied cell on the most promising path, if the search came to any.
    pub(super) fn blocked_by(&self) -> Option<Cell> {
        self.best_blocked.map(|(_, cell)| cell)
    }

    /// Searches for at most `limit` expansions and returns their number.
    pub(super) fn advance(&mut self, context: SearchContext<'_>, limit: u64) -> u64 {
        self.spent = 0;
        loop {
            let left = limit - self.spent;
            let flow = match self.state.mode {
                SearchMode::Abstract { skip } => self.advance_abstract(context, skip, left),
                SearchMode::Refine { .. } | SearchMode::Detour { .. } => self.advance_on_map(context, left),
            };
            if flow.is_break() {
                return self.spent;
            }
        }
    }

    /// Searches the abstract graph. Continues with refinement when the route is found.
    fn advance_abstract(&mut self, context: SearchContext<'_>, skip: bool, limit: u64) -> ControlFlow<()> {
        let (agent, ends) = (self.agent(), [self.state.paused.from, self.state.paused.target]);
        let ground = context.view.ground(agent);
        let sectors = context.options.sectors.zip(context.sectors_of(agent));
        let Some((SectorOptions { metric, .. }, sectors)) = sectors else {
            self.state.mode = SearchMode::Refine { route: Vec::new(), skip };
            return ControlFlow::Continue(());
        };
        let [from, to] = ends.map(|cell| sectors.node_of(ground, cell));
        let penalties = self.directions.sector_penalties(context.learner, agent);
        let mut graph = AbstractGraph::new(sectors, penalties);
        let (mut heuristic, before) =
            (CenterDistance::new(sectors, to, metric), self.abstract_search.expansions());
        let query = (from, |node| node == to);
        let status = self.abstract_search.advance(&mut graph, &mut heuristic, query, (0, 0), limit);
        // An altered snapshot may ask to repeat more expansions than there are.
        self.spent += self.abstract_search.expansions().saturating_sub(before);
        match status {
            Status::Found(node) => {
                self.abstract_search.search().trace(&graph, node, &mut self.trace);
                let route = self.trace.iter().map(|node| sectors.sample(node.0)).collect();
                self.state.mode = SearchMode::Refine { route, skip };
                return ControlFlow::Continue(());
            }
            Status::Paused => {}
            Status::Exhausted | Status::Incumbent(_) => self.status = Status::Exhausted,
        }
        ControlFlow::Break(())
    }

    /// Searches the map for the present piece. With full refinement, continues with the next piece when it is found.
    fn advance_on_map(&mut self, context: SearchContext<'_>, limit: u64) -> ControlFlow<()> {
        let (options, next) = (context.options, self.state.next_node(context));
        let (weight, max_expansions) = (self.state.weight(options), self.state.max_expansions(options));
        let goal = next.unwrap_or(SearchGoal::Cell(self.state.end()));
        let mut space = self.state.neighbourhood(context, &self.directions, goal);
        space.best_blocked = self.best_blocked;
        let (ground, before) = (space.ground, self.map_search.expansions());
        let (mut heuristic, f_range) = (space.heuristic(weight), space.f_range(weight));
        let from = self.state.path[self.state.path.len() - 1];
        let query = (from.0, |node| goal.contains(ground, Cell(node)));
        let limit = limit.min(max_expansions.saturating_sub(before));
        self.status = self.map_search.advance(&mut space, &mut heuristic, query, f_range, limit);
        self.best_blocked = space.best_blocked;
        self.spent += self.map_search.expansions().saturating_sub(before);
        let Status::Found(node) = self.status else {
            if self.status == Status::Paused && self.map_search.expansions() >= max_expansions {
                self.status = Status::Exhausted;
            }
            return ControlFlow::Break(());
        };
        self.map_search.search().trace(&space, node, &mut self.trace);
        self.state.path.extend_from_slice(&self.trace[1..]);
        let cut = options.partial().map(|partial| partial.cut);
        if next.is_some() && cut.is_none() {
            self.map_search.restart(0);
            (self.status, self.best_blocked) = (Status::Paused, None);
            return ControlFlow::Continue(());
        }
        self.shorten(context, cut.filter(|_| next.is_some()));
        ControlFlow::Break(())
    }

    /// Cuts the path to what the agent follows before it plans again: the fraction `cut` in millionths, and the part within
    /// the window of the direction map.
    fn shorten(&mut self, context: SearchContext<'_>, cut: Option<u64>) {
        let SearchState { path, paused, .. } = &mut self.state;
        if let Some(cut) = cut {
            let steps = (path.len() - 1) as u64;
            let kept = (steps * cut).div_ceil(MILLION).max(1) as usize;
            path.truncate(kept + 1);
        }
        if let Some(window) = context.options.directions.and_then(|directions| directions.window) {
            let size = context.view.grid().size();
            let here = size.pos(paused.from);
            let is_beyond = |&cell: &Cell| size.pos(cell).distance_squared(here) > window;
            let kept = path.iter().position(is_beyond).unwrap_or(path.len());
            path.truncate(kept.max(2));
        }
    }

    /// Pauses the search at the end of a tick.
    pub(super) fn pause(&mut self, context: SearchContext<'_>) {
        let whole_ground = context.options.sectors.is_some();
        let (sight_squared, expanded) = (context.options.sight_in(context.view), self.map_search.expanded());
        self.state.paused.pause(context.view, sight_squared, expanded, whole_ground);
        self.directions.keep(context.learner);
    }

    /// Returns the bytes of memory held, the value itself included.
    pub(super) fn memory_bytes(&self) -> usize {
        let searches = self.map_search.memory_bytes() + self.abstract_search.memory_bytes();
        let trace = self.trace.capacity() * size_of::<Cell>();
        self.state.memory_bytes() + searches + trace + size_of::<Self>()
    }

    /// Returns the state to be saved.
    pub(super) fn saved(&self, learner: Option<&DirectionLearner>) -> SavedRepairSearch {
        SavedRepairSearch {
            state: self.state.clone(),
            directions: self.directions.saved(learner),
            abstract_expansions: self.abstract_search.expansions(),
            expansions: self.map_search.expansions(),
        }
    }

    /// Restores a saved search that was validated.
    ///
    /// # Errors
    /// When its direction map does not fit the one of the planner.
    pub(super) fn restored(
        saved: SavedRepairSearch,
        learner: Option<&DirectionLearner>,
    ) -> Result<Self, StateError> {
        let SavedRepairSearch { state, directions, abstract_expansions, expansions } = saved;
        let directions = DirectionMapVersion::restored(&directions, learner)?;
        let mut search = Self { state, directions, ..Self::default() };
        search.abstract_search.restart(abstract_expansions);
        search.map_search.restart(expansions);
        Ok(search)
    }
}

impl SavedRepairSearch {
    pub(super) fn agent(&self) -> AgentRow {
        self.state.paused.agent
    }
}

impl Validate for SavedRepairSearch {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { state, directions, abstract_expansions, expansions } = self;
        state.validate(limits)?;
        directions.validate(limits)?;
        // No search expands a node twice. A stage that a search does not have, or has not reached, has no expansions.
        let area = limits.size.area() as u64;
        let (max_abstract, max) = match state.mode {
            SearchMode::Abstract { .. } => (area, 0),
            SearchMode::Refine { .. } => (area, area),
            SearchMode::Detour { .. } => (0, MAX_DETOUR_EXPANSIONS),
        };
        limits.at_most(*abstract_expansions, max_abstract, "the number of abstract expansions")?;
        limits.at_most(*expansions, max.min(area), "the number of expansions")
    }
}

#[cfg(test)]
mod tests {
    use super::super::SavedRepair;
    use super::*;
    use throng_crowd::state::{decode_unchecked, encode};
    use throng_crowd::{
        AgentSpec, Budget, Moves, NamedPlanner, Planner, Settings, Sharing, View, Work, World,
    };
    use throng_grid::{Grid, MoveRules, Pos, Size, Terrain, Tiles};

    /// Alters the saved searches before the planner loads them.
    #[derive(Clone)]
    struct Altered {
        inner: Box<dyn Planner>,
        alter: fn(&mut SavedRepairSearch),
    }

    impl Planner for Altered {
        fn clone_box(&self) -> Box<dyn Planner> {
            Box::new(self.clone())
        }

        fn required_sharing(&self) -> Sharing {
            self.inner.required_sharing()
        }

        fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
            self.inner.plan(view, work, moves);
        }

        fn save(&self, bytes: &mut Vec<u8>) {
            self.inner.save(bytes);
        }

        fn load(&mut self, bytes: &[u8], limits: &Limits) -> Result<(), StateError> {
            let mut saved: SavedRepair<'_> = decode_unchecked(bytes)?;
            assert!(!saved.searches.is_empty(), "no search was paused");
            saved.searches.iter_mut().for_each(self.alter);
            let mut altered = Vec::new();
            encode(&saved, &mut altered);
            self.inner.load(&altered, limits)
        }
    }

    /// Returns true if the altered state is accepted. The planner must then bring its agent to the target.
    fn is_accepted(spec: &str, alter: fn(&mut SavedRepairSearch)) -> bool {
        let grid =
            Grid::new(Tiles::filled(Size::new(40, 40).unwrap(), Terrain::Ground), MoveRules::default());
        let planner = || crate::planner(spec, &grid).unwrap();
        let mut world = World::new(grid.clone(), planner(), Settings::default()).unwrap();
        let agent = world.spawn(AgentSpec::at(1, 1)).unwrap();
        world.send(agent, Pos::new(38, 30)).unwrap();
        world.tick(Budget::Expansions(20), &mut Vec::new());
        let NamedPlanner { name, planner, .. } = planner();
        let altered = NamedPlanner::new(name, Box::new(Altered { inner: planner, alter }));
        let Ok(mut world) = World::restore(&world.snapshot(), |_, _| Ok::<_, String>(altered)) else {
            return false;
        };
        for _ in 0..200 {
            world.tick(Budget::Expansions(500), &mut Vec::new());
        }
        assert!(world.has_arrived(agent).unwrap(), "{spec}");
        true
    }

    #[test]
    fn a_search_that_claims_too_many_expansions_does_no_harm() {
        for spec in ["lra", "dm:sector=4", "dm:sector=4,refine=partial"] {
            assert!(is_accepted(spec, |_| {}));
            assert!(is_accepted(spec, |search| {
                search.state.mode = SearchMode::Refine { route: Vec::new(), skip: false };
                (search.abstract_expansions, search.expansions) = (1_600, 1_600);
            }));
            assert!(!is_accepted(spec, |search| search.abstract_expansions = 1_601));
            assert!(!is_accepted(spec, |search| search.expansions = 1_601));
        }
    }

    #[test]
    fn a_route_that_leads_elsewhere_is_not_followed() {
        for spec in ["dm:sector=4", "dm:sector=4,refine=partial"] {
            assert!(is_accepted(spec, |search| {
                let route = [41, 45, 49, 53].map(Cell).to_vec();
                (search.abstract_expansions, search.expansions) = (0, 1);
                search.state.mode = SearchMode::Refine { route, skip: true };
            }));
        }
    }

    #[test]
    fn a_detour_is_within_its_limit() {
        let detour = |search: &mut SavedRepairSearch| {
            search.abstract_expansions = 0;
            search.state.mode = SearchMode::Detour { end: Cell(1_599) };
        };
        assert!(is_accepted("lra", detour));
        assert!(!is_accepted("lra", |search| {
            search.state.mode = SearchMode::Detour { end: Cell(1_600) };
        }));
        assert!(!is_accepted("lra", |search| {
            search.state.mode = SearchMode::Detour { end: Cell(0) };
            search.expansions = MAX_DETOUR_EXPANSIONS + 1;
        }));
    }
}
