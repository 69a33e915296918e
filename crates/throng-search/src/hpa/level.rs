//! One level of the hierarchy: clusters, the nodes at their transitions, and the paths between nodes of one cluster.

use throng_grid::{Cell, Cost, Size};

use super::cluster_space::CellSpace;
use super::transitions::Transition;
use crate::best_first::BestFirst;
use crate::heuristic::Blind;
use crate::node_store::{DenseStore, NO_NODE};
use crate::open_list::OpenList;
use crate::space::{Expansion, Space, Successor};
use crate::square_grid::{NodeNumbers, SquareGrid};

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

/// Finds the cheapest paths from the nearest of some nodes to every node of a space. Each source has a cost;
/// [`Cost::MAX`] leaves it out.
pub(super) fn search_all<F: OpenList>(
    search: &mut BestFirst<DenseStore, F>,
    space: &mut impl Space,
    sources: impl IntoIterator<Item = (u32, Cost)>,
) {
    search.begin(space);
    for (node, cost) in sources.into_iter().filter(|&(_, cost)| cost != Cost::MAX) {
        search.add_source(node, cost, &mut Blind);
    }
    search.resume(space, &mut Blind, |_| false, u64::MAX, &mut ());
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
            let source = space.node_of(cells[high]);
            search_all(search, space, [(source, 0)]);
            for low in 0..high {
                let node = space.node_of(cells[low]);
                if let Some(known) = search.node(node) {
                    (costs[high * count + low], costs[low * count + high]) = (known.g, known.g);
                    // The search tree leads from each node back to the source.
                    let parents = std::iter::successors(search.parent(node), |&node| search.parent(node));
                    let between = parents.take_while(|&parent| parent != source);
                    paths.extend(between.map(|parent| space.cell_of(parent)));
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
    numbers: NodeNumbers,
}

impl Level {
    /// Returns a level with clusters of a side, without a map.
    pub(super) fn new(side: u32) -> Self {
        Self { squares: SquareGrid::new(side), clusters: Vec::new(), numbers: NodeNumbers::default() }
    }

    /// Partitions a map.
    pub(super) fn cover(&mut self, size: Size) {
        self.squares.cover(size);
        self.clusters.resize_with(self.squares.count(), Cluster::default);
    }

    /// Renumbers the nodes after clusters were rebuilt, and finds the destinations of the transitions around them.
    pub(super) fn renumber(&mut self, built: &[u32], size: Size) {
        for cluster in self.squares.with_neighbours(built) {
            for i in 0..self.clusters[cluster as usize].exits.len() {
                let to = self.clusters[cluster as usize].exits[i].transition.to;
                let there = self.squares.of(size.pos(to));
                let index = self.clusters[there as usize].index_of(to) as u32;
                let exit = &mut self.clusters[cluster as usize].exits[i];
                (exit.cluster, exit.index) = (there, index);
            }
        }
        self.numbers.assign(self.clusters.iter().map(|cluster| cluster.cells.len()));
    }

    /// Returns the nodes of a cluster.
    pub(super) fn nodes_of(&self, cluster: u32) -> std::ops::Range<u32> {
        let first = self.numbers.first[cluster as usize];
        first..first + self.clusters[cluster as usize].cells.len() as u32
    }

    /// Returns the cluster of a node.
    #[inline]
    pub(super) fn cluster_of(&self, node: u32) -> u32 {
        self.numbers.square[node as usize]
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
        self.level.numbers.square.len()
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let level = self.level;
        let (cluster, index) = level.numbers.locate(at.node);
        let cluster = &level.clusters[cluster];
        let (first, count) = (at.node - index as u32, cluster.cells.len());
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
                reach(level.numbers.first[exit.cluster as usize] + exit.index, exit.transition.cost, 0);
            }
        }
    }
}

impl CellSpace for LevelGraph<'_> {
    fn node_of(&self, cell: Cell) -> u32 {
        let cluster = self.level.squares.of(self.size.pos(cell)) as usize;
        self.level.numbers.first[cluster] + self.level.clusters[cluster].index_of(cell) as u32
    }

    #[inline]
    fn cell_of(&self, node: u32) -> Cell {
        let (cluster, index) = self.level.numbers.locate(node);
        self.level.clusters[cluster].cells[index]
    }
}
