//! The map cut into squares, and which of them have changed since they were last looked at.
//!
//! The abstract searches keep something for each square. A ground's tile fingerprints say where to look after an
//! edit, and a hash of each square's own cells says which squares of those tiles have really changed: a wall in
//! the middle of a square makes one square stale, not all that share its tile.

use throng_grid::{Cell, Ground, MoveRules, Pos, Profile, Size, TILE};

/// SquareGrid of one side, cut off at the map's right and lower edge, numbered in row order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SquareGrid {
    side: i32,
    columns: i32,
    rows: i32,
    size: Option<Size>,
}

impl SquareGrid {
    /// SquareGrid of a side; there are none before the first [`SquareGrid::cover`].
    pub(crate) fn new(side: u32) -> Self {
        Self { side: side as i32, columns: 0, rows: 0, size: None }
    }

    /// Makes these the squares of a map.
    pub(crate) fn cover(&mut self, size: Size) {
        self.columns = (size.width() as i32 + self.side - 1) / self.side;
        self.rows = (size.height() as i32 + self.side - 1) / self.side;
        self.size = Some(size);
    }

    /// Number of squares.
    pub(crate) fn count(&self) -> usize {
        (self.columns * self.rows) as usize
    }

    /// The square of a place on the map.
    #[inline]
    pub(crate) fn of(&self, pos: Pos) -> u32 {
        (pos.y / self.side * self.columns + pos.x / self.side) as u32
    }

    /// The upper left and the lower right place of a square.
    pub(crate) fn corners(&self, square: u32) -> (Pos, Pos) {
        let (x, y) = (square as i32 % self.columns * self.side, square as i32 / self.columns * self.side);
        let (width, height) = self.size.map_or((0, 0), |size| (size.width() as i32, size.height() as i32));
        let (right, lower) = (width - 1, height - 1);
        (Pos::new(x, y), Pos::new((x + self.side - 1).min(right), (y + self.side - 1).min(lower)))
    }

    /// Writes some squares and those around them, each once and in order.
    pub(crate) fn with_neighbours(&self, squares: &[u32], around: &mut Vec<u32>) {
        around.clear();
        for &square in squares {
            let (column, row) = (square as i32 % self.columns, square as i32 / self.columns);
            for y in (row - 1).max(0)..=(row + 1).min(self.rows - 1) {
                for x in (column - 1).max(0)..=(column + 1).min(self.columns - 1) {
                    around.push((y * self.columns + x) as u32);
                }
            }
        }
        around.sort_unstable();
        around.dedup();
    }
}

/// Watches the squares of a ground for changes.
#[derive(Clone, Debug)]
pub(crate) struct SquareChanges {
    squares: SquareGrid,
    /// What else a ground is known by, besides its cells.
    kind: Option<(Size, MoveRules, Profile)>,
    tiles: Vec<u64>,
    hashes: Vec<u64>,
    stale: Vec<u32>,
    looked_at: Vec<u32>,
}

impl SquareChanges {
    /// For squares of a side, of no ground yet.
    pub(crate) fn new(side: u32) -> Self {
        Self {
            squares: SquareGrid::new(side),
            kind: None,
            tiles: Vec::new(),
            hashes: Vec::new(),
            stale: Vec::new(),
            looked_at: Vec::new(),
        }
    }

    /// The squares, of the ground last seen.
    #[inline]
    pub(crate) fn squares(&self) -> &SquareGrid {
        &self.squares
    }

    /// Bytes held.
    pub(crate) fn memory_bytes(&self) -> usize {
        let words = self.tiles.capacity() + self.hashes.capacity();
        words * size_of::<u64>() + (self.stale.capacity() + self.looked_at.capacity()) * size_of::<u32>()
    }

    /// The squares that had changed at the last [`SquareChanges::refresh`], in order.
    pub(crate) fn stale(&self) -> &[u32] {
        &self.stale
    }

    /// Finds the squares that have changed since the last time; all of them when this is another kind of ground.
    /// Says whether there are any.
    pub(crate) fn refresh(&mut self, ground: &Ground) -> bool {
        self.stale.clear();
        let kind = (ground.size(), ground.rules(), ground.profile());
        if self.kind == Some(kind) {
            self.look_at_changed_tiles(ground);
        } else {
            self.kind = Some(kind);
            self.begin(ground);
        }
        !self.stale.is_empty()
    }

