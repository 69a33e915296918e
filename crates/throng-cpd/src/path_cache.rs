//! A cache of the database's paths to one target, as far as they have been followed.
//!
//! Following the database's moves from a cell gives the path's cost when the database was built, and its cost now or
//! the cell where it is blocked. Both are cached for every cell on the path, so that each row is read once per target.
//! A query for the legal prefix alone does not follow the path beyond its first blocked move: beside an obstacle that
//! is a step or two instead of the whole path.

use throng_grid::{Cell, Cost, Direction, Ground};

use crate::database::{PathCursor, Toward};

/// The cost of a path that does not exist or is blocked.
pub(crate) const NO_COST: Cost = Cost::MAX;

/// The database's path from a cell to the target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DatabasePath {
    /// Its cost when the database was built; [`NO_COST`] if there was no path.
    pub(crate) old_cost: Cost,
    /// The part that is legal now.
    pub(crate) prefix: LegalPrefix,
}

/// The part of a database path before its first move that is no longer legal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LegalPrefix {
    /// Its last cell; the target if all moves are legal.
    pub(crate) stop: Cell,
    /// Its cost now.
    pub(crate) cost: Cost,
    /// The first move of the path. Invalid at the target and if there is no path.
    pub(crate) first: Direction,
}

impl DatabasePath {
    /// Returns the empty path of the target itself.
    pub(crate) const fn at_target(cell: Cell) -> Self {
        Self { old_cost: 0, ..Self::none(cell) }
    }

    /// Returns the value for a cell without a path.
    pub(crate) const fn none(cell: Cell) -> Self {
        Self { old_cost: NO_COST, prefix: LegalPrefix { stop: cell, cost: 0, first: Direction::North } }
    }
}

/// The cached path from a cell: 16 bytes, so that it lies in one cache line, and two words, so that it is passed in
/// registers.
#[derive(Clone, Copy, Debug, Default)]
struct PathSlot {
    /// Lower half: first move, [`OLD_COST_UNKNOWN`] and the stamp of the query. Upper half: `old_cost`.
    head: u64,
    /// Lower half: `stop`. Upper half: the cost of the legal prefix.
    tail: u64,
}

const FIRST: u32 = 0b111;
const OLD_COST_UNKNOWN: u32 = 1 << 3;
const STAMP: u32 = 4;
const LAST_STAMP: u32 = u32::MAX >> STAMP;

impl PathSlot {
    #[inline]
    const fn new(key: u32, path: DatabasePath) -> Self {
        Self {
            head: key as u64 | (path.old_cost as u64) << 32,
            tail: path.prefix.stop.0 as u64 | (path.prefix.cost as u64) << 32,
        }
    }

    #[inline]
    const fn key(self) -> u32 {
        self.head as u32
    }

    #[inline]
    const fn prefix(self) -> LegalPrefix {
        let first = Direction::from_number((self.key() & FIRST) as u8);
        LegalPrefix { stop: Cell(self.tail as u32), cost: (self.tail >> 32) as Cost, first }
    }

    #[inline]
    const fn path(self) -> DatabasePath {
        DatabasePath { old_cost: (self.head >> 32) as Cost, prefix: self.prefix() }
    }

    #[inline]
    const fn is_whole(self) -> bool {
        self.key() & OLD_COST_UNKNOWN == 0
    }
}

/// The map when the database was built, and the map now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MapPair<'a> {
    pub(crate) old: &'a Ground,
    pub(crate) now: &'a Ground,
}

/// The cached paths to one target.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathCache {
    slots: Vec<PathSlot>,
    stamp: u32,
    /// The steps of the path being followed.
    chain: Vec<(Cell, Direction)>,
}

impl PathCache {
    /// Empties the cache in O(1) for a map with a number of cells.
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

    /// Returns the path from a cell.
    #[inline]
    pub(crate) fn path(&mut self, toward: &Toward<'_>, maps: MapPair<'_>, from: Cell) -> DatabasePath {
        match self.slot(from) {
            Some(slot) if slot.is_whole() => slot.path(),
            None => self.extend_known(toward, maps, from).path(),
            Some(_) => self.follow::<true>(toward, maps, from).path(),
        }
    }

