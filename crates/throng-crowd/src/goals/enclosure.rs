//! Enclosure: whether settled agents separate two cells, found by two breadth-first floods that grow towards each
//! other.
//!
//! The floods alternate cell by cell. The cells are separated if one flood ends before it meets the other. A flood that
//! covers [`MAX_FLOOD`] cells is taken to be open, which bounds the cost of a test and finds only close enclosures.

use throng_grid::{Cell, Ground};

/// The largest number of cells in a flood. More finds larger enclosures and costs more per test.
const MAX_FLOOD: usize = 1_024;

/// A mark that no flood has.
const NO_FLOOD: u32 = u32::MAX;

/// The scratch memory of the floods.
#[derive(Clone, Debug, Default)]
pub(crate) struct EnclosureTest {
    /// The mark of the flood that reached each cell last.
    marks: Vec<u32>,
    last_mark: u32,
    from: Flood,
    to: Flood,
}

#[derive(Clone, Debug, Default)]
struct Flood {
    /// The cells reached, in breadth-first order.
    cells: Vec<Cell>,
    /// How many of them have been expanded.
    expanded: usize,
    mark: u32,
}

impl Flood {
    fn begin(&mut self, from: Cell, mark: u32, marks: &mut [u32]) {
        self.cells.clear();
        // The last expansion may add eight more.
        self.cells.reserve(MAX_FLOOD + 8);
        self.cells.push(from);
        self.expanded = 0;
        self.mark = mark;
        marks[from.index()] = mark;
    }

    /// Expands the next cell; returns true if a neighbour belongs to the other flood.
    fn expand(
        &mut self,
        ground: &Ground,
        passable: impl Fn(Cell) -> bool,
        marks: &mut [u32],
        other: u32,
    ) -> bool {
        let cell = self.cells[self.expanded];
        self.expanded += 1;
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
        self.expanded == self.cells.len()
    }
}

impl EnclosureTest {
    /// Returns true if no path over passable cells leads from one cell to another. Returns false if neither flood ends
    /// within [`MAX_FLOOD`] cells.
    pub(crate) fn separates(
        &mut self,
        ground: &Ground,
        from: Cell,
        to: Cell,
        passable: impl Fn(Cell) -> bool,
    ) -> bool {
        self.marks.resize(ground.size().area(), 0);
        if self.last_mark > u32::MAX - 2 {
            self.marks.fill(0);
            self.last_mark = 0;
        }
        self.last_mark += 2;
        self.from.begin(from, self.last_mark - 1, &mut self.marks);
        self.to.begin(to, self.last_mark, &mut self.marks);
        while from != to && self.from.cells.len() < MAX_FLOOD && self.to.cells.len() < MAX_FLOOD {
            let met = self.from.expand(ground, &passable, &mut self.marks, self.to.mark)
                || self.to.expand(ground, &passable, &mut self.marks, self.from.mark);
            if met {
                return false;
            }
            if self.from.is_exhausted() || self.to.is_exhausted() {
                return true;
            }
        }
        false
    }

    /// Returns the cells around `from` of the last test, nearest first, up to [`MAX_FLOOD`].
    pub(crate) fn own_side(&mut self, ground: &Ground, passable: impl Fn(Cell) -> bool) -> &[Cell] {
        while !self.from.is_exhausted() && self.from.cells.len() < MAX_FLOOD {
            self.from.expand(ground, &passable, &mut self.marks, NO_FLOOD);
        }
        &self.from.cells
    }
}

#[cfg(test)]
mod tests {
    use throng_grid::{Grid, MoveRules, Tiles};

    use super::*;

    #[test]
    fn a_closed_line_separates_in_both_directions() {
        let grid = Grid::new(Tiles::picture("........\n........\n........"), MoveRules::default());
        let (ground, mut enclosure) = (grid.ground(), EnclosureTest::default());
        let passable = |cell: Cell| cell.0 % 8 != 3;
        assert!(enclosure.separates(ground, Cell(0), Cell(7), passable));
        assert_eq!(enclosure.own_side(ground, passable).len(), 9);
        assert!(enclosure.separates(ground, Cell(7), Cell(0), passable));
        assert!(!enclosure.separates(ground, Cell(0), Cell(10), passable));
        assert!(!enclosure.separates(ground, Cell(0), Cell(7), |cell| passable(cell) || cell.0 == 11));
        assert!(!enclosure.separates(ground, Cell(5), Cell(5), |_| false));
    }
}
