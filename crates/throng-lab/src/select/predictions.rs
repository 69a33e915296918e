//! Predictions that were made elsewhere, as models of an evaluation.
//!
//! A network is trained by a program of its own (`train/`), once per split, and stores the scores of all choices for the test
//! part of the split. Each row has a hash of what the split's training part teaches: its instances, and the utility of every
//! choice for each of them. An evaluation looks scores up by this hash. So predictions for other data, limits or splits are
//! never used, and a stale file has no splits instead of wrong ones.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use rayon::prelude::*;
use serde::Serialize;

use super::single_agent::{SelectError, Table, integers, text};
use super::{
    Evaluation, Holdout, Inputs, InstanceId, Learner, Portfolio, Predictor, Split, SplitOutcome, Trial,
    evaluate_trial,
};
use crate::files::{Files, FilesError};
use crate::hash::checksum;
use crate::store::write_table;

/// Units of a stored score.
const SCORE_UNITS: f64 = 10_000.0;

/// The scores of all choices for one instance, learned from one training part.
#[derive(Clone, PartialEq, Debug)]
pub struct Prediction {
    /// The hash of the training part.
    pub training: u64,
    /// The instance.
    pub instance: String,
    /// The score of each choice. The first of the highest is picked.
    pub scores: Vec<f64>,
}

/// The stored predictions of one model.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredPredictions {
    /// The name of the model.
    pub model: String,
    /// The scores by training part and instance.
    scores: BTreeMap<u64, BTreeMap<String, Vec<f64>>>,
}

/// Returns the hash of what a training part teaches: instances, and the utility of every choice for each of them.
pub fn training_hash<'a>(instances: impl Iterator<Item = (&'a InstanceId, &'a [f64])>) -> u64 {
    instances.fold(0, |hash, (id, utilities)| {
        let bits: Vec<u8> = utilities.iter().flat_map(|utility| utility.to_bits().to_le_bytes()).collect();
        checksum(checksum(hash, id.to_string().as_bytes()), &bits)
    })
}

impl StoredPredictions {
    /// Returns the file of a model in the folder of the stored data.
    pub fn file(task: &str, model: &str) -> String {
        format!("predictions-{task}-{model}.parquet")
    }

    /// Writes predictions. The scores are rounded to 1/10,000.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(path: &Path, model: &str, predictions: &[Prediction]) -> Result<(), SelectError> {
        let rows =
            || {
                predictions.iter().flat_map(|prediction| {
                    prediction.scores.iter().enumerate().map(move |(choice, score)| {
                        (prediction, choice, (score * SCORE_UNITS).round() as i64)
                    })
                })
            };
        let hashes: Vec<String> =
            rows().map(|(prediction, ..)| format!("{:016x}", prediction.training)).collect();
        let columns = [
            text("model", rows().map(|_| model)),
            text("training", hashes.iter().map(String::as_str)),
            text("instance", rows().map(|(prediction, ..)| prediction.instance.as_str())),
            integers("choice", rows().map(|(_, choice, _)| choice as i64)),
            integers("score", rows().map(|(.., score)| score)),
        ];
        Ok(write_table(&Files::default(), path, &columns)?)
    }

    /// Reads the predictions of one file.
    ///
    /// # Errors
    /// If it is missing or damaged.
    pub fn read(folder: &Path, file: &str) -> Result<Self, SelectError> {
        let table = Table::read(folder, file)?;
        let (models, hashes) = (table.texts("model")?, table.texts("training")?);
        let (instances, choices) = (table.texts("instance")?, table.integers("choice")?);
        let stored = table.large_integers("score")?;
        let mut scores: BTreeMap<u64, BTreeMap<String, Vec<f64>>> = BTreeMap::new();
        for row in 0..stored.len() {
            if models[row] != models[0] {
                return Err(table.damaged("it has more than one model"));
            }
            let hash = u64::from_str_radix(&hashes[row], 16)
                .map_err(|_| table.damaged("the column `training` has no hash in a row"))?;
            let of_instance = scores.entry(hash).or_default().entry(instances[row].clone()).or_default();
            if of_instance.len() as i64 != choices[row] {
                return Err(table.damaged("the choices of an instance are not in order"));
            }
            of_instance.push(stored[row] as f64 / SCORE_UNITS);
        }
        let model = models.into_iter().next().ok_or_else(|| table.damaged("it has no rows"))?;
        Ok(Self { model, scores })
    }

    /// Reads the predictions of all models for a task, in the order of their files.
    ///
    /// # Errors
    /// If the folder cannot be read or a file is damaged.
    pub fn read_all(folder: &Path, task: &str) -> Result<Vec<Self>, SelectError> {
        Self::files(folder, task)?.iter().map(|file| Self::read(folder, file)).collect()
    }

    /// Returns the names of the files of all models for a task, in order.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn files(folder: &Path, task: &str) -> Result<BTreeSet<String>, SelectError> {
        let refused =
            |reason| crate::StoreError::from(FilesError { action: "read", path: folder.to_owned(), reason });
        let prefix = format!("predictions-{task}-");
        let mut files = BTreeSet::new();
        for entry in fs::read_dir(folder).map_err(refused)? {
            let name = entry.map_err(refused)?.file_name().to_string_lossy().into_owned();
            if name.starts_with(&prefix) && name.ends_with(".parquet") {
                files.insert(name);
            }
        }
        Ok(files)
    }

    /// Evaluates the predictions on one trial. Returns `None` if they do not cover it.
    pub fn evaluate(&self, trial: &Trial<'_>, portfolio: &Portfolio) -> Option<SplitOutcome> {
        let learner = StoredLearner { stored: self, ids: &trial.data.ids };
        self.covers(trial, portfolio).then(|| evaluate_trial(trial, portfolio, &[&learner]))
    }

    /// Returns all predictions.
    pub fn predictions(&self) -> Vec<Prediction> {
        let of_split = |(&training, scores): (&u64, &BTreeMap<String, Vec<f64>>)| {
            let prediction = |(instance, scores): (&String, &Vec<f64>)| Prediction {
                training,
                instance: instance.clone(),
                scores: scores.clone(),
            };
            scores.iter().map(prediction).collect::<Vec<_>>()
        };
        self.scores.iter().flat_map(of_split).collect()
    }

    /// Returns true if the model learned from the training part of a trial, and its test part is predicted completely.
    fn covers(&self, trial: &Trial<'_>, portfolio: &Portfolio) -> bool {
        let (data, Split { train, test }) = (&*trial.data, &trial.split);
        let choices = portfolio.choices(data, train);
        let targets: Vec<Vec<f64>> = train.iter().map(|&at| portfolio.target(data, &choices, at)).collect();
        let taught = train.iter().map(|&at| &data.ids[at]).zip(targets.iter().map(Vec::as_slice));
        let Some(scores) = self.scores.get(&training_hash(taught)) else { return false };
        let is_scored = |&at: &usize| {
            let found = scores.get(&data.ids[at].to_string());
            found.is_some_and(|scores| scores.len() == choices.algorithms.len())
        };
        test.iter().all(is_scored)
    }
}

