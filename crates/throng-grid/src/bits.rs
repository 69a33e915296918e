//! A bitmap with a zero border, laid out for scanning whole words along a row.

use crate::{DirectionSet, Pos};

/// Number of words before the first row. A scan that runs past the left edge still reads the words of the adjacent
/// rows and the word before them.
const GUARD: usize = 2;

/// One bit per cell, rows padded to whole words. The bitmap has an extra zero column on both sides and an extra zero
/// row above and below, so that scans and neighbour look-ups need no bounds checks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BitGrid {
    /// [`GUARD`] words, the zero row above, the rows, the zero row below, one more zero word.
    words: Vec<u64>,
    /// Words per row. At least one zero bit ends each row; it also serves as the left border of the next row.
    stride: usize,
    width: u32,
    height: u32,
}

impl BitGrid {
    /// Returns a bitmap of zeros.
    pub fn new(width: u32, height: u32) -> Self {
        let stride = width as usize / 64 + 1;
        Self { words: vec![0; stride * (height as usize + 2) + GUARD + 1], stride, width, height }
    }

    /// Returns the number of columns.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the number of rows.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Returns all words, borders included; [`BitGrid::bit`] gives the bit of a position.
    #[inline]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns the number of words from one row to the next.
    #[inline]
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Returns the number of a position's bit: bit `b` is bit `b % 64` of word `b / 64`. Positions up to one cell
    /// outside the map have a bit too.
    #[inline]
    pub fn bit(&self, x: i32, y: i32) -> usize {
        // Wrapping, because every search step is here; an index beyond the words is found when it is used.
        let row = (y.wrapping_add(1) as usize).wrapping_mul(self.stride).wrapping_add(GUARD);
        row.wrapping_mul(64).wrapping_add_signed(x as isize)
    }

    /// Returns the words of one row.
    #[inline]
    pub fn row(&self, y: u32) -> &[u64] {
        let start = (y as usize + 1) * self.stride + GUARD;
        &self.words[start..start + self.stride]
    }

    /// Returns the bit of a position inside the map or up to one cell outside.
    #[inline]
    pub fn get(&self, pos: Pos) -> bool {
        let bit = self.bit(pos.x, pos.y);
        self.words[bit >> 6] >> (bit & 63) & 1 == 1
    }

    /// Returns the bits of 64 positions of a row, from one inside the map to the right. Bits of positions outside the map are
    /// meaningless.
    #[inline]
    pub fn bits(&self, x: i32, y: i32) -> u64 {
        let bit = self.bit(x, y);
        let (word, shift) = (bit >> 6, bit & 63);
        // The double shift moves by 64 if the shift is 0.
        self.words[word] >> shift | self.words[word + 1] << 1 << (63 - shift)
    }

    /// Sets the bit of a position inside the map.
    #[inline]
    pub fn set(&mut self, pos: Pos, value: bool) {
        debug_assert!(
            (pos.x as u32) < self.width && (pos.y as u32) < self.height,
            "{pos} is outside the bitmap"
        );
        let bit = self.bit(pos.x, pos.y);
        let mask = 1 << (bit & 63);
        if value {
            self.words[bit >> 6] |= mask;
        } else {
            self.words[bit >> 6] &= !mask;
        }
    }

    /// Sets the bits of a row from a position on that are set in a word. They must lie in the map and in one word of the row.
    pub(crate) fn add(&mut self, pos: Pos, bits: u64) {
        let bit = self.bit(pos.x, pos.y);
        self.words[bit >> 6] |= bits << (bit & 63);
    }

    /// Returns the bitmap with rows and columns exchanged.
    pub(crate) fn transposed(&self) -> Self {
        let mut columns = Self::new(self.height, self.width);
        for top in (0..self.height).step_by(64) {
            for word in 0..self.width.div_ceil(64) {
                let mut block = [0; 64];
                let rows = top..self.height.min(top + 64);
                block.iter_mut().zip(rows).for_each(|(bits, y)| *bits = self.row(y)[word as usize]);
                transpose(&mut block);
                let lines = word * 64..self.width.min(word * 64 + 64);
                block
                    .iter()
                    .zip(lines)
                    .for_each(|(&bits, x)| columns.add(Pos::new(top as i32, x as i32), bits));
            }
        }
        columns
    }

    /// Sets the bits between two corners inside the map, both included.
    pub fn set_rect(&mut self, min: Pos, max: Pos) {
        for y in min.y..=max.y {
            let start = self.bit(0, y) >> 6;
            for word in min.x / 64..=max.x / 64 {
                let first = word * 64;
                self.words[start + word as usize] |=
                    u64::MAX << (min.x - first).max(0) & u64::MAX >> (first + 63 - max.x).max(0);
            }
        }
    }

    /// Returns the number of bits that are set.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns the bits of the eight neighbours as a set of directions.
    #[inline]
    pub fn neighbours(&self, pos: Pos) -> DirectionSet {
        let triple = |y: i32| {
            let bit = self.bit(pos.x.wrapping_sub(1), y);
            let (word, shift) = (bit >> 6, bit & 63);
            self.words[word] >> shift | self.words[word + 1] << 1 << (63 - shift)
        };
        around(triple(pos.y.wrapping_sub(1)), triple(pos.y), triple(pos.y.wrapping_add(1)))
    }

