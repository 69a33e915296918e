//! Following a wall, cell by cell, to where there is something to decide.
//!
//! E. Shi, *Dynamic Pathfinding in Video Games*, Monash University, section 4.2.4. A successor along the wall is a legal
//! move to a cell that shares a wall cell with this one and does not lead back. A branching node is where there are
//! several, or where the database's way is stopped by something else than where the walk began.
//!
//! The report leaves open what leads back: here, to the cell before and to what it could have reached in one move,
//! unless nothing else is left, as in a corner of walls. Moves that lie side by side follow the same wall; the one
//! nearest to it counts, or every step of a round wall would fork. So walks go around corners that must not be cut
//! too, and these need not be branching nodes, as the report proposes. A dead end is a branching node.

use throng_grid::{Cell, Cost, Direction, DirectionSet, Ground, directions};

use crate::bounds::CpdBounds;

/// When two cells are stopped by the same perturbation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SamePerturbation {
    /// When the ways of both end at the same cell: the report's definition.
    Cell,
    /// When both are stopped by walls that touch: what its section 6.1.2 proposes.
    Area,
}

/// The end of a walk along a wall.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BranchingNode {
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

/// The moves from a cell to cells that share a wall cell with it.
pub(crate) fn begins(now: &Ground, cell: Cell) -> DirectionSet {
    let walls = walls(now, cell);
    directions(now.moves(cell)).filter(|&to| walls & shared(to) != 0).map(Direction::bit).sum()
}

/// The moves with which a walk along a wall goes on that has come to a cell by a move: one for each wall.
fn onward(now: &Ground, before: Cell, came: Direction) -> DirectionSet {
    let cell = now.step(before, came);
    let along = begins(now, cell) & !came.opposite().bit();
    let ahead = directions(along).filter(|&to| !is_beside(now, before, came, to)).map(Direction::bit).sum();
    // In a corner of walls every way out is beside the cell before.
    let ring = if ahead == 0 { along } else { ahead }.rotate_right(came.number().into());
    nearest_to_walls(ring, walls(now, cell).rotate_right(came.number().into()))
        .rotate_left(came.number().into())
}

/// Whether a second move leads to where the cell before could have gone at once.
fn is_beside(now: &Ground, before: Cell, came: Direction, to: Direction) -> bool {
    let straight = match ((to.number() + 8 - came.number()) % 8, came.is_diagonal()) {
        // The sum of the two moves, as a move.
        (2, false) | (3, true) => came.turned(1),
        (6, false) | (5, true) => came.turned(-1),
        (3, false) => came.turned(2),
        (5, false) => came.turned(-2),
        _ => return false,
    };
    now.moves(before) & straight.bit() != 0
}

/// Of moves that lie side by side only the one nearest to a wall. Both sets are turned so that bit 0 is ahead.
fn nearest_to_walls(moves: DirectionSet, walls: DirectionSet) -> DirectionSet {
    // Bit 4, where the walk came from, is never a move: groups lie between it and itself.
    let mut chosen = 0;
    let mut turn = 5;
    while turn < 12 {
        let first = turn;
        while turn < 12 && moves >> (turn % 8) & 1 == 1 {
            turn += 1;
        }
        if turn == first {
            turn += 1;
            continue;
        }
        let last = turn - 1;
        let blocked = |turn: u32| walls >> (turn % 8) & 1 == 1;
        chosen |= match (blocked(first - 1), blocked(last + 1)) {
            (true, false) => 1 << (first % 8),
            (false, true) => 1 << (last % 8),
            _ => 1 << (8_u32.clamp(first, last) % 8),
        };
    }
    chosen
}

/// Walks along the wall from a cell in a direction, and calls `step` at each cell; ends when that says so, and where
/// there is not exactly one way on.
pub(crate) fn walk(
    now: &Ground,
    from: Cell,
    direction: Direction,
    mut step: impl FnMut(Cell, Direction, Cell) -> bool,
) {
    let (mut at, mut came) = (from, direction);
    for _ in 0..4 * (now.size().width() + now.size().height()) {
        let to = now.step(at, came);
        if step(at, came, to) || to == from {
            return;
        }
        let onward = onward(now, at, came);
        if onward.count_ones() != 1 {
            return;
        }
        (at, came) = (to, Direction::from_number(onward.trailing_zeros() as u8));
    }
}

