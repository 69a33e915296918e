//! Corner rules: when a diagonal step past a blocked cell is legal, and how the rules are written as text.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::spec::SpecError;

/// A corner rule: what a diagonal step requires of the two cells beside it. Written `forbid`, `allow` or `mixed`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Corners {
    /// Both cells must be free: no corner cutting, as in the MovingAI benchmarks.
    #[default]
    Forbid,
    /// No requirement: every diagonal step between two free cells is legal, even between two walls.
    Allow,
    /// Both cells must have enterable terrain; cells blocked by an edit do not count.
    Mixed,
}

impl Corners {
    /// All corner rules.
    pub const ALL: [Self; 3] = [Self::Forbid, Self::Allow, Self::Mixed];

    /// Returns the rule's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Forbid => "forbid",
            Self::Allow => "allow",
            Self::Mixed => "mixed",
        }
    }
}

impl fmt::Display for Corners {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Corners {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let found = Self::ALL.into_iter().find(|corners| corners.name() == text);
        found.ok_or_else(|| SpecError::unknown("corner rule", text, Self::ALL.map(Self::name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back() {
        for corners in Corners::ALL {
            assert_eq!(corners.to_string().parse(), Ok(corners));
        }
        let error = "forbit".parse::<Corners>().unwrap_err();
        assert_eq!(error.to_string(), "there is no corner rule `forbit`: did you mean `forbid`?");
    }
}
