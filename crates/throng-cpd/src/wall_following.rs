//! Wall following: from a cell beside a wall, cell by cell along the wall to the next branching node.
//!
//! E. Shi, *Dynamic Pathfinding in Video Games*, Monash University, section 4.2.4. A successor along the wall is a
//! legal move to a cell that shares a wall cell with the current one and does not lead back. A branching node is a cell
//! with several such successors, or one where the database's path is stopped by another perturbation than at the start.
//!
//! The report does not define "lead back". Here, a move leads back if it ends at the previous cell or at a cell that
//! the previous cell could have reached in one move, unless no other move is left, as in a corner of walls. Adjacent
//! moves follow the same wall, and only the one nearest to the wall counts; otherwise every step along a round wall
//! would branch. So wall following also turns corners that must not be cut, which the report proposes to make branching
//! nodes. A dead end is a branching node.

use throng_grid::{Cell, Cost, Direction, DirectionSet, Ground, directions};

use crate::bounds::CpdBounds;

/// The criterion by which two cells are stopped by the same perturbation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SamePerturbation {
    /// The database's paths of both are blocked at the same cell: the report's definition.
    Cell,
    /// Both paths are blocked by the same area of touching walls: proposed in section 6.1.2 of the report.
    Area,
}

/// What ends a walk along a wall besides a fork of the wall.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct WalkLimits {
    pub(crate) same: SamePerturbation,
    /// The maximum cost of the walk and the octile distance from its end to the target.
    pub(crate) max_cost: Cost,
}

/// The end of a walk along a wall.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BranchingNode {
    pub(crate) node: Cell,
    /// Cost of the walk.
    pub(crate) cost: Cost,
    /// Number of moves of the walk.
    pub(crate) steps: u32,
}

/// Returns the neighbours of a cell that cannot be entered, including those beyond the map's edge.
#[inline]
fn walls(now: &Ground, cell: Cell) -> DirectionSet {
    !now.rows().neighbours(now.pos(cell))
}

/// Returns the neighbours of a cell that are also neighbours of the next cell after a move, or are that cell.
const fn shared(direction: Direction) -> DirectionSet {
    let around = if direction.is_diagonal() { 0b1000_0011 } else { 0b1100_0111 };
    (around as u8).rotate_left(direction.number() as u32)
}

/// Returns the moves from a cell to cells that share a wall cell with it.
pub(crate) fn moves_along_walls(now: &Ground, cell: Cell) -> DirectionSet {
    let walls = walls(now, cell);
    directions(now.moves(cell)).filter(|&to| walls & shared(to) != 0).map(Direction::bit).sum()
}

/// Returns the moves that continue a walk which came from `before` by the move `came`: one move per wall.
fn onward(now: &Ground, before: Cell, came: Direction) -> DirectionSet {
    let cell = now.step(before, came);
    let along = moves_along_walls(now, cell) & !came.opposite().bit();
    let ahead = directions(along).filter(|&to| !leads_back(now, before, came, to)).map(Direction::bit).sum();
    // In a corner of walls all remaining moves lead back.
    let ring = if ahead == 0 { along } else { ahead }.rotate_right(came.number().into());
    nearest_to_walls(ring, walls(now, cell).rotate_right(came.number().into()))
        .rotate_left(came.number().into())
}

/// Returns true if the moves `came` and `to` end at a cell that `before` could have reached in one move.
fn leads_back(now: &Ground, before: Cell, came: Direction, to: Direction) -> bool {
    let direct = match ((to.number() + 8 - came.number()) % 8, came.is_diagonal()) {
        // The sum of the two moves, as one move.
        (2, false) | (3, true) => came.turned(1),
        (6, false) | (5, true) => came.turned(-1),
        (3, false) => came.turned(2),
        (5, false) => came.turned(-2),
        _ => return false,
    };
    now.moves(before) & direct.bit() != 0
}

