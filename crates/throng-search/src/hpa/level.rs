//! One level of the hierarchy: clusters, the nodes at their transitions, and the paths between nodes of one cluster.

use throng_grid::{Cell, Cost, Size};

use super::cluster_space::ClusterSpace;
use super::transitions::Transition;
use crate::best_first::BestFirst;
use crate::heuristic::Blind;
use crate::node_store::{DenseStore, NO_NODE};
use crate::open_list::OpenList;
use crate::space::{Expansion, Space, Successor};
use crate::square_grid::SquareGrid;

/// A search space whose nodes are cells of the map, numbered differently.
pub(super) trait CellSpace: Space {
    /// Returns the node of a cell.
    fn node_of(&self, cell: Cell) -> u32;

    /// Returns the cell of a node.
    fn cell_of(&self, node: u32) -> Cell;
}

impl CellSpace for ClusterSpace<'_> {
    fn node_of(&self, cell: Cell) -> u32 {
        self.node(cell)
    }

    fn cell_of(&self, node: u32) -> Cell {
        self.cell(node)
    }
}

/// A cluster: its nodes, the transitions out of it, and the shortest paths between its nodes that stay inside it.
#[derive(Clone, Debug, Default)]
pub(super) struct Cluster {
    /// The cells that are nodes, in order.
    pub(super) cells: Vec<Cell>,
    /// Ordered by the node that they leave.
    pub(super) exits: Vec<Exit>,
    /// Index of the first exit of each node, then the number of exits.
    first_exit: Vec<u32>,
    /// Costs from every node to every node; [`Cost::MAX`] if no path stays inside the cluster.
    costs: Vec<Cost>,
    /// The cells strictly between two nodes, from the lower to the higher node: nodes of the level below, or cells of
    /// the map.
    paths: Vec<Cell>,
    /// Start of each pair's path in `paths`, then the end.
    first_path: Vec<u32>,
}

/// A transition out of a cluster of one level.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exit {
    pub(super) transition: Transition,
    /// The highest level on which the transition leaves a cluster.
    pub(super) height: u8,
    /// The cluster and the index among its nodes where the transition ends.
    cluster: u32,
    index: u32,
}

impl Exit {
    /// Returns an exit without a destination; [`Level::renumber`] fills it in.
    pub(super) fn new(transition: Transition, height: u8) -> Self {
        Self { transition, height, cluster: NO_NODE, index: 0 }
    }
}

/// Returns the index of the pair of a node and a lower one.
const fn pair(high: usize, low: usize) -> usize {
    high * (high - 1) / 2 + low
}

impl Cluster {
    /// Builds a cluster from its transitions, with the paths between them through a space that ends at its border.
    pub(super) fn build<F: OpenList>(
        exits: Vec<Exit>,
        space: &mut impl CellSpace,
        search: &mut BestFirst<DenseStore, F>,
    ) -> Self {
        let mut cells: Vec<Cell> = exits.iter().map(|exit| exit.transition.from).collect();
        cells.dedup();
        let start_of = |cell: &Cell| exits.partition_point(|exit| exit.transition.from < *cell) as u32;
        let first_exit = cells.iter().map(start_of).chain([exits.len() as u32]).collect();
        let count = cells.len();
        let mut costs = vec![Cost::MAX; count * count];
        let (mut paths, mut first_path) = (Vec::new(), vec![0]);
        for high in 1..count {
            search.begin(space);
            search.add_source(space.node_of(cells[high]), 0, &mut Blind);
            search.resume(space, &mut Blind, |_| false, u64::MAX, &mut ());
            for low in 0..high {
                // The search tree leads from each node back to the source.
                if let Some(mut known) = search.node(space.node_of(cells[low])) {
                    (costs[high * count + low], costs[low * count + high]) = (known.g, known.g);
                    let parents = std::iter::from_fn(|| {
                        let parent = known.parent;
                        known = search.node(parent)?;
                        (known.parent != NO_NODE).then(|| space.cell_of(parent))
                    });
                    paths.extend(parents);
                }
                first_path.push(paths.len() as u32);
            }
        }
        Self { cells, exits, first_exit, costs, paths, first_path }
    }

    /// Returns the cells between two nodes, and true if they are in the order from the second node to the first.
    pub(super) fn path(&self, from: Cell, to: Cell) -> (&[Cell], bool) {
        let [from, to] = [from, to].map(|cell| self.index_of(cell));
        let pair = pair(from.max(to), from.min(to));
        (&self.paths[self.first_path[pair] as usize..self.first_path[pair + 1] as usize], from > to)
    }

