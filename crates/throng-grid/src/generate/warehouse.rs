//! A warehouse: blocks of shelves with aisles between them and an open strip on the left and right, as in the warehouse
//! maps of the MAPF benchmarks. Every block is surrounded by free cells, so the map is connected.
//!
//! Reference: R. Stern et al., "Multi-Agent Pathfinding: Definitions, Variants, and Benchmarks", Symposium on
//! Combinatorial Search, 2019.

use super::draw::{Rect, fill};
use super::{SeededRng, Values};
use crate::{Size, Terrain, Tiles};

pub(super) fn warehouse(size: Size, rng: &mut SeededRng, values: &Values) -> Tiles {
    let [length, depth, aisle, strip] =
        ["length", "depth", "aisle", "strip"].map(|name| values.get(name) as i32);
    let missing = values.get("missing") as u32;
    let mut tiles = Tiles::filled(size, Terrain::Ground);
    let (width, height) = (size.width() as i32, size.height() as i32);
    // Whole blocks only; the remaining width and height is divided between both sides.
    let columns = (width - 2 * strip + aisle) / (length + aisle);
    let rows = (height - 2 * aisle + aisle) / (depth + aisle);
    let left = (width - (columns * (length + aisle) - aisle)) / 2;
    let top = (height - (rows * (depth + aisle) - aisle)) / 2;
    for row in 0..rows {
        for column in 0..columns {
            let (x, y) = (left + column * (length + aisle), top + row * (depth + aisle));
            if !rng.chance(missing) {
                fill(&mut tiles, Rect::new(x, y, x + length, y + depth), Terrain::Wall);
            }
        }
    }
    tiles
}
