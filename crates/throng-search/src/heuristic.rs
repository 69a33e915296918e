//! Estimates of what is left to the goal.

use throng_grid::{Cell, Cost, Ground, Pos, Size};

/// Bounds of the cost from a node to the goal. `&mut`, so that a heuristic may learn or cache.
pub trait Heuristic {
    /// Whether [`Heuristic::upper`] is worth asking.
    const HAS_UPPER: bool = false;

    /// A lower bound of the cost from a node to the goal.
    fn lower(&mut self, node: u32) -> Cost;

    /// The cost of some known way from a node to the goal, if there is one.
    fn upper(&mut self, node: u32) -> Option<Cost> {
        let _ = node;
        None
    }
}

/// No estimate: best-first search becomes Dijkstra's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Blind;

impl Heuristic for Blind {
    #[inline]
    fn lower(&mut self, _: u32) -> Cost {
        0
    }
}

/// The cost on an empty map of the cheapest terrain, to a cell or to the nearest cell of a rectangle: octile
/// distance with eight directions, Manhattan distance with four. Consistent.
#[derive(Clone, Copy, Debug)]
pub struct OctileDistance {
    size: Size,
    min: Pos,
    max: Pos,
    /// Cost for each column or row of the longer side, and what the shorter side adds.
    long: Cost,
    short: Cost,
}

impl OctileDistance {
    /// Distance to a cell.
    pub fn to_cell(ground: &Ground, cell: Cell) -> Self {
        let pos = ground.pos(cell);
        Self::to_rect(ground, pos, pos)
    }

    /// Distance to the nearest cell between two corners.
    pub fn to_rect(ground: &Ground, min: Pos, max: Pos) -> Self {
        let [straight, diagonal] = ground.profile().min_step_costs();
        let short = if ground.rules().four_way { straight } else { diagonal - straight };
        Self { size: ground.size(), min, max, long: straight, short }
    }
}

impl Heuristic for OctileDistance {
    #[inline]
    fn lower(&mut self, node: u32) -> Cost {
        let pos = self.size.pos(Cell(node));
        let dx = (self.min.x - pos.x).max(pos.x - self.max.x).max(0) as u32;
        let dy = (self.min.y - pos.y).max(pos.y - self.max.y).max(0) as u32;
        dx.max(dy) * self.long + dx.min(dy) * self.short
    }
}

/// Another heuristic times a factor in parts per million: weighted A*.
#[derive(Clone, Copy, Debug)]
pub struct Weighted<H> {
    /// What is weighted.
    pub inner: H,
    /// The factor in parts per million.
    pub millionths: u64,
    /// What comes out is rounded down to a multiple of `1 << shift`. Where all costs are such multiples it is no less than
    /// what is weighted, so it proves as much, and open lists need fewer places.
    pub shift: u32,
}

impl<H: Heuristic> Heuristic for Weighted<H> {
    const HAS_UPPER: bool = H::HAS_UPPER;

    #[inline]
    fn lower(&mut self, node: u32) -> Cost {
        let plain = self.inner.lower(node);
        if plain == Cost::MAX {
            // No way is no way at any weight.
            return plain;
        }
        let scaled = u64::from(plain) * self.millionths / crate::spec::MILLION;
        Cost::try_from(scaled).unwrap_or(Cost::MAX - 1) >> self.shift << self.shift
    }

    fn upper(&mut self, node: u32) -> Option<Cost> {
        self.inner.upper(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So much is left from every node.
    struct Left(Cost);

    impl Heuristic for Left {
        fn lower(&mut self, _: u32) -> Cost {
            self.0
        }
    }

    /// Rounded down to what costs are multiples of, a weighted bound is between the bound and so many times as much.
    #[test]
    fn weighted_bounds_are_as_coarse_as_costs() {
        for left in (0..20_000).step_by(8).chain([u32::MAX / 8 * 8]) {
            for millionths in [1_000_000, 1_001_000, 1_100_000, 99_000_000] {
                let found = Weighted { inner: Left(left), millionths, shift: 3 }.lower(0);
                let most = u64::from(left) * millionths / crate::spec::MILLION;
                assert_eq!(found % 8, 0);
                assert!(found >= left && u64::from(found) <= most, "{left} times {millionths}: {found}");
            }
        }
        assert_eq!(Weighted { inner: Left(Cost::MAX), millionths: 2_000_000, shift: 3 }.lower(0), Cost::MAX);
    }
}
