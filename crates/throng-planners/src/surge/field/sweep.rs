//! The sweep that finds the distances of a field: Dijkstra's algorithm from the end of its stretch, inside the corridor.
//!
//! Nodes are numbered by square and cell, so that a sweep needs as little memory as the field. It can be run in slices.

use throng_grid::{Cell, Cost, Direction, DirectionSet, Ground, Pos};
use throng_search::open_list::TwoQueues;
use throng_search::{
    BestFirst, Blind, DenseStore, Expansion, NO_NODE, Node, Probe, Space, Status, Successor, f_range,
    useful_moves,
};

use super::{Field, SQUARE, wrap};

/// By the direction of arrival and the legal moves: the moves that can lead to a cheaper path. Valid for corridors, which
/// block cells that are free on the ground.
static USEFUL: [[DirectionSet; 256]; 9] = useful_moves(true);

/// The search that finds a field's distances.
pub(in super::super) type Sweep = BestFirst<DenseStore, TwoQueues>;

impl Field {
    /// Starts a sweep from the end of the stretch.
    pub(in super::super) fn begin_sweep(&self, ground: &Ground, sweep: &mut Sweep) {
        sweep.begin(&self.corridor(ground, &[]));
        if let Some((end, beyond)) = self.path.end()
            && let Some((square, cell)) = self.slot(ground.pos(end))
        {
            sweep.add_source((square * SQUARE + cell) as u32, beyond, &mut Blind);
        }
    }

    /// Continues a sweep by at most `limit` expansions.
    pub(in super::super) fn sweep_on(
        &mut self,
        ground: &Ground,
        squares: &[Pos],
        sweep: &mut Sweep,
        limit: u64,
    ) -> Status {
        let mut values = std::mem::take(&mut self.values);
        let mut found = StoreDistances { values: &mut values, shift: f_range(ground).1 };
        let mut space = self.corridor(ground, squares);
        let status = sweep.resume(&mut space, &mut Blind, |_| false, limit, &mut found);
        self.values = values;
        if status != Status::Paused {
            self.path.drop_if_last_stretch();
        }
        status
    }

    fn corridor<'a>(&'a self, ground: &'a Ground, squares: &'a [Pos]) -> Corridor<'a> {
        let costs = ground.profile().min_step_costs();
        Corridor { ground, field: self, squares, costs, uniform: ground.halves().is_empty() }
    }
}

/// The moves inside a corridor. A node is the number of a square times 64, plus a cell of it.
struct Corridor<'a> {
    ground: &'a Ground,
    field: &'a Field,
    /// The first cell of each square.
    squares: &'a [Pos],
    costs: [Cost; 2],
    uniform: bool,
}

impl Space for Corridor<'_> {
    fn nodes(&self) -> usize {
        self.field.masks.len() * SQUARE
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let (square, place) = (at.node as usize / SQUARE, (at.node % SQUARE as u32) as i32);
        let (begin, x, y) = (self.squares[square], place & 7, place >> 3);
        let cell = Cell((begin.y + y) as u32 * self.ground.size().width() + (begin.x + x) as u32);
        let mut moves = self.ground.moves(cell);
        if self.uniform {
            let came = if at.known.parent == NO_NODE { 8 } else { at.known.tag() & 7 };
            moves = USEFUL[came as usize][moves as usize];
        }
        let mask = self.field.masks[square];
        while moves != 0 {
            let number = moves.trailing_zeros() as u8;
            moves &= moves - 1;
            let direction = Direction::from_number(number);
            let (to_x, to_y) = (x + direction.dx(), y + direction.dy());
            let (next, place, mask) = if (to_x | to_y) & !7 == 0 {
                (square, (to_y << 3 | to_x) as usize, mask)
            } else {
                let pos = Pos::new(begin.x + to_x, begin.y + to_y);
                let Some((next, place)) = self.field.slot(pos) else { continue };
                (next, place, self.field.masks[next])
            };
            if mask >> place & 1 == 0 {
                continue;
            }
            let cost = if self.uniform {
                self.costs[number as usize & 1]
            } else {
                self.ground.cost(cell, direction)
            };
            propose(Successor {
                node: (next * SQUARE + place) as u32,
                g: at.known.g.saturating_add(cost),
                parent: at.node,
                tag: number,
            });
        }
    }
}

/// Stores the distances that a sweep finds, divided by a common divisor of all costs.
struct StoreDistances<'a> {
    values: &'a mut [u16],
    shift: u32,
}

impl Probe for StoreDistances<'_> {
    #[inline]
    fn expanded(&mut self, node: u32, known: Node) {
        self.values[node as usize] = wrap(known.g >> self.shift);
    }
}
