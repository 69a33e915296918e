//! Whether those who have settled stand between two cells, found by two floods that look for each other.

use throng_grid::{Cell, Ground};

/// Cells that a flood covers at most. One that gets so far is not shut in.
const MOST: usize = 1_024;

/// A mark that no flood leaves.
const NO_FLOOD: u32 = u32::MAX;

/// The floods' memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pockets {
    /// Which flood reached a cell last.
    marks: Vec<u32>,
    stamp: u32,
    here: Flood,
    there: Flood,
}

#[derive(Clone, Debug, Default)]
struct Flood {
    cells: Vec<Cell>,
    /// So many of them have been looked around from.
    done: usize,
    mark: u32,
}

impl Flood {
    fn begin(&mut self, from: Cell, mark: u32, marks: &mut [u32]) {
        self.cells.clear();
        // A last look around may find eight more.
        self.cells.reserve(MOST + 8);
        self.cells.push(from);
        self.done = 0;
        self.mark = mark;
        marks[from.index()] = mark;
    }

    /// Looks around from the next cell, and says whether a cell of the other flood was seen.
    fn step(
        &mut self,
        ground: &Ground,
        passable: impl Fn(Cell) -> bool,
        marks: &mut [u32],
        other: u32,
    ) -> bool {
        let cell = self.cells[self.done];
        self.done += 1;
        let mut met = false;
        for (_, next) in ground.neighbours(cell) {
            let mark = marks[next.index()];
            met |= mark == other;
            if mark != self.mark && mark != other && passable(next) {
                marks[next.index()] = self.mark;
                self.cells.push(next);
            }
        }
        met
    }

    fn is_exhausted(&self) -> bool {
        self.done == self.cells.len()
    }
}

impl Pockets {
    /// Whether no way leads from one cell to another over passable ones. It is said that one does where neither of
    /// the two is shut in closely.
    pub(crate) fn are_apart(
        &mut self,
        ground: &Ground,
        from: Cell,
        to: Cell,
        passable: impl Fn(Cell) -> bool,
    ) -> bool {
        self.marks.resize(ground.size().area(), 0);
        if self.stamp > u32::MAX - 2 {
            self.marks.fill(0);
            self.stamp = 0;
        }
        self.stamp += 2;
        self.here.begin(from, self.stamp - 1, &mut self.marks);
        self.there.begin(to, self.stamp, &mut self.marks);
        while from != to && self.here.cells.len() < MOST && self.there.cells.len() < MOST {
            let met = self.here.step(ground, &passable, &mut self.marks, self.there.mark)
                || self.there.step(ground, &passable, &mut self.marks, self.here.mark);
            if met {
                return false;
            }
            if self.here.is_exhausted() || self.there.is_exhausted() {
                return true;
            }
        }
        false
    }

    /// The cells around `from` of the last question, nearest first, as far as they are passable; up to a number.
    pub(crate) fn around(&mut self, ground: &Ground, passable: impl Fn(Cell) -> bool) -> &[Cell] {
        while !self.here.is_exhausted() && self.here.cells.len() < MOST {
            self.here.step(ground, &passable, &mut self.marks, NO_FLOOD);
        }
        &self.here.cells
    }
}

#[cfg(test)]
mod tests {
    use throng_grid::{Grid, MoveRules, Tiles};

    use super::*;

    #[test]
    fn a_pocket_is_found_from_either_side() {
        let grid = Grid::new(Tiles::picture("........\n........\n........"), MoveRules::default());
        let (ground, mut pockets) = (grid.ground(), Pockets::default());
        let wall = |cell: Cell| cell.0 % 8 != 3;
        assert!(pockets.are_apart(ground, Cell(0), Cell(7), wall));
        assert_eq!(pockets.around(ground, wall).len(), 9);
        assert!(pockets.are_apart(ground, Cell(7), Cell(0), wall));
        assert!(!pockets.are_apart(ground, Cell(0), Cell(10), wall));
        assert!(!pockets.are_apart(ground, Cell(0), Cell(7), |cell| wall(cell) || cell.0 == 11));
        assert!(!pockets.are_apart(ground, Cell(5), Cell(5), |_| false));
    }
}
