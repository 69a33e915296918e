//! Hashes of single facts. A state's hash is the exclusive or of its facts' hashes, so that it follows a change by
//! taking one fact out and putting another in. [`World::state_hash`](crate::World::state_hash) defines them.

use throng_grid::Cell;
pub(crate) use throng_grid::hash::splitmix64 as number;

use crate::AgentId;
use crate::world::input::ForeignId;

/// An agent stands here and goes there.
pub(crate) fn agent(agent: AgentId, at: Cell, target: Option<Cell>) -> u64 {
    let target = target.map_or(0, |cell| u64::from(cell.0) + 1);
    number(number(u64::from(agent.0) << 32 | u64::from(at.0)) ^ target)
}

/// A foreign unit stands here.
pub(crate) fn foreign(unit: ForeignId, at: Cell) -> u64 {
    number(!(u64::from(unit.0) << 32 | u64::from(at.0)))
}
