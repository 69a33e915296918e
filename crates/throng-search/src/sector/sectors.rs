//! The abstract graph: one node for each connected part of a sector, an edge where a legal move joins two parts.

use throng_grid::{Cell, Cost, Ground, Pos, directions, moves};

use crate::heuristic::Heuristic;
use crate::space::{Expansion, Space, Successor};
use crate::square_grid::SquareChanges;

/// The part of a cell that is not free.
const NO_COMPONENT: u16 = u16::MAX;

/// The abstract graph of a ground, kept between questions and brought up to date after edits.
///
/// Its nodes are the connected parts of the sectors, numbered from 0. An edit may number them anew; what is kept longer
/// is kept as a cell of the part ([`Sectors::sample`]).
#[derive(Clone, Debug)]
pub struct Sectors {
    watch: SquareChanges,
    list: Vec<Sector>,
    /// Which part of its sector each cell belongs to.
    part: Vec<u16>,
    /// Number of the first node of each sector; nodes are numbered sector by sector.
    first: Vec<u32>,
    /// The sector of each node.
    owner: Vec<u32>,
    /// Cost for each half cell of the longer side, and what the shorter side adds.
    scale: [Cost; 2],
    stack: Vec<Pos>,
    touched: Vec<u32>,
}

#[derive(Clone, Debug, Default)]
struct Sector {
    parts: Vec<Component>,
    /// Ordered by the part they leave.
    edges: Vec<Edge>,
}

#[derive(Clone, Copy, Debug)]
struct Component {
    /// Mean position of the part's cells, in half cells.
    center: Pos,
    first_edge: u32,
    /// One of its cells.
    sample: Cell,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Edge {
    from: u16,
    sector: u32,
    part: u16,
}

impl Sectors {
    /// For sectors of a side; empty before the first [`Sectors::update`].
    pub fn new(side: u32) -> Self {
        Self {
            watch: SquareChanges::new(side),
            list: Vec::new(),
            part: Vec::new(),
            first: Vec::new(),
            owner: Vec::new(),
            scale: [0; 2],
            stack: Vec::new(),
            touched: Vec::new(),
        }
    }

    /// Makes this the sectors of a ground as it is now, and says how many sectors had to be labelled.
    pub fn update(&mut self, ground: &Ground) -> usize {
        if !self.watch.refresh(ground) {
            return 0;
        }
        let least = Cost::from(ground.profile().min_halves());
        let short = if ground.rules().four_way { moves::STRAIGHT } else { moves::DIAGONAL - moves::STRAIGHT };
        self.scale = [moves::STRAIGHT, short].map(|cost| cost / 4 * least);
        self.list.resize_with(self.watch.squares().count(), Sector::default);
        self.part.resize(ground.size().area(), NO_COMPONENT);
        for i in 0..self.watch.stale().len() {
            self.label(ground, self.watch.stale()[i]);
        }
        // Edges name parts by number, so the sectors around must learn the new numbers.
        let mut touched = std::mem::take(&mut self.touched);
        self.watch.squares().with_neighbours(self.watch.stale(), &mut touched);
        for &sector in &touched {
            self.connect(ground, sector);
        }
        self.touched = touched;
        self.number();
        self.watch.stale().len()
    }