/// Stored predictions as a learner. It is only used on splits that they cover.
struct StoredLearner<'a> {
    stored: &'a StoredPredictions,
    ids: &'a [InstanceId],
}

impl Learner for StoredLearner<'_> {
    fn name(&self) -> String {
        self.stored.model.clone()
    }

    fn inputs(&self) -> Inputs {
        Inputs::Number
    }

    fn fit(&self, rows: &[&[i32]], utilities: &[Vec<f64>]) -> Box<dyn Predictor> {
        let taught =
            rows.iter().map(|row| &self.ids[row[0] as usize]).zip(utilities.iter().map(Vec::as_slice));
        let known = self.stored.scores.get(&training_hash(taught)).cloned().unwrap_or_default();
        let score = |id: &InstanceId| known.get(&id.to_string()).cloned().unwrap_or_default();
        Box::new(StoredScores(self.ids.iter().map(score).collect()))
    }
}

/// The scores of the test part of a split, by the number of the instance.
struct StoredScores(Vec<Vec<f64>>);

impl Predictor for StoredScores {
    fn utilities(&self, row: &[i32]) -> Vec<f64> {
        self.0[row[0] as usize].clone()
    }
}

/// An evaluation with stored predictions among its models.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StoredEvaluation {
    /// The models that were evaluated on all splits.
    #[serde(flatten)]
    pub evaluation: Evaluation,
    /// Stored predictions that cover only some splits, each evaluated on these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub partial: Vec<Evaluation>,
    /// The models whose stored predictions cover no split: they were trained on other data.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<String>,
}

