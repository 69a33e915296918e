//! Hashes of single facts. A state's hash is the exclusive or of its facts' hashes, so that it follows a change by
//! taking one fact out and putting another in. [`World::state_hash`](crate::World::state_hash) defines them.

use throng_grid::Cell;

use crate::AgentId;
use crate::input::ForeignId;

/// The finalizer of `SplitMix64`.
pub(crate) const fn number(mut z: u64) -> u64 {
    z = z.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

/// An agent stands here and goes there.
pub(crate) fn agent(agent: AgentId, at: Cell, target: Option<Cell>) -> u64 {
    let target = target.map_or(0, |cell| u64::from(cell.0) + 1);
    number(number(u64::from(agent.0) << 32 | u64::from(at.0)) ^ target)
}

/// A foreign unit stands here.
pub(crate) fn foreign(unit: ForeignId, at: Cell) -> u64 {
    number(!(u64::from(unit.0) << 32 | u64::from(at.0)))
}
