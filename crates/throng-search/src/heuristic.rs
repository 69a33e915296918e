//! Heuristics: bounds of the remaining cost to the goal.

use throng_grid::{Cell, Cost, Ground, Pos, Size};

/// Bounds of the cost from a node to the goal. Methods take `&mut self`, so that a heuristic can learn or cache.
pub trait Heuristic {
    /// Whether [`Heuristic::upper`] ever returns a bound.
    const HAS_UPPER: bool = false;

    /// Returns a lower bound of the cost from a node to the goal.
    fn lower(&mut self, node: u32) -> Cost;

    /// Returns the cost of a known path from a node to the goal, if there is one.
    fn upper(&mut self, node: u32) -> Option<Cost> {
        let _ = node;
        None
    }

    /// Returns the factor in millionths by which [`Heuristic::lower`] may exceed a lower bound.
    fn inflation(&self) -> u64 {
        crate::spec::MILLION
    }
}

/// The zero heuristic: best-first search becomes Dijkstra's algorithm.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blind;

impl Heuristic for Blind {
    #[inline]
    fn lower(&mut self, _: u32) -> Cost {
        0
    }
}

/// The cost on an empty map of the cheapest terrain to a cell, or to the nearest cell of a rectangle: octile distance
/// with eight directions, Manhattan distance with four. Consistent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OctileDistance {
    size: Size,
    min: Pos,
    max: Pos,
    /// Cost per cell of the longer coordinate difference.
    long: Cost,
    /// Additional cost per cell of the shorter coordinate difference.
    short: Cost,
}

impl OctileDistance {
    /// Returns the distance to a cell.
    pub fn to_cell(ground: &Ground, cell: Cell) -> Self {
        let pos = ground.pos(cell);
        Self::to_rect(ground, pos, pos)
    }

    /// Returns the distance to the nearest cell of the rectangle between two corners, both included.
    pub fn to_rect(ground: &Ground, min: Pos, max: Pos) -> Self {
        let [straight, diagonal] = ground.profile().min_step_costs();
        let short = if ground.rules().four_way { straight } else { diagonal - straight };
        Self { size: ground.size(), min, max, long: straight, short }
    }

    /// Returns the distance from a position.
    #[inline]
    pub(crate) fn at(&self, pos: Pos) -> Cost {
        // Distances on a map of at most `MAX_CELLS` do not wrap.
        let dx = self.min.x.wrapping_sub(pos.x).max(pos.x.wrapping_sub(self.max.x)).max(0) as u32;
        let dy = self.min.y.wrapping_sub(pos.y).max(pos.y.wrapping_sub(self.max.y)).max(0) as u32;
        dx.max(dy).wrapping_mul(self.long).wrapping_add(dx.min(dy).wrapping_mul(self.short))
    }
}

impl Heuristic for OctileDistance {
    #[inline]
    fn lower(&mut self, node: u32) -> Cost {
        self.at(self.size.pos(Cell(node)))
    }
}

/// Another heuristic times a factor, for weighted A*.
#[derive(Clone, Copy, Debug)]
pub struct Weighted<H> {
    /// The unweighted heuristic.
    pub inner: H,
    /// The factor in millionths, at least one million.
    pub millionths: u64,
    /// The product is rounded down to a multiple of `1 << shift`. If all costs are such multiples, the result is not
    /// below the unweighted bound, and a bucket queue needs fewer buckets.
    pub shift: u32,
}

impl<H: Heuristic> Heuristic for Weighted<H> {
    const HAS_UPPER: bool = H::HAS_UPPER;

    #[inline]
    fn lower(&mut self, node: u32) -> Cost {
        let plain = self.inner.lower(node);
        if plain == Cost::MAX {
            // `Cost::MAX` means that there is no path, at any weight.
            return plain;
        }
        let scaled = u64::from(plain) * self.millionths / crate::spec::MILLION;
        Cost::try_from(scaled).unwrap_or(Cost::MAX - 1) >> self.shift << self.shift
    }

    fn upper(&mut self, node: u32) -> Option<Cost> {
        self.inner.upper(node)
    }

    fn inflation(&self) -> u64 {
        self.millionths
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the same bound for every node.
    struct Constant(Cost);

    impl Heuristic for Constant {
        fn lower(&mut self, _: u32) -> Cost {
            self.0
        }
    }

    #[test]
    fn a_rounded_weighted_bound_lies_between_the_bound_and_its_product() {
        for bound in (0..20_000).step_by(8).chain([u32::MAX / 8 * 8]) {
            for millionths in [1_000_000, 1_001_000, 1_100_000, 99_000_000] {
                let found = Weighted { inner: Constant(bound), millionths, shift: 3 }.lower(0);
                let max = u64::from(bound) * millionths / crate::spec::MILLION;
                assert_eq!(found % 8, 0);
                assert!(found >= bound && u64::from(found) <= max, "{bound} times {millionths}: {found}");
            }
        }
        assert_eq!(
            Weighted { inner: Constant(Cost::MAX), millionths: 2_000_000, shift: 3 }.lower(0),
            Cost::MAX
        );
    }
}
