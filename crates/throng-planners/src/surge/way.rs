//! What is left of a shortest path, of which a field covers the next stretch.
//!
//! A path is found once and its distances are found a stretch at a time: so an agent that was just sent somewhere pays
//! for the first steps only, and what lies beyond is made while it walks. On a shortest path the distances are known
//! from its costs alone; so the last cell of a stretch is where its sweep begins, and the distances are as exact as if
//! it had begun at the target.

use throng_crowd::bytes::{Damaged, Reader, put, put_signed};
use throng_grid::{Cell, Cost, Ground};
use throng_search::f_range;

use super::field::shorten;

/// Straight steps of a path's first stretch, which an agent waits for, and of those that follow.
const FIRST: u32 = 44;
const FURTHER: u32 = 100;
/// Straight steps before its end at which the next one is asked for.
const MARGIN: u32 = 10;
/// The most that a stretch may cost, shortened: distances in a field differ by less than what two bytes count.
const LONGEST: u32 = 48_000;
/// Cells of the path behind an agent that the next stretch begins with.
const BEHIND: usize = 4;

/// The rest of a path.
#[derive(Clone, Debug, Default)]
pub(super) struct Way {
    /// From where the stretch begins to the target.
    cells: Vec<Cell>,
    /// The cost from the first of them to the target.
    left: Cost,
    /// Which of them the stretch ends with, and the cost from there.
    last: usize,
    beyond: Cost,
}

impl Way {
    /// Begins with a path to a target. Answers whether its steps are legal.
    pub(super) fn take(&mut self, ground: &Ground, path: &[Cell]) -> bool {
        self.cells.clear();
        self.cells.extend_from_slice(path);
        let cost = ground.path_cost(path);
        self.left = cost.unwrap_or(0);
        cost.is_some() && self.cut(ground, FIRST)
    }

    /// Begins with the cells of another way from where somebody has got to, so far above the other's end.
    pub(super) fn follow(&mut self, ground: &Ground, other: &Self, above: u32) -> bool {
        let here = other.beyond.saturating_add(above << f_range(ground).1);
        let (mut left, mut begin, mut lefts) = (other.left, 0, [other.left; BEHIND]);
        while left > here && begin < other.last {
            let Some(cost) = step(ground, other.cells[begin], other.cells[begin + 1]) else { return false };
            lefts[begin % BEHIND] = left;
            left = left.saturating_sub(cost);
            begin += 1;
        }
        if begin >= BEHIND {
            (begin, left) = (begin - BEHIND, lefts[begin % BEHIND]);
        } else {
            (begin, left) = (0, other.left);
        }
        self.cells.clear();
        self.cells.extend_from_slice(&other.cells[begin..]);
        self.left = left;
        self.cut(ground, FURTHER)
    }

    /// Finds the end of the stretch, of so many straight steps.
    fn cut(&mut self, ground: &Ground, steps: u32) -> bool {
        let most = (steps * straight(ground)).min(LONGEST) << f_range(ground).1;
        (self.last, self.beyond) = (0, self.left);
        while self.last + 1 < self.cells.len() && self.left - self.beyond < most {
            let Some(cost) = step(ground, self.cells[self.last], self.cells[self.last + 1]) else {
                return false;
            };
            self.beyond = self.beyond.saturating_sub(cost);
            self.last += 1;
        }
        !self.cells.is_empty()
    }

    /// The cells of the stretch.
    pub(super) fn stretch(&self) -> &[Cell] {
        self.cells.get(..=self.last).unwrap_or_default()
    }

    /// The cells beyond it.
    pub(super) fn rest(&self) -> &[Cell] {
        self.cells.get(self.last..).unwrap_or_default()
    }

    /// Where the stretch ends, and the cost from there to the target.
    pub(super) fn end(&self) -> Option<(Cell, Cost)> {
        self.cells.get(self.last).map(|&cell| (cell, self.beyond))
    }

    /// How near its end, shortened, the next stretch is asked for; 0 when it ends at the target.
    pub(super) fn margin(&self, ground: &Ground) -> u16 {
        if self.last + 1 < self.cells.len() { shorten(MARGIN * straight(ground)) } else { 0 }
    }

    /// Keeps no cells when there is nothing beyond the stretch.
    pub(super) fn forget_if_done(&mut self) {
        if self.last + 1 >= self.cells.len() {
            *self = Self::default();
        }
    }

    /// Whether its steps are as they were.
    pub(super) fn is_whole(&self, ground: &Ground) -> bool {
        self.cells.is_empty() || ground.path_cost(&self.cells) == Some(self.left)
    }

    /// Bytes of memory held besides its own.
    pub(super) fn memory_bytes(&self) -> usize {
        self.cells.capacity() * size_of::<Cell>()
    }

    /// Writes everything.
    pub(super) fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, self.cells.len() as u64);
        let mut before = 0;
        for cell in &self.cells {
            put_signed(bytes, cell.0.cast_signed() - before);
            before = cell.0.cast_signed();
        }
        for value in [self.left, self.last as u32, self.beyond] {
            put(bytes, u64::from(value));
        }
    }

    /// Takes back what [`Way::save`] wrote, on a map of so many cells.
    pub(super) fn load(reader: &mut Reader<'_>, area: usize) -> Result<Self, Damaged> {
        let what = "the rest of a path";
        let (mut cells, mut before) = (Vec::new(), 0_i32);
        for _ in 0..reader.length(what)? {
            before = before.wrapping_add(reader.signed(what)?);
            if usize::try_from(before).is_ok_and(|cell| cell < area) {
                cells.push(Cell(before.cast_unsigned()));
            } else {
                return Err(reader.damaged("a path on the map"));
            }
        }
        let mut number = || reader.number_to(u64::from(u32::MAX), what).map(|value| value as u32);
        let (left, last, beyond) = (number()?, number()? as usize, number()?);
        if beyond > left || last > cells.len().saturating_sub(1) {
            return Err(reader.damaged("a path whose stretch ends on it"));
        }
        Ok(Self { cells, left, last, beyond })
    }
}

/// The least that a straight step costs, shortened.
fn straight(ground: &Ground) -> u32 {
    ground.profile().min_step_costs()[0] >> f_range(ground).1
}

fn step(ground: &Ground, from: Cell, to: Cell) -> Option<Cost> {
    ground.legal_step(from, to).map(|direction| ground.cost(from, direction))
}