    /// Returns the legal prefix of the path from a cell.
    #[inline]
    pub(crate) fn prefix(&mut self, toward: &Toward<'_>, maps: MapPair<'_>, from: Cell) -> LegalPrefix {
        match self.slot(from) {
            Some(slot) => slot.prefix(),
            None => self.follow::<false>(toward, maps, from).prefix(),
        }
    }

    /// Returns the path from a cell that is not cached. Its first move mostly leads to a cell that is.
    #[inline]
    fn extend_known(&mut self, toward: &Toward<'_>, maps: MapPair<'_>, from: Cell) -> PathSlot {
        if from != toward.target()
            && let Some(direction) = toward.first_move(from)
            && let Some(slot) = self.slot(maps.old.step(from, direction)).filter(|slot| slot.is_whole())
        {
            return self.prepend(slot, from, direction, maps);
        }
        self.follow::<true>(toward, maps, from)
    }

    /// Follows a path to the target, to a cached cell, or, unless `WHOLE`, to its first illegal move.
    fn follow<const WHOLE: bool>(&mut self, toward: &Toward<'_>, maps: MapPair<'_>, from: Cell) -> PathSlot {
        let MapPair { old, now } = maps;
        self.chain.clear();
        let mut cursor = PathCursor::new(old, from);
        let mut known = self.slot(from);
        let mut slot = loop {
            let at = cursor.at;
            if at == toward.target() {
                break self.store(at, DatabasePath::at_target(at), 0);
            }
            let direction = match known {
                Some(slot) => Some(slot.prefix().first),
                None => toward.next_move(&cursor),
            };
            // A corrupt database may contain cycles.
            let Some(direction) = direction.filter(|_| self.chain.len() < self.slots.len()) else {
                break self.store(at, DatabasePath::none(at), 0);
            };
            if !WHOLE && now.moves(at) & direction.bit() == 0 {
                let prefix = LegalPrefix { stop: at, cost: 0, first: direction };
                break self.store(at, DatabasePath { old_cost: 0, prefix }, OLD_COST_UNKNOWN);
            }
            self.chain.push((at, direction));
            cursor.advance(old, direction);
            known = self.slot(cursor.at);
            if let Some(slot) = known
                && (!WHOLE || slot.is_whole())
            {
                break slot;
            }
        };
        while let Some((cell, direction)) = self.chain.pop() {
            slot = self.prepend(slot, cell, direction, maps);
        }
        slot
    }

    /// Caches a path to the target whose steps are already known.
    pub(crate) fn adopt(&mut self, target: Cell, maps: MapPair<'_>, steps: &[(Cell, Direction)]) {
        let mut slot = self.store(target, DatabasePath::at_target(target), 0);
        for &(cell, direction) in steps.iter().rev() {
            slot = self.prepend(slot, cell, direction, maps);
        }
    }

    #[inline]
    fn store(&mut self, cell: Cell, path: DatabasePath, unknown: u32) -> PathSlot {
        let key = self.stamp << STAMP | unknown | u32::from(path.prefix.first.number());
        let slot = PathSlot::new(key, path);
        self.slots[cell.index()] = slot;
        slot
    }

    /// Caches the path from a cell whose first move leads to the start of another path.
    #[inline]
    fn prepend(
        &mut self,
        slot: PathSlot,
        cell: Cell,
        first: Direction,
        MapPair { old, now }: MapPair<'_>,
    ) -> PathSlot {
        let before = old.cost(cell, first);
        let DatabasePath { old_cost, prefix } = slot.path();
        let prefix = if now.moves(cell) & first.bit() == 0 {
            LegalPrefix { stop: cell, cost: 0, first }
        } else {
            let after = if old.is_uniform() && now.is_uniform() { before } else { now.cost(cell, first) };
            LegalPrefix { stop: prefix.stop, cost: prefix.cost.saturating_add(after), first }
        };
        let path = DatabasePath { old_cost: old_cost.saturating_add(before), prefix };
        self.store(cell, path, slot.key() & OLD_COST_UNKNOWN)
    }
}
