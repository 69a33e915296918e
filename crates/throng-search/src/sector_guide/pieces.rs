//! The connected pieces of sectors, found by filling whole rows of a sector at once: a row is one word of bits.

use std::sync::Arc;

use throng_grid::{Direction, Ground, Pos, directions};

use super::SectorGuide;

/// The label of a cell that is not free.
pub(super) const NO_LABEL: u16 = u16::MAX;

/// A piece with fewer cells is small. Larger values save fields and make rows shorter, and agents walk further. On random512-35-0, values of
/// 0, 6, 12 and 20 give 4,381, 2,258, 1,905 and 1,747 parts, and walks of 1.022, 1.032, 1.034 and 1.035 times the shortest; on
/// maze512-1-0, 7,982, 5,160, 4,528 and 4,300 parts and 1.000 throughout.
const SMALL: usize = 12;

/// A connected piece of a sector.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    /// The cell that is nearest to the centre.
    pub(super) waypoint: Pos,
    /// The number of its cells.
    pub(super) size: usize,
    /// The cells of other sectors that are one step away. Only of small pieces.
    pub(super) exits: Vec<Pos>,
    /// True if it is small and the pieces around it stay connected without its waypoint.
    pub(super) is_candidate: bool,
    /// The piece that hosts it: its sector and its label there.
    pub(super) host: Option<(u32, u16)>,
}

/// The cells of a sector, by row. Bit `x` is the cell in column `x`.
#[derive(Clone, Debug, Default)]
pub(super) struct SectorBits(Vec<RowBits>);

/// One row of cells. Steps that leave the sector are left out.
#[derive(Clone, Copy, Debug, Default)]
struct RowBits {
    /// The free cells that have no label yet.
    free: u64,
    /// The cells with a legal step in the direction.
    east: u64,
    south: u64,
    south_east: u64,
    south_west: u64,
    /// The cells of the piece that is being filled.
    piece: u64,
}

impl RowBits {
    /// Adds the cells that are connected with the piece within the row.
    fn spread(&mut self) {
        loop {
            let more = (self.piece & self.east) << 1 | self.piece >> 1 & self.east;
            if more & !self.piece == 0 {
                return;
            }
            self.piece |= more;
        }
    }

    /// Adds cells to the piece. Returns true if some are new.
    fn add(&mut self, cells: u64) -> bool {
        let is_new = cells & !self.piece != 0;
        if is_new {
            self.piece |= cells;
            self.spread();
        }
        is_new
    }
}

impl SectorBits {
    /// Reads the cells between two corners, both included. A row has at most 64 cells.
    fn read(&mut self, ground: &Ground, (min, max): (Pos, Pos)) {
        self.0.clear();
        let (width, columns) = (ground.size().width() as usize, (max.x - min.x + 1) as usize);
        let last = 1_u64 << (columns - 1);
        for y in min.y..=max.y {
            let first = y as usize * width + min.x as usize;
            let mut row = RowBits::default();
            for (moves, x) in ground.all_moves()[first..first + columns].iter().zip(0..) {
                let bit = |direction: Direction| u64::from(moves >> direction.number() & 1) << x;
                row.east |= bit(Direction::East);
                row.south |= bit(Direction::South);
                row.south_east |= bit(Direction::SouthEast);
                row.south_west |= bit(Direction::SouthWest);
            }
            row.east &= !last;
            row.south_east &= !last;
            row.free = ground.rows().bits(min.x, y) & (last | (last - 1));
            self.0.push(row);
        }
    }

