//! The rules about diagonal steps past walls, and what people call them.

use std::fmt;
use std::str::FromStr;

use crate::spec::SpecError;

/// What a diagonal step needs of the two cells beside it. Written `forbid`, `allow` or `mixed`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Corners {
    /// Both must be free: no corner is cut (the MovingAI benchmarks' rule).
    #[default]
    Forbid,
    /// Nothing: every diagonal between two free cells, squeezing between two walls included.
    Allow,
    /// Neither may be a wall of the map itself; cells that were blocked later do not matter.
    Mixed,
}

impl Corners {
    /// All rules.
    pub const ALL: [Self; 3] = [Self::Forbid, Self::Allow, Self::Mixed];

    /// What people write.
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
    fn names_are_read_back() {
        for corners in Corners::ALL {
            assert_eq!(corners.to_string().parse(), Ok(corners));
        }
        let error = "forbit".parse::<Corners>().unwrap_err();
        assert_eq!(error.to_string(), "there is no corner rule `forbit`: did you mean `forbid`?");
    }
}