    /// Returns the result of [`BitGrid::neighbours`] for the 64 cells of one word of a row.
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

/// Returns the runs of ones in a row of bits whose last bit is zero: the first column of each run, and the column
/// after its last.
pub(crate) fn runs(words: &[u64]) -> impl Iterator<Item = (i32, i32)> + '_ {
    // Bits that differ from the bit before them: starts and ends of runs take turns.
    let (mut number, mut edges, mut last) = (0_usize, 0_u64, 0_u64);
    let mut next_edge = move || {
        while edges == 0 {
            let &word = words.get(number)?;
            edges = word ^ (word << 1 | last);
            last = word >> 63;
            number = number.wrapping_add(1);
        }
        let bit = edges.trailing_zeros();
        edges &= edges.wrapping_sub(1);
        Some((number as i32).wrapping_sub(1).wrapping_mul(64).wrapping_add(bit as i32))
    };
    std::iter::from_fn(move || {
        let first = next_edge()?;
        Some((first, next_edge().expect("the last bit of a row is zero")))
    })
}

/// Returns an 8×8 bit matrix transposed (H. S. Warren, *Hacker's Delight*, section 7-3).
const fn transposed(mut bits: u64) -> u64 {
    let swap = (bits ^ bits >> 7) & 0x00AA_00AA_00AA_00AA;
    bits ^= swap ^ swap << 7;
    let swap = (bits ^ bits >> 14) & 0x0000_CCCC_0000_CCCC;
    bits ^= swap ^ swap << 14;
    let swap = (bits ^ bits >> 28) & 0x0000_0000_F0F0_F0F0;
    bits ^ swap ^ swap << 28
}

/// Returns the eight bits around the centre of a 3×3 square, given the lowest three bits of each row.
#[inline]
const fn around(above: u64, beside: u64, below: u64) -> DirectionSet {
    let upper = above >> 1 & 3 | (above & 1) << 7;
    let sides = beside & 4 | (beside & 1) << 6;
    let lower = (below & 4) << 1 | (below & 2) << 3 | (below & 1) << 5;
    (upper | sides | lower) as u8
}

/// Exchanges rows and columns of a square of bits: halves of ever smaller squares change places (H. S. Warren, *Hacker's
/// Delight*, section 7-3, 2012).
fn transpose(block: &mut [u64; 64]) {
    let (mut side, mut low) = (32, u64::MAX >> 32);
    while side > 0 {
        for upper in (0..64).filter(|row| row & side == 0) {
            let swapped = (block[upper] >> side ^ block[upper | side]) & low;
            block[upper] ^= swapped << side;
            block[upper | side] ^= swapped;
        }
        side /= 2;
        low ^= low << side;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Direction;

    #[test]
    fn runs_cross_word_boundaries() {
        assert_eq!(runs(&[]).count(), 0);
        assert_eq!(runs(&[0, 0]).count(), 0);
        let row = [0b1011 | 1 << 63, u64::MAX, 0b1, 1 << 62];
        assert_eq!(runs(&row).collect::<Vec<_>>(), [(0, 2), (3, 4), (63, 129), (254, 255)]);
    }

    #[test]
    fn a_rectangle_of_bits_is_set() {
        for (min, max) in [((0, 0), (0, 0)), ((3, 1), (129, 2)), ((63, 0), (64, 2)), ((5, 1), (5, 1))] {
            let (min, max) = (Pos::new(min.0, min.1), Pos::new(max.0, max.1));
            let mut bits = BitGrid::new(130, 3);
            bits.set_rect(min, max);
            for (x, y) in (0..3).flat_map(|y| (0..130).map(move |x| (x, y))) {
                let inside = (min.x..=max.x).contains(&x) && (min.y..=max.y).contains(&y);
                assert_eq!(bits.get(Pos::new(x, y)), inside, "{x},{y} of {min} to {max}");
                for ahead in 0..(130 - x).min(64) {
                    assert_eq!(bits.bits(x, y) >> ahead & 1 == 1, bits.get(Pos::new(x + ahead, y)));
                }
            }
        }
    }

    #[test]
    fn rows_and_columns_change_places() {
        for (width, height) in [(1, 1), (3, 70), (64, 64), (130, 65), (129, 200)] {
            let mut bits = BitGrid::new(width, height);
            let cells = || (0..height as i32).flat_map(|y| (0..width as i32).map(move |x| Pos::new(x, y)));
            for pos in cells().filter(|pos| (pos.x * 7 + pos.y * 13 + pos.x * pos.y) % 3 != 0) {
                bits.add(pos, 1);
            }
            let columns = bits.transposed();
            assert!(cells().all(|pos| columns.get(Pos::new(pos.y, pos.x)) == bits.get(pos)));
            assert_eq!((columns.count(), columns.transposed()), (bits.count(), bits));
        }
    }

    #[test]
    fn neighbours_match_the_eight_surrounding_bits() {
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
                        let to = pos + direction;
                        let inside = (to.x as u32) < width && (to.y as u32) < height;
                        let expect = inside && (to.x * 7 + to.y * 13 + to.x * to.y) % 3 != 0;
                        assert_eq!(bits.get(to), expect);
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
