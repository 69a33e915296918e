//! The numbering of nodes in a database.
//!
//! A row lists the first moves to all targets in the order of their numbers. Targets with the same first move should be
//! adjacent, so that runs are long. Nodes are numbered in depth-first pre-order (B. Strasser, A. Botea, D. Harabor,
//! *Compressing Optimal Paths with Run Length Encoding*, JAIR 54, 2015). It keeps neighbours together and gives each
//! connected component a range of numbers, so that reachability is a comparison.

use throng_grid::{Cell, Direction, Ground};
use throng_search::NO_NODE;

/// The mapping between cells and nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NodeOrder {
    /// The cell of each node.
    pub(crate) cells: Vec<Cell>,
    /// The node of each cell, [`NO_NODE`] for walls.
    pub(crate) nodes: Vec<u32>,
    /// The first node of each connected component, then the number of nodes.
    pub(crate) components: Vec<u32>,
}

/// The order in which a node's neighbours are visited, in eighths of a turn from the direction in which it was reached.
/// Of seven orders measured on three game maps, with 300 rows each, straight ahead first and backwards first give about
/// equally few runs; the others give a third to one and a half times more.
const TURNS: [u8; 8] = [0, 1, 7, 2, 6, 3, 5, 4];

/// The indices in [`TURNS`] of a set of turns, as a set.
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
    /// Returns the depth-first order of a ground, starting at the first free cell of each component.
    pub(crate) fn of(ground: &Ground) -> Self {
        let mut order = Self {
            cells: Vec::with_capacity(ground.free_count()),
            nodes: vec![NO_NODE; ground.size().area()],
            components: Vec::new(),
        };
        // Cells whose neighbours are being visited: the direction in which each was reached, and the turns left.
        let mut stack: Vec<(Cell, u8, u8)> = Vec::new();
        for root in ground.free_cells() {
            if order.nodes[root.index()] != NO_NODE {
                continue;
            }
            order.components.push(order.cells.len() as u32);
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
        order.components.push(order.cells.len() as u32);
        order
    }

    /// Returns the order given by a file; `None` unless it has every free cell once and increasing component starts.
    /// Does not check that the components are those of the map.
    pub(crate) fn read(ground: &Ground, mut components: Vec<u32>, cells: Vec<Cell>) -> Option<Self> {
        components.push(cells.len() as u32);
        let in_order = components[0] == 0 && components.windows(2).all(|pair| pair[0] < pair[1]);
        if !in_order || cells.len() != ground.free_count() {
            return None;
        }
        let mut nodes = vec![NO_NODE; ground.size().area()];
        for (node, &cell) in cells.iter().enumerate() {
            let slot =
                nodes.get_mut(cell.index()).filter(|slot| **slot == NO_NODE && ground.is_free(cell))?;
            *slot = node as u32;
        }
        Some(Self { cells, nodes, components })
    }

    /// Numbers a cell that was reached in a direction.
    fn enter(&mut self, ground: &Ground, cell: Cell, came: u8) -> (Cell, u8, u8) {
        self.nodes[cell.index()] = self.cells.len() as u32;
        self.cells.push(cell);
        let turns = ground.moves(cell).rotate_right(came.into());
        (cell, came, BY_PLACE[turns as usize])
    }

    /// Returns the node of a cell.
    #[inline]
    pub(crate) fn node(&self, cell: Cell) -> Option<u32> {
        Some(self.nodes[cell.index()]).filter(|&node| node != NO_NODE)
    }

    /// Returns the nodes of the component of a node.
    #[inline]
    pub(crate) fn component(&self, node: u32) -> std::ops::Range<u32> {
        let after = self.components.partition_point(|&start| start <= node);
        self.components[after - 1]..self.components[after]
    }
}
