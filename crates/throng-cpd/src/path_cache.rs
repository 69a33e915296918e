//! The database's ways to one target, as far as they have been followed.
//!
//! Following the database's moves from a cell gives two numbers: what the way cost when the database was built, and what
//! it costs now, or where it is blocked. They are kept for every cell that is met, so that each is looked up once a
//! target. Where only the first blocked move is asked for, the way behind it is not followed: from a cell beside an
//! obstacle that is a step or two instead of the whole way.

use throng_grid::{Cell, Cost, Direction, Ground};

use crate::database::{PathCursor, Toward};

/// No cost: no way, or a blocked one.
pub(crate) const NONE: Cost = Cost::MAX;

/// What following the database's moves from a cell gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DatabasePath {
    /// What it cost when the database was built.
    pub(crate) then: Cost,
    /// How far it leads now.
    pub(crate) reach: LegalPrefix,
}

/// How far a way leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LegalPrefix {
    /// The last cell before the first move that is no longer legal; the target when all are.
    pub(crate) stop: Cell,
    /// What it costs now to come there.
    pub(crate) cost: Cost,
    /// Its first move; any at the target and where no way leads there.
    pub(crate) first: Direction,
}

impl DatabasePath {
    /// Nothing to go.
    pub(crate) const fn at_target(cell: Cell) -> Self {
        Self { then: 0, ..Self::none(cell) }
    }

    /// No way.
    pub(crate) const fn none(cell: Cell) -> Self {
        Self { then: NONE, reach: LegalPrefix { stop: cell, cost: 0, first: Direction::North } }
    }
}

/// What is known of the way from a cell: sixteen bytes, so that it is on one line of the cache, and two words, so that it
/// is passed on in registers.
#[derive(Clone, Copy, Debug, Default)]
struct PathSlot {
    /// In the lower half in which search it was found, whether `then` is unknown, and the first move; above it `then`.
    head: u64,
    /// Where it stops, and above it what it costs to come there.
    tail: u64,
}

const FIRST: u32 = 0b111;
const UNKNOWN: u32 = 1 << 3;
const STAMP: u32 = 4;
const LAST_STAMP: u32 = u32::MAX >> STAMP;

impl PathSlot {
    #[inline]
    const fn new(key: u32, way: DatabasePath) -> Self {
        Self {
            head: key as u64 | (way.then as u64) << 32,
            tail: way.reach.stop.0 as u64 | (way.reach.cost as u64) << 32,
        }
    }

    #[inline]
    const fn key(self) -> u32 {
        self.head as u32
    }

    #[inline]
    const fn reach(self) -> LegalPrefix {
        let first = Direction::from_number((self.key() & FIRST) as u8);
        LegalPrefix { stop: Cell(self.tail as u32), cost: (self.tail >> 32) as Cost, first }
    }

    #[inline]
    const fn way(self) -> DatabasePath {
        DatabasePath { then: (self.head >> 32) as Cost, reach: self.reach() }
    }

    #[inline]
    const fn is_whole(self) -> bool {
        self.key() & UNKNOWN == 0
    }
}

/// The map as it was and as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MapPair<'a> {
    pub(crate) old: &'a Ground,
    pub(crate) now: &'a Ground,
}

/// What is known of the ways to one target.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathCache {
    slots: Vec<PathSlot>,
    stamp: u32,
    chain: Vec<(Cell, Direction)>,
}

