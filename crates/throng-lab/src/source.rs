//! The source of an experiment's problems: drawn by type, or read from a scenario file.

use std::str::FromStr;

use throng::grid::spec::SpecError;

use crate::ProblemType;

/// The source of problems.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProblemSource {
    /// Drawn at random.
    Type(ProblemType),
    /// `scen=FILE`, or `scen` for the file beside the map with the map's name and `.scen`.
    Scenario(Option<String>),
}

impl FromStr for ProblemSource {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "scen" {
            return Ok(Self::Scenario(None));
        }
        if let Some(file) = text.strip_prefix("scen=") {
            return Ok(Self::Scenario(Some(file.to_owned())));
        }
        text.parse().map(Self::Type).map_err(|error: SpecError| error.to_string())
    }
}
