//! Flow annotation by local rules: directed rows and columns, bidirectional corridors, diagonals at sinks and sources.

use throng_grid::{Cell, Direction, DirectionSet, Ground, Pos, directions};

use super::rect::CellRect;

pub(super) const STRAIGHTS: DirectionSet = 0b0101_0101;
pub(super) const DIAGONALS: DirectionSet = !STRAIGHTS;

/// Largest distance in cells at which a wall affects the annotation of a cell: the cell's neighbour may be a sink or
/// source, which depends on whether that neighbour's own neighbours are corridor cells, which depends on walls beside them.
pub(super) const REACH: i32 = 3;

/// The legal moves of a cell and those that the annotation keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct AnnotatedMoves {
    /// Legal moves on the ground.
    pub(super) legal: DirectionSet,
    /// Outgoing moves.
    pub(super) out: DirectionSet,
}

/// Annotates a rectangle: rows, columns and corridors first, then outgoing diagonals at sinks and incoming diagonals at
/// sources.
pub(super) fn annotate(ground: &Ground, rect: CellRect, annotated: &mut Vec<AnnotatedMoves>) {
    annotated.clear();
    annotated.resize(rect.area(), AnnotatedMoves::default());
    let mut sinks_and_sources = Vec::new();
    let width = ground.size().width() as i32;
    for (row, y) in annotated.chunks_mut(rect.width()).zip(rect.top..) {
        for (moves, x) in row.iter_mut().zip(rect.left..) {
            let cell = Cell((y * width + x) as u32);
            let legal = ground.moves(cell);
            if legal != 0 {
                let (directed, corridor) = (rows_and_columns(x, y), corridors(ground, cell, legal));
                let out = legal & (directed | corridor);
                // The directions to the cells from which a move enters.
                let into = legal & (directed.rotate_left(4) | corridor);
                *moves = AnnotatedMoves { legal, out };
                if out == 0 || into == 0 {
                    sinks_and_sources.push((Pos::new(x, y), legal, out == 0, into == 0));
                }
            }
        }
    }
    let mut open = |pos: Pos, direction: Direction| {
        if rect.contains(pos) {
            let index = (pos.y - rect.top) as usize * rect.width() + (pos.x - rect.left) as usize;
            annotated[index].out |= direction.bit();
        }
    };
    for (pos, legal, is_sink, is_source) in sinks_and_sources {
        for direction in directions(legal & DIAGONALS) {
            if is_sink {
                open(pos, direction);
            }
            if is_source {
                open(pos + direction, direction.opposite());
            }
        }
    }
}

/// Returns the directions of the row and the column of a position.
const fn rows_and_columns(x: i32, y: i32) -> DirectionSet {
    let row = if y & 1 == 0 { Direction::West } else { Direction::East };
    let column = if x & 1 == 0 { Direction::North } else { Direction::South };
    row.bit() | column.bit()
}

/// Returns the moves of a cell that belong to corridors: one of their ends has at most two legal moves.
fn corridors(ground: &Ground, cell: Cell, legal: DirectionSet) -> DirectionSet {
    let is_narrow = |moves: DirectionSet| moves.count_ones() <= 2;
    if is_narrow(legal) {
        return legal;
    }
    // All neighbours of a cell with eight legal moves have more than two.
    if legal == DirectionSet::MAX {
        return 0;
    }
    let narrow_moves =
        directions(legal).filter(|&direction| is_narrow(ground.moves(ground.step(cell, direction))));
    narrow_moves.fold(0, |set, direction| set | direction.bit())
}
