//! The structure of a map: corridors, dead ends, articulation points and chokepoints.
//!
//! All classes are defined on the graph of legal moves of a [`Ground`], so corner rules and profiles are respected. The
//! degree of a cell is the number of its legal moves.
//!
//! - A *corridor* cell has degree two.
//! - A *dead end* has degree one or zero.
//! - A cell is *in a dead end* if it leads only to dead ends: it is removed when cells of degree at most one are
//!   removed repeatedly (it lies outside the 2-core of the graph). Its *depth* is the number of steps to the nearest
//!   cell that is not in a dead end. In a component without cycles, such as a perfect maze, every cell is in a dead
//!   end, and the depth is counted from the cell that is removed last.
//! - An *articulation point* is a cell whose removal splits its connected component.
//! - A *chokepoint* is a cell of a cut.
//!
//! # Chokepoints
//!
//! A *cut* is a straight run of at most [`MAX_CUT`] free cells in a row or a column, with a blocked cell or the map's
//! edge at both ends, that
//!
//! - separates its two sides locally: without the run's cells, and within the square window of radius
//!   [`WINDOW_RADIUS`] around the run's middle, no legal moves lead from the cells beside the run on one side to those
//!   on the other, and each side reaches at least [`MIN_SIDE_CELLS`] cells;
//! - is locally narrowest: it belongs to a stretch of equally long, adjacent runs, and no run of that stretch is
//!   adjacent to a shorter run.
//!
//! A door, a bridge and every cell of an even corridor are chokepoints. A narrow room with a narrower door is not a
//! chokepoint, nor is the gap between two pillars in the open, because a detour lies in the window. Diagonal cuts are
//! not detected.
//!
//! The time is near-linear in the number of cells: the window bounds the work per cut.

mod articulation;
mod chokepoints;
#[cfg(test)]
mod oracles;

pub use chokepoints::{MAX_CUT, MIN_SIDE_CELLS, WINDOW_RADIUS};

use crate::{Cell, Ground};

const CORRIDOR: u8 = 1;
const DEAD_END: u8 = 1 << 1;
const IN_DEAD_END: u8 = 1 << 2;
const ARTICULATION: u8 = 1 << 3;
const CHOKEPOINT: u8 = 1 << 4;

/// The structural class of every cell of a ground, at the time of the analysis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Regions {
    /// Per cell: the bits of its classes.
    flags: Vec<u8>,
    /// Per cell: the depth in a dead end, 0 elsewhere; empty if the map has no dead end.
    depths: Vec<u16>,
}

/// The number of cells of each class.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RegionCounts {
    /// Corridor cells.
    pub corridors: usize,
    /// Dead ends: cells with at most one legal move.
    pub dead_ends: usize,
    /// Cells in dead ends, the dead ends included.
    pub in_dead_ends: usize,
    /// Articulation points.
    pub articulations: usize,
    /// Chokepoint cells.
    pub chokepoints: usize,
}

impl Regions {
    /// Analyses the whole map.
    pub fn of(ground: &Ground) -> Self {
        let mut flags: Vec<u8> = ground
            .size()
            .cells()
            .map(|cell| match (ground.is_free(cell), ground.moves(cell).count_ones()) {
                (true, 0 | 1) => DEAD_END,
                (true, 2) => CORRIDOR,
                _ => 0,
            })
            .collect();
        let depths = dead_end_depths(ground, &mut flags);
        articulation::mark(ground, |cell| flags[cell.index()] |= ARTICULATION);
        chokepoints::mark(ground, |cell| flags[cell.index()] |= CHOKEPOINT);
        Self { flags, depths }
    }

    fn has(&self, cell: Cell, flag: u8) -> bool {
        self.flags[cell.index()] & flag != 0
    }

    /// Returns true if the cell has exactly two legal moves.
    pub fn is_corridor(&self, cell: Cell) -> bool {
        self.has(cell, CORRIDOR)
    }

    /// Returns true if the cell is free and has at most one legal move.
    pub fn is_dead_end(&self, cell: Cell) -> bool {
        self.has(cell, DEAD_END)
    }

    /// Returns true if the cell leads only to dead ends.
    pub fn is_in_dead_end(&self, cell: Cell) -> bool {
        self.has(cell, IN_DEAD_END)
    }

    /// Returns the number of steps from a cell out of its dead end, at most 65,535. 0 for cells that are not in a dead
    /// end, and for the last removed cell of a component without cycles.
    pub fn dead_end_depth(&self, cell: Cell) -> u16 {
        self.depths.get(cell.index()).copied().unwrap_or(0)
    }

    /// Returns true if the removal of the cell splits its connected component.
    pub fn is_articulation(&self, cell: Cell) -> bool {
        self.has(cell, ARTICULATION)
    }

    /// Returns true if the cell belongs to a cut.
    pub fn is_chokepoint(&self, cell: Cell) -> bool {
        self.has(cell, CHOKEPOINT)
    }

    /// Returns the number of cells of each class.
    pub fn counts(&self) -> RegionCounts {
        let count = |flag| self.flags.iter().filter(|&flags| flags & flag != 0).count();
        RegionCounts {
            corridors: count(CORRIDOR),
            dead_ends: count(DEAD_END),
            in_dead_ends: count(IN_DEAD_END),
            articulations: count(ARTICULATION),
            chokepoints: count(CHOKEPOINT),
        }
    }
}

/// Removes cells of degree at most one until none is left, flags them, and returns their depths. Depths are computed in
/// reverse order of removal: the last neighbour of a removed cell leads out and is removed later or not at all.
fn dead_end_depths(ground: &Ground, flags: &mut [u8]) -> Vec<u16> {
    let mut removed: Vec<(Cell, Option<Cell>)> = ground
        .size()
        .cells()
        .filter(|cell| flags[cell.index()] & DEAD_END != 0)
        .map(|cell| (cell, None))
        .collect();
    if removed.is_empty() {
        return Vec::new();
    }
    let mut degree: Vec<u8> =
        ground.size().cells().map(|cell| ground.moves(cell).count_ones() as u8).collect();
    let mut next = 0;
    while next < removed.len() {
        let cell = removed[next].0;
        flags[cell.index()] |= IN_DEAD_END;
        let out = ground.neighbours(cell).map(|(_, to)| to).find(|to| flags[to.index()] & IN_DEAD_END == 0);
        removed[next].1 = out;
        if let Some(out) = out {
            degree[out.index()] -= 1;
            if degree[out.index()] == 1 {
                removed.push((out, None));
            }
        }
        next += 1;
    }
    let mut depths = vec![0_u16; ground.size().area()];
    for &(cell, out) in removed.iter().rev() {
        if let Some(out) = out {
            depths[cell.index()] = depths[out.index()].saturating_add(1);
        }
    }
    depths
}

#[cfg(test)]
mod tests;
