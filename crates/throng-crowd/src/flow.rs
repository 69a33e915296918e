//! One-way streets: the flow annotations of FAR.
//!
//! The original graph loses most of its edges and keeps directions for the rest: even rows lead west and odd ones
//! east, even columns north and odd ones south, counted from 0. Corridors (edges at a cell with at most two moves)
//! stay open both ways. A cell that nothing leads out of gets its diagonals outwards, one that nothing leads into
//! gets them inwards.
//!
//! K.-H. C. Wang, A. Botea, *Fast and Memory-Efficient Multi-Agent Pathfinding*, ICAPS 2008; as D. Sigurdson et al.,
//! *Multi-Agent Pathfinding with Real-Time Heuristic Search*, CIG 2018, tell it. There, edges around sinks and
//! sources that lie close to each other are opened by local rules. These do not suffice on half of the paper's maps,
//! so here the strongly connected components decide: original edges are opened both ways, straight ones first, until
//! every two cells that could reach each other can do so again. It is done at once, not cell by cell on demand, and
//! depends on the ground alone.

use throng_grid::{Cell, Direction, DirectionSet, Ground, Profile, directions};

const STRAIGHTS: DirectionSet = 0b0101_0101;
const DIAGONALS: DirectionSet = !STRAIGHTS;

/// The moves of a ground that are left to agents who keep to the one-way streets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flow {
    /// Moves out of each cell.
    out: Vec<DirectionSet>,
    /// Where moves into each cell come from.
    into: Vec<DirectionSet>,
    profile: Profile,
    fingerprint: u64,
    repairs: usize,
}

impl Flow {
    /// The flow of a ground as it is now. O(cells).
    pub fn of(ground: &Ground) -> Self {
        let cells = ground.size().area();
        let mut flow = Self {
            out: vec![0; cells],
            into: vec![0; cells],
            profile: ground.profile(),
            fingerprint: ground.fingerprint(),
            repairs: 0,
        };
        let ends = flow.lay_streets(ground);
        flow.open_ends(ground, ends);
        flow.repair(ground);
        flow
    }

    /// Whether this is the flow of that ground as it is now.
    pub fn is_current(&self, ground: &Ground) -> bool {
        self.fingerprint == ground.fingerprint() && self.profile == ground.profile()
    }

    /// Whose view of the map it was made from.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The moves out of a cell: some of the ground's.
    #[inline]
    pub fn moves(&self, cell: Cell) -> DirectionSet {
        self.out[cell.index()]
    }

    /// The directions in which the cells lie that a move leads from into this cell: what a search backwards expands.
    #[inline]
    pub fn reverse_moves(&self, cell: Cell) -> DirectionSet {
        self.into[cell.index()]
    }

    /// How many edges had to be opened both ways to keep everything connected.
    pub fn repairs(&self) -> usize {
        self.repairs
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.out.capacity() + self.into.capacity()
    }

    /// Rows, columns and corridors. Gives the cells that they do not lead out of, and those they do not lead into.
    fn lay_streets(&mut self, ground: &Ground) -> [Vec<Cell>; 2] {
        let (mut sinks, mut sources) = (Vec::new(), Vec::new());
        let mut cell = Cell(0);
        for y in 0..ground.size().height() {
            for x in 0..ground.size().width() {
                let legal = ground.moves(cell);
                if legal != 0 {
                    let (streets, open) = (streets(x, y), corridors(ground, cell, legal));
                    let (out, into) = (legal & (streets | open), legal & (streets.rotate_left(4) | open));
                    self.out[cell.index()] = out;
                    self.into[cell.index()] = into;
                    sinks.extend((out == 0).then_some(cell));
                    sources.extend((into == 0).then_some(cell));
                }
                cell.0 += 1;
            }
        }
        [sinks, sources]
    }

    /// Diagonals out of sinks and into sources.
    fn open_ends(&mut self, ground: &Ground, [sinks, sources]: [Vec<Cell>; 2]) {
        for sink in sinks {
            for direction in directions(ground.moves(sink) & DIAGONALS) {
                self.open(ground, sink, direction);
            }
        }
        for source in sources {
            for direction in directions(ground.moves(source) & DIAGONALS) {
                self.open(ground, ground.step(source, direction), direction.opposite());
            }
        }
    }

