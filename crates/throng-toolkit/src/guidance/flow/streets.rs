//! The streets by the local rules: rows and columns, corridors, and the diagonals of dead ends.

use throng_grid::{Cell, Direction, DirectionSet, Ground, Pos, directions};

use super::part::Part;

pub(super) const STRAIGHTS: DirectionSet = 0b0101_0101;
pub(super) const DIAGONALS: DirectionSet = !STRAIGHTS;

/// How far away a wall can matter to a cell's streets: to a neighbour that may be a dead end, by one of that one's
/// neighbours being narrow, by a wall beside that.
pub(super) const REACH: i32 = 3;

/// The legal moves of a cell, and its streets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Lanes {
    pub(super) legal: DirectionSet,
    pub(super) out: DirectionSet,
    pub(super) into: DirectionSet,
}

/// The streets of a part of the map: rows, columns and corridors, then diagonals out of cells that these do not lead
/// out of, and into those that they do not lead into.
pub(super) fn lay_streets(ground: &Ground, part: Part, streets: &mut Vec<Lanes>) {
    streets.clear();
    streets.resize(part.area(), Lanes::default());
    let mut ends = Vec::new();
    let width = ground.size().width() as i32;
    for (row, y) in streets.chunks_mut(part.width()).zip(part.top..) {
        for (lanes, x) in row.iter_mut().zip(part.left..) {
            let cell = Cell((y * width + x) as u32);
            let legal = ground.moves(cell);
            if legal != 0 {
                let (along, open) = (rows_and_columns(x, y), corridors(ground, cell, legal));
                let (out, into) = (legal & (along | open), legal & (along.rotate_left(4) | open));
                *lanes = Lanes { legal, out, into };
                if out == 0 || into == 0 {
                    ends.push((Pos::new(x, y), *lanes));
                }
            }
        }
    }
    let mut open = |pos: Pos, direction: Direction, out: bool| {
        if part.contains(pos) {
            let place = (pos.y - part.top) as usize * part.width() + (pos.x - part.left) as usize;
            let lanes = &mut streets[place];
            *(if out { &mut lanes.out } else { &mut lanes.into }) |= direction.bit();
        }
    };
    for (end, lanes) in ends {
        for direction in directions(lanes.legal & DIAGONALS) {
            let beside = end + direction;
            if lanes.out == 0 {
                open(end, direction, true);
                open(beside, direction.opposite(), false);
            }
            if lanes.into == 0 {
                open(end, direction, false);
                open(beside, direction.opposite(), true);
            }
        }
    }
}

/// The directions of the row and the column of a place.
const fn rows_and_columns(x: i32, y: i32) -> DirectionSet {
    let row = if y & 1 == 0 { Direction::West } else { Direction::East };
    let column = if x & 1 == 0 { Direction::North } else { Direction::South };
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
