//! Direction map: a vector per cell that records in which direction agents have passed it.
//!
//! The vector of a passed cell has at most unit length. Each move through the cell pulls it towards the direction of the
//! move. Searches add a penalty to steps against the vectors, so agents follow each other and lanes emerge.
//!
//! M. R. Jansen, *Multi-Agent Pathfinding with Direction Maps*, master's thesis, University of Alberta, 2008; M. R. Jansen,
//! N. R. Sturtevant, *Direction Maps for Cooperative Pathfinding*, AIIDE 2008.
//!
//! Departures: vectors are pairs of fixed-point integers, so that every machine learns the same map. The weight of a cell
//! is `(1 - MV·DV) / 2`, which agrees with the worked example of the thesis; its formula lacks the parentheses.

mod coherence;
mod corridors;
mod learner;
mod local_copies;
mod map;
mod parts;
mod saved;
mod step_penalties;
mod step_penalty;
mod surround;
mod trips;
mod vector;
mod version;

pub use coherence::Coherence;
pub use learner::{DirectionLearner, Learning, SavedDirectionLearner};
pub use map::DirectionMap;
pub use parts::Parts;
pub use saved::{DirectionMapError, SavedVectors};
pub use step_penalties::StepPenalties;
pub(crate) use step_penalties::is_within;
pub use step_penalty::{StepPenalty, Unknown};
pub use surround::Surround;
pub use vector::{Rate, Vector};
pub use version::{DirectionMapVersion, SavedDirectionMapVersion};
