//! A path database: the first move of a shortest path from anywhere to anywhere, and what follows from it.
//!
//! A. Botea, *Ultra-Fast Optimal Pathfinding without Runtime Search*, AIIDE 2011. A question is a binary search in the
//! source's row; a path is one question after the other.

use throng_grid::{Cell, Cost, Direction, Ground, Pos};

use crate::file::Info;
use crate::order::Order;
use crate::rows::{SYMBOL_BITS, decoded};

/// The first moves of shortest paths between all cells of one map.
#[derive(Clone, Debug)]
pub struct Cpd {
    /// The map as it was when the database was built.
    ground: Ground,
    order: Order,
    runs: Runs,
}

/// The runs of all rows, packed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Runs {
    /// How many runs the rows up to each have.
    ends: Vec<u32>,
    /// The runs, and a few bytes more, so that any run can be read as a word.
    packed: Vec<u8>,
    /// Bytes a run, and a mask of so many.
    bytes: usize,
    mask: u32,
}

const SLACK: usize = 1;

impl Runs {
    pub(crate) fn new(ends: Vec<u32>, mut packed: Vec<u8>, bytes: u8) -> Self {
        packed.extend([0; SLACK]);
        let mask = if bytes == 3 { 0x00FF_FFFF } else { u32::MAX };
        Self { ends, packed, bytes: usize::from(bytes), mask }
    }

    pub(crate) fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// The bytes of all runs.
    pub(crate) fn packed(&self) -> &[u8] {
        &self.packed[..self.packed.len() - SLACK]
    }

    #[inline]
    fn range(&self, row: u32) -> std::ops::Range<usize> {
        let row = row as usize;
        let start = if row == 0 { 0 } else { self.ends[row - 1] as usize };
        start..self.ends[row] as usize
    }

    #[inline]
    fn run(&self, number: usize) -> u32 {
        let at = number * self.bytes;
        let word = self.packed[at..].first_chunk().map_or(0, |&word| u32::from_le_bytes(word));
        word & self.mask
    }

    /// The bytes of the runs of a row.
    pub(crate) fn row(&self, row: u32) -> &[u8] {
        let range = self.range(row);
        &self.packed[range.start * self.bytes..range.end * self.bytes]
    }

    /// The symbol of the run that a target is in.
    #[inline]
    fn symbol(&self, row: u32, target: u32) -> u32 {
        let last = target << SYMBOL_BITS | ((1 << SYMBOL_BITS) - 1);
        let range = self.range(row);
        let (mut low, mut length) = (range.start, range.end - range.start);
        // The run at `low` begins at or before the target.
        while length > 1 {
            let half = length / 2;
            low += if self.run(low + half) <= last { half } else { 0 };
            length -= half;
        }
        self.run(low) & ((1 << SYMBOL_BITS) - 1)
    }
}

/// Questions about ways to one target.
#[derive(Clone, Copy, Debug)]
pub struct Toward<'a> {
    cpd: &'a Cpd,
    target: Cell,
    pos: Pos,
    node: u32,
    /// The nodes from which a way leads there.
    part: (u32, u32),
}

impl Toward<'_> {
    /// The first move from a cell; `None` from the target itself, and where no way leads there.
    #[inline]
    pub fn first_move(&self, from: Cell) -> Option<Direction> {
        let cpd = self.cpd;
        let node = cpd.order.nodes[from.index()];
        if node == self.node || node < self.part.0 || node >= self.part.1 {
            return None;
        }
        let symbol = cpd.runs.symbol(node, self.node);
        if symbol < 8 {
            return Some(Direction::from_number(symbol as u8));
        }
        let direction = decoded(symbol, cpd.ground.pos(from), self.pos);
        // A file may lie about moves that depend on the target; the others have been checked when it was opened.
        (cpd.ground.moves(from) & direction.bit() != 0).then_some(direction)
    }

    /// Whether the map had a way from a cell.
    #[inline]
    pub fn reaches(&self, from: Cell) -> bool {
        let node = self.cpd.order.nodes[from.index()];
        node >= self.part.0 && node < self.part.1
    }

    /// The target.
    pub fn target(&self) -> Cell {
        self.target
    }
}

impl Cpd {
    pub(crate) fn new(ground: Ground, order: Order, runs: Runs) -> Self {
        Self { ground, order, runs }
    }

    pub(crate) fn order(&self) -> &Order {
        &self.order
    }

    pub(crate) fn runs(&self) -> &Runs {
        &self.runs
    }

    /// The map as it was when the database was built.
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// What its file would say of itself.
    pub fn info(&self) -> Info {
        Info::of(&self.ground, &self.order, self.runs.ends.last().copied().unwrap_or(0).into())
    }

    /// Number of nodes: the free cells of the map.
    pub fn nodes(&self) -> usize {
        self.order.cells.len()
    }

    /// Prepares questions about ways to one cell; `None` when it was a wall.
    pub fn toward(&self, target: Cell) -> Option<Toward<'_>> {
        let node = self.order.node(target)?;
        let part = self.order.part(node);
        Some(Toward { cpd: self, target, pos: self.ground.pos(target), node, part: (part.start, part.end) })
    }

    /// The first move of a shortest path; `None` when there is no way, or nothing to go.
    pub fn first_move(&self, from: Cell, to: Cell) -> Option<Direction> {
        self.toward(to)?.first_move(from)
    }

    /// Calls `step` with the cell and the move of each step of a shortest path, and returns its cost.
    pub fn walk(&self, from: Cell, to: Cell, mut step: impl FnMut(Cell, Direction)) -> Option<Cost> {
        let toward = self.toward(to).filter(|toward| toward.reaches(from))?;
        let (mut cell, mut cost) = (from, 0_u32);
        // No shortest path has more steps than there are cells.
        for _ in 0..self.nodes() {
            if cell == to {
                return Some(cost);
            }
            let direction = toward.first_move(cell)?;
            step(cell, direction);
            cost = cost.checked_add(self.ground.cost(cell, direction))?;
            cell = self.ground.step(cell, direction);
        }
        None
    }

    /// Writes a shortest path, both ends included, and returns its cost; `None` when there is none.
    pub fn path(&self, from: Cell, to: Cell, path: &mut Vec<Cell>) -> Option<Cost> {
        path.clear();
        path.push(from);
        let cost = self.walk(from, to, |cell, direction| path.push(self.ground.step(cell, direction)));
        if cost.is_none() {
            path.clear();
        }
        cost
    }

    /// The cost of a shortest path; `None` when there is none.
    pub fn distance(&self, from: Cell, to: Cell) -> Option<Cost> {
        self.walk(from, to, |_, _| {})
    }
}