    /// Moves the next piece, in the order of the first cells of pieces, out of the free cells. Returns its first and last row.
    fn next_piece(&mut self) -> Option<(usize, usize)> {
        let rows = &mut self.0;
        let first = rows.iter().position(|row| row.free != 0)?;
        rows[first].piece = 1 << rows[first].free.trailing_zeros();
        rows[first].spread();
        let (mut top, mut bottom, mut is_new) = (first, first, true);
        while is_new {
            is_new = false;
            let mut y = top;
            while y <= bottom && y + 1 < rows.len() {
                let RowBits { piece, south, south_east, south_west, .. } = rows[y];
                y += 1;
                if rows[y].add(piece & south | (piece & south_east) << 1 | (piece & south_west) >> 1) {
                    (is_new, bottom) = (true, bottom.max(y));
                }
            }
            while y > 0 && y > top.saturating_sub(1) {
                let piece = rows[y].piece;
                y -= 1;
                let RowBits { south, south_east, south_west, .. } = rows[y];
                if rows[y].add(piece & south | piece >> 1 & south_east | piece << 1 & south_west) {
                    (is_new, top) = (true, top.min(y));
                }
            }
        }
        for row in &mut rows[top..=bottom] {
            row.free &= !row.piece;
        }
        Some((top, bottom))
    }
}

impl SectorGuide {
    /// Labels the cells of a sector. Returns its pieces, in the order of their labels.
    pub(super) fn label(&mut self, ground: &Ground, sector: u32) -> Vec<Piece> {
        let (min, max) = self.changes.squares.corners(sector);
        let (width, columns) = (ground.size().width() as usize, (max.x - min.x + 1) as usize);
        let labels = Arc::make_mut(&mut self.labels);
        for y in min.y..=max.y {
            let first = y as usize * width + min.x as usize;
            labels[first..first + columns].fill(NO_LABEL);
        }
        let mut bits = std::mem::take(&mut self.bits);
        bits.read(ground, (min, max));
        let (mut pieces, mut cells) = (Vec::new(), Vec::new());
        while let Some((top, bottom)) = bits.next_piece() {
            cells.clear();
            for (y, row) in (top..).zip(&mut bits.0[top..=bottom]) {
                let mut piece = std::mem::take(&mut row.piece);
                while piece != 0 {
                    let x = piece.trailing_zeros() as i32;
                    piece &= piece.wrapping_sub(1);
                    // All are cells of the rectangle.
                    cells.push(Pos::new(min.x.wrapping_add(x), min.y.wrapping_add(y as i32)));
                }
            }
            for pos in &cells {
                let at = (pos.y as usize).wrapping_mul(width).wrapping_add(pos.x as usize);
                labels[at] = pieces.len() as u16;
            }
            let exits = if cells.len() < SMALL { exits(ground, &cells, (min, max)) } else { Vec::new() };
            pieces.push(Piece {
                waypoint: nearest_to_centre(&cells),
                size: cells.len(),
                exits,
                is_candidate: false,
                host: None,
            });
        }
        self.bits = bits;
        pieces
    }
}

/// Returns the cells outside of a rectangle that are one step away from the given ones inside.
fn exits(ground: &Ground, cells: &[Pos], (min, max): (Pos, Pos)) -> Vec<Pos> {
    let is_outside = |pos: &Pos| !(min.x..=max.x).contains(&pos.x) || !(min.y..=max.y).contains(&pos.y);
    let around = |&pos: &Pos| {
        let moves = ground.cell(pos).map_or(0, |cell| ground.moves(cell));
        directions(moves).map(move |direction| pos + direction)
    };
    cells.iter().flat_map(around).filter(is_outside).collect()
}

/// Returns the cell that is nearest to the mean of all; the first of several.
fn nearest_to_centre(cells: &[Pos]) -> Pos {
    // A sector has at most 2^12 cells, and a position fewer than 2^16 columns and rows: nothing wraps.
    let count = cells.len() as i32;
    let add = |sum: Pos, pos: &Pos| Pos::new(sum.x.wrapping_add(pos.x), sum.y.wrapping_add(pos.y));
    let sum = cells.iter().fold(Pos::new(0, 0), add);
    let from_mean = |at: i32, sum: i32| i64::from(at.wrapping_mul(count).wrapping_sub(sum));
    let distance = |pos: &Pos| {
        let (dx, dy) = (from_mean(pos.x, sum.x), from_mean(pos.y, sum.y));
        (dx.wrapping_mul(dx).wrapping_add(dy.wrapping_mul(dy)), pos.y, pos.x)
    };
    cells.iter().copied().min_by_key(distance).unwrap_or(sum)
}
