//! Database distances: exact distances to targets from the first moves of a path database.
//!
//! The distance of a cell is the cost of the path from it. The path is followed move by move to the first cell whose
//! distance is known, and the distances of all cells on it are known from then on. The first query for a target costs one
//! look-up per move of the path; later queries, about neighbouring cells, cost one or two each. A reverse search from the
//! target would expand whole areas. On a map that differs from that of the database, nothing is returned.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use throng_crowd::{AgentRow, Limits, StateError, Validate, View, Work};
use throng_grid::{Cell, Cost, Direction, Ground, ProfileId};
use throng_search::{FirstMoves, PagedCells};

use super::{Key, UNUSED, key};

/// Most look-ups per round of work. Rounds are short, so that a clock that is read between rounds is obeyed.
const ROUND: u64 = 256;
/// Stands for an unknown distance.
const UNKNOWN: Cost = Cost::MAX;

/// The distances to the targets that were queried.
#[derive(Clone, Debug)]
pub struct DatabaseDistances {
    moves: Option<Arc<dyn FirstMoves>>,
    tables: BTreeMap<Key, TargetDistances>,
    max_bytes: usize,
}

#[derive(Clone, Debug, Default)]
struct TargetDistances {
    pages: Option<PagedCells<Cost>>,
    /// After restoring: the known distances, until the first query.
    restored: Vec<(Cell, Cost)>,
    /// A path that has been followed so far, because the work of one tick did not suffice.
    chain: Vec<(Cell, Direction)>,
    used: u64,
}

impl DatabaseDistances {
    /// Returns no distances, with a cap of the memory that is kept from one tick to the next.
    pub const fn new(max_bytes: usize) -> Self {
        Self { moves: None, tables: BTreeMap::new(), max_bytes }
    }

    /// Sets the first moves to follow.
    pub fn set_moves(&mut self, moves: Arc<dyn FirstMoves>) {
        self.moves = Some(moves);
    }

    /// Returns true if there are first moves for the map of an agent's profile.
    pub fn serves(&self, view: &View<'_>, agent: AgentRow) -> bool {
        self.moves.as_ref().is_some_and(|moves| moves.is_built_for(view.ground(agent)))
    }

    /// Calls `found` with the number and the distance of each cell to the target of an agent that is
    /// [served](DatabaseDistances::serves), as far as work is granted. Cells without a path are left out.
    pub fn distances(
        &mut self,
        view: &View<'_>,
        work: &mut Work<'_>,
        agent: AgentRow,
        cells: impl Iterator<Item = (usize, Cell)>,
        mut found: impl FnMut(usize, Cost),
    ) {
        let ground = view.ground(agent);
        let (Some(key), Some(moves)) = (key(view, agent), self.moves.as_deref()) else { return };
        let table = self.tables.entry(key).or_default();
        table.used = view.tick();
        table.wake(ground);
        for (number, cell) in cells {
            loop {
                if let Some(cost) = table.known(key.1, cell) {
                    found(number, cost);
                    break;
                }
                // A path that was begun earlier comes first.
                if !table.walk(moves, ground, (cell, key.1), work) {
                    break;
                }
            }
        }
    }

    /// Returns the distance of a cell to an agent's target, if it is known already.
    pub fn known(&self, view: &View<'_>, agent: AgentRow, cell: Cell) -> Option<Cost> {
        let key = key(view, agent)?;
        self.tables.get(&key)?.known(key.1, cell).filter(|_| self.serves(view, agent))
    }

    /// Drops the distances that were not used lately; above the memory cap all that were not used in this tick.
    pub fn trim(&mut self, tick: u64) {
        if tick.is_multiple_of(UNUSED / 4) {
            self.tables.retain(|_, table| table.used + UNUSED > tick);
        }
        if self.memory_bytes() > self.max_bytes {
            self.tables.retain(|_, table| table.used == tick);
        }
    }

    /// Returns the memory held without the database, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.tables.values().map(TargetDistances::memory_bytes).sum()
    }

    /// Returns the distances that are known. The first moves are not saved.
    pub fn saved(&self) -> SavedDatabaseDistances {
        let saved = |(&(profile, target), table): (&Key, &TargetDistances)| {
            let known = table.pages.iter().flat_map(PagedCells::touched).filter(|&(_, cost)| cost != UNKNOWN);
            SavedTargetDistances {
                profile: ProfileId(profile),
                target,
                known: known.chain(table.restored.iter().copied()).collect(),
                chain: table.chain.clone(),
                used: table.used,
            }
        };
        SavedDatabaseDistances(self.tables.iter().map(saved).collect())
    }

    /// Restores what [`DatabaseDistances::saved`] returned.
    pub fn restore(&mut self, saved: SavedDatabaseDistances) {
        let table = |saved: SavedTargetDistances| {
            let SavedTargetDistances { profile, target, known: restored, chain, used } = saved;
            ((profile.0, target), TargetDistances { pages: None, restored, chain, used })
        };
        self.tables = saved.0.into_iter().map(table).collect();
    }
}

/// The distances as they are saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedDatabaseDistances(Vec<SavedTargetDistances>);

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedTargetDistances {
    profile: ProfileId,
    target: Cell,
    known: Vec<(Cell, Cost)>,
    chain: Vec<(Cell, Direction)>,
    used: u64,
}

impl Validate for SavedTargetDistances {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { profile, target, known, chain, used } = self;
        (*profile, *target).validate(limits)?;
        let cells = known.iter().map(|&(cell, _)| cell).chain(chain.iter().map(|&(cell, _)| cell));
        cells.into_iter().try_for_each(|cell| cell.validate(limits))?;
        limits.at_most_cells(chain.len() as u64, "the length of a path")?;
        limits.past_tick(*used)
    }
}

impl Validate for SavedDatabaseDistances {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        self.0.validate(limits)
    }
}

impl TargetDistances {
    /// Allocates memory for distances and enters those that were restored.
    fn wake(&mut self, ground: &Ground) {
        let pages = self.pages.get_or_insert_with(|| PagedCells::new(ground.size(), UNKNOWN));
        for (cell, cost) in self.restored.drain(..) {
            *pages.touch(cell) = cost;
        }
        // A restored path may have moves that lead out of the map.
        if self.chain.iter().any(|&(cell, direction)| ground.moves(cell) & direction.bit() == 0) {
            self.chain.clear();
        }
    }

    fn known(&self, target: Cell, cell: Cell) -> Option<Cost> {
        if cell == target {
            return Some(0);
        }
        self.pages.as_ref().map(|pages| pages.get(cell)).filter(|&cost| cost != UNKNOWN)
    }

    /// Follows the path from a cell, or one that was begun earlier, to a known distance. Returns false if work is refused
    /// or there is no path.
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
                // Wrong first moves may lead in circles or into walls.
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
            + self.restored.capacity() * size_of::<(Cell, Cost)>()
            + self.chain.capacity() * size_of::<(Cell, Direction)>()
    }
}
