//! Priority inheritance with backtracking (PIBT): the joint step, and the priorities of the agents.

mod passage;
mod priorities;
mod step;

pub use passage::may_swap;
pub use priorities::Priorities;
pub use step::{Candidates, PibtStep, PreferenceList, Preferences};
