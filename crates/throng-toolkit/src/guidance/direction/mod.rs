//! Direction maps: which way characters have walked over each cell.
//!
//! Every cell that somebody has passed holds a vector of at most unit length, moved a little towards the direction of
//! each move made through it. Whoever plans along the vectors pays less than whoever plans against them, and lanes
//! appear by themselves.
//!
//! M. R. Jansen, *Multi-Agent Pathfinding with Direction Maps*, master's thesis, University of Alberta, 2008; M. R. Jansen,
//! N. R. Sturtevant, *Direction Maps for Cooperative Pathfinding*, AIIDE 2008.
//!
//! Where we depart: vectors are pairs of fixed-point integers, so that every machine learns the same map; the weight of a
//! cell is `(1 - MV·DV) / 2`, as the worked example of the thesis has it and its formula, a pair of brackets short, has not.

mod coherence;
mod corridors;
mod learner;
mod map;
mod saved;
mod step_penalties;
mod step_penalty;
mod trips;
mod vector;
mod version;

pub use coherence::Coherence;
pub use learner::{DirectionLearner, Learning, SavedDirectionLearner};
pub use map::DirectionMap;
pub use saved::{DirectionMapError, SavedVectors};
pub use step_penalties::StepPenalties;
pub use step_penalty::{StepPenalty, Unknown};
pub use vector::{Rate, Vector};
pub use version::{DirectionMapVersion, SavedDirectionMapVersion};
