//! Floods over the cells around a goal: whether units separate two cells, and what a claimed cell would cut off.
//!
//! Whether two cells are separated is found by two breadth-first floods that alternate cell by cell: they are if one
//! flood ends before it meets the other. A flood that covers [`MAX_FLOOD`] cells is taken to be open, which bounds the
//! cost of a test and finds only close enclosures. All floods count the cells that they expand, and a tick has a limit.

use throng_grid::{Cell, Ground, directions};

/// The largest number of cells in a flood between two cells. More finds larger enclosures and costs more per test.
const MAX_FLOOD: usize = 4_096;

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
    /// The index in the flood `to` of the cell from which each of its cells was reached.
    reached_from: Vec<u32>,
    /// The number of cells expanded in this tick.
    pub(crate) expanded: usize,
    /// The number up to which further floods may begin.
    pub(crate) limit: usize,
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

/// The result of a search for a path that crosses settled agents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Crossing {
    /// There is one.
    Found,
    /// There is none.
    Impossible,
    /// There is none among the [`MAX_FLOOD`] cells nearest to its end.
    Unknown,
}

impl EnclosureTest {
    /// Begins a flood from each of two cells.
    fn begin(&mut self, ground: &Ground, from: Cell, to: Cell) {
        let cells = ground.size().area();
        if self.marks.len() != cells {
            // Zeros come from the allocator without touching the memory.
            self.marks = vec![0; cells];
        }
        if self.last_mark > u32::MAX - 3 {
            self.marks.fill(0);
            self.last_mark = 0;
        }
        self.last_mark += 2;
        self.from.begin(from, self.last_mark - 1, &mut self.marks);
        self.to.begin(to, self.last_mark, &mut self.marks);
    }

