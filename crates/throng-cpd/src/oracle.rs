//! What a database says about ways to one target on a map that has changed since.
//!
//! M. Bono, A. E. Gerevini, D. D. Harabor, P. J. Stuckey, *Path Planning with CPD Heuristics*, IJCAI 2019. Following
//! the database's moves from a cell gives two numbers: what the way cost when the database was built, a lower bound as
//! long as nothing has become cheaper, and what it costs now, an upper bound unless it is blocked. Both are kept for
//! every cell that is met on the way, so that each is looked up once a target.
//!
//! We go beyond the paper where the change helps. If moves have become cheaper, all lower bounds are scaled by the
//! smallest share of its old cost that any move has. If there are new moves, a way either uses none of them or comes
//! to the first of them, which costs at least the distance on an empty map to the rectangle around them, and goes on
//! from the last of them, which costs at least the least distance that any of their ends had. Both bounds are
//! consistent, so no node is expanded twice.

use std::cell::RefCell;

use throng_grid::{Cell, Cost, Direction, Ground, Pos};
use throng_search::spec::MILLION;
use throng_search::{EmptyMap, Heuristic};

use crate::change::Change;
use crate::database::{Cpd, Toward};

/// No cost: no way, or a blocked one.
pub(crate) const NONE: Cost = Cost::MAX;

/// What following the database's moves from a cell gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Way {
    /// What it cost when the database was built.
    pub(crate) then: Cost,
    /// What it costs now; [`NONE`] when a move of it is no longer legal.
    pub(crate) now: Cost,
    /// The last cell before the first move that is no longer legal; the target when all are.
    pub(crate) stop: Cell,
    /// What it costs now to come there.
    pub(crate) to_stop: Cost,
    /// Its first move; any at the target and where no way leads there.
    first: Direction,
}

impl Way {
    /// Nothing to go.
    const fn at_target(cell: Cell) -> Self {
        Self { then: 0, now: 0, ..Self::none(cell) }
    }

    /// No way.
    const fn none(cell: Cell) -> Self {
        Self { then: NONE, now: NONE, stop: cell, to_stop: 0, first: Direction::North }
    }
}

/// What is known of the ways to one target.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ways {
    slots: Vec<(u32, Way)>,
    stamp: u32,
    chain: Vec<(Cell, Direction)>,
}

impl Ways {
    /// Forgets everything, in no time.
    fn begin(&mut self, cells: usize) {
        if self.slots.len() != cells || self.stamp == u32::MAX {
            self.slots = vec![(0, Way::none(Cell(0))); cells];
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    #[inline]
    fn known(&self, cell: Cell) -> Option<Way> {
        let (stamp, way) = self.slots[cell.index()];
        (stamp == self.stamp).then_some(way)
    }

    fn follow(&mut self, toward: &Toward<'_>, old: &Ground, now: &Ground, from: Cell) -> Way {
        self.chain.clear();
        let mut at = from;
        let mut way = loop {
            if at == toward.target() {
                break self.keep(at, Way::at_target(at));
            }
            // A database that lies may lead in circles.
            let Some(direction) = toward.first_move(at).filter(|_| self.chain.len() < self.slots.len())
            else {
                break self.keep(at, Way::none(at));
            };
            let next = old.step(at, direction);
            if let Some(way) = self.known(next) {
                break self.keep(at, longer(way, at, direction, old, now));
            }
            self.chain.push((at, direction));
            at = next;
        };
        while let Some((cell, direction)) = self.chain.pop() {
            way = self.keep(cell, longer(way, cell, direction, old, now));
        }
        way
    }

    #[inline]
    fn keep(&mut self, cell: Cell, way: Way) -> Way {
        self.slots[cell.index()] = (self.stamp, way);
        way
    }
}

/// A way with a move before it.
#[inline]
fn longer(way: Way, cell: Cell, direction: Direction, old: &Ground, now: &Ground) -> Way {
    let then = way.then.saturating_add(old.cost(cell, direction));
    if now.moves(cell) & direction.bit() == 0 {
        return Way { then, first: direction, ..Way::none(cell) };
    }
    let cost = now.cost(cell, direction);
    Way {
        then,
        now: way.now.saturating_add(cost),
        stop: way.stop,
        to_stop: way.to_stop.saturating_add(cost),
        first: direction,
    }
}

/// Where moves are new: around which rectangle, and what is left at least after the last of them.
#[derive(Clone, Copy, Debug)]
struct NewMoves {
    to_first: EmptyMap,
    after_last: Cost,
}

/// Answers about ways to one target, from a database and from what has changed since.
#[derive(Debug)]
pub(crate) struct Oracle<'a> {
    pub(crate) cpd: &'a Cpd,
    pub(crate) now: &'a Ground,
    pub(crate) change: &'a Change,
    pub(crate) target: Cell,
    toward: Option<Toward<'a>>,
    ways: RefCell<&'a mut Ways>,
    new_moves: Option<NewMoves>,
    empty: EmptyMap,
}

impl<'a> Oracle<'a> {
    pub(crate) fn new(
        cpd: &'a Cpd,
        now: &'a Ground,
        change: &'a Change,
        ways: &'a mut Ways,
        target: Cell,
    ) -> Self {
        ways.begin(now.size().area());
        let empty = EmptyMap::to_cell(now, target);
        let toward = cpd.toward(target);
        let mut oracle =
            Self { cpd, now, change, target, toward, ways: RefCell::new(ways), new_moves: None, empty };
        oracle.new_moves = oracle.new_moves_of(change.gained());
        oracle
    }

