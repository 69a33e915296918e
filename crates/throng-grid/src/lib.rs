//! Grid maps for multi-agent pathfinding: terrain, legal moves, edits, connected components, map files, generators,
//! pictures.
//!
//! [`Tiles`] is the terrain of a map, one [`Terrain`] class per cell, read from a file or generated. [`Grid`] is an
//! editable map: the tiles, cells blocked on top of them, and one [`Ground`] per [`Profile`]. A profile describes one
//! kind of agent: the terrain it may enter and at what cost. A `Ground` is the passability graph of the map for that
//! profile: its free cells, legal moves, step costs and connected components. Searches read a `Ground`.
//!
//! ```
//! use throng_grid::{Area, Grid, MoveRules, Pos, Tiles};
//!
//! let mut grid = Grid::new(
//!     Tiles::picture(
//!         "..#..
//!          .....
//!          ..#..",
//!     ),
//!     MoveRules::default(),
//! );
//! let (west, east) = (grid.cell(Pos::new(0, 0)).unwrap(), grid.cell(Pos::new(4, 2)).unwrap());
//! assert!(grid.ground().reachable(west, east));
//! grid.block(Pos::new(2, 1)); // close the door
//! assert!(!grid.ground().reachable(west, east));
//! grid.unblock(Area::rect(Pos::new(2, 0), Pos::new(2, 2)));
//! assert!(grid.ground().reachable(west, east));
//! ```

mod area;
mod bits;
pub mod builtin;
mod classes;
mod components;
mod corners;
mod direction;
mod distance_transform;
pub mod generate;
mod grid;
mod ground;
pub mod hash;
mod layers;
pub mod limits;
pub mod moves;
pub mod movingai;
mod pos;
mod profile_builder;
mod queries;
pub mod regions;
#[cfg(feature = "render")]
pub mod render;
mod rng;
pub mod scene;
pub mod spec;
mod terrain;
#[cfg(test)]
mod testing;
mod tile;
mod tiles;
mod union_find;

pub use area::Area;
pub use bits::BitGrid;
pub use classes::Classes;
pub use components::Components;
pub use distance_transform::DistanceTransform;
pub use grid::{Grid, ProfileId, SavedEdits};
pub use ground::{CellState, ComponentCells, Ground};
pub use layers::{CostOverlay, Layers, OverlayError};
pub use moves::{Corners, Cost, Direction, DirectionSet, MoveRules, Steps, directions};
pub use pos::{Cell, Pos, Size};
pub use profile_builder::{ProfileBuilder, ProfileError};
pub use queries::random_queries;
pub use rng::SeededRng;
pub use terrain::{Profile, Terrain};
pub use tile::TILE;
pub use tiles::Tiles;

/// The maximum width and height of a grid, in cells.
pub const MAX_SIDE: u32 = 65_535;

/// The maximum number of cells of a grid: 4096×4096.
///
/// Costs are `u32`. A shortest path visits no cell twice, so with a maximum cost multiplier `m` no path cost
/// overflows on a map of up to `1_860_000 / m` free cells, whatever its walls (1,364×1,364 at multiplier 1). On a
/// larger map an overflow needs a shortest path of more than 2.6 million straight steps; searches saturate the cost
/// and report no path.
pub const MAX_CELLS: u32 = 1 << 24;