/// Evaluates learners, and the predictions that a folder has stored for a task. Returns `None` without trials.
///
/// # Errors
/// If a file of predictions is damaged.
pub fn evaluate_stored(
    trials: &[Trial<'_>],
    portfolio: &Portfolio,
    holdout: Holdout,
    learners: &[&dyn Learner],
    (folder, task): (&Path, &str),
) -> Result<Option<StoredEvaluation>, SelectError> {
    let stored = StoredPredictions::read_all(folder, task)?;
    let (mut whole, mut partial, mut stale) = (Vec::new(), Vec::new(), Vec::new());
    for model in &stored {
        let covered: Vec<Trial<'_>> =
            trials.iter().filter(|trial| model.covers(trial, portfolio)).cloned().collect();
        if covered.is_empty() {
            stale.push(model.model.clone());
        } else if covered.len() == trials.len() {
            whole.push(model);
        } else {
            partial.extend(evaluate_both(&covered, portfolio, holdout, &[], &[model]));
        }
    }
    let evaluation = evaluate_both(trials, portfolio, holdout, learners, &whole);
    Ok(evaluation.map(|evaluation| StoredEvaluation { evaluation, partial, stale }))
}

/// Evaluates learners and stored predictions that cover all trials.
fn evaluate_both(
    trials: &[Trial<'_>],
    portfolio: &Portfolio,
    holdout: Holdout,
    learners: &[&dyn Learner],
    stored: &[&StoredPredictions],
) -> Option<Evaluation> {
    let outcome = |trial: &Trial<'_>| {
        let models: Vec<StoredLearner<'_>> =
            stored.iter().map(|&stored| StoredLearner { stored, ids: &trial.data.ids }).collect();
        let mut all = learners.to_vec();
        all.extend(models.iter().map(|model| -> &dyn Learner { model }));
        evaluate_trial(trial, portfolio, &all)
    };
    let outcomes: Vec<SplitOutcome> = trials.par_iter().map(outcome).collect();
    Evaluation::join(trials, portfolio, holdout, &outcomes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::tests::dataset;
    use crate::select::{Dataset, splits};

    /// Returns perfect predictions for some splits.
    fn perfect(data: &Dataset, splits: &[Split]) -> Vec<Prediction> {
        let of_split = |split: &Split| {
            let taught = split.train.iter().map(|&at| (&data.ids[at], data.utilities[at].as_slice()));
            let training = training_hash(taught);
            let prediction = |&at: &usize| Prediction {
                training,
                instance: data.ids[at].to_string(),
                scores: data.utilities[at].clone(),
            };
            split.test.iter().map(prediction).collect::<Vec<_>>()
        };
        splits.iter().flat_map(of_split).collect()
    }

    fn evaluated(data: &Dataset, stored: &[Prediction], splits: &[Split]) -> StoredEvaluation {
        let folder = tempfile::tempdir().unwrap();
        let file = StoredPredictions::file("crowd-maps", "net");
        StoredPredictions::write(&folder.path().join(&file), "net", stored).unwrap();
        StoredPredictions::write(&folder.path().join("predictions-crowd-games-net.parquet"), "net", stored)
            .unwrap();
        let task = (folder.path(), "crowd-maps");
        let trials = Trial::all(data, splits.to_vec());
        evaluate_stored(&trials, &Portfolio::All, Holdout::Maps, &[], task).unwrap().unwrap()
    }

    #[test]
    fn predictions_are_models_on_the_splits_that_they_cover() {
        let data = dataset(200, 3);
        let all = splits(&data.groups, Holdout::Maps, 5, 70, 1);
        let found = evaluated(&data, &perfect(&data, &all), &all);
        assert_eq!(found.evaluation.models.len(), 1, "of this task alone");
        assert!((found.evaluation.models[0].accuracy - 1.0).abs() < 1e-9);
        assert!(found.partial.is_empty() && found.stale.is_empty());

        let folder = tempfile::tempdir().unwrap();
        StoredPredictions::write(&folder.path().join("net"), "net", &perfect(&data, &all[1..3])).unwrap();
        let stored = StoredPredictions::read(folder.path(), "net").unwrap();
        let trials = Trial::all(&data, all.clone());
        assert!(stored.evaluate(&trials[0], &Portfolio::All).is_none(), "split 0 is not covered");
        assert_eq!(stored.evaluate(&trials[1], &Portfolio::All).unwrap().models[0].accuracy, Some(1.0));

        let found = evaluated(&data, &perfect(&data, &all[1..3]), &all);
        assert!(found.evaluation.models.is_empty());
        assert_eq!(found.partial[0].splits, 2);
        assert!((found.partial[0].models[0].gap_closed.mean.unwrap() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn predictions_of_other_splits_or_utilities_or_instances_are_stale() {
        let data = dataset(200, 3);
        let all = splits(&data.groups, Holdout::Maps, 5, 70, 1);
        let others = splits(&data.groups, Holdout::Maps, 5, 70, 2);
        assert_eq!(evaluated(&data, &perfect(&data, &others), &all).stale, ["net"]);

        let stored = perfect(&data, &all);
        let mut changed = data.clone();
        for utilities in &mut changed.utilities {
            utilities[2] += 0.001;
        }
        assert_eq!(evaluated(&changed, &stored, &all).stale, ["net"]);

        let mut renamed = data.clone();
        renamed.ids.reverse();
        assert_eq!(evaluated(&renamed, &stored, &all).stale, ["net"]);

        let missing = &stored[..stored.len() - 1];
        assert_eq!(evaluated(&data, missing, &all).partial[0].splits, 4, "the last split lacks an instance");
    }

    #[test]
    fn a_damaged_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = StoredPredictions::file("map", "net");
        fs::write(folder.path().join(&file), "no table").unwrap();
        let error = StoredPredictions::read_all(folder.path(), "map").unwrap_err().to_string();
        assert!(error.contains(&file), "{error}");
    }
}
