//! Caves from a cellular automaton: random walls are smoothed by the majority of each cell's neighbourhood
//! (L. Johnson, G. Yannakakis, J. Togelius, "Cellular automata for real-time generation of infinite cave
//! levels", 2010). Large caves are joined by tunnels, small pockets filled.

use super::connect::{connect, fill_pockets, keep_largest};
use super::{SeededRng, Values};
use crate::{Size, Terrain, Tiles};

pub(super) fn caves(size: Size, rng: &mut SeededRng, values: &Values) -> Tiles {
    let cells = grow(size, rng, values.get("walls") as u32, values.get("steps") as u32);
    let terrain = cells.into_iter().map(|wall| if wall { Terrain::Wall } else { Terrain::Ground });
    let mut tiles = Tiles::from_terrain(size, terrain.collect()).expect("a terrain for each cell");
    fill_pockets(&mut tiles, (size.area() / 100).clamp(4, 40) as u32, Terrain::Wall);
    connect(&mut tiles, values.get("tunnel") as i32);
    if keep_largest(&mut tiles, Terrain::Wall) == 0 {
        // Too small or too dense a map for any cave: one cell is free, so that no map is without a place.
        tiles.set(super::draw::Rect::of(size).middle(), Terrain::Ground);
    }
    tiles
}

/// The automaton: whether each cell is a wall. The border and what lies beyond it are walls.
pub(super) fn grow(size: Size, rng: &mut SeededRng, walls: u32, steps: u32) -> Vec<bool> {
    let (width, height) = (size.width() as usize, size.height() as usize);
    let cells = size
        .cells()
        .map(|cell| {
            let pos = size.pos(cell);
            let border =
                pos.x == 0 || pos.y == 0 || pos.x as usize + 1 == width || pos.y as usize + 1 == height;
            rng.chance(walls) || border
        })
        .collect();
    smooth(size, cells, steps)
}

/// Each cell becomes what most of the nine cells around and including it are; the outermost ring stays.
pub(super) fn smooth(size: Size, mut cells: Vec<bool>, steps: u32) -> Vec<bool> {
    let (width, height) = (size.width() as usize, size.height() as usize);
    // Walls in each column of three rows, so that a cell's neighbourhood is the sum of three columns.
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
