//! What most games need: `use throng::prelude::*;`.

#[cfg(feature = "threads")]
pub use crate::Pool;
pub use throng_crowd::{
    AgentId, AgentSpec, AgentState, Budget, Certainty, Crossings, Destination, Event, Fog, ForeignId, Orders,
    Settings, Speed, StepTime, StuckReason, TickReport, Unit, World,
};
pub use throng_grid::builtin::builtin;
pub use throng_grid::{Area, Classes, Corners, Grid, MoveRules, Pos, Profile, Terrain, Tiles};
pub use throng_planners::{planner, restore};
