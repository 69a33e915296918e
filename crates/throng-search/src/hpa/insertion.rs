//! Insertion of start and goal into the abstract graph, level by level.

use throng_grid::{Cell, Cost, Ground};

use super::cluster_space::{CellSpace, ClusterSpace};
use super::hierarchy::Hierarchy;
use super::level::{LevelGraph, search_all};
use crate::best_first::BestFirst;
use crate::node_store::DenseStore;
use crate::open_list::{Buckets, Heap, OpenList};
use crate::point_to_point::f_range;

/// A cell and the shortest paths between it and the nodes of its cluster, as search trees rooted at the cell: one on
/// the map, and one on each level below the level searched.
#[derive(Clone, Debug)]
pub(super) struct Insertion {
    cell: Cell,
    local: BestFirst<DenseStore, Buckets>,
    trees: Vec<BestFirst<DenseStore, Heap>>,
    level: usize,
    /// The cell's cluster on the level searched.
    pub(super) cluster: u32,
    /// Costs to the cluster's nodes, in their order; [`Cost::MAX`] if no path stays inside the cluster.
    pub(super) costs: Vec<Cost>,
}

impl Insertion {
    /// Returns an insertion for a hierarchy with a number of levels.
    pub(super) fn new(levels: u32) -> Self {
        Self {
            cell: Cell(0),
            local: BestFirst::default(),
            trees: vec![BestFirst::default(); levels as usize - 1],
            level: 1,
            cluster: 0,
            costs: Vec::new(),
        }
    }

    /// Connects a cell to the nodes of its cluster on a level, counted from 1.
    pub(super) fn insert(&mut self, ground: &Ground, hierarchy: &Hierarchy, level: usize, cell: Cell) {
        (self.cell, self.level) = (cell, level);
        let lowest = &hierarchy.levels[0];
        self.cluster = lowest.squares.of(ground.pos(cell));
        let mut cluster_space = ClusterSpace::new(ground, lowest.squares.corners(self.cluster));
        self.local.set_f_range(f_range(ground));
        let source = cluster_space.node_of(cell);
        search_all(&mut self.local, &mut cluster_space, [(source, 0)]);
        let cells = &lowest.clusters[self.cluster as usize].cells;
        costs_to(&self.local, &cluster_space, cells, &mut self.costs);
        for upper in 1..level {
            self.climb(ground, hierarchy, upper);
        }
    }

    /// Extends the costs from the nodes of one level to those of the level above.
    fn climb(&mut self, ground: &Ground, hierarchy: &Hierarchy, upper: usize) {
        let (below, above) = (&hierarchy.levels[upper - 1], &hierarchy.levels[upper]);
        let tree = &mut self.trees[upper - 1];
        let mut graph = LevelGraph { level: below, size: ground.size(), ceiling: upper as u8 + 1 };
        search_all(tree, &mut graph, below.nodes_of(self.cluster).zip(self.costs.iter().copied()));
        self.cluster = above.squares.of(ground.pos(self.cell));
        costs_to(tree, &graph, &above.clusters[self.cluster as usize].cells, &mut self.costs);
    }

    /// Returns the cost to another cell of the same cluster on the lowest level, if a path stays inside it.
    pub(super) fn cost_nearby(&self, ground: &Ground, hierarchy: &Hierarchy, cell: Cell) -> Option<Cost> {
        let squares = &hierarchy.levels[0].squares;
        let [here, there] = [self.cell, cell].map(|cell| squares.of(ground.pos(cell)));
        let cluster_space = ClusterSpace::new(ground, squares.corners(here));
        if here == there { self.local.node(cluster_space.node_of(cell)).map(|node| node.g) } else { None }
    }

    /// Returns the number of expansions for the last cell.
    pub(super) fn expansions(&self) -> u64 {
        let above: u64 = self.trees[..self.level - 1].iter().map(BestFirst::expansions).sum();
        self.local.expansions() + above
    }

    /// Appends the path to the cell from a node of its cluster, or from any cell of its cluster if the lowest level is
    /// searched: without the first cell and with the last.
    pub(super) fn append_path(
        &self,
        ground: &Ground,
        hierarchy: &Hierarchy,
        from: Cell,
        path: &mut Vec<Cell>,
    ) {
        let mut at = from;
        for level in (1..self.level).rev() {
            let tree = &self.trees[level - 1];
            let graph = hierarchy.graph(ground.size(), level);
            let mut node = graph.node_of(at);
            while let Some(parent) = tree.parent(node) {
                let next = graph.cell_of(parent);
                hierarchy.refine(ground.size(), level, at, next, path);
                (at, node) = (next, parent);
            }
        }
        let squares = &hierarchy.levels[0].squares;
        let cluster_space = ClusterSpace::new(ground, squares.corners(squares.of(ground.pos(self.cell))));
        let mut node = cluster_space.node_of(at);
        while let Some(parent) = self.local.parent(node) {
            path.push(cluster_space.cell_of(parent));
            node = parent;
        }
    }
}

/// Writes the costs to cells of a searched space; [`Cost::MAX`] if the search has not reached a cell.
fn costs_to<F: OpenList>(
    tree: &BestFirst<DenseStore, F>,
    space: &impl CellSpace,
    cells: &[Cell],
    costs: &mut Vec<Cost>,
) {
    let cost_to = |&cell: &Cell| tree.node(space.node_of(cell)).map_or(Cost::MAX, |node| node.g);
    costs.clear();
    costs.extend(cells.iter().map(cost_to));
}
