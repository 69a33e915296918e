//! Storage for one search after the other over a space far larger than what any of them touches.
//!
//! Nodes are numbered in time and space, so there are hundreds of millions of them, of which a search touches a few
//! thousand: pages of consecutive nodes, made on first touch and forgotten in time proportional to their number.

use crate::node_store::{NO_NODE, Node, NodeStore};
use throng_grid::Cost;

const PAGE: usize = 32;

/// PagedCells of consecutive nodes, made on first touch.
#[derive(Clone, Debug, Default)]
pub struct SparseStore {
    /// Which page holds a run of nodes; [`NO_NODE`] when none does.
    table: Vec<u32>,
    /// The entries of the table that are in use.
    used: Vec<u32>,
    nodes: Vec<Node>,
}

impl SparseStore {
    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        (self.table.capacity() + self.used.capacity()) * size_of::<u32>()
            + self.nodes.capacity() * size_of::<Node>()
    }
}

impl NodeStore for SparseStore {
    fn begin(&mut self, nodes: usize) {
        for run in self.used.drain(..) {
            self.table[run as usize] = NO_NODE;
        }
        self.nodes.clear();
        let runs = nodes.div_ceil(PAGE);
        if self.table.len() < runs {
            self.table.resize(runs, NO_NODE);
        }
    }

    #[inline]
    fn get(&self, node: u32) -> Option<Node> {
        let page = self.table[node as usize / PAGE];
        if page == NO_NODE {
            return None;
        }
        let slot = self.nodes[page as usize * PAGE + node as usize % PAGE];
        (slot.g != Cost::MAX).then_some(slot)
    }

    #[inline]
    fn update<R>(&mut self, node: u32, change: impl FnOnce(&mut Node) -> R) -> R {
        let run = node as usize / PAGE;
        if self.table[run] == NO_NODE {
            self.table[run] = self.used.len() as u32;
            self.used.push(run as u32);
            self.nodes.resize(self.nodes.len() + PAGE, Node::UNSEEN);
        }
        change(&mut self.nodes[self.table[run] as usize * PAGE + node as usize % PAGE])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_forgets_at_each_beginning_and_keeps_nodes_apart() {
        let mut sparse = SparseStore::default();
        for round in 0..3 {
            sparse.begin(1_000_000);
            for node in (round..1_000_000).step_by(77_777) {
                assert_eq!(sparse.get(node), None);
                sparse.update(node, |known| known.g = node + round);
            }
            for node in (round..1_000_000).step_by(77_777) {
                assert_eq!(sparse.get(node).map(|known| known.g), Some(node + round));
                assert_eq!(sparse.get(node + 1), None);
            }
        }
        assert!(sparse.nodes.len() <= 13 * PAGE);
    }
}
