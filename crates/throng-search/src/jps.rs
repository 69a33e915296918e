//! Jump point search: A* whose nodes are only the cells where a shortest path may have to turn.
//!
//! D. Harabor and A. Grastien, *Online Graph Pruning for Pathfinding on Grid Maps*, AAAI 2011, and *Improving Jump
//! Point Search*, ICAPS 2014. Straight jumps scan 64 cells at once over the ground's bitmaps, which edits keep current.
//! The end of a diagonal jump is not a node: the jump points that straight scans find beside the diagonal become
//! successors of the node where it began. An edge is a diagonal line followed by a straight line.

use throng_grid::{BitGrid, Cell, Corners, Cost, Direction, DirectionSet, Ground, Pos, directions};

use crate::best_first::{BestFirst, Status};
use crate::heuristic::OctileDistance;
use crate::node_store::{DenseStore, NO_NODE};
use crate::open_list::Heap;
use crate::path_search::{PathSearch, SearchResult, Trace};
use crate::registry::SearchInfo;
use crate::space::{Expansion, Space, Successor};

pub(crate) const INFO: SearchInfo = SearchInfo {
    name: "jps",
    summary: "jump point search: a shortest path on maps of uniform cost, with far fewer expansions than A*",
    idea: "Of all equally short paths between two turning points only one is followed, and only turning points are \
           nodes. Rows and columns are scanned 64 cells at a time over the grid's bitmaps. Nothing is precomputed, so \
           an edited map is searched as fast as an unedited one.",
    reference: "D. Harabor, A. Grastien: Online Graph Pruning for Pathfinding on Grid Maps. AAAI 2011; Improving \
                Jump Point Search. ICAPS 2014",
    parameters: &[],
    optimal: true,
    real_time: false,
    prepares: false,
    corners: &[Corners::Forbid, Corners::Allow],
    four_way: false,
    weighted_terrain: false,
    build: |_| Box::new(Jps::default()),
};

/// Jump point search.
#[derive(Clone, Debug, Default)]
pub struct Jps {
    search: BestFirst<DenseStore, Heap>,
}

impl Jps {
    /// Begins a time-sliced search; [`Jps::resume`] runs it.
    pub fn begin(&mut self, ground: &Ground, from: Cell, to: Cell) {
        let mut heuristic = OctileDistance::to_cell(ground, to);
        self.search.begin(&JumpSpace::<false>::new(ground, to));
        self.search.add_source(from.0, 0, &mut heuristic);
    }

    /// Runs at most `limit` expansions. Ground and goal must be those of [`Jps::begin`].
    pub fn resume(&mut self, ground: &Ground, to: Cell, limit: u64) -> Status {
        let mut heuristic = OctileDistance::to_cell(ground, to);
        let is_goal = |node| node == to.0;
        if ground.rules().corners == Corners::Allow {
            let mut space = JumpSpace::<true>::new(ground, to);
            self.search.resume(&mut space, &mut heuristic, is_goal, limit, &mut ())
        } else {
            let mut space = JumpSpace::<false>::new(ground, to);
            self.search.resume(&mut space, &mut heuristic, is_goal, limit, &mut ())
        }
    }

    /// Writes the path to the goal, after [`Jps::resume`] has returned [`Status::Found`].
    pub fn trace(&self, ground: &Ground, to: Cell, path: &mut Vec<Cell>) {
        self.search.trace(&JumpSpace::<false>::new(ground, to), to.0, path);
    }

    /// Returns the number of expansions since [`Jps::begin`].
    pub fn expansions(&self) -> u64 {
        self.search.expansions()
    }

    /// Returns the bytes held.
    pub fn memory_bytes(&self) -> usize {
        self.search.store().memory_bytes() + self.search.memory_bytes()
    }
}

impl PathSearch for Jps {
    fn find(&mut self, ground: &Ground, from: Cell, to: Cell, path: &mut Vec<Cell>) -> SearchResult {
        self.begin(ground, from, to);
        let mut cost = None;
        if let Status::Found(node) = self.resume(ground, to, u64::MAX) {
            self.trace(ground, to, path);
            cost = self.search.node(node).map(|node| node.g);
        }
        SearchResult { cost, lower_bound: self.search.lower_bound(), expansions: self.search.expansions() }
    }

    fn expanded(&self) -> &[u32] {
        self.search.closed()
    }

    fn set_tracing(&mut self, on: bool) {
        self.search.set_tracing(on);
    }

