//! Row sweep: distances in a rectangle of uniform ground, a whole row of cells at a time.
//!
//! Rows take distances from the row above and from the row below, in turns, until none changes (H. Zhao, *A Fast Sweeping
//! Method for Eikonal Equations*, Mathematics of Computation 74, 2005). Within a row distances spread by jumps of 1, 2, 4, …
//! cells. Every operation is the same for all cells of a row, so the compiler makes vector instructions of it: on open ground
//! and among single obstacles a field takes half the time of a [`DistanceSweep`](crate::distance_sweep::DistanceSweep).
//!
//! In mazes a path turns around in many rows, which are swept again each time. A sweep that exceeds its limit gives up.

use throng_grid::{Direction, DirectionSet};

/// A distance `d` is stored as `d - 32768`: the vector instructions of every processor compare and saturate signed numbers.
const BIAS: u16 = 1 << 15;
/// A cell that was not reached.
const UNREACHED: i16 = i16::MAX;
/// A step that is legal, and one that is not. A distance over a step is raised to this value.
const LEGAL: i16 = i16::MIN;
const ILLEGAL: i16 = i16::MAX;
/// A sweep gives up after this many times the rows of the rectangle. With 8, fields of mazes with corridors of one cell, nearly all of
/// which give up, take twice as long.
const MAX_VISITS: usize = 4;

/// Computes distances in a rectangle.
///
/// Rows of distances and steps have a cell more on both sides, which nothing reaches, so that one loop over a row reads all
/// neighbours.
#[derive(Clone, Debug, Default)]
pub(super) struct RowSweep {
    width: usize,
    height: usize,
    /// By level and cell: whether the cell `2^level` columns to the right can be reached within the row.
    across: Vec<Vec<i16>>,
    /// By cell: whether the step into the row below to the left, straight and to the right is legal.
    down: [Vec<i16>; 3],
    distances: Vec<i16>,
    /// The row that is spread, as it was before.
    before: Vec<i16>,
    /// By row: whether the row above and the row below have changed since the row has taken distances from them.
    is_due: Vec<[bool; 2]>,
}

impl RowSweep {
    /// Reads the legal moves of a rectangle with rows of this width. None may leave the rectangle.
    pub(super) fn begin(&mut self, moves: &[DirectionSet], width: usize) {
        (self.width, self.height) = (width, moves.len() / width);
        let read = |steps: &mut Vec<i16>, direction: Direction| {
            let bit = direction.bit();
            steps.clear();
            for row in moves.chunks_exact(width) {
                steps.push(ILLEGAL);
                steps.extend(row.iter().map(|moves| if moves & bit != 0 { LEGAL } else { ILLEGAL }));
                steps.push(ILLEGAL);
            }
        };
        let below = [Direction::SouthWest, Direction::South, Direction::SouthEast];
        self.down.iter_mut().zip(below).for_each(|(steps, direction)| read(steps, direction));
        let levels = width.next_power_of_two().ilog2().max(1) as usize;
        self.across.resize_with(levels, Vec::new);
        read(&mut self.across[0], Direction::East);
        for level in 1..levels {
            let (known, rest) = self.across.split_at_mut(level);
            let (half, jumps, length) = (&known[level - 1], &mut rest[0], 1 << (level - 1));
            jumps.clear();
            // No jump leaves a row: the step out of its last cell is not legal.
            jumps.extend(
                half.iter().zip(half.get(length..).unwrap_or(&[])).map(|(&one, &other)| one.max(other)),
            );
            jumps.resize(half.len(), ILLEGAL);
        }
    }

    /// Computes the distances to a cell, in steps that cost so much straight and diagonally. Returns false if it gives up, or
    /// the costs are too high.
    pub(super) fn run(&mut self, to: usize, [straight, diagonal]: [u32; 2]) -> bool {
        let longest = straight << (self.across.len() - 1);
        if longest.max(diagonal) > i16::MAX as u32 {
            return false;
        }
        let (straight, diagonal) = (straight as i16, diagonal as i16);
        self.distances.clear();
        self.distances.resize(self.stride() * self.height, UNREACHED);
        self.is_due.clear();
        self.is_due.resize(self.height, [false; 2]);
        let (row, column) = (to / self.width, to % self.width);
        let stride = self.stride();
        self.distances[row * stride + 1 + column] = i16::MIN;
        self.spread(row, straight);
        let (mut visits, mut is_changed) = (0, true);
        while is_changed {
            is_changed = false;
            for from_below in [false, true] {
                for turn in 0..self.height {
                    let y = if from_below { self.height - 1 - turn } else { turn };
                    if !std::mem::take(&mut self.is_due[y][usize::from(from_below)]) {
                        continue;
                    }
                    visits += 1;
                    if self.take(y, from_below, [straight, diagonal]) {
                        self.spread(y, straight);
                        is_changed = true;
                    }
                }
            }
            if visits > MAX_VISITS * self.height {
                return false;
            }
        }
        true
    }

