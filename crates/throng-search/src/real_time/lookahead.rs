//! What follows a search with a bounded number of expansions: learning, and the choice of the open node to go to.
//!
//! RTAA*, daRTAA* and LSS-LRTA* run A* from the agent's cell until it has made a number of expansions or the goal is first in
//! the open list. They differ in these two parts only. Both work on any search loop and any storage of what was learned, so
//! that walks of one agent and planners for crowds share them.

use std::cmp::Reverse;

use throng_grid::{Cell, Cost, Ground, Size};

use super::border::BorderDistances;
use super::increments::{HeuristicWithLearning, Increments, StampedIncrements};
use super::{Walk, WalkTrace, Walker};
use crate::best_first::{BestFirst, Policy};
use crate::heuristic::OctileDistance;
use crate::node_store::{DenseStore, NO_NODE, Node, NodeStore};
use crate::open_list::{Heap, OpenEntry, OpenList};
use crate::space::{Expansion, Space, Successor, for_each_move, useful_among_occupied};
use crate::spec::{Kind, Parameter, Values};

/// The parameter of [`LookaheadRules::expansions`].
pub(crate) const EXPANSIONS: Parameter = Parameter {
    name: "expansions",
    summary: "maximum expansions per search",
    kind: Kind::Integer { min: 1, max: 1_000_000_000, default: 32 },
};

/// The parameter of [`LookaheadRules::moves`].
pub(crate) const MOVES: Parameter = Parameter {
    name: "moves",
    summary: "maximum steps along a path before the agent searches again",
    kind: Kind::Integer { min: 1, max: 1_000_000_000, default: 32 },
};

/// How the estimates of the expanded cells are learned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LearningRule {
    /// RTAA*: `f* - g(n)`, where `f*` is that of the open node that would be expanded next.
    #[default]
    Adaptive,
    /// LSS-LRTA*: the smallest sum of the cost to an open node and its estimate.
    Border,
}

/// The limits and rules of a search with lookahead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LookaheadRules {
    /// Maximum expansions per search.
    pub expansions: u64,
    /// Maximum steps along a path before the next search.
    pub moves: usize,
    /// How estimates are learned.
    pub learning: LearningRule,
    /// Whether the agent goes to the open node whose estimate was raised least.
    pub avoid_depressions: bool,
}

impl LookaheadRules {
    /// Returns rules with the limits of [`EXPANSIONS`] and [`MOVES`].
    pub(crate) fn new(values: &Values, learning: LearningRule, avoid_depressions: bool) -> Self {
        let moves = usize::try_from(values.get("moves")).unwrap_or(usize::MAX);
        Self { expansions: values.get("expansions"), moves, learning, avoid_depressions }
    }
}

/// Calls `visit` with every successor of a node, also those that cannot be part of a cheapest path.
fn all_successors(space: &mut impl Space, node: u32, mut known: Node, visit: impl FnMut(Successor)) {
    // A source has no parent, so none of its moves is pruned.
    known.parent = NO_NODE;
    space.expand(Expansion { node, known }, visit);
}

/// Calls `visit` with each edge from an expanded node to a node that the search has reached: the node, its successor with
/// the cost of the path over the node, and the state of the successor.
pub(super) fn reached_edges<S: NodeStore, F: OpenList>(
    search: &BestFirst<S, F>,
    space: &mut impl Space,
    mut visit: impl FnMut(Expansion, Successor, Node),
) {
    for &node in search.closed() {
        let Some(known) = search.node(node) else { continue };
        all_successors(space, node, known, |next| {
            if let Some(reached) = search.node(next.node) {
                visit(Expansion { node, known }, next, reached);
            }
        });
    }
}

/// Returns the open node whose estimate was raised least. Tie-break: smallest `f`, largest `g`, then the first of the open
/// list, then the order of generation.
pub fn least_raised<S: NodeStore, F: OpenList>(
    search: &BestFirst<S, F>,
    space: &mut impl Space,
    learned: &impl Increments,
    first: OpenEntry,
) -> u32 {
    let rank = |node: u32, f: Cost, g: Cost| (learned.increment(Cell(node)), f, Reverse(g));
    let mut best = (rank(first.node, first.f(), first.g), first.node);
    reached_edges(search, space, |_, next, open| {
        if open.is_closed() {
            return;
        }
        let rank = rank(next.node, open.g.saturating_add(open.h), open.g);
        if rank < best.0 {
            best = (rank, next.node);
        }
    });
    best.1
}

