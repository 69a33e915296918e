//! The coarse graph of a map: regions of 16×16 cells, split by connected components, and borders between them.
//!
//! After N. R. Sturtevant, *Memory-Efficient Abstractions for Pathfinding*, AIIDE 2007, like `Sectors` of
//! `throng-search`. Departures: it is built in slices, the edges are one flat table, and each edge knows how many
//! agents can cross its border at a time, because features measure load relative to width.

use throng_grid::{Cell, Cost, Direction, Ground, Pos};
use throng_search::{Expansion, Heuristic, Space, Successor};

/// Side of the squares in cells. Coarser squares make searches cheaper and hide narrow passages inside of squares.
const SIDE: u32 = 16;

/// The region of a cell that is not free.
const NO_REGION: u32 = u32::MAX;

/// Length of a straight step in tenths of a cell, and what a diagonal step adds.
const STRAIGHT: u32 = 10;
const EXTRA: u32 = 4;

/// A connected part of a square.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Region {
    /// Mean position of the cells, in half cells.
    pub(super) center: Pos,
    /// Number of cells.
    pub(super) cells: u32,
    /// Number of the first edge that leaves the region.
    pub(super) first_edge: u32,
}

/// A border between two regions, seen from one of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Edge {
    /// The region on the other side.
    pub(super) to: u32,
    /// Number of cells along the border from which a straight move crosses it; for regions of diagonal squares, the
    /// width of the wider passage through a common neighbour, at least 1.
    pub(super) width: u32,
    /// Distance of the two centres in tenths of a cell, at least 1.
    pub(super) length: Cost,
}

/// Regions and borders of a map.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct CoarseGraph {
    four_way: bool,
    /// The region of each cell, [`NO_REGION`] if it is not free.
    region: Vec<u32>,
    pub(super) regions: Vec<Region>,
    /// Edges, by the region that they leave and then by the region that they enter.
    pub(super) edges: Vec<Edge>,
}

impl CoarseGraph {
    /// Returns the region of a cell, `None` if the cell is not free.
    pub(super) fn region_of(&self, cell: Cell) -> Option<u32> {
        self.region.get(cell.index()).copied().filter(|&region| region != NO_REGION)
    }

    /// Returns the numbers of the edges that leave a region.
    pub(super) fn edges_of(&self, region: u32) -> std::ops::Range<usize> {
        let end =
            self.regions.get(region as usize + 1).map_or(self.edges.len(), |next| next.first_edge as usize);
        self.regions[region as usize].first_edge as usize..end
    }

    /// Returns the number of the edge between two adjacent regions.
    pub(super) fn edge_between(&self, from: u32, to: u32) -> Option<usize> {
        self.edges_of(from).find(|&edge| self.edges[edge].to == to)
    }

    /// Returns the distance of two regions on an empty map, in tenths of a cell.
    pub(super) fn distance(&self, from: u32, to: u32) -> Cost {
        let [a, b] = [from, to].map(|region| self.regions[region as usize].center);
        length(self.four_way, a, b)
    }
}

/// Returns the distance on an empty map of two positions in half cells, in tenths of a cell.
fn length(four_way: bool, a: Pos, b: Pos) -> Cost {
    let (dx, dy) = (a.x.abs_diff(b.x), a.y.abs_diff(b.y));
    let extra = if four_way { STRAIGHT } else { EXTRA };
    // Per half cell.
    let (long, short) = (STRAIGHT / 2, extra / 2);
    dx.max(dy) * long + dx.min(dy) * short
}

/// Returns the distance on an empty map of two cells, in tenths of a cell.
pub(super) fn octile(ground: &Ground, from: Cell, to: Cell) -> Cost {
    let [a, b] = [from, to].map(|cell| {
        let pos = ground.pos(cell);
        Pos::new(2 * pos.x, 2 * pos.y)
    });
    length(ground.rules().four_way, a, b)
}

impl Space for &CoarseGraph {
    fn nodes(&self) -> usize {
        self.regions.len()
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        for edge in &self.edges[self.edges_of(at.node)] {
            propose(Successor { node: edge.to, g: at.known.g + edge.length, parent: at.node, tag: 0 });
        }
    }
}

/// The distance of a region's centre to that of the goal's region on an empty map. Consistent up to the rounding of
/// half cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct CenterDistance<'a> {
    pub(super) graph: &'a CoarseGraph,
    pub(super) goal: u32,
}

