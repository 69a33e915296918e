//! A compressed path database (CPD): the first move of a shortest path between any two cells, and the paths and
//! distances that follow from it.
//!
//! A. Botea, *Ultra-Fast Optimal Pathfinding without Runtime Search*, AIIDE 2011. A first move is found by a binary
//! search in the row of the source; a path is a sequence of such lookups.

use throng_grid::{Cell, Cost, Direction, Ground, Pos};
use throng_search::FirstMoves;

use crate::file::CpdInfo;
use crate::node_order::NodeOrder;
use crate::row_encoding::decode;
use crate::row_table::RowTable;

/// The first moves of shortest paths between all cells of one map.
#[derive(Clone, Debug)]
pub struct Cpd {
    /// The map when the database was built.
    ground: Ground,
    order: NodeOrder,
    runs: RowTable,
}

/// The first moves to one target.
#[derive(Clone, Copy, Debug)]
pub struct Toward<'a> {
    cpd: &'a Cpd,
    target: Cell,
    pos: Pos,
    node: u32,
    /// The range of first runs of the rows in the target's connected component.
    rows: (u32, u32),
}

/// A position on a database path. Paths seldom turn, so the cursor keeps its heading: the processor predicts that it
/// continues, and looks up the next moves before the current one is certain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PathCursor {
    pub(crate) at: Cell,
    pos: Pos,
    heading: Heading,
}

/// A direction, and the changes of cell number and position that it makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Heading {
    direction: Direction,
    offset: i32,
    delta: Pos,
}

impl Heading {
    /// Kept out of line, so that a path that continues straight does not wait for it.
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

    /// Moves one step, which must stay on the map.
    #[inline]
    pub(crate) fn advance(&mut self, ground: &Ground, direction: Direction) {
        if direction != self.heading.direction {
            self.heading = Heading::new(ground, direction);
        }
        self.at = Cell(self.at.0.wrapping_add_signed(self.heading.offset));
        let delta = self.heading.delta;
        self.pos = Pos::new(self.pos.x.wrapping_add(delta.x), self.pos.y.wrapping_add(delta.y));
    }
}

impl Toward<'_> {
    /// Returns the first move from a cell; `None` at the target and where there is no path.
    #[inline]
    pub fn first_move(&self, from: Cell) -> Option<Direction> {
        self.first_move_at(from, || self.cpd.ground.pos(from))
    }

    /// Returns the next move of a cursor.
    #[expect(clippy::inline_always, reason = "a tenth faster when paths are followed")]
    #[inline(always)]
    pub(crate) fn next_move(&self, cursor: &PathCursor) -> Option<Direction> {
        self.first_move_at(cursor.at, || cursor.pos)
    }

    #[expect(clippy::inline_always, reason = "a tenth faster when paths are followed")]
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
        let direction = decode(symbol, pos(), self.pos);
        // A file may contain wrong target-dependent symbols; the others were checked when it was opened.
        (cpd.ground.moves(from) & direction.bit() != 0).then_some(direction)
    }

    /// Returns true if the map had a path from a cell when the database was built.
    #[inline]
    pub fn reaches(&self, from: Cell) -> bool {
        let row = self.cpd.runs.row(from);
        row.count > 0 && row.first >= self.rows.0 && row.first < self.rows.1
    }

    /// Returns the target.
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

    /// Returns the map when the database was built.
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// Returns the header data of the database's file.
    pub fn info(&self) -> CpdInfo {
        CpdInfo::of(&self.ground, &self.order, self.runs.words().len() as u64)
    }

    /// Returns the number of nodes: the free cells of the map.
    pub fn nodes(&self) -> usize {
        self.order.cells.len()
    }

    /// Returns the first moves to one cell; `None` if it was a wall.
    pub fn toward(&self, target: Cell) -> Option<Toward<'_>> {
        let node = self.order.node(target)?;
        let component = self.order.component(node);
        let first = self.runs.row(self.order.cells[component.start as usize]).first;
        let last = self.runs.row(self.order.cells[component.end as usize - 1]).first;
        let pos = self.ground.pos(target);
        Some(Toward { cpd: self, target, pos, node, rows: (first, last + 1) })
    }

    /// Returns the first move of a shortest path; `None` if there is no path or both cells are equal.
    pub fn first_move(&self, from: Cell, to: Cell) -> Option<Direction> {
        self.toward(to)?.first_move(from)
    }

    /// Calls `step` with the cell and the move of each step of a shortest path, and returns its cost; `None` if there
    /// is no path.
    pub fn walk(&self, from: Cell, to: Cell, mut step: impl FnMut(Cell, Direction)) -> Option<Cost> {
        let toward = self.toward(to).filter(|toward| toward.reaches(from))?;
        let (mut cursor, mut cost) = (PathCursor::new(&self.ground, from), 0_u32);
        // No shortest path has more steps than there are cells.
        for _ in 0..self.nodes() {
            let at = cursor.at;
            if at == to {
                return Some(cost);
            }
            let direction = toward.next_move(&cursor)?;
            step(at, direction);
            cost = cost.checked_add(self.ground.cost(at, direction))?;
            cursor.advance(&self.ground, direction);
        }
        None
    }

    /// Writes a shortest path, both ends included, and returns its cost; `None` if there is no path.
    pub fn path(&self, from: Cell, to: Cell, path: &mut Vec<Cell>) -> Option<Cost> {
        path.clear();
        path.push(from);
        let cost = self.walk(from, to, |cell, direction| path.push(self.ground.step(cell, direction)));
        if cost.is_none() {
            path.clear();
        }
        cost
    }

    /// Returns the cost of a shortest path; `None` if there is no path.
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