    /// Returns the index of a cell among the nodes.
    fn index_of(&self, cell: Cell) -> usize {
        self.cells.binary_search(&cell).expect("hpa: a transition leads to a transition")
    }
}

/// The clusters of one level.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub(super) squares: SquareGrid,
    pub(super) clusters: Vec<Cluster>,
    /// Number of the first node of each cluster; nodes are numbered cluster by cluster.
    first: Vec<u32>,
    /// The cluster of each node.
    cluster_of_node: Vec<u32>,
    affected: Vec<u32>,
}

impl Level {
    /// Returns a level with clusters of a side, without a map.
    pub(super) fn new(side: u32) -> Self {
        let squares = SquareGrid::new(side);
        Self {
            squares,
            clusters: Vec::new(),
            first: Vec::new(),
            cluster_of_node: Vec::new(),
            affected: Vec::new(),
        }
    }

    /// Partitions a map.
    pub(super) fn cover(&mut self, size: Size) {
        self.squares.cover(size);
        self.clusters.resize_with(self.squares.count(), Cluster::default);
    }

    /// Renumbers the nodes after clusters were rebuilt, and finds the destinations of the transitions around them.
    pub(super) fn renumber(&mut self, built: &[u32], size: Size) {
        let mut affected = std::mem::take(&mut self.affected);
        self.squares.with_neighbours(built, &mut affected);
        for &cluster in &affected {
            for i in 0..self.clusters[cluster as usize].exits.len() {
                let to = self.clusters[cluster as usize].exits[i].transition.to;
                let there = self.squares.of(size.pos(to));
                let index = self.clusters[there as usize].index_of(to) as u32;
                let exit = &mut self.clusters[cluster as usize].exits[i];
                (exit.cluster, exit.index) = (there, index);
            }
        }
        self.affected = affected;
        self.first.clear();
        self.cluster_of_node.clear();
        for (number, cluster) in self.clusters.iter().enumerate() {
            self.first.push(self.cluster_of_node.len() as u32);
            self.cluster_of_node.resize(self.cluster_of_node.len() + cluster.cells.len(), number as u32);
        }
    }

    /// Returns the nodes of a cluster.
    pub(super) fn nodes_of(&self, cluster: u32) -> std::ops::Range<u32> {
        let first = self.first[cluster as usize];
        first..first + self.clusters[cluster as usize].cells.len() as u32
    }

    /// Returns the cluster of a node.
    #[inline]
    pub(super) fn cluster_of(&self, node: u32) -> u32 {
        self.cluster_of_node[node as usize]
    }
}

/// The tag of edges that stay inside a cluster.
const INSIDE: u8 = 1;

/// The abstract graph of a level.
#[derive(Clone, Copy)]
pub(super) struct LevelGraph<'a> {
    pub(super) level: &'a Level,
    pub(super) size: Size,
    /// Transitions of this height and above are not used: the search stays inside one cluster of that level.
    pub(super) ceiling: u8,
}

impl Space for LevelGraph<'_> {
    fn nodes(&self) -> usize {
        self.level.cluster_of_node.len()
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let level = self.level;
        let cluster_of_node = level.cluster_of_node[at.node as usize] as usize;
        let cluster = &level.clusters[cluster_of_node];
        let (first, count) = (level.first[cluster_of_node], cluster.cells.len());
        let index = (at.node - first) as usize;
        let mut reach = |node: u32, cost: Cost, tag: u8| {
            propose(Successor { node, g: at.known.g.saturating_add(cost), parent: at.node, tag });
        };
        // Two consecutive paths inside one cluster are never shorter than the direct one.
        if at.known.tag() != INSIDE {
            for (node, &cost) in (first..).zip(&cluster.costs[index * count..(index + 1) * count]) {
                if cost != Cost::MAX {
                    reach(node, cost, INSIDE);
                }
            }
        }
        let exits = cluster.first_exit[index] as usize..cluster.first_exit[index + 1] as usize;
        for exit in &cluster.exits[exits] {
            if exit.height < self.ceiling {
                reach(level.first[exit.cluster as usize] + exit.index, exit.transition.cost, 0);
            }
        }
    }
}

impl CellSpace for LevelGraph<'_> {
    fn node_of(&self, cell: Cell) -> u32 {
        let cluster = self.level.squares.of(self.size.pos(cell)) as usize;
        self.level.first[cluster] + self.level.clusters[cluster].index_of(cell) as u32
    }

    #[inline]
    fn cell_of(&self, node: u32) -> Cell {
        let cluster = self.level.cluster_of_node[node as usize] as usize;
        self.level.clusters[cluster].cells[(node - self.level.first[cluster]) as usize]
    }
}