    /// Returns true if no path over passable cells leads from one cell to another. Returns false if neither flood ends
    /// within [`MAX_FLOOD`] cells.
    pub(crate) fn separates(
        &mut self,
        ground: &Ground,
        from: Cell,
        to: Cell,
        passable: impl Fn(Cell) -> bool,
    ) -> bool {
        self.begin(ground, from, to);
        while from != to && self.from.cells.len() < MAX_FLOOD && self.to.cells.len() < MAX_FLOOD {
            self.expanded += 2;
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

    /// Finds the parts of the passable cells that `cut` separates from a larger part, calls `visit` with the cells of each, the
    /// nearest to `cut` first, and a test for them, and returns its first result.
    pub(crate) fn closed_parts<R>(
        &mut self,
        ground: &Ground,
        cut: Cell,
        passable: impl Fn(Cell) -> bool,
        mut visit: impl FnMut(&[Cell], &dyn Fn(Cell) -> bool) -> Option<R>,
    ) -> Option<R> {
        self.expanded += 1;
        if is_simple(ground, cut, &passable) {
            return None;
        }
        let mut beside = ground.neighbours(cut).map(|(_, next)| next).filter(|&next| passable(next));
        let first = beside.next()?;
        beside.find_map(|other| {
            if !self.separates(ground, first, other, |cell| cell != cut && passable(cell)) {
                return None;
            }
            let part = if self.from.is_exhausted() { &self.from } else { &self.to };
            visit(&part.cells, &|cell| self.marks[cell.index()] == part.mark)
        })
    }

    /// Returns the cells around `from` of the last test, nearest first, up to [`MAX_FLOOD`].
    pub(crate) fn own_side(&mut self, ground: &Ground, passable: impl Fn(Cell) -> bool) -> &[Cell] {
        while !self.from.is_exhausted() && self.from.cells.len() < MAX_FLOOD {
            self.expanded += 1;
            self.from.expand(ground, &passable, &mut self.marks, NO_FLOOD);
        }
        &self.from.cells
    }

    /// If an agent in a cell could not get to the open cells behind `cut` once `cut` is taken, returns the last of them
    /// in breadth-first order that is wanted. `open` cells are neither claimed nor held; over `soft` ones the agent may
    /// leave a claimed area in which it stands.
    pub(crate) fn behind(
        &mut self,
        ground: &Ground,
        (from, cut): (Cell, Cell),
        open: impl Fn(Cell) -> bool,
        soft: impl Fn(Cell) -> bool,
        wanted: impl Fn(Cell) -> bool,
    ) -> Option<Cell> {
        self.expanded += 1;
        if is_simple(ground, cut, &open) {
            return None;
        }
        self.begin(ground, from, cut);
        let (mark, cut_mark) = (self.from.mark, self.to.mark);
        let mut missing = ground.neighbours(cut).filter(|&(_, next)| next != from && open(next)).count();
        let starts_open = open(from);
        while missing > 0 && !self.from.is_exhausted() {
            self.expanded += 1;
            let cell = self.from.cells[self.from.expanded];
            self.from.expanded += 1;
            let may_stay_soft = !starts_open && (cell == from || !open(cell));
            for (_, next) in ground.neighbours(cell) {
                let known = self.marks[next.index()];
                if known == mark || known == cut_mark {
                    continue;
                }
                let is_open = open(next);
                if is_open || (may_stay_soft && soft(next)) {
                    self.marks[next.index()] = mark;
                    self.from.cells.push(next);
                    if is_open && ground.neighbours(next).any(|(_, beside)| beside == cut) {
                        missing -= 1;
                    }
                }
            }
        }
        if missing == 0 {
            return None;
        }
        // What the flood from the cut reaches now lies behind it.
        while !self.to.is_exhausted() {
            self.expanded += 1;
            self.to.expand(ground, &open, &mut self.marks, mark);
        }
        self.to.cells[1..].iter().rev().copied().find(|&cell| wanted(cell))
    }

    /// Finds the shortest path over passable and `crossable` cells between two cells, and appends the crossable cells on
    /// it to `crossed`, in order.
    pub(crate) fn crossing(
        &mut self,
        ground: &Ground,
        (from, to): (Cell, Cell),
        passable: impl Fn(Cell) -> bool,
        crossable: impl Fn(Cell) -> bool,
        crossed: &mut Vec<Cell>,
    ) -> Crossing {
        self.begin(ground, from, to);
        self.marks[from.index()] = 0;
        let mark = self.to.mark;
        self.reached_from.clear();
        self.reached_from.push(0);
        while !self.to.is_exhausted() {
            if self.to.cells.len() >= MAX_FLOOD {
                return Crossing::Unknown;
            }
            let index = self.to.expanded;
            let cell = self.to.cells[index];
            self.to.expanded += 1;
            self.expanded += 1;
            if cell == from {
                let mut at = index;
                while at != 0 {
                    at = self.reached_from[at] as usize;
                    let cell = self.to.cells[at];
                    if cell != to && !passable(cell) {
                        crossed.push(cell);
                    }
                }
                return Crossing::Found;
            }
            for (_, next) in ground.neighbours(cell) {
                let is_new = self.marks[next.index()] != mark;
                if is_new && (next == from || passable(next) || crossable(next)) {
                    self.marks[next.index()] = mark;
                    self.to.cells.push(next);
                    self.reached_from.push(index as u32);
                }
            }
        }
        Crossing::Impossible
    }
}

/// Returns true if the open neighbours of a cell are connected with each other around it, so that taking the cell
/// separates nothing.
fn is_simple(ground: &Ground, cell: Cell, open: impl Fn(Cell) -> bool) -> bool {
    let mut around = [Cell(0); 8];
    let mut count = 0;
    for (_, next) in ground.neighbours(cell) {
        if open(next) {
            around[count] = next;
            count += 1;
        }
    }
    let around = &around[..count];
    if count <= 1 {
        return true;
    }
    let (mut reached, mut expanded) = (1_u8, 0_u8);
    while reached != expanded {
        let place = (reached & !expanded).trailing_zeros() as usize;
        expanded |= 1 << place;
        for direction in directions(ground.moves(around[place])) {
            let next = ground.step(around[place], direction);
            if let Some(other) = around.iter().position(|&other| other == next) {
                reached |= 1 << other;
            }
        }
    }
    reached.count_ones() as usize == count
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

    #[test]
    fn what_lies_behind_a_cell_is_found() {
        let grid = Grid::new(Tiles::picture("....#...\n........\n....#..."), MoveRules::default());
        let (ground, mut enclosure) = (grid.ground(), EnclosureTest::default());
        let all = |_: Cell| true;
        let mut behind = |from, cut| enclosure.behind(ground, (Cell(from), Cell(cut)), all, all, all);
        assert_eq!(behind(0, 12), Some(Cell(23)), "the corner farthest from the door");
        assert_eq!(behind(7, 12), Some(Cell(0)), "seen from the other side");
        assert_eq!(behind(0, 7), None, "a corner");
        assert_eq!(behind(0, 10), None, "a cell that can be walked around");
    }

    #[test]
    fn the_shortest_path_is_crossed() {
        let grid = Grid::new(Tiles::picture("........\n.######.\n........"), MoveRules::default());
        let (ground, mut enclosure) = (grid.ground(), EnclosureTest::default());
        let held = [2, 3, 4, 19].map(Cell);
        let mut cross = |from, to, walls: &[Cell]| {
            let mut crossed = Vec::new();
            let passable = |cell: Cell| !held.contains(&cell) && !walls.contains(&cell);
            let crossable = |cell: Cell| held.contains(&cell) && !walls.contains(&cell);
            let ends = (Cell(from), Cell(to));
            (enclosure.crossing(ground, ends, passable, crossable, &mut crossed), crossed)
        };
        assert_eq!(cross(0, 7, &[]), (Crossing::Found, [2, 3, 4].map(Cell).to_vec()));
        assert_eq!(cross(7, 0, &[]), (Crossing::Found, [4, 3, 2].map(Cell).to_vec()));
        assert_eq!(cross(0, 7, &[Cell(5)]), (Crossing::Found, vec![Cell(19)]));
        assert_eq!(cross(0, 1, &[]), (Crossing::Found, vec![]));
        assert_eq!(cross(0, 7, &[Cell(5), Cell(20)]).0, Crossing::Impossible);
    }
}
