//! The numbers that nodes have in a database.
//!
//! A row says for every target, in the order of these numbers, which first move leads there. Targets that share first
//! moves should follow each other, so that runs are long. Nodes are numbered in depth-first pre-order (B. Strasser, A.
//! Botea, D. Harabor, *Compressing Optimal Paths with Run Length Encoding*, JAIR 54, 2015), which keeps neighbours
//! together, and gives each connected part a range of its own: whether a way exists is a comparison.

use throng_grid::{Cell, Direction, Ground};

/// No node: a cell that no one can stand on.
pub(crate) const NO_NODE: u32 = u32::MAX;

/// Cells as nodes and back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NodeOrder {
    /// The cell of each node.
    pub(crate) cells: Vec<Cell>,
    /// The node of each cell, [`NO_NODE`] for walls.
    pub(crate) nodes: Vec<u32>,
    /// Where each connected part begins; the number of nodes at the end.
    pub(crate) parts: Vec<u32>,
}

/// In which order a node's neighbours are visited, in eighths of a turn from the direction in which it was reached.
/// Of the seven orders that were tried on three game maps, 300 rows each, going on straight as long as possible and
/// turning back first leave about as few runs; the others leave a third to one and a half times more.
const TURNS: [u8; 8] = [0, 1, 7, 2, 6, 3, 5, 4];

/// For a set of turns, their places in [`TURNS`] as a set.
static BY_PLACE: [u8; 256] = {
    let mut table = [0; 256];
    let mut set = 0;
    while set < 256 {
        let mut place = 0;
        while place < 8 {
            table[set] |= ((set >> TURNS[place]) as u8 & 1) << place;
            place += 1;
        }
        set += 1;
    }
    table
};

impl NodeOrder {
    /// The order of a ground: from the first free cell of each part, deeper as long as there is anything new.
    pub(crate) fn of(ground: &Ground) -> Self {
        let mut order = Self {
            cells: Vec::with_capacity(ground.free_count()),
            nodes: vec![NO_NODE; ground.size().area()],
            parts: Vec::new(),
        };
        // Cells whose neighbours are being visited: the direction each was reached in, and the turns left.
        let mut stack: Vec<(Cell, u8, u8)> = Vec::new();
        for root in ground.free_cells() {
            if order.nodes[root.index()] != NO_NODE {
                continue;
            }
            order.parts.push(order.cells.len() as u32);
            stack.push(order.enter(ground, root, Direction::East.number()));
            while let Some((cell, came, turns)) = stack.last_mut() {
                if *turns == 0 {
                    stack.pop();
                    continue;
                }
                let turn = TURNS[turns.trailing_zeros() as usize];
                *turns &= *turns - 1;
                let direction = (*came + turn) % 8;
                let to = ground.step(*cell, Direction::from_number(direction));
                if order.nodes[to.index()] == NO_NODE {
                    stack.push(order.enter(ground, to, direction));
                }
            }
        }
        order.parts.push(order.cells.len() as u32);
        order
    }

    /// An order as a file gives it: every free cell once, and where parts begin; `None` when it is none. Whether the
    /// parts are those of the map is not looked at.
    pub(crate) fn read(ground: &Ground, mut parts: Vec<u32>, cells: Vec<u32>) -> Option<Self> {
        let count = cells.len() as u32;
        parts.push(count);
        let in_order = parts[0] == 0 && parts.windows(2).all(|pair| pair[0] < pair[1]);
        if !in_order || cells.len() != ground.free_count() {
            return None;
        }
        let mut nodes = vec![NO_NODE; ground.size().area()];
        for (node, &cell) in cells.iter().enumerate() {
            let slot = nodes.get_mut(cell as usize).filter(|slot| **slot == NO_NODE)?;
            if !ground.is_free(Cell(cell)) {
                return None;
            }
            *slot = node as u32;
        }
        Some(Self { cells: cells.into_iter().map(Cell).collect(), nodes, parts })
    }

    /// Numbers a cell that was reached in a direction.
    fn enter(&mut self, ground: &Ground, cell: Cell, came: u8) -> (Cell, u8, u8) {
        self.nodes[cell.index()] = self.cells.len() as u32;
        self.cells.push(cell);
        let turns = ground.moves(cell).rotate_right(came.into());
        (cell, came, BY_PLACE[turns as usize])
    }

    /// The node of a cell.
    #[inline]
    pub(crate) fn node(&self, cell: Cell) -> Option<u32> {
        Some(self.nodes[cell.index()]).filter(|&node| node != NO_NODE)
    }

    /// The nodes of the part that a node is in.
    #[inline]
    pub(crate) fn part(&self, node: u32) -> std::ops::Range<u32> {
        let after = self.parts.partition_point(|&start| start <= node);
        self.parts[after - 1]..self.parts[after]
    }
}
