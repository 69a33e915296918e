//! Priority inheritance with backtracking (PIBT): the joint step, and the priorities of the agents.

mod priorities;
mod step;

pub use priorities::Priorities;
pub use step::{Candidates, PibtStep, PreferenceList, Preferences, may_swap};
