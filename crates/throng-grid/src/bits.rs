//! A bitmap with a blocked border, laid out for scanning whole words along a row.

use crate::{DirectionSet, Pos};

/// Words before the first row: a scan that ends left of the map still looks at its neighbouring rows' words, and at
/// the one before them.
const GUARD: usize = 2;

/// One bit a cell, rows padded to whole words. A column left and right of the map and a row above and below it
/// exist and are zero, so that scans and neighbour look-ups need no bounds checks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BitGrid {
    /// [`GUARD`] words, the guard row above, the rows, the guard row below, a guard word.
    words: Vec<u64>,
    /// Words a row; at least one padding bit ends each row, and guards the start of the next.
    stride: usize,
    width: u32,
    height: u32,
}

impl BitGrid {
    /// All zero.
    pub fn new(width: u32, height: u32) -> Self {
        let stride = width as usize / 64 + 1;
        Self { words: vec![0; stride * (height as usize + 2) + GUARD + 1], stride, width, height }
    }

    /// Number of columns.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Number of rows.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The words, guard rows included; [`BitGrid::bit`] says where a place is.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Words from one row to the next.
    #[inline]
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// The number of a place's bit: bit `b` is bit `b % 64` of word `b / 64`. Places up to one cell outside
    /// the map have one too.
    #[inline]
    pub fn bit(&self, x: i32, y: i32) -> usize {
        ((y + 1) as usize * self.stride * 64 + GUARD * 64).wrapping_add_signed(x as isize)
    }

    /// The words of one row.
    #[inline]
    pub fn row(&self, y: u32) -> &[u64] {
        let start = (y as usize + 1) * self.stride + GUARD;
        &self.words[start..start + self.stride]
    }

    /// The bit of a place inside the map or on its border.
    #[inline]
    pub fn get(&self, pos: Pos) -> bool {
        let bit = self.bit(pos.x, pos.y);
        self.words[bit >> 6] >> (bit & 63) & 1 == 1
    }

    /// Sets the bit of a place inside the map.
    #[inline]
    pub fn set(&mut self, pos: Pos, value: bool) {
        debug_assert!((pos.x as u32) < self.width && (pos.y as u32) < self.height, "{pos} is outside");
        let bit = self.bit(pos.x, pos.y);
        let mask = 1 << (bit & 63);
        if value {
            self.words[bit >> 6] |= mask;
        } else {
            self.words[bit >> 6] &= !mask;
        }
    }

    /// How many bits are set.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The bits of the eight neighbours, as a set of directions.
    #[inline]
    pub fn neighbours(&self, pos: Pos) -> DirectionSet {
        let triple = |y: i32| {
            let bit = self.bit(pos.x - 1, y);
            let (word, shift) = (bit >> 6, bit & 63);
            self.words[word] >> shift | self.words[word + 1] << 1 << (63 - shift)
        };
        around(triple(pos.y - 1), triple(pos.y), triple(pos.y + 1))
    }

    /// The neighbours of the 64 cells of one word of a row, as [`BitGrid::neighbours`] gives them.
    pub(crate) fn neighbours_of_word(&self, word: usize, y: u32) -> [DirectionSet; 64] {
        let at = (y as usize + 1) * self.stride + GUARD + word;
        let left = |at: usize| self.words[at] << 1 | self.words[at - 1] >> 63;
        let right = |at: usize| self.words[at] >> 1 | self.words[at + 1] << 63;
        let (above, below) = (at - self.stride, at + self.stride);
        let ring = [
            self.words[above],
            right(above),
            right(at),
            right(below),
            self.words[below],
            left(below),
            left(at),
            left(above),
        ];
        let mut sets = [0; 64];
        for (i, sets) in sets.chunks_exact_mut(8).enumerate() {
            let rows = ring.map(|bits| (bits >> (8 * i)) as u8);
            sets.copy_from_slice(&transposed(u64::from_le_bytes(rows)).to_le_bytes());
        }
        sets
    }
}

/// Eight by eight bits with rows and columns exchanged (H. S. Warren, *Hacker's Delight*, section 7-3).
const fn transposed(mut bits: u64) -> u64 {
    let swap = (bits ^ bits >> 7) & 0x00AA_00AA_00AA_00AA;
    bits ^= swap ^ swap << 7;
    let swap = (bits ^ bits >> 14) & 0x0000_CCCC_0000_CCCC;
    bits ^= swap ^ swap << 14;
    let swap = (bits ^ bits >> 28) & 0x0000_0000_F0F0_F0F0;
    bits ^ swap ^ swap << 28
}

/// The eight bits around the middle one of three by three, from the lowest three bits of each row.
#[inline]
const fn around(above: u64, beside: u64, below: u64) -> DirectionSet {
    const ABOVE: [u8; 8] = spread([7, 0, 1]);
    const BESIDE: [u8; 8] = spread([6, 8, 2]);
    const BELOW: [u8; 8] = spread([5, 4, 3]);
    ABOVE[(above & 7) as usize] | BESIDE[(beside & 7) as usize] | BELOW[(below & 7) as usize]
}

/// For three bits in a row, where each goes in a set of directions (8: nowhere).
const fn spread(directions: [u32; 3]) -> [u8; 8] {
    let mut table = [0; 8];
    let mut bits = 0;
    while bits < 8 {
        let mut i = 0;
        while i < 3 {
            if bits >> i & 1 == 1 && directions[i] < 8 {
                table[bits] |= 1 << directions[i];
            }
            i += 1;
        }
        bits += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Direction;

    #[test]
    fn neighbours_are_the_eight_bits_around() {
        for (width, height) in [(1, 1), (3, 5), (63, 4), (64, 4), (65, 4), (130, 3)] {
            let mut bits = BitGrid::new(width, height);
            for y in 0..height as i32 {
                for x in 0..width as i32 {
                    bits.set(Pos::new(x, y), (x * 7 + y * 13 + x * y) % 3 != 0);
                }
            }
            for y in 0..height as i32 {
                for x in 0..width as i32 {
                    let pos = Pos::new(x, y);
                    for direction in Direction::ALL {
                        let there = pos + direction;
                        let inside = (there.x as u32) < width && (there.y as u32) < height;
                        let expect = inside && (there.x * 7 + there.y * 13 + there.x * there.y) % 3 != 0;
                        assert_eq!(bits.get(there), expect);
                        assert_eq!(
                            bits.neighbours(pos) & direction.bit() != 0,
                            expect,
                            "{pos} {direction:?}"
                        );
                    }
                }
            }
        }
    }
}
