//! Hashes of single facts. The state hash is the exclusive or of the hashes of its facts, so a change updates it by
//! removing one fact and adding another. [`World::state_hash`](crate::World::state_hash) defines them.

use throng_grid::Cell;
pub(crate) use throng_grid::hash::splitmix64 as number;

use crate::{AgentId, ForeignId};

/// Spreads the generations of foreign units over all bits.
const GENERATION: u64 = 0x9E37_79B9_7F4A_7C15;

/// Returns the hash of the position and target of an agent.
pub(crate) fn agent(agent: AgentId, at: Cell, target: Option<Cell>) -> u64 {
    let target = target.map_or(0, |cell| u64::from(cell.0) + 1);
    let generation = u64::from(agent.generation()) << 32;
    number(number(u64::from(agent.row()) << 32 | u64::from(at.0)) ^ generation ^ target)
}

/// Returns the hash of the step under way and of what the last step left for the next one.
pub(crate) fn step(agent: AgentId, tail: Option<(Cell, u64)>, carry: u32) -> u64 {
    let (tail, first) = tail.map_or((0, 0), |(cell, first)| (u64::from(cell.0) + 1, first));
    let place = u64::from(agent.row()) << 32 | tail;
    number(number(number(place)) ^ first ^ u64::from(carry) << 32)
}

/// Returns the hash of the position of a foreign unit.
pub(crate) fn foreign(unit: ForeignId, at: Cell) -> u64 {
    let generation = u64::from(unit.generation()).wrapping_mul(GENERATION);
    number(!(u64::from(unit.row()) << 32 | u64::from(at.0)) ^ generation)
}
