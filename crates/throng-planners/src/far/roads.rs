//! What FAR's searches see of the map: the one-way streets, or every move, without the cells to be kept clear of.

use throng_crowd::Flow;
use throng_grid::{Cell, Ground, directions};
use throng_search::{Expansion, Space, Successor};

/// The moves that a path may be made of.
pub(super) struct Roads<'a> {
    pub(super) ground: &'a Ground,
    /// One-way streets; every legal move without them.
    pub(super) flow: Option<&'a Flow>,
    /// Cells to keep clear of, in order.
    pub(super) avoid: &'a [Cell],
}

impl Space for Roads<'_> {
    fn nodes(&self) -> usize {
        self.ground.size().area()
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let cell = Cell(at.node);
        let moves = self.flow.map_or_else(|| self.ground.moves(cell), |flow| flow.moves(cell));
        for direction in directions(moves) {
            let to = self.ground.step(cell, direction);
            if !self.avoid.is_empty() && self.avoid.binary_search(&to).is_ok() {
                continue;
            }
            let g = at.known.g.saturating_add(self.ground.cost(cell, direction));
            propose(Successor { node: to.0, g, parent: at.node, tag: direction.number() });
        }
    }
}
