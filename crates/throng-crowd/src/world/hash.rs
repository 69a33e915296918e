//! Hashes of single facts. The state hash is the exclusive or of the hashes of its facts, so a change updates it by
//! removing one fact and adding another. [`World::state_hash`](crate::World::state_hash) defines them.

use throng_grid::Cell;
pub(crate) use throng_grid::hash::splitmix64 as number;

use crate::AgentId;
use crate::world::input::ForeignId;

/// Returns the hash of the position and target of an agent.
pub(crate) fn agent(agent: AgentId, at: Cell, target: Option<Cell>) -> u64 {
    let target = target.map_or(0, |cell| u64::from(cell.0) + 1);
    number(number(u64::from(agent.0) << 32 | u64::from(at.0)) ^ target)
}

/// Returns the hash of the position of a foreign unit.
pub(crate) fn foreign(unit: ForeignId, at: Cell) -> u64 {
    number(!(u64::from(unit.0) << 32 | u64::from(at.0)))
}
