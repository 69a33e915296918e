//! Tuned constants of the engine, by mechanism, with what each trades.
//!
//! Most answer one observation: in a jam, nearly all work is spent on searches that find nothing. No sweep of their values
//! is recorded.

use throng_grid::{Cost, moves};
use throng_toolkit::Slicing;

// Time slicing.

/// How searches share the work of a tick. A search of many expansions gets long slices, and at least 256 expansions per
/// round when work is scarce, because resuming a search costs as much as a short slice gains.
pub(super) const SLICING: Slicing = Slicing { at_once: 4, slice: 2048, min_share: 256 };

/// The widest range of f values for which the bucket open list gets a bucket each. A larger ring of buckets would take
/// more memory than the searched cells.
pub(super) const MAX_F_RANGE: Cost = 1 << 17;

// Retries after a failed search.

/// An agent that found no path searches again after 1, 2, 4, … ticks, at most two to this power. Longer pauses save
/// searches of the whole reachable map; shorter ones notice sooner that a path has opened.
pub(super) const MAX_REST_EXPONENT: u32 = 5;

/// With partial refinement: after this number of failures, and each multiple of it, the expansion limit and the pause are
/// doubled. A small number gives long detours a chance sooner, and costs more work in a jam.
pub(super) const FAILURES_PER_DOUBLING: u32 = 8;

/// The largest number of doublings. By then the limit is at least 2^27 expansions.
pub(super) const MAX_DOUBLINGS: u32 = 16;

// Detours around a blocking agent, with partial refinement.

/// The most expansions of a detour. A detour that needs more is rarely shorter than the wait, and a new search for the
/// piece follows anyway.
pub(super) const MAX_DETOUR_EXPANSIONS: u64 = 64;

/// The number of cells of the path in which a detour looks for a free cell to return to. If all of them are occupied, the
/// agent stands in a queue and waits, since a detour would only overtake.
pub(super) const MAX_QUEUE: usize = 12;

// Occupied targets.

/// The number of ticks in which an agent finds its target occupied by another agent before it steps aside for the first
/// time. It does so again whenever the number has doubled. A small value resolves exchanges of places sooner, and moves
/// agents away that only had to wait. A power of two.
pub(super) const REFUSALS_BEFORE_ASIDE: u32 = 8;

// Agitation.

/// The largest agitation. More noise breaks more cycles and makes paths longer.
pub(super) const MAX_AGITATION: u32 = 16;

/// The most noise per step and unit of agitation: an eighth of a straight step.
pub(super) const NOISE_PER_AGITATION: Cost = moves::STRAIGHT / 8;

// Groups with a leader.

/// Agents form a group if their cells and their targets are at most this number of columns and rows apart. A larger
/// radius makes larger groups, whose members walk further to reach the path of their leader.
pub(super) const GROUP_RADIUS: u32 = 8;
