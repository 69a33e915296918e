//! Helpers shared by the tests of several modules.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::{Size, Terrain, Tiles};

/// Returns a map of independent random cells: `walls` percent walls, otherwise mostly ground, some swamp, water and
/// trees.
pub(crate) fn random_tiles(width: u32, height: u32, walls: u32, seed: u64) -> Tiles {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let size = Size::new(width, height).unwrap();
    let terrain = size.cells().map(|_| match random.next_u32() % 100 {
        roll if roll < walls => Terrain::Wall,
        roll if roll >= 96 => Terrain::ALL[2 + roll as usize % 3],
        _ => Terrain::Ground,
    });
    Tiles::from_terrain(size, terrain.collect()).unwrap()
}
