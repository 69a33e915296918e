//! Where an experiment's problems come from: drawn by type, or the first lines of a scenario file.

use std::str::FromStr;

use throng::grid::spec::SpecError;

use crate::ProblemType;

/// Where problems come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// Drawn.
    Type(ProblemType),
    /// `scen=FILE`, or `scen` for the file beside the map that has its name and `.scen`.
    Scenario(Option<String>),
}

impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "scen" {
            return Ok(Self::Scenario(None));
        }
        if let Some(file) = text.strip_prefix("scen=") {
            return Ok(Self::Scenario(Some(file.to_owned())));
        }
        let kind = ProblemType::ALL.into_iter().find(|kind| kind.name() == text);
        let names = ProblemType::ALL.map(ProblemType::name);
        kind.map(Self::Type).ok_or_else(|| SpecError::unknown("problem type", text, names).to_string())
    }
}
