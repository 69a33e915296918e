//! A river that winds from the left to the right edge of the level, with grassy banks, fords and bridges.

use super::districts::Districts;
use crate::generate::draw::walkable;
use crate::generate::noise::{Noise, RANGE};
use crate::{Pos, SeededRng, Terrain, Tiles};

/// Draws the river. `width` is its approximate width in cells.
pub(super) fn river(tiles: &mut Tiles, districts: &Districts, width: i32, rng: &mut SeededRng) {
    let size = tiles.size();
    let (columns, rows) = (size.width() as i32, size.height() as i32);
    let (bend, swell) = (Noise::new(rng.next_u64()), Noise::new(rng.next_u64()));
    let course = |x: i32| {
        let (wide, fine) = (bend.at(x, 0, columns / 4) - RANGE / 2, bend.at(x, 999, 24) - RANGE / 2);
        (rows / 2 + wide * rows / 2 / RANGE + fine * 10 / RANGE, width * (700 + swell.at(x, 0, 30)) / RANGE)
    };
    let step = (columns / 6).max(12);
    let mut next_bridge = step / 2 + rng.between(0, step / 3);
    for x in 0..columns {
        let (middle, width) = course(x);
        let crossing = x >= next_bridge && x < next_bridge + 4;
        if x == next_bridge + 4 {
            next_bridge += step + rng.between(-step / 4, step / 4);
        }
        let half = width / 2 + 1;
        let slope = (course(x + 1).0 - course(x - 1).0).abs() / 2;
        let (reach, bank) = (half + slope, half + slope + 2 + swell.at(x, 77, 9) * 5 / RANGE);
        for y in middle - bank..=middle + bank {
            let pos = Pos::new(x, y);
            if !districts.inside(pos) {
                continue;
            }
            let off = (y - middle).abs();
            let terrain = match (crossing, off <= reach) {
                (true, _) => Terrain::Ground,
                (false, true) if off == reach => Terrain::Swamp,
                (false, true) => Terrain::Water,
                (false, false) if walkable(tiles, pos) => continue,
                (false, false) => Terrain::Grass,
            };
            tiles.set(pos, terrain);
        }
    }
}
