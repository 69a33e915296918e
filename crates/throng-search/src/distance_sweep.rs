//! Distance sweep: Dijkstra's algorithm on graphs of some thousand nodes of which only the distances are wanted.
//!
//! Nodes wait in buckets by distance (R. B. Dial, *Algorithm 360: Shortest-Path Forest with Topological Ordering*,
//! Communications of the ACM 12, 1969). A bucket is not wider than the cheapest edge, so its nodes cannot improve each
//! other, and their order does not matter. A sweep has no parents, no heuristic and no pause: it takes a few nanoseconds
//! per edge, where [`BestFirst`](crate::BestFirst) pays for all of these.

/// The distance of a node that a sweep has not reached.
pub const UNREACHED: u32 = u32::MAX;

/// The number of bits of an entry that are the tag of its edge.
const TAG_BITS: u32 = 4;

/// A graph whose distances are wanted.
pub trait SweepGraph {
    /// Calls `relax` with every edge out of a node: the node at its other end, the distance of that node over this edge,
    /// and a tag below 16. `tag` is that of the edge by which the node was reached.
    fn expand(&self, node: u32, tag: u32, distance: u32, relax: impl FnMut(u32, u32, u32));
}

/// The buckets of a sweep, reused from sweep to sweep.
#[derive(Clone, Debug, Default)]
pub struct DistanceSweep {
    /// A ring. An entry is a node and the tag of the edge that reached it.
    buckets: Vec<Vec<u32>>,
    current: Vec<u32>,
}

impl DistanceSweep {
    /// Computes the distances of all nodes from a source, whose edges have a cost in the given range. `distances` has a
    /// value for each node. Returns the number of expansions.
    ///
    /// # Panics
    /// If an edge may cost nothing.
    pub fn run(
        &mut self,
        graph: &impl SweepGraph,
        (least, most): (u32, u32),
        (source, tag): (u32, u32),
        distances: &mut [u32],
    ) -> u64 {
        assert!(least > 0, "every edge costs something");
        let shift = least.ilog2();
        let ring = ((most >> shift) as usize + 2).next_power_of_two();
        if self.buckets.len() < ring {
            self.buckets.resize_with(ring, Vec::new);
        }
        let mask = self.buckets.len() - 1;
        distances.fill(UNREACHED);
        distances[source as usize] = 0;
        self.buckets[0].push(source << TAG_BITS | tag);
        let (mut waiting, mut bucket, mut expansions) = (1, 0_u32, 0);
        while waiting > 0 {
            std::mem::swap(&mut self.current, &mut self.buckets[bucket as usize & mask]);
            waiting -= self.current.len();
            let buckets = &mut self.buckets;
            for &entry in &self.current {
                let node = entry >> TAG_BITS;
                let here = distances[node as usize];
                // A node that was reached by a cheaper edge since was expanded in an earlier bucket.
                if here.wrapping_shr(shift) != bucket {
                    continue;
                }
                expansions = u64::wrapping_add(expansions, 1);
                graph.expand(node, entry & ((1 << TAG_BITS) - 1), here, |to, distance, tag| {
                    let known = &mut distances[to as usize];
                    if distance < *known {
                        *known = distance;
                        buckets[distance.wrapping_shr(shift) as usize & mask].push(to << TAG_BITS | tag);
                        waiting = usize::wrapping_add(waiting, 1);
                    }
                });
            }
            self.current.clear();
            bucket += 1;
        }
        expansions
    }

    /// Returns the bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.buckets.iter().map(|bucket| bucket.capacity() * size_of::<u32>()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_grid::SeededRng;

    struct Edges(Vec<Vec<(u32, u32)>>);

    impl SweepGraph for Edges {
        fn expand(&self, node: u32, _: u32, distance: u32, mut relax: impl FnMut(u32, u32, u32)) {
            self.0[node as usize].iter().for_each(|&(to, cost)| relax(to, distance + cost, 0));
        }
    }

    #[test]
    fn distances_are_those_of_repeated_relaxation() {
        let (mut rng, mut sweep, mut unreached) = (SeededRng::new(3), DistanceSweep::default(), 0);
        for round in 0..200 {
            let nodes = 2 + rng.below(30);
            let least = 1 + rng.below(20);
            let mut edges = vec![Vec::new(); nodes as usize];
            for _ in 0..nodes * (1 + round % 3) {
                edges[rng.below(nodes) as usize].push((rng.below(nodes), least + rng.below(100)));
            }
            let graph = Edges(edges);
            let mut found = vec![0; nodes as usize];
            let expansions = sweep.run(&graph, (least, least + 99), (0, 0), &mut found);
            let mut slow = vec![UNREACHED; nodes as usize];
            slow[0] = 0;
            for _ in 0..nodes {
                for from in 0..nodes as usize {
                    for &(to, cost) in &graph.0[from] {
                        slow[to as usize] = slow[to as usize].min(slow[from].saturating_add(cost));
                    }
                }
            }
            assert_eq!(found, slow);
            assert!(expansions >= slow.iter().filter(|&&distance| distance != UNREACHED).count() as u64);
            unreached += slow.iter().filter(|&&distance| distance == UNREACHED).count();
        }
        assert!(unreached > 100);
    }
}