/// The branching node that a wall leads to, if it does not lead back; or the first cell from which more than `left`
/// would be needed in all. None too if `is_worth_it` denies it for a cell and the cost to it.
pub(crate) fn follow(
    oracle: &CpdBounds<'_>,
    from: Cell,
    direction: Direction,
    same: SamePerturbation,
    left: Cost,
    mut is_worth_it: impl FnMut(Cell, Cost) -> bool,
) -> Option<BranchingNode> {
    let now = oracle.now;
    let begun = oracle.reach(from).stop;
    let is_elsewhere = |stop: Cell| match same {
        SamePerturbation::Cell => stop != begun,
        SamePerturbation::Area => stop == oracle.target || area(oracle, stop) != area(oracle, begun),
    };
    let mut end = BranchingNode { node: from, cost: 0, steps: 0 };
    walk(now, from, direction, |at, moved, to| {
        end.cost = end.cost.saturating_add(now.cost(at, moved));
        end.steps += 1;
        end.node = to;
        if !is_worth_it(to, end.cost) {
            end.node = from;
            return true;
        }
        let stop = oracle.reach(to).stop;
        let too_far = end.cost.saturating_add(oracle.quick_bound(to)) > left;
        // A way that is blocked at once leads nowhere else.
        to == oracle.target || too_far || stop != to && is_elsewhere(stop)
    });
    (end.node != from).then_some(end)
}

/// The area of new walls that stops the database's way at a cell.
fn area(oracle: &CpdBounds<'_>, stop: Cell) -> u32 {
    crate::map_change::around(oracle.now, stop).map(|cell| oracle.change.area(cell)).max().unwrap_or(0)
}

/// Writes the cells of a walk along a wall up to its end, without the first.
pub(crate) fn unpack(now: &Ground, from: Cell, direction: Direction, end: Cell, cells: &mut Vec<Cell>) {
    walk(now, from, direction, |_, _, to| {
        cells.push(to);
        to == end
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_grid::{Corners, Grid, MoveRules, Pos, Tiles};

    /// How a walk that came to a cell goes on; `came` is the number of the direction.
    fn goes_on(picture: &str, corners: Corners, at: (i32, i32), came: Direction) -> Vec<Direction> {
        let grid = Grid::new(Tiles::picture(picture), MoveRules::eight_way(corners));
        let before = grid.cell(Pos::new(at.0, at.1) + came.opposite()).unwrap();
        directions(onward(grid.ground(), before, came)).collect()
    }

    /// Figure 8 of the report: behind a gap the walls on both sides lead on.
    #[test]
    fn walls_fork_behind_a_gap() {
        let picture = ".......\n.......\n###.###\n.......\n.......";
        let found = goes_on(picture, Corners::Forbid, (3, 3), Direction::South);
        assert_eq!(found, [Direction::East, Direction::West]);
        assert_eq!(goes_on(picture, Corners::Forbid, (3, 2), Direction::South), [Direction::South]);
    }

    #[test]
    fn walks_keep_to_the_wall_around_corners() {
        let picture = "......\n......\n..##..\n..##..\n......";
        // Above the block to the east, and around its corner: cut where that is allowed.
        assert_eq!(goes_on(picture, Corners::Allow, (2, 1), Direction::East), [Direction::East]);
        assert_eq!(goes_on(picture, Corners::Allow, (3, 1), Direction::East), [Direction::SouthEast]);
        assert_eq!(goes_on(picture, Corners::Forbid, (3, 1), Direction::East), [Direction::East]);
        assert_eq!(goes_on(picture, Corners::Forbid, (4, 1), Direction::East), [Direction::South]);
        // In a corner of walls the only way on is beside the cell before.
        assert_eq!(goes_on("...#\n...#\n####", Corners::Forbid, (2, 1), Direction::East), [Direction::North]);
        assert_eq!(goes_on("###\n..#\n###", Corners::Forbid, (1, 1), Direction::East), []);
    }
}
