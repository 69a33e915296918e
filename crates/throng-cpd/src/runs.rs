//! The runs of all rows, and where the row of each cell is.
//!
//! A question is: in which run of a row is this target. Rows have a dozen runs on most game maps, hundreds on some. They
//! are halved until eight runs are left, and those are compared at once, without a branch. So that eight can always be
//! read, rows with fewer are filled up with runs that begin after every target. Where a row is lies in one place a cell.

use throng_grid::Cell;

use crate::order::Order;
use crate::rows::SYMBOL_BITS;

/// Runs that are compared at once.
const AT_ONCE: usize = 8;

/// Begins after every target.
const NEVER: i32 = i32::MAX;

/// Targets have smaller numbers than this, so that all runs are smaller than [`NEVER`].
pub(crate) const MOST_NODES: u32 = 1 << (31 - SYMBOL_BITS);

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
    /// Signed, because processors compare several signed numbers at once.
    words: Vec<i32>,
}

impl Runs {
    /// The runs of rows that end at these runs, in the order of their nodes; `ends` must not fall, and `packed` must
    /// have as many runs, of so many bytes each, as the last of them says. None when they are too many.
    pub(crate) fn new(order: &Order, ends: &[u32], packed: &[u8], bytes: u8) -> Option<Self> {
        let mut rows = vec![Row::default(); order.nodes.len()];
        let mut words = Vec::with_capacity(packed.len() / usize::from(bytes) + AT_ONCE * ends.len() / 4);
        let mut before = 0;
        for (cell, &end) in order.cells.iter().zip(ends) {
            let row = Row { first: u32::try_from(words.len()).ok()?, count: end - before };
            let range = before as usize..end as usize;
            match bytes {
                3 => words.extend(packed.as_chunks().0[range].iter().map(|&[a, b, c]| word([a, b, c, 0]))),
                _ => words.extend(packed.as_chunks().0[range].iter().map(|&run| word(run))),
            }
            words.resize(words.len().max(row.first as usize + AT_ONCE), NEVER);
            rows[cell.index()] = row;
            before = end;
        }
        Some(Self { rows, words })
    }

    /// How many runs there are.
    pub(crate) fn count(&self) -> usize {
        self.rows.iter().map(|row| row.count as usize).sum()
    }

    /// Where the row of a cell is.
    #[inline]
    pub(crate) fn row(&self, cell: Cell) -> Row {
        self.rows[cell.index()]
    }

    /// The runs of a cell.
    pub(crate) fn of(&self, cell: Cell) -> impl Iterator<Item = u32> + '_ {
        let row = self.row(cell);
        let first = row.first as usize;
        self.words[first..first + row.count as usize].iter().map(|&run| run as u32)
    }

    /// The symbol of the run that a target is in.
    #[expect(clippy::inline_always, reason = "a tenth faster where ways are followed")]
    #[inline(always)]
    pub(crate) fn symbol(&self, row: Row, target: u32) -> u32 {
        let last = (target << SYMBOL_BITS | ((1 << SYMBOL_BITS) - 1)) as i32;
        let words = &self.words[row.first as usize..];
        // The run at `low` begins at or before the target; the one `length` further does not.
        let (mut low, mut length) = (0, row.count as usize);
        while length > AT_ONCE {
            let half = length / 2;
            let middle = low + half;
            low = if words[middle] <= last { middle } else { low };
            length -= half;
        }
        // All eight within the row: those before `low` begin before the target too.
        low = low.min((row.count as usize).saturating_sub(AT_ONCE));
        let Some(few) = words[low..].first_chunk::<AT_ONCE>() else { return 0 };
        let before: i32 = few.iter().map(|&run| i32::from(run <= last)).sum();
        few[(before - 1) as usize % AT_ONCE] as u32 & ((1 << SYMBOL_BITS) - 1)
    }
}

#[inline]
const fn word(bytes: [u8; 4]) -> i32 {
    i32::from_le_bytes(bytes)
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
                let all =
                    Runs::new(&order, &[2, 2 + length, 4 + length], &packed.collect::<Vec<u8>>(), bytes)
                        .unwrap();
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
