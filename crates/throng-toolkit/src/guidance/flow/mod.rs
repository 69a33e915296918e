//! One-way streets: the flow annotations of FAR.
//!
//! The original graph loses most of its edges and keeps directions for the rest: even rows lead west and odd ones
//! east, even columns north and odd ones south, counted from 0. Corridors (edges at a cell with at most two moves)
//! stay open both ways. A cell that nothing leads out of gets its diagonals outwards, one that nothing leads into
//! gets them inwards.
//!
//! K.-H. C. Wang, A. Botea, *Fast and Memory-Efficient Multi-Agent Pathfinding*, ICAPS 2008; as D. Sigurdson et al.,
//! *Multi-Agent Pathfinding with Real-Time Heuristic Search*, CIG 2018, tell it. There, edges around sinks and
//! sources that lie close to each other are opened by local rules. These do not suffice on half of the paper's maps,
//! so here strongly connected components decide, of one part of the map at a time.
//!
//! For each 32×32 tile they are those of its streets and the ones [`RING`] cells around it. Each legal edge belongs to
//! the tile of one of its ends; where the ends are in different components, the edge is opened both ways and joins
//! them, straight edges first. So the ends of *every* legal edge can reach each other: by streets inside the tile's
//! surroundings, all of which are in the flow, or over edges that were opened both ways, which are too. A way on the
//! map is a chain of legal edges; hence every two cells that could reach each other can do so in the flow. An edge is
//! opened now and then that a long way round would have made superfluous; in exchange, what is opened depends on
//! the surroundings alone, and an edit costs the tiles around it, not the map. The whole depends on the ground alone,
//! not on how it came to be.

mod part;
mod streets;
mod strong;

use throng_grid::{Cell, Direction, DirectionSet, Ground, MoveRules, Profile, Size};

use part::Part;
use streets::{Lanes, REACH, lay_streets};
use strong::Strong;

/// How far around a tile ways are looked for that make an edge superfluous. In the open four cells make a circle.
const RING: i32 = 8;

/// The moves of a ground that are left to agents who keep to the one-way streets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flow {
    /// Moves out of each cell.
    out: Vec<DirectionSet>,
    /// Where moves into each cell come from.
    into: Vec<DirectionSet>,
    /// The same before anything was opened to keep cells connected.
    plain: Vec<Lanes>,
    /// The edges that each tile opened both ways.
    opened: Vec<Vec<(Cell, Direction)>>,
    /// A hash of the moves out of each tile's cells.
    hashes: Vec<u64>,
    /// The ground's fingerprints of its tiles and of the whole.
    tiles: Vec<u64>,
    fingerprint: u64,
    kind: (Size, MoveRules, Profile),
}

impl Flow {
    /// The flow of a ground as it is now. O(cells).
    pub fn of(ground: &Ground) -> Self {
        let (size, cells) = (ground.size(), ground.size().area());
        let tiles = size.tile_count();
        let mut flow = Self {
            out: vec![0; cells],
            into: vec![0; cells],
            plain: Vec::new(),
            opened: vec![Vec::new(); tiles],
            hashes: vec![0; tiles],
            tiles: (0..tiles).map(|tile| ground.tile_fingerprint(tile)).collect(),
            fingerprint: ground.fingerprint(),
            kind: kind(ground),
        };
        let whole = Part { left: 0, top: 0, right: size.width() as i32, low: size.height() as i32 };
        lay_streets(ground, whole, &mut flow.plain);
        flow.reconnect(ground, |_| true);
        flow
    }

    /// Makes this the flow of a ground as it is now: the same as [`Flow::of`], for the cost of the tiles around those
    /// that have changed.
    pub fn follow(&mut self, ground: &Ground) {
        if self.is_current(ground) {
            return;
        }
        if self.kind != kind(ground) {
            *self = Self::of(ground);
            return;
        }
        self.fingerprint = ground.fingerprint();
        let (mut changed, mut streets) = (Vec::new(), Vec::new());
        for tile in 0..self.tiles.len() {
            let now = ground.tile_fingerprint(tile);
            if std::mem::replace(&mut self.tiles[tile], now) != now {
                changed.extend(self.lay_again(ground, tile, &mut streets));
            }
        }
        let size = ground.size();
        self.reconnect(ground, |tile| {
            let surroundings = Part::tile(size, tile).around(size, RING);
            changed.iter().any(|&part| surroundings.meets(part))
        });
    }

