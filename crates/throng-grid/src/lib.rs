//! Grid maps for crowds: terrain, moves, edits, connected parts, files, generators, pictures.
//!
//! A [`Tiles`] is a rectangle of [`Terrain`], read from a file or generated. A [`Grid`] is a map in use: it can
//! be edited, and keeps one [`Ground`] for each kind of character ([`Profile`]), which knows its free cells,
//! legal moves, costs and connected parts. Searches read a [`Ground`].
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
//! grid.block(Pos::new(2, 1)); // the door closes
//! assert!(!grid.ground().reachable(west, east));
//! grid.unblock(Area::rect(Pos::new(2, 0), Pos::new(2, 2)));
//! assert!(grid.ground().reachable(west, east));
//! ```

mod bits;
pub mod builtin;
mod components;
mod corners;
pub mod generate;
mod grid;
mod ground;
pub mod hash;
pub mod moves;
pub mod movingai;
mod pos;
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
mod tiles;

pub use bits::BitGrid;
pub use components::Components;
pub use grid::{Area, Grid, ProfileId, TILE};
pub use ground::Ground;
pub use moves::{Corners, Cost, Direction, DirectionSet, MoveRules, Steps, directions};
pub use pos::{Cell, Pos, Size};
pub use queries::random_queries;
pub use rng::SeededRng;
pub use terrain::{Profile, Terrain};
pub use tiles::Tiles;

/// The longest side of a grid.
pub const MAX_SIDE: u32 = 65_535;

/// The most cells of a grid: 4096×4096.
///
/// Costs are `u32`. A shortest path visits no cell twice, so with a largest multiplier `m` no cost can overflow
/// on any map of up to `1_860_000 / m` free cells, whatever its walls (1,364×1,364 on plain ground). Beyond that,
/// ways longer than 2.6 million plain steps would be needed; searches saturate there and report no path.
pub const MAX_CELLS: u32 = 1 << 24;
