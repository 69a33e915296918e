//! The registry of searches. Help, documents and tests are generated from its entries.

use throng_grid::{Corners, Ground};

use crate::path_search::{PathSearch, RegisteredSearch};
use crate::spec::{self, Parameter, SpecError, Values};

/// The description of a search.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties of a search, each read by name")]
pub struct SearchInfo {
    /// The name on the command line.
    pub name: &'static str,
    /// One line.
    pub summary: &'static str,
    /// How it works, in a few sentences.
    pub idea: &'static str,
    /// The publication it follows.
    pub reference: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Whether every path it finds is a shortest one.
    pub optimal: bool,
    /// Whether it is a real-time search: the path is what an agent walks while it searches, and it has a parameter `cap`.
    pub real_time: bool,
    /// Whether it precomputes data for a map.
    pub prepares: bool,
    /// The supported corner rules, with eight directions.
    pub corners: &'static [Corners],
    /// Whether it supports four directions.
    pub four_way: bool,
    /// Whether it supports terrain of different costs.
    pub weighted_terrain: bool,
    /// Creates the search.
    pub build: fn(&Values) -> Box<dyn PathSearch>,
}

/// All corner rules.
pub const ANY_CORNERS: &[Corners] = &Corners::ALL;

/// The search does not support the ground.
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
    /// Terrain of different costs.
    #[error("`{search}` supports only terrain of uniform cost")]
    Terrain {
        /// The search.
        search: &'static str,
    },
}

impl SearchInfo {
    /// Checks that the search supports a ground.
    ///
    /// # Errors
    /// Names the first property of the ground that it does not support.
    pub fn supports(&self, ground: &Ground) -> Result<(), Unsupported> {
        let rules = ground.rules();
        if rules.four_way && !self.four_way {
            return Err(Unsupported::FourWay { search: self.name });
        }
        if !rules.four_way && !self.corners.contains(&rules.corners) {
            return Err(Unsupported::Corners { search: self.name, corners: rules.corners });
        }
        if !ground.is_uniform() && !self.weighted_terrain {
            return Err(Unsupported::Terrain { search: self.name });
        }
        Ok(())
    }
}

/// All searches, the basic ones first.
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
    crate::real_time::rths::INFO,
    crate::real_time::rtaa::INFO,
    crate::real_time::da_rtaa::INFO,
    crate::real_time::lss_lrta::INFO,
    crate::real_time::tba::INFO,
];

/// Creates a search from its name and parameters: `astar`, `wastar:weight=2`.
///
/// # Errors
/// If the name or a parameter is unknown, or a value is out of range.
pub fn search(text: &str) -> Result<RegisteredSearch, SpecError> {
    let (name, parameters) = spec::split(text);
    let info = search_info(name)?;
    let values = Values::parse(info.name, info.parameters, parameters)?;
    Ok(RegisteredSearch::new(info, (info.build)(&values)))
}

/// Returns the entry of a search.
///
/// # Errors
/// If the name is unknown.
pub fn search_info(name: &str) -> Result<&'static SearchInfo, SpecError> {
    SEARCHES
        .iter()
        .find(|info| info.name == name)
        .ok_or_else(|| SpecError::unknown("search", name, SEARCHES.iter().map(|info| info.name)))
}