    /// Finds the connected parts of a sector.
    fn label(&mut self, ground: &Ground, sector: u32) {
        let (min, max) = self.watch.squares().corners(sector);
        let width = ground.size().width() as i32;
        let index = |pos: Pos| (pos.y * width + pos.x) as usize;
        for y in min.y..=max.y {
            self.part[index(Pos::new(min.x, y))..=index(Pos::new(max.x, y))].fill(NO_COMPONENT);
        }
        let parts = &mut self.list[sector as usize].parts;
        parts.clear();
        for start in (min.y..=max.y).flat_map(|y| (min.x..=max.x).map(move |x| Pos::new(x, y))) {
            if self.part[index(start)] != NO_COMPONENT || !ground.rows().get(start) {
                continue;
            }
            let number = parts.len() as u16;
            let (mut sum, mut cells) = (Pos::new(0, 0), 0);
            self.part[index(start)] = number;
            self.stack.push(start);
            while let Some(pos) = self.stack.pop() {
                (sum.x, sum.y, cells) = (sum.x + pos.x, sum.y + pos.y, cells + 1);
                for direction in directions(ground.moves(Cell(index(pos) as u32))) {
                    let next = pos + direction;
                    let inside = (min.x..=max.x).contains(&next.x) && (min.y..=max.y).contains(&next.y);
                    if inside && self.part[index(next)] == NO_COMPONENT {
                        self.part[index(next)] = number;
                        self.stack.push(next);
                    }
                }
            }
            let center = Pos::new(2 * sum.x / cells, 2 * sum.y / cells);
            parts.push(Component { center, first_edge: 0, sample: Cell(index(start) as u32) });
        }
    }

    /// Finds the edges that leave a sector.
    fn connect(&mut self, ground: &Ground, sector: u32) {
        let (min, max) = self.watch.squares().corners(sector);
        let mut edges = std::mem::take(&mut self.list[sector as usize].edges);
        edges.clear();
        for y in min.y..=max.y {
            // Only the outermost cells have neighbours outside.
            let inner = y > min.y && y < max.y && max.x > min.x;
            let stride = if inner { (max.x - min.x) as usize } else { 1 };
            for x in (min.x..=max.x).step_by(stride) {
                let pos = Pos::new(x, y);
                let Some(cell) = ground.cell(pos) else { continue };
                for direction in directions(ground.moves(cell)) {
                    let (next, there) =
                        (ground.step(cell, direction), self.watch.squares().of(pos + direction));
                    if there != sector {
                        let (from, part) = (self.part[cell.index()], self.part[next.index()]);
                        edges.push(Edge { from, sector: there, part });
                    }
                }
            }
        }
        edges.sort_unstable();
        edges.dedup();
        let this = &mut self.list[sector as usize];
        for (number, part) in this.parts.iter_mut().enumerate() {
            part.first_edge = edges.partition_point(|edge| usize::from(edge.from) < number) as u32;
        }
        this.edges = edges;
    }

    /// Numbers the nodes anew.
    fn number(&mut self) {
        self.first.clear();
        self.owner.clear();
        for (sector, Sector { parts, .. }) in self.list.iter().enumerate() {
            self.first.push(self.owner.len() as u32);
            self.owner.resize(self.owner.len() + parts.len(), sector as u32);
        }
    }

    /// The node that a free cell belongs to.
    #[inline]
    pub fn node_of(&self, ground: &Ground, cell: Cell) -> u32 {
        let sector = self.watch.squares().of(ground.pos(cell));
        self.first[sector as usize] + u32::from(self.part[cell.index()])
    }

    /// Whether a free cell belongs to a node.
    #[inline]
    pub fn is_child(&self, ground: &Ground, node: u32, cell: Cell) -> bool {
        let first = self.first[self.owner[node as usize] as usize];
        // Most cells are told apart by their part alone.
        first + u32::from(self.part[cell.index()]) == node && self.node_of(ground, cell) == node
    }

    /// The sector of a node; sectors are numbered in row order.
    #[inline]
    pub fn sector(&self, node: u32) -> u32 {
        self.owner[node as usize]
    }

    /// The corners of a node's sector.
    pub fn corners(&self, node: u32) -> (Pos, Pos) {
        self.watch.squares().corners(self.owner[node as usize])
    }

    /// One of a node's cells.
    pub fn sample(&self, node: u32) -> Cell {
        let (sector, part) = self.part_of(node);
        sector.parts[part].sample
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.owner.len()
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        let sector = |sector: &Sector| {
            sector.parts.capacity() * size_of::<Component>() + sector.edges.capacity() * size_of::<Edge>()
        };
        let words = self.first.capacity() + self.owner.capacity() + self.touched.capacity();
        self.list.iter().map(sector).sum::<usize>()
            + self.list.capacity() * size_of::<Sector>()
            + self.part.capacity() * size_of::<u16>()
            + words * size_of::<u32>()
            + self.stack.capacity() * size_of::<Pos>()
            + self.watch.memory_bytes()
    }

