//! The planners, one file each, and the table that names them.

mod far;
mod registry;

pub use registry::{ALIASES, PLANNERS, PlannerInfo, planner, planner_info};
