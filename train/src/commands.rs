//! The commands.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use burn::tensor::{Device, Tensor, TensorData};
use indicatif::{ProgressBar, ProgressStyle};
use throng_lab::select::pictures::Input;
use throng_lab::select::{
    InstanceId, Prediction, SelectionTask, StoredPredictions, Trial, argmax, training_hash,
};

use crate::bench;
use crate::cache::Cache;
use crate::explain::Occlusion;
use crate::networks::{ALEXNET_FEATURES, AlexNet, Convolutions, Head, Network, SmallCnn};
use crate::options::{
    BenchArguments, ExplainArguments, FeaturesArguments, Folders, Model, Subject, Target, TrainArguments,
};
use crate::samples::{Samples, picture_batch, pictures};
use crate::training::{Lesson, Trained, Workshop, train as train_network};
use crate::weights;

/// The number of instances per batch in predictions.
const BATCH: usize = 64;

/// The predictions of a split, in its folder.
const PREDICTIONS: &str = "predictions.parquet";

/// Counts changes of what networks learn from. Networks of another version are not continued.
const VERSION: u32 = 2;

/// The settings of a training, in its folder.
const SETTINGS: &str = "settings";

/// Reads the weights that an option names.
fn convolutions(folders: &Folders, device: &Device) -> Result<(Convolutions, u64)> {
    let Some(path) = &folders.weights else { bail!("--weights names the file of pre-trained convolutions") };
    weights::load(path, device)
}

/// `throng-train features`.
pub(crate) fn features(arguments: &FeaturesArguments) -> Result<()> {
    let input = arguments.input;
    if !input.is_coloured() {
        bail!("AlexNet sees `thesis` or `thesis-crop`");
    }
    let device = Device::flex();
    let (convolutions, hash) = convolutions(&arguments.folders, &device)?;
    let targets = match &arguments.targets[..] {
        [] => &[Target::Map, Target::Problem, Target::Crowd],
        targets => targets,
    };
    for target in targets {
        let ids = target.task(None, &arguments.folders)?.ids();
        let mut cache = Cache::open(&arguments.folders.cache, target.kind(), input, hash)?;
        let begun = std::time::Instant::now();
        let computed = cache.complete(&ids, input, &convolutions, &device)?;
        println!(
            "{}: {} instances, {computed} computed in {:.0} s",
            target.kind(),
            ids.len(),
            begun.elapsed().as_secs_f64()
        );
    }
    Ok(())
}

/// What a network of a task sees, and the pre-trained convolutions.
struct Prepared {
    source: SampleSource,
    convolutions: Option<Convolutions>,
}

/// Where samples come from.
enum SampleSource {
    /// The same pictures for every split.
    Pictures(Samples),
    /// Features of AlexNet's convolutions, which are standardised on the training part of each split.
    Features(Vec<Vec<f32>>),
}

fn prepare(subject: &Subject, task: &SelectionTask, device: &Device) -> Result<Prepared> {
    let input = subject.input()?;
    let folders = &subject.folders;
    if subject.model == Model::AlexnetHead {
        let (convolutions, hash) = convolutions(folders, device)?;
        let cache = Cache::open(&folders.cache, subject.target.kind(), input, hash)?;
        let source = SampleSource::Features(cache.features(&task.ids())?);
        return Ok(Prepared { source, convolutions: Some(convolutions) });
    }
    let given = subject.model == Model::Alexnet && folders.weights.is_some();
    let convolutions = given.then(|| convolutions(folders, device)).transpose()?;
    Ok(Prepared {
        source: SampleSource::Pictures(Samples::pictures(task, input)?),
        convolutions: convolutions.map(|(convolutions, _)| convolutions),
    })
}

/// `throng-train train`.
pub(crate) fn train(arguments: &TrainArguments) -> Result<()> {
    let subject = &arguments.subject;
    let (task, name) = (subject.task()?, subject.name()?);
    let folder = folder(&arguments.out, &task, &name);
    claim(&folder, &format!("version {VERSION}\n{:?}\n", arguments.settings()), arguments.resume)?;
    let device = Device::flex().autodiff();
    let prepared = prepare(subject, &task, &device)?;
    let splits = arguments.splits.clone().unwrap_or(0..task.len());
    for number in splits {
        let trial = trial(&task, number)?;
        device.seed(arguments.seed.wrapping_add((number as u64) << 32));
        let run =
            SplitRun { arguments, task: &task, number, trial: &trial, folder: &folder, device: &device };
        let standardised;
        let samples = match &prepared.source {
            SampleSource::Pictures(samples) => samples,
            SampleSource::Features(rows) => {
                standardised = Samples::features(rows, &numbers(&task, &trial.data.ids, &trial.split.train))?;
                &standardised
            }
        };
        match subject.model {
            Model::Alexnet => {
                let mut network = AlexNet::new(run.choices(), &device);
                if let Some(convolutions) = &prepared.convolutions {
                    network.convolutions = convolutions.clone();
                }
                run.train(network, samples)?;
            }
            Model::AlexnetHead => {
                run.train(Head::new(samples.width(), run.choices(), &device), samples)?;
            }
            Model::SmallCnn => {
                let channels = subject.input()?.channels();
                run.train(SmallCnn::new(channels, run.choices(), &device), samples)?;
            }
        }
        let path = subject.folders.data.join(StoredPredictions::file(&task.name, &name));
        let stored = finished(&task, &folder)?;
        StoredPredictions::write(&path, &name, &stored)?;
        println!("split {number}: {} predictions in {}", stored.len(), path.display());
    }
    Ok(())
}

