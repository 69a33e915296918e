//! The structure of a map: corridors, dead ends, cells that hold it together, and chokepoints.
//!
//! All of it is read off the graph of legal moves of a [`Ground`]: two cells are joined when a legal step leads
//! from one to the other, so corner rules and profiles are respected. The degree of a cell is the number of its
//! legal moves.
//!
//! - A *corridor* cell has degree two.
//! - A *dead end* has degree one or zero.
//! - A *blind* cell lies on the way into dead ends only: it goes when cells of degree at most one are taken away
//!   again and again. Its *depth* is the number of steps to the nearest cell that is not blind, which is where
//!   the blind alley begins. Where everything reachable is blind (a maze without loops), depth counts from the
//!   last cell that would be taken away.
//! - An *articulation* cell is one without which cells that reached each other no longer do (J. Hopcroft and
//!   R. Tarjan, "Algorithm 447: efficient algorithms for graph manipulation", 1973; here without recursion).
//! - A *chokepoint* is explained in the module's section below.
//!
//! # Chokepoints
//!
//! A *cut* is a straight run of at most [`MAX_CUT`] free cells in a row or a column, with a blocked cell (or the
//! map's edge) at both ends, that
//!
//! - separates its two sides nearby: without the run's cells, and without leaving the square window of
//!   [`WINDOW_RADIUS`] cells in each direction around the run's middle, no legal steps lead from the cells beside the
//!   run on one side to those on the other, and both sides reach at least [`MIN_SIDE_CELLS`] cells;
//! - is where the way is narrowest: the run belongs to a stretch of equally long runs, each beside the next, and
//!   no run of that stretch lies beside a shorter one.
//!
//! A chokepoint is a cell of a cut. A door, a bridge and every cell of an even corridor are chokepoints. A narrow
//! room is not one when its door is narrower, nor is the gap between two pillars in the open, because there is a
//! way around it in the window. Cuts along diagonals are not looked for.
//!
//! Everything is near-linear in the number of cells: the window bounds the work of each cut.

mod articulation;
mod chokepoints;
#[cfg(test)]
mod oracles;

pub use chokepoints::{MAX_CUT, MIN_SIDE_CELLS, WINDOW_RADIUS};

use crate::{Cell, Ground};

const CORRIDOR: u8 = 1;
const DEAD_END: u8 = 1 << 1;
const BLIND: u8 = 1 << 2;
const ARTICULATION: u8 = 1 << 3;
const CHOKEPOINT: u8 = 1 << 4;

/// What each cell is to the map around it, at the time it was looked at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Regions {
    flags: Vec<u8>,
    /// Depths of blind cells; empty when there are none.
    depths: Vec<u16>,
}

/// How many cells there are of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RegionCounts {
    /// Corridor cells.
    pub corridors: usize,
    /// Dead ends.
    pub dead_ends: usize,
    /// Blind cells, dead ends included.
    pub in_dead_ends: usize,
    /// Articulation cells.
    pub articulations: usize,
    /// Chokepoint cells.
    pub chokepoints: usize,
}

impl Regions {
    /// Looks at the whole map.
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
        let depths = blind_depths(ground, &mut flags);
        articulation::mark(ground, |cell| flags[cell.index()] |= ARTICULATION);
        chokepoints::mark(ground, |cell| flags[cell.index()] |= CHOKEPOINT);
        Self { flags, depths }
    }

    fn has(&self, cell: Cell, flag: u8) -> bool {
        self.flags[cell.index()] & flag != 0
    }

    /// Whether the cell has exactly two legal moves.
    pub fn is_corridor(&self, cell: Cell) -> bool {
        self.has(cell, CORRIDOR)
    }

    /// Whether the cell is free and has at most one legal move.
    pub fn is_dead_end(&self, cell: Cell) -> bool {
        self.has(cell, DEAD_END)
    }

    /// Whether the cell only leads to dead ends.
    pub fn is_in_dead_end(&self, cell: Cell) -> bool {
        self.has(cell, BLIND)
    }

    /// Steps from a blind cell out of its blind alley, at most 65,535; 0 for cells that are not blind, and for
    /// the last one where everything is.
    pub fn dead_end_depth(&self, cell: Cell) -> u16 {
        self.depths.get(cell.index()).copied().unwrap_or(0)
    }

    /// Whether cells that reach each other would not do so without this one.
    pub fn is_articulation(&self, cell: Cell) -> bool {
        self.has(cell, ARTICULATION)
    }

    /// Whether the cell is part of a narrow cut between two sides.
    pub fn is_chokepoint(&self, cell: Cell) -> bool {
        self.has(cell, CHOKEPOINT)
    }

    /// How many cells there are of each kind.
    pub fn counts(&self) -> RegionCounts {
        let count = |flag| self.flags.iter().filter(|&flags| flags & flag != 0).count();
        RegionCounts {
            corridors: count(CORRIDOR),
            dead_ends: count(DEAD_END),
            in_dead_ends: count(BLIND),
            articulations: count(ARTICULATION),
            chokepoints: count(CHOKEPOINT),
        }
    }
}

/// Takes cells of degree at most one away until none is left, and counts depths in the reverse order: the one
/// neighbour that a cell still had leads out, and went later or stays.
fn blind_depths(ground: &Ground, flags: &mut [u8]) -> Vec<u16> {
    let mut gone: Vec<(Cell, Option<Cell>)> = ground
        .size()
        .cells()
        .filter(|cell| flags[cell.index()] & DEAD_END != 0)
        .map(|cell| (cell, None))
        .collect();
    if gone.is_empty() {
        return Vec::new();
    }
    let mut degree: Vec<u8> =
        ground.size().cells().map(|cell| ground.moves(cell).count_ones() as u8).collect();
    let mut next = 0;
    while next < gone.len() {
        let cell = gone[next].0;
        flags[cell.index()] |= BLIND;
        let out = ground.neighbours(cell).map(|(_, to)| to).find(|to| flags[to.index()] & BLIND == 0);
        gone[next].1 = out;
        if let Some(out) = out {
            degree[out.index()] -= 1;
            if degree[out.index()] == 1 {
                gone.push((out, None));
            }
        }
        next += 1;
    }
    let mut depths = vec![0_u16; ground.size().area()];
    for &(cell, out) in gone.iter().rev() {
        if let Some(out) = out {
            depths[cell.index()] = depths[out.index()].saturating_add(1);
        }
    }
    depths
}

#[cfg(test)]
mod tests;
