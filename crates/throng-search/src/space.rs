//! What is searched: nodes, the edges out of them, and what an edge stands for.

use throng_grid::{Cell, Cost, Direction, Ground};

use crate::store::Node;

/// A node about to be expanded, with what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct Expansion {
    /// The node.
    pub node: u32,
    /// Cost, parent and tag of the best way to it.
    pub known: Node,
}

/// A way to a node, as a [`Space`] proposes it. It names its own parent, which need not be the node that is being
/// expanded, and a tag that comes back when the node is expanded and when the path is unpacked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Successor {
    /// The node reached.
    pub node: u32,
    /// Cost of the whole way to it, from the source.
    pub g: Cost,
    /// The node it is reached from.
    pub parent: u32,
    /// Anything the space wants to remember about the edge.
    pub tag: u8,
}

/// A graph given by its successor function.
pub trait Space {
    /// Number of nodes; they are numbered `0..nodes()`.
    fn nodes(&self) -> usize;

    /// Proposes every successor of a node, in a fixed order.
    fn expand(&mut self, at: Expansion, propose: impl FnMut(Successor));

    /// Appends the cells of the edge from `parent` to `node`, without the first and with the last.
    fn unpack(&self, parent: u32, node: u32, tag: u8, cells: &mut Vec<Cell>) {
        let _ = (parent, tag);
        cells.push(Cell(node));
    }
}

/// The cells of a ground and its legal moves. The tag is the number of the direction moved.
#[derive(Clone, Copy, Debug)]
pub struct GridSpace<'a> {
    ground: &'a Ground,
    /// Cost of a straight and of a diagonal move where all cells cost the same.
    costs: [Cost; 2],
}

impl<'a> GridSpace<'a> {
    /// The moves on a ground.
    pub fn new(ground: &'a Ground) -> Self {
        let both = 2 * Cost::from(ground.profile().least_halves());
        let costs = [Direction::North, Direction::NorthEast].map(|direction| both * (direction.cost() / 4));
        Self { ground, costs }
    }
}

impl Space for GridSpace<'_> {
    fn nodes(&self) -> usize {
        self.ground.size().area()
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let mut moves = self.ground.moves(Cell(at.node));
        let uniform = self.ground.halves().is_empty();
        while moves != 0 {
            let number = moves.trailing_zeros();
            moves &= moves - 1;
            let node = at.node.wrapping_add_signed(self.ground.offsets()[number as usize]);
            let cost = if uniform {
                self.costs[number as usize & 1]
            } else {
                self.ground.cost(Cell(at.node), Direction::from_number(number as u8))
            };
            let g = at.known.g.saturating_add(cost);
            propose(Successor { node, g, parent: at.node, tag: number as u8 });
        }
    }
}
