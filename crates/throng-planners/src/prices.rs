//! Units of work per expansion, by kind of search. One unit is 50 nanoseconds ([`throng_crowd::UNIT_NANOSECONDS`]).
//!
//! An expansion takes as long as the fastest stored runs of a planner on an AMD EPYC show, the time of the whole tick over the
//! expansions (`throng lab report` of `surge-ten`, `bmaa-completion`, `dm-compare`; `crowd-prices.toml` has the same on an Intel
//! Xeon). That includes what a tick costs besides its searches, so prices are upper bounds where searches dominate.

/// A\* of a single agent, `astar-replan` and `lra`: 80 to 120 ns, 69 ns on the Xeon.
pub(crate) const ASTAR: u64 = 2;
/// A\* on one-way streets, `far`: 52 ns, 42 ns on the Xeon.
pub(crate) const FLOW_ASTAR: u64 = 1;
/// A\* with penalties of a direction map, `dm`: 158 ns.
pub(crate) const DIRECTION_ASTAR: u64 = 3;
/// Space-time A\* and the backward searches beside it, `whca`: 120 to 206 ns, 80 ns on the Xeon.
pub(crate) const SPACE_TIME: u64 = 3;
/// Real-time search with learning, `bmaa` and `rtaa`: 165 ns, 179 ns on the Xeon.
pub(crate) const REAL_TIME: u64 = 4;
/// Backward searches of the whole map, `pibt`: 156 ns.
pub(crate) const DISTANCE_TABLE: u64 = 3;