    fn begin(&mut self, ground: &Ground) {
        let size = ground.size();
        self.squares.cover(size);
        let tiles = size.width().div_ceil(TILE) * size.height().div_ceil(TILE);
        self.tiles.clear();
        self.tiles.extend((0..tiles as usize).map(|tile| ground.tile_fingerprint(tile)));
        self.stale.extend(0..self.squares.count() as u32);
        self.hashes.clear();
        for square in 0..self.squares.count() as u32 {
            self.hashes.push(self.hash(ground, square));
        }
    }

    fn look_at_changed_tiles(&mut self, ground: &Ground) {
        self.looked_at.clear();
        for tile in 0..self.tiles.len() {
            let fingerprint = ground.tile_fingerprint(tile);
            if self.tiles[tile] != fingerprint {
                self.tiles[tile] = fingerprint;
                self.look_around(ground.size(), tile as i32);
            }
        }
        self.looked_at.sort_unstable();
        self.looked_at.dedup();
        for i in 0..self.looked_at.len() {
            let square = self.looked_at[i];
            let hash = self.hash(ground, square);
            if std::mem::replace(&mut self.hashes[square as usize], hash) != hash {
                self.stale.push(square);
            }
        }
    }

    /// Notes the squares that a tile's cells can matter to: an edit changes the moves of the cells around it too.
    fn look_around(&mut self, size: Size, tile: i32) {
        let (width, height, side) = (size.width() as i32, size.height() as i32, TILE as i32);
        let columns = (width + side - 1) / side;
        let (x, y) = (tile % columns * side, tile / columns * side);
        for row in (y - 1).max(0) / self.squares.side..=(y + side).min(height - 1) / self.squares.side {
            for column in (x - 1).max(0) / self.squares.side..=(x + side).min(width - 1) / self.squares.side {
                self.looked_at.push((row * self.squares.columns + column) as u32);
            }
        }
    }

    /// Everything that can be asked about the cells of a square: which are free, their moves and costs, and the
    /// costs of the cells one step outside.
    fn hash(&self, ground: &Ground, square: u32) -> u64 {
        let size = ground.size();
        let (min, max) = self.squares.corners(square);
        let margin = i32::from(!ground.halves().is_empty());
        let (width, height) = (size.width() as i32, size.height() as i32);
        let mut hash = 0_u64;
        for y in (min.y - margin).max(0)..=(max.y + margin).min(height - 1) {
            for x in (min.x - margin).max(0)..=(max.x + margin).min(width - 1) {
                let cell = Cell((y * width + x) as u32);
                let mut word = ground.halves().get(cell.index()).map_or(0, |&halves| u64::from(halves) << 9);
                if (min.x..=max.x).contains(&x) && (min.y..=max.y).contains(&y) {
                    word |= u64::from(ground.moves(cell)) | u64::from(ground.is_free(cell)) << 8;
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
    use throng_grid::{Area, Grid, Terrain, Tiles};

    #[test]
    fn only_squares_that_changed_are_stale() {
        let size = Size::new(100, 70).unwrap();
        let mut grid = Grid::new(Tiles::filled(size, Terrain::Ground), MoveRules::default());
        let mut watch = SquareChanges::new(12);
        assert!(watch.refresh(grid.ground()));
        assert_eq!(watch.stale().len(), 9 * 6);
        assert!(!watch.refresh(grid.ground()));
        grid.block(Pos::new(30, 30));
        assert!(watch.refresh(grid.ground()));
        assert_eq!(watch.stale(), [2 * 9 + 2]);
        // On a square's edge the moves of the next square change too.
        grid.block(Area::rect(Pos::new(35, 50), Pos::new(36, 50)));
        assert!(watch.refresh(grid.ground()));
        assert_eq!(watch.stale(), [4 * 9 + 2, 4 * 9 + 3]);
        grid.unblock(Pos::new(30, 30));
        assert!(watch.refresh(grid.ground()));
        assert_eq!(watch.stale(), [2 * 9 + 2]);
        let other = Grid::new(grid.tiles().clone(), MoveRules::FOUR_WAY);
        assert!(watch.refresh(other.ground()));
        assert_eq!(watch.stale().len(), 9 * 6);
    }

    #[test]
    fn corners_and_squares_are_inverse() {
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
        let mut around = Vec::new();
        squares.with_neighbours(&[0, 1], &mut around);
        assert_eq!(around, [0, 1, 2, 5, 6, 7]);
    }
}
