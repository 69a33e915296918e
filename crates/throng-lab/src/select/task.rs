//! What a model is trained and tested on: instances, choices and splits of `throng select eval`, for programs that train
//! elsewhere and store their predictions.

use std::borrow::Cow;
use std::path::Path;

use super::crowd::THESIS_PORTFOLIO;
use super::single_agent::{Granularity, SPLIT_SEED, SelectError};
use super::{CrowdData, Dataset, Holdout, InstanceId, Portfolio, Split, Trial, WorkLimit};

/// A selection task with its splits.
pub struct SelectionTask {
    /// The name in the names of files: the granularity, or `crowd` and what is held out.
    pub name: String,
    /// What is chosen from.
    pub portfolio: Portfolio,
    /// What the parts of a split do not share.
    pub holdout: Holdout,
    splits: Vec<Split>,
    source: Source,
}

/// Where the data of a split come from.
enum Source {
    /// The same data for every split.
    Fixed(Dataset),
    /// Crowds, whose utilities depend on the limit of work that a training part gives.
    Crowds(CrowdData),
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
            splits: granularity.splits(&data, SPLIT_SEED),
            source: Source::Fixed(data),
        })
    }

    /// Returns the task of crowds with the thesis's portfolio at the limit `paper`.
    ///
    /// # Errors
    /// If a file is missing or damaged.
    pub fn crowd(holdout: Holdout, folder: &Path) -> Result<Self, SelectError> {
        let data = CrowdData::read(folder, &THESIS_PORTFOLIO)?;
        Ok(Self {
            name: crowd_task_name(holdout),
            portfolio: Portfolio::All,
            holdout,
            splits: data.splits(holdout, SPLIT_SEED),
            source: Source::Crowds(data),
        })
    }

    /// Returns all instances.
    pub fn ids(&self) -> Vec<InstanceId> {
        match &self.source {
            Source::Fixed(data) => data.ids.clone(),
            Source::Crowds(data) => data.ids(),
        }
    }

    /// Returns the number of splits.
    pub fn len(&self) -> usize {
        self.splits.len()
    }

    /// Returns true if there are no splits.
    pub fn is_empty(&self) -> bool {
        self.splits.is_empty()
    }

    /// Returns a split with its data. Returns `None` if it does not exist, or a part has no instance whose runs are long
    /// enough.
    pub fn trial(&self, number: usize) -> Option<Trial<'_>> {
        let split = self.splits.get(number)?;
        match &self.source {
            Source::Fixed(data) => Some(Trial { data: Cow::Borrowed(data), split: split.clone() }),
            Source::Crowds(data) => Some(data.trial(split, WorkLimit::Paper)?.0),
        }
    }
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
