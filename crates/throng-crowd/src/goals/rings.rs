//! Breadth-first rings: the order in which the cells around a goal are assigned to agents.
//!
//! Ring `n` holds the cells that are `n` legal steps from the center, in the order of their numbers. Each has a
//! neighbour in ring `n - 1`, so a crowd that takes cells in this order fills the ground from the inside out.
//! [`RingCache`] also finds the cell nearest to a goal that cannot be reached. Everything here follows from the map
//! alone: entries are cached and computed again after they were evicted or the map changed.

use std::sync::Arc;

use throng_grid::{Cell, ComponentCells, Ground, Pos, ProfileId};

use super::places::Places;
use crate::world::cell_map::CellMap;

/// The number of centers, and of unreachable goals, in the cache. Each entry takes at least 25 KB.
const CACHE_ENTRIES: usize = 64;
/// Cells for which a new entry reserves memory, so that small crowds cause no allocation later.
const RESERVED_CELLS: usize = 2_048;
/// Pages of [`Places`] for which a new entry reserves memory.
const RESERVED_PAGES: usize = 16;

/// A cell of the map as one profile sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct CenterKey {
    cell: Cell,
    profile: ProfileId,
    fingerprint: u64,
}

impl CenterKey {
    fn new(ground: &Ground, profile: ProfileId, cell: Cell) -> Self {
        Self { cell, profile, fingerprint: ground.fingerprint() }
    }
}

/// The rings around one cell, as far as they have been computed.
#[derive(Clone, Debug)]
pub(crate) struct Rings {
    center: CenterKey,
    /// The cache's use counter at the last use.
    last_used: u64,
    /// The cells of all rings, one ring after the other.
    cells: Vec<Cell>,
    /// The end of each ring in `cells`.
    ends: Vec<u32>,
    /// The index of each cell in `cells`.
    places: Places,
    /// The length of the prefix of `cells` that is claimed; valid if `release_count` is that of the cache.
    claimed_prefix: usize,
    release_count: u64,
}

impl Rings {
    fn restart(&mut self, ground: &Ground, center: CenterKey) {
        self.center = center;
        self.places.restart(ground.size());
        self.places.set(center.cell, 0);
        self.cells.clear();
        self.cells.push(center.cell);
        self.ends.clear();
        self.ends.push(1);
        self.claimed_prefix = 0;
    }

    /// Returns the cell at an index of the order, `None` if fewer cells can be reached.
    pub(crate) fn cell(&mut self, ground: &Ground, index: usize) -> Option<Cell> {
        while index >= self.cells.len() {
            if !self.grow(ground) {
                return None;
            }
        }
        Some(self.cells[index])
    }

    /// Returns the number of the ring that holds an index of the order.
    pub(crate) fn ring(&self, index: usize) -> u32 {
        self.ends.partition_point(|&end| end as usize <= index) as u32
    }

    /// Returns the number of steps from the center to a cell if it is at most `max`.
    pub(crate) fn steps(&mut self, ground: &Ground, cell: Cell, max: u32) -> Option<u32> {
        while self.ends.len() <= max as usize && self.grow(ground) {}
        self.known_steps(cell).filter(|&steps| steps <= max)
    }

    /// Computes all rings up to `margin` rings beyond the one that holds an index, and returns the number of the last one.
    /// What follows from [`Self::known_steps`] must not depend on how many more have been computed.
    pub(crate) fn reach(&mut self, ground: &Ground, index: usize, margin: u32) -> u32 {
        self.cell(ground, index);
        let last = self.ring(index) + margin;
        while self.ends.len() <= last as usize && self.grow(ground) {}
        last
    }

    /// Returns the number of steps from the center to a cell if its ring has been computed.
    pub(crate) fn known_steps(&self, cell: Cell) -> Option<u32> {
        self.places.index(cell).map(|index| self.ring(index))
    }

    /// Returns the index of a cell in the order if its ring has been computed.
    pub(crate) fn index(&self, cell: Cell) -> Option<usize> {
        self.places.index(cell)
    }