    /// Returns the distances of the last run, row by row; [`u16::MAX`] where there is no path.
    pub(super) fn rows(&self) -> impl Iterator<Item = impl Iterator<Item = u16>> {
        let rows = self.distances.chunks_exact(self.stride());
        rows.map(|row| row[1..row.len() - 1].iter().map(|&distance| distance as u16 ^ BIAS))
    }

    /// Returns the number of entries of a row, with the one on both sides.
    const fn stride(&self) -> usize {
        self.width + 2
    }

    /// Lets a row take distances from the row above or below. Returns true if one has changed.
    fn take(&mut self, y: usize, from_below: bool, [straight, diagonal]: [i16; 2]) -> bool {
        let stride = self.stride();
        let Self { width, down: [left, below, right], distances, .. } = self;
        let width = *width;
        // The steps between two rows are stored with the upper one.
        let upper = if from_below { y } else { y - 1 };
        let steps = upper * stride..(upper + 1) * stride;
        let (left, below, right) = (&left[steps.clone()], &below[steps.clone()], &right[steps]);
        let (above, under) = distances[upper * stride..(upper + 2) * stride].split_at_mut(stride);
        let (to, from, [left, right]) = if from_below {
            (above, &*under, [&left[1..], &right[1..]])
        } else {
            (under, &*above, [&right[..width], &left[2..]])
        };
        let left = Source { from, steps: left, cost: diagonal };
        let middle = Source { from: &from[1..], steps: &below[1..], cost: straight };
        let right = Source { from: &from[2..], steps: right, cost: diagonal };
        relax_from_three(&mut to[1..=width], left, middle, right)
    }

    /// Spreads the distances of a row that has changed within the row.
    fn spread(&mut self, y: usize, straight: i16) {
        let stride = self.stride();
        let Self { width, across, distances, before, .. } = self;
        let (width, rows) = (*width, y * stride..(y + 1) * stride);
        let row = &mut distances[rows.clone()];
        for (level, jumps) in across.iter().enumerate() {
            let (length, cost) = (1_usize << level, straight << level);
            let jumps = &jumps[rows.clone()];
            before.clear();
            before.extend_from_slice(row);
            let Some(rest) = width.checked_sub(length) else { break };
            let (inner, before, jumps) = (&mut row[1..=width], &before[1..=width], &jumps[1..]);
            let is_right = relax(&mut inner[length..], before, jumps, cost);
            let is_left = relax(&mut inner[..rest], &before[length..], jumps, cost);
            // Longer jumps consist of these.
            if !is_right && !is_left {
                break;
            }
        }
        if y > 0 {
            self.is_due[y - 1][1] = true;
        }
        if y + 1 < self.height {
            self.is_due[y + 1][0] = true;
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let lists = self.across.iter().chain(&self.down).chain([&self.distances, &self.before]);
        lists.map(|list| list.capacity() * size_of::<i16>()).sum::<usize>() + self.is_due.capacity() * 2
    }
}

/// Distances of other cells, the steps from there, and what these cost.
#[derive(Clone, Copy)]
struct Source<'a> {
    from: &'a [i16],
    steps: &'a [i16],
    cost: i16,
}

impl Source<'_> {
    /// Returns the first entries.
    #[inline]
    fn first(self, count: usize) -> Self {
        Self { from: &self.from[..count], steps: &self.steps[..count], ..self }
    }

    #[inline]
    fn at(self, i: usize) -> i16 {
        self.from[i].saturating_add(self.cost).max(self.steps[i])
    }
}

/// Lowers distances to those over a step from one of three cells. All lists are at least as long. Returns true if one has changed. One
/// function for all three, which reads and writes each distance once; not inlined, because of a parameter the compiler knows that nothing else
/// points to it.
#[inline(never)]
fn relax_from_three(to: &mut [i16], one: Source<'_>, two: Source<'_>, three: Source<'_>) -> bool {
    let count = to.len();
    let (one, two, three) = (one.first(count), two.first(count), three.first(count));
    let mut changes = 0;
    for (i, to) in to.iter_mut().enumerate() {
        let lower = (*to).min(one.at(i)).min(two.at(i)).min(three.at(i));
        changes |= *to ^ lower;
        *to = lower;
    }
    changes != 0
}

/// Lowers distances to those of other cells and a step from there. Returns true if one has changed.
#[inline]
fn relax(to: &mut [i16], from: &[i16], steps: &[i16], cost: i16) -> bool {
    let mut changes = 0;
    for ((to, &from), &step) in to.iter_mut().zip(from).zip(steps) {
        let lower = (*to).min(from.saturating_add(cost).max(step));
        changes |= *to ^ lower;
        *to = lower;
    }
    changes != 0
}
