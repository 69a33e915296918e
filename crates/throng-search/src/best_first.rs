//! The search loop: a resumable best-first search, the core of every time-sliced search.
//!
//! Everything that differs between algorithms is a parameter: the [`Space`], the [`Heuristic`], the open list
//! ([`OpenList`]), the node storage ([`NodeStore`]), the goal test, the expansion limit, and a [`Probe`] that observes
//! the search. A*, Dijkstra's algorithm, weighted A*, focal search, reverse resumable A*, jump point search and the
//! abstract searches are compositions of these parts.
//!
//! The state is plain data. A paused search resumes where it stopped, and expands the same nodes in the same order as
//! a search without pauses.

use throng_grid::{Cell, Cost};

use crate::heuristic::Heuristic;
use crate::node_store::{NO_NODE, Node, NodeStore, UNKNOWN};
use crate::open_list::{OpenEntry, OpenList};
use crate::space::{Expansion, Space, Successor};

/// Why [`BestFirst::resume`] returned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Status {
    /// This goal node is first in the open list and stays there. The path to it has the quality that the open list
    /// guarantees.
    Found(u32),
    /// The path to this node, continued by the heuristic's known path, is within [`Policy::epsilon`] of the lower
    /// bound.
    Incumbent(u32),
    /// The open list is empty.
    Exhausted,
    /// The expansion limit is reached, or nothing was expanded yet.
    #[default]
    Paused,
}

/// Settings that an algorithm fixes for all its searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Policy {
    /// Whether a closed node is re-expanded when a cheaper path to it is found. Not needed with a consistent heuristic
    /// and an open list that pops the smallest `f`.
    pub reopen: bool,
    /// For heuristics with upper bounds: the search stops when the best known path costs at most this factor, in
    /// millionths, times the lower bound.
    pub epsilon: u64,
    /// Whether expanded nodes are recorded in order, for [`BestFirst::closed`].
    pub history: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Self { reopen: false, epsilon: crate::spec::MILLION, history: true }
    }
}

/// Observes a search. The unit type ignores everything and costs nothing.
pub trait Probe {
    /// Called before a node is expanded.
    fn expanded(&mut self, node: u32, known: Node) {
        let _ = (node, known);
    }

    /// Called when a cheaper path to a node was found.
    fn improved(&mut self, successor: Successor) {
        let _ = successor;
    }
}

impl Probe for () {}

/// What a search had proved when it expanded a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// A lower bound of the cost of any path.
    pub lower: Cost,
    /// The cost of the best path known; [`Cost::MAX`] if none is.
    pub upper: Cost,
}

/// The state of a best-first search.
#[derive(Clone, Debug, Default)]
pub struct BestFirst<S, F> {
    store: S,
    open_list: F,
    policy: Policy,
    closed: Vec<u32>,
    expansions: u64,
    incumbent: Option<(Cost, u32)>,
    /// The bounds at each expansion, if the search is traced.
    bounds: Option<Vec<Bounds>>,
}

impl<S: NodeStore, F: OpenList> BestFirst<S, F> {
    /// Returns a search without state; [`begin`](BestFirst::begin) must follow.
    pub fn new(store: S, open_list: F, policy: Policy) -> Self {
        Self { store, open_list, policy, closed: Vec::new(), expansions: 0, incumbent: None, bounds: None }
    }

    /// Sets whether the bounds at each expansion are recorded. It needs [`Policy::history`].
    pub fn set_tracing(&mut self, on: bool) {
        self.bounds = on.then(Vec::new);
    }

    /// Prepares the open list for the `f` values to come: their range, and their common divisor as a shift.
    pub fn set_f_range(&mut self, (range, shift): (Cost, u32)) {
        self.open_list.set_f_range(range, shift);
    }

    /// Starts a new search of a space; [`BestFirst::add_source`] must follow.
    pub fn begin(&mut self, space: &impl Space) {
        self.store.begin(space.nodes());
        self.open_list.clear();
        self.closed.clear();
        self.expansions = 0;
        self.incumbent = None;
        if let Some(bounds) = &mut self.bounds {
            bounds.clear();
        }
    }

    /// Adds a start node with cost `g`.
    pub fn add_source(&mut self, node: u32, g: Cost, heuristic: &mut impl Heuristic) {
        self.relax(Successor { node, g, parent: NO_NODE, tag: 0 }, heuristic, &mut ());
    }

    /// Adds a path that the caller already has, as an upper bound. If the search proves it good enough it returns
    /// [`Status::Incumbent`] with [`NO_NODE`].
    pub fn add_incumbent(&mut self, cost: Cost) {
        if self.incumbent.is_none_or(|(known, _)| cost < known) {
            self.incumbent = Some((cost, NO_NODE));
        }
    }