    /// Whether this is the flow of that ground as it is now.
    pub fn is_current(&self, ground: &Ground) -> bool {
        self.fingerprint == ground.fingerprint() && self.kind == kind(ground)
    }

    /// Whose view of the map it was made from.
    pub fn profile(&self) -> Profile {
        self.kind.2
    }

    /// The moves out of a cell: some of the ground's.
    #[inline]
    pub fn moves(&self, cell: Cell) -> DirectionSet {
        self.out[cell.index()]
    }

    /// The directions in which the cells lie that a move leads from into this cell: what a search backwards expands.
    #[inline]
    pub fn reverse_moves(&self, cell: Cell) -> DirectionSet {
        self.into[cell.index()]
    }

    /// A hash of the moves out of the cells of one of the ground's tiles. An edit may change streets in the tiles
    /// around it too.
    pub fn tile_fingerprint(&self, tile: usize) -> u64 {
        self.hashes[tile]
    }

    /// How many edges had to be opened both ways to keep everything connected.
    pub fn repairs(&self) -> usize {
        self.opened.iter().map(Vec::len).sum()
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> usize {
        let opened = self.opened.iter().map(|edges| edges.capacity() * size_of::<(Cell, Direction)>());
        self.out.capacity()
            + self.into.capacity()
            + self.plain.capacity() * size_of::<Lanes>()
            + (self.hashes.capacity() + self.tiles.capacity()) * size_of::<u64>()
            + opened.sum::<usize>()
    }

    /// Lays the streets in and around a tile again and says which part of them has changed.
    fn lay_again(&mut self, ground: &Ground, tile: usize, streets: &mut Vec<Lanes>) -> Option<Part> {
        let size = ground.size();
        let part = Part::tile(size, tile).around(size, REACH);
        // Those at the edge of what is laid lack the diagonals of dead ends beyond.
        let wider = part.around(size, 1);
        lay_streets(ground, wider, streets);
        let mut changed: Option<Part> = None;
        let inside = (part.left - wider.left) as usize;
        let skipped = (part.top - wider.top) as usize;
        let laid = streets.chunks(wider.width()).skip(skipped);
        for ((y, row), laid) in (part.top..).zip(part.rows(size)).zip(laid) {
            for ((x, known), &now) in (part.left..).zip(&mut self.plain[row]).zip(&laid[inside..]) {
                if std::mem::replace(known, now) != now {
                    let so_far = changed.unwrap_or(Part { left: x, top: y, right: x, low: y });
                    changed = Some(Part {
                        left: so_far.left.min(x),
                        top: so_far.top,
                        right: so_far.right.max(x + 1),
                        low: y + 1,
                    });
                }
            }
        }
        changed
    }

    /// Sees anew which edges some tiles have to open, and brings the moves there up to date.
    fn reconnect(&mut self, ground: &Ground, is_stale: impl Fn(usize) -> bool) {
        let size = ground.size();
        let stale: Vec<usize> = (0..self.tiles.len()).filter(|&tile| is_stale(tile)).collect();
        let mut strong = Strong::default();
        let mut near = Vec::new();
        for &tile in &stale {
            let part = Part::tile(size, tile);
            let surroundings = part.around(size, RING);
            strong.open_edges(ground, &self.plain, (part, surroundings), &mut self.opened[tile]);
            // An opened edge may lead into the next tile.
            let border = part.around(size, 1);
            for row in border.rows(size) {
                for cell in row {
                    let Lanes { out, into, .. } = self.plain[cell];
                    (self.out[cell], self.into[cell]) = (out, into);
                }
            }
            near.extend(border.tiles(size));
        }
        near.sort_unstable();
        near.dedup();
        for &tile in &near {
            for i in 0..self.opened[tile].len() {
                let (cell, direction) = self.opened[tile][i];
                self.open(cell, ground.step(cell, direction), direction);
            }
        }
        for tile in near {
            self.hashes[tile] = self.hash(size, tile);
        }
    }

    /// Lets moves between two neighbouring cells through, both ways.
    fn open(&mut self, from: Cell, to: Cell, direction: Direction) {
        for (cell, direction) in [(from, direction), (to, direction.opposite())] {
            self.out[cell.index()] |= direction.bit();
            self.into[cell.index()] |= direction.bit();
        }
    }

    fn hash(&self, size: Size, tile: usize) -> u64 {
        let bytes = Part::tile(size, tile).rows(size).flat_map(|row| &self.out[row]);
        // Tiles of equal moves differ, since searches put the hashes of several together.
        bytes.fold(tile as u64 + 1, |hash, &moves| {
            (hash.rotate_left(9) ^ u64::from(moves)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        })
    }
}

fn kind(ground: &Ground) -> (Size, MoveRules, Profile) {
    (ground.size(), ground.rules(), ground.profile())
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_grid::{Grid, Tiles};

    fn flow(picture: &str) -> (Grid, Flow) {
        let grid = Grid::new(Tiles::picture(picture), MoveRules::default());
        let flow = Flow::of(grid.ground());
        (grid, flow)
    }

    fn set(directions: &[Direction]) -> DirectionSet {
        directions.iter().fold(0, |set, direction| set | direction.bit())
    }

    #[test]
    fn rows_and_columns_alternate() {
        let (grid, flow) = flow("......\n......\n......\n......\n......\n......");
        let at = |x, y| flow.moves(grid.cell(throng_grid::Pos::new(x, y)).unwrap());
        assert_eq!(at(2, 2), set(&[Direction::West, Direction::North]));
        assert_eq!(at(3, 2), set(&[Direction::West, Direction::South]));
        assert_eq!(at(2, 3), set(&[Direction::East, Direction::North]));
        assert_eq!(at(3, 3), set(&[Direction::East, Direction::South]));
        // The upper left corner is a sink, and the lower left one is none.
        assert_eq!(at(0, 0), Direction::SouthEast.bit());
        assert_eq!(at(0, 5), set(&[Direction::East, Direction::North]));
        assert_eq!(flow.repairs(), 0);
    }

    #[test]
    fn corridors_stay_open_both_ways() {
        let (grid, flow) = flow(
            "###..
             .....
             ###..",
        );
        let at = |x, y| flow.moves(grid.cell(throng_grid::Pos::new(x, y)).unwrap());
        assert_eq!(at(0, 1), Direction::East.bit());
        assert_eq!(at(1, 1), set(&[Direction::East, Direction::West]));
        assert!(at(3, 1) & Direction::West.bit() != 0, "the way into the corridor");
    }

    #[test]
    fn backwards_is_the_reverse_of_forwards() {
        let (grid, flow) = flow("....#..\n.#.....\n...#...\n##....#\n.......");
        let ground = grid.ground();
        for cell in ground.free_cells() {
            for (direction, to) in ground.neighbours(cell) {
                let there = flow.moves(cell) & direction.bit() != 0;
                let back = flow.reverse_moves(to) & direction.opposite().bit() != 0;
                assert_eq!(there, back);
            }
            assert_eq!(flow.moves(cell) & !ground.moves(cell), 0);
            assert_eq!(flow.reverse_moves(cell) & !ground.moves(cell), 0);
        }
    }

    #[test]
    fn an_edit_makes_it_stale_and_following_makes_it_current_again() {
        let (mut grid, mut flow) = flow(".....\n.....\n.....");
        assert!(flow.is_current(grid.ground()));
        grid.block(throng_grid::Pos::new(2, 1));
        assert!(!flow.is_current(grid.ground()));
        flow.follow(grid.ground());
        assert!(flow.is_current(grid.ground()) && flow == Flow::of(grid.ground()));
    }

    #[test]
    fn an_edit_changes_the_fingerprints_of_the_tiles_around_it_only() {
        let tiles = Tiles::filled(Size::new(200, 200).unwrap(), throng_grid::Terrain::Ground);
        let mut grid = Grid::new(tiles, MoveRules::default());
        let mut flow = Flow::of(grid.ground());
        let before = flow.hashes.clone();
        grid.block(throng_grid::Pos::new(80, 80));
        flow.follow(grid.ground());
        let changed: Vec<usize> =
            (0..before.len()).filter(|&tile| flow.hashes[tile] != before[tile]).collect();
        assert_eq!(changed, [2 * 7 + 2]);
        let other = Grid::new(grid.tiles().clone(), MoveRules::FOUR_WAY);
        flow.follow(other.ground());
        assert!(flow == Flow::of(other.ground()), "another kind of ground");
    }
}