    #[inline]
    fn part_of(&self, node: u32) -> (&Sector, usize) {
        let sector = self.owner[node as usize] as usize;
        (&self.list[sector], (node - self.first[sector]) as usize)
    }

    #[inline]
    fn center(&self, node: u32) -> Pos {
        let (sector, part) = self.part_of(node);
        sector.parts[part].center
    }

    /// The distance between two places given in half cells, on an empty map.
    #[inline]
    fn distance(&self, a: Pos, b: Pos) -> Cost {
        let (dx, dy) = (a.x.abs_diff(b.x), a.y.abs_diff(b.y));
        dx.max(dy) * self.scale[0] + dx.min(dy) * self.scale[1]
    }
}

/// The abstract graph as a search sees it.
#[derive(Clone, Copy, Debug)]
pub struct SectorGraph<'a>(pub &'a Sectors);

impl Space for SectorGraph<'_> {
    fn nodes(&self) -> usize {
        self.0.owner.len()
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let (sector, part) = self.0.part_of(at.node);
        let end = sector.parts.get(part + 1).map_or(sector.edges.len(), |next| next.first_edge as usize);
        let Component { center, first_edge, .. } = sector.parts[part];
        for edge in &sector.edges[first_edge as usize..end] {
            let there = self.0.list[edge.sector as usize].parts[usize::from(edge.part)].center;
            // Two parts can have one centre, but no edge is free.
            let cost = self.0.distance(center, there).max(1);
            let node = self.0.first[edge.sector as usize] + u32::from(edge.part);
            propose(Successor { node, g: at.known.g.saturating_add(cost), parent: at.node, tag: 0 });
        }
    }
}

/// The straight way between the centres of a node and the goal's node. Consistent.
#[derive(Clone, Copy, Debug)]
pub struct CenterDistance<'a> {
    sectors: &'a Sectors,
    goal: Pos,
}

impl<'a> CenterDistance<'a> {
    /// Towards a node.
    pub fn new(sectors: &'a Sectors, goal: u32) -> Self {
        Self { sectors, goal: sectors.center(goal) }
    }
}

impl Heuristic for CenterDistance<'_> {
    #[inline]
    fn lower(&mut self, node: u32) -> Cost {
        self.sectors.distance(self.sectors.center(node), self.goal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_grid::{Corners, Grid, MoveRules, Size, Terrain, Tiles};

    fn edges(sectors: &Sectors) -> Vec<(u32, u32)> {
        let mut edges = Vec::new();
        for (sector, Sector { edges: out, .. }) in sectors.list.iter().enumerate() {
            let node = |sector: usize, part: u16| sectors.first[sector] + u32::from(part);
            let ends = |edge: &Edge| (node(sector, edge.from), node(edge.sector as usize, edge.part));
            edges.extend(out.iter().map(ends));
        }
        edges
    }

    #[test]
    fn parts_of_a_sector_are_nodes_and_moves_between_them_edges() {
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

    #[test]
    fn an_edit_relabels_the_sector_it_is_in() {
        let tiles = Tiles::filled(Size::new(120, 120).unwrap(), Terrain::Ground);
        let mut grid = Grid::new(tiles, MoveRules::default());
        let mut sectors = Sectors::new(12);
        assert_eq!(sectors.update(grid.ground()), 100);
        for x in 24..36 {
            grid.block(Pos::new(x, 30));
        }
        assert_eq!(sectors.update(grid.ground()), 3, "the wall's sector and those its ends touch");
        assert_eq!(sectors.owner.len(), 101, "the wall cuts one sector in two");
        let mut fresh = Sectors::new(12);
        fresh.update(grid.ground());
        assert_eq!(edges(&sectors), edges(&fresh));
        assert_eq!(sectors.part, fresh.part);
    }
}
