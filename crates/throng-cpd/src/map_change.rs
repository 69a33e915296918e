//! The differences between a map and the map that its database was built for.
//!
//! A cell that was free and is not is a new wall; touching new walls form an area. If a move is new or cheaper, the
//! database's distances are no longer lower bounds: this module finds such moves, and `bounds.rs` derives valid bounds.

use throng_grid::{Cell, Direction, Ground, Pos, TILE, directions};
use throng_search::spec::MILLION;

use crate::database::Cpd;

/// The area of cells that are not new walls.
const NO_AREA: u32 = 0;

/// The area of new walls that are not labelled yet.
const UNLABELLED: u32 = u32::MAX;

/// The maximum edge multiplier of cells that have lost a move.
const LOST_MOVE: u32 = u32::MAX;

/// The differences between a map and its database, cached for one ground.
#[derive(Clone, Debug, Default)]
pub(crate) struct MapChange {
    /// Fingerprint of the ground that was compared last.
    seen: Option<u64>,
    /// The area of each new wall; [`NO_AREA`] for other cells.
    areas: Vec<u32>,
    /// Per cell: whether one of its eight neighbours is a new wall.
    beside_new_wall: Vec<bool>,
    /// The new walls.
    walls: Vec<Cell>,
    /// Per cell: whether it has lost a move or one of its moves costs more.
    worsened: Vec<bool>,
    /// The cells of which `worsened` is true.
    worsened_cells: Vec<Cell>,
    /// Cells that have gained a move.
    new_move_cells: Vec<Cell>,
    /// Minimum ratio of a move's cost now to its old cost, in millionths; at most a million.
    min_cost_ratio: u64,
}

impl MapChange {
    /// Compares a ground with the database's, unless it was compared last. Returns true if it was compared.
    pub(crate) fn refresh(&mut self, cpd: &Cpd, now: &Ground) -> bool {
        let fingerprint = now.fingerprint();
        if self.seen.replace(fingerprint) == Some(fingerprint) {
            return false;
        }
        let area = now.size().area();
        if self.areas.len() == area {
            for &wall in &self.walls {
                self.areas[wall.index()] = NO_AREA;
                neighbours(now, wall).for_each(|cell| self.beside_new_wall[cell.index()] = false);
            }
            for cell in self.worsened_cells.drain(..) {
                self.worsened[cell.index()] = false;
            }
        } else {
            self.areas = vec![NO_AREA; area];
            self.beside_new_wall = vec![false; area];
            self.worsened = vec![false; area];
            self.worsened_cells.clear();
        }
        self.walls.clear();
        self.new_move_cells.clear();
        self.min_cost_ratio = MILLION;
        let old = cpd.ground();
        if old.rules() == now.rules() {
            self.compare_tiles(old, now);
        } else {
            for cell in now.size().cells() {
                self.compare_cell(old, now, cell);
            }
        }
        self.label(now);
        true
    }

    /// Compares the cells of the tiles that differ, and of a border around them, where moves may differ too.
    fn compare_tiles(&mut self, old: &Ground, now: &Ground) {
        let size = now.size();
        for tile in 0..size.tile_count() {
            if old.tile_fingerprint(tile) == now.tile_fingerprint(tile) {
                continue;
            }
            let (Pos { x, y }, side) = (size.tile_corner(tile), TILE as i32);
            for y in (y - 1).max(0)..(y + side + 1).min(size.height() as i32) {
                for x in (x - 1).max(0)..(x + side + 1).min(size.width() as i32) {
                    if let Some(cell) = size.cell(Pos::new(x, y)) {
                        self.compare_cell(old, now, cell);
                    }
                }
            }
        }
    }

    fn compare_cell(&mut self, old: &Ground, now: &Ground, cell: Cell) {
        let (before, after) = (old.moves(cell), now.moves(cell));
        if before == after && old.cell_state(cell).halves() == now.cell_state(cell).halves() {
            // A cell without free neighbours has no moves, blocked or not; no path leads through it either way.
            return;
        }
        if old.is_free(cell) && !now.is_free(cell) {
            self.walls.push(cell);
        }
        if after & !before != 0 {
            self.new_move_cells.push(cell);
        }
        let mut is_worsened = before & !after != 0;
        for direction in directions(before & after) {
            let (before, after) = (old.cost(cell, direction), now.cost(cell, direction));
            self.min_cost_ratio = self.min_cost_ratio.min(u64::from(after) * MILLION / u64::from(before));
            is_worsened |= after > before;
        }
        if is_worsened && !self.worsened[cell.index()] {
            self.worsened[cell.index()] = true;
            self.worsened_cells.push(cell);
        }
    }

