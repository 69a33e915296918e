//! Floods over the cells around a goal: whether units separate two cells, and what a claimed cell would cut off.
//!
//! Whether two cells are separated is found by two breadth-first floods that alternate cell by cell: they are if one
//! flood ends before it meets the other. A flood that covers [`MAX_FLOOD`] cells is taken to be open, which bounds the
//! cost of a test and finds only close enclosures. All floods count the cells that they expand, and a tick has a limit.

use throng_grid::{Cell, Ground, directions};

/// The largest number of cells in a flood between two cells. More finds larger enclosures and costs more per test.
const MAX_FLOOD: usize = 4_096;

/// The largest number of cells in a search for a path that crosses settled agents: those around a crowd of 2,000. With
/// [`MAX_FLOOD`] late agents of such a crowd had to settle short for a while.
const MAX_CROSSING: usize = 16_384;
/// Cells of such a search per agent of the goal. More has late agents of small crowds cross them to get to the other end of a corridor
/// instead of walking around.
const CROSSING_CELLS: usize = 8;

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
    /// The cost of the path to each of its cells.
    costs: Vec<u32>,
    /// The indices of its cells, by cost: those that are free or claimed, and those of settled agents.
    lists: [Vec<u32>; 2],
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

/// What a path that crosses settled agents finds in a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Entry {
    /// Nothing that stays there.
    Free,
    /// Nothing that stays there, but an agent that is about to enter claims it. It can be given another cell instead.
    Claimed,
    /// A settled agent that can shift.
    Settled,
    /// A unit that stays.
    Closed,
}

/// The result of a search for a path that crosses settled agents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Crossing {
    /// There is one.
    Found,
    /// There is none.
    Impossible,
    /// There is none among the cells nearest to its end.
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

    /// Finds the cheapest path between two cells and appends the cells on it that agents claim to `crossed`, in order. Each
    /// step costs 1, and one onto the cell of a settled agent `weight` more. The search ends after a number of cells that depends on
    /// the number of agents that have the goal.
    pub(crate) fn crossing(
        &mut self,
        ground: &Ground,
        (from, to): (Cell, Cell),
        (weight, agents): (u32, u32),
        entry: impl Fn(Cell) -> Entry,
        crossed: &mut Vec<Cell>,
    ) -> Crossing {
        self.begin(ground, from, to);
        self.marks[from.index()] = 0;
        let mark = self.to.mark;
        self.reached_from.clear();
        self.reached_from.push(0);
        self.costs.clear();
        self.costs.push(0);
        let limit = (agents as usize * CROSSING_CELLS).clamp(MAX_FLOOD, MAX_CROSSING);
        let (lists, mut next_of) = (&mut self.lists, [0, 0]);
        lists.iter_mut().for_each(Vec::clear);
        lists[0].push(0);
        // The cost of a step depends on its end alone. So each list is sorted by cost, and no cell is reached again at a
        // lower cost.
        loop {
            let head = |list: usize| lists[list].get(next_of[list]).map(|&index| self.costs[index as usize]);
            let list = match (head(0), head(1)) {
                (None, None) => return Crossing::Impossible,
                (Some(free), Some(settled)) => usize::from(settled < free),
                (free, _) => usize::from(free.is_none()),
            };
            if self.to.cells.len() >= limit {
                return Crossing::Unknown;
            }
            let index = lists[list][next_of[list]] as usize;
            next_of[list] += 1;
            self.expanded += 1;
            let cell = self.to.cells[index];
            if cell == from {
                let mut at = index;
                while at != 0 {
                    at = self.reached_from[at] as usize;
                    let cell = self.to.cells[at];
                    if cell != to && entry(cell) != Entry::Free {
                        crossed.push(cell);
                    }
                }
                return Crossing::Found;
            }
            for (_, next) in ground.neighbours(cell) {
                if self.marks[next.index()] == mark {
                    continue;
                }
                let entry = if next == from { Entry::Free } else { entry(next) };
                if entry == Entry::Closed {
                    continue;
                }
                let is_settled = entry == Entry::Settled;
                self.marks[next.index()] = mark;
                lists[usize::from(is_settled)].push(self.to.cells.len() as u32);
                self.to.cells.push(next);
                self.reached_from.push(index as u32);
                self.costs.push(self.costs[index] + 1 + if is_settled { weight } else { 0 });
            }
        }
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

    /// Searches a path from `a` to `z`, where `s` is a settled agent, `c` a claimed cell and `x` a unit that stays. Returns the
    /// picture with the crossed cells in capital letters.
    fn cross(picture: &str, weight: u32) -> (Crossing, String) {
        let free = picture.replace(|c: char| c.is_alphabetic(), ".");
        let grid = Grid::new(Tiles::picture(&free), MoveRules::default());
        let mut symbols: Vec<char> = picture.chars().filter(|c| !c.is_whitespace()).collect();
        let find = |symbol| Cell(symbols.iter().position(|&c| c == symbol).unwrap() as u32);
        let entry = |cell: Cell| match symbols[cell.index()] {
            's' => Entry::Settled,
            'c' => Entry::Claimed,
            'x' => Entry::Closed,
            _ => Entry::Free,
        };
        let (mut enclosure, mut crossed) = (EnclosureTest::default(), Vec::new());
        let ends = (find('a'), find('z'));
        let found = enclosure.crossing(grid.ground(), ends, (weight, 1), entry, &mut crossed);
        for cell in &crossed {
            symbols[cell.index()].make_ascii_uppercase();
        }
        let rows: Vec<String> =
            symbols.chunks(grid.size().width() as usize).map(|row| row.iter().collect()).collect();
        (found, rows.join("\n"))
    }

    #[test]
    fn the_cheapest_path_is_crossed() {
        let around = "\
asss..z.
.######.
...s....";
        // Three settled agents on the short path, one on a path that is 5 steps longer.
        assert_eq!(cross(around, 0), (Crossing::Found, around.replacen("sss", "SSS", 1)));
        assert_eq!(cross(around, 2), (Crossing::Found, around.replacen("sss", "SSS", 1)));
        assert_eq!(cross(around, 4), (Crossing::Found, around.replace("...s", "...S")));
        assert_eq!(cross("as.ss.z", 9), (Crossing::Found, "aS.SS.z".to_string()));
        assert_eq!(cross("ascx.z", 0).0, Crossing::Impossible);
        assert_eq!(cross("ascs.z", 0), (Crossing::Found, "aSCS.z".to_string()));
        assert_eq!(cross("az", 0), (Crossing::Found, "az".to_string()));
    }

    /// The shell around the cell is thinner at another place than between it and the agent.
    #[test]
    fn a_shell_is_crossed_where_it_is_thin() {
        let shell = "\
.........
.sssssss.
.ssszs...
assssss..
.sssssss.
.........";
        let crossed = |weight| cross(shell, weight).1.matches('S').count();
        assert_eq!((crossed(0), crossed(8)), (3, 1));
    }
}