/// Sets the estimate of every closed node to what `estimate` returns, but not below the initial one; `None` keeps it. With
/// `monotone` no estimate falls. Calls `raised` with the cells whose estimates rise, and returns how many would have fallen
/// below their initial estimates.
pub fn learn<S: NodeStore, F: OpenList>(
    search: &BestFirst<S, F>,
    (size, learned): (Size, &mut impl Increments),
    monotone: bool,
    estimate: impl Fn(u32, Node) -> Option<Cost>,
    mut raised: impl FnMut(Cell),
) -> u64 {
    let mut clamped = 0;
    for &number in search.closed() {
        let Some((node, estimate)) =
            search.node(number).and_then(|node| Some((node, estimate(number, node)?)))
        else {
            continue;
        };
        let known = learned.increment(Cell(number));
        let initial = node.h.saturating_sub(known);
        clamped += u64::from(estimate < initial);
        let increment = estimate.saturating_sub(initial);
        if increment > known {
            raised(Cell(number));
        }
        learned.set(size, Cell(number), if monotone { increment.max(known) } else { increment });
    }
    clamped
}

/// The cells of a ground and its legal moves, for searches that may stop anywhere. A move is left out only if a single move of
/// the parent reaches the same cell more cheaply, so that an interrupted search has reached all neighbours of its cells.
#[derive(Clone, Copy, Debug)]
struct LookaheadSpace<'a>(&'a Ground);

impl Space for LookaheadSpace<'_> {
    fn nodes(&self) -> usize {
        self.0.size().area()
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let legal = self.0.moves(Cell(at.node));
        let moves = if self.0.halves().is_empty() { useful_among_occupied(at, legal) } else { legal };
        for_each_move(self.0, at, moves, |successor, _| propose(successor));
    }
}

/// A walk of one agent by searches with lookahead. Keeps its buffers between walks.
#[derive(Clone, Debug)]
pub struct LookaheadWalker {
    rules: LookaheadRules,
    search: BestFirst<DenseStore, Heap>,
    border: BorderDistances,
    learned: StampedIncrements,
    path: Vec<Cell>,
    trace: WalkTrace,
}

impl LookaheadWalker {
    /// Creates a search.
    pub fn new(rules: LookaheadRules) -> Self {
        Self {
            rules,
            search: BestFirst::new(DenseStore::default(), Heap::default(), Policy::default()),
            border: BorderDistances::default(),
            learned: StampedIncrements::default(),
            path: Vec::new(),
            trace: WalkTrace::default(),
        }
    }

    /// Searches from a cell, learns, and writes the path to follow. Returns false if there is none.
    fn look_ahead(&mut self, ground: &Ground, initial: OctileDistance, (at, to): (Cell, Cell)) -> bool {
        let mut space = LookaheadSpace(ground);
        let mut heuristic = HeuristicWithLearning { initial, learned: &self.learned };
        self.search.begin(&space);
        self.search.add_source(at.0, 0, &mut heuristic);
        let limit = self.rules.expansions;
        self.search.resume(&mut space, &mut heuristic, |node| node == to.0, limit, &mut ());
        self.trace.expand(self.search.closed());
        let Some(first) = self.search.first() else { return false };
        let leaves = self.rules.avoid_depressions && first.node != to.0;
        let last =
            if leaves { least_raised(&self.search, &mut space, &self.learned, first) } else { first.node };
        self.search.trace(&space, last, &mut self.path);
        let learned = (ground.size(), &mut self.learned);
        // The increments follow when all are known.
        let raised = |cell| self.trace.raise(cell, 0);
        match self.rules.learning {
            LearningRule::Adaptive => {
                let estimate = |_, node: Node| Some(first.f().saturating_sub(node.g));
                learn(&self.search, learned, false, estimate, raised);
            }
            LearningRule::Border => {
                self.border.compute(&self.search, &mut space);
                learn(&self.search, learned, false, |number, _| self.border.of(number), raised);
            }
        }
        if self.trace.is_on() {
            self.trace.set_increments(|cell| self.learned.increment(cell));
        }
        true
    }
}

impl Walker for LookaheadWalker {
    fn walk(
        &mut self,
        ground: &Ground,
        (from, to): (Cell, Cell),
        max_cost: u64,
        mut visit: impl FnMut(Cell),
    ) -> Walk {
        self.learned.begin(ground.size().area());
        let initial = OctileDistance::to_cell(ground, to);
        let (mut at, mut walk) = (from, Walk::default());
        self.trace.begin(at);
        visit(at);
        while at != to {
            let found = self.look_ahead(ground, initial, (at, to));
            walk.expansions += self.search.expansions();
            if !found {
                return walk;
            }
            for &next in self.path[1..].iter().take(self.rules.moves) {
                walk.step(ground, (at, next));
                at = next;
                self.trace.visit(at);
                visit(at);
                if walk.cost > max_cost {
                    self.trace.end_turn();
                    return walk;
                }
            }
            self.trace.end_turn();
        }
        walk.arrived = true;
        walk
    }

    fn trace(&self) -> &WalkTrace {
        &self.trace
    }

    fn set_tracing(&mut self, on: bool) {
        self.trace.set_on(on);
    }
}