    /// Returns the first index whose cell is unclaimed, or the number of reachable cells if all are claimed.
    pub(crate) fn first_unclaimed(&mut self, ground: &Ground, claims: &CellMap) -> usize {
        while self.cell(ground, self.claimed_prefix).is_some_and(|cell| claims.get(cell).is_some()) {
            self.claimed_prefix += 1;
        }
        self.claimed_prefix
    }

    /// Appends the next ring; returns false if there is none. Steps are legal in both directions, so the ring consists
    /// of the neighbours of the last ring that no ring contains.
    fn grow(&mut self, ground: &Ground) -> bool {
        let end = self.cells.len();
        let last = self.ends.len().checked_sub(2).map_or(0, |previous| self.ends[previous] as usize);
        for i in last..end {
            for (_, cell) in ground.neighbours(self.cells[i]) {
                if self.places.index(cell).is_none() {
                    self.places.set(cell, end);
                    self.cells.push(cell);
                }
            }
        }
        self.cells[end..].sort_unstable();
        for (index, &cell) in self.cells.iter().enumerate().skip(end) {
            self.places.set(cell, index);
        }
        let grown = self.cells.len() > end;
        if grown {
            self.ends.push(self.cells.len() as u32);
        }
        grown
    }
}

/// The nearest reachable cell to a goal from one connected component.
#[derive(Clone, Copy, Debug)]
struct Approach {
    goal: CenterKey,
    component: u32,
    nearest: Option<Cell>,
}

/// The cells of a connected component.
#[derive(Clone, Debug)]
struct Component {
    profile: ProfileId,
    fingerprint: u64,
    label: u32,
    /// Shared with copies of the world.
    cells: Arc<ComponentCells>,
}

/// The number of components whose cells are kept: 32 KB each on a map of 512×512.
const CACHED_COMPONENTS: usize = 8;

/// Recently used rings and approaches.
#[derive(Clone, Debug, Default)]
pub(crate) struct RingCache {
    rings: Vec<Rings>,
    approaches: Vec<Approach>,
    /// The index of the oldest approach, which is replaced next.
    oldest_approach: usize,
    components: Vec<Component>,
    /// The index of the oldest component, which is replaced next.
    oldest_component: usize,
    uses: u64,
    /// How many claims have been released; invalidates [`Rings::claimed_prefix`].
    release_count: u64,
}

impl RingCache {
    /// Notes that a claimed cell has become free.
    pub(crate) fn claim_released(&mut self) {
        self.release_count += 1;
    }

    /// Returns the rings around a cell.
    pub(crate) fn rings(&mut self, ground: &Ground, profile: ProfileId, center: Cell) -> &mut Rings {
        let center = CenterKey::new(ground, profile, center);
        self.uses += 1;
        let found = self.rings.iter().position(|rings| rings.center == center);
        let entry = found.unwrap_or_else(|| self.insert(ground, center));
        let rings = &mut self.rings[entry];
        rings.last_used = self.uses;
        if rings.release_count != self.release_count {
            (rings.release_count, rings.claimed_prefix) = (self.release_count, 0);
        }
        rings
    }

    /// Starts the rings around a cell, in a new entry or in the least recently used one. Returns its index.
    fn insert(&mut self, ground: &Ground, center: CenterKey) -> usize {
        if self.rings.len() < CACHE_ENTRIES {
            let (cells, ends) = (Vec::with_capacity(RESERVED_CELLS), Vec::with_capacity(RESERVED_CELLS / 16));
            let (last_used, claimed_prefix, release_count) = (0, 0, 0);
            let places = Places::with_capacity(RESERVED_PAGES);
            self.rings.push(Rings { center, last_used, cells, ends, places, claimed_prefix, release_count });
        }
        let entry = (0..self.rings.len()).min_by_key(|&entry| self.rings[entry].last_used).unwrap_or(0);
        self.rings[entry].restart(ground, center);
        entry
    }

