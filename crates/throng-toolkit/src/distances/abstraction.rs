//! Distances over an abstract graph of sectors, as initial heuristic values.
//!
//! V. Bulitko, N. Sturtevant, J. Lu, T. Yau, *Graph Abstraction in Real-time Heuristic Search*, JAIR 30, 2007, guide a
//! real-time search by an abstract graph. Here it is that of [`Sectors`]: a cell's estimate is its distance on an empty map
//! to the centre of the next node on a shortest abstract path, plus the abstract distance from there to the goal's node.
//! Within the goal's node and the nodes beside it there is no estimate.
//!
//! Estimates see walls that the distance on an empty map does not. They are not admissible: the abstract path passes the
//! centres of nodes, and a path on the map can be shorter. They are not consistent either, because they fall where the
//! abstract path enters its next node. They never rise there by more than the cost of the step, so that high estimates do
//! not lie across the abstract path. With sectors of one cell estimates are exact on uniform ground.

use throng_grid::{Cell, Cost, Ground, Profile};
use throng_search::open_list::Heap;
use throng_search::{BestFirst, Blind, DenseStore, NO_NODE, Policy, SectorGraph, Sectors};

/// The memory of tables beyond which [`Abstractions::trim`] drops them all, in bytes. With sectors of 12 cells, the tables of
/// all goals on an open map of 512×512 cells need 27 million.
const MAX_BYTES: usize = 1 << 26;

/// The abstract graphs of a grid's grounds and the distances over them, made when they are needed.
#[derive(Clone, Debug)]
pub struct Abstractions {
    /// The side of the sectors; 0 for none.
    side: u32,
    graphs: Vec<Abstraction>,
    search: BestFirst<DenseStore, Heap>,
}

/// The abstract graph of one ground.
#[derive(Clone, Debug)]
struct Abstraction {
    profile: Profile,
    fingerprint: u64,
    sectors: Sectors,
    /// For each goal node, the leg of every node. Empty if it has not been needed.
    tables: Vec<Vec<Leg>>,
    /// The memory of all legs, in bytes.
    table_bytes: usize,
}

/// How the abstract path of a node goes on.
#[derive(Clone, Copy, Debug)]
struct Leg {
    /// The next node. [`NO_NODE`] if that is the goal's node, or if there is no path.
    next: u32,
    /// The abstract distance from the next node to the goal's node.
    rest: Cost,
}

impl Abstractions {
    /// Returns an empty list for grounds with sectors of this side. With 0 it stays empty.
    pub fn new(side: u32) -> Self {
        let search = BestFirst::new(DenseStore::default(), Heap::default(), Policy::default());
        Self { side, graphs: Vec::new(), search }
    }

    /// Updates the graph of a ground if it is missing or out of date. A change drops the distances over it.
    pub fn update(&mut self, ground: &Ground) {
        if self.side == 0 || self.graph(ground).is_some() {
            return;
        }
        let (profile, fingerprint) = (ground.profile(), ground.fingerprint());
        let known = self.graphs.iter().position(|graph| graph.profile == profile);
        let index = known.unwrap_or_else(|| {
            let (sectors, tables) = (Sectors::new(self.side), Vec::new());
            self.graphs.push(Abstraction { profile, fingerprint, sectors, tables, table_bytes: 0 });
            self.graphs.len() - 1
        });
        let graph = &mut self.graphs[index];
        graph.fingerprint = fingerprint;
        graph.sectors.update(ground);
        graph.drop_tables();
    }

    /// Computes the distances to a goal's node if they are missing, with one search of the abstract graph.
    pub fn prepare(&mut self, ground: &Ground, goal: Cell) {
        self.update(ground);
        let fingerprint = ground.fingerprint();
        let is_current = |graph: &&mut Abstraction| graph.is_of(ground.profile(), fingerprint);
        let Some(graph) = self.graphs.iter_mut().find(is_current).filter(|_| ground.is_free(goal)) else {
            return;
        };
        let node = graph.sectors.node_of(ground, goal);
        let table = &mut graph.tables[node as usize];
        if table.is_empty() {
            *table = legs(&mut self.search, &graph.sectors, node);
            graph.table_bytes += table.capacity() * size_of::<Leg>();
        }
    }

