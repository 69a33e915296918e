//! Selection for single agents at four granularities: which configuration of a real-time search walks least.
//!
//! D. Sigurdson, *Automatic Algorithm Selection in Videogame Pathfinding*, M.Sc. thesis, University of Alberta, 2018, chapter 4.
//! Per genre and per game a label of the map is predicted and stands for the configuration that is best on the training maps
//! with this label. Per map and per problem a configuration of a greedy portfolio of two is picked directly. Tables 4.2 to 4.5
//! have 20 random splits with 75 % of the maps, or of the problems of lak506d, in the training part.

mod curve;
mod halves;
mod stored;

use std::path::{Path, PathBuf};

use serde::Serialize;

pub use curve::{CurvePoint, portfolio_curve};
pub use halves::OtherHalf;
use stored::check_configurations;
pub use stored::{CONFIGURATIONS_FILE, MAPS_FILE, MapWalks, PROBLEMS_FILE, StoredWalks};
pub(super) use stored::{Table, integers, text};

use super::features::{MAP_FEATURES_FILE, PROBLEM_FEATURES_FILE};
use super::{
    Dataset, Group, Holdout, InstanceId, Learner, Measure, Portfolio, Split, StoredEvaluation, Trial,
    configurations, evaluate_stored, specification, splits,
};
use crate::{MapError, StoreError};

/// The map whose problems are selected for one by one.
pub const PROBLEM_MAP: &str = "dao/lak506d";

/// The number of splits.
const SPLITS: usize = 20;

/// The share of the training part in percent.
const TRAIN_PERCENT: usize = 75;

/// The seed of the splits that are reported. Settings of models were chosen on splits with other seeds.
pub const SPLIT_SEED: u64 = 1;

/// The size of portfolios.
const PORTFOLIO: usize = 2;

/// Why stored data cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelectError {
    /// A file cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A map cannot be opened.
    #[error(transparent)]
    Map(#[from] MapError),
    /// A file does not exist.
    #[error(
        "{} does not exist: --data names the folder of the stored data; its files are made from results by `throng select \
         gather`, and their features by `throng select features`",
        .0.display()
    )]
    Missing(PathBuf),
    /// Runs do not belong together.
    #[error("{0}")]
    Runs(String),
}

/// What a selection is made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Granularity {
    /// The genre of the map is predicted.
    Genre,
    /// The game of the map is predicted.
    Game,
    /// A configuration is picked per map.
    Map,
    /// A configuration is picked per problem of one map.
    Problem,
}

/// A table of the thesis. Values are followed by the deviation over its splits.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct ThesisTable {
    /// The table.
    pub table: &'static str,
    /// The accuracy of the selector.
    pub accuracy: (f64, f64),
    /// The suboptimality of the single best configuration of the training part.
    pub prior: (f64, f64),
    /// The suboptimality of the selector.
    pub selector: (f64, f64),
    /// The suboptimality of the perfect label, or of the best configuration of the portfolio.
    pub perfect: (f64, f64),
    /// The share of the gap between prior and perfect that is closed, of the means.
    pub gap_closed: f64,
    /// The number of its 20 splits in which the selector is better than the prior.
    pub splits_won: usize,
}

/// An evaluation beside the table of the thesis that it repeats.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SingleAgentEvaluation {
    /// Our evaluation.
    #[serde(flatten)]
    pub stored: StoredEvaluation,
    /// What choices by the other half of the problems of a map reach; none for other granularities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_half: Option<OtherHalf>,
    /// The thesis.
    pub thesis: ThesisTable,
}

impl Granularity {
    /// All granularities, from the coarsest.
    pub const ALL: [Self; 4] = [Self::Genre, Self::Game, Self::Map, Self::Problem];

