//! The runs of all rows, packed, and where the row of each cell is.
//!
//! A question is: in which run of a row is this target. Rows have a dozen runs on most game maps, hundreds on some. They
//! are searched in eighths instead of halves: seven runs are compared at once, so that none of these comparisons waits
//! for another one's memory, and none is guessed wrongly. Where a row is lies in one place a cell.

use throng_grid::Cell;

use crate::order::Order;
use crate::rows::SYMBOL_BITS;

/// Runs that are compared at once.
const AT_ONCE: usize = 8;

/// Bytes after the last run, so that a few runs can be read as words from anywhere.
pub(crate) const SLACK: usize = (AT_ONCE + 1) * 4;

/// Where a row is: its first run and how many it has; none for a wall.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Row {
    pub(crate) first: u32,
    pub(crate) count: u32,
}

/// The runs of all rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Runs {
    /// The row of each cell.
    rows: Vec<Row>,
    packed: Vec<u8>,
    /// Bytes a run.
    bytes: usize,
}

impl Runs {
    /// The runs of rows that end at these runs, in the order of their nodes; `ends` must not fall, and `packed` must
    /// have as many runs as the last of them says.
    pub(crate) fn new(order: &Order, ends: &[u32], mut packed: Vec<u8>, bytes: u8) -> Self {
        packed.reserve_exact(SLACK);
        packed.extend([0; SLACK]);
        let mut rows = vec![Row::default(); order.nodes.len()];
        let mut first = 0;
        for (cell, &end) in order.cells.iter().zip(ends) {
            rows[cell.index()] = Row { first, count: end - first };
            first = end;
        }
        Self { rows, packed, bytes: usize::from(bytes) }
    }

    /// The bytes of all runs.
    pub(crate) fn packed(&self) -> &[u8] {
        &self.packed[..self.packed.len() - SLACK]
    }

    /// How many runs there are.
    pub(crate) fn count(&self) -> usize {
        self.packed().len() / self.bytes
    }

    /// Where the row of a cell is.
    #[inline]
    pub(crate) fn row(&self, cell: Cell) -> Row {
        self.rows[cell.index()]
    }

    /// The symbol of the run that a target is in.
    #[inline]
    pub(crate) fn symbol(&self, row: Row, target: u32) -> u32 {
        let last = target << SYMBOL_BITS | ((1 << SYMBOL_BITS) - 1);
        if self.bytes == 3 { self.found::<3>(row, last) } else { self.found::<4>(row, last) }
    }

    #[inline]
    fn found<const BYTES: usize>(&self, row: Row, last: u32) -> u32 {
        let run = |at: usize| {
            let word = self.packed[at..].first_chunk().map_or(0, |&word| u32::from_le_bytes(word));
            word & (u32::MAX >> (32 - 8 * BYTES))
        };
        // The run at `low` begins at or before the target; the one `length` further does not.
        let (mut low, mut length) = (row.first as usize * BYTES, row.count as usize);
        while length > AT_ONCE * AT_ONCE {
            let share = length.div_ceil(AT_ONCE);
            let most = low + (length - 1) * BYTES;
            let mut before = 0;
            for i in 1..AT_ONCE {
                let at = low + i * share * BYTES;
                before += usize::from(run(at.min(most)) <= last) * usize::from(at <= most);
            }
            low += before * share * BYTES;
            length = share.min(length - before * share);
        }
        while length > AT_ONCE {
            let half = length / 2;
            let middle = low + half * BYTES;
            low = if run(middle) <= last { middle } else { low };
            length -= half;
        }
        let few: &[u8; SLACK] = self.packed[low..].first_chunk().unwrap_or(&[0; SLACK]);
        let mut before = 0;
        for i in 1..AT_ONCE {
            let at = i * BYTES;
            let word = u32::from_le_bytes([few[at], few[at + 1], few[at + 2], few[at + 3]]);
            let begins = word & (u32::MAX >> (32 - 8 * BYTES)) <= last;
            // As a product, or the compiler branches here.
            before += usize::from(begins) * usize::from(i < length);
        }
        run(low + before * BYTES) & ((1 << SYMBOL_BITS) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of every length, with gaps of every kind: the symbol of the last run that does not begin after the target.
    #[test]
    fn the_run_of_every_target_is_found() {
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
                let order =
                    Order { cells: vec![Cell(1), Cell(0), Cell(2)], nodes: vec![1, 0, 2], parts: vec![0, 3] };
                let all = Runs::new(&order, &[2, 2 + length, 4 + length], packed.collect(), bytes);
                assert_eq!(all.count(), runs.len());
                for target in 0..starts[starts.len() - 1] + 5 {
                    let expect = starts.iter().rev().find(|&&start| start <= target).unwrap() % 10;
                    let found = all.symbol(all.row(Cell(0)), target);
                    assert_eq!(found, expect, "{length} runs, target {target}");
                }
            }
        }
    }
}
