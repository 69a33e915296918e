//! The core `tba` of BMAA*: one A* search per agent and goal that goes on from tick to tick.
//!
//! Y. Björnsson, V. Bulitko, N. R. Sturtevant, *TBA\*: Time-Bounded A\**, IJCAI 2009. An agent whose path has ended or expired
//! continues its search by some expansions. Then it follows the search tree from its cell to the node that would be expanded
//! next: back to the last common cell, then ahead. Nothing is learned.
//!
//! Departures, for crowds: the search avoids the units that the agent saw when it began. It begins anew in the agent's cell when
//! another unit holds the next cell of the path, when the map has changed where the search has read it, and when the agent was
//! pushed or relocated. With one-way streets it also begins anew instead of leading back. The cells that are traced per
//! search are not limited.

use serde::{Deserialize, Serialize};
use throng_crowd::{AgentRow, Limits, StateError, Validate, View};
use throng_grid::{Cell, Ground};
use throng_search::open_list::{Heap, Ties};
use throng_search::{SparseStore, Status};
use throng_toolkit::{InitialHeuristic, PausedSearch, SlicedSearch};

use crate::rtaa::RtaaSpace;

/// The A* search of an agent. Its memory stays for the next one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct SearchTree {
    /// Whether the search has begun and the agent is in one of its cells.
    is_valid: bool,
    /// Where the search began, its target, and what it has read.
    circumstances: PausedSearch,
    /// The number of the random value that orders nodes with the same `f`.
    pub(super) random: u64,
    /// The number of expansions. After loading they are repeated.
    expansions: u64,
    #[serde(skip)]
    search: SlicedSearch<Heap, SparseStore>,
    #[serde(skip)]
    status: Status,
    /// Scratch: the cells from the start of the search to the node that would be expanded next, and to the agent.
    #[serde(skip)]
    traces: [Vec<Cell>; 2],
}

impl SearchTree {
    /// Begins a search in the cell of an agent.
    pub(super) fn begin(&mut self, view: &View<'_>, agent: AgentRow, target: Cell, random: u64) {
        self.circumstances.begin(view, agent, target);
        self.search.restart(0);
        (self.is_valid, self.random, self.expansions, self.status) = (true, random, 0, Status::Paused);
    }

    /// Drops the search and keeps its memory.
    pub(super) fn end(&mut self) {
        self.is_valid = false;
    }

    /// Returns true if the search leads to a target and the map is unchanged where it was read.
    pub(super) fn is_current(&mut self, ground: &Ground, target: Cell) -> bool {
        self.is_valid && self.circumstances.target == target && self.circumstances.is_ground_current(ground)
    }

    /// Returns true if the search has neither reached the goal nor run out of nodes.
    pub(super) fn is_paused(&self) -> bool {
        self.status == Status::Paused
    }

    /// Continues the search for at most `limit` expansions. Returns the number made. `here` is the space of a search from the
    /// agent's present cell; `whole_ground` says that the search depends on more than the tiles of the cells it expands.
    pub(super) fn advance(
        &mut self,
        (view, agent): (&View<'_>, AgentRow),
        here: RtaaSpace<'_>,
        mut initial: InitialHeuristic<'_>,
        (ties, whole_ground): (Ties, bool),
        limit: u64,
    ) -> u64 {
        if self.search.expansions() != self.expansions {
            self.search.restart(self.expansions);
        }
        if let Some(open_list) = self.search.open_list_mut() {
            open_list.set_ties(ties);
        }
        let mut space = RtaaSpace {
            from: self.circumstances.from,
            others: self.circumstances.visible_agents(view),
            ..here
        };
        let ends = (space.from.0, |node| node == here.goal.0);
        // A heap ignores the expected range of f.
        self.status = self.search.advance(&mut space, &mut initial, ends, (0, 0), limit);
        let spent = self.search.expansions().saturating_sub(self.expansions);
        self.expansions = self.search.expansions();
        self.circumstances.agent = agent;
        self.circumstances.pause(view, here.sight, self.search.expanded(), whole_ground);
        spent
    }

    /// Writes the first `moves` steps from a cell of the tree to the node that would be expanded next, last step first.
    /// Writes nothing if there is no such path, or if it leads back and `may_go_back` is false.
    pub(super) fn write_path(
        &mut self,
        space: RtaaSpace<'_>,
        moves: usize,
        may_go_back: bool,
        path: &mut Vec<Cell>,
    ) {
        path.clear();
        let Some(first) = self.search.first() else { return };
        let [ahead, back] = &mut self.traces;
        self.search.search().trace(&space, first.node, ahead);
        self.search.search().trace(&space, space.from.0, back);
        let common = ahead.iter().zip(&*back).take_while(|(ahead, back)| ahead == back).count();
        if common == 0 || (common < back.len() && !may_go_back) {
            return;
        }
        let steps = back[common - 1..back.len() - 1].iter().rev().chain(&ahead[common..]);
        path.extend(steps.take(moves));
        path.reverse();
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let search = self.search.search();
        let traces: usize = self.traces.iter().map(|trace| trace.capacity() * size_of::<Cell>()).sum();
        size_of::<Self>()
            + traces
            + self.circumstances.memory_bytes()
            + search.store().memory_bytes()
            + search.memory_bytes()
    }
}

impl Validate for SearchTree {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        // Any random value is valid, and a search makes at most as many expansions as there are cells.
        let Self { is_valid: _, circumstances, random: _, expansions, search: _, status: _, traces: _ } =
            self;
        circumstances.validate(limits)?;
        limits.at_most_cells(*expansions, "the number of expansions of a search")
    }
}
