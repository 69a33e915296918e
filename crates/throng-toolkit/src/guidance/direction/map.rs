//! The vectors of a direction map and their learning rule.

use throng_crowd::{DebugLayer, DebugMark, World};
use throng_grid::{Area, Cell, Direction, Grid, Pos, Size, TILE};

use super::vector::{Rate, Vector};

/// Number of ticks between two fadings of a row. It spreads the cost of fading over the ticks.
const FADE_PERIOD: u64 = 16;

/// A vector for each passed cell. Takes four bytes per cell of the map.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DirectionMap {
    size: Size,
    vectors: Vec<Vector>,
}

impl DirectionMap {
    /// Creates a map without vectors.
    pub fn new(size: Size) -> Self {
        Self { size, vectors: vec![Vector::UNKNOWN; size.area()] }
    }

    /// Returns the direction map that the planner of a world has learned or follows, or `None` if it emits no vectors.
    pub fn of_world(world: &World) -> Option<Self> {
        let (mut map, mut any) = (Self::new(world.grid().size()), false);
        let vectors = world.inspect(DebugLayer::DirectionVectors, &mut |mark| {
            if let DebugMark::Direction { cell, x, y } = mark {
                map.set(cell, Some(Vector { x, y }));
                any = true;
            }
        });
        vectors.ok()?;
        any.then_some(map)
    }

    /// Returns the size of the map.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns the vector of a cell, or `None` if no agent has passed it.
    #[inline]
    pub fn vector(&self, cell: Cell) -> Option<Vector> {
        Some(self.vectors[cell.index()]).filter(|vector| vector.is_known())
    }

    /// Returns the stored vector of a cell, which may be [`Vector::UNKNOWN`].
    #[inline]
    pub(super) fn stored(&self, cell: Cell) -> Vector {
        self.vectors[cell.index()]
    }

