//! The planners, one file each, and the table that names them.

mod bmaa;
mod directions;
mod dm;
mod far;
mod lra;
mod pibt;
mod registry;
mod repair;
mod rtaa;
mod surge;
mod whca;

pub use bmaa::Bmaa;
pub use registry::{ALIASES, PLANNERS, PlannerInfo, planner, planner_info};
