//! What is searched: nodes, the edges out of them, and what an edge stands for.

use throng_grid::{Cell, Cost, Direction, DirectionSet, Ground};

use crate::node_store::{NO_NODE, Node};

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

/// For the direction in which a cell was reached (8: it is a source) and its legal moves: those of them that may lead
/// anywhere more cheaply than a way around the cell does, wherever all cells cost the same.
///
/// Going on backwards (4), back and aside (3, 5), or aside (2, 6) where back and aside is legal too, is always dearer
/// than another way from the cell's own parent. After a diagonal move, that way aside takes the parent two moves: where
/// cells are `held` against the ground's moves, the one between may be, and only single moves count.
pub const fn useful_moves(held: bool) -> [[DirectionSet; 256]; 9] {
    let mut table = [[0; 256]; 9];
    let mut moves = 0;
    while moves < 256 {
        let mut came = 0;
        while came < 8 {
            let ring = (moves as u8).rotate_right(came);
            let mut useful = ring & !0b0011_1000;
            let around = !held || came & 1 == 0;
            if around && ring & 1 << 3 != 0 {
                useful &= !(1 << 2);
            }
            if around && ring & 1 << 5 != 0 {
                useful &= !(1 << 6);
            }
            table[came as usize][moves] = useful.rotate_left(came);
            came += 1;
        }
        table[8][moves] = moves as u8;
        moves += 1;
    }
    table
}

/// A search whose estimate is consistent never takes the dearer way, so it expands the same nodes with and without the
/// moves left out. Where ties or bounded detours decide (hops instead of costs, weights, focal lists), another path of
/// the same promise may come out.
static USEFUL: [[DirectionSet; 256]; 9] = useful_moves(false);

/// The cells of a ground and its legal moves. The tag is the number of the direction moved.
///
/// Where all cells cost the same, moves that cannot be part of a cheaper way are not proposed: the space must be
/// searched as it is, not filtered.
#[derive(Clone, Copy, Debug)]
pub struct GridSpace<'a> {
    ground: &'a Ground,
    /// Cost of a straight and of a diagonal move where all cells cost the same.
    costs: [Cost; 2],
    uniform: bool,
}

impl<'a> GridSpace<'a> {
    /// The moves on a ground.
    pub fn new(ground: &'a Ground) -> Self {
        Self { ground, costs: ground.profile().min_step_costs(), uniform: ground.halves().is_empty() }
    }
}

impl Space for GridSpace<'_> {
    fn nodes(&self) -> usize {
        self.ground.size().area()
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let cell = Cell(at.node);
        let mut moves = self.ground.moves(cell);
        if self.uniform {
            let came = if at.known.parent == NO_NODE { 8 } else { at.known.tag() & 7 };
            moves = USEFUL[came as usize][moves as usize];
        }
        while moves != 0 {
            let number = moves.trailing_zeros() as u8;
            moves &= moves - 1;
            let cost = if self.uniform {
                self.costs[number as usize & 1]
            } else {
                self.ground.cost(cell, Direction::from_number(number))
            };
            propose(Successor {
                node: at.node.wrapping_add_signed(self.ground.offsets()[number as usize]),
                g: at.known.g.saturating_add(cost),
                parent: at.node,
                tag: number,
            });
        }
    }
}
