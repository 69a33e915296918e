//! The abstract graph: one node per connected component of a sector, and an edge where a legal move joins two
//! components.

use throng_grid::{Cell, Cost, Ground, Pos, directions, moves};

use crate::heuristic::Heuristic;
use crate::space::{Expansion, Space, Successor};
use crate::square_grid::{NodeNumbers, SquareChanges};

/// The component of a cell that is not free.
const NO_COMPONENT: u16 = u16::MAX;

/// The abstract graph of a ground, kept between queries and updated after edits.
///
/// The nodes are the connected components of the sectors, numbered from 0. An update may renumber them; a lasting
/// reference to a node is one of its cells ([`Sectors::sample`]).
#[derive(Clone, Debug)]
pub struct Sectors {
    changes: SquareChanges,
    list: Vec<Sector>,
    /// The component of each cell within its sector; [`NO_COMPONENT`] for cells that are not free.
    component: Vec<u16>,
    numbers: NodeNumbers,
    /// Cost per half cell of the longer coordinate difference, and additional cost per half cell of the shorter one.
    scale: [Cost; 2],
    stack: Vec<Pos>,
}

#[derive(Clone, Debug, Default)]
struct Sector {
    components: Vec<Component>,
    /// Ordered by the component that they leave.
    edges: Vec<Edge>,
}

#[derive(Clone, Copy, Debug)]
struct Component {
    /// Mean position of the component's cells, in half cells.
    center: Pos,
    first_edge: u32,
    /// One of the component's cells.
    sample: Cell,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Edge {
    from: u16,
    sector: u32,
    component: u16,
}

impl Sectors {
    /// Returns an empty graph for sectors of a side; [`Sectors::update`] fills it.
    pub fn new(side: u32) -> Self {
        Self {
            changes: SquareChanges::new(side),
            list: Vec::new(),
            component: Vec::new(),
            numbers: NodeNumbers::default(),
            scale: [0; 2],
            stack: Vec::new(),
        }
    }

    /// Updates the graph to the current state of a ground. Returns the number of sectors that were labelled again.
    pub fn update(&mut self, ground: &Ground) -> usize {
        if !self.changes.refresh(ground) {
            return 0;
        }
        let least = Cost::from(ground.profile().min_halves());
        let short = if ground.rules().four_way { moves::STRAIGHT } else { moves::DIAGONAL - moves::STRAIGHT };
        self.scale = [moves::STRAIGHT, short].map(|cost| cost / 4 * least);
        self.list.resize_with(self.changes.squares.count(), Sector::default);
        self.component.resize(ground.size().area(), NO_COMPONENT);
        for i in 0..self.changes.stale.len() {
            self.label(ground, self.changes.stale[i]);
        }
        // Edges refer to components by number, so the edges of neighbouring sectors must be rebuilt too.
        for sector in self.changes.squares.with_neighbours(&self.changes.stale) {
            self.connect(ground, sector);
        }
        self.numbers.assign(self.list.iter().map(|sector| sector.components.len()));
        self.changes.stale.len()
    }

    /// Labels the connected components of a sector.
    fn label(&mut self, ground: &Ground, sector: u32) {
        let (min, max) = self.changes.squares.corners(sector);
        let width = ground.size().width() as i32;
        let index = |pos: Pos| (pos.y * width + pos.x) as usize;
        for y in min.y..=max.y {
            self.component[index(Pos::new(min.x, y))..=index(Pos::new(max.x, y))].fill(NO_COMPONENT);
        }
        let components = &mut self.list[sector as usize].components;
        components.clear();
        for start in (min.y..=max.y).flat_map(|y| (min.x..=max.x).map(move |x| Pos::new(x, y))) {
            if self.component[index(start)] != NO_COMPONENT || !ground.rows().get(start) {
                continue;
            }
            let number = components.len() as u16;
            let (mut sum, mut cells) = (Pos::new(0, 0), 0);
            self.component[index(start)] = number;
            self.stack.push(start);
            while let Some(pos) = self.stack.pop() {
                (sum.x, sum.y, cells) = (sum.x + pos.x, sum.y + pos.y, cells + 1);
                for direction in directions(ground.moves(Cell(index(pos) as u32))) {
                    let next = pos + direction;
                    let inside = (min.x..=max.x).contains(&next.x) && (min.y..=max.y).contains(&next.y);
                    if inside && self.component[index(next)] == NO_COMPONENT {
                        self.component[index(next)] = number;
                        self.stack.push(next);
                    }
                }
            }
            let center = Pos::new(2 * sum.x / cells, 2 * sum.y / cells);
            components.push(Component { center, first_edge: 0, sample: Cell(index(start) as u32) });
        }
    }