    /// Labels the areas of new walls, and marks the cells beside them.
    fn label(&mut self, now: &Ground) {
        // The borders of neighbouring tiles overlap.
        self.walls.sort_unstable();
        self.walls.dedup();
        self.new_move_cells.sort_unstable();
        self.new_move_cells.dedup();
        for &wall in &self.walls {
            self.areas[wall.index()] = UNLABELLED;
        }
        let (mut areas, mut stack) = (NO_AREA, Vec::new());
        for &wall in &self.walls {
            if self.areas[wall.index()] != UNLABELLED {
                continue;
            }
            areas += 1;
            self.areas[wall.index()] = areas;
            stack.push(wall);
            while let Some(cell) = stack.pop() {
                for beside in neighbours(now, cell) {
                    self.beside_new_wall[beside.index()] = true;
                    if self.areas[beside.index()] == UNLABELLED {
                        self.areas[beside.index()] = areas;
                        stack.push(beside);
                    }
                }
            }
        }
    }

    /// Returns the area of new walls that a cell belongs to; 0 if it is no new wall.
    #[inline]
    pub(crate) fn area(&self, cell: Cell) -> u32 {
        self.areas[cell.index()]
    }

    /// Returns true if one of the cell's eight neighbours is a new wall.
    #[inline]
    pub(crate) fn is_beside_new_wall(&self, cell: Cell) -> bool {
        self.beside_new_wall[cell.index()]
    }

    /// Returns true if the cell has lost a move or one of its moves costs more.
    #[inline]
    pub(crate) fn is_worsened(&self, cell: Cell) -> bool {
        self.worsened[cell.index()]
    }

    /// Returns the cells that have lost a move or have a move that costs more.
    pub(crate) fn worsened_cells(&self) -> &[Cell] {
        &self.worsened_cells
    }

    /// Writes the maximum edge multiplier of each cell: the maximum ratio of a move's cost now to its old cost in
    /// millionths, [`LOST_MOVE`] if a move is gone, or 0 if no move is gone or costs more.
    pub(crate) fn write_multipliers(&self, old: &Ground, now: &Ground, multipliers: &mut Vec<u32>) {
        multipliers.clear();
        multipliers.resize(now.size().area(), 0);
        for &cell in &self.worsened_cells {
            for direction in directions(old.moves(cell)) {
                let multiplier = if now.moves(cell) & direction.bit() == 0 {
                    LOST_MOVE
                } else {
                    let (before, after) = (old.cost(cell, direction), now.cost(cell, direction));
                    if after <= before {
                        continue;
                    }
                    u32::try_from(u64::from(after) * MILLION / u64::from(before)).unwrap_or(LOST_MOVE)
                };
                for end in [cell, old.step(cell, direction)] {
                    multipliers[end.index()] = multipliers[end.index()].max(multiplier);
                }
            }
        }
    }

    /// Returns the cells that have gained a move, in order.
    pub(crate) fn cells_with_new_moves(&self) -> &[Cell] {
        &self.new_move_cells
    }

    /// Returns true if a move is new or cheaper.
    pub(crate) fn may_shorten_paths(&self) -> bool {
        !self.new_move_cells.is_empty() || self.min_cost_ratio < MILLION
    }

    /// Returns the minimum ratio of a move's cost now to its old cost, in millionths.
    pub(crate) fn min_cost_ratio(&self) -> u64 {
        self.min_cost_ratio
    }
}

/// Returns the neighbours of a cell that lie on the map.
pub(crate) fn neighbours(ground: &Ground, cell: Cell) -> impl Iterator<Item = Cell> + '_ {
    let pos = ground.pos(cell);
    Direction::ALL.into_iter().filter_map(move |direction| ground.cell(pos + direction))
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_grid::{Grid, MoveRules, Profile, Terrain, Tiles};

    #[test]
    fn multipliers_are_the_largest_of_the_moves() {
        let tiles = Tiles::picture(".....\n.....\n.....");
        let mut grid = Grid::with_profile(tiles, MoveRules::default(), Profile::WC3);
        let cpd = Cpd::build(grid.ground());
        let multipliers = |grid: &Grid| {
            let (mut change, mut multipliers) = (MapChange::default(), Vec::new());
            change.refresh(&cpd, grid.ground());
            change.write_multipliers(cpd.ground(), grid.ground(), &mut multipliers);
            multipliers
        };
        assert_eq!(multipliers(&grid), [0; 15]);
        // A step from ground into water costs 1.75 times as much, and from water into water 2.5 times.
        grid.set_terrain(Pos::new(1, 1), Terrain::Water);
        let shore = 1_750_000;
        assert_eq!(multipliers(&grid)[..10], [shore, shore, shore, 0, 0, shore, shore, shore, 0, 0]);
        grid.set_terrain(Pos::new(2, 1), Terrain::Water);
        assert_eq!(multipliers(&grid)[5..10], [shore, 2_500_000, 2_500_000, shore, 0]);
        grid.block(Pos::new(4, 1));
        assert_eq!(multipliers(&grid)[2..5], [shore, LOST_MOVE, LOST_MOVE]);
    }
}