    /// Drops all distances if they need more memory than a limit. Those of later searches must be prepared again.
    pub fn trim(&mut self) {
        if self.graphs.iter().map(|graph| graph.table_bytes).sum::<usize>() > MAX_BYTES {
            self.graphs.iter_mut().for_each(Abstraction::drop_tables);
        }
    }

    /// Returns the estimates of distances to a goal. `None` if they have not been prepared.
    pub fn distance<'a>(&'a self, ground: &'a Ground, goal: Cell) -> Option<AbstractDistance<'a>> {
        let graph = self.graph(ground).filter(|_| ground.is_free(goal))?;
        let legs = &graph.tables[graph.sectors.node_of(ground, goal) as usize];
        (!legs.is_empty()).then_some(AbstractDistance { ground, sectors: &graph.sectors, legs })
    }

    fn graph(&self, ground: &Ground) -> Option<&Abstraction> {
        if self.side == 0 {
            return None;
        }
        let fingerprint = ground.fingerprint();
        self.graphs.iter().find(|graph| graph.is_of(ground.profile(), fingerprint))
    }

    /// Returns the memory in use, in bytes.
    pub fn memory_bytes(&self) -> usize {
        let search = self.search.store().memory_bytes() + self.search.memory_bytes();
        let graph = |graph: &Abstraction| {
            let lists = graph.tables.capacity() * size_of::<Vec<Leg>>();
            graph.sectors.memory_bytes() + graph.table_bytes + lists
        };
        self.graphs.iter().map(graph).sum::<usize>() + search
    }
}

impl Abstraction {
    fn is_of(&self, profile: Profile, fingerprint: u64) -> bool {
        self.profile == profile && self.fingerprint == fingerprint
    }

    fn drop_tables(&mut self) {
        self.tables.clear();
        self.tables.resize(self.sectors.nodes(), Vec::new());
        self.table_bytes = 0;
    }
}

/// Returns the leg of every node towards a goal's node.
fn legs(search: &mut BestFirst<DenseStore, Heap>, sectors: &Sectors, goal: u32) -> Vec<Leg> {
    let mut graph = SectorGraph(sectors);
    search.begin(&graph);
    search.add_source(goal, 0, &mut Blind);
    search.resume(&mut graph, &mut Blind, |_| false, u64::MAX, &mut ());
    let leg = |node| {
        let next = search.parent(node).filter(|&next| next != goal);
        let known = next.and_then(|next| search.node(next).map(|node| Leg { next, rest: node.g }));
        known.unwrap_or(Leg { next: NO_NODE, rest: 0 })
    };
    (0..sectors.nodes() as u32).map(leg).collect()
}

/// Estimates of the distances to one goal.
#[derive(Clone, Copy, Debug)]
pub struct AbstractDistance<'a> {
    ground: &'a Ground,
    sectors: &'a Sectors,
    legs: &'a [Leg],
}

