//! The data of the task `selection`: read once for all runs of a sweep, and divided into the trials of its splits.

use std::borrow::Cow;
use std::path::Path;

use super::{SAMPLE, SelectionSettings};
use crate::select::sample::{crowd_sample, single_agent_sample};
use crate::select::single_agent::{Granularity, SPLIT_SEED, SelectError};
use crate::select::{CrowdData, Dataset, Portfolio, SplitOutcome, StoredPredictions, Target, Trial};
use crate::task::TaskError;
use crate::task::context::Cache;

/// The data of a target.
pub(super) enum Loaded {
    Single(Granularity, Dataset),
    Crowd(CrowdData),
}

/// A trial with what it is evaluated with.
pub(super) struct Prepared {
    pub(super) trial: Trial<'static>,
    pub(super) portfolio: Portfolio,
    pub(super) work: Option<f64>,
}

/// What the runs of a sweep share.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) data: Cache<Loaded>,
    pub(super) trials: Cache<Prepared>,
    predictions: Cache<StoredPredictions>,
}

impl SelectionSettings {
    fn drawn(&self) -> Result<Loaded, SelectError> {
        Ok(match self.target() {
            Target::SingleAgent(granularity) => Loaded::Single(granularity, single_agent_sample(granularity)),
            Target::Crowd => Loaded::Crowd(crowd_sample()?),
        })
    }

    pub(super) fn open(&self) -> Result<Loaded, TaskError> {
        let folder = Path::new(&self.data);
        let loaded = match self.target() {
            _ if self.data == SAMPLE => self.drawn(),
            Target::SingleAgent(granularity) => {
                granularity.dataset(folder).map(|data| Loaded::Single(granularity, data))
            }
            Target::Crowd => CrowdData::read(folder, &self.planners()).map(Loaded::Crowd),
        };
        Ok(match loaded.map_err(TaskError::other)? {
            Loaded::Crowd(data) => Loaded::Crowd(data.of_games(&self.games())),
            single @ Loaded::Single(..) => single,
        })
    }

    pub(super) fn prepare(&self, loaded: &Loaded, split: usize) -> Result<Prepared, TaskError> {
        let missing =
            |splits: usize| TaskError::Other(format!("split {split} of {splits}: there are no more"));
        match loaded {
            Loaded::Single(granularity, data) => {
                let splits = granularity.splits(data, SPLIT_SEED);
                let split = splits.get(split).cloned().ok_or_else(|| missing(splits.len()))?;
                let trial = Trial { data: Cow::Owned(data.clone()), split };
                Ok(Prepared { portfolio: granularity.portfolio(data), trial, work: None })
            }
            Loaded::Crowd(data) => {
                let splits = data.splits(self.holdout(), SPLIT_SEED);
                let found = splits.get(split).ok_or_else(|| missing(splits.len()))?;
                let (trial, work) = data.trial(found, self.limit()).ok_or_else(|| {
                    TaskError::Other("the runs of all stored problems end before the limit".to_owned())
                })?;
                Ok(Prepared { portfolio: Portfolio::All, trial, work: Some(work) })
            }
        }
    }
    /// Evaluates the stored predictions of the model on a split.
    pub(super) fn predicted(
        &self,
        shared: &Shared,
        prepared: &Prepared,
        split: usize,
    ) -> Result<SplitOutcome, TaskError> {
        let file = self.predictions_file();
        let place = format!("{} {file}", self.data);
        let read = || StoredPredictions::read(Path::new(&self.data), &file).map_err(TaskError::other);
        let stored = shared.predictions.get_or_make(&place, read)?;
        stored.evaluate(&prepared.trial, &prepared.portfolio).ok_or_else(|| {
            TaskError::Other(format!(
                "{file} does not cover split {split}: train/README.md says how to train it"
            ))
        })
    }
}
