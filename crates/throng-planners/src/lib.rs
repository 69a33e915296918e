//! The planners, one file each, and the table that names them.

mod auto;
mod bmaa;
mod directions;
mod dm;
mod far;
mod inspect;
mod lra;
mod pibt;
mod prices;
mod registry;
mod repair;
mod rtaa;
mod surge;
mod whca;

pub use auto::SMALL_BUDGET;
pub use bmaa::Bmaa;
pub use registry::{
    ALIASES, PLANNERS, PlannerError, PlannerInfo, Resources, planner, planner_info, planner_with, prepares,
    restore, restore_like,
};
