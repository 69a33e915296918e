//! Landmarks: the distances of all cells to a few cells, and the lower bounds that follow from them.
//!
//! A. V. Goldberg, C. Harrelson, *Computing the Shortest Path: A\* Search Meets Graph Theory*, SODA 2005. For every
//! landmark `l` the triangle inequality gives `|d(l, a) - d(l, b)| <= d(a, b)`. The bound is consistent. It sees walls
//! that the distance on an empty map does not.
//!
//! Each landmark is the cell that is farthest from the landmarks before it, within the largest connected component. There
//! are no bounds for other cells.

use std::cmp::Reverse;

use throng_grid::{Cell, Cost, Ground, Profile};
use throng_search::open_list::Buckets;
use throng_search::{BestFirst, Blind, DenseStore, GridSpace, Policy, f_range};

/// Stands for the distance of a cell outside the largest connected component.
const UNKNOWN: Cost = Cost::MAX;

/// The landmarks of a grid's grounds, made when they are needed.
#[derive(Clone, Debug)]
pub struct Landmarks {
    /// The number of landmarks per ground.
    count: usize,
    tables: Vec<Table>,
}

/// The distances of one ground.
#[derive(Clone, Debug)]
struct Table {
    profile: Profile,
    fingerprint: u64,
    /// The distances to all landmarks, cell by cell.
    distances: Vec<Cost>,
}

impl Landmarks {
    /// Returns an empty list for grounds with this number of landmarks. With 0 it stays empty.
    pub const fn new(count: usize) -> Self {
        Self { count, tables: Vec::new() }
    }

    /// Computes the distances of a ground if they are missing or out of date, in O(landmarks × cells).
    pub fn prepare(&mut self, ground: &Ground) {
        if self.count == 0 || self.table(ground).is_some() {
            return;
        }
        self.tables.retain(|table| table.profile != ground.profile());
        let (profile, fingerprint) = (ground.profile(), ground.fingerprint());
        self.tables.push(Table { profile, fingerprint, distances: distances(ground, self.count) });
    }

    /// Returns the bounds of distances to a cell. `None` if the ground has not been prepared, or if the cell is outside its
    /// largest connected component.
    pub fn bounds(&self, ground: &Ground, goal: Cell) -> Option<LandmarkBounds<'_>> {
        let distances = &self.table(ground)?.distances;
        let goal = &distances[goal.index() * self.count..][..self.count];
        (goal[0] != UNKNOWN).then_some(LandmarkBounds { distances, goal })
    }

    fn table(&self, ground: &Ground) -> Option<&Table> {
        let is_current =
            |table: &&Table| table.profile == ground.profile() && table.fingerprint == ground.fingerprint();
        self.tables.iter().find(is_current)
    }

    /// Returns the memory in use, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.tables.iter().map(|table| table.distances.capacity() * size_of::<Cost>()).sum()
    }
}

/// Lower bounds of the distances to one cell.
#[derive(Clone, Copy, Debug)]
pub struct LandmarkBounds<'a> {
    distances: &'a [Cost],
    /// The distances of the goal to the landmarks.
    goal: &'a [Cost],
}

impl LandmarkBounds<'_> {
    /// Returns a lower bound of the distance of a cell; 0 if there is none.
    #[inline]
    pub fn lower(&self, cell: Cell) -> Cost {
        let own = &self.distances[cell.index() * self.goal.len()..][..self.goal.len()];
        if own[0] == UNKNOWN {
            return 0;
        }
        own.iter().zip(self.goal).map(|(own, goal)| own.abs_diff(*goal)).max().unwrap_or(0)
    }
}

/// Chooses the landmarks and returns the distances to them, cell by cell.
fn distances(ground: &Ground, count: usize) -> Vec<Cost> {
    let mut table = vec![UNKNOWN; ground.size().area() * count];
    let components = ground.components();
    let largest = components.largest();
    let cells: Vec<Cell> =
        ground.free_cells().filter(|&cell| components.label(ground, cell) == largest).collect();
    let Some(&first) = cells.first() else { return table };
    let mut search = BestFirst::new(DenseStore::default(), Buckets::default(), Policy::default());
    let mut flood = |from: Cell| {
        let mut space = GridSpace::new(ground);
        search.set_f_range(f_range(ground));
        search.begin(&space);
        search.add_source(from.0, 0, &mut Blind);
        search.resume(&mut space, &mut Blind, |_| false, u64::MAX, &mut ());
        cells.iter().map(|cell| search.node(cell.0).map_or(UNKNOWN, |node| node.g)).collect::<Vec<Cost>>()
    };
    // The first landmark is the cell farthest from any cell, so that it lies at the edge of the map.
    let mut nearest = flood(first);
    for number in 0..count {
        let farthest = (0..cells.len()).max_by_key(|&i| (nearest[i], Reverse(i))).unwrap_or(0);
        let found = flood(cells[farthest]);
        for (i, &distance) in found.iter().enumerate() {
            table[cells[i].index() * count + number] = distance;
            nearest[i] = if number == 0 { distance } else { nearest[i].min(distance) };
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_grid::generate::generate;
    use throng_grid::{Corners, Grid, MoveRules, Pos, Size};
    use throng_search::{Heuristic as _, OctileDistance, search};

    /// Bounds are compared with shortest paths, before and after an edit.
    #[test]
    fn bounds_never_exceed_the_distance_and_see_walls() {
        let size = Size::new(40, 32).unwrap();
        let mut better = 0;
        for (seed, corners) in [(1, Corners::Forbid), (2, Corners::Allow), (3, Corners::Mixed)] {
            let tiles = generate("rooms:room=6", size, seed).unwrap();
            let mut grid = Grid::new(tiles, MoveRules::eight_way(corners));
            let mut landmarks = Landmarks::new(4);
            for _ in 0..2 {
                let ground = grid.ground();
                assert!(landmarks.bounds(ground, Cell(0)).is_none(), "not prepared for this ground");
                landmarks.prepare(ground);
                let cells: Vec<Cell> = ground.free_cells().step_by(29).collect();
                let mut astar = search("astar").unwrap();
                for (&from, &to) in cells.iter().flat_map(|from| cells.iter().map(move |to| (from, to))) {
                    let Some(bounds) = landmarks.bounds(ground, to) else { continue };
                    let mut path = Vec::new();
                    let found = astar.find(ground, from, to, &mut path).unwrap();
                    let Some(cost) = found.cost else { continue };
                    assert!(bounds.lower(from) <= cost, "{from:?} to {to:?}: {found:?}");
                    better +=
                        u32::from(bounds.lower(from) > OctileDistance::to_cell(ground, to).lower(from.0));
                }
                for x in 0..20 {
                    grid.block(Pos::new(x, 15));
                }
            }
        }
        assert!(better > 100, "{better} bounds above the distance on an empty map");
    }

    #[test]
    fn cells_outside_the_largest_component_have_no_bounds() {
        let grid = Grid::new(throng_grid::Tiles::picture("..#.....\n..#....."), MoveRules::default());
        let mut landmarks = Landmarks::new(2);
        landmarks.prepare(grid.ground());
        assert!(landmarks.bounds(grid.ground(), Cell(0)).is_none());
        let bounds = landmarks.bounds(grid.ground(), Cell(3)).unwrap();
        assert_eq!(bounds.lower(Cell(0)), 0);
        assert_eq!(bounds.lower(Cell(7)), 4 * throng_grid::moves::STRAIGHT);
        assert!(Landmarks::new(0).bounds(grid.ground(), Cell(3)).is_none());
    }
}