    /// Collects the edges that leave a sector.
    fn connect(&mut self, ground: &Ground, sector: u32) {
        let (min, max) = self.changes.squares.corners(sector);
        let mut edges = std::mem::take(&mut self.list[sector as usize].edges);
        edges.clear();
        for y in min.y..=max.y {
            // Only cells at the sector's border have neighbours outside.
            let inner = y > min.y && y < max.y && max.x > min.x;
            let stride = if inner { (max.x - min.x) as usize } else { 1 };
            for x in (min.x..=max.x).step_by(stride) {
                let pos = Pos::new(x, y);
                let Some(cell) = ground.cell(pos) else { continue };
                for direction in directions(ground.moves(cell)) {
                    let (next, there) =
                        (ground.step(cell, direction), self.changes.squares.of(pos + direction));
                    if there != sector {
                        let (from, component) = (self.component[cell.index()], self.component[next.index()]);
                        edges.push(Edge { from, sector: there, component });
                    }
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let this = &mut self.list[sector as usize];
        for (number, component) in this.components.iter_mut().enumerate() {
            component.first_edge = edges.partition_point(|edge| usize::from(edge.from) < number) as u32;
        }
        this.edges = edges;
    }

    /// Returns the node of a free cell.
    #[inline]
    pub fn node_of(&self, ground: &Ground, cell: Cell) -> u32 {
        let sector = self.sector_at(ground.pos(cell));
        self.numbers.first[sector as usize] + u32::from(self.component[cell.index()])
    }

    /// Returns the sector of a position.
    #[inline]
    pub fn sector_at(&self, pos: Pos) -> u32 {
        self.changes.squares.of(pos)
    }

    /// Returns true if a free cell belongs to a node.
    #[inline]
    pub fn is_child(&self, ground: &Ground, node: u32, cell: Cell) -> bool {
        let first = self.numbers.first[self.sector(node) as usize];
        // Comparing component numbers first rejects most cells without computing their sector.
        first + u32::from(self.component[cell.index()]) == node && self.node_of(ground, cell) == node
    }

    /// Returns the sector of a node; sectors are numbered in row order.
    #[inline]
    pub fn sector(&self, node: u32) -> u32 {
        self.numbers.square[node as usize]
    }

    /// Returns the corners of a node's sector.
    pub fn corners(&self, node: u32) -> (Pos, Pos) {
        self.changes.squares.corners(self.sector(node))
    }

    /// Returns one of a node's cells.
    pub fn sample(&self, node: u32) -> Cell {
        self.component_of(node).sample
    }

    /// Returns the distance on an empty map between a position and the centre of a node.
    #[inline]
    pub fn distance_to_center(&self, pos: Pos, node: u32) -> Cost {
        self.distance(Pos::new(2 * pos.x, 2 * pos.y), self.component_of(node).center)
    }

    /// Returns the number of nodes.
    pub fn nodes(&self) -> usize {
        self.numbers.square.len()
    }

    /// Returns the bytes held.
    pub fn memory_bytes(&self) -> usize {
        let sector = |sector: &Sector| {
            sector.components.capacity() * size_of::<Component>()
                + sector.edges.capacity() * size_of::<Edge>()
        };
        let words = self.numbers.first.capacity() + self.numbers.square.capacity();
        self.list.iter().map(sector).sum::<usize>()
            + self.list.capacity() * size_of::<Sector>()
            + self.component.capacity() * size_of::<u16>()
            + words * size_of::<u32>()
            + self.stack.capacity() * size_of::<Pos>()
            + self.changes.memory_bytes()
    }

    #[inline]
    fn component_of(&self, node: u32) -> &Component {
        let (sector, component) = self.numbers.locate(node);
        &self.list[sector].components[component]
    }

    /// Returns the distance on an empty map between two positions given in half cells.
    #[inline]
    fn distance(&self, a: Pos, b: Pos) -> Cost {
        let (dx, dy) = (a.x.abs_diff(b.x), a.y.abs_diff(b.y));
        dx.max(dy) * self.scale[0] + dx.min(dy) * self.scale[1]
    }

    /// Returns the length of the straight line between two positions given in half cells, rounded down.
    fn straight_distance(&self, a: Pos, b: Pos) -> Cost {
        let [dx, dy] =
            [a.x.abs_diff(b.x), a.y.abs_diff(b.y)].map(|half| u64::from(half) * u64::from(self.scale[0]));
        (dx * dx + dy * dy).isqrt() as Cost
    }
}

/// The abstract graph as a search space.
#[derive(Clone, Copy, Debug)]
pub struct SectorGraph<'a>(pub &'a Sectors);

impl Space for SectorGraph<'_> {
    fn nodes(&self) -> usize {
        self.0.nodes()
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let (sector, component) = self.0.numbers.locate(at.node);
        let sector = &self.0.list[sector];
        let end =
            sector.components.get(component + 1).map_or(sector.edges.len(), |next| next.first_edge as usize);
        let Component { center, first_edge, .. } = sector.components[component];
        for edge in &sector.edges[first_edge as usize..end] {
            let there = self.0.list[edge.sector as usize].components[usize::from(edge.component)].center;
            // Two components can have the same centre; an edge must still cost something.
            let cost = self.0.distance(center, there).max(1);
            let node = self.0.numbers.first[edge.sector as usize] + u32::from(edge.component);
            propose(Successor { node, g: at.known.g.saturating_add(cost), parent: at.node, tag: 0 });
        }
    }
}

/// How the distance between two centres is estimated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CenterMetric {
    /// The distance on an empty map, as edges are measured.
    Octile,
    /// The length of the straight line. It is never larger, so that a search expands at least as many nodes.
    Straight,
}

/// The distance between the centres of a node and of the goal's node. Consistent with both metrics.
#[derive(Clone, Copy, Debug)]
pub struct CenterDistance<'a> {
    sectors: &'a Sectors,
    goal: Pos,
    metric: CenterMetric,
}

