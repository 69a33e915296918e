//! The one search loop.
//!
//! Best-first search with everything that differs between algorithms passed in: the [`Space`], the
//! [`Heuristic`], the open list ([`OpenList`]), the storage ([`NodeStore`]), which node is a goal, how many expansions
//! may be spent, and a [`Probe`] that watches. A*, Dijkstra's algorithm, weighted A*, focal search, reverse
//! resumable A*, jump point search and the abstract searches are compositions of these.
//!
//! The state is plain data. A search that was paused goes on where it was, and expands the same nodes in the same
//! order as one that was not.

use throng_grid::{Cell, Cost};

use crate::heuristic::Heuristic;
use crate::node_store::{NO_NODE, Node, NodeStore, UNKNOWN};
use crate::open_list::{Entry, OpenList};
use crate::space::{Expansion, Space, Successor};

/// Why [`BestFirst::resume`] came back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// This goal node is next in the open list, where it stays: the way to it is as good as the list promises.
    Found(u32),
    /// The way over this node, completed by the heuristic's own way, is good enough: see [`Policy::epsilon`].
    Incumbent(u32),
    /// Nothing is left to expand.
    Exhausted,
    /// The limit is spent.
    Paused,
}

/// What an algorithm decides once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Policy {
    /// Whether a closed node that is reached more cheaply is expanded again. Not needed with a consistent
    /// heuristic and an open list that pops the smallest `f`.
    pub reopen: bool,
    /// With a heuristic that gives upper bounds: stop when the best way known costs at most this many millionths
    /// of the lower bound.
    pub epsilon: u64,
    /// Whether the nodes expanded are kept in order, for [`BestFirst::closed`].
    pub history: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Self { reopen: false, epsilon: crate::spec::MILLION, history: true }
    }
}

/// Watches a search. The unit type watches nothing and costs nothing.
pub trait Probe {
    /// A node is being expanded.
    fn expanded(&mut self, node: u32, known: Node) {
        let _ = (node, known);
    }

    /// A better way to a node was found.
    fn improved(&mut self, successor: Successor) {
        let _ = successor;
    }
}

impl Probe for () {}

/// The state of a best-first search.
#[derive(Clone, Debug, Default)]
pub struct BestFirst<S, F> {
    store: S,
    open_list: F,
    policy: Policy,
    closed: Vec<u32>,
    expansions: u64,
    incumbent: Option<(Cost, u32)>,
}

impl<S: NodeStore, F: OpenList> BestFirst<S, F> {
    /// A search that has yet to [`begin`](BestFirst::begin).
    pub fn new(store: S, open_list: F, policy: Policy) -> Self {
        Self { store, open_list, policy, closed: Vec::new(), expansions: 0, incumbent: None }
    }

    /// Tells the open list what `f` to expect: their range, and their common divisor as a shift.
    pub fn set_f_range(&mut self, (range, shift): (Cost, u32)) {
        self.open_list.set_f_range(range, shift);
    }

    /// Forgets everything and makes room for a space; [`BestFirst::add_source`] must follow.
    pub fn begin(&mut self, space: &impl Space) {
        self.store.begin(space.nodes());
        self.open_list.clear();
        self.closed.clear();
        self.expansions = 0;
        self.incumbent = None;
    }

    /// Adds a node to start from, reached at cost `g`.
    pub fn add_source(&mut self, node: u32, g: Cost, heuristic: &mut impl Heuristic) {
        self.relax(Successor { node, g, parent: NO_NODE, tag: 0 }, heuristic, &mut ());
    }

    /// Tells that a way of this cost is known from elsewhere. When no better one is needed, [`Status::Incumbent`] names
    /// [`NO_NODE`].
    pub fn add_incumbent(&mut self, cost: Cost) {
        if self.incumbent.is_none_or(|(known, _)| cost < known) {
            self.incumbent = Some((cost, NO_NODE));
        }
    }

    /// Expands nodes until a goal is next, nothing is left, or `limit` nodes have been expanded.
    ///
    /// Space and heuristic must be the same as in earlier calls since [`BestFirst::begin`].
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
            }
            probe.expanded(at.node, at.known);
            space.expand(at, |successor| self.relax(successor, heuristic, probe));
        }
    }

    /// The node that would be expanded next.
    #[inline]
    pub fn first(&mut self) -> Option<Entry> {
        let store = &self.store;
        let live =
            |entry: &Entry| store.get(entry.node).is_some_and(|node| node.g == entry.g && !node.is_closed());
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
            // A way that is longer than costs can count is no way; so no open list meets an overflow.
            if successor.g.checked_add(node.h).is_none_or(|f| f == Cost::MAX) {
                return None;
            }
            node.g = successor.g;
            node.parent = successor.parent;
            node.set_tag(successor.tag);
            node.set_closed(false);
            Some(Entry { node: successor.node, g: node.g, h: node.h })
        });
        let Some(entry) = improved else { return };
        if H::HAS_UPPER
            && let Some(cost) = heuristic.upper(successor.node).and_then(|left| left.checked_add(entry.g))
            && self.incumbent.is_none_or(|(known, _)| cost < known)
        {
            self.incumbent = Some((cost, successor.node));
        }
        probe.improved(successor);
        self.open_list.push_tagged(entry, successor.tag);
    }

    /// What is known of a node.
    pub fn node(&self, node: u32) -> Option<Node> {
        self.store.get(node).filter(|node| node.g != Cost::MAX)
    }

    /// The nodes that were expanded, in order; one that was expanded again appears again. None without
    /// [`Policy::history`].
    pub fn closed(&self) -> &[u32] {
        &self.closed
    }

    /// Number of expansions so far.
    pub fn expansions(&self) -> u64 {
        self.expansions
    }

    /// A lower bound of the cost to any goal, as of the last pause.
    pub fn lower_bound(&self) -> Cost {
        self.open_list.lower_bound()
    }

    /// Cost of the best way known through an upper bound of the heuristic, and the node where it begins.
    pub fn incumbent(&self) -> Option<(Cost, u32)> {
        self.incumbent
    }

    /// Bytes held besides the storage.
    pub fn memory_bytes(&self) -> usize {
        self.open_list.memory_bytes() + self.closed.capacity() * size_of::<u32>()
    }

    /// The storage.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// Writes the cells of the way to a node, from its source to it, both included.
    pub fn trace(&self, space: &impl Space, node: u32, cells: &mut Vec<Cell>) {
        // Edges are unpacked forwards, so the chain of parents is kept at the end of the buffer meanwhile.
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
