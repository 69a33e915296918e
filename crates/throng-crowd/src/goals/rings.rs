//! The cells around a place, ring by ring, in the order in which a crowd fills them; and where a goal that cannot be
//! reached is approached.
//!
//! Ring `n` holds the cells that are `n` legal steps from the middle, in the order of their numbers: each has a
//! neighbour in the ring before, so that a crowd that fills them in order fills from the inside out. Everything here
//! follows from the map alone. It is kept between questions and made again when it was dropped or the map changed.

use throng_grid::{Cell, Ground, Pos, ProfileId};

use crate::Occupancy;

/// The most middles that are kept at a time.
const KEPT: usize = 64;
/// Cells that there is room for at once, so that small crowds need no more memory later.
const ROOM: usize = 2_048;

/// What a question is about: a map as a profile sees it, and a cell of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Subject {
    cell: Cell,
    profile: ProfileId,
    fingerprint: u64,
}

impl Subject {
    fn new(ground: &Ground, profile: ProfileId, cell: Cell) -> Self {
        Self { cell, profile, fingerprint: ground.fingerprint() }
    }
}

/// The rings around one cell, as far as they were asked for.
#[derive(Clone, Debug)]
pub(crate) struct Rings {
    subject: Subject,
    used: u64,
    cells: Vec<Cell>,
    /// Where each ring ends in `cells`.
    ends: Vec<u32>,
    /// So many of the first cells are claimed, unless a claim was given back since.
    full: usize,
    /// When that was counted.
    epoch: u64,
}

impl Rings {
    fn begin(&mut self, subject: Subject) {
        self.subject = subject;
        self.cells.clear();
        self.cells.push(subject.cell);
        self.ends.clear();
        self.ends.push(1);
        self.full = 0;
    }

    /// The cell at a place in the order; `None` when all that can be reached come earlier.
    pub(crate) fn cell(&mut self, ground: &Ground, place: usize) -> Option<Cell> {
        while place >= self.cells.len() {
            if !self.grow(ground) {
                return None;
            }
        }
        Some(self.cells[place])
    }

    /// The number of the ring that holds a place in the order.
    pub(crate) fn ring(&self, place: usize) -> u32 {
        self.ends.partition_point(|&end| end as usize <= place) as u32
    }

    /// How many steps a cell is from the middle, when it is at most `most`; `least` is a bound from below.
    pub(crate) fn steps(&mut self, ground: &Ground, cell: Cell, least: u32, most: u32) -> Option<u32> {
        while self.ends.len() <= most as usize && self.grow(ground) {}
        (least..=most.min(self.ends.len() as u32 - 1)).find(|&ring| {
            let start = ring.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
            let cells = &self.cells[start as usize..self.ends[ring as usize] as usize];
            cells.binary_search(&cell).is_ok()
        })
    }

    /// The first place in the order that nobody claims, or the number of all cells when there is none.
    pub(crate) fn first_unclaimed(&mut self, ground: &Ground, claims: &Occupancy) -> usize {
        while self.cell(ground, self.full).is_some_and(|cell| !claims.is_free(cell)) {
            self.full += 1;
        }
        self.full
    }

    /// Appends the next ring. Steps are legal both ways, so its cells are the neighbours of the last ring that are
    /// neither in that nor in the one before.
    fn grow(&mut self, ground: &Ground) -> bool {
        let end = self.cells.len();
        let start_of = |ring: usize| ring.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        let (last, before) = (start_of(self.ends.len() - 1), start_of(self.ends.len().saturating_sub(2)));
        for i in last..end {
            for (_, cell) in ground.neighbours(self.cells[i]) {
                let known = |cells: &[Cell]| cells.binary_search(&cell).is_ok();
                if !known(&self.cells[last..end]) && !known(&self.cells[before..last]) {
                    self.cells.push(cell);
                }
            }
        }
        self.cells[end..].sort_unstable();
        let mut kept = 0;
        for i in end..self.cells.len() {
            if kept == 0 || self.cells[end + kept - 1] != self.cells[i] {
                self.cells[end + kept] = self.cells[i];
                kept += 1;
            }
        }
        self.cells.truncate(end + kept);
        if kept > 0 {
            self.ends.push(self.cells.len() as u32);
        }
        kept > 0
    }
}

/// Rings and approaches that were asked for lately.
#[derive(Clone, Debug, Default)]
pub(crate) struct Whereabouts {
    rings: Vec<Rings>,
    /// Goals that cannot be reached from a part of the map, and the nearest cells of that part.
    approaches: Vec<(Subject, u32, Option<Cell>)>,
    /// The next of these to be replaced.
    oldest: usize,
    asked: u64,
    epoch: u64,
}

impl Whereabouts {
    /// A claim was given back, so that what was full may not be any more.
    pub(crate) fn reopen(&mut self) {
        self.epoch += 1;
    }