/// Returns, for each group of adjacent moves, only the move nearest to a wall. Both sets are rotated so that bit 0 is
/// the direction of travel.
fn nearest_to_walls(moves: DirectionSet, walls: DirectionSet) -> DirectionSet {
    // Bit 4, the direction back, is never in the set, so no group extends across it.
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

/// Follows the wall from a cell in a direction and calls `step` with each move: cell, direction, next cell. Stops when
/// `step` returns true, when the walk returns to its start, or where there is not exactly one move onward.
pub(crate) fn follow_wall(
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

/// Returns the branching node that a wall leads to, or the first cell from which the total cost would exceed the
/// limit. Returns `None` if the walk returns to its start, or if `is_worth_it` rejects a cell and the cost to it.
pub(crate) fn next_branching_node(
    bounds: &CpdBounds<'_>,
    from: Cell,
    direction: Direction,
    WalkLimits { same, max_cost }: WalkLimits,
    mut is_worth_it: impl FnMut(Cell, Cost) -> bool,
) -> Option<BranchingNode> {
    let now = bounds.now;
    let first_stop = bounds.prefix(from).stop;
    let is_another = |stop: Cell| match same {
        SamePerturbation::Cell => stop != first_stop,
        SamePerturbation::Area => stop == bounds.target || area(bounds, stop) != area(bounds, first_stop),
    };
    let mut end = BranchingNode { node: from, cost: 0, steps: 0 };
    follow_wall(now, from, direction, |at, moved, to| {
        end.cost = end.cost.saturating_add(now.cost(at, moved));
        end.steps += 1;
        end.node = to;
        if !is_worth_it(to, end.cost) {
            end.node = from;
            return true;
        }
        let stop = bounds.prefix(to).stop;
        let too_far = end.cost.saturating_add(bounds.octile_bound(to)) > max_cost;
        // A path that is blocked at its first move is not stopped by another perturbation.
        to == bounds.target || too_far || stop != to && is_another(stop)
    });
    (end.node != from).then_some(end)
}

/// Returns the area of new walls that stops the database's path at a cell.
fn area(bounds: &CpdBounds<'_>, stop: Cell) -> u32 {
    crate::map_change::neighbours(bounds.now, stop).map(|cell| bounds.change.area(cell)).max().unwrap_or(0)
}

/// Writes the cells of a walk along a wall up to its end, without the first.
pub(crate) fn unpack(now: &Ground, from: Cell, direction: Direction, end: Cell, cells: &mut Vec<Cell>) {
    follow_wall(now, from, direction, |_, _, to| {
        cells.push(to);
        to == end
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_grid::{Corners, Grid, MoveRules, Pos, Tiles};

    /// Returns the moves that continue a walk which came to a cell by a move.
    fn continuations(picture: &str, corners: Corners, at: (i32, i32), came: Direction) -> Vec<Direction> {
        let grid = Grid::new(Tiles::picture(picture), MoveRules::eight_way(corners));
        let before = grid.cell(Pos::new(at.0, at.1) + came.opposite()).unwrap();
        directions(onward(grid.ground(), before, came)).collect()
    }

    /// Figure 8 of the report: behind a gap the walk can continue along both walls.
    #[test]
    fn a_gap_is_a_branching_node() {
        let picture = ".......\n.......\n###.###\n.......\n.......";
        let found = continuations(picture, Corners::Forbid, (3, 3), Direction::South);
        assert_eq!(found, [Direction::East, Direction::West]);
        assert_eq!(continuations(picture, Corners::Forbid, (3, 2), Direction::South), [Direction::South]);
    }

    #[test]
    fn walks_follow_the_wall_around_corners() {
        let picture = "......\n......\n..##..\n..##..\n......";
        // East above the block, then around its corner, which is cut if that is allowed.
        assert_eq!(continuations(picture, Corners::Allow, (2, 1), Direction::East), [Direction::East]);
        assert_eq!(continuations(picture, Corners::Allow, (3, 1), Direction::East), [Direction::SouthEast]);
        assert_eq!(continuations(picture, Corners::Forbid, (3, 1), Direction::East), [Direction::East]);
        assert_eq!(continuations(picture, Corners::Forbid, (4, 1), Direction::East), [Direction::South]);
        // In a corner of walls the only move onward leads back.
        assert_eq!(
            continuations("...#\n...#\n####", Corners::Forbid, (2, 1), Direction::East),
            [Direction::North]
        );
        assert_eq!(continuations("###\n..#\n###", Corners::Forbid, (1, 1), Direction::East), []);
    }
}
