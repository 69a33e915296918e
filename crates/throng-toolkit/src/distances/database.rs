//! Exact distances to targets from first moves that somebody else knows, such as a path database.
//!
//! The distance of a cell is what the way from it costs. The way is followed move by move to the first cell whose distance
//! is known, and all cells on it are known from then on: the first question about a target costs as many look-ups as
//! the way has moves, the next ones, about cells beside it, one or two each. A search backwards from the target would
//! expand whole areas for the same. On a map that differs from the one whose moves are known nothing is answered.

use std::collections::BTreeMap;
use std::sync::Arc;

use throng_grid::{Cell, Cost, Direction, Ground, Size};
use throng_search::{FirstMoves, PagedCells};

use throng_crowd::bytes::{Damaged, Reader, put};
use throng_crowd::{AgentId, View, Work};

/// Look-ups in one round of work, at most: a round is short, so that a clock between rounds is obeyed.
const ROUND: u64 = 256;
/// Ticks after which the distances of a target that nobody asks about are dropped.
const UNUSED: u64 = 256;
/// A distance that is not known.
const UNKNOWN: Cost = Cost::MAX;

/// Whose distances: the number of the profile, and the target.
type Key = (u8, Cell);

/// The distances to each target that somebody has asked about.
#[derive(Debug)]
pub struct DatabaseDistances {
    moves: Option<Arc<dyn FirstMoves>>,
    tables: BTreeMap<Key, Table>,
    cap: usize,
}

#[derive(Debug, Default)]
struct Table {
    pages: Option<PagedCells<Cost>>,
    /// What was loaded, until somebody asks.
    loaded: Vec<(Cell, Cost)>,
    /// A way that has been followed so far, because the work of one tick did not suffice.
    chain: Vec<(Cell, Direction)>,
    used: u64,
}

fn key(view: &View<'_>, agent: AgentId) -> Option<Key> {
    view.target(agent).map(|target| (view.profile(agent).0, target))
}

impl DatabaseDistances {
    /// Nothing is known yet, and never more than about so many bytes are kept from one tick to the next.
    pub const fn new(cap: usize) -> Self {
        Self { moves: None, tables: BTreeMap::new(), cap }
    }

    /// Says whose first moves to follow.
    pub fn set_moves(&mut self, moves: Arc<dyn FirstMoves>) {
        self.moves = Some(moves);
    }

    /// Whether there are first moves for the map as an agent sees it.
    pub fn serves(&self, view: &View<'_>, agent: AgentId) -> bool {
        self.moves.as_ref().is_some_and(|moves| moves.is_built_for(view.ground(agent)))
    }

    /// Tells the distances of cells, each with a number, to the target of an agent that is
    /// [served](DatabaseDistances::serves), as far as work is granted. Not told are those to which no way leads either.
    pub fn distances(
        &mut self,
        view: &View<'_>,
        work: &mut Work<'_>,
        agent: AgentId,
        cells: impl Iterator<Item = (usize, Cell)>,
        mut tell: impl FnMut(usize, Cost),
    ) {
        let ground = view.ground(agent);
        let (Some(key), Some(moves)) = (key(view, agent), self.moves.as_deref()) else { return };
        let table = self.tables.entry(key).or_default();
        table.used = view.tick();
        table.wake(ground.size());
        for (number, cell) in cells {
            loop {
                if let Some(cost) = table.known(key.1, cell) {
                    tell(number, cost);
                    break;
                }
                // What was begun earlier comes first.
                if !table.walk(moves, ground, (cell, key.1), work) {
                    break;
                }
            }
        }
    }

    /// The distance of a cell to an agent's target, if it is known already.
    pub fn known(&self, view: &View<'_>, agent: AgentId, cell: Cell) -> Option<Cost> {
        let key = key(view, agent)?;
        self.tables.get(&key)?.known(key.1, cell).filter(|_| self.serves(view, agent))
    }

    /// Drops what nobody has asked for lately; all but what the tick has asked for when memory runs out.
    pub fn trim(&mut self, tick: u64) {
        if tick.is_multiple_of(UNUSED / 4) {
            self.tables.retain(|_, table| table.used + UNUSED > tick);
        }
        if self.memory_bytes() > self.cap {
            self.tables.retain(|_, table| table.used == tick);
        }
    }

    /// Bytes held, without the database.
    pub fn memory_bytes(&self) -> usize {
        self.tables.values().map(Table::memory_bytes).sum()
    }

