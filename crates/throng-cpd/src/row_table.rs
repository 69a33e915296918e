//! The runs of all rows, and the lookup of the run that contains a target.
//!
//! Rows have a dozen runs on most game maps and hundreds on some. A binary search narrows a row to eight runs, which
//! are then compared at once without branches. Each cell stores the offset and length of its row.
//!
//! The binary search uses branches on purpose: in the rows of neighbouring cells a target lies at about the same place,
//! so the processor predicts them well and prefetches the next runs. Three alternatives were slower: rows in cache
//! lines with an index, a search in eighths, and a search that starts at the run found in the neighbour's row.

use throng_grid::{Cell, MAX_CELLS};

use crate::file::words;
use crate::node_order::NodeOrder;
use crate::row_encoding::SYMBOL_BITS;

/// Number of runs that are compared at once.
const COMPARED: usize = 8;

/// Runs are positive numbers even on the largest map.
const _: () = assert!((MAX_CELLS as u64) < 1 << (31 - SYMBOL_BITS));

/// The offset of a row's first run, and the number of its runs; 0 for a wall.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct RowSpan {
    pub(crate) first: u32,
    pub(crate) count: u32,
}

/// The runs of all rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RowTable {
    /// The row of each cell.
    rows: Vec<RowSpan>,
    /// Signed, because processors compare several signed numbers at once; padded at the end.
    words: Vec<i32>,
}

impl RowTable {
    /// Returns the table of rows that end at these offsets, in the order of their nodes. `ends` must not decrease, and
    /// its last value must be the number of runs.
    pub(crate) fn new(order: &NodeOrder, ends: &[u32], packed: &[u8], bytes: u8) -> Self {
        let mut rows = vec![RowSpan::default(); order.nodes.len()];
        let mut first = 0;
        for (cell, &end) in order.cells.iter().zip(ends) {
            rows[cell.index()] = RowSpan { first, count: end - first };
            first = end;
        }
        Self { rows, words: if bytes == 3 { read_triples(packed) } else { read_words(packed) } }
    }

    /// Returns all runs, in the order of their rows' nodes.
    pub(crate) fn words(&self) -> &[i32] {
        &self.words[..self.words.len() - COMPARED]
    }

    /// Returns the row of a cell.
    #[inline]
    pub(crate) fn row(&self, cell: Cell) -> RowSpan {
        self.rows[cell.index()]
    }

    /// Returns the symbol of the run that contains a target.
    #[expect(clippy::inline_always, reason = "a tenth faster when paths are followed")]
    #[inline(always)]
    pub(crate) fn symbol(&self, row: RowSpan, target: u32) -> u32 {
        let last = (target << SYMBOL_BITS | ((1 << SYMBOL_BITS) - 1)) as i32;
        let words = &self.words[row.first as usize..];
        // Invariant: the run at `low` begins at or before the target, the run at `low + length` after it.
        let (mut low, mut length) = (0, row.count as usize);
        while length > COMPARED {
            let half = length / 2;
            let middle = low + half;
            low = if words[middle] <= last { middle } else { low };
            length -= half;
        }
        // If the row has eight runs, compare eight of the row: those before `low` begin before the target too.
        low = low.min((row.count as usize).saturating_sub(COMPARED));
        let Some(compared) = words[low..].first_chunk::<COMPARED>() else { return 0 };
        let mut before = 0;
        for (place, &run) in compared.iter().enumerate() {
            before += i32::from(run <= last) & i32::from((place as i32) < row.count as i32);
        }
        compared[(before - 1) as usize % COMPARED] as u32 & ((1 << SYMBOL_BITS) - 1)
    }
}

/// Reads runs of four bytes.
fn read_words(packed: &[u8]) -> Vec<i32> {
    words(packed).map(|run| run as i32).chain([0; COMPARED]).collect()
}

/// Reads runs of three bytes: four runs are three words.
fn read_triples(packed: &[u8]) -> Vec<i32> {
    let (fours, rest) = packed.as_chunks::<12>();
    let mut words = Vec::with_capacity(packed.len() / 3 + COMPARED);
    for &[a, b, c, d, e, f, g, h, i, j, k, l] in fours {
        let (first, second) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
        let third = u32::from_le_bytes([i, j, k, l]);
        let four = [first, first >> 24 | second << 8, second >> 16 | third << 16, third >> 8];
        words.extend(four.map(|run| (run & 0x00FF_FFFF) as i32));
    }
    words.extend(rest.as_chunks().0.iter().map(|&[a, b, c]| i32::from_le_bytes([a, b, c, 0])));
    words.extend([0; COMPARED]);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of every length with varying gaps: the symbol is that of the last run that does not begin after the target.
    #[test]
    fn lookup_finds_the_run_of_every_target() {
        for bytes in [3, 4_u8] {
            for length in 1..200_u32 {
                let starts: Vec<u32> = (0..length).map(|i| i * (1 + length % 4) + i * i % 3).collect();
                // Other rows before and after it.
                let runs: Vec<u32> = [0, 7]
                    .into_iter()
                    .chain(starts.iter().map(|start| (start << SYMBOL_BITS) | (start % 10)))
                    .chain([1, 2])
                    .collect();
                let packed = runs.iter().flat_map(|run| run.to_le_bytes().into_iter().take(bytes.into()));
                let order = NodeOrder {
                    cells: vec![Cell(1), Cell(0), Cell(2)],
                    nodes: vec![1, 0, 2],
                    components: vec![0, 3],
                };
                let all =
                    RowTable::new(&order, &[2, 2 + length, 4 + length], &packed.collect::<Vec<u8>>(), bytes);
                assert_eq!(all.words().len(), runs.len());
                for target in 0..starts[starts.len() - 1] + 5 {
                    let expect = starts.iter().rev().find(|&&start| start <= target).unwrap() % 10;
                    let found = all.symbol(all.row(Cell(0)), target);
                    assert_eq!(found, expect, "{length} runs, target {target}");
                }
                // The last row, shorter than the number of runs compared at once.
                assert_eq!([0, 5].map(|target| all.symbol(all.row(Cell(2)), target)), [2, 2]);
            }
        }
    }
}
