//! Hashes of database files and of the maps they are built for: XXH3 with 64 bits.
//!
//! They detect accidents, not attacks: anyone can alter a file and compute a matching checksum.

use throng_grid::{Cell, Ground};
use twox_hash::XxHash3_64;

/// Returns the checksum of a part of a file.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// Returns a hash of everything that shortest paths depend on: map size, legal moves and costs. Two grounds with
/// different corner rules have the same fingerprint if all their legal moves are equal.
pub(crate) fn map_fingerprint(ground: &Ground) -> u64 {
    let size = ground.size();
    let uniform_halves = ground.profile().min_halves();
    let mut cells = Vec::with_capacity(2 * size.area());
    for y in 0..size.height() {
        let free = ground.rows().row(y);
        for x in 0..size.width() {
            let cell = Cell(y * size.width() + x);
            let is_free = (free[x as usize / 64] >> (x % 64) & 1) as u8;
            let halves = ground.halves().get(cell.index()).copied().unwrap_or(uniform_halves);
            cells.extend([ground.moves(cell), halves * is_free]);
        }
    }
    XxHash3_64::oneshot_with_seed(u64::from(size.width()) << 32 | u64::from(size.height()), &cells)
}