impl Heuristic for CenterDistance<'_> {
    #[inline]
    fn lower(&mut self, region: u32) -> Cost {
        self.graph.distance(region, self.goal)
    }
}

/// Builds a coarse graph square by square: first the regions of all squares, then their borders.
#[derive(Clone, Debug)]
pub(super) struct CoarseBuilder {
    graph: CoarseGraph,
    /// Squares per row, and in all.
    squares: [u32; 2],
    /// Number of squares whose regions are labelled, and of squares whose borders are measured.
    done: [u32; 2],
    /// The first region of each square.
    first_region: Vec<u32>,
    /// Per label of the square: a smaller label that it was joined with, or itself.
    joined: Vec<u32>,
    /// Per region of the square: the sum of the positions of its cells, and their number.
    sums: Vec<(Pos, i32)>,
    /// The moves out of one region: the region that a move enters, and 1 if the move is straight.
    crossings: Vec<(u32, u32, u32)>,
}

impl CoarseBuilder {
    pub(super) fn new(ground: &Ground) -> Self {
        let size = ground.size();
        let columns = size.width().div_ceil(SIDE);
        Self {
            graph: CoarseGraph {
                four_way: ground.rules().four_way,
                region: vec![NO_REGION; size.area()],
                regions: Vec::new(),
                edges: Vec::new(),
            },
            squares: [columns, columns * size.height().div_ceil(SIDE)],
            done: [0; 2],
            first_region: Vec::new(),
            joined: Vec::new(),
            sums: Vec::new(),
            crossings: Vec::new(),
        }
    }

    /// Works on one square. Returns the number of cells read, 0 if the graph is complete.
    pub(super) fn step(&mut self, ground: &Ground) -> usize {
        let [labelled, measured] = self.done;
        if labelled < self.squares[1] {
            self.first_region.push(self.graph.regions.len() as u32);
            self.label(ground, labelled);
            self.done[0] += 1;
            return (SIDE * SIDE) as usize;
        }
        if measured < self.squares[1] {
            self.measure(ground, measured);
            self.done[1] += 1;
            if self.done[1] == self.squares[1] {
                widen_diagonals(&mut self.graph);
            }
            return (4 * SIDE) as usize;
        }
        0
    }

    /// Returns the graph as far as it is built.
    pub(super) fn graph(&self) -> &CoarseGraph {
        &self.graph
    }

    /// Returns the graph.
    pub(super) fn finish(self) -> CoarseGraph {
        self.graph
    }

    /// Returns the first and last position of a square.
    fn corners(&self, ground: &Ground, square: u32) -> (Pos, Pos) {
        let (x, y) = (square % self.squares[0] * SIDE, square / self.squares[0] * SIDE);
        let last = SIDE as i32 - 1;
        let min = Pos::new(x as i32, y as i32);
        ground.size().clipped(min, Pos::new(min.x + last, min.y + last))
    }

    /// Labels the regions of a square, in the order of their first cells. Each cell takes the label of a neighbour before
    /// it in row order that it has a legal move to; labels that meet are joined (A. Rosenfeld, J. L. Pfaltz, *Sequential
    /// Operations in Digital Picture Processing*, Journal of the ACM 13(4), 1966). Legal moves are symmetric.
    fn label(&mut self, ground: &Ground, square: u32) {
        let (min, max) = self.corners(ground, square);
        let width = ground.size().width() as usize;
        let (first, last) = (min.x as usize, max.x as usize);
        self.joined.clear();
        for y in min.y as usize..=max.y as usize {
            let words = ground.rows().row(y as u32);
            for x in first..=last {
                if words[x / 64] >> (x % 64) & 1 == 0 {
                    continue;
                }
                let cell = y * width + x;
                let mut label = NO_REGION;
                let mut join = |other: u32| {
                    let other = root(&mut self.joined, other);
                    if label != NO_REGION && label != other {
                        self.joined[label.max(other) as usize] = label.min(other);
                    }
                    label = label.min(other);
                };
                let moves = ground.moves(Cell(cell as u32));
                let legal = |direction: Direction| moves >> direction as u8 & 1 == 1;
                if x > first && legal(Direction::West) {
                    join(self.graph.region[cell - 1]);
                }
                if y > min.y as usize {
                    let above = cell - width;
                    if legal(Direction::North) {
                        join(self.graph.region[above]);
                    }
                    if x > first && legal(Direction::NorthWest) {
                        join(self.graph.region[above - 1]);
                    }
                    if x < last && legal(Direction::NorthEast) {
                        join(self.graph.region[above + 1]);
                    }
                }
                if label == NO_REGION {
                    label = self.joined.len() as u32;
                    self.joined.push(label);
                }
                self.graph.region[cell] = label;
            }
        }
        self.number_regions(min, max, width);
    }

