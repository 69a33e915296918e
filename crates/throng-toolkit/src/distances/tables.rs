//! Distance tables: exact distances to targets, from one reverse search per target, under a memory cap.
//!
//! Agents of one profile with the same target share a table. A table is dropped when the map has changed in a tile that its
//! search has read, when it was not used for long, and above the memory cap: the least recently used first; tie-break: the
//! lowest cell. A dropped table is searched again when it is needed and work is granted.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use throng_crowd::{AgentRow, Limits, StateError, Validate, View, Work};
use throng_grid::{Cell, Cost, Ground, ProfileId};
use throng_search::{Distance, Rra, TouchedTiles};

use super::{Key, UNUSED, key};
use crate::{Grant, SearchQueue, Slicing, TimeSliced};

/// Sixteen tables grow at once: agents with different targets must not wait for each other for long.
const SLICING: Slicing = Slicing { at_once: 16, slice: 512, min_share: 256 };

/// Ticks between two looks for unused tables.
const UNUSED_PERIOD: u64 = UNUSED / 4;

/// The tables of the targets in use.
#[derive(Clone, Debug)]
pub struct DistanceTables {
    tables: BTreeMap<Key, Table>,
    /// Memory cap, in bytes.
    cap: usize,
    /// Memory of all tables, in bytes.
    held: usize,
    /// Agents whose tables do not reach them yet, with the expansions of these tables.
    waiting: Vec<(u64, AgentRow)>,
    /// Tables being grown. They are moved here for a round and back.
    growing: SearchQueue<Growing>,
    dropped: DroppedTables,
}

/// Tables that are not used any more and whose memory is still to be returned. That takes 0.7 microseconds per table, and a
/// whole crowd may leave its targets at once, so it is spread over the ticks until the next look for unused tables.
#[derive(Debug, Default)]
struct DroppedTables {
    tables: Vec<Table>,
    /// Their memory, in bytes.
    bytes: usize,
    /// The number of tables whose memory is returned per tick.
    per_tick: usize,
}

impl Clone for DroppedTables {
    /// Returns none: a copy does not need them.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl DroppedTables {
    const fn new() -> Self {
        Self { tables: Vec::new(), bytes: 0, per_tick: 0 }
    }

    fn add(&mut self, table: Table) {
        self.bytes += table.bytes;
        self.tables.push(table);
    }

    /// Sets the number per tick so that nothing is left after this many ticks.
    fn spread_over(&mut self, ticks: u64) {
        self.per_tick = self.tables.len().div_ceil(ticks as usize);
    }

    /// Returns the memory of some tables, or of all if more than `cap` bytes are left.
    fn free_some(&mut self, cap: usize) {
        let left = self.tables.len().saturating_sub(self.per_tick);
        let left = if self.bytes > cap { 0 } else { left };
        for table in self.tables.drain(left..) {
            self.bytes -= table.bytes;
        }
    }
}

#[derive(Clone, Debug)]
struct Table {
    known: Known,
    used: u64,
    bytes: usize,
}

#[derive(Clone, Debug)]
enum Known {
    /// Shared with copies of the tables until one of them grows it.
    Live(Arc<Rra>),
    /// Restored: searched again when it is needed.
    Saved(SavedSearch),
}

/// What a reverse search can be repeated from.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedSearch {
    /// The cell towards which the search was directed.
    toward: Cell,
    touched: TouchedTiles,
    expansions: u64,
}

/// The tables as they are saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedTables(Vec<SavedTable>);

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedTable {
    profile: ProfileId,
    target: Cell,
    search: SavedSearch,
    used: u64,
    bytes: u64,
}

/// No table needs more memory, in bytes.
const MAX_TABLE_BYTES: u64 = 1 << 40;

impl Validate for SavedTable {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { profile, target, search: SavedSearch { toward, touched, expansions }, used, bytes } = self;
        (*profile, [*target, *toward]).validate(limits)?;
        touched.validate(limits)?;
        limits.at_most_cells(*expansions, "the expansions of a table")?;
        limits.past_tick(*used)?;
        limits.at_most(*bytes, MAX_TABLE_BYTES, "the memory of a table")
    }
}

impl Validate for SavedTables {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let key = |table: &SavedTable| (table.profile, table.target);
        limits.require(self.0.is_sorted_by(|a, b| key(a) < key(b)), "a target has two tables")?;
        self.0.validate(limits)
    }
}

/// The growth of one agent's table until it reaches the agent.
#[derive(Clone, Debug)]
struct Growing {
    agent: AgentRow,
    key: Key,
    from: Cell,
    /// During a round: the table, unless an agent before this one in the queue grows it.
    table: Option<Arc<Rra>>,
    done: bool,
}

impl Default for Growing {
    fn default() -> Self {
        Self { agent: AgentRow(0), key: (0, Cell(0)), from: Cell(0), table: None, done: false }
    }
}

impl TimeSliced for Growing {
    fn agent(&self) -> AgentRow {
        self.agent
    }

    fn is_done(&self) -> bool {
        self.done
    }
}

