//! A path database: the first move of a shortest path from anywhere to anywhere, and what follows from it.
//!
//! A. Botea, *Ultra-Fast Optimal Pathfinding without Runtime Search*, AIIDE 2011. A question is a binary search in the
//! source's row; a path is one question after the other.

use throng_grid::{Cell, Cost, Direction, Ground, Pos};
use throng_search::FirstMoves;

use crate::file::CpdInfo;
use crate::node_order::NodeOrder;
use crate::row_encoding::decoded;
use crate::row_table::RowTable;

/// The first moves of shortest paths between all cells of one map.
#[derive(Clone, Debug)]
pub struct Cpd {
    /// The map as it was when the database was built.
    ground: Ground,
    order: NodeOrder,
    runs: RowTable,
}

/// Questions about ways to one target.
#[derive(Clone, Copy, Debug)]
pub struct Toward<'a> {
    cpd: &'a Cpd,
    target: Cell,
    pos: Pos,
    node: u32,
    /// The rows of the cells from which a way leads there, by their first runs.
    rows: (u32, u32),
}

/// Somebody who goes along the database's ways. Paths seldom turn: the processor takes it that this one does not, and
/// has looked up the next moves before it is_built_for this one for sure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PathCursor {
    pub(crate) at: Cell,
    pos: Pos,
    heading: Heading,
}

/// A direction, and what it does to the number of a cell and its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Heading {
    direction: Direction,
    offset: i32,
    delta: Pos,
}

impl Heading {
    /// Not inlined, so that nobody waits for it who goes straight on.
    #[cold]
    #[inline(never)]
    fn new(ground: &Ground, direction: Direction) -> Self {
        let offset = ground.offsets()[direction as usize];
        Self { direction, offset, delta: Pos::new(0, 0) + direction }
    }
}

impl PathCursor {
    pub(crate) fn new(ground: &Ground, at: Cell) -> Self {
        Self { at, pos: ground.pos(at), heading: Heading::new(ground, Direction::North) }
    }

    /// Goes a step; it must stay on the map.
    #[inline]
    pub(crate) fn go(&mut self, ground: &Ground, direction: Direction) {
        if direction != self.heading.direction {
            self.heading = Heading::new(ground, direction);
        }
        self.at = Cell(self.at.0.wrapping_add_signed(self.heading.offset));
        self.pos = Pos::new(self.pos.x + self.heading.delta.x, self.pos.y + self.heading.delta.y);
    }
}

impl Toward<'_> {
    /// The first move from a cell; `None` from the target itself, and where no way leads there.
    #[inline]
    pub fn first_move(&self, from: Cell) -> Option<Direction> {
        self.first_move_at(from, || self.cpd.ground.pos(from))
    }

    /// The next move of a walker.
    #[expect(clippy::inline_always, reason = "a tenth faster where ways are followed")]
    #[inline(always)]
    pub(crate) fn next_move(&self, walker: &PathCursor) -> Option<Direction> {
        self.first_move_at(walker.at, || walker.pos)
    }

    #[expect(clippy::inline_always, reason = "a tenth faster where ways are followed")]
    #[inline(always)]
    fn first_move_at(&self, from: Cell, pos: impl FnOnce() -> Pos) -> Option<Direction> {
        let cpd = self.cpd;
        let row = cpd.runs.row(from);
        if row.count == 0 || from == self.target || row.first < self.rows.0 || row.first >= self.rows.1 {
            return None;
        }
        let symbol = cpd.runs.symbol(row, self.node);
        if symbol < 8 {
            return Some(Direction::from_number(symbol as u8));
        }
        let direction = decoded(symbol, pos(), self.pos);
        // A file may lie about moves that depend on the target; the others have been checked when it was opened.
        (cpd.ground.moves(from) & direction.bit() != 0).then_some(direction)
    }

    /// Whether the map had a way from a cell.
    #[inline]
    pub fn reaches(&self, from: Cell) -> bool {
        let row = self.cpd.runs.row(from);
        row.count > 0 && row.first >= self.rows.0 && row.first < self.rows.1
    }

    /// The target.
    pub fn target(&self) -> Cell {
        self.target
    }
}

impl Cpd {
    pub(crate) fn new(ground: Ground, order: NodeOrder, runs: RowTable) -> Self {
        Self { ground, order, runs }
    }

    pub(crate) fn order(&self) -> &NodeOrder {
        &self.order
    }

    pub(crate) fn runs(&self) -> &RowTable {
        &self.runs
    }

    /// The map as it was when the database was built.
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// What its file would say of itself.
    pub fn info(&self) -> CpdInfo {
        CpdInfo::of(&self.ground, &self.order, self.runs.words().len() as u64)
    }

    /// Number of nodes: the free cells of the map.
    pub fn nodes(&self) -> usize {
        self.order.cells.len()
    }

    /// Prepares questions about ways to one cell; `None` when it was a wall.
    pub fn toward(&self, target: Cell) -> Option<Toward<'_>> {
        let node = self.order.node(target)?;
        let part = self.order.part(node);
        let first = self.runs.row(self.order.cells[part.start as usize]).first;
        let last = self.runs.row(self.order.cells[part.end as usize - 1]).first;
        let pos = self.ground.pos(target);
        Some(Toward { cpd: self, target, pos, node, rows: (first, last + 1) })
    }

    /// The first move of a shortest path; `None` when there is no way, or nothing to go.
    pub fn first_move(&self, from: Cell, to: Cell) -> Option<Direction> {
        self.toward(to)?.first_move(from)
    }

    /// Calls `step` with the cell and the move of each step of a shortest path, and returns its cost.
    pub fn walk(&self, from: Cell, to: Cell, mut step: impl FnMut(Cell, Direction)) -> Option<Cost> {
        let toward = self.toward(to).filter(|toward| toward.reaches(from))?;
        let (mut walker, mut cost) = (PathCursor::new(&self.ground, from), 0_u32);
        // No shortest path has more steps than there are cells.
        for _ in 0..self.nodes() {
            let at = walker.at;
            if at == to {
                return Some(cost);
            }
            let direction = toward.next_move(&walker)?;
            step(at, direction);
            cost = cost.checked_add(self.ground.cost(at, direction))?;
            walker.go(&self.ground, direction);
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

impl FirstMoves for Cpd {
    fn is_built_for(&self, ground: &Ground) -> bool {
        self.ground.fingerprint() == ground.fingerprint() && self.ground.profile() == ground.profile()
    }

    fn first_move(&self, from: Cell, to: Cell) -> Option<Direction> {
        Self::first_move(self, from, to)
    }
}