    /// Returns the name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Genre => "genre",
            Self::Game => "game",
            Self::Map => "map",
            Self::Problem => "problem",
        }
    }

    /// Returns the table of the thesis.
    pub const fn thesis(self) -> ThesisTable {
        let (table, accuracy, prior, selector, perfect, splits_won) = match self {
            Self::Genre => ("Table 4.2", (0.96, 0.022), (12.58, 1.1), (12.33, 1.0), (12.33, 1.0), 14),
            Self::Game => ("Table 4.3", (0.90, 0.031), (12.72, 1.2), (12.54, 1.3), (12.52, 1.3), 13),
            Self::Map => ("Table 4.4", (0.55, 0.053), (12.27, 1.3), (12.20, 1.2), (11.27, 1.1), 12),
            Self::Problem => ("Table 4.5", (0.70, 0.023), (14.77, 0.5), (14.20, 0.7), (11.35, 0.5), 18),
        };
        let gap_closed = (prior.0 - selector.0) / (prior.0 - perfect.0);
        ThesisTable { table, accuracy, prior, selector, perfect, gap_closed, splits_won }
    }

    /// Reads the stored walks and features.
    ///
    /// # Errors
    /// If a file is missing or damaged.
    pub fn dataset(self, folder: &Path) -> Result<Dataset, SelectError> {
        let data = match self {
            Self::Problem => problem_dataset(folder),
            _ => map_dataset(folder),
        }?;
        check_configurations(folder, data.algorithms.len())?;
        Ok(data)
    }

    /// Returns what the selector chooses from.
    pub fn portfolio(self, data: &Dataset) -> Portfolio {
        let label = |group: &Group| match self {
            Self::Genre => genre(&group.game).to_owned(),
            _ => group.game.clone(),
        };
        match self {
            Self::Genre | Self::Game => {
                let labels: Vec<String> = data.groups.iter().map(label).collect();
                let mut names = labels.clone();
                names.sort_unstable();
                names.dedup();
                let of = labels.iter().map(|label| names.binary_search(label).unwrap_or(0)).collect();
                Portfolio::Labels { names, of }
            }
            Self::Map | Self::Problem => Portfolio::Greedy(PORTFOLIO),
        }
    }

    /// Returns what the parts of a split do not share.
    pub const fn holdout(self) -> Holdout {
        match self {
            Self::Problem => Holdout::Problems,
            _ => Holdout::Maps,
        }
    }

    /// Returns the splits of the thesis: 20, with 75 % of the instances in the training part.
    pub fn splits(self, data: &Dataset, seed: u64) -> Vec<Split> {
        splits(&data.groups, self.holdout(), SPLITS, TRAIN_PERCENT, seed)
    }

    /// Evaluates learners as the thesis does.
    ///
    /// # Errors
    /// If a file is missing or damaged.
    pub fn evaluate(
        self,
        folder: &Path,
        seed: u64,
        learners: &[&dyn Learner],
    ) -> Result<SingleAgentEvaluation, SelectError> {
        let data = self.dataset(folder)?;
        let trials = Trial::all(&data, self.splits(&data, seed));
        let (portfolio, task) = (self.portfolio(&data), (folder, self.name()));
        let stored = evaluate_stored(&trials, &portfolio, self.holdout(), learners, task)?;
        let too_few = || SelectError::Runs(format!("too few stored instances for {}", self.name()));
        let other_half = match self {
            Self::Map => OtherHalf::of(&StoredWalks::read_maps(folder)?, &data.groups, seed),
            _ => None,
        };
        Ok(SingleAgentEvaluation { stored: stored.ok_or_else(too_few)?, other_half, thesis: self.thesis() })
    }
}

/// Returns the genre of a game.
fn genre(game: &str) -> &'static str {
    match game {
        "sc1" | "wc3" => "RTS",
        _ => "RPG",
    }
}

/// Returns a dataset with one instance per map.
fn map_dataset(folder: &Path) -> Result<Dataset, SelectError> {
    let walks = StoredWalks::read_maps(folder)?;
    let table = Table::read(folder, MAP_FEATURES_FILE)?;
    let (features, rows) = table.features(&["game", "map"])?;
    let names = table.texts("map")?;
    let row = |walks: &MapWalks| {
        let at = names.iter().position(|name| *name == walks.map);
        at.map(|at| rows[at].clone()).ok_or_else(|| table.damaged(&format!("{} is missing", walks.map)))
    };
    let group = |walks: &MapWalks| Group {
        game: walks.game().to_owned(),
        map: walks.map.clone(),
        kind: String::new(),
    };
    Ok(Dataset {
        features,
        rows: walks.iter().map(row).collect::<Result<_, _>>()?,
        groups: walks.iter().map(group).collect(),
        ids: walks.iter().map(|walks| InstanceId::Map(walks.map.clone())).collect(),
        ..walked(walks.iter().map(|walks| walks.suboptimality.as_slice()))
    })
}

/// Returns a dataset with one instance per problem.
fn problem_dataset(folder: &Path) -> Result<Dataset, SelectError> {
    let walks = StoredWalks::read_problems(folder)?;
    let table = Table::read(folder, PROBLEM_FEATURES_FILE)?;
    let (features, rows) = table.features(&["problem"])?;
    if rows.len() < walks.len() {
        return Err(table.damaged("a problem is missing"));
    }
    let (game, _) = PROBLEM_MAP.split_once('/').unwrap_or_default();
    let group = Group { game: game.to_owned(), map: PROBLEM_MAP.to_owned(), kind: String::new() };
    Ok(Dataset {
        features,
        rows: rows.into_iter().take(walks.len()).collect(),
        groups: vec![group; walks.len()],
        ids: (0..walks.len()).map(|problem| InstanceId::Problem(PROBLEM_MAP.to_owned(), problem)).collect(),
        ..walked(walks.iter().map(Vec::as_slice))
    })
}

/// Returns a dataset without features: the walks of all configurations.
fn walked<'a>(percent: impl Iterator<Item = &'a [u32]>) -> Dataset {
    let utility = |&value: &u32| -f64::from(value) / 100.0;
    let utilities: Vec<Vec<f64>> = percent.map(|values| values.iter().map(utility).collect()).collect();
    let count = utilities.first().map_or(0, Vec::len);
    Dataset {
        measure: Measure::Suboptimality,
        features: Vec::new(),
        rows: Vec::new(),
        groups: Vec::new(),
        ids: Vec::new(),
        algorithms: configurations(count).iter().map(specification).collect(),
        utilities,
        labels: None,
        travel: None,
    }
}

#[cfg(test)]
pub(crate) mod tests;
