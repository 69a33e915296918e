//! The learning rule of LSS-LRTA*: the distances of the expanded cells over the border of the searched region.
//!
//! Every path to the goal leaves the expanded cells over an open one. So the estimate of an expanded cell becomes the smallest
//! sum of the cost to an open cell and that cell's estimate. Dijkstra's algorithm computes these sums from the open cells
//! inwards, with the search loop.

use throng_grid::Cost;

use super::lookahead::reached_edges;
use crate::best_first::BestFirst;
use crate::heuristic::Blind;
use crate::node_store::NodeStore;
use crate::open_list::{Heap, OpenList};
use crate::space::{Expansion, Space, Successor};
use crate::sparse_store::SparseStore;

/// An edge of the searched region, stored at its end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct ReverseEdge {
    /// The end, open or expanded.
    to: u32,
    /// The expanded node at the start.
    from: u32,
    cost: Cost,
}

/// The edges of a searched region, followed backwards.
struct ReverseSpace<'a> {
    nodes: usize,
    /// In ascending order.
    edges: &'a [ReverseEdge],
}

impl Space for ReverseSpace<'_> {
    fn nodes(&self) -> usize {
        self.nodes
    }

    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let first = self.edges.partition_point(|edge| edge.to < at.node);
        for edge in self.edges[first..].iter().take_while(|edge| edge.to == at.node) {
            let g = at.known.g.saturating_add(edge.cost);
            propose(Successor { node: edge.from, g, parent: at.node, tag: 0 });
        }
    }
}

/// The estimates of the cells that a search has expanded, computed from those of its open cells.
#[derive(Clone, Debug, Default)]
pub struct BorderDistances {
    search: BestFirst<SparseStore, Heap>,
    edges: Vec<ReverseEdge>,
    /// The open nodes and their estimates.
    border: Vec<(u32, Cost)>,
}

impl BorderDistances {
    /// Computes the estimates for a search that has stopped. The space must be that of the search.
    pub fn compute<S: NodeStore, F: OpenList>(&mut self, search: &BestFirst<S, F>, space: &mut impl Space) {
        self.edges.clear();
        self.border.clear();
        reached_edges(search, space, |at, next, reached| {
            self.edges.push(ReverseEdge { to: next.node, from: at.node, cost: next.g - at.known.g });
            if !reached.is_closed() {
                self.border.push((next.node, reached.h));
            }
        });
        self.edges.sort_unstable();
        let mut inwards = ReverseSpace { nodes: space.nodes(), edges: &self.edges };
        self.search.begin(&inwards);
        for &(node, estimate) in &self.border {
            self.search.add_source(node, estimate, &mut Blind);
        }
        self.search.resume(&mut inwards, &mut Blind, |_| false, u64::MAX, &mut ());
    }

    /// Returns the estimate of a cell; `None` if no open cell can be reached from it.
    pub fn of(&self, node: u32) -> Option<Cost> {
        self.search.node(node).map(|node| node.g)
    }

    /// Returns the bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.search.store().memory_bytes()
            + self.search.memory_bytes()
            + self.edges.capacity() * size_of::<ReverseEdge>()
            + self.border.capacity() * size_of::<(u32, Cost)>()
    }
}
