//! Grounds that are known in part: cells that nobody has seen count as free, at the profile's lowest cost.
//!
//! This is the free-space assumption of S. Koenig, Y. Smirnov, *Sensor-Based Planning with the Freespace Assumption*,
//! ICRA 1997. A known ground is an ordinary [`Ground`]: its legal moves follow from the cells as they are known, and each
//! observation that changes a cell changes fingerprints and drops the connected components, as an edit does.

use super::state::CellState;
use crate::grid::Changes;
use crate::{BitGrid, Cell, Ground, Pos};

impl Ground {
    /// Returns a ground with the terrain of the seen cells. All other cells are free.
    #[must_use]
    pub fn known(&self, seen: &BitGrid) -> Self {
        let unseen = self.unseen();
        let state = |cell| if seen.get(self.size.pos(cell)) { self.cell_state(cell) } else { unseen };
        self.with_cells(self.size.cells().map(state))
    }

    /// Returns the state that a cell is assumed to have until it is seen.
    pub fn unseen(&self) -> CellState {
        CellState::new(self.profile.min_halves(), 0, false)
    }

    /// Returns a ground of the same size, rules and profile with other cells, in row order.
    #[must_use]
    pub fn with_cells(&self, cells: impl Iterator<Item = CellState>) -> Self {
        let mut ground = Self::new(self.size, self.rules, self.profile);
        ground.max_halves = self.max_halves;
        ground.fill(cells);
        ground
    }

    /// Copies the cells between two corners of the map, both included, from a ground of the same map and profile.
    /// Returns true if a cell changed.
    pub fn observe(&mut self, truth: &Self, min: Pos, max: Pos) -> bool {
        let changes = self.copy_cells(truth, min, max);
        let Some((min, max)) = changes.bounds else { return false };
        if changes.has_moves {
            let (min, max) =
                self.size.clipped(Pos::new(min.x - 1, min.y - 1), Pos::new(max.x + 1, max.y + 1));
            self.refresh_moves(min, max);
        }
        true
    }

    /// Copies the cells between two corners and returns what has changed. [`Ground::refresh_moves`] must follow if moves
    /// have.
    pub(crate) fn copy_cells(&mut self, truth: &Self, min: Pos, max: Pos) -> Changes {
        let mut changes = Changes::default();
        self.max_halves = self.max_halves.max(truth.max_halves);
        for y in min.y..=max.y {
            for word in min.x / 64..=max.x / 64 {
                let first = word * 64;
                let inside = u64::MAX << (min.x - first).max(0) & u64::MAX >> (first + 63 - max.x).max(0);
                let mut differing = self.differing(truth, word as usize, y as u32) & inside;
                while differing != 0 {
                    let pos = Pos::new(first + differing.trailing_zeros() as i32, y);
                    differing &= differing - 1;
                    let Some(cell) = self.size.cell(pos) else { continue };
                    changes.add(pos, self.set_cell(cell, truth.cell_state(cell)));
                }
            }
        }
        changes
    }

    /// Returns which of the 64 cells of one word of a row differ from those of another ground.
    fn differing(&self, other: &Self, word: usize, y: u32) -> u64 {
        let bits = |a: &BitGrid, b: &BitGrid| a.row(y)[word] ^ b.row(y)[word];
        let mut differing = bits(&self.rows, &other.rows) | bits(&self.open, &other.open);
        if !(self.is_uniform() && other.is_uniform()) {
            let width = self.size.width();
            let columns = word as u32 * 64..(word as u32 * 64 + 64).min(width);
            for (bit, cell) in columns.map(|x| Cell(y * width + x)).enumerate() {
                differing |= u64::from(self.cell_state(cell) != other.cell_state(cell)) << bit;
            }
        }
        differing
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::random_tiles;
    use crate::{BitGrid, Cell, Corners, Grid, Ground, MoveRules, Pos, Profile, Size, Terrain, Tiles};

    fn assert_same(a: &Ground, b: &Ground) {
        assert_eq!(a.fingerprint(), b.fingerprint());
        for cell in a.size().cells() {
            assert_eq!((a.cell_state(cell), a.moves(cell)), (b.cell_state(cell), b.moves(cell)), "{cell:?}");
        }
    }

    /// Returns the corners of the square of cells up to a distance from a cell.
    fn square(size: Size, cell: Cell, radius: i32) -> (Pos, Pos) {
        let at = size.pos(cell);
        size.clipped(Pos::new(at.x - radius, at.y - radius), Pos::new(at.x + radius, at.y + radius))
    }

    #[test]
    fn observed_cells_are_copied_and_all_others_are_free() {
        let all_rules = [Corners::Forbid, Corners::Allow, Corners::Mixed].map(MoveRules::eight_way);
        for seed in 0..60_u64 {
            let (width, height) = (1 + seed as u32 * 7 % 150, 1 + seed as u32 * 5 % 23);
            let rules = all_rules[seed as usize % 3];
            let mut grid = Grid::new(random_tiles(width, height, 30, seed), rules);
            let size = grid.size();
            let mut seen = BitGrid::new(width, height);
            let (mut ground, mut known) = (grid.ground().known(&seen), grid.known(&seen));
            assert_eq!(ground.free_count(), size.area());
            for round in 0..6 {
                let cell = Cell((seed as u32 * 31 + round * 97) % size.area() as u32);
                grid.block(size.pos(cell));
                let (min, max) = square(size, cell, round as i32);
                for pos in (min.y..=max.y).flat_map(|y| (min.x..=max.x).map(move |x| Pos::new(x, y))) {
                    seen.set(pos, true);
                }
                let changed = ground.observe(grid.ground(), min, max);
                assert_eq!(changed, known.observe(&grid, min, max));
                assert!(!ground.observe(grid.ground(), min, max), "nothing is new");
                assert_same(&ground, known.ground());
                assert_same(&ground, &grid.ground().known(&seen));
            }
        }
    }

    #[test]
    fn changes_out_of_sight_stay_unknown() {
        let mut grid = Grid::new(Tiles::picture("........"), MoveRules::default());
        let mut known = grid.known(&BitGrid::new(8, 1));
        let (min, max) = (Pos::new(0, 0), Pos::new(3, 0));
        grid.block(Pos::new(5, 0));
        assert!(!known.observe(&grid, min, max));
        assert_eq!(known.revision(), 0);
        grid.block(Pos::new(2, 0));
        assert!(known.observe(&grid, min, max));
        grid.unblock(Pos::new(2, 0));
        let is_free = |known: &Grid, x: u32| known.ground().is_free(Cell(x));
        assert_eq!([2, 5].map(|x| is_free(&known, x)), [false, true], "as it was seen");
        assert!(known.observe(&grid, min, max) && is_free(&known, 2));
        assert_eq!(known.revision(), 2);
    }

    #[test]
    fn unseen_cells_have_the_lowest_cost_of_each_profile() {
        let mut grid = Grid::with_profile(
            Tiles::filled(Size::new(9, 9).unwrap(), Terrain::Swamp),
            MoveRules::default(),
            Profile::WC3,
        );
        grid.add_profile(Profile::WALKER);
        let known = grid.known(&BitGrid::new(9, 9));
        for (known, truth) in known.grounds().iter().zip(grid.grounds()) {
            assert_eq!(known.cell_state(Cell(0)), truth.unseen());
        }
        let mut ground = known.ground().clone();
        assert!(ground.observe(grid.ground(), Pos::new(0, 0), Pos::new(8, 8)));
        assert_same(&ground, grid.ground());
    }
}