    /// Returns the goal's cell, or the cell nearest to it that can be reached from a cell.
    pub(crate) fn approach(
        &mut self,
        ground: &Ground,
        profile: ProfileId,
        from: Cell,
        goal: Pos,
    ) -> Option<Cell> {
        let cell = ground.cell(goal)?;
        if ground.reachable(from, cell) {
            return Some(cell);
        }
        let component = ground.components().label(ground, from)?;
        let key = CenterKey::new(ground, profile, cell);
        let known = self.approaches.iter().find(|known| known.goal == key && known.component == component);
        if let Some(known) = known {
            return known.nearest;
        }
        let nearest = self.component(ground, profile, component).nearest(goal);
        let approach = Approach { goal: key, component, nearest };
        if self.approaches.len() < CACHE_ENTRIES {
            self.approaches.reserve_exact(CACHE_ENTRIES - self.approaches.len());
            self.approaches.push(approach);
        } else {
            self.approaches[self.oldest_approach] = approach;
            self.oldest_approach = (self.oldest_approach + 1) % CACHE_ENTRIES;
        }
        approach.nearest
    }

    /// Returns the cells of a connected component.
    fn component(&mut self, ground: &Ground, profile: ProfileId, label: u32) -> &ComponentCells {
        let fingerprint = ground.fingerprint();
        let is_same = |known: &Component| {
            (known.profile, known.fingerprint, known.label) == (profile, fingerprint, label)
        };
        let index = self.components.iter().position(is_same).unwrap_or_else(|| {
            let cells = Arc::new(ground.component_cells(label));
            let component = Component { profile, fingerprint, label, cells };
            if self.components.len() < CACHED_COMPONENTS {
                self.components.push(component);
                return self.components.len() - 1;
            }
            let index = self.oldest_component;
            self.components[index] = component;
            self.oldest_component = (index + 1) % CACHED_COMPONENTS;
            index
        });
        &self.components[index].cells
    }
}

#[cfg(test)]
mod tests {
    use throng_grid::{Grid, MoveRules, Tiles};

    use super::*;

    /// Sorts all reachable cells by steps from the center, then by number.
    fn slow_order(ground: &Ground, center: Cell) -> Vec<(u32, Cell)> {
        let mut order = vec![(0, center)];
        for i in 0.. {
            let Some(&(steps, cell)) = order.get(i) else { break };
            for (_, next) in ground.neighbours(cell) {
                if order.iter().all(|&(_, known)| known != next) {
                    order.push((steps + 1, next));
                }
            }
        }
        order.sort_unstable();
        order
    }

    #[test]
    fn cells_are_ordered_by_steps_from_the_center() {
        let picture = "...#......\n.#.#.####.\n.#...#..#.\n.#####..#.\n..........";
        for rules in [MoveRules::default(), MoveRules::FOUR_WAY] {
            let grid = Grid::new(Tiles::picture(picture), rules);
            let (ground, mut cache) = (grid.ground(), RingCache::default());
            for center in ground.free_cells() {
                let rings = cache.rings(ground, ProfileId(0), center);
                let found = (0..).map_while(|i| Some((i, rings.cell(ground, i)?))).collect::<Vec<_>>();
                let found: Vec<_> = found.into_iter().map(|(i, cell)| (rings.ring(i), cell)).collect();
                assert_eq!(found, slow_order(ground, center));
                for (ring, cell) in found {
                    for max in [0, ring.saturating_sub(1), ring, 9] {
                        assert_eq!(rings.steps(ground, cell, max), (ring <= max).then_some(ring));
                    }
                }
            }
        }
    }

    #[test]
    fn approaches_change_with_the_map() {
        let mut grid = Grid::new(Tiles::picture("...#."), MoveRules::default());
        let mut cache = RingCache::default();
        let mut approach = |grid: &Grid, from: u32, to: i32| {
            cache.approach(grid.ground(), ProfileId(0), Cell(from), Pos::new(to, 0)).map(|cell| cell.0)
        };
        let before = [approach(&grid, 0, 1), approach(&grid, 0, 4), approach(&grid, 4, 1)];
        assert_eq!(before, [Some(1), Some(2), Some(4)]);
        grid.block(Pos::new(2, 0));
        let after = [approach(&grid, 0, 1), approach(&grid, 0, 4), approach(&grid, 2, 1)];
        assert_eq!(after, [Some(1), Some(1), None]);
    }
}
