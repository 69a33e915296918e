//! The partition of a map into squares, and the detection of squares that an edit has changed.
//!
//! The abstract searches store data per square (sector or cluster). After an edit, the ground's tile fingerprints show
//! which tiles have changed. A hash of each square's own cells then shows which squares of these tiles have changed: a
//! new wall in the middle of a square makes only that square stale, not all squares of its tile.

use throng_grid::{Cell, Ground, Pos, Size, TILE};

use crate::touched_tiles::{GroundKind, ground_kind};

/// Squares of equal side, cut off at the map's right and lower edge, numbered in row order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SquareGrid {
    side: i32,
    columns: i32,
    rows: i32,
    size: Option<Size>,
}

impl SquareGrid {
    /// Returns a partition into squares of a side; it has no squares before the first [`SquareGrid::cover`].
    pub(crate) fn new(side: u32) -> Self {
        Self { side: side as i32, columns: 0, rows: 0, size: None }
    }

    /// Partitions a map.
    pub(crate) fn cover(&mut self, size: Size) {
        self.columns = (size.width() as i32 + self.side - 1) / self.side;
        self.rows = (size.height() as i32 + self.side - 1) / self.side;
        self.size = Some(size);
    }

    /// Returns the number of squares.
    pub(crate) fn count(&self) -> usize {
        (self.columns * self.rows) as usize
    }

    /// Returns the square of a position on the map.
    #[inline]
    pub(crate) fn of(&self, pos: Pos) -> u32 {
        (pos.y / self.side * self.columns + pos.x / self.side) as u32
    }

    /// Returns the upper left and the lower right position of a square.
    pub(crate) fn corners(&self, square: u32) -> (Pos, Pos) {
        let (x, y) = (square as i32 % self.columns * self.side, square as i32 / self.columns * self.side);
        let (width, height) = self.size.map_or((0, 0), |size| (size.width() as i32, size.height() as i32));
        let (right, lower) = (width - 1, height - 1);
        (Pos::new(x, y), Pos::new((x + self.side - 1).min(right), (y + self.side - 1).min(lower)))
    }

    /// Returns the side of the squares.
    pub(crate) fn side(&self) -> i32 {
        self.side
    }

    /// Returns the lower right position of the map.
    pub(crate) fn last(&self) -> Pos {
        self.size.map_or(Pos::new(0, 0), |size| Pos::new(size.width() as i32 - 1, size.height() as i32 - 1))
    }

    /// Returns the first and the last of the three squares in each of the three rows around a position; fewer at the map's
    /// edge.
    #[inline]
    pub(crate) fn rows_around(&self, pos: Pos) -> impl Iterator<Item = (u32, u32)> + use<> {
        let Self { columns, rows, .. } = *self;
        let (column, row) = (pos.x / self.side, pos.y / self.side);
        let (left, right) = ((column - 1).max(0), (column + 1).min(columns - 1));
        let range = (row - 1).max(0)..=(row + 1).min(rows - 1);
        range.map(move |row| ((row * columns + left) as u32, (row * columns + right) as u32))
    }

    /// Returns the squares that have cells between two positions or one step outside, in row order.
    fn around(&self, (min, max): (Pos, Pos)) -> impl Iterator<Item = u32> + use<> {
        let Self { side, columns, rows, .. } = *self;
        let range =
            move |from: i32, to: i32, count: i32| (from - 1).max(0) / side..=((to + 1) / side).min(count - 1);
        let row = move |y| range(min.x, max.x, columns).map(move |x| (y * columns + x) as u32);
        range(min.y, max.y, rows).flat_map(row)
    }

    /// Returns the given squares and their neighbours, each once and in order.
    pub(crate) fn with_neighbours(&self, squares: &[u32]) -> Vec<u32> {
        if squares.len() > self.count() / 64 {
            // Of many squares, most are neighbours of several.
            let mut is_near = vec![false; self.count()];
            for &square in squares {
                self.around(self.corners(square)).for_each(|near| is_near[near as usize] = true);
            }
            return (0..is_near.len() as u32).filter(|&square| is_near[square as usize]).collect();
        }
        sorted(squares.iter().flat_map(|&square| self.around(self.corners(square))).collect())
    }
}

