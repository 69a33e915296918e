//! Lower and upper bounds of the cost to one target, from a database built before the map changed.
//!
//! M. Bono, A. E. Gerevini, D. D. Harabor, P. J. Stuckey, *Path Planning with CPD Heuristics*, IJCAI 2019. The
//! database's path from a cell gives two numbers: its cost when the database was built, a lower bound as long as no
//! move has become cheaper, and its cost now, an upper bound unless it is blocked.
//!
//! Beyond the paper, the bounds stay valid when paths may have become shorter. If moves have become cheaper, all lower
//! bounds are scaled by the smallest ratio of a move's cost now to its old cost. If there are new moves, a path either
//! uses none of them, or it reaches the first of them, which costs at least the octile distance to the rectangle around
//! them, and continues from the last of them, which costs at least the minimum old distance of their end cells. Both
//! bounds are consistent, so no node is re-expanded.

use std::cell::RefCell;

use throng_grid::{Cell, Cost, Direction, Ground, Pos};
use throng_search::spec::MILLION;
use throng_search::{Heuristic, OctileDistance};

use crate::database::{Cpd, Toward};
use crate::map_change::MapChange;
use crate::path_cache::{DatabasePath, LegalPrefix, MapPair, NO_COST, PathCache};

/// A lower bound for paths that use new moves.
#[derive(Clone, Copy, Debug)]
struct AddedMoves {
    /// Distance to the rectangle around all cells with new moves.
    to_first: OctileDistance,
    /// Minimum remaining cost after the last new move.
    after_last: Cost,
}

/// Bounds of the cost to one target.
#[derive(Debug)]
pub(crate) struct CpdBounds<'a> {
    pub(crate) cpd: &'a Cpd,
    pub(crate) now: &'a Ground,
    pub(crate) change: &'a MapChange,
    pub(crate) target: Cell,
    /// `None` if the target was a wall when the database was built.
    toward: Option<Toward<'a>>,
    paths: RefCell<&'a mut PathCache>,
    /// `None` if there are no new moves.
    added_moves: Option<AddedMoves>,
    octile: OctileDistance,
}

impl<'a> CpdBounds<'a> {
    pub(crate) fn new(
        cpd: &'a Cpd,
        now: &'a Ground,
        change: &'a MapChange,
        paths: &'a mut PathCache,
        target: Cell,
    ) -> Self {
        paths.begin(now.size().area());
        let octile = OctileDistance::to_cell(now, target);
        let toward = cpd.toward(target);
        let mut bounds =
            Self { cpd, now, change, target, toward, paths: RefCell::new(paths), added_moves: None, octile };
        bounds.added_moves = bounds.added_moves(change.cells_with_new_moves());
        bounds
    }

    fn added_moves(&self, cells: &[Cell]) -> Option<AddedMoves> {
        let first = self.now.pos(*cells.first()?);
        let (mut min, mut max, mut after_last) = (first, first, NO_COST);
        for &cell in cells {
            let pos = self.now.pos(cell);
            min = Pos::new(min.x.min(pos.x), min.y.min(pos.y));
            max = Pos::new(max.x.max(pos.x), max.y.max(pos.y));
            after_last = after_last.min(self.scaled(self.path(cell).old_cost));
        }
        Some(AddedMoves { to_first: OctileDistance::to_rect(self.now, min, max), after_last })
    }

    /// Returns the database's path from a cell.
    #[inline]
    pub(crate) fn path(&self, from: Cell) -> DatabasePath {
        match &self.toward {
            Some(toward) => self.paths.borrow_mut().path(toward, self.maps(), from),
            None if from == self.target => DatabasePath::at_target(from),
            None => DatabasePath::none(from),
        }
    }

    /// Returns the legal prefix of the database's path from a cell. Cheap if the path is blocked after a few moves.
    #[inline]
    pub(crate) fn prefix(&self, from: Cell) -> LegalPrefix {
        match &self.toward {
            Some(toward) => self.paths.borrow_mut().prefix(toward, self.maps(), from),
            None => DatabasePath::none(from).prefix,
        }
    }

    /// Returns the current cost of the database's path from a cell; [`NO_COST`] if it is blocked.
    #[inline]
    pub(crate) fn cost(&self, from: Cell) -> Cost {
        let prefix = self.prefix(from);
        if prefix.stop == self.target { prefix.cost } else { NO_COST }
    }

    /// Caches a path to the target whose steps are already known.
    pub(crate) fn adopt(&self, steps: Option<&[(Cell, Direction)]>) {
        if let Some(steps) = steps {
            self.paths.borrow_mut().adopt(self.target, self.maps(), steps);
        }
    }

    fn maps(&self) -> MapPair<'a> {
        MapPair { old: self.cpd.ground(), now: self.now }
    }

    /// Writes the cells of the database's path between two cells, without the first. All its moves must be legal.
    pub(crate) fn follow(&self, from: Cell, to: Cell, cells: &mut Vec<Cell>) {
        let mut at = from;
        while at != to {
            at = self.now.step(at, self.prefix(at).first);
            cells.push(at);
        }
    }

    /// Scales an old cost to a lower bound of the cost now.
    #[inline]
    fn scaled(&self, cost: Cost) -> Cost {
        match self.change.min_cost_ratio() {
            MILLION => cost,
            _ if cost == NO_COST => cost,
            ratio => (u64::from(cost) * ratio / MILLION) as Cost,
        }
    }

    /// Returns the octile distance to the target: a lower bound that does not read the database.
    #[inline]
    pub(crate) fn octile_bound(&self, from: Cell) -> Cost {
        let mut octile = self.octile;
        octile.lower(from.0)
    }

    /// Returns a lower bound of the cost from a cell.
    #[inline]
    pub(crate) fn lower_bound(&self, from: Cell) -> Cost {
        if self.toward.is_none() {
            return self.octile_bound(from);
        }
        let without_new_moves = self.scaled(self.path(from).old_cost);
        match self.added_moves {
            None => without_new_moves,
            Some(mut added) => {
                without_new_moves.min(added.to_first.lower(from.0).saturating_add(added.after_last))
            }
        }
    }

    /// Returns why the bounds are weaker than the distances of the database, if they are.
    pub(crate) fn caveat(&self) -> Option<&'static str> {
        let new_moves = !self.change.cells_with_new_moves().is_empty();
        let cheaper = self.change.min_cost_ratio() < MILLION;
        match (self.toward.is_some(), new_moves, cheaper) {
            (false, ..) => {
                Some("the goal was a wall when the database was built: bounds are octile distances")
            }
            (true, true, true) => {
                Some("moves are new or cheaper since the database was built: weaker bounds")
            }
            (true, true, false) => Some("moves are new since the database was built: weaker bounds"),
            (true, false, true) => Some("moves are cheaper since the database was built: scaled bounds"),
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
        Some(self.cost(Cell(node))).filter(|&cost| cost != NO_COST)
    }
}
