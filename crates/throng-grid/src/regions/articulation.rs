//! Articulation points by depth-first search: a cell is one if some subtree below it has no legal move to a cell
//! visited before it.
//!
//! Reference: J. Hopcroft, R. Tarjan, "Algorithm 447: Efficient Algorithms for Graph Manipulation", Communications of
//! the ACM 16(6), 1973; here with an explicit stack, so that the search runs in slices.

use crate::{Cell, Direction, DirectionSet, Ground};

/// The order of a cell that was not visited yet.
const UNVISITED: u32 = 0;

/// A cell on the stack of the search, and its legal moves that are not explored yet.
#[derive(Clone, Debug)]
struct Visit {
    cell: Cell,
    unexplored: DirectionSet,
}

/// A search for the articulation points of a ground that runs in slices. The ground must not change meanwhile.
#[derive(Clone, Debug)]
pub struct ArticulationSearch {
    /// The position of each cell in the visiting order, from 1; [`UNVISITED`] before the visit.
    order: Vec<u32>,
    /// The smallest order that a cell or its subtree has a legal move to.
    low: Vec<u32>,
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
        Self {
            order: vec![UNVISITED; area],
            low: vec![0; area],
            count: 0,
            stack: Vec::new(),
            subtrees: 0,
            next_root: 0,
        }
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
        self.low[cell.index()] = self.count;
        self.stack.push(Visit { cell, unexplored: ground.moves(cell) });
    }

    /// Explores the moves of the current cell up to the next unvisited cell, or leaves the cell if there is none.
    fn advance(&mut self, ground: &Ground, found: &mut impl FnMut(Cell)) {
        let Some(visit) = self.stack.last_mut() else { return };
        let cell = visit.cell;
        while visit.unexplored != 0 {
            let direction = Direction::from_number(visit.unexplored.trailing_zeros() as u8);
            visit.unexplored &= visit.unexplored - 1;
            let to = ground.step(cell, direction);
            if self.order[to.index()] == UNVISITED {
                self.enter(ground, to);
                return;
            }
            // The move back to the parent is included: its order is the parent's, not smaller.
            let low = &mut self.low[cell.index()];
            *low = (*low).min(self.order[to.index()]);
        }
        self.stack.pop();
        let Some(parent) = self.stack.last().map(|visit| visit.cell) else {
            if self.subtrees > 1 {
                found(cell);
            }
            return;
        };
        let low = self.low[cell.index()];
        if self.stack.len() == 1 {
            self.subtrees += 1;
        } else if low >= self.order[parent.index()] {
            found(parent);
        }
        self.low[parent.index()] = self.low[parent.index()].min(low);
    }
}
