//! Articulation cells by depth-first search: a cell holds a subtree below it when nothing in the subtree has a
//! legal move to above the cell.

use crate::{Cell, Direction, DirectionSet, Ground};

/// Not reached yet.
const UNSEEN: u32 = 0;

/// A cell on the current way down, and the moves not tried yet.
struct Visit {
    cell: Cell,
    left: DirectionSet,
}

/// Calls `found` for every articulation cell, for some more than once.
pub(super) fn mark(ground: &Ground, mut found: impl FnMut(Cell)) {
    let mut search =
        Search { order: vec![UNSEEN; ground.size().area()], low: vec![0; ground.size().area()], count: 0 };
    for root in ground.free_cells() {
        if search.order[root.index()] == UNSEEN && search.run(ground, root, &mut found) > 1 {
            found(root);
        }
    }
}

struct Search {
    /// When each cell was reached, from 1.
    order: Vec<u32>,
    /// The earliest cell that each cell's subtree has a move to.
    low: Vec<u32>,
    count: u32,
}

impl Search {
    fn enter(&mut self, ground: &Ground, cell: Cell) -> Visit {
        self.count += 1;
        self.order[cell.index()] = self.count;
        self.low[cell.index()] = self.count;
        Visit { cell, left: ground.moves(cell) }
    }

    /// Searches everything reachable from a root and says how many subtrees the root has.
    fn run(&mut self, ground: &Ground, root: Cell, found: &mut impl FnMut(Cell)) -> usize {
        let mut subtrees = 0;
        let mut way = vec![self.enter(ground, root)];
        while let Some(visit) = way.last_mut() {
            let cell = visit.cell;
            if visit.left != 0 {
                let direction = Direction::from_number(visit.left.trailing_zeros() as u8);
                visit.left &= visit.left - 1;
                let to = ground.step(cell, direction);
                if self.order[to.index()] == UNSEEN {
                    way.push(self.enter(ground, to));
                } else {
                    // The move back to the parent may count as well: it never reaches above the parent.
                    let low = &mut self.low[cell.index()];
                    *low = (*low).min(self.order[to.index()]);
                }
                continue;
            }
            way.pop();
            let Some(parent) = way.last().map(|visit| visit.cell) else { break };
            let low = self.low[cell.index()];
            if way.len() == 1 {
                subtrees += 1;
            } else if low >= self.order[parent.index()] {
                found(parent);
            }
            self.low[parent.index()] = self.low[parent.index()].min(low);
        }
        subtrees
    }
}