    /// Expands nodes until a goal is first in the open list, the open list is empty, or `limit` nodes are expanded.
    ///
    /// All calls since [`BestFirst::begin`] must pass the same space and heuristic.
    pub fn resume(
        &mut self,
        space: &mut impl Space,
        heuristic: &mut impl Heuristic,
        is_goal: impl Fn(u32) -> bool,
        limit: u64,
        probe: &mut impl Probe,
    ) -> Status {
        let mut left = limit;
        loop {
            let Some(first) = self.first() else {
                return self.incumbent.map_or(Status::Exhausted, |(_, node)| Status::Incumbent(node));
            };
            if let Some((cost, node)) = self.incumbent
                && u64::from(cost) * crate::spec::MILLION
                    <= u64::from(self.open_list.lower_bound()) * self.policy.epsilon
            {
                return Status::Incumbent(node);
            }
            if is_goal(first.node) {
                return Status::Found(first.node);
            }
            if left == 0 {
                return Status::Paused;
            }
            left -= 1;
            self.open_list.pop_first();
            let known = self.store.update(first.node, |node| {
                node.set_closed(true);
                *node
            });
            let at = Expansion { node: first.node, known };
            self.expansions += 1;
            if self.policy.history {
                self.closed.push(first.node);
                if let Some(bounds) = &mut self.bounds {
                    let inflated = u64::from(self.open_list.lower_bound()) * crate::spec::MILLION;
                    let upper = self.incumbent.map_or(Cost::MAX, |(cost, _)| cost);
                    bounds.push(Bounds { lower: (inflated / heuristic.inflation()) as Cost, upper });
                }
            }
            probe.expanded(at.node, at.known);
            space.expand(at, |successor| self.relax(successor, heuristic, probe));
        }
    }

    /// Returns the entry that would be expanded next.
    #[inline]
    pub fn first(&mut self) -> Option<OpenEntry> {
        let store = &self.store;
        let live = |entry: &OpenEntry| {
            store.get(entry.node).is_some_and(|node| node.g == entry.g && !node.is_closed())
        };
        self.open_list.first(live)
    }

    #[inline]
    fn relax<H: Heuristic>(&mut self, successor: Successor, heuristic: &mut H, probe: &mut impl Probe) {
        let reopen = self.policy.reopen;
        let improved = self.store.update(successor.node, |node| {
            if successor.g >= node.g || (node.is_closed() && !reopen) {
                return None;
            }
            if node.h == UNKNOWN {
                node.h = heuristic.lower(successor.node);
            }
            // A path whose cost does not fit into `Cost` is dropped, so no open list has to handle an overflow.
            if successor.g.checked_add(node.h).is_none_or(|f| f == Cost::MAX) {
                return None;
            }
            node.g = successor.g;
            node.parent = successor.parent;
            node.set_tag(successor.tag);
            node.set_closed(false);
            Some(OpenEntry { node: successor.node, g: node.g, h: node.h })
        });
        let Some(entry) = improved else { return };
        if H::HAS_UPPER
            && let Some(cost) = heuristic.upper(successor.node).and_then(|left| left.checked_add(entry.g))
            && self.incumbent.is_none_or(|(known, _)| cost < known)
        {
            self.incumbent = Some((cost, successor.node));
        }
        probe.improved(successor);
        self.open_list.push(entry, successor.tag);
    }

    /// Returns the state of a node, `None` if the search has not reached it.
    pub fn node(&self, node: u32) -> Option<Node> {
        self.store.get(node).filter(|node| node.g != Cost::MAX)
    }

    /// Returns the previous node on the best path to a node, `None` for a source.
    pub fn parent(&self, node: u32) -> Option<u32> {
        self.node(node).map(|node| node.parent).filter(|&parent| parent != NO_NODE)
    }

    /// Returns the expanded nodes in order; a re-expanded node appears again. Empty without [`Policy::history`].
    pub fn closed(&self) -> &[u32] {
        &self.closed
    }

    /// Returns the bounds at each expansion; empty unless the search is traced.
    pub fn bounds(&self) -> &[Bounds] {
        self.bounds.as_deref().unwrap_or_default()
    }

    /// Returns the number of expansions since [`BestFirst::begin`].
    pub fn expansions(&self) -> u64 {
        self.expansions
    }

    /// Returns a lower bound of the cost to any goal, as of the last [`BestFirst::resume`].
    pub fn lower_bound(&self) -> Cost {
        self.open_list.lower_bound()
    }

    /// Returns the cost of the best path known through an upper bound, and the node from which the heuristic continues
    /// it.
    pub fn incumbent(&self) -> Option<(Cost, u32)> {
        self.incumbent
    }

    /// Returns the bytes held, without the node storage.
    pub fn memory_bytes(&self) -> usize {
        self.open_list.memory_bytes() + self.closed.capacity() * size_of::<u32>()
    }

    /// Returns the open list, to configure it between searches.
    pub fn open_list_mut(&mut self) -> &mut F {
        &mut self.open_list
    }

    /// Returns the node storage.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// Writes the cells of the path to a node, from its source to the node, both included.
    pub fn trace(&self, space: &impl Space, node: u32, cells: &mut Vec<Cell>) {
        // Edges are unpacked in path order, so the reversed chain of parents stays at the start of the buffer
        // meanwhile.
        cells.clear();
        let mut at = node;
        while at != NO_NODE {
            cells.push(Cell(at));
            at = self.store.get(at).map_or(NO_NODE, |node| node.parent);
        }
        cells.reverse();
        let chain = cells.len();
        for i in 1..chain {
            let (parent, node) = (cells[i - 1].0, cells[i].0);
            let tag = self.store.get(node).map_or(0, Node::tag);
            space.unpack(parent, node, tag, cells);
        }
        cells.drain(1..chain);
    }
}
