//! The cells of one cluster and the moves that stay inside it, numbered from its upper left corner.
//!
//! A cluster has about a hundred cells; with numbers of their own, their search nodes fit into the first-level cache.

use throng_grid::{Cell, Direction, DirectionSet, Ground, Pos};

use crate::space::{Expansion, Space, Successor};

/// A search space whose nodes are cells of the map, numbered differently.
pub(super) trait CellSpace: Space {
    /// Returns the node of a cell.
    fn node_of(&self, cell: Cell) -> u32;

    /// Returns the cell of a node.
    fn cell_of(&self, node: u32) -> Cell;
}

/// Directions that lead up, right, down and left.
const SIDES: [DirectionSet; 4] = [
    Direction::NorthWest.bit() | Direction::North.bit() | Direction::NorthEast.bit(),
    Direction::NorthEast.bit() | Direction::East.bit() | Direction::SouthEast.bit(),
    Direction::SouthEast.bit() | Direction::South.bit() | Direction::SouthWest.bit(),
    Direction::SouthWest.bit() | Direction::West.bit() | Direction::NorthWest.bit(),
];

/// A rectangle of a ground. The tag is the number of the move's direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClusterSpace<'a> {
    ground: &'a Ground,
    min: Pos,
    width: u32,
    height: u32,
}

impl<'a> ClusterSpace<'a> {
    /// Returns the cells between two corners, both included.
    pub(super) fn new(ground: &'a Ground, (min, max): (Pos, Pos)) -> Self {
        Self { ground, min, width: (max.x - min.x + 1) as u32, height: (max.y - min.y + 1) as u32 }
    }
}

impl CellSpace for ClusterSpace<'_> {
    #[inline]
    fn node_of(&self, cell: Cell) -> u32 {
        let pos = self.ground.pos(cell);
        (pos.y - self.min.y) as u32 * self.width + (pos.x - self.min.x) as u32
    }

    #[inline]
    fn cell_of(&self, node: u32) -> Cell {
        let (x, y) = (node % self.width, node / self.width);
        Cell((self.min.y as u32 + y) * self.ground.size().width() + self.min.x as u32 + x)
    }
}

impl Space for ClusterSpace<'_> {
    fn nodes(&self) -> usize {
        (self.width * self.height) as usize
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let (x, y) = (at.node % self.width, at.node / self.width);
        let cell = self.cell_of(at.node);
        let outside = [y == 0, x + 1 == self.width, y + 1 == self.height, x == 0];
        let mut moves = self.ground.moves(cell);
        for (side, is_outside) in SIDES.into_iter().zip(outside) {
            if is_outside {
                moves &= !side;
            }
        }
        for direction in throng_grid::directions(moves) {
            let offset = direction.dy() * self.width as i32 + direction.dx();
            let g = at.known.g.saturating_add(self.ground.cost(cell, direction));
            let node = at.node.wrapping_add_signed(offset);
            propose(Successor { node, g, parent: at.node, tag: direction.number() });
        }
    }
}