    /// Lets a move through.
    fn open(&mut self, ground: &Ground, from: Cell, direction: Direction) {
        self.out[from.index()] |= direction.bit();
        self.into[ground.step(from, direction).index()] |= direction.opposite().bit();
    }

    /// Opens edges between strongly connected components both ways until each component of the ground is one.
    fn repair(&mut self, ground: &Ground) {
        let strong = Strong::of(ground, &self.out);
        let mut left = strong.count - ground.components().count();
        let mut joined: Vec<u32> = (0..strong.count as u32).collect();
        for kind in [STRAIGHTS, DIAGONALS] {
            for cell in ground.size().cells() {
                if left == 0 {
                    return;
                }
                // Half of the directions, so that each edge comes once.
                for direction in directions(ground.moves(cell) & kind & 0b0011_1100) {
                    let to = ground.step(cell, direction);
                    let (a, b) = (find(&mut joined, strong.label(cell)), find(&mut joined, strong.label(to)));
                    if a != b {
                        joined[a.max(b) as usize] = a.min(b);
                        self.open(ground, cell, direction);
                        self.open(ground, to, direction.opposite());
                        self.repairs += 1;
                        left -= 1;
                    }
                }
            }
        }
    }
}

/// The directions of the row and the column of a place.
const fn streets(x: u32, y: u32) -> DirectionSet {
    let row = if y.is_multiple_of(2) { Direction::West } else { Direction::East };
    let column = if x.is_multiple_of(2) { Direction::North } else { Direction::South };
    row.bit() | column.bit()
}

/// The moves of a cell that belong to corridors: one of their ends has no other move but one.
fn corridors(ground: &Ground, cell: Cell, legal: DirectionSet) -> DirectionSet {
    let narrow = |moves: DirectionSet| moves.count_ones() <= 2;
    if narrow(legal) {
        return legal;
    }
    // The neighbours of a cell without walls around it lead to each other.
    if legal == DirectionSet::MAX {
        return 0;
    }
    let lead = directions(legal).filter(|&direction| narrow(ground.moves(ground.step(cell, direction))));
    lead.fold(0, |set, direction| set | direction.bit())
}

/// The representative of a set, its path halved on the way.
fn find(joined: &mut [u32], mut set: u32) -> u32 {
    while joined[set as usize] != set {
        joined[set as usize] = joined[joined[set as usize] as usize];
        set = joined[set as usize];
    }
    set
}

/// Strongly connected components, by the one-array form of Tarjan's algorithm: D. J. Pearce, *A Space-Efficient
/// Algorithm for Finding Strongly Connected Components*, Information Processing Letters 116(1), 2016.
struct Strong {
    /// While a component is open: the earliest cell that is known to be reachable, numbered upwards from 1.
    /// Afterwards: the component, numbered downwards from [`u32::MAX`].
    rank: Vec<u32>,
    count: usize,
}

/// A cell on the way down, the moves not tried yet, and whether nothing earlier has been reached.
struct Visit {
    cell: Cell,
    left: DirectionSet,
    root: bool,
}

impl Strong {
    fn of(ground: &Ground, moves: &[DirectionSet]) -> Self {
        let mut strong = Self { rank: vec![0; moves.len()], count: 0 };
        let (mut way, mut open) = (Vec::new(), Vec::new());
        let mut next = 1;
        for start in ground.free_cells() {
            if strong.rank[start.index()] == 0 {
                strong.visit(ground, moves, start, (&mut way, &mut open), &mut next);
            }
        }
        strong
    }

    fn label(&self, cell: Cell) -> u32 {
        u32::MAX - self.rank[cell.index()]
    }

