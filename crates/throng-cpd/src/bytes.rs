//! Checksums, and a hash of what a database depends on.

use throng_grid::{Cell, Ground};

const PRIMES: [u64; 4] =
    [0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x27D4_EB2F_1656_67C5];

/// A sum of words in four lanes, so that it is as fast as memory. It finds accidents: whoever alters data on purpose
/// can make it fit again.
#[derive(Clone, Copy, Debug)]
struct Sum {
    lanes: [u64; 4],
    words: u64,
}

impl Sum {
    const fn new() -> Self {
        Self { lanes: PRIMES, words: 0 }
    }

    #[inline]
    fn add(&mut self, words: [u64; 4]) {
        for (i, lane) in self.lanes.iter_mut().enumerate() {
            *lane = (*lane ^ words[i]).wrapping_mul(PRIMES[i]).rotate_left(31);
        }
        self.words += 4;
    }

    fn finish(self, length: u64) -> u64 {
        let mixed = |sum: u64, lane: u64| (sum ^ lane ^ lane >> 29).wrapping_mul(PRIMES[0]).rotate_left(27);
        let sum = self.lanes.into_iter().fold(length ^ self.words, mixed);
        sum ^ sum >> 32
    }
}

/// A checksum of bytes.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let mut sum = Sum::new();
    let mut blocks = bytes.chunks_exact(32);
    for block in &mut blocks {
        sum.add(words(block));
    }
    let mut rest = [0; 32];
    rest[..blocks.remainder().len()].copy_from_slice(blocks.remainder());
    sum.add(words(&rest));
    sum.finish(bytes.len() as u64)
}

/// Four little-endian words.
#[inline]
fn words(block: &[u8]) -> [u64; 4] {
    let mut words = [0; 4];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(8)) {
        *word = bytes.try_into().map_or(0, u64::from_le_bytes);
    }
    words
}

/// A hash of the legal moves and costs of a ground: of everything that shortest paths depend on. Grounds that differ
/// in a corner rule but in no move have the same.
pub(crate) fn map_fingerprint(ground: &Ground) -> u64 {
    let size = ground.size();
    let plain = ground.profile().min_halves();
    let mut cells = Vec::with_capacity(2 * size.area());
    for y in 0..size.height() {
        let free = ground.rows().row(y);
        for x in 0..size.width() {
            let cell = Cell(y * size.width() + x);
            let is_free = (free[x as usize / 64] >> (x % 64) & 1) as u8;
            let halves = ground.halves().get(cell.index()).copied().unwrap_or(plain);
            cells.extend([ground.moves(cell), halves * is_free]);
        }
    }
    checksum(&cells) ^ (u64::from(size.width()) << 32 | u64::from(size.height())).wrapping_mul(PRIMES[1])
}
