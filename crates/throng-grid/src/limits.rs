//! Limits on inputs: how large a file, a map or a list may be before it is refused.
//!
//! Every limit is a constant of the type [`Limit`] in the crate that enforces it, and each crate lists its limits, so
//! that one table shows them all. The error that refuses an input names the limit.

use crate::{MAX_CELLS, MAX_SIDE};

/// A limit on an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    /// The name in the table and in errors, for example `map-file`.
    pub name: &'static str,
    /// The largest value that is accepted.
    pub max: u64,
    /// The unit of the value, for example `bytes`.
    pub unit: &'static str,
    /// What is limited, as the subject of an error: "the map file".
    pub what: &'static str,
    /// Why this value: what it trades, or which legitimate inputs it leaves room for.
    pub reason: &'static str,
}

/// An input that exceeds a limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{} of {value} {} exceeds the limit `{}` of {}", limit.what, limit.unit, limit.name, limit.max)]
pub struct LimitError {
    /// The limit.
    pub limit: Limit,
    /// The value that exceeds it. A file is not read beyond its limit, so its size may be larger.
    pub value: u64,
}

impl Limit {
    /// Refuses a value beyond the limit.
    ///
    /// # Errors
    /// If the value is larger than the limit.
    pub fn check(self, value: impl TryInto<u64>) -> Result<(), LimitError> {
        let value = value.try_into().unwrap_or(u64::MAX);
        if value <= self.max { Ok(()) } else { Err(LimitError { limit: self, value }) }
    }
}

/// The side of a map.
pub const MAP_SIDE: Limit = Limit {
    name: "map-side",
    max: MAX_SIDE as u64,
    unit: "cells",
    what: "a side of a map",
    reason: "positions and tiles have 16 bits per axis in saved files",
};

/// The cells of a map.
pub const MAP_CELLS: Limit = Limit {
    name: "map-cells",
    max: MAX_CELLS as u64,
    unit: "cells",
    what: "a map",
    reason: "4096×4096; costs of 32 bits cannot overflow",
};

/// A map file.
pub const MAP_FILE: Limit = Limit {
    name: "map-file",
    max: 64 << 20,
    unit: "bytes",
    what: "a map file",
    reason: "four times the largest map, for line ends and blank lines",
};

/// A scenario file.
pub const SCENARIO_FILE: Limit = Limit {
    name: "scenario-file",
    max: 64 << 20,
    unit: "bytes",
    what: "a scenario file",
    reason: "over a million problems; published files have up to ten thousand",
};

/// The limits of maps and scenario files.
pub const LIMITS: &[Limit] = &[MAP_SIDE, MAP_CELLS, MAP_FILE, SCENARIO_FILE];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_limit() {
        assert_eq!(MAP_SIDE.check(65_535_u32), Ok(()));
        let error = MAP_FILE.check((64_u64 << 20) + 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a map file of 67108865 bytes exceeds the limit `map-file` of 67108864"
        );
        assert_eq!(MAP_SIDE.check(-1_i32).unwrap_err().value, u64::MAX);
    }
}
