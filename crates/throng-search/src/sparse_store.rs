//! Node storage for spaces far larger than what a search reaches, such as space-time.
//!
//! Space-time has hundreds of millions of nodes, and a search reaches a few thousand. Nodes are stored in pages of
//! consecutive numbers, allocated on first access. Clearing takes time proportional to the number of pages.

use crate::node_store::{NO_NODE, Node, NodeStore};
use throng_grid::Cost;

/// Nodes per page.
const PAGE: usize = 32;

/// Pages of consecutive nodes, allocated on first access.
#[derive(Clone, Debug, Default)]
pub struct SparseStore {
    /// Number of the page of each group of nodes; [`NO_NODE`] if it is not allocated.
    table: Vec<u32>,
    /// The groups that have a page.
    used: Vec<u32>,
    nodes: Vec<Node>,
}

impl SparseStore {
    /// Returns the bytes held.
    pub fn memory_bytes(&self) -> usize {
        (self.table.capacity() + self.used.capacity()) * size_of::<u32>()
            + self.nodes.capacity() * size_of::<Node>()
    }
}

impl NodeStore for SparseStore {
    fn begin(&mut self, nodes: usize) {
        for group in self.used.drain(..) {
            self.table[group as usize] = NO_NODE;
        }
        self.nodes.clear();
        let groups = nodes.div_ceil(PAGE);
        if self.table.len() < groups {
            self.table.resize(groups, NO_NODE);
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
        let group = node as usize / PAGE;
        if self.table[group] == NO_NODE {
            self.table[group] = self.used.len() as u32;
            self.used.push(group as u32);
            self.nodes.resize(self.nodes.len() + PAGE, Node::UNSEEN);
        }
        change(&mut self.nodes[self.table[group] as usize * PAGE + node as usize % PAGE])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_empty_after_begin_and_every_node_has_its_own_state() {
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