    fn trace(&self) -> Trace<'_> {
        Trace { bounds: self.search.bounds(), walk: None }
    }
}

/// The jump points of a ground for one goal. `CUT` is true if corners may be cut. The tag is the number of the
/// direction in which a node was reached.
struct JumpSpace<'a, const CUT: bool> {
    ground: &'a Ground,
    goal: ScanPosition,
    straight: Cost,
    diagonal: Cost,
}

/// A cell, and the positions of its bits in the ground's row and column bitmaps.
#[derive(Clone, Copy)]
struct ScanPosition {
    cell: u32,
    row_bit: usize,
    column_bit: usize,
}

impl<'a, const CUT: bool> JumpSpace<'a, CUT> {
    fn new(ground: &'a Ground, goal: Cell) -> Self {
        let [straight, diagonal] = ground.profile().min_step_costs();
        Self { ground, goal: ScanPosition::of(ground, goal.0), straight, diagonal }
    }

    /// Returns the natural and forced directions of a node, given the direction in which it was reached.
    fn natural(&self, at: Expansion) -> DirectionSet {
        if at.known.parent == NO_NODE {
            return DirectionSet::MAX;
        }
        let free = self.ground.rows().neighbours(self.ground.pos(Cell(at.node)));
        let came = Direction::from_number(at.known.tag());
        let is_free = |turn: i8| free & came.turned(turn).bit() != 0;
        let mut natural = if came.is_diagonal() { 0 } else { came.bit() };
        for side in [-1, 1] {
            if came.is_diagonal() {
                // The directions ahead were scanned from the start of the diagonal; only forced neighbours are new.
                if !is_free(3 * side) && is_free(2 * side) {
                    natural |= came.turned(2 * side).bit();
                }
            } else if CUT {
                if !is_free(2 * side) && is_free(side) {
                    natural |= came.turned(side).bit();
                }
            } else if !is_free(3 * side) && is_free(2 * side) {
                natural |= came.turned(2 * side).bit() | came.turned(side).bit();
            }
        }
        natural
    }

    /// Proposes the jump point straight ahead of a position with cost `g`, if there is one.
    #[inline]
    fn jump_straight(
        &self,
        from: ScanPosition,
        direction: Direction,
        (g, parent): (Cost, u32),
        propose: &mut impl FnMut(Successor),
    ) {
        let (rows, columns) = (self.ground.rows(), self.ground.columns());
        let (row_bit, column_bit) = (from.row_bit, from.column_bit);
        let steps = match direction {
            Direction::East => scan_up::<CUT>(rows, row_bit, self.goal.row_bit).map(|to| to - row_bit),
            Direction::West => scan_down::<CUT>(rows, row_bit, self.goal.row_bit).map(|to| row_bit - to),
            Direction::South => {
                scan_up::<CUT>(columns, column_bit, self.goal.column_bit).map(|to| to - column_bit)
            }
            _ => scan_down::<CUT>(columns, column_bit, self.goal.column_bit).map(|to| column_bit - to),
        };
        if let Some(steps) = steps {
            let offset = self.ground.offsets()[direction as usize].wrapping_mul(steps as i32);
            propose(Successor {
                node: from.cell.wrapping_add_signed(offset),
                g: g.saturating_add((steps as Cost).saturating_mul(self.straight)),
                parent,
                tag: direction.number(),
            });
        }
    }

    /// Follows a diagonal and proposes the jump points that straight scans find beside it.
    #[inline]
    fn jump_diagonal(
        &self,
        from: ScanPosition,
        direction: Direction,
        g: Cost,
        propose: &mut impl FnMut(Successor),
    ) {
        let (parent, mut at, mut g) = (from.cell, from, g);
        let (left, right) = (direction.turned(-1), direction.turned(1));
        let mut moves = self.ground.moves(Cell(at.cell));
        while moves & direction.bit() != 0 {
            at = at.moved(self.ground, direction);
            g = g.saturating_add(self.diagonal);
            moves = self.ground.moves(Cell(at.cell));
            let here = Successor { node: at.cell, g, parent, tag: direction.number() };
            if at.cell == self.goal.cell {
                return propose(here);
            }
            // If corners may be cut, every free neighbour is a legal move.
            let is_free = |turn: i8| moves & direction.turned(turn).bit() != 0;
            if CUT && [-1, 1].iter().any(|side| !is_free(3 * side) && is_free(2 * side)) {
                propose(here);
            }
            if moves & left.bit() != 0 {
                self.jump_straight(at, left, (g, parent), propose);
            }
            if moves & right.bit() != 0 {
                self.jump_straight(at, right, (g, parent), propose);
            }
        }
    }
}

