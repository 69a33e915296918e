//! Node storage for spaces far larger than what a search reaches, such as space-time.
//!
//! Space-time has hundreds of millions of nodes, and a search reaches a few thousand. Nodes are stored in pages of
//! consecutive numbers, allocated on first access. Clearing takes time proportional to the number of pages. The table of
//! pages is memory that the system hands out zeroed, so that only the parts of it that a search reaches are ever touched: a search in a large space
//! begins at once, and a copy is as cheap as what was reached.

use crate::node_store::{Node, NodeStore};
use throng_grid::Cost;

/// Nodes per page.
const PAGE: usize = 32;

/// Pages of consecutive nodes, allocated on first access.
#[derive(Debug, Default)]
pub struct SparseStore {
    /// Number of the page of each group of nodes, from 1; 0 if it is not allocated.
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

impl Clone for SparseStore {
    fn clone(&self) -> Self {
        let mut table = vec![0; self.table.len()];
        for &group in &self.used {
            table[group as usize] = self.table[group as usize];
        }
        Self { table, used: self.used.clone(), nodes: self.nodes.clone() }
    }
}

impl NodeStore for SparseStore {
    fn begin(&mut self, nodes: usize) {
        for group in self.used.drain(..) {
            self.table[group as usize] = 0;
        }
        self.nodes.clear();
        let groups = nodes.div_ceil(PAGE);
        if self.table.len() < groups {
            // Not resized: that would write to all of it.
            self.table = vec![0; groups];
        }
    }

    #[inline]
    fn get(&self, node: u32) -> Option<Node> {
        let page = self.table[node as usize / PAGE].checked_sub(1)?;
        let slot = self.nodes[page as usize * PAGE + node as usize % PAGE];
        (slot.g != Cost::MAX).then_some(slot)
    }

    #[inline]
    fn update<R>(&mut self, node: u32, change: impl FnOnce(&mut Node) -> R) -> R {
        let group = node as usize / PAGE;
        if self.table[group] == 0 {
            self.used.push(group as u32);
            self.table[group] = self.used.len() as u32;
            self.nodes.resize(self.nodes.len() + PAGE, Node::UNSEEN);
        }
        change(&mut self.nodes[(self.table[group] - 1) as usize * PAGE + node as usize % PAGE])
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

    #[test]
    fn a_copy_has_the_nodes_of_its_original_and_goes_on_by_itself() {
        let mut sparse = SparseStore::default();
        sparse.begin(100_000);
        sparse.update(5, |known| known.g = 1);
        sparse.begin(1_000_000);
        for node in [7, 400_000, 999_999] {
            sparse.update(node, |known| known.g = node);
        }
        let mut copy = sparse.clone();
        for node in [5, 7, 400_000, 999_999] {
            assert_eq!(copy.get(node), sparse.get(node));
        }
        copy.update(8, |known| known.g = 2);
        copy.update(500_000, |known| known.g = 3);
        assert_eq!(copy.get(500_000).map(|known| known.g), Some(3));
        assert_eq!((sparse.get(8), sparse.get(500_000)), (None, None));
    }
}