    fn new_moves_of(&self, gained: &[Cell]) -> Option<NewMoves> {
        let first = self.now.pos(*gained.first()?);
        let (mut min, mut max, mut after_last) = (first, first, NONE);
        for &cell in gained {
            let pos = self.now.pos(cell);
            min = Pos::new(min.x.min(pos.x), min.y.min(pos.y));
            max = Pos::new(max.x.max(pos.x), max.y.max(pos.y));
            after_last = after_last.min(self.scaled(self.way(cell).then));
        }
        Some(NewMoves { to_first: EmptyMap::to_rect(self.now, min, max), after_last })
    }

    /// What following the database's moves from a cell gives.
    #[inline]
    pub(crate) fn way(&self, from: Cell) -> Way {
        let mut ways = self.ways.borrow_mut();
        if let Some(way) = ways.known(from) {
            return way;
        }
        match &self.toward {
            Some(toward) => ways.follow(toward, self.cpd.ground(), self.now, from),
            None if from == self.target => Way::at_target(from),
            None => Way::none(from),
        }
    }

    /// Writes the cells of the database's way from a cell, without the first; all its moves must be legal.
    pub(crate) fn follow(&self, from: Cell, to: Cell, cells: &mut Vec<Cell>) {
        let mut at = from;
        while at != to {
            at = self.now.step(at, self.way(at).first);
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

    /// A lower bound of what is left from a cell.
    #[inline]
    pub(crate) fn lower_bound(&self, from: Cell) -> Cost {
        if self.toward.is_none() {
            let mut empty = self.empty;
            return empty.lower(from.0);
        }
        let then = self.scaled(self.way(from).then);
        match self.new_moves {
            None => then,
            Some(mut new) => then.min(new.to_first.lower(from.0).saturating_add(new.after_last)),
        }
    }

    /// What makes the bounds weaker than the database alone would have them.
    pub(crate) fn remark(&self) -> Option<&'static str> {
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

impl Heuristic for &Oracle<'_> {
    const HAS_UPPER: bool = true;

    #[inline]
    fn lower(&mut self, node: u32) -> Cost {
        self.lower_bound(Cell(node))
    }

    #[inline]
    fn upper(&mut self, node: u32) -> Option<Cost> {
        Some(self.way(Cell(node)).now).filter(|&cost| cost != NONE)
    }
}
