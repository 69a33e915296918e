#![doc = include_str!("../README.md")]

#[cfg(feature = "threads")]
mod pool;
pub mod prelude;

#[cfg(feature = "threads")]
pub use pool::Pool;
pub use throng_cpd as cpd;
pub use throng_crowd as crowd;
pub use throng_crowd::{
    AgentId, AgentSpec, Budget, Destination, Event, Executor, ForeignId, Occupant, Planner, Rule, Settings,
    Sharing, StuckReason, TickReport, World, WorldError,
};
pub use throng_grid as grid;
pub use throng_grid::{
    Area, Cell, Corners, Cost, Direction, Grid, Ground, MoveRules, Pos, Profile, ProfileId, Size, Terrain,
    Tiles,
};
pub use throng_planners as planners;
pub use throng_planners::planner;
pub use throng_search as searches;
pub use throng_search::{RegisteredSearch, SearchResult, search};
pub use throng_toolkit as toolkit;
