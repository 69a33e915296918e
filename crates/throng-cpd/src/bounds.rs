//! What a database says about ways to one target on a map that has changed since.
//!
//! M. Bono, A. E. Gerevini, D. D. Harabor, P. J. Stuckey, *Path Planning with CPD Heuristics*, IJCAI 2019. Following
//! the database's moves from a cell gives two numbers: what the way cost when the database was built, a lower bound as
//! long as nothing has become cheaper, and what it costs now, an upper bound unless it is blocked.
//!
//! We go beyond the paper where the change helps. If moves have become cheaper, all lower bounds are scaled by the
//! smallest share of its old cost that any move has. If there are new moves, a way either uses none of them or comes
//! to the first of them, which costs at least the distance on an empty map to the rectangle around them, and goes on
//! from the last of them, which costs at least the least distance that any of their ends had. Both bounds are
//! consistent, so no node is expanded twice.

use std::cell::RefCell;

use throng_grid::{Cell, Cost, Direction, Ground, Pos};
use throng_search::spec::MILLION;
use throng_search::{Heuristic, OctileDistance};

use crate::database::{Cpd, Toward};
use crate::map_change::MapChange;
use crate::path_cache::{DatabasePath, LegalPrefix, MapPair, NONE, PathCache};

/// Where moves are new: around which rectangle, and what is left at least after the last of them.
#[derive(Clone, Copy, Debug)]
struct AddedMoves {
    to_first: OctileDistance,
    after_last: Cost,
}

/// Answers about ways to one target, from a database and from what has changed since.
#[derive(Debug)]
pub(crate) struct CpdBounds<'a> {
    pub(crate) cpd: &'a Cpd,
    pub(crate) now: &'a Ground,
    pub(crate) change: &'a MapChange,
    pub(crate) target: Cell,
    toward: Option<Toward<'a>>,
    ways: RefCell<&'a mut PathCache>,
    new_moves: Option<AddedMoves>,
    empty: OctileDistance,
}

impl<'a> CpdBounds<'a> {
    pub(crate) fn new(
        cpd: &'a Cpd,
        now: &'a Ground,
        change: &'a MapChange,
        ways: &'a mut PathCache,
        target: Cell,
    ) -> Self {
        ways.begin(now.size().area());
        let empty = OctileDistance::to_cell(now, target);
        let toward = cpd.toward(target);
        let mut oracle =
            Self { cpd, now, change, target, toward, ways: RefCell::new(ways), new_moves: None, empty };
        oracle.new_moves = oracle.new_moves_of(change.gained());
        oracle
    }

    fn new_moves_of(&self, gained: &[Cell]) -> Option<AddedMoves> {
        let first = self.now.pos(*gained.first()?);
        let (mut min, mut max, mut after_last) = (first, first, NONE);
        for &cell in gained {
            let pos = self.now.pos(cell);
            min = Pos::new(min.x.min(pos.x), min.y.min(pos.y));
            max = Pos::new(max.x.max(pos.x), max.y.max(pos.y));
            after_last = after_last.min(self.scaled(self.way(cell).then));
        }
        Some(AddedMoves { to_first: OctileDistance::to_rect(self.now, min, max), after_last })
    }

    /// What following the database's moves from a cell gives.
    #[inline]
    pub(crate) fn way(&self, from: Cell) -> DatabasePath {
        match &self.toward {
            Some(toward) => self.ways.borrow_mut().way(toward, self.maps(), from),
            None if from == self.target => DatabasePath::at_target(from),
            None => DatabasePath::none(from),
        }
    }

    /// How far the database's moves lead from a cell now. Where they are blocked at once this takes no time.
    #[inline]
    pub(crate) fn reach(&self, from: Cell) -> LegalPrefix {
        match &self.toward {
            Some(toward) => self.ways.borrow_mut().reach(toward, self.maps(), from),
            None => DatabasePath::none(from).reach,
        }
    }

    /// What the database's way from a cell costs now; [`NONE`] when it is blocked.
    #[inline]
    pub(crate) fn cost(&self, from: Cell) -> Cost {
        let reach = self.reach(from);
        if reach.stop == self.target { reach.cost } else { NONE }
    }

    /// Takes over a way to the target that has been followed elsewhere, if there is one.
    pub(crate) fn adopt(&self, steps: Option<&[(Cell, Direction)]>) {
        if let Some(steps) = steps {
            self.ways.borrow_mut().adopt(self.target, self.maps(), steps);
        }
    }

    fn maps(&self) -> MapPair<'a> {
        MapPair { old: self.cpd.ground(), now: self.now }
    }

    /// Writes the cells of the database's way from a cell, without the first; all its moves must be legal.
    pub(crate) fn follow(&self, from: Cell, to: Cell, cells: &mut Vec<Cell>) {
        let mut at = from;
        while at != to {
            at = self.now.step(at, self.reach(at).first);
            cells.push(at);
        }
    }

    #[inline]
    fn scaled(&self, cost: Cost) -> Cost {
        match self.change.scale() {
            MILLION => cost,
            _ if cost == NONE => cost,
            scale => (u64::from(cost) * scale / MILLION) as Cost,
        }
    }

    /// A lower bound that needs no look at the database.
    #[inline]
    pub(crate) fn quick_bound(&self, from: Cell) -> Cost {
        let mut empty = self.empty;
        empty.lower(from.0)
    }

    /// A lower bound of what is left from a cell.
    #[inline]
    pub(crate) fn lower_bound(&self, from: Cell) -> Cost {
        if self.toward.is_none() {
            return self.quick_bound(from);
        }
        let then = self.scaled(self.way(from).then);
        match self.new_moves {
            None => then,
            Some(mut new) => then.min(new.to_first.lower(from.0).saturating_add(new.after_last)),
        }
    }

    /// What makes the bounds weaker than the database alone would have them.
    pub(crate) fn caveat(&self) -> Option<&'static str> {
        let (new, cheaper) = (!self.change.gained().is_empty(), self.change.scale() < MILLION);
        match (self.toward.is_some(), new, cheaper) {
            (false, ..) => Some("the goal was a wall when the database was built: bounds of an empty map"),
            (true, true, true) => Some("moves are new or cheaper than in the database: weaker bounds"),
            (true, true, false) => Some("moves are new since the database was built: weaker bounds"),
            (true, false, true) => Some("moves are cheaper than in the database: scaled bounds"),
            (true, false, false) => None,
        }
    }
}

impl Heuristic for &CpdBounds<'_> {
    const HAS_UPPER: bool = true;

    #[inline]
    fn lower(&mut self, node: u32) -> Cost {
        self.lower_bound(Cell(node))
    }

    #[inline]
    fn upper(&mut self, node: u32) -> Option<Cost> {
        Some(self.cost(Cell(node))).filter(|&cost| cost != NONE)
    }
}
