//! The table of searches: one entry each, and everything that is said about a search comes from it.

use throng_grid::{Corners, Ground};

use crate::path_search::{PathSearch, RegisteredSearch};
use crate::spec::{self, Parameter, SpecError, Values};

/// What a search is, for people and programs.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about a search, each asked by name")]
pub struct SearchInfo {
    /// The name it is asked for by.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// How it works, in a few sentences.
    pub idea: &'static str,
    /// Where it was published.
    pub reference: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Whether every path it finds is a shortest one.
    pub optimal: bool,
    /// Whether it computes something for a map before the first question.
    pub prepares: bool,
    /// The corner rules that it supports with eight directions.
    pub corners: &'static [Corners],
    /// Whether it supports four directions.
    pub four_way: bool,
    /// Whether it supports terrain of different cost.
    pub weighted_terrain: bool,
    /// Makes one.
    pub build: fn(&Values) -> Box<dyn PathSearch>,
}

/// All corner rules.
pub const ANY_CORNERS: &[Corners] = &Corners::ALL;

/// A search was asked about a ground that it cannot handle.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unsupported {
    /// The corner rule.
    #[error("`{search}` does not support the corner rule `{corners}`")]
    Corners {
        /// The search.
        search: &'static str,
        /// The rule.
        corners: Corners,
    },
    /// Four directions.
    #[error("`{search}` does not support moves in four directions")]
    FourWay {
        /// The search.
        search: &'static str,
    },
    /// Terrain of different cost.
    #[error("`{search}` supports only terrain that costs the same everywhere")]
    Terrain {
        /// The search.
        search: &'static str,
    },
}

impl SearchInfo {
    /// Whether the search can handle a ground.
    ///
    /// # Errors
    /// Says what it cannot handle.
    pub fn supports(&self, ground: &Ground) -> Result<(), Unsupported> {
        let rules = ground.rules();
        if rules.four_way && !self.four_way {
            return Err(Unsupported::FourWay { search: self.name });
        }
        if !rules.four_way && !self.corners.contains(&rules.corners) {
            return Err(Unsupported::Corners { search: self.name, corners: rules.corners });
        }
        if !ground.profile().is_uniform() && !self.weighted_terrain {
            return Err(Unsupported::Terrain { search: self.name });
        }
        Ok(())
    }
}

/// Every search, in the order in which a newcomer should meet them.
pub const SEARCHES: &[SearchInfo] = &[
    crate::astar::INFO,
    crate::dijkstra::INFO,
    crate::bfs::INFO,
    crate::wastar::INFO,
    crate::focal::INFO,
    crate::rra::INFO,
    crate::jps::INFO,
    crate::sector::INFO,
    crate::hpa::INFO,
];

/// Makes the search that a text names: `astar`, `wastar:weight=2`.
///
/// # Errors
/// When the name or a parameter is unknown, or a value is out of its range.
pub fn search(text: &str) -> Result<RegisteredSearch, SpecError> {
    let (name, parameters) = spec::split(text);
    let info = search_info(name)?;
    let values = Values::parse(info.name, info.parameters, parameters)?;
    Ok(RegisteredSearch::new(info, (info.build)(&values)))
}

/// The entry of a search.
///
/// # Errors
/// When there is no such search.
pub fn search_info(name: &str) -> Result<&'static SearchInfo, SpecError> {
    SEARCHES
        .iter()
        .find(|info| info.name == name)
        .ok_or_else(|| SpecError::unknown("search", name, SEARCHES.iter().map(|info| info.name)))
}
