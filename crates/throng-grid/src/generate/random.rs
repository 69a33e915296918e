//! Independent cells, as the random maps of the MovingAI benchmarks (N. Sturtevant, "Benchmarks for Grid-Based
//! Pathfinding", 2012). Nothing is connected on purpose.

use super::{SeededRng, Values};
use crate::{Size, Terrain, Tiles};

pub(super) fn random(size: Size, rng: &mut SeededRng, values: &Values) -> Tiles {
    let walls = values.get("walls") as u32;
    let terrain = size.cells().map(|_| if rng.chance(walls) { Terrain::Wall } else { Terrain::Ground });
    Tiles::from_terrain(size, terrain.collect()).expect("a terrain for each cell")
}