    fn visit(
        &mut self,
        ground: &Ground,
        moves: &[DirectionSet],
        start: Cell,
        (way, open): (&mut Vec<Visit>, &mut Vec<Cell>),
        next: &mut u32,
    ) {
        let enter = |rank: &mut [u32], next: &mut u32, cell: Cell| {
            rank[cell.index()] = *next;
            *next += 1;
            Visit { cell, left: moves[cell.index()], root: true }
        };
        way.push(enter(&mut self.rank, next, start));
        while let Some(visit) = way.last_mut() {
            let cell = visit.cell;
            if visit.left != 0 {
                let to = ground.step(cell, Direction::from_number(visit.left.trailing_zeros() as u8));
                let rank = self.rank[to.index()];
                if rank == 0 {
                    // The move stays in the set: it is looked at again when its end has been visited.
                    way.push(enter(&mut self.rank, next, to));
                    continue;
                }
                visit.left &= visit.left - 1;
                if rank < self.rank[cell.index()] {
                    self.rank[cell.index()] = rank;
                    visit.root = false;
                }
                continue;
            }
            if visit.root {
                self.close(cell, open, next);
            } else {
                open.push(cell);
            }
            way.pop();
        }
    }

    /// A component is complete: its first cell, and all that were left open since.
    fn close(&mut self, root: Cell, open: &mut Vec<Cell>, next: &mut u32) {
        let (first, label) = (self.rank[root.index()], u32::MAX - self.count as u32);
        while let Some(&cell) = open.last().filter(|cell| self.rank[cell.index()] >= first) {
            open.pop();
            self.rank[cell.index()] = label;
            *next -= 1;
        }
        self.rank[root.index()] = label;
        *next -= 1;
        self.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_grid::{Grid, MoveRules, Tiles};

    fn flow(picture: &str) -> (Grid, Flow) {
        let grid = Grid::new(Tiles::picture(picture), MoveRules::default());
        let flow = Flow::of(grid.ground());
        (grid, flow)
    }

    fn set(directions: &[Direction]) -> DirectionSet {
        directions.iter().fold(0, |set, direction| set | direction.bit())
    }

    #[test]
    fn rows_and_columns_alternate() {
        let (grid, flow) = flow("......\n......\n......\n......\n......\n......");
        let at = |x, y| flow.moves(grid.cell(throng_grid::Pos::new(x, y)).unwrap());
        assert_eq!(at(2, 2), set(&[Direction::West, Direction::North]));
        assert_eq!(at(3, 2), set(&[Direction::West, Direction::South]));
        assert_eq!(at(2, 3), set(&[Direction::East, Direction::North]));
        assert_eq!(at(3, 3), set(&[Direction::East, Direction::South]));
        // The upper left corner is a sink, and the lower left one is none.
        assert_eq!(at(0, 0), Direction::SouthEast.bit());
        assert_eq!(at(0, 5), set(&[Direction::East, Direction::North]));
        assert_eq!(flow.repairs(), 0);
    }

    #[test]
    fn corridors_stay_open_both_ways() {
        let (grid, flow) = flow(
            "###..
             .....
             ###..",
        );
        let at = |x, y| flow.moves(grid.cell(throng_grid::Pos::new(x, y)).unwrap());
        assert_eq!(at(0, 1), Direction::East.bit());
        assert_eq!(at(1, 1), set(&[Direction::East, Direction::West]));
        assert!(at(3, 1) & Direction::West.bit() != 0, "the way into the corridor");
    }

    #[test]
    fn backwards_is_the_reverse_of_forwards() {
        let (grid, flow) = flow("....#..\n.#.....\n...#...\n##....#\n.......");
        let ground = grid.ground();
        for cell in ground.free_cells() {
            for (direction, to) in ground.neighbours(cell) {
                let there = flow.moves(cell) & direction.bit() != 0;
                let back = flow.reverse_moves(to) & direction.opposite().bit() != 0;
                assert_eq!(there, back);
            }
            assert_eq!(flow.moves(cell) & !ground.moves(cell), 0);
            assert_eq!(flow.reverse_moves(cell) & !ground.moves(cell), 0);
        }
    }

    #[test]
    fn an_edit_makes_it_stale_and_its_undoing_current_again() {
        let (mut grid, flow) = flow(".....\n.....\n.....");
        assert!(flow.is_current(grid.ground()));
        grid.block(throng_grid::Pos::new(2, 1));
        assert!(!flow.is_current(grid.ground()));
        grid.unblock(throng_grid::Pos::new(2, 1));
        assert!(flow.is_current(grid.ground()));
    }
}