    /// Writes the distances that are known; the first moves are for whoever loads them to give again.
    pub fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, self.tables.len() as u64);
        for (&(profile, target), table) in &self.tables {
            let pages = table.pages.iter().flat_map(PagedCells::touched).filter(|&(_, cost)| cost != UNKNOWN);
            let known: Vec<(Cell, Cost)> = pages.chain(table.loaded.iter().copied()).collect();
            let sizes = [known.len() as u64, table.chain.len() as u64];
            for value in [u64::from(profile), u64::from(target.0), table.used].into_iter().chain(sizes) {
                put(bytes, value);
            }
            for (cell, cost) in known {
                put(bytes, cell.0.into());
                put(bytes, cost.into());
            }
            for &(cell, direction) in &table.chain {
                put(bytes, cell.0.into());
                put(bytes, direction.number().into());
            }
        }
    }

    /// Takes back what [`DatabaseDistances::save`] wrote.
    ///
    /// # Errors
    /// When the bytes are not what it writes.
    pub fn load(&mut self, reader: &mut Reader<'_>) -> Result<(), Damaged> {
        self.tables.clear();
        let cells = u64::from(throng_grid::MAX_CELLS);
        for _ in 0..reader.length("the number of targets")? {
            let profile = reader.number_to(u64::from(u8::MAX), "a profile")? as u8;
            let target = Cell(reader.number_to(cells, "a target")? as u32);
            let used = reader.number_to(u64::MAX / 2, "a tick")?;
            let known = reader.length("the number of distances")?;
            let steps = reader.length("the number of moves")?;
            let mut table = Table { used, ..Table::default() };
            for _ in 0..known {
                let cell = Cell(reader.number_to(cells, "a place")? as u32);
                table.loaded.push((cell, reader.number_to(u64::from(UNKNOWN - 1), "a distance")? as Cost));
            }
            for _ in 0..steps {
                let cell = Cell(reader.number_to(cells, "a place")? as u32);
                table.chain.push((cell, Direction::from_number(reader.number_to(7, "a move")? as u8)));
            }
            if self.tables.insert((profile, target), table).is_some() {
                return Err(reader.damaged("one table a target"));
            }
        }
        Ok(())
    }
}

impl Table {
    /// Makes room for distances, and takes in those that were loaded.
    fn wake(&mut self, size: Size) {
        let pages = self.pages.get_or_insert_with(|| PagedCells::new(size, UNKNOWN));
        let is_place = |cell: Cell| cell.index() < size.area();
        for (cell, cost) in self.loaded.drain(..).filter(|&(cell, _)| is_place(cell)) {
            *pages.touch(cell) = cost;
        }
        if self.chain.iter().any(|&(cell, _)| !is_place(cell)) {
            self.chain.clear();
        }
    }

    fn known(&self, target: Cell, cell: Cell) -> Option<Cost> {
        if cell == target {
            return Some(0);
        }
        self.pages.as_ref().map(|pages| pages.get(cell)).filter(|&cost| cost != UNKNOWN)
    }

    /// Follows the way from a cell, or the one that was begun earlier, to where the distance is known; false when work
    /// is refused or no way leads there.
    fn walk(
        &mut self,
        moves: &dyn FirstMoves,
        ground: &Ground,
        (from, target): (Cell, Cell),
        work: &mut Work<'_>,
    ) -> bool {
        let last = self.chain.last();
        let mut at = last.map_or(from, |&(cell, direction)| ground.step(cell, direction));
        loop {
            let limit = ROUND.min(work.left());
            if limit == 0 || !work.round(limit) {
                return false;
            }
            for spent in 0..limit {
                if let Some(cost) = self.known(target, at) {
                    work.spend_backwards(spent);
                    self.join(ground, cost);
                    return true;
                }
                // First moves that lie may lead in circles, or into walls.
                let legal = |&to: &Direction| ground.moves(at) & to.bit() != 0;
                let first = moves.first_move(at, target).filter(legal);
                let Some(direction) = first.filter(|_| self.chain.len() < ground.size().area()) else {
                    work.spend_backwards(spent + 1);
                    self.chain.clear();
                    return false;
                };
                self.chain.push((at, direction));
                at = ground.step(at, direction);
            }
            work.spend_backwards(limit);
        }
    }

    /// Takes in the way that was followed to a cell of this distance.
    fn join(&mut self, ground: &Ground, mut cost: Cost) {
        let Some(pages) = &mut self.pages else { return };
        while let Some((cell, direction)) = self.chain.pop() {
            cost = cost.saturating_add(ground.cost(cell, direction)).min(UNKNOWN - 1);
            *pages.touch(cell) = cost;
        }
    }

    fn memory_bytes(&self) -> usize {
        self.pages.as_ref().map_or(0, PagedCells::memory_bytes)
            + self.loaded.capacity() * size_of::<(Cell, Cost)>()
            + self.chain.capacity() * size_of::<(Cell, Direction)>()
    }
}
