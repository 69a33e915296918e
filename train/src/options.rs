//! The options of the commands, and what follows from them.

use std::ops::Range;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use throng_lab::select::pictures::Input;
use throng_lab::select::single_agent::Granularity;
use throng_lab::select::{Holdout, SelectionTask};

use crate::training::{Loss, Settings};

pub(crate) const FEATURES_EXAMPLE: &str = "\
The maps are read from THRONG_DATA. train/README.md tells how to make the file of weights.
Example: throng-train features --weights alexnet.safetensors";

pub(crate) const TRAIN_EXAMPLE: &str = "\
Predictions are stored as predictions-TARGET[-HOLDOUT]-MODEL.parquet in the folder of the stored data.
Examples:
  throng-train train problem --model alexnet-head --weights alexnet.safetensors -o out/networks
  throng-train train crowd --holdout games --model small-cnn --input pyramid -o out/networks --resume
  throng-train train genre --model alexnet --weights alexnet.safetensors --splits 0..1 -o out/networks";

pub(crate) const EXPLAIN_EXAMPLE: &str = "\
Example: throng-train explain crowd --holdout maps --model small-cnn --networks out/networks -o out/explained";

pub(crate) const BENCH_EXAMPLE: &str = "\
Example: throng-train bench --threads 1 --map bg512/AR0011SR --agents 400";

/// What a selection is made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Target {
    /// The genre of the map is predicted
    Genre,
    /// The game of the map is predicted
    Game,
    /// A configuration is picked per map
    Map,
    /// A configuration is picked per problem of one map
    Problem,
    /// A planner is picked per crowd
    Crowd,
}

/// What the parts of a split do not share.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum HoldoutName {
    Problems,
    Maps,
    Games,
}

/// The network.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Model {
    /// All of AlexNet, as in the thesis
    Alexnet,
    /// A head on AlexNet's pre-trained convolutions
    AlexnetHead,
    /// A small network for pictures with many channels
    SmallCnn,
}

/// Parses the name of an input.
fn input() -> impl TypedValueParser<Value = Input> {
    PossibleValuesParser::new(Input::ALL.map(Input::name))
        .try_map(|name| Input::named(&name).ok_or("there is no such input"))
}

/// Folders that all commands read.
#[derive(Debug, Args)]
pub(crate) struct Folders {
    /// The folder of the stored data
    #[arg(long, value_name = "DIR", default_value = "experiments/select")]
    pub(crate) data: PathBuf,
    /// The folder of the features of AlexNet's convolutions
    #[arg(long, value_name = "DIR", default_value = "out/alexnet-features")]
    pub(crate) cache: PathBuf,
    /// The pre-trained convolutions, a safetensors file
    #[arg(long, value_name = "FILE")]
    pub(crate) weights: Option<PathBuf>,
}

/// A task and a network.
#[derive(Debug, Args)]
pub(crate) struct Subject {
    /// What a selection is made for
    pub(crate) target: Target,
    /// What the parts of a split do not share; for `crowd` alone
    #[arg(long)]
    pub(crate) holdout: Option<HoldoutName>,
    /// The network
    #[arg(long)]
    pub(crate) model: Model,
    /// What the network sees; `thesis` for AlexNet and `channels` for the small network by default
    #[arg(long, value_parser = input())]
    pub(crate) input: Option<Input>,
    /// What is learned; labels with AlexNet and utilities with the small network by default
    #[arg(long)]
    pub(crate) loss: Option<Loss>,
    /// Folders.
    #[command(flatten)]
    pub(crate) folders: Folders,
}

/// The arguments of `throng-train features`.
#[derive(Debug, Args)]
pub(crate) struct FeaturesArguments {
    /// What is computed; every stored instance by default
    pub(crate) targets: Vec<Target>,
    /// `thesis` or `thesis-crop`
    #[arg(long, default_value = "thesis", value_parser = input())]
    pub(crate) input: Input,
    /// Folders.
    #[command(flatten)]
    pub(crate) folders: Folders,
}

/// The arguments of `throng-train train`.
#[derive(Debug, Args)]
pub(crate) struct TrainArguments {
    /// Task and network.
    #[command(flatten)]
    pub(crate) subject: Subject,
    /// Train on these splits only, counted from 0; the end is excluded
    #[arg(long, value_name = "A..B", value_parser = range)]
    pub(crate) splits: Option<Range<usize>>,
    /// Number of epochs
    #[arg(long, value_name = "N")]
    pub(crate) epochs: Option<usize>,
    /// Learning rate of the first epoch
    #[arg(long, value_name = "R")]
    pub(crate) rate: Option<f64>,
    /// Mirror and turn pictures at random; on by default for the small network, except for `problem`, where places matter
    #[arg(long, value_name = "BOOL")]
    pub(crate) symmetries: Option<bool>,
    /// Seed of weights, order and dropout
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Folder of the networks
    #[arg(short = 'o', long = "out", value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Continue from the last checkpoint
    #[arg(long)]
    pub(crate) resume: bool,
}

/// The arguments of `throng-train explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// Task and network.
    #[command(flatten)]
    pub(crate) subject: Subject,
    /// Folder of the networks, the -o of `throng-train train`
    #[arg(long, value_name = "DIR")]
    pub(crate) networks: PathBuf,
    /// The split whose network is asked
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) split: usize,
    /// Number of instances of its test part
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub(crate) count: usize,
    /// Folder of the pictures
    #[arg(short = 'o', long = "out", value_name = "DIR")]
    pub(crate) out: PathBuf,
}

