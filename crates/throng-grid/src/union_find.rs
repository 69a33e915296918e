//! Disjoint sets of numbers (union-find) with path halving.
//!
//! Reference: R. E. Tarjan, J. van Leeuwen, "Worst-case Analysis of Set Union Algorithms", Journal of the ACM 31(2),
//! 1984. Sets are linked by index instead of by rank: the root of a set is its smallest number, which callers rely on.

/// A partition of the numbers `0..count` into disjoint sets.
pub(crate) struct UnionFind {
    /// The parent of each number. A root is its own parent; every other parent is smaller than its child.
    parent: Vec<u32>,
}

impl UnionFind {
    /// Returns `count` sets of one number each.
    pub(crate) fn new(count: usize) -> Self {
        Self { parent: (0..count as u32).collect() }
    }

    /// Returns the smallest number of the set that contains `number`.
    pub(crate) fn root(&mut self, number: usize) -> usize {
        let mut at = number;
        while self.parent[at] as usize != at {
            self.parent[at] = self.parent[self.parent[at] as usize];
            at = self.parent[at] as usize;
        }
        at
    }

    /// Merges the sets of two numbers. Returns false if they were in the same set.
    pub(crate) fn union(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b) as u32;
        a != b
    }

    /// Returns the label of a number's set, given the labels of all smaller numbers. A new set gets the next label, and
    /// 0 is appended to `sizes`, which has one entry per label.
    pub(crate) fn label(&self, number: usize, labels: &[u32], sizes: &mut Vec<u32>) -> u32 {
        let parent = self.parent[number] as usize;
        if parent != number {
            return labels[parent];
        }
        sizes.push(0);
        sizes.len() as u32 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_the_smallest_number_of_a_set() {
        let mut sets = UnionFind::new(7);
        assert!(sets.union(5, 3) && sets.union(3, 6) && sets.union(1, 4));
        assert!(!sets.union(6, 5));
        let roots: Vec<usize> = (0..7).map(|number| sets.root(number)).collect();
        assert_eq!(roots, [0, 1, 2, 3, 1, 3, 3]);
    }
}
