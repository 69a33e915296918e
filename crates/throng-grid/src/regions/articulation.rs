//! Articulation points by depth-first search: a cell is one if some subtree below it has no legal move to a cell
//! visited before it.
//!
//! Reference: J. Hopcroft, R. Tarjan, "Algorithm 447: Efficient Algorithms for Graph Manipulation", Communications of
//! the ACM 16(6), 1973; here with an explicit stack.

use crate::{Cell, Direction, DirectionSet, Ground};

/// The order of a cell that was not visited yet.
const UNVISITED: u32 = 0;

/// A cell on the stack of the search, and its legal moves that are not explored yet.
struct Visit {
    cell: Cell,
    unexplored: DirectionSet,
}

/// Calls `found` for every articulation point; possibly more than once per cell.
pub(super) fn mark(ground: &Ground, mut found: impl FnMut(Cell)) {
    let mut search =
        Search { order: vec![UNVISITED; ground.size().area()], low: vec![0; ground.size().area()], count: 0 };
    for root in ground.free_cells() {
        if search.order[root.index()] == UNVISITED && search.run(ground, root, &mut found) > 1 {
            found(root);
        }
    }
}

struct Search {
    /// The position of each cell in the visiting order, from 1; [`UNVISITED`] before the visit.
    order: Vec<u32>,
    /// The smallest order that a cell or its subtree has a legal move to.
    low: Vec<u32>,
    /// Number of visited cells.
    count: u32,
}

impl Search {
    fn enter(&mut self, ground: &Ground, cell: Cell) -> Visit {
        self.count += 1;
        self.order[cell.index()] = self.count;
        self.low[cell.index()] = self.count;
        Visit { cell, unexplored: ground.moves(cell) }
    }

    /// Visits every cell reachable from a root. Returns the number of subtrees of the root.
    fn run(&mut self, ground: &Ground, root: Cell, found: &mut impl FnMut(Cell)) -> usize {
        let mut subtrees = 0;
        let mut stack = vec![self.enter(ground, root)];
        while let Some(visit) = stack.last_mut() {
            let cell = visit.cell;
            if visit.unexplored != 0 {
                let direction = Direction::from_number(visit.unexplored.trailing_zeros() as u8);
                visit.unexplored &= visit.unexplored - 1;
                let to = ground.step(cell, direction);
                if self.order[to.index()] == UNVISITED {
                    stack.push(self.enter(ground, to));
                } else {
                    // The move back to the parent is included: its order is the parent's, not smaller.
                    let low = &mut self.low[cell.index()];
                    *low = (*low).min(self.order[to.index()]);
                }
                continue;
            }
            stack.pop();
            let Some(parent) = stack.last().map(|visit| visit.cell) else { break };
            let low = self.low[cell.index()];
            if stack.len() == 1 {
                subtrees += 1;
            } else if low >= self.order[parent.index()] {
                found(parent);
            }
            self.low[parent.index()] = self.low[parent.index()].min(low);
        }
        subtrees
    }
}
