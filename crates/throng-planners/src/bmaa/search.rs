//! One agent's search in the search phase of BMAA*, as a time-sliced search.
//!
//! A search that fits into its slice uses the memory of the thread that runs it, so that a round of many searches needs
//! little memory. Only a search that does not fit has memory of its own. There is at most one, because agents are served
//! one after the other when work is scarce. Its agent stays where it is until the search is finished.

use serde::{Deserialize, Serialize};
use throng_crowd::{AgentRow, Limits, StateError, Validate, View};
use throng_grid::Cell;
use throng_toolkit::{
    DirectionLearner, DirectionMapVersion, PausedSearch, SavedDirectionMapVersion, TimeSliced, VisibleAgents,
};

use super::Options;
use super::agent_state::BmaaAgent;
use super::map_data::MapData;
use super::options::FlowUse;
use super::tree::SearchTree;
use crate::rtaa::{Core, RtaaOutcome, RtaaSearch, RtaaSpace};

/// What all searches read.
#[derive(Clone, Copy)]
pub(super) struct LookaheadInputs<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) options: &'a Options,
    pub(super) map_data: &'a MapData,
    pub(super) learner: Option<&'a DirectionLearner>,
}

/// The search of one agent.
#[derive(Clone, Debug, Default)]
pub(super) struct AgentSearch {
    pub(super) paused: PausedSearch,
    /// The version of the direction map that the search depends on, if there is one.
    version: DirectionMapVersion,
    /// The agent's state during a round; between rounds the planner holds it.
    pub(super) state: BmaaAgent,
    /// Whether the search needs several slices.
    is_sliced: bool,
    /// The expansions of earlier slices.
    made: u64,
    /// Such a search; spare memory otherwise.
    own: RtaaSearch,
    /// What the search came to, once it is finished.
    pub(super) outcome: Option<RtaaOutcome>,
}

impl TimeSliced for AgentSearch {
    fn agent(&self) -> AgentRow {
        self.paused.agent
    }

    fn is_done(&self) -> bool {
        self.outcome.is_some()
    }

    fn release(&mut self) {
        self.version.forget();
    }

    fn expanded(&self) -> &[u32] {
        if self.is_sliced { self.own.expanded() } else { &[] }
    }
}

impl AgentSearch {
    /// Begins the search of an agent that has a target.
    pub(super) fn begin(&mut self, view: &View<'_>, agent: AgentRow) {
        self.paused.begin(view, agent, view.target(agent).unwrap_or(view.at(agent)));
        self.version.forget();
        (self.is_sliced, self.made, self.outcome) = (false, 0, None);
    }

    /// Returns the expansions of earlier slices.
    pub(super) fn expansions(&self) -> u64 {
        if self.is_sliced { self.made } else { 0 }
    }

    /// Searches for at most `limit` expansions, and takes the result if the search is finished (algorithm 3). Returns how
    /// many expansions were made.
    pub(super) fn advance(
        &mut self,
        inputs: LookaheadInputs<'_>,
        worker: &mut RtaaSearch,
        limit: u64,
    ) -> u64 {
        let LookaheadInputs { view, options, map_data, learner } = inputs;
        let PausedSearch { agent, from, target, .. } = self.paused;
        let limits = options.search_limits;
        let is_first_slice = !self.is_sliced;
        self.is_sliced |= limit < limits.expansions;
        if limits.core == Core::Tba {
            return self.advance_tree(inputs, is_first_slice, limit);
        }
        let (ground, state) = (view.ground(agent), &mut self.state);
        let search = if self.is_sliced { &mut self.own } else { worker };
        if is_first_slice {
            search.restart(0);
            state.pruned.follow(ground);
        }
        let flow = map_data.flow(ground);
        let initial = map_data.initial_heuristic(ground, target);
        // The limit of the last path does not change until the search is finished.
        let ties = limits.ties.of(|| view.random_per_agent(agent, state.limit));
        let space = RtaaSpace {
            ground,
            others: self.paused.visible_agents(view),
            flow,
            prefers_flow: options.flow == FlowUse::Preferred,
            pruned: state.pruned.cells(),
            step_penalties: self.version.step_penalties(learner, agent),
            from,
            goal: target,
            sight: options.sight_in(view),
        };
        let spent = search.advance(space, initial, &state.learned, ties, limit);
        self.made += spent;
        if !search.is_paused() || search.expansions() >= limits.expansions {
            state.path.clear();
            // With memory for the longest path at once, later searches need no more.
            state.path.reserve(options.path_capacity());
            let outcome = search.conclude(space, initial, &mut state.learned, limits, &mut state.path);
            if state.path.is_empty() {
                // Other units enclose the agent together with pruned cells.
                state.pruned.clear();
            } else if limits.prune {
                let streets = flow.filter(|_| options.flow == FlowUse::Only);
                search.prune((ground, streets), (from, target), &state.path, &mut state.pruned);
            }
            state.take(outcome, view.tick() + limits.moves as u64);
            self.outcome = Some(outcome);
        }
        spent
    }

