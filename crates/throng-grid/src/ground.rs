//! The map as one kind of character sees it: free cells as bitmaps, legal moves a cell, costs, components.

use std::sync::OnceLock;

use crate::grid::TILE;
use crate::hash::splitmix64;
use crate::moves::{DIAGONAL, STRAIGHT};
use crate::{
    BitGrid, Cell, Components, Corners, Cost, Direction, DirectionSet, MoveRules, Pos, Profile, Size,
    directions,
};

/// The map as one [`Profile`] sees it. A [`Grid`](crate::Grid) keeps one for each of its profiles and changes
/// it with every edit; searches read it.
#[derive(Clone, Debug)]
pub struct Ground {
    size: Size,
    rules: MoveRules,
    profile: Profile,
    /// Free now, by row.
    rows: BitGrid,
    /// Free now, by column: bit `y` of row `x`.
    columns: BitGrid,
    /// Enterable terrain, whatever stands on it: what the `mixed` corner rule asks.
    open: BitGrid,
    /// Legal moves out of each cell, none out of blocked ones.
    moves: Vec<DirectionSet>,
    /// Multipliers in halves, a cell each; empty when the profile is uniform.
    halves: Vec<u8>,
    offsets: [i32; 8],
    /// Cost of a straight and of a diagonal move where all cells cost the same.
    costs: [Cost; 2],
    /// A hash of each tile's cells.
    fingerprints: Vec<u64>,
    /// All of them together.
    all_tiles: u64,
    components: OnceLock<Components>,
}

