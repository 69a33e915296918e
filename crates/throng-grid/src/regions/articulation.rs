//! Articulation points by depth-first search: a cell is one if some subtree below it has no legal move to a cell
//! visited before it.
//!
//! Reference: J. Hopcroft, R. Tarjan, "Algorithm 447: Efficient Algorithms for Graph Manipulation", Communications of
//! the ACM 16(6), 1973; here with an explicit stack, so that the search runs in slices.

use crate::{Cell, Direction, DirectionSet, Ground};

/// The order of a cell that was not visited yet.
const UNVISITED: u32 = 0;

/// A cell on the stack of the search.
#[derive(Clone, Debug)]
struct Visit {
    cell: Cell,
    /// The smallest order that the cell or its subtree has a legal move to, as far as explored.
    low: u32,
    /// The legal moves that are not explored yet.
    unexplored: DirectionSet,
}

/// A search for the articulation points of a ground that runs in slices. The ground must not change meanwhile.
#[derive(Clone, Debug)]
pub struct ArticulationSearch {
    /// The position of each cell in the visiting order, from 1; [`UNVISITED`] before the visit.
    order: Vec<u32>,
    /// Number of visited cells.
    count: u32,
    /// The path from the root of the current component to the current cell.
    stack: Vec<Visit>,
    /// Number of subtrees of the root.
    subtrees: usize,
    /// All cells before this one were visited or are not free.
    next_root: u32,
}

impl ArticulationSearch {
    /// Returns a search that has not started.
    pub fn new(ground: &Ground) -> Self {
        let area = ground.size().area();
        Self { order: vec![UNVISITED; area], count: 0, stack: Vec::new(), subtrees: 0, next_root: 0 }
    }

    /// Runs for up to `limit` units of work, at most three per cell of the map, and returns the number used: less than
    /// `limit` if the search is complete. Calls `found` for every articulation point, possibly more than once per cell.
    pub fn step(&mut self, ground: &Ground, limit: usize, mut found: impl FnMut(Cell)) -> usize {
        for used in 0..limit {
            if !self.stack.is_empty() {
                self.advance(ground, &mut found);
                continue;
            }
            if self.next_root as usize == self.order.len() {
                return used;
            }
            let root = Cell(self.next_root);
            self.next_root += 1;
            if ground.is_free(root) && self.order[root.index()] == UNVISITED {
                self.subtrees = 0;
                self.enter(ground, root);
            }
        }
        limit
    }

    fn enter(&mut self, ground: &Ground, cell: Cell) {
        self.count += 1;
        self.order[cell.index()] = self.count;
        self.stack.push(Visit { cell, low: self.count, unexplored: ground.moves(cell) });
    }

    /// Explores the moves of the current cell up to the next unvisited cell, or leaves the cell if there is none.
    fn advance(&mut self, ground: &Ground, found: &mut impl FnMut(Cell)) {
        let Some(visit) = self.stack.last_mut() else { return };
        let (cell, mut unexplored, mut low) = (visit.cell, visit.unexplored, visit.low);
        while unexplored != 0 {
            let direction = Direction::from_number(unexplored.trailing_zeros() as u8);
            unexplored &= unexplored - 1;
            let to = ground.step(cell, direction);
            let order = self.order[to.index()];
            if order == UNVISITED {
                (visit.unexplored, visit.low) = (unexplored, low);
                self.enter(ground, to);
                return;
            }
            // The move back to the parent is included: its order is the parent's, not smaller.
            low = low.min(order);
        }
        self.stack.pop();
        let depth = self.stack.len();
        let Some(parent) = self.stack.last_mut() else {
            if self.subtrees > 1 {
                found(cell);
            }
            return;
        };
        if depth == 1 {
            self.subtrees += 1;
        } else if low >= self.order[parent.cell.index()] {
            found(parent.cell);
        }
        parent.low = parent.low.min(low);
    }
}
