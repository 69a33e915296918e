//! Flow annotation: restricts the moves on a map to one-way streets, as FAR does.
//!
//! Most edges of the grid are removed and the others become one-way: even rows lead west and odd rows east, even columns
//! lead north and odd columns south, counted from 0. Corridors (edges at a cell with at most two legal moves) stay
//! bidirectional. A sink, which has no outgoing edge, gets its outgoing diagonals; a source, which has no incoming edge,
//! gets its incoming diagonals.
//!
//! K.-H. C. Wang, A. Botea, *Fast and Memory-Efficient Multi-Agent Pathfinding*, ICAPS 2008, as described in
//! D. Sigurdson et al., *Multi-Agent Pathfinding with Real-Time Heuristic Search*, CIG 2018.
//!
//! Departure: the latter opens edges around sinks and sources that are close to each other by local rules. These rules
//! do not suffice on half of the paper's maps. Here strongly connected components decide, separately for each 32×32
//! tile. They are computed on the annotated edges of the tile and of the [`MARGIN`] cells around it. Each legal edge
//! belongs to the tile of one of its ends. If its ends are in different components, the edge is made bidirectional and
//! the components are merged; straight edges come first. The ends of every legal edge can therefore reach each other, so
//! any two cells that are connected on the map are connected in the flow annotation too.
//!
//! A tile may open an edge that a long detour outside its margin makes unnecessary. In exchange an edit costs only the
//! tiles around it. The result depends on the ground alone, not on the order of edits.

mod annotation;
mod components;
mod flows;
mod rect;

pub use flows::Flows;

use throng_grid::{Cell, Direction, DirectionSet, Ground, MoveRules, Profile, Size};

use annotation::{AnnotatedMoves, REACH, annotate};
use components::StrongComponents;
use rect::CellRect;

/// Width in cells of the margin around a tile in which strongly connected components are computed. A larger margin opens
/// fewer edges and makes edits more expensive. On open ground the smallest cycle has four cells.
const MARGIN: i32 = 8;

/// The flow annotation of a ground: the moves of agents that follow the one-way streets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flow {
    /// Outgoing moves by cell.
    out: Vec<DirectionSet>,
    /// Moves by cell before edges are opened for connectivity.
    annotated: Vec<AnnotatedMoves>,
    /// Edges made bidirectional, by tile.
    opened: Vec<Vec<(Cell, Direction)>>,
    /// Hashes of the outgoing moves, by tile.
    hashes: Vec<u64>,
    /// Fingerprints of the ground's tiles at the last update.
    tiles: Vec<u64>,
    /// Fingerprint of the ground at the last update.
    fingerprint: u64,
    kind: (Size, MoveRules, Profile),
}

impl Flow {
    /// Returns the flow annotation of a ground in O(cells).
    pub fn of(ground: &Ground) -> Self {
        let size = ground.size();
        let tiles = size.tile_count();
        let mut flow = Self {
            out: vec![0; size.area()],
            annotated: Vec::new(),
            opened: vec![Vec::new(); tiles],
            hashes: vec![0; tiles],
            tiles: (0..tiles).map(|tile| ground.tile_fingerprint(tile)).collect(),
            fingerprint: ground.fingerprint(),
            kind: ground_kind(ground),
        };
        let whole = CellRect { left: 0, top: 0, right: size.width() as i32, bottom: size.height() as i32 };
        annotate(ground, whole, &mut flow.annotated);
        flow.reconnect(ground, |_| true);
        flow
    }

    /// Updates the annotation to the present ground. The result equals [`Flow::of`]; the cost is proportional to the
    /// changed tiles and their neighbours.
    pub fn follow(&mut self, ground: &Ground) {
        if self.is_current(ground) {
            return;
        }
        if self.kind != ground_kind(ground) {
            *self = Self::of(ground);
            return;
        }
        self.fingerprint = ground.fingerprint();
        let (mut changed, mut buffer) = (Vec::new(), Vec::new());
        for tile in 0..self.tiles.len() {
            let now = ground.tile_fingerprint(tile);
            if std::mem::replace(&mut self.tiles[tile], now) != now {
                changed.extend(self.annotate_tile(ground, tile, &mut buffer));
            }
        }
        let size = ground.size();
        self.reconnect(ground, |tile| {
            let surroundings = CellRect::tile(size, tile).around(size, MARGIN);
            changed.iter().any(|&rect| surroundings.overlaps(rect))
        });
    }

    /// Returns true if the annotation belongs to the present state of this ground.
    pub fn is_current(&self, ground: &Ground) -> bool {
        self.fingerprint == ground.fingerprint() && self.kind == ground_kind(ground)
    }

    /// Returns the profile of the ground.
    pub fn profile(&self) -> Profile {
        self.kind.2
    }

    /// Returns the outgoing moves of a cell, a subset of its legal moves.
    #[inline]
    pub fn moves(&self, cell: Cell) -> DirectionSet {
        self.out[cell.index()]
    }

    /// Returns a hash of the outgoing moves of a tile's cells. An edit can change the hashes of the adjacent tiles too.
    pub fn tile_fingerprint(&self, tile: usize) -> u64 {
        self.hashes[tile]
    }

    /// Returns the number of edges made bidirectional for connectivity.
    pub fn opened_edges(&self) -> usize {
        self.opened.iter().map(Vec::len).sum()
    }

