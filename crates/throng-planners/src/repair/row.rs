//! What an agent that repairs its path has in mind.

use throng_crowd::bytes::{Damaged, Reader, put};
use throng_grid::{Cell, Cost};

use super::MOST_AGITATED;

/// An agent that got nowhere plans again after at most two to this power ticks.
const LONGEST_REST: u32 = 5;
/// Where paths are planned piece by piece: after so many failures, what a search may cost and how long is waited for the next
/// one are doubled.
const DOUBLED: u32 = 8;
/// Whoever has so many cells before it held is in a queue, and waits.
const LONGEST_QUEUE: usize = 12;

/// An agent's path, and what has happened to it.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// The rest of its path, from where it stands, backwards: the next cell is the last but one.
    pub(super) path: Vec<Cell>,
    /// With an abstraction: a cell of each part that it will pass, in order.
    pub(super) route: Vec<Cell>,
    /// Whether it found the next part shut, and heads for the one after it.
    pub(super) skip: bool,
    /// The tick since which it wants another path.
    pub(super) since: Option<u64>,
    /// How often it has found none, and when it tries again.
    pub(super) failures: u32,
    pub(super) again: u64,
    pub(super) agitation: u32,
    /// How often it has found its target held.
    pub(super) refused: u32,
    /// The least that was ever left to its target.
    pub(super) nearest: Cost,
    /// When it has found no way: the held cell that it would have liked best.
    pub(super) shut_by: Option<Cell>,
}

impl Row {
    /// Nothing in mind.
    pub(super) const FRESH: Self = Self {
        path: Vec::new(),
        route: Vec::new(),
        skip: false,
        since: None,
        failures: 0,
        again: 0,
        agitation: 0,
        refused: 0,
        nearest: Cost::MAX,
        shut_by: None,
    };

    /// The next cell, if the path begins where the agent stands.
    pub(super) fn next(&self, at: Cell) -> Option<Cell> {
        let [.., next, here] = self.path[..] else { return None };
        (here == at).then_some(next)
    }

    /// The first cell of its path behind the next one that nobody holds, if there is one not far away.
    pub(super) fn rejoin(&self, is_free: impl Fn(Cell) -> bool) -> Option<Cell> {
        let ahead = self.path.iter().rev().skip(2).take(LONGEST_QUEUE);
        ahead.copied().find(|&cell| is_free(cell))
    }

    /// Takes another way, given backwards, to a cell of its path. Of a path that was given up meanwhile that way is left.
    pub(super) fn go_round(&mut self, end: Cell, detour: &[Cell]) {
        let kept = self.path.iter().rposition(|&cell| cell == end).unwrap_or(0);
        self.path.truncate(kept);
        self.path.extend_from_slice(detour);
    }

    /// It got nowhere, and tries again after one tick, the next time after two, four, up to 32, and these doubled so often.
    pub(super) fn rest(&mut self, tick: u64, doublings: u32) {
        self.again = tick + (1 << self.failures.min(LONGEST_REST) << doublings);
        self.failures = self.failures.saturating_add(1);
    }

    /// How often limits were doubled, where paths are planned piece by piece.
    pub(super) fn doublings(&self) -> u32 {
        (self.failures / DOUBLED).min(16)
    }

    /// Forgets everything, and keeps the memory.
    pub(super) fn forget(&mut self) {
        let (mut path, mut route) = (std::mem::take(&mut self.path), std::mem::take(&mut self.route));
        path.clear();
        route.clear();
        *self = Self { path, route, ..Self::FRESH };
    }

    /// Bytes held besides the row itself.
    pub(super) fn memory_bytes(&self) -> usize {
        (self.path.capacity() + self.route.capacity()) * size_of::<Cell>()
    }

    pub(super) fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, self.since.map_or(0, |tick| tick + 1));
        put(bytes, self.again);
        put(bytes, u64::from(self.failures));
        put(bytes, u64::from(self.agitation));
        put(bytes, u64::from(self.refused));
        put(bytes, u64::from(self.nearest));
        put(bytes, self.shut_by.map_or(0, |cell| u64::from(cell.0) + 1));
        put(bytes, u64::from(self.skip));
        put_cells(bytes, &self.path);
        put_cells(bytes, &self.route);
    }

    /// Reads what [`Row::save`] wrote, for a map of so many cells.
    pub(super) fn load(reader: &mut Reader<'_>, cells: u64) -> Result<Self, Damaged> {
        let since = reader.number("a tick")?.checked_sub(1);
        let again = reader.number("a tick")?;
        let failures = reader.number_to(u64::from(u32::MAX), "a number of failures")? as u32;
        let agitation = reader.number_to(u64::from(MOST_AGITATED), "an agitation")? as u32;
        let refused = reader.number_to(u64::from(u32::MAX), "a number of refusals")? as u32;
        let nearest = reader.number_to(u64::from(Cost::MAX), "a distance")? as Cost;
        let shut_by = reader.number_to(cells, "a cell")?.checked_sub(1).map(|cell| Cell(cell as u32));
        let skip = reader.flag("a flag")?;
        let (path, route) = (read_cells(reader, cells)?, read_cells(reader, cells)?);
        Ok(Self { path, route, skip, since, failures, again, agitation, refused, nearest, shut_by })
    }
}

/// Appends a list of cells.
pub(super) fn put_cells(bytes: &mut Vec<u8>, cells: &[Cell]) {
    put(bytes, cells.len() as u64);
    for cell in cells {
        put(bytes, u64::from(cell.0));
    }
}

/// Reads what [`put_cells`] wrote, for a map of so many cells.
pub(super) fn read_cells(reader: &mut Reader<'_>, cells: u64) -> Result<Vec<Cell>, Damaged> {
    let length = reader.length("a list of cells")?;
    (0..length).map(|_| Ok(Cell(reader.number_to(cells - 1, "a cell")? as u32))).collect()
}