impl ScanPosition {
    fn of(ground: &Ground, cell: u32) -> Self {
        let pos = ground.pos(Cell(cell));
        Self {
            cell,
            row_bit: ground.rows().bit(pos.x, pos.y),
            column_bit: ground.columns().bit(pos.y, pos.x),
        }
    }

    #[inline]
    fn moved(self, ground: &Ground, direction: Direction) -> Self {
        let (dx, dy) = (direction.dx() as isize, direction.dy() as isize);
        let (row, column) = (ground.rows().stride() as isize * 64, ground.columns().stride() as isize * 64);
        Self {
            cell: self.cell.wrapping_add_signed(ground.offsets()[direction as usize]),
            row_bit: self.row_bit.wrapping_add_signed(dy.wrapping_mul(row).wrapping_add(dx)),
            column_bit: self.column_bit.wrapping_add_signed(dx.wrapping_mul(column).wrapping_add(dy)),
        }
    }
}

impl<const CUT: bool> Space for JumpSpace<'_, CUT> {
    fn nodes(&self) -> usize {
        self.ground.size().area()
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let from = ScanPosition::of(self.ground, at.node);
        for direction in directions(self.natural(at) & self.ground.moves(Cell(at.node))) {
            if direction.is_diagonal() {
                self.jump_diagonal(from, direction, at.known.g, &mut propose);
            } else {
                self.jump_straight(from, direction, (at.known.g, at.node), &mut propose);
            }
        }
    }

    fn unpack(&self, parent: u32, node: u32, _: u8, cells: &mut Vec<Cell>) {
        let (mut at, to) = (self.ground.pos(Cell(parent)), self.ground.pos(Cell(node)));
        let mut cell = parent;
        while at != to {
            let step = Pos::new((to.x - at.x).signum(), (to.y - at.y).signum());
            at = Pos::new(at.x + step.x, at.y + step.y);
            cell = cell.wrapping_add_signed(step.y * self.ground.size().width() as i32 + step.x);
            cells.push(Cell(cell));
        }
    }
}

/// Scans a row towards higher bits for the goal or the first cell with a forced neighbour in one of the two
/// neighbouring rows. Returns `None` if a wall comes first. A goal in another row is never between the bit and the
/// wall.
///
/// If corners must not be cut, a path may turn beside the first free cell after a wall in a neighbouring row; if they
/// may be cut, beside the last cell of that wall.
#[inline]
fn scan_up<const CUT: bool>(bits: &BitGrid, bit: usize, goal: usize) -> Option<usize> {
    let (words, stride) = (bits.words(), bits.stride());
    let mut ahead = (u64::MAX << 1) << (bit & 63);
    let mut word = bit >> 6;
    loop {
        let turn = |at: usize| {
            if CUT {
                !words[at] & (words[at] >> 1 | words[at + 1] << 63)
            } else {
                words[at] & !(words[at] << 1 | words[at - 1] >> 63)
            }
        };
        let stop = (!words[word] | turn(word - stride) | turn(word + stride)) & ahead;
        if stop != 0 {
            let to = word << 6 | stop.trailing_zeros() as usize;
            if goal > bit && goal <= to {
                return Some(goal);
            }
            return (words[word] >> (to & 63) & 1 == 1).then_some(to);
        }
        ahead = u64::MAX;
        word += 1;
    }
}

/// Scans a row towards lower bits, like [`scan_up`].
#[inline]
fn scan_down<const CUT: bool>(bits: &BitGrid, bit: usize, goal: usize) -> Option<usize> {
    let (words, stride) = (bits.words(), bits.stride());
    let mut ahead = (1 << (bit & 63)) - 1;
    let mut word = bit >> 6;
    loop {
        let turn = |at: usize| {
            if CUT {
                !words[at] & (words[at] << 1 | words[at - 1] >> 63)
            } else {
                words[at] & !(words[at] >> 1 | words[at + 1] << 63)
            }
        };
        let stop = (!words[word] | turn(word - stride) | turn(word + stride)) & ahead;
        if stop != 0 {
            let to = word << 6 | (63 - stop.leading_zeros() as usize);
            if goal < bit && goal >= to {
                return Some(goal);
            }
            return (words[word] >> (to & 63) & 1 == 1).then_some(to);
        }
        ahead = u64::MAX;
        word -= 1;
    }
}