impl DistanceTables {
    /// Returns no tables, with a memory cap in bytes.
    pub const fn new(cap: usize) -> Self {
        Self {
            tables: BTreeMap::new(),
            cap,
            held: 0,
            waiting: Vec::new(),
            growing: SearchQueue::new(),
            dropped: DroppedTables::new(),
        }
    }

    /// Returns the memory of the tables, in bytes.
    pub const fn memory_bytes(&self) -> usize {
        self.held + self.dropped.bytes
    }

    /// Returns the table of an agent's target if it is valid on the current map.
    pub fn current(&mut self, view: &View<'_>, agent: AgentRow) -> Option<&Rra> {
        self.growable(view, agent).map(|rra| &**rra)
    }

    /// Returns the same for a caller that may make it grow, by [`Arc::make_mut`]; it must call [`DistanceTables::weigh`] then.
    pub fn growable(&mut self, view: &View<'_>, agent: AgentRow) -> Option<&mut Arc<Rra>> {
        let (ground, key) = (view.ground(agent), key(view, agent)?);
        self.revive(key, ground);
        match &mut self.tables.get_mut(&key)?.known {
            Known::Live(rra) => {
                let is_current = rra.is_known_current(ground) || Arc::make_mut(rra).is_current(ground);
                is_current.then_some(rra)
            }
            Known::Saved(_) => None,
        }
    }

    /// Returns the distance of a cell to an agent's target, if its table knows it and [`DistanceTables::current`] has found
    /// the table valid on the current map.
    #[inline]
    pub fn known(&self, view: &View<'_>, agent: AgentRow, cell: Cell) -> Option<Cost> {
        match &self.tables.get(&key(view, agent)?)?.known {
            Known::Live(rra) => rra.known(cell).filter(|_| rra.is_known_current(view.ground(agent))),
            Known::Saved(_) => None,
        }
    }

    /// Counts the memory of the table of an agent's target again.
    pub fn weigh(&mut self, view: &View<'_>, agent: AgentRow) {
        if let Some(key) = key(view, agent)
            && let Some(Table { known: Known::Live(rra), bytes, .. }) = self.tables.get_mut(&key)
        {
            self.held = self.held - *bytes + rra.memory_bytes();
            *bytes = rra.memory_bytes();
        }
    }

    /// Drops the table of an agent's target. It is searched again when it is needed.
    pub fn forget(&mut self, view: &View<'_>, agent: AgentRow) {
        if let Some(key) = key(view, agent) {
            self.close(key);
        }
    }

    fn close(&mut self, key: Key) {
        if let Some(table) = self.tables.remove(&key) {
            self.held -= table.bytes;
        }
    }

    /// Grows the tables of agents with targets until they know the distances of the agents' cells, within the memory cap
    /// and half of the work that is left.
    pub fn reach(
        &mut self,
        view: &View<'_>,
        work: &mut Work<'_>,
        agents: impl IntoIterator<Item = AgentRow>,
    ) {
        if view.tick().is_multiple_of(UNUSED_PERIOD) {
            self.drop_unused(view.tick());
        }
        self.dropped.free_some(self.cap.saturating_sub(self.held));
        self.growing.retain(|_| false);
        self.waiting.clear();
        for agent in agents {
            // The first look is free: most tables reach their agents.
            if let Some(key) = key(view, agent)
                && let Some(expansions) = self.missing(view, agent, key, view.at(agent))
            {
                self.waiting.push((expansions, agent));
            }
        }
        // When work is scarce, the tables with most expansions are finished first.
        self.waiting.sort_unstable_by_key(|&(expansions, agent)| (std::cmp::Reverse(expansions), agent));
        let (reserve, mut next) = (work.left() / 2, 0);
        loop {
            while self.growing.len() < SLICING.at_once && next < self.waiting.len() {
                let agent = self.waiting[next].1;
                next += 1;
                if let Some(key) = key(view, agent) {
                    *self.growing.start() =
                        Growing { agent, key, from: view.at(agent), table: None, done: false };
                }
            }
            self.trim(view.tick());
            if self.held > self.cap {
                return;
            }
            let Some(grant) = SLICING.grant(work, work.left() - reserve, self.growing.len()) else { return };
            // Tables are begun only now, because that is work, too. They may need more memory than there is.
            (0..grant.count).for_each(|i| self.open(view, self.growing.searches()[i].agent));
            self.trim(view.tick());
            if self.held > self.cap {
                return;
            }
            work.spend_backwards(self.grow(view, grant));
        }
    }

    /// Returns the expansions of a table that does not know the distance of a cell yet; `None` if it does.
    fn missing(&mut self, view: &View<'_>, agent: AgentRow, key: Key, from: Cell) -> Option<u64> {
        let Some(rra) = self.growable(view, agent) else { return Some(0) };
        let known = rra.known(from).is_some()
            || Arc::make_mut(rra).distance(view.ground(agent), from, 0) != Distance::Unknown;
        let so_far = rra.expansions();
        if let Some(table) = self.tables.get_mut(&key) {
            table.used = view.tick();
        }
        (!known).then_some(so_far)
    }

