//! The planners, one file each, and the table that names them.

mod lra;
mod registry;
mod whca;

pub use registry::{ALIASES, PLANNERS, PlannerInfo, planner, planner_info};
