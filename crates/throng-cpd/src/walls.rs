//! Following a wall, cell by cell, to where there is something to decide.
//!
//! E. Shi, *Dynamic Pathfinding in Video Games*, Monash University, section 4.2.4. A successor along the wall is a legal
//! move to a cell that shares a wall cell with this one and is not beside the cell before it. A branching node is where
//! there are several, or where the database's way is stopped by something else than where the walk began.
//!
//! The report leaves open what a dead end is: it is a branching node here, since nothing else would look at it; under
//! rules that do not let one cut the corners of new walls, every corner is one, as the report demands.

use throng_grid::{Cell, Cost, Direction, DirectionSet, Ground, directions};

use crate::oracle::{Oracle, Way};

/// When two cells are stopped by the same perturbation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Same {
    /// When the ways of both end at the same cell: the report's definition.
    Cell,
    /// When both are stopped by walls that touch: what its section 6.1.2 proposes.
    Area,
}

/// The end of a walk along a wall.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Branch {
    pub(crate) node: Cell,
    pub(crate) cost: Cost,
    pub(crate) steps: u32,
}

/// The neighbours of a cell that cannot be entered, the map's edge included.
#[inline]
fn walls(now: &Ground, cell: Cell) -> DirectionSet {
    !now.rows().neighbours(now.pos(cell))
}

/// For a move: which neighbours of the cell are neighbours of the next one too, or are it.
const fn shared(direction: Direction) -> DirectionSet {
    let around = if direction.is_diagonal() { 0b1000_0011 } else { 0b1100_0111 };
    (around as u8).rotate_left(direction.number() as u32)
}

/// The moves from a cell along its wall, that do not lead back beside the cell it was reached from.
fn along(now: &Ground, cell: Cell, came: Option<Direction>) -> DirectionSet {
    let walls = walls(now, cell);
    let mut moves = 0;
    for direction in directions(now.moves(cell)) {
        // Back, and what is beside the cell before: five of the eight after a straight move, three after a diagonal.
        let backwards = came.is_some_and(|came| {
            let turn = (direction.number() + 8 - came.number()) % 8;
            if came.is_diagonal() { (3..=5).contains(&turn) } else { (2..=6).contains(&turn) }
        });
        if !backwards && walls & shared(direction) != 0 {
            moves |= direction.bit();
        }
    }
    moves
}

/// Whether a move leads along a wall.
pub(crate) fn begins(now: &Ground, cell: Cell) -> DirectionSet {
    along(now, cell, None)
}

/// Walks along the wall from a cell in a direction, and calls `step` at each cell; ends when that says so, and where
/// there is not exactly one way on.
fn walk(now: &Ground, from: Cell, direction: Direction, mut step: impl FnMut(Cell, Direction, Cell) -> bool) {
    let (mut at, mut came) = (from, direction);
    for _ in 0..4 * (now.size().width() + now.size().height()) {
        let to = now.step(at, came);
        let ended = step(at, came, to);
        let onward = along(now, to, Some(came));
        if ended || to == from || onward.count_ones() != 1 {
            return;
        }
        (at, came) = (to, Direction::from_number(onward.trailing_zeros() as u8));
    }
}

/// The branching node that a wall leads to, if it does not lead back.
pub(crate) fn follow(oracle: &Oracle<'_>, from: Cell, direction: Direction, same: Same) -> Option<Branch> {
    let now = oracle.now;
    let begun = oracle.way(from);
    let mut end = Branch { node: from, cost: 0, steps: 0 };
    walk(now, from, direction, |at, moved, to| {
        end.cost = end.cost.saturating_add(now.cost(at, moved));
        end.steps += 1;
        end.node = to;
        to == oracle.target || is_elsewhere(oracle, begun, to, same)
    });
    (end.node != from).then_some(end)
}

/// Whether a cell's way leads on, and not to where another one was stopped.
fn is_elsewhere(oracle: &Oracle<'_>, begun: Way, cell: Cell, same: Same) -> bool {
    let way = oracle.way(cell);
    if way.stop == cell && cell != oracle.target {
        return false;
    }
    match same {
        Same::Cell => way.stop != begun.stop,
        Same::Area => way.stop == oracle.target || area(oracle, way.stop) != area(oracle, begun.stop),
    }
}

/// The area of new walls that stops the database's way at a cell.
fn area(oracle: &Oracle<'_>, stop: Cell) -> u32 {
    crate::change::around(oracle.now, stop).map(|cell| oracle.change.area(cell)).max().unwrap_or(0)
}

/// Writes the cells of a walk along a wall up to its end, without the first.
pub(crate) fn unpack(now: &Ground, from: Cell, direction: Direction, end: Cell, cells: &mut Vec<Cell>) {
    walk(now, from, direction, |_, _, to| {
        cells.push(to);
        to == end
    });
}
