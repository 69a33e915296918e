//! Caves from a cellular automaton: random walls are smoothed by the majority of each cell's neighbourhood. Large
//! caves are connected by tunnels, small ones filled.
//!
//! Reference: L. Johnson, G. N. Yannakakis, J. Togelius, "Cellular automata for real-time generation of infinite cave
//! levels", Workshop on Procedural Content Generation in Games, 2010.

use super::connect::join_components;
use super::draw::Rect;
use super::{SeededRng, Values};
use crate::{Size, Terrain, Tiles};

pub(super) fn caves(size: Size, rng: &mut SeededRng, values: &Values) -> Tiles {
    let cells = grow(size, rng, values.get("walls") as u32, values.get("steps") as u32);
    let mut tiles =
        Tiles::from_fn(size, |cell| if cells[cell.index()] { Terrain::Wall } else { Terrain::Ground });
    let min_cells = (size.area() / 100).clamp(4, 40) as u32;
    join_components(&mut tiles, min_cells, values.get("tunnel") as i32);
    tiles
}

/// Runs the automaton. Returns, per cell, true for a wall. The outermost ring is wall.
pub(super) fn grow(size: Size, rng: &mut SeededRng, walls: u32, steps: u32) -> Vec<bool> {
    let inner = Rect::of(size).inset(1);
    let cells = size.cells().map(|cell| rng.chance(walls) || !inner.contains(size.pos(cell))).collect();
    smooth(size, cells, steps)
}

/// Applies the majority rule to the 3×3 neighbourhood of each cell, `steps` times. The outermost ring does not change.
pub(super) fn smooth(size: Size, mut cells: Vec<bool>, steps: u32) -> Vec<bool> {
    let (width, height) = (size.width() as usize, size.height() as usize);
    // Walls per column of three rows: a neighbourhood is the sum of three columns.
    let mut columns = vec![0_u8; width];
    let mut next = cells.clone();
    for _ in 0..steps {
        for y in 1..height.saturating_sub(1) {
            let rows = cells[(y - 1) * width..(y + 2) * width].split_at(width);
            let (above, (here, below)) = (rows.0, rows.1.split_at(width));
            for (x, column) in columns.iter_mut().enumerate() {
                *column = u8::from(above[x]) + u8::from(here[x]) + u8::from(below[x]);
            }
            let inner = &mut next[y * width + 1..(y + 1) * width - 1];
            for (cell, three) in inner.iter_mut().zip(columns.windows(3)) {
                *cell = three[0] + three[1] + three[2] >= 5;
            }
        }
        std::mem::swap(&mut cells, &mut next);
    }
    cells
}
