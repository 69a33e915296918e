//! What has changed on a map since its database was built.
//!
//! Cells that were free and are not are new walls; walls that touch are one area. If any move is new or cheaper the
//! database's distances are no lower bounds any more, so that is found out too, and what bounds can be made of it.

use throng_grid::{Cell, Direction, Ground, Pos, TILE, directions};
use throng_search::spec::MILLION;

use crate::database::Cpd;

/// No area.
const NO_AREA: u32 = 0;

/// An area that has no number yet.
const UNLABELLED: u32 = u32::MAX;

/// The differences between a map and its database, kept until another ground is looked at.
#[derive(Clone, Debug, Default)]
pub(crate) struct MapChange {
    seen: Option<u64>,
    /// For each cell the area of new walls that it belongs to, [`NO_AREA`] for all others.
    areas: Vec<u32>,
    /// Whether a cell has a new wall among its eight neighbours.
    beside: Vec<bool>,
    walls: Vec<Cell>,
    /// Whether a cell has lost a move or has one that is dearer than it was; and which cells do.
    hindered: Vec<bool>,
    hindrances: Vec<Cell>,
    /// Cells that have a move which they had not.
    gained: Vec<Cell>,
    /// The smallest share of its old cost that any move has now, in millionths; at most a million.
    scale: u64,
}

impl MapChange {
    /// Looks at a ground, unless it is the one looked at last.
    pub(crate) fn refresh(&mut self, cpd: &Cpd, now: &Ground) {
        let fingerprint = now.fingerprint();
        if self.seen == Some(fingerprint) {
            return;
        }
        self.seen = Some(fingerprint);
        let area = now.size().area();
        if self.areas.len() == area {
            for &wall in &self.walls {
                self.areas[wall.index()] = NO_AREA;
                around(now, wall).for_each(|cell| self.beside[cell.index()] = false);
            }
            for cell in self.hindrances.drain(..) {
                self.hindered[cell.index()] = false;
            }
        } else {
            self.areas = vec![NO_AREA; area];
            self.beside = vec![false; area];
            self.hindered = vec![false; area];
            self.hindrances.clear();
        }
        self.walls.clear();
        self.gained.clear();
        self.scale = MILLION;
        let old = cpd.ground();
        if old.rules() == now.rules() {
            self.look_at_tiles(old, now);
        } else {
            for cell in now.size().cells() {
                self.look_at(old, now, cell);
            }
        }
        self.label(now);
    }

    /// Looks at the cells of the tiles that differ, and at those beside them, whose moves may differ too.
    fn look_at_tiles(&mut self, old: &Ground, now: &Ground) {
        let size = now.size();
        for tile in 0..size.tile_count() {
            if old.tile_fingerprint(tile) == now.tile_fingerprint(tile) {
                continue;
            }
            let (Pos { x, y }, side) = (size.tile_corner(tile), TILE as i32);
            for y in (y - 1).max(0)..(y + side + 1).min(size.height() as i32) {
                for x in (x - 1).max(0)..(x + side + 1).min(size.width() as i32) {
                    if let Some(cell) = size.cell(Pos::new(x, y)) {
                        self.look_at(old, now, cell);
                    }
                }
            }
        }
    }

    fn look_at(&mut self, old: &Ground, now: &Ground, cell: Cell) {
        let (before, after) = (old.moves(cell), now.moves(cell));
        if before == after && old.halves().get(cell.index()) == now.halves().get(cell.index()) {
            // A cell without neighbours has no moves, blocked or not; nobody comes there either way.
            return;
        }
        if old.is_free(cell) && !now.is_free(cell) {
            self.walls.push(cell);
        }
        if after & !before != 0 {
            self.gained.push(cell);
        }
        let mut is_hindered = before & !after != 0;
        for direction in directions(before & after) {
            let (before, after) = (old.cost(cell, direction), now.cost(cell, direction));
            self.scale = self.scale.min(u64::from(after) * MILLION / u64::from(before));
            is_hindered |= after > before;
        }
        if is_hindered && !self.hindered[cell.index()] {
            self.hindered[cell.index()] = true;
            self.hindrances.push(cell);
        }
    }

    /// Numbers the areas of new walls, and marks the cells around them.
    fn label(&mut self, now: &Ground) {
        // Tiles overlap where both are looked at.
        self.walls.sort_unstable();
        self.walls.dedup();
        self.gained.sort_unstable();
        self.gained.dedup();
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
                for beside in around(now, cell) {
                    self.beside[beside.index()] = true;
                    if self.areas[beside.index()] == UNLABELLED {
                        self.areas[beside.index()] = areas;
                        stack.push(beside);
                    }
                }
            }
        }
    }

    /// The area of new walls that a cell belongs to.
    #[inline]
    pub(crate) fn area(&self, cell: Cell) -> u32 {
        self.areas[cell.index()]
    }

    /// Whether a cell has a new wall among its eight neighbours.
    #[inline]
    pub(crate) fn is_beside(&self, cell: Cell) -> bool {
        self.beside[cell.index()]
    }

    /// Whether a cell has lost a move, or has one that is dearer than it was.
    #[inline]
    pub(crate) fn is_hindered(&self, cell: Cell) -> bool {
        self.hindered[cell.index()]
    }

    /// The cells that have lost a move, or have one that is dearer than it was.
    pub(crate) fn hindrances(&self) -> &[Cell] {
        &self.hindrances
    }

    /// Cells that have a move which they had not, in order.
    pub(crate) fn gained(&self) -> &[Cell] {
        &self.gained
    }

    /// Whether any move is new or cheaper.
    pub(crate) fn helps(&self) -> bool {
        !self.gained.is_empty() || self.scale < MILLION
    }

    /// The smallest share of its old cost that any move has now, in millionths.
    pub(crate) fn scale(&self) -> u64 {
        self.scale
    }
}

/// The cells around a cell, as far as they are on the map.
pub(crate) fn around(ground: &Ground, cell: Cell) -> impl Iterator<Item = Cell> + '_ {
    let pos = ground.pos(cell);
    Direction::ALL.into_iter().filter_map(move |direction| ground.cell(pos + direction))
}