    /// Returns the cells that have a vector and their vectors, in cell order.
    pub fn known(&self) -> impl Iterator<Item = (Cell, Vector)> + '_ {
        let cells = self.size.cells().zip(&self.vectors).map(|(cell, &vector)| (cell, vector));
        cells.filter(|(_, vector)| vector.is_known())
    }

    /// Sets or removes the vector of a cell.
    pub fn set(&mut self, cell: Cell, vector: Option<Vector>) {
        self.vectors[cell.index()] = vector.unwrap_or(Vector::UNKNOWN);
    }

    /// Moves the vector of a cell towards a direction.
    #[inline]
    pub fn turn(&mut self, cell: Cell, direction: Direction, rate: Rate) {
        let known = &mut self.vectors[cell.index()];
        let before = if known.is_known() { *known } else { Vector::ZERO };
        *known = before.towards(Vector::step(direction), rate);
    }

    /// Learns a step: moves the vector of the cell left, then that of the cell entered, towards the direction of the step.
    /// Does nothing if the cells are not neighbours.
    pub fn learn(&mut self, from: Cell, to: Cell, rate: Rate) {
        self.learn_where((from, to), rate, |_, _| true);
    }

    /// Learns a step as [`DirectionMap::learn`] does, in those of its cells where `stores` is true.
    pub(super) fn learn_where(
        &mut self,
        (from, to): (Cell, Cell),
        rate: Rate,
        stores: impl Fn(&Self, Cell) -> bool,
    ) {
        let Some(direction) = self.direction(from, to) else { return };
        for cell in [from, to] {
            if stores(self, cell) {
                self.turn(cell, direction, rate);
            }
        }
    }

    /// Returns the direction of a step, or `None` if the cells are not neighbours.
    pub(super) fn direction(&self, from: Cell, to: Cell) -> Option<Direction> {
        Direction::between(self.size.pos(from), self.size.pos(to))
    }

    /// Shortens the vectors for one tick. The rate is the share of its length that a vector loses per tick; each call
    /// processes every sixteenth row for sixteen ticks. Vectors that become zero are removed.
    pub fn fade(&mut self, tick: u64, rate: Rate) {
        let (rate, width) = (rate.repeated(FADE_PERIOD as u32), self.size.width() as usize);
        let first = (tick % FADE_PERIOD) as usize;
        for row in self.vectors.chunks_exact_mut(width).skip(first).step_by(FADE_PERIOD as usize) {
            for vector in row.iter_mut().filter(|vector| vector.is_known()) {
                *vector = vector.shortened(rate);
                if *vector == Vector::ZERO {
                    *vector = Vector::UNKNOWN;
                }
            }
        }
    }

    /// Removes the vectors of cells that were edited since a revision and are blocked for all profiles.
    pub fn follow(&mut self, grid: &Grid, since: u64) {
        let side = TILE as i32 - 1;
        for (tile, _) in grid.tile_revisions().iter().enumerate().filter(|&(_, &revision)| revision > since) {
            let corner = self.size.tile_corner(tile);
            let opposite = Pos::new(corner.x + side, corner.y + side);
            for cell in Area::rect(corner, opposite).cells(self.size) {
                if grid.grounds().iter().all(|ground| !ground.is_free(cell)) {
                    self.vectors[cell.index()] = Vector::UNKNOWN;
                }
            }
        }
    }

    /// Returns the map of square sectors with this side in cells. Each vector is the mean of the vectors in the sector.
    pub(super) fn sector_means(&self, sectors: Size, side: u32) -> Self {
        let mut sums = vec![(0_i64, 0_i64, 0_i64); sectors.area()];
        for (cell, vector) in self.known() {
            let pos = self.size.pos(cell);
            let sum = &mut sums[(pos.y as u32 / side * sectors.width() + pos.x as u32 / side) as usize];
            *sum = (sum.0 + i64::from(vector.x), sum.1 + i64::from(vector.y), sum.2 + 1);
        }
        let mean = |(x, y, cells): (i64, i64, i64)| match cells {
            0 => Vector::UNKNOWN,
            _ => Vector { x: (x / cells) as i16, y: (y / cells) as i16 },
        };
        Self { size: sectors, vectors: sums.into_iter().map(mean).collect() }
    }

    /// Copies the vectors of another map of the same size.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.vectors.copy_from_slice(&other.vectors);
    }

    /// Removes all vectors.
    pub fn clear(&mut self) {
        self.vectors.fill(Vector::UNKNOWN);
    }

    /// Returns the memory in use, in bytes.
    pub fn memory_bytes(&self) -> usize {
        self.vectors.capacity() * size_of::<Vector>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_grid::{MoveRules, Terrain, Tiles};

    const HALF: Rate = Rate::millionths(500_000);

    fn components(vector: Vector) -> (f64, f64) {
        let one = f64::from(Vector::ONE);
        (f64::from(vector.x) / one, f64::from(vector.y) / one)
    }

    /// Example of section 3.1 of the thesis: the vector of the cell left is diagonal, that of the cell entered is parallel to
    /// the step.
    #[test]
    fn a_step_moves_the_vectors_of_both_its_cells() {
        let mut map = DirectionMap::new(Size::new(4, 3).unwrap());
        map.set(Cell(5), Some(Vector::step(Direction::SouthEast)));
        map.set(Cell(6), Some(Vector::step(Direction::East)));
        map.learn(Cell(5), Cell(6), HALF);
        let (x, y) = components(map.vector(Cell(5)).unwrap());
        assert!((x - 0.8536).abs() < 0.0001 && (y - 0.3536).abs() < 0.0001, "{x}, {y}");
        assert_eq!(map.vector(Cell(6)), Some(Vector::step(Direction::East)));
        assert_eq!(map.known().count(), 2);
        assert_eq!(map.memory_bytes(), 4 * 12, "four bytes per cell");
        map.learn(Cell(0), Cell(2), HALF);
        map.learn(Cell(0), Cell(0), HALF);
        assert_eq!(map.vector(Cell(0)), None, "only steps between neighbours are learned");
    }

    #[test]
    fn faded_vectors_are_removed() {
        let size = Size::new(3, 40).unwrap();
        let mut map = DirectionMap::new(size);
        map.learn(Cell(1), Cell(4), Rate::millionths(1_000_000));
        map.learn(Cell(100), Cell(101), Rate::millionths(1_000_000));
        let rate = Rate::millionths(10_000);
        for tick in 0..160 {
            map.fade(tick, rate);
        }
        // 0.99^160 is 0.2.
        for (_, vector) in map.known() {
            let (x, y) = components(vector);
            assert!((x + y - 0.2).abs() < 0.005, "{x}, {y}");
        }
        assert_eq!(map.known().count(), 4);
        for tick in 160..1600 {
            map.fade(tick, rate);
        }
        assert_eq!(map, DirectionMap::new(size));
    }

    #[test]
    fn a_sector_has_the_mean_of_its_known_vectors() {
        let mut map = DirectionMap::new(Size::new(5, 2).unwrap());
        map.set(Cell(0), Some(Vector::step(Direction::East)));
        map.set(Cell(6), Some(Vector::step(Direction::South)));
        map.set(Cell(9), Some(Vector::step(Direction::West)));
        let sectors = map.sector_means(Size::new(3, 1).unwrap(), 2);
        let half = Vector::ONE / 2;
        assert_eq!(sectors.vector(Cell(0)), Some(Vector { x: half, y: half }));
        assert_eq!(sectors.vector(Cell(1)), None);
        assert_eq!(sectors.vector(Cell(2)), map.vector(Cell(9)));
    }

    #[test]
    fn vectors_of_blocked_cells_are_removed() {
        let size = Size::new(70, 40).unwrap();
        let mut grid = Grid::new(Tiles::filled(size, Terrain::Ground), MoveRules::default());
        let mut map = DirectionMap::new(size);
        for cell in size.cells() {
            map.turn(cell, Direction::East, HALF);
        }
        let since = grid.revision();
        grid.block(Pos::new(65, 35));
        map.follow(&grid, since);
        assert_eq!(map.known().count(), size.area() - 1);
        assert_eq!(map.vector(grid.cell(Pos::new(65, 35)).unwrap()), None);
        grid.unblock(Pos::new(65, 35));
        map.follow(&grid, since);
        assert_eq!(map.known().count(), size.area() - 1, "an unblocked cell has no vector");
    }
}
