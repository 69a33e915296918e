//! Compressed path databases: an oracle that knows the first move of every shortest path of a map, and searches that
//! use it when the map has changed since.
//!
//! ```
//! use throng_cpd::Cpd;
//! use throng_grid::{Direction, Grid, MoveRules, Pos, Tiles};
//!
//! let grid = Grid::new(
//!     Tiles::picture(
//!         "...
//!          @@.
//!          ...",
//!     ),
//!     MoveRules::default(),
//! );
//! let cpd = Cpd::build(grid.ground());
//! let (from, to) = (grid.cell(Pos::new(0, 0)).unwrap(), grid.cell(Pos::new(0, 2)).unwrap());
//! assert_eq!(cpd.first_move(from, to), Some(Direction::East));
//! assert_eq!(cpd.distance(from, to), Some(6 * throng_grid::moves::STRAIGHT));
//! let file = cpd.to_bytes();
//! assert!(Cpd::open(&file, grid.ground()).is_ok());
//! ```

mod build;
mod change;
mod database;
mod dynamic;
mod file;
mod fingerprint;
mod glance;
mod oracle;
mod order;
mod perturb;
mod registry;
mod rows;
mod runs;
mod shadow;
mod space;
mod sweep;
mod walls;
mod ways;

pub use build::{Build, Parallel, sequential};
pub use database::{Cpd, Toward};
pub use file::{Info, Refused};
pub use perturb::{Perturbation, Perturbed};
pub use registry::{CpdSearch, SEARCHES, any_search, search, search_infos};