    /// Replaces the labels of a square by the numbers of its regions, and adds the regions.
    fn number_regions(&mut self, min: Pos, max: Pos, width: usize) {
        let before = self.graph.regions.len() as u32;
        let mut count = 0;
        // A label is joined to a smaller one, whose number is known.
        for label in 0..self.joined.len() {
            let to = self.joined[label] as usize;
            self.joined[label] = if to == label { count } else { self.joined[to] };
            count += u32::from(to == label);
        }
        self.sums.clear();
        self.sums.resize(count as usize, (Pos::new(0, 0), 0));
        for y in min.y..=max.y {
            let row = y as usize * width;
            let cells = &mut self.graph.region[row + min.x as usize..=row + max.x as usize];
            for (x, region) in (min.x..).zip(cells).filter(|(_, region)| **region != NO_REGION) {
                let number = self.joined[*region as usize];
                *region = before + number;
                let (sum, cells) = &mut self.sums[number as usize];
                (sum.x, sum.y, *cells) = (sum.x + x, sum.y + y, *cells + 1);
            }
        }
        self.graph.regions.extend(self.sums.iter().map(|&(sum, cells)| {
            let center = Pos::new(2 * sum.x / cells, 2 * sum.y / cells);
            Region { center, cells: cells as u32, first_edge: 0 }
        }));
    }

    /// Collects the edges that leave the regions of a square.
    fn measure(&mut self, ground: &Ground, square: u32) {
        let (min, max) = self.corners(ground, square);
        self.crossings.clear();
        for y in min.y..=max.y {
            // Only cells at the square's border have neighbours outside.
            let inner = y > min.y && y < max.y && max.x > min.x;
            let stride = if inner { (max.x - min.x) as usize } else { 1 };
            for x in (min.x..=max.x).step_by(stride) {
                let Some(cell) = ground.cell(Pos::new(x, y)) else { continue };
                let from = self.graph.region[cell.index()];
                for (direction, next) in ground.neighbours(cell) {
                    let pos = Pos::new(x, y) + direction;
                    if !(min.x..=max.x).contains(&pos.x) || !(min.y..=max.y).contains(&pos.y) {
                        let to = self.graph.region[next.index()];
                        self.crossings.push((from, to, u32::from(!Direction::is_diagonal(direction))));
                    }
                }
            }
        }
        self.crossings.sort_unstable();
        let first = self.first_region[square as usize];
        let end = self
            .first_region
            .get(square as usize + 1)
            .map_or(self.graph.regions.len(), |&next| next as usize);
        let mut crossings = self.crossings.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).peekable();
        for region in first..end as u32 {
            self.graph.regions[region as usize].first_edge = self.graph.edges.len() as u32;
            while let Some(crossing) = crossings.next_if(|crossing| crossing[0].0 == region) {
                let to = crossing[0].1;
                let width = crossing.iter().map(|&(_, _, straight)| straight).sum();
                let length = self.graph.distance(region, to).max(1);
                self.graph.edges.push(Edge { to, width, length });
            }
        }
    }
}

/// Returns the smallest label that a label was joined with, and shortens the chain to it.
fn root(joined: &mut [u32], mut label: u32) -> u32 {
    while joined[label as usize] != label {
        joined[label as usize] = joined[joined[label as usize] as usize];
        label = joined[label as usize];
    }
    label
}

/// Sets the width of the edges that no straight move crosses.
fn widen_diagonals(graph: &mut CoarseGraph) {
    for region in 0..graph.regions.len() as u32 {
        for edge in graph.edges_of(region) {
            if graph.edges[edge].width > 0 {
                continue;
            }
            let to = graph.edges[edge].to;
            let through = |first: &Edge| {
                let second = graph.edge_between(first.to, to).map_or(0, |edge| graph.edges[edge].width);
                first.width.min(second)
            };
            let widest = graph.edges[graph.edges_of(region)].iter().map(through).max();
            graph.edges[edge].width = widest.unwrap_or(0).max(1);
        }
    }
}