    /// Does the same for the core `tba`: continues the search of the agent's state.
    fn advance_tree(&mut self, inputs: LookaheadInputs<'_>, is_first_slice: bool, limit: u64) -> u64 {
        let LookaheadInputs { view, options, map_data, .. } = inputs;
        let PausedSearch { agent, from, target, .. } = self.paused;
        let (limits, ground, state) = (options.search_limits, view.ground(agent), &mut self.state);
        let initial = map_data.initial_heuristic(ground, target);
        let here = RtaaSpace {
            ground,
            others: VisibleAgents::Now(view.occupancy()),
            flow: map_data.flow(ground),
            prefers_flow: options.flow == FlowUse::Preferred,
            pruned: &[],
            step_penalties: None,
            from,
            goal: target,
            sight: options.sight_in(view),
        };
        let is_blocked = |path: &[Cell]| path.last().is_some_and(|&next| here.is_occupied(next));
        let tree: &mut SearchTree = state.tree.get_or_insert_default();
        if (is_first_slice && is_blocked(&state.path)) || !tree.is_current(ground, target) {
            tree.begin(view, agent, target, state.limit);
        }
        let ties = limits.ties.of(|| view.random_per_agent(agent, tree.random));
        let ties = (ties, options.reads_whole_ground());
        let spent = tree.advance((view, agent), here, initial, ties, limit);
        self.made += spent;
        if tree.is_paused() && self.made < limits.expansions {
            return spent;
        }
        // With memory for the longest path at once, later searches need no more.
        state.path.clear();
        state.path.reserve(options.path_capacity());
        tree.write_path(here, limits.moves, options.flow != FlowUse::Only, &mut state.path);
        let mut outcome = RtaaOutcome::default();
        if state.path.is_empty() || is_blocked(&state.path) {
            outcome.blocked_by = here.nearest_occupied(initial);
            state.path.clear();
            tree.end();
        }
        state.take(outcome, view.tick() + limits.moves as u64);
        self.outcome = Some(outcome);
        spent
    }

    /// Pauses the search at the end of a tick.
    pub(super) fn pause(&mut self, inputs: LookaheadInputs<'_>) {
        let sight = inputs.options.sight_in(inputs.view);
        let whole_ground = inputs.options.reads_whole_ground();
        self.paused.pause(inputs.view, sight, self.own.expanded(), whole_ground);
        self.version.keep(inputs.learner);
    }

    pub(super) fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.paused.memory_bytes() + self.own.memory_bytes()
    }

    pub(super) fn saved(&self, learner: Option<&DirectionLearner>) -> SavedAgentSearch {
        SavedAgentSearch {
            paused: self.paused.clone(),
            expansions: self.expansions(),
            version: self.version.saved(learner),
        }
    }

    /// Restores what [`AgentSearch::saved`] returned. The learner has been restored before.
    pub(super) fn restored(
        saved: SavedAgentSearch,
        learner: Option<&DirectionLearner>,
    ) -> Result<Self, StateError> {
        let SavedAgentSearch { paused, expansions, version } = saved;
        let version = DirectionMapVersion::restored(&version, learner)?;
        let mut search = Self { paused, version, is_sliced: true, made: expansions, ..Self::default() };
        search.own.restart(expansions);
        Ok(search)
    }
}

/// A paused search as a snapshot holds it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct SavedAgentSearch {
    paused: PausedSearch,
    pub(super) expansions: u64,
    version: SavedDirectionMapVersion,
}

impl Validate for SavedAgentSearch {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        // The planner compares the expansions with its limits, and the version with its direction map.
        let Self { paused, expansions: _, version: _ } = self;
        paused.validate(limits)
    }
}