/// The arguments of `throng-train bench`.
#[derive(Debug, Args)]
pub(crate) struct BenchArguments {
    /// Map of the prediction
    #[arg(long, default_value = "builtin:town")]
    pub(crate) map: String,
    /// Number of agents of the prediction
    #[arg(long, default_value_t = 200)]
    pub(crate) agents: usize,
    /// Measure the prediction only
    #[arg(long)]
    pub(crate) prediction: bool,
}

impl Target {
    /// Returns the name of the kind of its instances.
    pub(crate) const fn kind(self) -> &'static str {
        match self {
            Self::Genre | Self::Game | Self::Map => "maps",
            Self::Problem => "problems",
            Self::Crowd => "crowds",
        }
    }

    /// Reads the task.
    pub(crate) fn task(self, holdout: Option<HoldoutName>, folders: &Folders) -> Result<SelectionTask> {
        let granularity = match self {
            Self::Genre => Granularity::Genre,
            Self::Game => Granularity::Game,
            Self::Map => Granularity::Map,
            Self::Problem => Granularity::Problem,
            Self::Crowd => {
                let holdout = match holdout {
                    None | Some(HoldoutName::Problems) => Holdout::Problems,
                    Some(HoldoutName::Maps) => Holdout::Maps,
                    Some(HoldoutName::Games) => Holdout::Games,
                };
                return Ok(SelectionTask::crowd(holdout, &folders.data)?);
            }
        };
        if holdout.is_some() {
            bail!("--holdout is for `crowd`");
        }
        Ok(SelectionTask::single_agent(granularity, &folders.data)?)
    }
}

impl Subject {
    /// Reads the task.
    pub(crate) fn task(&self) -> Result<SelectionTask> {
        self.target.task(self.holdout, &self.folders)
    }

    /// Returns what the network sees.
    pub(crate) fn input(&self) -> Result<Input> {
        let is_alexnet = self.model != Model::SmallCnn;
        let default = if is_alexnet { Input::Thesis } else { Input::Channels };
        let input = self.input.unwrap_or(default);
        if input.is_coloured() != is_alexnet {
            bail!(
                "AlexNet sees `thesis` or `thesis-crop`, and small-cnn sees `channels`, `crop` or `pyramid`"
            );
        }
        Ok(input)
    }

    /// Returns what is learned.
    pub(crate) fn loss(&self) -> Loss {
        self.loss.unwrap_or(if self.model == Model::SmallCnn { Loss::Utilities } else { Loss::Labels })
    }

    /// Returns the name of the model: the network, and what differs from its defaults.
    pub(crate) fn name(&self) -> Result<String> {
        let (mut name, input, loss) = match self.model {
            Model::Alexnet => ("alexnet".to_owned(), Input::Thesis, Loss::Labels),
            Model::AlexnetHead => ("alexnet-head".to_owned(), Input::Thesis, Loss::Labels),
            Model::SmallCnn => ("small-cnn".to_owned(), Input::Channels, Loss::Utilities),
        };
        if self.input()? != input {
            name = format!("{name}-{}", self.input()?.name());
        }
        if self.loss() != loss {
            name += if self.loss() == Loss::Labels { "-labels" } else { "-utilities" };
        }
        Ok(name)
    }
}

impl TrainArguments {
    /// Returns how the network is trained.
    pub(crate) fn settings(&self) -> Settings {
        let subject = &self.subject;
        let (epochs, rate, weight_decay) = match subject.model {
            Model::Alexnet => (10, 1e-3, 0.0),
            Model::AlexnetHead => (20, 3e-4, 0.1),
            Model::SmallCnn => (30, 1e-3, 0.02),
        };
        let turns = subject.model == Model::SmallCnn && subject.target != Target::Problem;
        Settings {
            epochs: self.epochs.unwrap_or(epochs),
            batch: 32,
            rate: self.rate.unwrap_or(rate),
            weight_decay,
            sgd: subject.model == Model::Alexnet,
            loss: subject.loss(),
            symmetries: self.symmetries.unwrap_or(turns),
            seed: self.seed,
        }
    }
}

/// Parses a range written as `A..B`.
fn range(text: &str) -> Result<Range<usize>, String> {
    let parsed = text.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    parsed
        .filter(|range: &Range<usize>| !range.is_empty())
        .ok_or_else(|| "expected splits written as A..B, for example 0..2".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_two_numbers_and_are_not_empty() {
        assert_eq!(range("0..2"), Ok(0..2));
        for wrong in ["2..2", "3..1", "3", "a..b", ""] {
            assert!(range(wrong).unwrap_err().contains("A..B"), "{wrong}");
        }
    }

    #[test]
    fn names_tell_what_differs_from_the_defaults() {
        let folders = || Folders { data: PathBuf::new(), cache: PathBuf::new(), weights: None };
        let subject = |model, input, loss| Subject {
            target: Target::Map,
            holdout: None,
            model,
            input,
            loss,
            folders: folders(),
        };
        assert_eq!(subject(Model::SmallCnn, None, None).name().unwrap(), "small-cnn");
        let changed = subject(Model::AlexnetHead, Some(Input::ThesisCrop), Some(Loss::Utilities));
        assert_eq!(changed.name().unwrap(), "alexnet-head-thesis-crop-utilities");
        assert!(subject(Model::Alexnet, Some(Input::Pyramid), None).name().is_err());
    }
}