    /// Returns the table of an agent's target, and starts one if there is none and memory allows. Must be called only after
    /// work was granted. A caller that makes it grow must call [`DistanceTables::weigh`] afterwards.
    pub fn opened(&mut self, view: &View<'_>, agent: AgentRow) -> Option<&mut Rra> {
        if self.held <= self.cap {
            self.open(view, agent);
        }
        if let Some(table) = key(view, agent).and_then(|key| self.tables.get_mut(&key)) {
            table.used = view.tick();
        }
        self.growable(view, agent).map(Arc::make_mut)
    }

    /// Grows the first tables of the queue in parallel and returns the expansions. A table that several agents share grows
    /// for the first of them.
    fn grow(&mut self, view: &View<'_>, grant: Grant) -> u64 {
        for growing in &mut self.growing.searches_mut()[..grant.count] {
            if let Some(Table { known: Known::Live(rra), bytes, .. }) = self.tables.remove(&growing.key) {
                self.held -= bytes;
                growing.table = Some(rra);
            }
        }
        let spent = self.growing.advance(view.executor(), grant, |growing, (), limit| {
            let Some(rra) = &mut growing.table else { return 0 };
            let before = rra.expansions();
            let distance = Arc::make_mut(rra).distance(view.ground(growing.agent), growing.from, limit);
            growing.done = distance != Distance::Unknown;
            rra.expansions() - before
        });
        let grown = &mut self.growing.searches_mut()[..grant.count];
        let is_any_shared = grown.iter().any(|growing| growing.table.is_none());
        for growing in &mut *grown {
            if let Some(rra) = growing.table.take() {
                let bytes = rra.memory_bytes();
                self.held += bytes;
                let table = Table { known: Known::Live(rra), used: view.tick(), bytes };
                self.tables.insert(growing.key, table);
            }
        }
        if is_any_shared {
            // Tables outside this round may not be current.
            for growing in grown {
                let Some(Table { known: Known::Live(rra), .. }) = self.tables.get(&growing.key) else {
                    continue;
                };
                growing.done |= rra.known(growing.from).is_some();
            }
        }
        self.growing.deliver(|_| {});
        spent
    }

    /// Starts a table of an agent's target, unless a valid one exists.
    fn open(&mut self, view: &View<'_>, agent: AgentRow) {
        let Some(key) = key(view, agent) else { return };
        if self.current(view, agent).is_none() {
            self.close(key);
            let rra = Arc::new(Rra::without_history(view.ground(agent), key.1, view.at(agent)));
            let bytes = rra.memory_bytes();
            self.held += bytes;
            self.tables.insert(key, Table { known: Known::Live(rra), used: view.tick(), bytes });
        }
    }

    /// Drops tables that are not used in this tick, the least recently used first, until the memory cap is kept.
    fn trim(&mut self, tick: u64) {
        while self.held > self.cap {
            let unused = self.tables.iter().filter(|(_, table)| table.used != tick);
            let Some((&key, _)) = unused.min_by_key(|(key, table)| (table.used, **key)) else { return };
            self.close(key);
        }
    }

    fn drop_unused(&mut self, tick: u64) {
        for (_, table) in self.tables.extract_if(.., |_, table| table.used + UNUSED <= tick) {
            self.held -= table.bytes;
            self.dropped.add(table);
        }
        self.dropped.spread_over(UNUSED_PERIOD);
    }

    /// Returns what each table has to be searched again from.
    pub fn saved(&self) -> SavedTables {
        let saved = |(&(profile, target), table): (&Key, &Table)| {
            let search = match &table.known {
                Known::Live(rra) => {
                    let (toward, touched, expansions) =
                        (rra.toward(), rra.touched().clone(), rra.expansions());
                    SavedSearch { toward, touched, expansions }
                }
                Known::Saved(search) => search.clone(),
            };
            SavedTable {
                profile: ProfileId(profile),
                target,
                search,
                used: table.used,
                bytes: table.bytes as u64,
            }
        };
        SavedTables(self.tables.iter().map(saved).collect())
    }

    /// Restores what [`DistanceTables::saved`] returned.
    pub fn restore(&mut self, saved: SavedTables) {
        let table = |saved: SavedTable| {
            let SavedTable { profile, target, search, used, bytes } = saved;
            ((profile.0, target), Table { known: Known::Saved(search), used, bytes: bytes as usize })
        };
        self.tables = saved.0.into_iter().map(table).collect();
        self.held = self.tables.values().map(|table| table.bytes).sum();
    }

    /// Searches a restored table again, unless the map has changed. That work was paid for before.
    fn revive(&mut self, key: Key, ground: &Ground) {
        if let Some(table) = self.tables.get_mut(&key)
            && let Known::Saved(SavedSearch { toward, touched, expansions }) = &mut table.known
            && touched.is_current(ground, |tile| ground.tile_fingerprint(tile))
        {
            let mut rra = Rra::without_history(ground, key.1, *toward);
            rra.advance(ground, *expansions);
            table.known = Known::Live(Arc::new(rra));
        }
    }
}

#[cfg(test)]
mod tests;
