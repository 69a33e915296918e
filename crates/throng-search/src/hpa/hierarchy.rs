//! The levels of abstraction of a ground, kept between queries and updated after edits.
//!
//! Clusters of a level are twice as wide as those of the level below. The nodes of a higher level are those whose
//! transitions leave its wider clusters, and the paths inside its clusters are found on the level below.

use throng_grid::{Cell, Ground, Pos, Size};

use super::cluster_space::ClusterSpace;
use super::level::{Cluster, Exit, Level, LevelGraph};
use super::transitions::transitions_of;
use crate::best_first::BestFirst;
use crate::node_store::DenseStore;
use crate::open_list::{Buckets, Heap};
use crate::point_to_point::f_range;
use crate::square_grid::{SquareChanges, sorted};

/// The abstract graphs of a ground.
#[derive(Clone, Debug)]
pub(super) struct Hierarchy {
    changes: SquareChanges,
    /// The lowest level first.
    pub(super) levels: Vec<Level>,
    local: BestFirst<DenseStore, Buckets>,
    abstract_search: BestFirst<DenseStore, Heap>,
}

impl Hierarchy {
    /// Returns an empty hierarchy with clusters of a side on the lowest level.
    pub(super) fn new(side: u32, levels: u32) -> Self {
        Self {
            changes: SquareChanges::new(side),
            levels: (0..levels).map(|level| Level::new(side << level)).collect(),
            local: BestFirst::default(),
            abstract_search: BestFirst::default(),
        }
    }

    /// Updates the hierarchy to the current state of a ground. Returns the number of clusters that were built, on all
    /// levels.
    pub(super) fn update(&mut self, ground: &Ground) -> usize {
        if !self.changes.refresh(ground) {
            return 0;
        }
        let size = ground.size();
        for level in &mut self.levels {
            level.cover(size);
        }
        let mut stale = self.changes.stale.clone();
        self.build_lowest(ground, &stale);
        self.levels[0].renumber(&stale, size);
        let mut built = stale.len();
        for upper in 1..self.levels.len() {
            let [below, above] = [upper - 1, upper].map(|level| &self.levels[level].squares);
            stale = sorted(stale.iter().map(|&square| above.of(below.corners(square).0)).collect());
            self.build_upper(size, upper, &stale);
            self.levels[upper].renumber(&stale, size);
            built += stale.len();
        }
        built
    }

    /// Returns the number of levels on which two cells lie in different clusters. These are the lowest levels.
    pub(super) fn levels_apart(&self, size: Size, from: Cell, to: Cell) -> usize {
        let cluster_of = |level: &Level, cell| level.squares.of(size.pos(cell));
        self.levels.iter().take_while(|level| cluster_of(level, from) != cluster_of(level, to)).count()
    }

