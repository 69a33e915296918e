//! Experiments as data: a TOML file says what is run, on which maps, with how many agents, under which planners; a
//! section a scale says what is different there.
//!
//! Values that the file does not give are those of `experiments/common.toml`. The project's own experiments are part of
//! the program; one's own are files.

mod embedded;
mod keys;
mod plan;
mod sheet;

use std::path::{Path, PathBuf};

use throng::grid::spec::SpecError;

pub(crate) use embedded::{EXPERIMENTS, embedded};
pub use keys::{KEYS, Key, KeyKind};
pub use plan::Plan;
pub(crate) use plan::{cost, identify};
pub use sheet::SCALES;
use sheet::{Document, Sheet};

/// Why there is no such experiment.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExperimentError {
    /// No experiment has this name.
    #[error("{0}; a file of your own is named by its path, such as mine.toml")]
    Unknown(#[from] SpecError),
    /// The file cannot be read.
    #[error("cannot read {file}: {reason}")]
    Unreadable {
        /// Which file.
        file: String,
        /// What the system says.
        reason: String,
    },
    /// Something in the file is refused.
    #[error("{file}:{line}:{column}: {reason}")]
    At {
        /// Which file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// Why.
        reason: String,
    },
    /// The axes multiply to more than anybody runs.
    #[error("{file}: the axes make {runs} runs; at most {MOST_RUNS} are planned")]
    TooMany {
        /// Which file.
        file: String,
        /// How many there would be.
        runs: usize,
    },
    /// The experiment has no such scale.
    #[error("{0} (it has {1})")]
    Scale(Box<SpecError>, String),
    /// A key without which there is nothing to run.
    #[error("{file}: `{key}` is missing: {about}")]
    Missing {
        /// Which file.
        file: String,
        /// The key.
        key: &'static str,
        /// What it means.
        about: &'static str,
    },
}

/// Runs in a plan, at most.
const MOST_RUNS: usize = 5_000_000;

/// An experiment.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Its name.
    pub name: String,
    /// What it is, in a line.
    pub title: String,
    /// What it is for.
    pub about: String,
    /// The publication that it repeats.
    pub reference: String,
    /// The folder of its file, where its maps may lie; none for the project's own.
    pub folder: Option<PathBuf>,
    file: String,
    /// What holds for every experiment, and at some scales.
    defaults: Document,
    common: Sheet,
    scales: Vec<(String, Sheet)>,
}

impl Experiment {
    /// The names of the project's own experiments.
    pub fn names() -> impl Iterator<Item = &'static str> {
        EXPERIMENTS.iter().map(|experiment| experiment.name)
    }

    /// One of the project's own experiments by name, or a file.
    ///
    /// # Errors
    /// When there is no such experiment, or its file is refused.
    pub fn open(name: &str) -> Result<Self, ExperimentError> {
        if let Some(own) = embedded(name) {
            return Self::parse(name, &format!("experiments/{name}/experiment.toml"), own.experiment, None);
        }
        let path = Path::new(name);
        if path.extension().is_none_or(|end| end != "toml") {
            return Err(SpecError::unknown("experiment", name, Self::names()).into());
        }
        let unreadable = |error: std::io::Error| ExperimentError::Unreadable {
            file: name.to_owned(),
            reason: error.to_string(),
        };
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        // A file as the project keeps them is known by its folder.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let title = match folder.and_then(Path::file_name) {
            Some(folder) if stem == "experiment" => folder.to_string_lossy().into_owned(),
            _ => stem.into_owned(),
        };
        Self::parse(&title, name, &text, Some(folder.unwrap_or(Path::new(".")).to_owned()))
    }

    fn parse(name: &str, file: &str, text: &str, folder: Option<PathBuf>) -> Result<Self, ExperimentError> {
        let defaults = sheet::read("experiments/common.toml", embedded::COMMON)?;
        let Document { common, scales } = sheet::read(file, text)?;
        let mut own: Vec<(String, Sheet)> =
            SCALES.iter().map(|&scale| (scale.to_owned(), Sheet::default())).collect();
        for (name, sheet) in scales {
            match own.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = sheet,
                None => own.push((name, sheet)),
            }
        }
        let said = |key: &str| common.text(key).unwrap_or_default().to_owned();
        Ok(Self {
            name: name.to_owned(),
            title: said("title"),
            about: said("about"),
            reference: said("reference"),
            folder,
            file: file.to_owned(),
            defaults,
            common,
            scales: own,
        })
    }

    /// The names of its scales.
    pub fn scales(&self) -> impl Iterator<Item = &str> {
        self.scales.iter().map(|(name, _)| name.as_str())
    }

    /// What is run at a scale.
    ///
    /// # Errors
    /// When there is no such scale, nothing says which maps, planners or numbers of agents, or something is said that the
    /// task does not know.
    pub fn plan(&self, scale: &str) -> Result<Plan, ExperimentError> {
        let Some((_, own)) = self.scales.iter().find(|(name, _)| name == scale) else {
            let known: Vec<&str> = self.scales().collect();
            let error = SpecError::unknown("scale", scale, known.iter().copied());
            return Err(ExperimentError::Scale(Box::new(error), known.join(", ")));
        };
        // From the general to the particular: what an experiment says holds whatever is usual at a scale.
        let usual = self.defaults.scales.iter().find(|(name, _)| name == scale).map(|(_, sheet)| sheet);
        let defaults =
            usual.map_or_else(|| self.defaults.common.clone(), |sheet| self.defaults.common.overruled(sheet));
        let sheet = defaults.overruled(&self.common).overruled(own);
        let is_dynamic = sheet.values.contains_key("searches");
        let planners = if is_dynamic { "searches" } else { "planners" };
        for key in KEYS.iter().filter(|key| ["maps", "agents", planners].contains(&key.name)) {
            if !sheet.values.contains_key(key.name) {
                return Err(ExperimentError::Missing {
                    file: self.file.clone(),
                    key: key.name,
                    about: key.about,
                });
            }
        }
        check_tasks(&sheet)?;
        if let Some(place) = sheet.places.get(&("planners", String::new())).filter(|_| is_dynamic) {
            return Err(
                place.refuse("searches take the place of planners: only one of them is run".to_owned())
            );
        }
        let lengths =
            KEYS.iter().filter(|key| key.column.is_some()).filter_map(|key| sheet.values.get(key.name));
        let runs = lengths.fold(1_usize, |runs, values| runs.saturating_mul(values.len()));
        if runs > MOST_RUNS {
            return Err(ExperimentError::TooMany { file: self.file.clone(), runs });
        }
        Ok(Plan::new(&self.name, scale, &sheet))
    }
}

/// Refuses what a task would not look at.
fn check_tasks(sheet: &Sheet) -> Result<(), ExperimentError> {
    let tasks = || sheet.values.get("task").into_iter().flatten().flatten().map(ToString::to_string);
    for key in KEYS.iter().filter(|key| sheet.values.contains_key(key.name)) {
        let Some(knows) = key.task else { continue };
        if let (Some(other), Some(place)) =
            (tasks().find(|task| task != knows), sheet.places.get(&(key.name, String::new())))
        {
            let name = key.name;
            return Err(place.refuse(format!(
                "the task `{other}` has no key `{name}`: did you mean `task = \"{knows}\"`?"
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