impl AbstractDistance<'_> {
    /// Returns an estimate of the distance of a cell; 0 if there is none.
    #[inline]
    pub fn estimate(&self, cell: Cell) -> Cost {
        if !self.ground.is_free(cell) {
            return 0;
        }
        let Leg { next, rest } = self.legs[self.sectors.node_of(self.ground, cell) as usize];
        if next == NO_NODE {
            return 0;
        }
        self.sectors.distance_to_center(self.ground.pos(cell), next).saturating_add(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_grid::generate::generate;
    use throng_grid::moves::STRAIGHT;
    use throng_grid::{Corners, Grid, MoveRules, Pos, Size, Tiles};
    use throng_search::{Heuristic as _, OctileDistance, search};

    fn octile(ground: &Ground, from: Cell, to: Cell) -> Cost {
        OctileDistance::to_cell(ground, to).lower(from.0)
    }

    /// Sectors of one cell are compared with shortest paths, before and after an edit.
    #[test]
    fn estimates_are_exact_with_sectors_of_one_cell() {
        let size = Size::new(24, 20).unwrap();
        let rules = [Corners::Forbid, Corners::Allow, Corners::Mixed].map(MoveRules::eight_way);
        for (seed, rules) in (1..).zip(rules.into_iter().chain([MoveRules::FOUR_WAY])) {
            let mut grid = Grid::new(generate("rooms:room=5", size, seed).unwrap(), rules);
            let mut abstractions = Abstractions::new(1);
            for _ in 0..2 {
                let ground = grid.ground();
                let cells: Vec<Cell> = ground.free_cells().step_by(17).collect();
                let mut astar = search("astar").unwrap();
                for &to in &cells {
                    assert!(abstractions.distance(ground, to).is_none(), "not prepared");
                    abstractions.prepare(ground, to);
                    let distance = abstractions.distance(ground, to).unwrap();
                    for &from in &cells {
                        let mut path = Vec::new();
                        let found = astar.find(ground, from, to, &mut path).unwrap();
                        let estimate = distance.estimate(from).max(octile(ground, from, to));
                        assert_eq!(found.cost.unwrap_or(estimate), estimate, "{from:?} to {to:?}");
                    }
                }
                for x in 0..12 {
                    grid.block(Pos::new(x, 9));
                }
            }
        }
    }

    /// The goal is behind the wall: on an empty map the cells beside the wall seem near.
    #[test]
    fn estimates_see_walls() {
        let picture = "
            ............
            ............
            .....#......
            .....#......
            .....#......
            .....#......
            .....#......
            .....#......
            .....#......";
        let grid = Grid::new(Tiles::picture(picture), MoveRules::default());
        let (ground, size) = (grid.ground(), grid.size());
        let [from, goal] = [Pos::new(4, 8), Pos::new(10, 8)].map(|pos| size.cell(pos).unwrap());
        let mut abstractions = Abstractions::new(3);
        abstractions.prepare(ground, goal);
        let distance = abstractions.distance(ground, goal).unwrap();
        assert_eq!(octile(ground, from, goal), 6 * STRAIGHT);
        assert!(distance.estimate(from) > 14 * STRAIGHT, "{}", distance.estimate(from));
        assert_eq!(distance.estimate(goal), 0);
        assert_eq!(distance.estimate(size.cell(Pos::new(9, 5)).unwrap()), 0, "a node beside the goal's");
        assert_eq!(distance.estimate(size.cell(Pos::new(5, 8)).unwrap()), 0, "a wall");
    }

    /// The estimate of the first cell that a path enters in the next node is at most that of the cell before it.
    #[test]
    fn estimates_do_not_rise_where_the_abstract_path_enters_its_next_node() {
        let size = Size::new(40, 32).unwrap();
        let grid = Grid::new(generate("caves", size, 3).unwrap(), MoveRules::default());
        let ground = grid.ground();
        let mut abstractions = Abstractions::new(6);
        let mut entered = 0;
        for goal in ground.free_cells().step_by(97) {
            abstractions.prepare(ground, goal);
            let distance = abstractions.distance(ground, goal).unwrap();
            let node = |cell| distance.sectors.node_of(ground, cell);
            for cell in ground.free_cells() {
                for (direction, next) in ground.neighbours(cell) {
                    let estimate = distance.estimate(next);
                    if node(next) == distance.legs[node(cell) as usize].next && estimate > 0 {
                        entered += 1;
                        assert!(estimate <= distance.estimate(cell) + ground.cost(cell, direction));
                    }
                }
            }
        }
        assert!(entered > 100, "{entered}");
    }

    #[test]
    fn cells_without_a_path_have_no_estimate_and_tables_are_dropped_with_the_map() {
        let mut grid = Grid::new(Tiles::picture("..#........\n..#........"), MoveRules::default());
        let mut abstractions = Abstractions::new(2);
        let goal = Cell(10);
        abstractions.prepare(grid.ground(), goal);
        let distance = abstractions.distance(grid.ground(), goal).unwrap();
        assert_eq!(distance.estimate(Cell(0)), 0);
        assert!(distance.estimate(Cell(3)) > 0);
        abstractions.trim();
        assert!(abstractions.distance(grid.ground(), goal).is_some(), "few tables are kept");
        grid.block(Pos::new(4, 0));
        assert!(abstractions.distance(grid.ground(), goal).is_none());
        assert!(Abstractions::new(0).distance(grid.ground(), goal).is_none());
    }
}
