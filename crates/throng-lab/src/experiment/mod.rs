//! Experiments as data: a TOML file sets the task, maps, planners and limits, and a section per scale overrides them.
//!
//! Keys that a file does not set have the values of `experiments/common.toml`. The project's own experiments are part of
//! the program; other experiments are files.

mod document;
mod embedded;
mod keys;
mod plan;

use std::path::{Path, PathBuf};

use throng::grid::spec::SpecError;
use throng_grid::limits::LimitError;

use crate::files;
use crate::limits::{EXPERIMENT_FILE, EXPERIMENT_RUNS};
use crate::strict::FileError;
use crate::task::{Task, task};
pub use document::SCALES;
use document::{Document, Section};
pub(crate) use embedded::{EXPERIMENTS, embedded};
pub(crate) use keys::{INSTANCES, PROBLEM_KEYS, axes};
pub use keys::{Key, KeyKind, keys};
pub use plan::RunPlan;
pub(crate) use plan::{problem_files, run_key};

/// Why an experiment cannot be opened or planned.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// No experiment has this name.
    #[error("{0}; an experiment file is named by its path, such as mine.toml")]
    Unknown(#[from] SpecError),
    /// The file cannot be read.
    #[error("{0}")]
    Unreadable(String),
    /// Something in the file is refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// The axes multiply to too many runs.
    #[error("{file}: {error}")]
    TooMany {
        /// The file.
        file: String,
        /// The limit.
        error: LimitError,
    },
    /// The experiment has no such scale.
    #[error("{0} (it has {1})")]
    Scale(Box<SpecError>, String),
    /// A required key is missing.
    #[error("{file}: `{key}` is missing: {about}")]
    Missing {
        /// The file.
        file: String,
        /// The key.
        key: &'static str,
        /// What it means.
        about: &'static str,
    },
}

/// An experiment.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Its name.
    pub name: String,
    /// Its title, in one line.
    pub title: String,
    /// Its purpose.
    pub about: String,
    /// The publication that it repeats.
    pub reference: String,
    /// The folder of its file, which may hold its maps; none for the project's own experiments.
    pub folder: Option<PathBuf>,
    file: String,
    /// The values of keys that the file does not set.
    defaults: Document,
    common: Section,
    scales: Vec<(String, Section)>,
}

impl Experiment {
    /// Returns the names of the project's own experiments.
    pub fn names() -> impl Iterator<Item = &'static str> {
        EXPERIMENTS.iter().map(|experiment| experiment.name)
    }

    /// Opens one of the project's own experiments by name, or a file.
    ///
    /// # Errors
    /// If there is no such experiment, or its file is refused.
    pub fn open(name: &str) -> Result<Self, ExperimentError> {
        if let Some(own) = embedded(name) {
            return Self::parse(name, &format!("experiments/{name}/experiment.toml"), own.experiment, None);
        }
        let path = Path::new(name);
        if path.extension().is_none_or(|end| end != "toml") {
            return Err(SpecError::unknown("experiment", name, Self::names()).into());
        }
        let text = files::read_text(path, EXPERIMENT_FILE)
            .map_err(|error| ExperimentError::Unreadable(error.to_string()))?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        // `experiment.toml` is the file name in the project's own folders: there the folder names the experiment.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let title = match folder.and_then(Path::file_name) {
            Some(folder) if stem == "experiment" => folder.to_string_lossy().into_owned(),
            _ => stem.into_owned(),
        };
        Self::parse(&title, name, &text, Some(folder.unwrap_or(Path::new(".")).to_owned()))
    }

    fn parse(name: &str, file: &str, text: &str, folder: Option<PathBuf>) -> Result<Self, ExperimentError> {
        let defaults = document::read("experiments/common.toml", embedded::COMMON)?;
        let Document { common, scales } = document::read(file, text)?;
        let mut own: Vec<(String, Section)> =
            SCALES.iter().map(|&scale| (scale.to_owned(), Section::default())).collect();
        for (name, section) in scales {
            match own.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = section,
                None => own.push((name, section)),
            }
        }
        let option = |key: &str| common.text(key).unwrap_or_default().to_owned();
        Ok(Self {
            name: name.to_owned(),
            title: option("title"),
            about: option("about"),
            reference: option("reference"),
            folder,
            file: file.to_owned(),
            defaults,
            common,
            scales: own,
        })
    }

    /// Returns the names of its scales.
    pub fn scales(&self) -> impl Iterator<Item = &str> {
        self.scales.iter().map(|(name, _)| name.as_str())
    }

    /// Plans the runs of a scale.
    ///
    /// # Errors
    /// If there is no such scale, a required key is missing, or a key is set that the task does not have.
    pub fn plan(&self, scale: &str) -> Result<RunPlan, ExperimentError> {
        let Some((_, own)) = self.scales.iter().find(|(name, _)| name == scale) else {
            let known: Vec<&str> = self.scales().collect();
            let error = SpecError::unknown("scale", scale, known.iter().copied());
            return Err(ExperimentError::Scale(Box::new(error), known.join(", ")));
        };
        // In rising order of precedence: the defaults, the defaults of the scale, the experiment, its own scale.
        let usual = self.defaults.scales.iter().find(|(name, _)| name == scale).map(|(_, section)| section);
        let defaults = usual.map_or_else(
            || self.defaults.common.clone(),
            |section| self.defaults.common.overridden_by(section),
        );
        let set = self.common.overridden_by(own);
        let section = defaults.overridden_by(&set);
        let task =
            section.text("task").and_then(task).expect("common.toml sets a task, and readers check its name");
        check_keys(task, &set)?;
        let is_missing = |key: &&Key| key.required && !section.values.contains_key(key.name);
        if let Some(&Key { name: key, about, .. }) = axes(task).find(is_missing) {
            return Err(ExperimentError::Missing { file: self.file.clone(), key, about });
        }
        let lengths = axes(task).filter_map(|key| section.values.get(key.name));
        let runs = lengths.fold(1_usize, |runs, values| runs.saturating_mul(values.len()));
        EXPERIMENT_RUNS
            .check(runs)
            .map_err(|error| ExperimentError::TooMany { file: self.file.clone(), error })?;
        Ok(RunPlan::new(&self.name, scale, task, &section))
    }
}

/// Refuses keys that the task does not have.
fn check_keys(task: &Task, set: &Section) -> Result<(), FileError> {
    for key in keys().into_iter().filter(|key| set.values.contains_key(key.name)) {
        let tasks = key.tasks();
        if let Some(place) =
            set.places.get(&(key.name, String::new())).filter(|_| !tasks.contains(&task.name))
        {
            let (task, key, other) = (task.name, key.name, tasks.first().copied().unwrap_or_default());
            return Err(place.refuse(format!(
                "the task `{task}` has no key `{key}`: did you mean `task = \"{other}\"`?"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