    /// The rings around a cell.
    pub(crate) fn rings(&mut self, ground: &Ground, profile: ProfileId, middle: Cell) -> &mut Rings {
        let subject = Subject::new(ground, profile, middle);
        self.asked += 1;
        let found = self.rings.iter().position(|rings| rings.subject == subject);
        let place = found.unwrap_or_else(|| self.make_room(subject));
        let rings = &mut self.rings[place];
        rings.used = self.asked;
        if rings.epoch != self.epoch {
            (rings.epoch, rings.full) = (self.epoch, 0);
        }
        rings
    }

    fn make_room(&mut self, subject: Subject) -> usize {
        if self.rings.len() < KEPT {
            let (cells, ends) = (Vec::with_capacity(ROOM), Vec::with_capacity(ROOM / 16));
            self.rings.push(Rings { subject, used: 0, cells, ends, full: 0, epoch: 0 });
        }
        let place = (0..self.rings.len()).min_by_key(|&place| self.rings[place].used).unwrap_or(0);
        self.rings[place].begin(subject);
        place
    }

    /// The cell to head for from a cell: the goal, or the nearest to it that can be reached.
    pub(crate) fn approach(
        &mut self,
        ground: &Ground,
        profile: ProfileId,
        from: Cell,
        goal: Pos,
    ) -> Option<Cell> {
        let cell = ground.cell(goal)?;
        if ground.reachable(from, cell) {
            return Some(cell);
        }
        let part = ground.components().label(ground, from)?;
        let subject = Subject::new(ground, profile, cell);
        let known = self.approaches.iter().find(|(about, of, _)| (*about, *of) == (subject, part));
        if let Some(&(.., approach)) = known {
            return approach;
        }
        let approach = ground.nearest_reachable(from, goal);
        if self.approaches.len() < KEPT {
            self.approaches.reserve_exact(KEPT - self.approaches.len());
            self.approaches.push((subject, part, approach));
        } else {
            self.approaches[self.oldest] = (subject, part, approach);
            self.oldest = (self.oldest + 1) % KEPT;
        }
        approach
    }
}

#[cfg(test)]
mod tests {
    use throng_grid::{Grid, MoveRules, Tiles};

    use super::*;

    /// The order by its definition: steps from the middle, then numbers.
    fn slowly(ground: &Ground, middle: Cell) -> Vec<(u32, Cell)> {
        let mut steps = vec![(0, middle)];
        for i in 0.. {
            let Some(&(far, cell)) = steps.get(i) else { break };
            for (_, next) in ground.neighbours(cell) {
                if steps.iter().all(|&(_, known)| known != next) {
                    steps.push((far + 1, next));
                }
            }
        }
        steps.sort_unstable();
        steps
    }

    #[test]
    fn cells_come_by_their_steps_from_the_middle() {
        let picture = "...#......\n.#.#.####.\n.#...#..#.\n.#####..#.\n..........";
        for rules in [MoveRules::default(), MoveRules::FOUR_WAY] {
            let grid = Grid::new(Tiles::picture(picture), rules);
            let (ground, mut whereabouts) = (grid.ground(), Whereabouts::default());
            for middle in ground.free_cells() {
                let rings = whereabouts.rings(ground, ProfileId(0), middle);
                let found = (0..).map_while(|i| Some((i, rings.cell(ground, i)?))).collect::<Vec<_>>();
                let found: Vec<_> = found.into_iter().map(|(i, cell)| (rings.ring(i), cell)).collect();
                assert_eq!(found, slowly(ground, middle));
                for (far, cell) in found {
                    let steps =
                        [0, far.saturating_sub(1), far, 9].map(|most| rings.steps(ground, cell, 0, most));
                    let known = |most: u32| (far <= most).then_some(far);
                    assert_eq!(steps, [known(0), known(far.saturating_sub(1)), known(far), known(9)]);
                }
            }
        }
    }

    #[test]
    fn approaches_follow_the_map() {
        let mut grid = Grid::new(Tiles::picture("...#."), MoveRules::default());
        let mut whereabouts = Whereabouts::default();
        let mut ask = |grid: &Grid, from: u32, to: i32| {
            whereabouts.approach(grid.ground(), ProfileId(0), Cell(from), Pos::new(to, 0))
        };
        assert_eq!([ask(&grid, 0, 1), ask(&grid, 0, 4), ask(&grid, 4, 1)], [1, 2, 4].map(|c| Some(Cell(c))));
        grid.block(Pos::new(2, 0));
        assert_eq!(
            [ask(&grid, 0, 1), ask(&grid, 0, 4), ask(&grid, 2, 1)],
            [Some(Cell(1)), Some(Cell(1)), None]
        );
    }
}