/// Returns a split with its data.
fn trial(task: &SelectionTask, number: usize) -> Result<Trial<'_>> {
    task.trial(number)
        .ok_or_else(|| anyhow!("there is no split {number} with instances: {} has {}", task.name, task.len()))
}

/// Returns the folder of the networks of a task and model.
fn folder(out: &Path, task: &SelectionTask, name: &str) -> PathBuf {
    out.join(format!("{}-{name}", task.name))
}

/// Makes the folder of a training. One with other settings, or one that is not to be continued, is refused.
fn claim(folder: &Path, settings: &str, resume: bool) -> Result<()> {
    let file = folder.join(SETTINGS);
    if file.is_file() {
        if !resume {
            bail!(
                "{} has networks already: --resume continues, and -o names another folder",
                folder.display()
            );
        }
        if fs::read_to_string(&file)? != settings {
            bail!(
                "the networks in {} have other settings: use the same options, or another -o",
                folder.display()
            );
        }
        return Ok(());
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(fs::write(file, settings)?)
}

/// Returns the predictions of all splits that are finished and belong to the task.
fn finished(task: &SelectionTask, folder: &Path) -> Result<Vec<Prediction>> {
    let mut all = Vec::new();
    for number in 0..task.len() {
        let folder = folder.join(format!("split-{number}"));
        if folder.join(PREDICTIONS).is_file() {
            let stored = StoredPredictions::read(&folder, PREDICTIONS)?.predictions();
            let hash = taught(task, &trial(task, number)?).1;
            all.extend(stored.into_iter().filter(|prediction| prediction.training == hash));
        }
    }
    Ok(all)
}

/// Returns the utilities of the choices for the training part of a split, and their hash.
fn taught(task: &SelectionTask, Trial { data, split }: &Trial<'_>) -> (Vec<Vec<f64>>, u64) {
    let choices = task.portfolio.choices(data, &split.train);
    let utilities: Vec<Vec<f64>> =
        split.train.iter().map(|&at| task.portfolio.target(data, &choices, at)).collect();
    let ids = split.train.iter().map(|&at| &data.ids[at]);
    let hash = training_hash(ids.zip(utilities.iter().map(Vec::as_slice)));
    (utilities, hash)
}

/// The training of one split.
struct SplitRun<'a> {
    arguments: &'a TrainArguments,
    task: &'a SelectionTask,
    number: usize,
    trial: &'a Trial<'a>,
    folder: &'a Path,
    device: &'a Device,
}

impl SplitRun<'_> {
    /// Returns the number of choices.
    fn choices(&self) -> usize {
        self.task.portfolio.choices(&self.trial.data, &self.trial.split.train).algorithms.len()
    }

    /// Returns the numbers of instances of the trial among all instances of the task.
    fn numbers(&self, part: &[usize]) -> Vec<usize> {
        numbers(self.task, &self.trial.data.ids, part)
    }

    /// Trains the network of a split, unless its predictions are stored already.
    fn train<N: Network>(&self, network: N, samples: &Samples) -> Result<()> {
        let folder = self.folder.join(format!("split-{}", self.number));
        fs::create_dir_all(&folder)?;
        let (utilities, training) = taught(self.task, self.trial);
        let Trial { data, split } = self.trial;
        let is_done = folder.join(PREDICTIONS).is_file()
            && StoredPredictions::read(&folder, PREDICTIONS)?
                .predictions()
                .iter()
                .all(|prediction| prediction.training == training);
        if is_done {
            return Ok(());
        }
        // A checkpoint of other data is not continued.
        let resume = self.arguments.resume && claim_split(&folder, training)?;
        let choices = self.task.portfolio.choices(data, &split.train);
        let labels = split.train.iter().map(|&at| choices.labels[at]).collect();
        let lesson = Lesson { samples, train: &self.numbers(&split.train), labels, utilities };
        let settings = self.arguments.settings();
        let bar = ProgressBar::new(settings.epochs as u64)
            .with_style(ProgressStyle::with_template(
                "{prefix} {wide_bar} epoch {pos}/{len}, {msg}, {eta} left",
            )?)
            .with_prefix(format!("split {}", self.number));
        let place = Workshop { folder: &folder, resume, bar: &bar, device: self.device };
        let trained = train_network(network, &lesson, &settings, &place)?;
        bar.finish_and_clear();
        let mut predictions = Vec::new();
        for part in split.test.chunks(BATCH) {
            let scores = trained.scores(samples.batch(&self.numbers(part), None, self.device))?;
            predictions.extend(part.iter().zip(scores).map(|(&at, scores)| Prediction {
                training,
                instance: data.ids[at].to_string(),
                scores,
            }));
        }
        Ok(StoredPredictions::write(
            &folder.join(PREDICTIONS),
            &self.arguments.subject.name()?,
            &predictions,
        )?)
    }
}