    /// Returns the abstract graph of a level, counted from 1.
    pub(super) fn graph(&self, size: Size, level: usize) -> LevelGraph<'_> {
        LevelGraph { level: &self.levels[level - 1], size, ceiling: u8::MAX }
    }

    fn build_lowest(&mut self, ground: &Ground, stale: &[u32]) {
        let size = ground.size();
        self.local.set_f_range(f_range(ground));
        for &square in stale {
            let corners = self.levels[0].squares.corners(square);
            let exits = transitions_of(ground, corners).into_iter().map(|transition| {
                let height = self.levels_apart(size, transition.from, transition.to);
                Exit::new(transition, height as u8)
            });
            let exits = exits.collect();
            let cluster = Cluster::build(exits, &mut ClusterSpace::new(ground, corners), &mut self.local);
            self.levels[0].clusters[square as usize] = cluster;
        }
    }

    fn build_upper(&mut self, size: Size, upper: usize, stale: &[u32]) {
        let (below, above) = self.levels.split_at_mut(upper);
        let (below, level) = (&below[upper - 1], &mut above[0]);
        let height = upper as u8 + 1;
        for &square in stale {
            let (min, max) = level.squares.corners(square);
            // Two by two clusters of the level below, or fewer at the map's edge.
            let corners = [min, Pos::new(max.x, min.y), Pos::new(min.x, max.y), max];
            let below_clusters = sorted(corners.map(|corner| below.squares.of(corner)).to_vec());
            let exits = below_clusters.iter().flat_map(|&cluster| &below.clusters[cluster as usize].exits);
            let mut exits: Vec<Exit> = exits.filter(|exit| exit.height >= height).copied().collect();
            exits.sort_unstable_by_key(|exit| exit.transition);
            let mut space = LevelGraph { level: below, size, ceiling: height };
            level.clusters[square as usize] = Cluster::build(exits, &mut space, &mut self.abstract_search);
        }
    }

    /// Appends the cells of the edge between two nodes of a level, without the first and with the last. Level 0 is the
    /// map.
    pub(super) fn refine(&self, size: Size, level: usize, from: Cell, to: Cell, path: &mut Vec<Cell>) {
        if level == 0 {
            return path.push(to);
        }
        let Level { squares, clusters, .. } = &self.levels[level - 1];
        let [cluster, there] = [from, to].map(|cell| squares.of(size.pos(cell)));
        if cluster != there {
            return path.push(to);
        }
        let (cells, backwards) = clusters[cluster as usize].path(from, to);
        let mut at = from;
        let between = (0..cells.len()).map(|i| cells[if backwards { cells.len() - 1 - i } else { i }]);
        for next in between.chain([to]) {
            self.refine(size, level - 1, at, next, path);
            at = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_grid::{Corners, Grid, MoveRules, Terrain, Tiles};

    fn nodes(picture: &str, side: u32, corners: Corners) -> Vec<u32> {
        let grid = Grid::new(Tiles::picture(picture), MoveRules::eight_way(corners));
        let mut hierarchy = Hierarchy::new(side, 1);
        hierarchy.update(grid.ground());
        let mut cells: Vec<_> = hierarchy.levels[0]
            .clusters
            .iter()
            .flat_map(|cluster| &cluster.cells)
            .map(|cell| cell.0)
            .collect();
        cells.sort_unstable();
        cells
    }

    #[test]
    fn narrow_entrances_have_one_transition_and_wide_ones_two() {
        let narrow = "..........
                      ..........
                      ..........
                      ..........
                      ..........";
        assert_eq!(nodes(narrow, 5, Corners::Forbid), [24, 25]);
        let wide = "............
                    ............
                    ............
                    ............
                    ............
                    ............";
        assert_eq!(nodes(wide, 6, Corners::Forbid), [5, 6, 65, 66]);
    }

    #[test]
    fn a_diagonal_between_blocked_cells_is_a_transition_if_corners_may_be_cut() {
        let border = "..#.
                      .#..";
        assert_eq!(nodes(border, 2, Corners::Forbid), []);
        assert_eq!(nodes(border, 2, Corners::Allow), [1, 6]);
        let corner = "..##
                      ..##
                      ##..
                      ##..";
        assert_eq!(nodes(corner, 2, Corners::Forbid), []);
        assert_eq!(nodes(corner, 2, Corners::Allow), [5, 10]);
    }

    #[test]
    fn an_edit_rebuilds_only_its_clusters() {
        let tiles = Tiles::filled(Size::new(160, 160).unwrap(), Terrain::Ground);
        let mut grid = Grid::new(tiles, MoveRules::default());
        let mut hierarchy = Hierarchy::new(10, 3);
        assert_eq!(hierarchy.update(grid.ground()), 256 + 64 + 16);
        assert_eq!(hierarchy.update(grid.ground()), 0);
        grid.block(Pos::new(45, 45));
        assert_eq!(hierarchy.update(grid.ground()), 3);
        grid.block(Pos::new(49, 45));
        assert_eq!(
            hierarchy.update(grid.ground()),
            2 + 1 + 1,
            "both sides of a border, within wider clusters"
        );
        let mut fresh = Hierarchy::new(10, 3);
        fresh.update(grid.ground());
        for (level, other) in hierarchy.levels.iter().zip(&fresh.levels) {
            assert_eq!(format!("{:?}", level.clusters), format!("{:?}", other.clusters));
        }
    }
}
