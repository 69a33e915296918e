//! What a model is trained and tested on: instances, choices and splits of `throng select eval`, for programs that train
//! elsewhere and store their predictions.

use std::path::Path;

use super::crowd::THESIS_PORTFOLIO;
use super::single_agent::{Granularity, SelectError};
use super::{CrowdData, Dataset, Holdout, Portfolio, Split, WorkLimit, splits};

/// Number of splits for crowds, and the share of the training part in percent, as in the thesis.
const CROWD_SPLITS: usize = 10;
const CROWD_TRAIN_PERCENT: usize = 70;

/// The seed of the splits that are reported. Settings were chosen on splits with other seeds.
const CROWD_SPLIT_SEED: u64 = 1;

/// A selection task with its splits.
#[derive(Clone, Debug)]
pub struct SelectionTask {
    /// The name in the names of files: the granularity, or `crowd` and what is held out.
    pub name: String,
    /// The instances.
    pub data: Dataset,
    /// What is chosen from.
    pub portfolio: Portfolio,
    /// What the parts of a split do not share.
    pub holdout: Holdout,
    /// The splits.
    pub splits: Vec<Split>,
}

impl SelectionTask {
    /// Returns a task of single agents.
    ///
    /// # Errors
    /// If a file is missing or damaged.
    pub fn single_agent(granularity: Granularity, folder: &Path) -> Result<Self, SelectError> {
        let data = granularity.dataset(folder)?;
        Ok(Self {
            name: granularity.name().to_owned(),
            portfolio: granularity.portfolio(&data),
            holdout: granularity.holdout(),
            splits: granularity.splits(&data),
            data,
        })
    }

    /// Returns the task of crowds with the thesis's portfolio at the limit `paper`.
    ///
    /// # Errors
    /// If a file is missing or damaged.
    pub fn crowd(holdout: Holdout, folder: &Path) -> Result<Self, SelectError> {
        let data = CrowdData::read(folder, &THESIS_PORTFOLIO)?.dataset(WorkLimit::Paper);
        Ok(Self {
            name: crowd_task_name(holdout),
            portfolio: Portfolio::All,
            holdout,
            splits: crowd_splits(&data, holdout),
            data,
        })
    }
}

/// Returns the splits of crowds: ten random ones with 70 % of the units in the training part, or one per game.
pub fn crowd_splits(data: &Dataset, holdout: Holdout) -> Vec<Split> {
    splits(data, holdout, CROWD_SPLITS, CROWD_TRAIN_PERCENT, CROWD_SPLIT_SEED)
}

/// Returns the name of the task of crowds.
pub fn crowd_task_name(holdout: Holdout) -> String {
    let held_out = match holdout {
        Holdout::Problems => "problems",
        Holdout::Maps => "maps",
        Holdout::Games => "games",
    };
    format!("crowd-{held_out}")
}
