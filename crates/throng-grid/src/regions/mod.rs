//! The structure of a map: corridors, dead ends, articulation points and chokepoints.
//!
//! All classes are defined on the graph of legal moves of a [`Ground`], so corner rules and profiles are respected. The
//! degree of a cell is the number of its legal moves.
//!
//! - A *corridor* cell has degree two.
//! - A *dead end* has degree one or zero.
//! - A cell is *in a dead end* if it leads only to dead ends: it is removed when cells of degree at most one are
//!   removed repeatedly (it lies outside the 2-core of the graph). In a component without cycles, such as a perfect
//!   maze, every cell is in a dead end.
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

pub use articulation::ArticulationSearch;
pub use chokepoints::{MAX_CUT, MIN_SIDE_CELLS, WINDOW_RADIUS};

use crate::{Cell, Ground};

/// A structural class of cells. A cell may have several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Region {
    /// The cell has exactly two legal moves.
    Corridor = 1,
    /// The cell is free and has at most one legal move.
    DeadEnd = 1 << 1,
    /// The cell leads only to dead ends, or is one.
    InDeadEnd = 1 << 2,
    /// The removal of the cell splits its connected component.
    Articulation = 1 << 3,
    /// The cell belongs to a cut.
    Chokepoint = 1 << 4,
}

/// The structural classes of every cell of a ground, at the time of the analysis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Regions {
    /// Per cell: the bits of its classes.
    flags: Vec<u8>,
}

impl Regions {
    /// Analyses the whole map.
    pub fn of(ground: &Ground) -> Self {
        let mut flags: Vec<u8> = ground
            .size()
            .cells()
            .map(|cell| match (ground.is_free(cell), ground.moves(cell).count_ones()) {
                (true, 0 | 1) => Region::DeadEnd as u8,
                (true, 2) => Region::Corridor as u8,
                _ => 0,
            })
            .collect();
        mark_dead_ends(ground, &mut flags);
        let mut search = ArticulationSearch::new(ground);
        search.step(ground, usize::MAX, |cell| flags[cell.index()] |= Region::Articulation as u8);
        chokepoints::mark(ground, |cell| flags[cell.index()] |= Region::Chokepoint as u8);
        Self { flags }
    }

    /// Returns true if a cell is of a class.
    pub fn is(&self, cell: Cell, region: Region) -> bool {
        self.flags[cell.index()] & region as u8 != 0
    }

    /// Returns the number of cells of a class.
    pub fn count(&self, region: Region) -> usize {
        self.flags.iter().filter(|&flags| flags & region as u8 != 0).count()
    }
}

/// Removes cells of degree at most one until none is left, and flags them.
fn mark_dead_ends(ground: &Ground, flags: &mut [u8]) {
    let is = |flags: u8, region: Region| flags & region as u8 != 0;
    let mut degree: Vec<u8> =
        ground.size().cells().map(|cell| ground.moves(cell).count_ones() as u8).collect();
    let mut removed: Vec<Cell> =
        ground.free_cells().filter(|cell| is(flags[cell.index()], Region::DeadEnd)).collect();
    while let Some(cell) = removed.pop() {
        flags[cell.index()] |= Region::InDeadEnd as u8;
        for (_, to) in ground.neighbours(cell).filter(|(_, to)| !is(flags[to.index()], Region::InDeadEnd)) {
            degree[to.index()] -= 1;
            if degree[to.index()] == 1 {
                removed.push(to);
            }
        }
    }
}

#[cfg(test)]
mod tests;
