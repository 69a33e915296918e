//! What the tests of several modules share.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::{Size, Terrain, Tiles};

/// Independent cells: walls at the given percentage, otherwise any enterable terrain, mostly ground.
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
