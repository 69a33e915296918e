//! Compressed path databases (CPDs): the first move of a shortest path between any two cells of a map, and searches
//! that use a database after the map has changed.
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

mod bounds;
mod builder;
mod changed_map;
mod cpd_space;
mod database;
mod detour;
mod file;
mod fingerprint;
mod map_change;
mod node_order;
mod path_cache;
mod perturbation;
mod registry;
mod row_encoding;
mod row_table;
mod source_search;
mod target_repair;
mod wall_following;

use throng_grid::limits::Limit;

/// A path database.
pub const CPD_FILE: Limit = Limit {
    name: "cpd-file",
    max: 8 << 30,
    unit: "bytes",
    what: "a path database",
    reason: "a map of a million free cells has about 1 GB",
};

/// The limits on path databases.
pub const LIMITS: &[Limit] = &[CPD_FILE];

pub use builder::{CpdBuilder, Parallel, sequential};
pub use database::{Cpd, Toward};
pub use file::{CpdFileError, CpdInfo};
pub use perturbation::{Perturbation, Perturbed};
pub use registry::{CpdSearch, SEARCHES, any_search, search_infos};
