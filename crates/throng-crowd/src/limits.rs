//! The limits on snapshots, recordings and plan files.

use throng_grid::limits::Limit;

/// A recording.
pub const RECORDING_FILE: Limit = Limit {
    name: "recording-file",
    max: 2 << 30,
    unit: "bytes",
    what: "a recording",
    reason: "a million ticks of 4,000 agents",
};

/// A plan file.
pub const PLAN_FILE: Limit = Limit {
    name: "plan-file",
    max: 1 << 30,
    unit: "bytes",
    what: "a plan file",
    reason: "10,000 ticks of 10,000 agents",
};

/// The cells of all maps that a snapshot stands for: one map per profile, and with fog another one.
pub const SNAPSHOT_CELLS: Limit = Limit {
    name: "snapshot-cells",
    max: 1 << 26,
    unit: "cells",
    what: "a snapshot with one map per profile, and another one with fog,",
    reason: "four profiles on the largest map; a cell takes about ten bytes per profile once it is loaded",
};

/// The cells that the edits of a recording touch.
pub const RECORDING_EDITS: Limit = Limit {
    name: "recording-edits",
    max: 1 << 28,
    unit: "cells",
    what: "a recording with edits, in all,",
    reason: "a thousand edits of all of a map of 512×512 cells; `throng replay --unlimited` has no such limit",
};

/// The cells that are visited to find the connected components after edits.
pub const RECORDING_FLOODS: Limit = Limit {
    name: "recording-floods",
    max: 1 << 34,
    unit: "cells",
    what: "a recording after whose edits connected components are computed, in all,",
    reason: "65,000 ticks with edits on 512×512 cells; `throng replay --unlimited` has no such limit",
};

/// The limits on snapshots, recordings and plan files.
pub const LIMITS: &[Limit] = &[RECORDING_FILE, PLAN_FILE, SNAPSHOT_CELLS, RECORDING_EDITS, RECORDING_FLOODS];