/// What a cell in a state adds to the hash of its tile; nothing for a cell that is not enterable.
const fn mix(cell: Cell, halves: u8, blocked: bool) -> u64 {
    if halves == 0 {
        return 0;
    }
    splitmix64((cell.0 as u64) << 8 | (halves as u64) << 1 | blocked as u64)
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
            offsets: Direction::ALL.map(|direction| direction.dy() * width + direction.dx()),
            costs: profile.min_step_costs(),
            all_tiles: 0,
            fingerprints: vec![0; (size.width().div_ceil(TILE) * size.height().div_ceil(TILE)) as usize],
            components: OnceLock::new(),
        }
    }

    /// Puts a cell into its state; [`Ground::refresh`] must follow. Says whether anything changed.
    pub(crate) fn put(&mut self, cell: Cell, halves: u8, blocked: bool) -> bool {
        let pos = self.size.pos(cell);
        let (open, free) = (halves > 0, halves > 0 && !blocked);
        let before = (self.halves_at(cell, pos), self.open.get(pos) && !self.rows.get(pos));
        let after = (halves, open && blocked);
        if before == after {
            return false;
        }
        let tile = self.tile(pos);
        let change = mix(cell, before.0, before.1) ^ mix(cell, after.0, after.1);
        self.fingerprints[tile] ^= change;
        self.all_tiles ^= change;
        self.open.set(pos, open);
        self.rows.set(pos, free);
        self.columns.set(Pos::new(pos.y, pos.x), free);
        if let Some(slot) = self.halves.get_mut(cell.index()) {
            *slot = halves;
        }
        true
    }

    /// The multiplier of a cell in halves, 0 when it may not be entered.
    fn halves_at(&self, cell: Cell, pos: Pos) -> u8 {
        match self.halves.get(cell.index()) {
            Some(&halves) => halves,
            None if self.open.get(pos) => self.profile.min_halves(),
            None => 0,
        }
    }

    /// A hash of every cell of a 32×32 tile, as this profile sees it. Tiles are numbered in row order.
    ///
    /// Whoever keeps something computed from a ground keeps the fingerprints of the tiles it looked at, and
    /// knows by them when it is stale: on this ground after edits as well as on another ground.
    pub fn tile_fingerprint(&self, tile: usize) -> u64 {
        self.fingerprints[tile]
    }

    /// A hash of the whole ground.
    pub fn fingerprint(&self) -> u64 {
        let size = u64::from(self.size.width()) << 32 | u64::from(self.size.height());
        let rules = u64::from(self.rules.four_way) << 2 | self.rules.corners as u64;
        size.rotate_left(8) ^ rules ^ self.all_tiles
    }

    /// Puts every cell of a new ground into its state, in row order, and computes the rest from it.
    pub(crate) fn fill(&mut self, mut cells: impl Iterator<Item = (u8, bool)>) {
        let (width, height) = (self.size.width() as i32, self.size.height() as i32);
        let mut number = 0;
        for y in 0..height {
            for x in 0..width {
                let (cell, pos) = (Cell(number), Pos::new(x, y));
                number += 1;
                let (halves, blocked) = cells.next().unwrap_or((0, false));
                if halves == 0 {
                    continue;
                }
                self.open.set(pos, true);
                if !blocked {
                    self.rows.set(pos, true);
                    self.columns.set(Pos::new(y, x), true);
                }
                let tile = self.tile(pos);
                let mixed = mix(cell, halves, blocked);
                self.fingerprints[tile] ^= mixed;
                self.all_tiles ^= mixed;
                if let Some(slot) = self.halves.get_mut(cell.index()) {
                    *slot = halves;
                }
            }
        }
        self.refresh(Pos::new(0, 0), Pos::new(width - 1, height - 1));
    }

    /// Recomputes the legal moves of the cells between two corners, both included, and of those that share a word
    /// of the bitmaps with them.
    pub(crate) fn refresh(&mut self, min: Pos, max: Pos) {
        let _stale = self.components.take();
        let width = self.size.width() as usize;
        for y in min.y as usize..=max.y as usize {
            for word in min.x as usize / 64..=max.x as usize / 64 {
                let free = self.rows.row(y as u32)[word];
                let neighbours = self.rows.neighbours_of_word(word, y as u32);
                // Only the mixed rule asks what lies below.
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

    fn tile(&self, pos: Pos) -> usize {
        (pos.y as u32 / TILE * self.size.width().div_ceil(TILE) + pos.x as u32 / TILE) as usize
    }

    /// Width and height.
    #[inline]
    pub fn size(&self) -> Size {
        self.size
    }

    /// How characters move here.
    #[inline]
    pub fn rules(&self) -> MoveRules {
        self.rules
    }

    /// Whose view this is.
    #[inline]
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The cell at a place, `None` outside.
    #[inline]
    pub fn cell(&self, pos: Pos) -> Option<Cell> {
        self.size.cell(pos)
    }

    /// The place of a cell.
    #[inline]
    pub fn pos(&self, cell: Cell) -> Pos {
        self.size.pos(cell)
    }

    /// Whether a character may stand on the cell.
    #[inline]
    pub fn is_free(&self, cell: Cell) -> bool {
        self.rows.get(self.size.pos(cell))
    }

    /// Number of free cells.
    pub fn free_count(&self) -> usize {
        self.rows.count()
    }

    /// The free cells, in row order.
    pub fn free_cells(&self) -> impl Iterator<Item = Cell> + '_ {
        self.size.cells().filter(|&cell| self.is_free(cell))
    }

    /// Free cells as a bitmap by row: bit `(x, y)`.
    #[inline]
    pub fn rows(&self) -> &BitGrid {
        &self.rows
    }

    /// Free cells as a bitmap by column: bit `(y, x)`.
    #[inline]
    pub fn columns(&self) -> &BitGrid {
        &self.columns
    }

    /// The legal moves out of a cell; none out of a blocked one.
    #[inline]
    pub fn moves(&self, cell: Cell) -> DirectionSet {
        self.moves[cell.index()]
    }

    /// What to add to a cell's number for a step, a direction each.
    #[inline]
    pub fn offsets(&self) -> &[i32; 8] {
        &self.offsets
    }

    /// The cell one step away. Meaningful for steps that stay on the map, as every legal move does.
    #[inline]
    pub fn step(&self, cell: Cell, direction: Direction) -> Cell {
        Cell(cell.0.wrapping_add_signed(self.offsets[direction as usize]))
    }

    /// The cells that can be reached in one legal move, in the order of the directions' numbers.
    #[inline]
    pub fn neighbours(&self, cell: Cell) -> impl Iterator<Item = (Direction, Cell)> + '_ {
        directions(self.moves(cell)).map(move |direction| (direction, self.step(cell, direction)))
    }

    /// The direction of a legal move between two cells, `None` when there is none.
    pub fn legal_step(&self, from: Cell, to: Cell) -> Option<Direction> {
        let direction = Direction::between(self.pos(from), self.pos(to))?;
        (self.moves(from) & direction.bit() != 0).then_some(direction)
    }

    /// The multipliers in halves, a cell each; empty when all are [`Profile::min_halves`].
    #[inline]
    pub fn halves(&self) -> &[u8] {
        &self.halves
    }

    /// Cost of a legal move: the average multiplier of its two ends, times its length.
    #[inline]
    pub fn cost(&self, from: Cell, direction: Direction) -> Cost {
        if self.halves.is_empty() {
            return self.costs[usize::from(direction.is_diagonal())];
        }
        let both = Cost::from(self.halves[from.index()])
            + Cost::from(self.halves[self.step(from, direction).index()]);
        both * if direction.is_diagonal() { DIAGONAL / 4 } else { STRAIGHT / 4 }
    }

    /// Cost of a path given cell by cell; `None` when a step of it is not legal, or it has no cell.
    pub fn path_cost(&self, path: &[Cell]) -> Option<Cost> {
        if !self.is_free(*path.first()?) {
            return None;
        }
        path.windows(2).try_fold(0, |sum: Cost, pair| {
            let direction = self.legal_step(pair[0], pair[1])?;
            sum.checked_add(self.cost(pair[0], direction))
        })
    }

    /// Connected parts, relabelled on the first question after any number of edits.
    pub fn components(&self) -> &Components {
        self.components.get_or_init(|| Components::of(self))
    }

    /// Whether a way leads from one cell to the other.
    #[inline]
    pub fn reachable(&self, from: Cell, to: Cell) -> bool {
        let components = self.components();
        components.label(self, from).is_some_and(|label| components.label(self, to) == Some(label))
    }

    /// The cell nearest to `to`, in a straight line, among those that can be reached from `from`; ties go to the
    /// lowest cell number. `None` when `from` is blocked.
    pub fn nearest_reachable(&self, from: Cell, to: Pos) -> Option<Cell> {
        self.nearest_reachable_where(from, to, |_| true)
    }

    /// The same among the cells that pass a test. `None` when none does.
    pub fn nearest_reachable_where(&self, from: Cell, to: Pos, test: impl Fn(Cell) -> bool) -> Option<Cell> {
        let components = self.components();
        let label = components.label(self, from)?;
        self.nearest_where(to, |cell| components.label(self, cell) == Some(label) && test(cell))
    }

    /// The cell nearest to `to`, in a straight line, among all that pass a test, whatever part of the map they are in
    /// and free or not; ties go to the lowest cell number.
    pub fn nearest_where(&self, to: Pos, test: impl Fn(Cell) -> bool) -> Option<Cell> {
        let (width, height) = (self.size.width() as i32, self.size.height() as i32);
        // Square rings around the target, or around the cell of the map nearest to it.
        let center = Pos::new(to.x.clamp(0, width - 1), to.y.clamp(0, height - 1));
        let apart = |a: i32, b: i32| i128::from(a.abs_diff(b));
        let (dx, dy) = (apart(to.x, center.x), apart(to.y, center.y));
        let mut best: Option<(i128, Cell)> = None;
        for radius in 0..width.max(height) {
            let ring = Ring { center, radius, width, height };
            for pos in ring.places() {
                if let Some(cell) = self.cell(pos)
                    && test(cell)
                {
                    let found = (apart(pos.x, to.x).pow(2) + apart(pos.y, to.y).pow(2), cell);
                    best = Some(best.map_or(found, |known| known.min(found)));
                }
            }
            // The nearest that a further ring can come: straight out along one axis. From outside, out is away.
            let out = i128::from(radius) + 1;
            let next = ((dx + out).pow(2) + dy.pow(2)).min(dx.pow(2) + (dy + out).pow(2));
            if best.is_some_and(|(distance, _)| next > distance) {
                break;
            }
        }
        best.map(|(_, cell)| cell)
    }
}

/// The cells of a map at one Chebyshev distance from a cell.
#[derive(Clone, Copy)]
struct Ring {
    center: Pos,
    radius: i32,
    width: i32,
    height: i32,
}

impl Ring {
    fn places(self) -> impl Iterator<Item = Pos> {
        let Self { center, radius, width, height } = self;
        let columns = (center.x - radius).max(0)..=(center.x + radius).min(width - 1);
        let rows = (center.y - radius + 1).max(0)..=(center.y + radius - 1).min(height - 1);
        let across =
            columns.flat_map(move |x| [center.y - radius, center.y + radius].map(|y| Pos::new(x, y)));
        let along = rows.flat_map(move |y| [center.x - radius, center.x + radius].map(|x| Pos::new(x, y)));
        across.chain(along)
    }
}