impl PathCache {
    /// Forgets everything, in no time.
    pub(crate) fn begin(&mut self, cells: usize) {
        if self.slots.len() != cells || self.stamp == LAST_STAMP {
            self.slots = vec![PathSlot::default(); cells];
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    #[inline]
    fn slot(&self, cell: Cell) -> Option<PathSlot> {
        let slot = self.slots[cell.index()];
        (slot.key() >> STAMP == self.stamp).then_some(slot)
    }

    /// The way from a cell.
    #[inline]
    pub(crate) fn way(&mut self, toward: &Toward<'_>, maps: MapPair<'_>, from: Cell) -> DatabasePath {
        match self.slot(from) {
            Some(slot) if slot.is_whole() => slot.way(),
            None => self.next_to_known(toward, maps, from).way(),
            Some(_) => self.follow::<true>(toward, maps, from).way(),
        }
    }

    /// How far the way from a cell leads.
    #[inline]
    pub(crate) fn reach(&mut self, toward: &Toward<'_>, maps: MapPair<'_>, from: Cell) -> LegalPrefix {
        match self.slot(from) {
            Some(slot) => slot.reach(),
            None => self.follow::<false>(toward, maps, from).reach(),
        }
    }

    /// The way from a cell that has not been met: mostly its first move leads to one that has.
    #[inline]
    fn next_to_known(&mut self, toward: &Toward<'_>, maps: MapPair<'_>, from: Cell) -> PathSlot {
        if from != toward.target()
            && let Some(direction) = toward.first_move(from)
            && let Some(slot) = self.slot(maps.old.step(from, direction)).filter(|slot| slot.is_whole())
        {
            return self.longer(slot, from, direction, maps);
        }
        self.follow::<true>(toward, maps, from)
    }

    /// Follows a way to its end, or to its first move that is no longer legal, or to where it is known.
    fn follow<const WHOLE: bool>(&mut self, toward: &Toward<'_>, maps: MapPair<'_>, from: Cell) -> PathSlot {
        let MapPair { old, now } = maps;
        self.chain.clear();
        let mut walker = PathCursor::new(old, from);
        let mut known = self.slot(from);
        let mut slot = loop {
            let at = walker.at;
            if at == toward.target() {
                break self.keep(at, DatabasePath::at_target(at), 0);
            }
            let direction = match known {
                Some(slot) => Some(slot.reach().first),
                None => toward.next_move(&walker),
            };
            // A database that lies may lead in circles.
            let Some(direction) = direction.filter(|_| self.chain.len() < self.slots.len()) else {
                break self.keep(at, DatabasePath::none(at), 0);
            };
            if !WHOLE && now.moves(at) & direction.bit() == 0 {
                let reach = LegalPrefix { stop: at, cost: 0, first: direction };
                break self.keep(at, DatabasePath { then: 0, reach }, UNKNOWN);
            }
            self.chain.push((at, direction));
            walker.go(old, direction);
            known = self.slot(walker.at);
            if let Some(slot) = known
                && (!WHOLE || slot.is_whole())
            {
                break slot;
            }
        };
        while let Some((cell, direction)) = self.chain.pop() {
            slot = self.longer(slot, cell, direction, maps);
        }
        slot
    }

    /// Takes over a way to the target that has been followed elsewhere.
    pub(crate) fn adopt(&mut self, target: Cell, maps: MapPair<'_>, steps: &[(Cell, Direction)]) {
        let mut slot = self.keep(target, DatabasePath::at_target(target), 0);
        for &(cell, direction) in steps.iter().rev() {
            slot = self.longer(slot, cell, direction, maps);
        }
    }

    #[inline]
    fn keep(&mut self, cell: Cell, way: DatabasePath, unknown: u32) -> PathSlot {
        let key = self.stamp << STAMP | unknown | u32::from(way.reach.first.number());
        let slot = PathSlot::new(key, way);
        self.slots[cell.index()] = slot;
        slot
    }

    /// A way with a move before it.
    #[inline]
    fn longer(
        &mut self,
        slot: PathSlot,
        cell: Cell,
        first: Direction,
        MapPair { old, now }: MapPair<'_>,
    ) -> PathSlot {
        let before = old.cost(cell, first);
        let DatabasePath { then, reach } = slot.way();
        let reach = if now.moves(cell) & first.bit() == 0 {
            LegalPrefix { stop: cell, cost: 0, first }
        } else {
            let after = if now.halves().is_empty() { before } else { now.cost(cell, first) };
            LegalPrefix { stop: reach.stop, cost: reach.cost.saturating_add(after), first }
        };
        self.keep(cell, DatabasePath { then: then.saturating_add(before), reach }, slot.key() & UNKNOWN)
    }
}