/// Returns the numbers of instances of a trial among all instances of the task, which samples are in the order of.
fn numbers(task: &SelectionTask, of_trial: &[InstanceId], part: &[usize]) -> Vec<usize> {
    let ids = task.ids();
    let all: BTreeMap<&InstanceId, usize> = ids.iter().zip(0..).collect();
    part.iter().map(|&at| all[&of_trial[at]]).collect()
}

/// Notes which training part the checkpoints of a folder learn from. Returns false if it was another one.
fn claim_split(folder: &Path, training: u64) -> Result<bool> {
    let file = folder.join("training");
    let hash = format!("{training:016x}");
    let is_same = file.is_file() && fs::read_to_string(&file)? == hash;
    fs::write(file, hash)?;
    Ok(is_same)
}

/// `throng-train explain`.
pub(crate) fn explain(arguments: &ExplainArguments) -> Result<()> {
    let subject = &arguments.subject;
    let (task, name, input) = (subject.task()?, subject.name()?, subject.input()?);
    let Trial { data, split } = trial(&task, arguments.split)?;
    let folder = folder(&arguments.networks, &task, &name).join(format!("split-{}", arguments.split));
    let device = Device::flex();
    let choices = task.portfolio.choices(&data, &split.train).algorithms.len();
    let stride = (split.test.len() / arguments.count.max(1)).max(1);
    let chosen: Vec<usize> = split.test.iter().step_by(stride).take(arguments.count).copied().collect();
    let ids: Vec<_> = chosen.iter().map(|&at| data.ids[at].clone()).collect();
    let drawn = Explained { ids: &ids, input, out: &arguments.out };
    match subject.model {
        Model::Alexnet => bail!("explain draws for alexnet-head and small-cnn"),
        Model::AlexnetHead => {
            let Prepared { source, convolutions } = prepare(subject, &task, &device)?;
            let (SampleSource::Features(rows), Some(convolutions)) = (source, convolutions) else {
                bail!("alexnet-head has features");
            };
            let train = numbers(&task, &data.ids, &split.train);
            let Samples::Features { scale, .. } = Samples::features(&rows, &train)? else {
                bail!("alexnet-head has features");
            };
            let head = Trained::open(Head::new(ALEXNET_FEATURES, choices, &device), &folder)?;
            drawn.draw(|pictures| {
                let features: Vec<f32> =
                    convolutions.features(batch(input, pictures, &device)).into_data().try_to_vec()?;
                let rows: Vec<f32> =
                    features.chunks(ALEXNET_FEATURES).flat_map(|row| scale.standardised(row)).collect();
                let shape = [pictures.len(), ALEXNET_FEATURES, 1, 1];
                head.scores(Tensor::from_data(TensorData::new(rows, shape), &device))
            })
        }
        Model::SmallCnn => {
            let network = Trained::open(SmallCnn::new(input.channels(), choices, &device), &folder)?;
            drawn.draw(|pictures| network.scores(batch(input, pictures, &device)))
        }
    }
}

fn batch(input: Input, pictures: &[Vec<u8>], device: &Device) -> Tensor<4> {
    let batch: Vec<(&[u8], usize)> = pictures.iter().map(|bytes| (bytes.as_slice(), 0)).collect();
    picture_batch(input, &batch, device)
}

/// Instances whose picks are drawn.
struct Explained<'a> {
    ids: &'a [InstanceId],
    input: Input,
    out: &'a Path,
}

impl Explained<'_> {
    fn draw(&self, scores: impl Fn(&[Vec<u8>]) -> Result<Vec<Vec<f64>>>) -> Result<()> {
        fs::create_dir_all(self.out).with_context(|| format!("cannot make {}", self.out.display()))?;
        for (id, bytes) in self.ids.iter().zip(pictures(self.ids, self.input)?) {
            let choice = argmax(&scores(std::slice::from_ref(&bytes))?[0]);
            let occlusion = Occlusion::of(self.input, &bytes, choice, &scores)?;
            let file = self.out.join(format!("{}.png", id.to_string().replace(['/', ':'], "-")));
            fs::write(&file, occlusion.png(&bytes)?)?;
            println!("{id}: choice {choice}, {}", file.display());
        }
        Ok(())
    }
}

/// `throng-train bench`.
pub(crate) fn bench(arguments: &BenchArguments) -> Result<()> {
    for input in [Input::Channels, Input::Pyramid] {
        bench::prediction(&arguments.map, arguments.agents, input)?;
    }
    if !arguments.prediction {
        bench::networks();
    }
    Ok(())
}
