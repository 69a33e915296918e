//! One level of the hierarchy: clusters, the nodes at their doors, and the ways between those inside a cluster.

use throng_grid::{Cell, Cost, Size};

use super::cluster_space::ClusterSpace;
use super::transitions::Transition;
use crate::best_first::BestFirst;
use crate::heuristic::Blind;
use crate::node_store::{DenseStore, NO_NODE};
use crate::open_list::OpenList;
use crate::space::{Expansion, Space, Successor};
use crate::square_grid::SquareGrid;

/// A space whose nodes are cells of the map under numbers of their own.
pub(super) trait CellSpace: Space {
    /// The node of a cell.
    fn node_of(&self, cell: Cell) -> u32;

    /// The cell of a node.
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

/// A cluster: its nodes, the doors out of it, and the shortest ways between its nodes that stay inside.
#[derive(Clone, Debug, Default)]
pub(super) struct Cluster {
    /// The cells that are nodes, in order.
    pub(super) cells: Vec<Cell>,
    /// Ordered by the node they leave.
    pub(super) exits: Vec<Exit>,
    /// The first exit of each node, and the end.
    first_exit: Vec<u32>,
    /// From every node to every node; [`Cost::MAX`] where no way stays inside.
    costs: Vec<Cost>,
    /// What lies between two nodes, from the lower to the higher: nodes of the level below, or cells of the map.
    ways: Vec<Cell>,
    /// Where the ways start, pair by pair, and the end.
    first_way: Vec<u32>,
}

/// A door, as a level sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exit {
    pub(super) door: Transition,
    /// The highest level on which the door leads out of a cluster.
    pub(super) height: u8,
    /// Cluster and place among its nodes where it leads.
    cluster: u32,
    index: u32,
}

impl Exit {
    /// Where it leads is found out by [`Level::settle`].
    pub(super) fn new(door: Transition, height: u8) -> Self {
        Self { door, height, cluster: NO_NODE, index: 0 }
    }
}

/// The pair of a node and a lower one.
const fn pair(high: usize, low: usize) -> usize {
    high * (high - 1) / 2 + low
}

impl Cluster {
    /// A cluster with these doors, and the ways between them through a space that ends at its border.
    pub(super) fn build<F: OpenList>(
        exits: Vec<Exit>,
        space: &mut impl CellSpace,
        search: &mut BestFirst<DenseStore, F>,
    ) -> Self {
        let mut cells: Vec<Cell> = exits.iter().map(|exit| exit.door.from).collect();
        cells.dedup();
        let start_of = |cell: &Cell| exits.partition_point(|exit| exit.door.from < *cell) as u32;
        let first_exit = cells.iter().map(start_of).chain([exits.len() as u32]).collect();
        let count = cells.len();
        let mut costs = vec![Cost::MAX; count * count];
        let (mut ways, mut first_way) = (Vec::new(), vec![0]);
        for high in 1..count {
            search.begin(space);
            search.add_source(space.node_of(cells[high]), 0, &mut Blind);
            search.resume(space, &mut Blind, |_| false, u64::MAX, &mut ());
            for low in 0..high {
                // The tree leads from each node back to the source.
                if let Some(mut known) = search.node(space.node_of(cells[low])) {
                    (costs[high * count + low], costs[low * count + high]) = (known.g, known.g);
                    let parents = std::iter::from_fn(|| {
                        let parent = known.parent;
                        known = search.node(parent)?;
                        (known.parent != NO_NODE).then(|| space.cell_of(parent))
                    });
                    ways.extend(parents);
                }
                first_way.push(ways.len() as u32);
            }
        }
        Self { cells, exits, first_exit, costs, ways, first_way }
    }

    /// The cells between two nodes, and whether they are in the order from the second to the first.
    pub(super) fn way(&self, from: Cell, to: Cell) -> (&[Cell], bool) {
        let [from, to] = [from, to].map(|cell| self.index_of(cell));
        let pair = pair(from.max(to), from.min(to));
        (&self.ways[self.first_way[pair] as usize..self.first_way[pair + 1] as usize], from > to)
    }

    /// The place of a cell among the nodes.
    fn index_of(&self, cell: Cell) -> usize {
        self.cells.binary_search(&cell).expect("hpa: a door leads to a door")
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
    owner: Vec<u32>,
    touched: Vec<u32>,
}

impl Level {
    /// With clusters of a side, of no map yet.
    pub(super) fn new(side: u32) -> Self {
        let squares = SquareGrid::new(side);
        Self { squares, clusters: Vec::new(), first: Vec::new(), owner: Vec::new(), touched: Vec::new() }
    }

    /// Makes room for the clusters of a map.
    pub(super) fn cover(&mut self, size: Size) {
        self.squares.cover(size);
        self.clusters.resize_with(self.squares.count(), Cluster::default);
    }

    /// Numbers the nodes after some clusters have been built anew, and finds where the doors around them lead.
    pub(super) fn settle(&mut self, built: &[u32], size: Size) {
        let mut touched = std::mem::take(&mut self.touched);
        self.squares.with_neighbours(built, &mut touched);
        for &cluster in &touched {
            for i in 0..self.clusters[cluster as usize].exits.len() {
                let to = self.clusters[cluster as usize].exits[i].door.to;
                let there = self.squares.of(size.pos(to));
                let index = self.clusters[there as usize].index_of(to) as u32;
                let exit = &mut self.clusters[cluster as usize].exits[i];
                (exit.cluster, exit.index) = (there, index);
            }
        }
        self.touched = touched;
        self.first.clear();
        self.owner.clear();
        for (number, cluster) in self.clusters.iter().enumerate() {
            self.first.push(self.owner.len() as u32);
            self.owner.resize(self.owner.len() + cluster.cells.len(), number as u32);
        }
    }

    /// The nodes of a cluster.
    pub(super) fn nodes_of(&self, cluster: u32) -> std::ops::Range<u32> {
        let first = self.first[cluster as usize];
        first..first + self.clusters[cluster as usize].cells.len() as u32
    }

    /// The cluster of a node.
    #[inline]
    pub(super) fn cluster_of(&self, node: u32) -> u32 {
        self.owner[node as usize]
    }
}

/// The tag of edges that stay inside a cluster.
const INSIDE: u8 = 1;

/// The abstract graph of a level.
#[derive(Clone, Copy)]
pub(super) struct LevelGraph<'a> {
    pub(super) level: &'a Level,
    pub(super) size: Size,
    /// Doors of this height and above are closed: the search stays inside a cluster of that level.
    pub(super) ceiling: u8,
}

impl Space for LevelGraph<'_> {
    fn nodes(&self) -> usize {
        self.level.owner.len()
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let level = self.level;
        let owner = level.owner[at.node as usize] as usize;
        let cluster = &level.clusters[owner];
        let (first, count) = (level.first[owner], cluster.cells.len());
        let index = (at.node - first) as usize;
        let mut reach = |node: u32, cost: Cost, tag: u8| {
            propose(Successor { node, g: at.known.g.saturating_add(cost), parent: at.node, tag });
        };
        // One way through a cluster is never longer than two in a row.
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
                reach(level.first[exit.cluster as usize] + exit.index, exit.door.cost, 0);
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
        let cluster = self.level.owner[node as usize] as usize;
        self.level.clusters[cluster].cells[(node - self.level.first[cluster]) as usize]
    }
}
