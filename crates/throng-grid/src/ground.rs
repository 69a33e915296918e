//! The passability graph of a map for one agent profile: free cells as bitmaps, legal moves per cell, step costs and
//! connected components.
//!
//! A cell is *open* if its terrain may be entered, and *free* if it is open and neither blocked nor behind a door that the
//! profile may not pass. Cost overlays add to the cost multiplier of a cell. Every tile has a fingerprint, a hash of its cells' states, which changes with every edit that the profile notices.

mod known;
mod nearest;
mod state;

use std::sync::OnceLock;

pub use nearest::ComponentCells;
pub(crate) use state::CellChange;
pub use state::CellState;

use crate::{
    BitGrid, Cell, Components, Corners, Cost, Direction, DirectionSet, MoveRules, Pos, Profile, Size,
    directions,
};

/// The passability graph of a map for one [`Profile`]: which cells are free, which moves are legal, what they cost. A
/// [`Grid`](crate::Grid) holds one per profile and updates it with every edit; searches read it.
#[derive(Clone, Debug)]
pub struct Ground {
    size: Size,
    rules: MoveRules,
    profile: Profile,
    /// Free cells, by row.
    rows: BitGrid,
    /// Free cells, by column: bit `y` of row `x`.
    columns: BitGrid,
    /// Cells with enterable terrain, blocked or not. The `mixed` corner rule reads them.
    open: BitGrid,
    /// Legal moves out of each cell; none out of a cell that is not free.
    moves: Vec<DirectionSet>,
    /// Cost multiplier of each cell in halves, 0 if it may not be entered; empty if all cells that may be entered cost the
    /// same.
    halves: Vec<u8>,
    /// The part of each multiplier that cost overlays add; empty if they add nothing.
    extra: Vec<u8>,
    /// Number of cells to which an overlay adds.
    extra_cells: u32,
    /// The highest multiplier that a cell can have.
    max_halves: u8,
    /// Difference of cell numbers of a step, per direction.
    offsets: [i32; 8],
    /// Costs of a straight and of a diagonal step of a uniform profile.
    costs: [Cost; 2],
    /// Fingerprint of each tile, in row order.
    fingerprints: Vec<u64>,
    /// Exclusive or of all tile fingerprints.
    all_tiles: u64,
    /// Computed on first use after an edit.
    components: OnceLock<Components>,
}

impl Ground {
    pub(crate) fn new(size: Size, rules: MoveRules, profile: Profile) -> Self {
        let width = size.width() as i32;
        Self {
            size,
            rules,
            profile,
            rows: BitGrid::new(size.width(), size.height()),
            columns: BitGrid::new(size.height(), size.width()),
            open: BitGrid::new(size.width(), size.height()),
            moves: vec![0; size.area()],
            halves: if profile.is_uniform() { Vec::new() } else { vec![0; size.area()] },
            extra: Vec::new(),
            extra_cells: 0,
            max_halves: profile.max_halves(),
            offsets: Direction::ALL.map(|direction| direction.dy() * width + direction.dx()),
            costs: profile.min_step_costs(),
            all_tiles: 0,
            fingerprints: vec![0; size.tile_count()],
            components: OnceLock::new(),
        }
    }

    /// Returns the fingerprint of a 32×32 tile: a hash of the states of its cells. Tiles are numbered in row order.
    ///
    /// A cache stores the fingerprints of the tiles that an entry was computed from. The entry is stale if one of them
    /// differs, whether the ground was edited or is a different one.
    pub fn tile_fingerprint(&self, tile: usize) -> u64 {
        self.fingerprints[tile]
    }

    /// Returns the fingerprint of the whole ground: size, movement rules and cell states.
    pub fn fingerprint(&self) -> u64 {
        let size = u64::from(self.size.width()) << 32 | u64::from(self.size.height());
        let rules = u64::from(self.rules.four_way) << 2 | self.rules.corners as u64;
        size.rotate_left(8) ^ rules ^ self.all_tiles
    }