    /// Returns the memory in use, in bytes.
    pub fn memory_bytes(&self) -> usize {
        let opened = self.opened.iter().map(|edges| edges.capacity() * size_of::<(Cell, Direction)>());
        self.out.capacity()
            + self.annotated.capacity() * size_of::<AnnotatedMoves>()
            + (self.hashes.capacity() + self.tiles.capacity()) * size_of::<u64>()
            + opened.sum::<usize>()
    }

    /// Annotates a tile and its surroundings again. Returns the bounding rectangle of the cells whose moves changed.
    fn annotate_tile(
        &mut self,
        ground: &Ground,
        tile: usize,
        buffer: &mut Vec<AnnotatedMoves>,
    ) -> Option<CellRect> {
        let size = ground.size();
        let rect = CellRect::tile(size, tile).around(size, REACH);
        // Cells at the border of the annotated rectangle lack the diagonals of sinks and sources outside it.
        let wider = rect.around(size, 1);
        annotate(ground, wider, buffer);
        let mut changed: Option<CellRect> = None;
        let offset = (rect.left - wider.left) as usize;
        let skipped = (rect.top - wider.top) as usize;
        let fresh = buffer.chunks(wider.width()).skip(skipped);
        for ((y, row), fresh_row) in (rect.top..).zip(rect.rows(size)).zip(fresh) {
            for ((x, known), &now) in (rect.left..).zip(&mut self.annotated[row]).zip(&fresh_row[offset..]) {
                if std::mem::replace(known, now) != now {
                    let bounds = changed.unwrap_or(CellRect { left: x, top: y, right: x, bottom: y });
                    changed = Some(CellRect {
                        left: bounds.left.min(x),
                        top: bounds.top,
                        right: bounds.right.max(x + 1),
                        bottom: y + 1,
                    });
                }
            }
        }
        changed
    }

    /// Recomputes the opened edges of stale tiles and the moves of these tiles.
    fn reconnect(&mut self, ground: &Ground, is_stale: impl Fn(usize) -> bool) {
        let size = ground.size();
        let stale: Vec<usize> = (0..self.tiles.len()).filter(|&tile| is_stale(tile)).collect();
        let mut components = StrongComponents::default();
        let mut affected = Vec::new();
        for &tile in &stale {
            let rect = CellRect::tile(size, tile);
            let surroundings = rect.around(size, MARGIN);
            components.open_edges(ground, &self.annotated, (rect, surroundings), &mut self.opened[tile]);
            // An opened edge may end in an adjacent tile.
            let border = rect.around(size, 1);
            for row in border.rows(size) {
                for cell in row {
                    self.out[cell] = self.annotated[cell].out;
                }
            }
            affected.extend(border.tiles(size));
        }
        affected.sort_unstable();
        affected.dedup();
        for &tile in &affected {
            for i in 0..self.opened[tile].len() {
                let (cell, direction) = self.opened[tile][i];
                self.open(cell, ground.step(cell, direction), direction);
            }
        }
        for tile in affected {
            self.hashes[tile] = self.hash(size, tile);
        }
    }

    /// Makes the edge between two neighbouring cells bidirectional.
    fn open(&mut self, from: Cell, to: Cell, direction: Direction) {
        for (cell, direction) in [(from, direction), (to, direction.opposite())] {
            self.out[cell.index()] |= direction.bit();
        }
    }

    fn hash(&self, size: Size, tile: usize) -> u64 {
        let bytes = CellRect::tile(size, tile).rows(size).flat_map(|row| &self.out[row]);
        // The tile number makes hashes of tiles with equal moves differ, because searches combine the hashes of tiles.
        bytes.fold(tile as u64 + 1, |hash, &moves| {
            (hash.rotate_left(9) ^ u64::from(moves)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        })
    }
}

fn ground_kind(ground: &Ground) -> (Size, MoveRules, Profile) {
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
        // The upper left corner is a sink. The lower left corner is not.
        assert_eq!(at(0, 0), Direction::SouthEast.bit());
        assert_eq!(at(0, 5), set(&[Direction::East, Direction::North]));
        assert_eq!(flow.opened_edges(), 0);
    }

    #[test]
    fn corridors_are_bidirectional() {
        let (grid, flow) = flow(
            "###..
             .....
             ###..",
        );
        let at = |x, y| flow.moves(grid.cell(throng_grid::Pos::new(x, y)).unwrap());
        assert_eq!(at(0, 1), Direction::East.bit());
        assert_eq!(at(1, 1), set(&[Direction::East, Direction::West]));
        assert!(at(3, 1) & Direction::West.bit() != 0, "the entrance of the corridor");
    }

    #[test]
    fn moves_are_legal() {
        let (grid, flow) = flow("....#..\n.#.....\n...#...\n##....#\n.......");
        let ground = grid.ground();
        for cell in ground.free_cells() {
            assert_eq!(flow.moves(cell) & !ground.moves(cell), 0);
        }
    }

    #[test]
    fn follow_equals_a_new_annotation_after_an_edit() {
        let (mut grid, mut flow) = flow(".....\n.....\n.....");
        assert!(flow.is_current(grid.ground()));
        grid.block(throng_grid::Pos::new(2, 1));
        assert!(!flow.is_current(grid.ground()));
        flow.follow(grid.ground());
        assert!(flow.is_current(grid.ground()) && flow == Flow::of(grid.ground()));
    }

    #[test]
    fn an_edit_changes_only_the_fingerprints_of_nearby_tiles() {
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
        assert!(flow == Flow::of(other.ground()), "other move rules");
    }
}