impl<'a> CenterDistance<'a> {
    /// Returns the heuristic for a goal node.
    pub fn new(sectors: &'a Sectors, goal: u32, metric: CenterMetric) -> Self {
        Self { sectors, goal: sectors.component_of(goal).center, metric }
    }
}

impl Heuristic for CenterDistance<'_> {
    #[inline]
    fn lower(&mut self, node: u32) -> Cost {
        let center = self.sectors.component_of(node).center;
        match self.metric {
            CenterMetric::Octile => self.sectors.distance(center, self.goal),
            CenterMetric::Straight => self.sectors.straight_distance(center, self.goal),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_grid::{Corners, Grid, MoveRules, Size, Terrain, Tiles};

    fn edges(sectors: &Sectors) -> Vec<(u32, u32)> {
        let mut edges = Vec::new();
        for (sector, Sector { edges: out, .. }) in sectors.list.iter().enumerate() {
            let node = |sector: usize, component: u16| sectors.numbers.first[sector] + u32::from(component);
            let ends = |edge: &Edge| (node(sector, edge.from), node(edge.sector as usize, edge.component));
            edges.extend(out.iter().map(ends));
        }
        edges
    }

    #[test]
    fn components_are_nodes_and_moves_between_them_edges() {
        let picture = "..#.
                       ..#.
                       ##..
                       ...#";
        let build = |corners| {
            let grid = Grid::new(Tiles::picture(picture), MoveRules::eight_way(corners));
            let mut sectors = Sectors::new(2);
            assert_eq!(sectors.update(grid.ground()), 4);
            edges(&sectors)
        };
        assert_eq!(build(Corners::Forbid), [(1, 3), (2, 3), (3, 1), (3, 2)]);
        assert_eq!(build(Corners::Allow), [(0, 3), (1, 3), (2, 3), (3, 0), (3, 1), (3, 2)]);
    }

    /// Straight lines are never longer than edges, so that the heuristic is consistent on every edge.
    #[test]
    fn both_metrics_are_consistent() {
        let picture = "......#...
                       .####.#.#.
                       .#......#.
                       .#.####.#.
                       ...#....#.
                       .#.#.####.
                       .#........";
        for rules in [MoveRules::eight_way(Corners::Forbid), MoveRules::FOUR_WAY] {
            let grid = Grid::new(Tiles::picture(picture), rules);
            let mut sectors = Sectors::new(3);
            sectors.update(grid.ground());
            let nodes = sectors.nodes() as u32;
            let mut shorter = 0;
            for goal in 0..nodes {
                let lower = |metric, node| CenterDistance::new(&sectors, goal, metric).lower(node);
                for node in 0..nodes {
                    let [octile, straight] =
                        [CenterMetric::Octile, CenterMetric::Straight].map(|metric| lower(metric, node));
                    assert!(straight <= octile, "from {node} to {goal}: {straight}, {octile}");
                    shorter += u32::from(straight < octile);
                }
                for (from, to) in edges(&sectors) {
                    let [a, b] = [from, to].map(|node| sectors.component_of(node).center);
                    let length = sectors.distance(a, b).max(1);
                    for metric in [CenterMetric::Octile, CenterMetric::Straight] {
                        assert!(lower(metric, from) <= length + lower(metric, to), "{metric:?} {from} {to}");
                    }
                }
            }
            assert!(shorter > nodes, "{shorter}");
        }
    }

    #[test]
    fn an_edit_relabels_only_its_sectors() {
        let tiles = Tiles::filled(Size::new(120, 120).unwrap(), Terrain::Ground);
        let mut grid = Grid::new(tiles, MoveRules::default());
        let mut sectors = Sectors::new(12);
        assert_eq!(sectors.update(grid.ground()), 100);
        for x in 24..36 {
            grid.block(Pos::new(x, 30));
        }
        assert_eq!(sectors.update(grid.ground()), 3, "the sector of the wall and those that its ends touch");
        assert_eq!(sectors.nodes(), 101, "the wall splits one sector into two components");
        let mut fresh = Sectors::new(12);
        fresh.update(grid.ground());
        assert_eq!(edges(&sectors), edges(&fresh));
        assert_eq!(sectors.component, fresh.component);
    }
}
