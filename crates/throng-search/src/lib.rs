//! One resumable best-first search loop, and the grid searches composed from it.
//!
//! Ask for a search by name and put questions to it:
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
//! let answer = astar.find(grid.ground(), from, to, &mut path)?;
//! assert_eq!(answer.cost, Some(6 * throng_grid::moves::STRAIGHT));
//! assert_eq!(path.len(), 7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Or compose one: a [`BestFirst`] over a [`Space`] with a [`Heuristic`] and a [`Frontier`].

mod astar;
mod best_first;
mod bfs;
mod dijkstra;
mod finder;
mod first_moves;
mod focal;
pub mod frontier;
mod heuristic;
mod hpa;
mod jps;
mod point_to_point;
mod registry;
mod rra;
mod sector;
mod space;
mod sparse;
mod squares;
mod store;
mod touched;
mod wastar;

pub use astar::Astar;
pub use best_first::{BestFirst, Policy, Probe, Status};
pub use bfs::Bfs;
pub use dijkstra::Dijkstra;
pub use finder::{Answer, Finder, PathSearch};
pub use first_moves::FirstMoves;
pub use focal::FocalSearch;
pub use frontier::Frontier;
pub use heuristic::{Blind, EmptyMap, Heuristic, Weighted};
pub use hpa::Hpa;
pub use jps::Jps;
pub use point_to_point::span;
pub use registry::{ANY_CORNERS, SEARCHES, SearchInfo, Unsupported, search, search_info};
pub use rra::{Distance, Rra};
pub use sector::{SectorGraph, SectorSearch, Sectors, ToCenter};
pub use space::{Expansion, GridSpace, Space, Successor, useful_moves};
pub use sparse::Sparse;
pub use store::{Arena, NO_NODE, Node, Paged, Pages, Store};
pub use throng_grid::spec;
pub use touched::{Touched, Touching};
pub use wastar::WeightedAstar;