    /// Recomputes the legal moves of the cells between two corners, both included, and of the cells that share a bitmap
    /// word with them. Drops the connected components.
    pub(crate) fn refresh_moves(&mut self, min: Pos, max: Pos) {
        let _stale = self.components.take();
        let width = self.size.width() as usize;
        for y in min.y as usize..=max.y as usize {
            for word in min.x as usize / 64..=max.x as usize / 64 {
                let free = self.rows.row(y as u32)[word];
                let neighbours = self.rows.neighbours_of_word(word, y as u32);
                // Only the mixed rule reads the terrain below blocked cells.
                let open = match self.rules.corners {
                    Corners::Mixed => self.open.neighbours_of_word(word, y as u32),
                    _ => neighbours,
                };
                let cells = y * width + word * 64..y * width + (word * 64 + 64).min(width);
                for (x, moves) in self.moves[cells].iter_mut().enumerate() {
                    let legal = self.rules.legal(neighbours[x], open[x]);
                    *moves = if free >> x & 1 == 1 { legal } else { 0 };
                }
            }
        }
    }

    /// Returns the width and height.
    #[inline]
    pub fn size(&self) -> Size {
        self.size
    }

    /// Returns the movement rules.
    #[inline]
    pub fn rules(&self) -> MoveRules {
        self.rules
    }

    /// Returns the profile.
    #[inline]
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// Returns the cell at a position, `None` outside the map.
    #[inline]
    pub fn cell(&self, pos: Pos) -> Option<Cell> {
        self.size.cell(pos)
    }

    /// Returns the position of a cell.
    #[inline]
    pub fn pos(&self, cell: Cell) -> Pos {
        self.size.pos(cell)
    }

    /// Returns true if an agent may stand on the cell; false outside the map.
    #[inline]
    pub fn is_free(&self, cell: Cell) -> bool {
        cell.index() < self.moves.len() && self.rows.get(self.size.pos(cell))
    }

    /// Returns the number of free cells.
    pub fn free_count(&self) -> usize {
        self.rows.count()
    }

    /// Returns the free cells, in row order.
    pub fn free_cells(&self) -> impl Iterator<Item = Cell> + '_ {
        self.size.cells().filter(|&cell| self.is_free(cell))
    }

    /// Returns the free cells as a bitmap by row: bit `(x, y)`.
    #[inline]
    pub fn rows(&self) -> &BitGrid {
        &self.rows
    }

    /// Returns the free cells as a bitmap by column: bit `(y, x)`.
    #[inline]
    pub fn columns(&self) -> &BitGrid {
        &self.columns
    }

    /// Returns the legal moves out of a cell; none out of a cell that is not free.
    #[inline]
    pub fn moves(&self, cell: Cell) -> DirectionSet {
        self.moves.get(cell.index()).copied().unwrap_or(0)
    }

    /// Returns the legal moves out of every cell.
    #[inline]
    pub fn all_moves(&self) -> &[DirectionSet] {
        &self.moves
    }

    /// Returns the difference of cell numbers of a step, per direction.
    #[inline]
    pub fn offsets(&self) -> &[i32; 8] {
        &self.offsets
    }

    /// Returns the cell one step away. The step must stay on the map, as every legal move does; otherwise the result is
    /// meaningless.
    #[inline]
    pub fn step(&self, cell: Cell, direction: Direction) -> Cell {
        Cell(cell.0.wrapping_add_signed(self.offsets[direction as usize]))
    }

    /// Returns the cells reachable in one legal move, in the order of the directions' numbers.
    #[inline]
    pub fn neighbours(&self, cell: Cell) -> impl Iterator<Item = (Direction, Cell)> + '_ {
        directions(self.moves(cell)).map(move |direction| (direction, self.step(cell, direction)))
    }

    /// Returns the direction of the legal move between two cells, `None` if there is none.
    pub fn legal_step(&self, from: Cell, to: Cell) -> Option<Direction> {
        if from.max(to).index() >= self.moves.len() {
            return None;
        }
        let direction = Direction::between(self.pos(from), self.pos(to))?;
        (self.moves(from) & direction.bit() != 0).then_some(direction)
    }

    /// Returns the cost of a path, `None` if it is empty or one of its steps is not legal.
    pub fn path_cost(&self, path: &[Cell]) -> Option<Cost> {
        if !self.is_free(*path.first()?) {
            return None;
        }
        path.windows(2).try_fold(0, |sum: Cost, pair| {
            let direction = self.legal_step(pair[0], pair[1])?;
            sum.checked_add(self.cost(pair[0], direction))
        })
    }

    /// Returns the connected components. They are computed on the first call after an edit.
    pub fn components(&self) -> &Components {
        self.components.get_or_init(|| Components::of(self))
    }

    /// Returns true if a path leads from one cell to the other.
    #[inline]
    pub fn reachable(&self, from: Cell, to: Cell) -> bool {
        let components = self.components();
        components.label(self, from).is_some_and(|label| components.label(self, to) == Some(label))
    }
}
