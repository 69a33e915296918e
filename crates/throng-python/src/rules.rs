//! Rules and settings by name.

use std::str::FromStr;

use pyo3::prelude::*;
use throng::grid::spec::SpecError;
use throng::{Budget, Profile, Sharing, Speed, Terrain};

use crate::error::bad_value;

/// Parses a name; the error lists the known ones.
pub(crate) fn named<T: FromStr<Err = SpecError>>(text: &str) -> PyResult<T> {
    text.parse().map_err(bad_value)
}

/// Parses how much agents may share.
pub(crate) fn sharing(text: &str) -> PyResult<Sharing> {
    let all = [Sharing::Nothing, Sharing::MoveRequests, Sharing::Reservations, Sharing::Everything];
    let found = all.into_iter().find(|sharing| sharing.name() == text.replace('-', " "));
    found.ok_or_else(|| bad_value(SpecError::unknown("level of sharing", text, all.map(Sharing::name))))
}

/// Returns a speed of steps per ticks.
pub(crate) fn speed(steps: u16, ticks: u16) -> PyResult<Speed> {
    Speed::new(steps, ticks).ok_or_else(|| bad_value("a speed is at least one step in at least one tick"))
}

/// A kind of agent: `"uniform"`, `"wc3"`, or cost multipliers in halves and a passage class.
#[derive(FromPyObject)]
pub(crate) enum ProfileSpec {
    Name(String),
    Class(([u8; Terrain::ALL.len()], u8)),
    Halves([u8; Terrain::ALL.len()]),
}

impl ProfileSpec {
    pub(crate) fn profile(self) -> PyResult<Profile> {
        let (halves, class) = match self {
            Self::Name(name) => {
                return match name.as_str() {
                    "uniform" => Ok(Profile::WALKER),
                    "wc3" => Ok(Profile::WC3),
                    _ => Err(bad_value(SpecError::unknown("profile", &name, ["uniform", "wc3"]))),
                };
            }
            Self::Halves(halves) => (halves, 0),
            Self::Class(given) => given,
        };
        let profile = Profile::from_halves(halves).and_then(|profile| profile.with_class(class));
        profile.ok_or_else(|| {
            bad_value("a profile needs multipliers up to 16 halves, not all of them 0, and a class below 32")
        })
    }
}

/// The work that a tick may do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum TickLimit {
    Unlimited,
    Units(u64),
    Expansions(u64),
    Rounds(u32),
    Seconds(f64),
}

impl TickLimit {
    /// Returns the limit that was given, if it is at most one.
    pub(crate) fn of(
        units: Option<u64>,
        expansions: Option<u64>,
        rounds: Option<u32>,
        seconds: Option<f64>,
    ) -> PyResult<Self> {
        match (units, expansions, rounds, seconds) {
            (None, None, None, None) => Ok(Self::Unlimited),
            (Some(units), None, None, None) => Ok(Self::Units(units)),
            (None, Some(expansions), None, None) => Ok(Self::Expansions(expansions)),
            (None, None, Some(rounds), None) => Ok(Self::Rounds(rounds)),
            (None, None, None, Some(seconds)) if seconds >= 0.0 => Ok(Self::Seconds(seconds)),
            (None, None, None, Some(_)) => Err(bad_value("a tick cannot take a negative time")),
            _ => Err(bad_value("a tick has one limit: units, expansions, rounds or seconds")),
        }
    }

    /// Calls a function with the budget of one tick.
    pub(crate) fn with_budget<T>(self, call: impl FnOnce(Budget<'_>) -> T) -> T {
        match self {
            Self::Unlimited => call(Budget::Unlimited),
            Self::Units(units) => call(Budget::Units(units)),
            Self::Expansions(expansions) => call(Budget::Expansions(expansions)),
            Self::Rounds(rounds) => call(Budget::Rounds(rounds)),
            Self::Seconds(seconds) => {
                let begun = std::time::Instant::now();
                call(Budget::Until(&mut || begun.elapsed().as_secs_f64() >= seconds))
            }
        }
    }
}