/// Returns every number once and in order.
pub(crate) fn sorted(mut numbers: Vec<u32>) -> Vec<u32> {
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Numbers for the nodes of an abstract graph, square by square.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeNumbers {
    /// Number of the first node of each square.
    pub(crate) first: Vec<u32>,
    /// The square of each node.
    pub(crate) square: Vec<u32>,
}

impl NodeNumbers {
    /// Numbers the nodes of all squares, given how many each has.
    pub(crate) fn assign(&mut self, counts: impl Iterator<Item = usize>) {
        self.first.clear();
        self.square.clear();
        for (square, count) in counts.enumerate() {
            self.first.push(self.square.len() as u32);
            self.square.resize(self.square.len() + count, square as u32);
        }
    }

    /// Returns the square of a node and the node's index among the nodes of the square.
    #[inline]
    pub(crate) fn locate(&self, node: u32) -> (usize, usize) {
        let square = self.square[node as usize] as usize;
        (square, (node - self.first[square]) as usize)
    }
}

/// Detects which squares of a ground have changed.
#[derive(Clone, Debug)]
pub(crate) struct SquareChanges {
    /// The partition of the last ground.
    pub(crate) squares: SquareGrid,
    /// Kind of the last ground.
    kind: Option<GroundKind>,
    /// Fingerprint of each tile at the last refresh.
    tiles: Vec<u64>,
    /// Hash of each square at the last refresh.
    hashes: Vec<u64>,
    /// Squares that had changed at the last [`SquareChanges::refresh`], in order.
    pub(crate) stale: Vec<u32>,
}

impl SquareChanges {
    /// Returns a detector for squares of a side, without a ground.
    pub(crate) fn new(side: u32) -> Self {
        Self {
            squares: SquareGrid::new(side),
            kind: None,
            tiles: Vec::new(),
            hashes: Vec::new(),
            stale: Vec::new(),
        }
    }

    /// Returns the hash of each square at the last refresh.
    pub(crate) fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Returns the bytes held.
    pub(crate) fn memory_bytes(&self) -> usize {
        let words = self.tiles.capacity() + self.hashes.capacity();
        words * size_of::<u64>() + self.stale.capacity() * size_of::<u32>()
    }

    /// Finds the squares that have changed since the last call; all squares if size, rules or profile differ. Returns
    /// true if there are any.
    pub(crate) fn refresh(&mut self, ground: &Ground) -> bool {
        self.stale.clear();
        let kind = ground_kind(ground);
        if self.kind == Some(kind) {
            self.compare_tiles(ground);
        } else {
            self.kind = Some(kind);
            self.begin(ground);
        }
        !self.stale.is_empty()
    }

    /// Returns true if nothing has changed since the last call of [`SquareChanges::refresh`].
    pub(crate) fn is_current(&self, ground: &Ground) -> bool {
        let is_same = |(tile, &known): (usize, &u64)| ground.tile_fingerprint(tile) == known;
        self.kind == Some(ground_kind(ground)) && self.tiles.iter().enumerate().all(is_same)
    }

    fn begin(&mut self, ground: &Ground) {
        let size = ground.size();
        self.squares.cover(size);
        self.tiles.clear();
        self.tiles.extend((0..size.tile_count()).map(|tile| ground.tile_fingerprint(tile)));
        self.stale.extend(0..self.squares.count() as u32);
        self.hashes = self.stale.iter().map(|&square| self.hash(ground, square)).collect();
    }

    /// Compares the squares of all changed tiles.
    fn compare_tiles(&mut self, ground: &Ground) {
        let mut candidates = Vec::new();
        for tile in 0..self.tiles.len() {
            let fingerprint = ground.tile_fingerprint(tile);
            if self.tiles[tile] != fingerprint {
                self.tiles[tile] = fingerprint;
                // An edit also changes the moves of neighbouring cells.
                let corner = ground.size().tile_corner(tile);
                let side = TILE as i32 - 1;
                candidates.extend(self.squares.around((corner, Pos::new(corner.x + side, corner.y + side))));
            }
        }
        for square in sorted(candidates) {
            let hash = self.hash(ground, square);
            if std::mem::replace(&mut self.hashes[square as usize], hash) != hash {
                self.stale.push(square);
            }
        }
    }

    /// Returns a hash of everything that the abstractions read of a square: which cells are free, their moves and
    /// costs, and the costs of the cells one step outside.
    fn hash(&self, ground: &Ground, square: u32) -> u64 {
        let size = ground.size();
        let (min, max) = self.squares.corners(square);
        let margin = i32::from(!ground.is_uniform());
        let least = ground.profile().min_halves();
        // What a cell costs more than the least. It is 0 on all cells of a ground of uniform cost, whose hashes are the
        // same as without the list of costs.
        let more =
            |cell: Cell| ground.halves().get(cell.index()).map_or(0, |&halves| halves.saturating_sub(least));
        let (width, height) = (size.width() as i32, size.height() as i32);
        // The highest multiplier determines the unit of distances, so it is part of the state of every square.
        let mut hash = u64::from(ground.max_halves());
        for y in (min.y - margin).max(0)..=(max.y + margin).min(height - 1) {
            for x in (min.x - margin).max(0)..=(max.x + margin).min(width - 1) {
                // The position is on the map.
                let cell = Cell(y.wrapping_mul(width).wrapping_add(x) as u32);
                let mut word = u64::from(more(cell)) << 9;
                if (min.x..=max.x).contains(&x) && (min.y..=max.y).contains(&y) {
                    word |= u64::from(ground.moves(cell)) | u64::from(ground.rows().get(Pos::new(x, y))) << 8;
                } else if word == 0 {
                    continue;
                } else {
                    word |= u64::from(cell.0) << 32;
                }
                hash = (hash.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            }
        }
        hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_grid::{Area, Grid, MoveRules, Terrain, Tiles};

    #[test]
    fn only_squares_that_changed_are_stale() {
        let size = Size::new(100, 70).unwrap();
        let mut grid = Grid::new(Tiles::filled(size, Terrain::Ground), MoveRules::default());
        let mut watch = SquareChanges::new(12);
        assert!(watch.refresh(grid.ground()));
        assert_eq!(watch.stale.len(), 9 * 6);
        assert!(!watch.refresh(grid.ground()));
        grid.block(Pos::new(30, 30));
        assert!(watch.refresh(grid.ground()));
        assert_eq!(watch.stale, [2 * 9 + 2]);
        // At the edge of a square, the moves of the next square change too.
        grid.block(Area::rect(Pos::new(35, 50), Pos::new(36, 50)));
        assert!(watch.refresh(grid.ground()));
        assert_eq!(watch.stale, [4 * 9 + 2, 4 * 9 + 3]);
        grid.unblock(Pos::new(30, 30));
        assert!(watch.refresh(grid.ground()));
        assert_eq!(watch.stale, [2 * 9 + 2]);
        let other = Grid::new(grid.tiles().clone(), MoveRules::FOUR_WAY);
        assert!(watch.refresh(other.ground()));
        assert_eq!(watch.stale.len(), 9 * 6);
    }

    #[test]
    fn every_position_between_the_corners_of_a_square_maps_to_that_square() {
        let size = Size::new(23, 17).unwrap();
        let mut squares = SquareGrid::new(5);
        squares.cover(size);
        let mut cells = 0;
        for square in 0..squares.count() as u32 {
            let (min, max) = squares.corners(square);
            for y in min.y..=max.y {
                for x in min.x..=max.x {
                    assert_eq!(squares.of(Pos::new(x, y)), square);
                    cells += 1;
                }
            }
        }
        assert_eq!(cells, size.area());
        assert_eq!(squares.with_neighbours(&[0, 1]), [0, 1, 2, 5, 6, 7]);
    }
}
