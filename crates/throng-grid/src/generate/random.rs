//! Independent random walls, as in the random maps of the MovingAI benchmarks. The map may be disconnected.
//!
//! Reference: N. Sturtevant, "Benchmarks for Grid-Based Pathfinding", IEEE Transactions on Computational Intelligence
//! and AI in Games 4(2), 2012.

use super::{SeededRng, Values};
use crate::{Size, Terrain, Tiles};

pub(super) fn random(size: Size, rng: &mut SeededRng, values: &Values) -> Tiles {
    let walls = values.get("walls") as u32;
    Tiles::from_fn(size, |_| if rng.chance(walls) { Terrain::Wall } else { Terrain::Ground })
}
