//! A resumable best-first search loop, and the grid searches composed from it.
//!
//! Create a search by name and run queries:
//!
//! ```
//! use throng_grid::{Grid, MoveRules, Pos, Tiles};
//!
//! let grid = Grid::new(
//!     Tiles::picture(
//!         "...
//!          @@.
//!          ...",
//!     ),
//!     MoveRules::default(),
//! );
//! let (from, to) = (grid.cell(Pos::new(0, 0)).unwrap(), grid.cell(Pos::new(0, 2)).unwrap());
//! let mut astar = throng_search::search("astar")?;
//! let mut path = Vec::new();
//! let result = astar.find(grid.ground(), from, to, &mut path)?;
//! assert_eq!(result.cost, Some(6 * throng_grid::moves::STRAIGHT));
//! assert_eq!(path.len(), 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Or compose one: a [`BestFirst`] over a [`Space`] with a [`Heuristic`] and an [`OpenList`].

mod astar;
mod best_first;
mod bfs;
mod dijkstra;
mod distance_sweep;
mod first_moves;
mod focal;
mod heuristic;
mod hpa;
mod jps;
mod node_store;
pub mod open_list;
mod path_search;
mod point_to_point;
pub mod real_time;
mod registry;
mod rra;
mod scratch;
mod sector;
mod sector_guide;
mod space;
mod sparse_store;
mod square_grid;
mod touched_tiles;
mod wastar;

pub use astar::astar;
pub use best_first::{BestFirst, Bounds, Policy, Probe, Status};
pub use distance_sweep::{DistanceSweep, SweepGraph, UNREACHED};
pub use first_moves::FirstMoves;
pub use heuristic::{Blind, Heuristic, OctileDistance, Weighted};
pub use jps::Jps;
pub use node_store::{DenseStore, NO_NODE, Node, NodeStore, PagedCells, PagedStore};
pub use open_list::OpenList;
pub use path_search::{PathSearch, RegisteredSearch, SearchResult, Trace};
pub use point_to_point::f_range;
pub use registry::{ANY_CORNERS, SEARCHES, SearchInfo, Unsupported, search, search_info};
pub use rra::{Distance, Rra};
pub use scratch::Scratch;
pub use sector::{CenterDistance, CenterMetric, SectorGraph, Sectors};
pub use sector_guide::{
    GuideChange, LocalField, NO_DISTANCE, NO_PART, RowRepair, RowState, SavedGuide, SectorGuide,
    SectorWindow, StepPrices, WindowLayout,
};
pub use space::{CANONICAL, Expansion, GridSpace, Space, Successor, for_each_move, useful_among_occupied};
pub use sparse_store::SparseStore;
pub use throng_grid::spec;
pub use touched_tiles::{TouchProbe, TouchedTiles};
