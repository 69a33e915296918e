//! Trains one network on one split, with a checkpoint after each epoch.
//!
//! The order of the instances, the symmetries and the dropout of an epoch depend on the seed, the split and the epoch alone. So a
//! run that is continued from a checkpoint makes the same network as one without a break.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use burn::nn::loss::CrossEntropyLossConfig;
use burn::optim::{AdamWConfig, GradientsParams, ModuleOptimizer, SgdConfig, momentum::MomentumConfig};
use burn::tensor::{Device, Int, Tensor, TensorData};
use indicatif::ProgressBar;
use throng::grid::SeededRng;

use crate::interrupt;
use crate::networks::Network;
use crate::samples::Samples;

/// What is learned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Loss {
    /// The right choice, by cross entropy, as in the thesis
    Labels,
    /// The utility of every choice, by squared error
    Utilities,
}

/// How a network is trained.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) epochs: usize,
    pub(crate) batch: usize,
    /// The learning rate of the first epoch. It falls to 1 % along a cosine.
    pub(crate) rate: f64,
    pub(crate) weight_decay: f32,
    /// Whether SGD with momentum is used instead of `AdamW`.
    pub(crate) sgd: bool,
    pub(crate) loss: Loss,
    /// Whether pictures are mirrored and turned at random.
    pub(crate) symmetries: bool,
    pub(crate) seed: u64,
}

/// What the training part of a split teaches.
pub(crate) struct Lesson<'a> {
    pub(crate) samples: &'a Samples,
    /// The instances to learn from.
    pub(crate) train: &'a [usize],
    /// The right choice of each of them.
    pub(crate) labels: Vec<usize>,
    /// The utility of each choice for each of them.
    pub(crate) utilities: Vec<Vec<f64>>,
}

impl Lesson<'_> {
    /// Returns the mean of all utilities and their standard deviation around the means of their instances.
    fn scale(&self) -> (f64, f64) {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let means: Vec<f64> = self.utilities.iter().map(|values| mean(values)).collect();
        let squares: Vec<f64> = self
            .utilities
            .iter()
            .zip(&means)
            .flat_map(|(values, mean)| values.iter().map(move |value| (value - mean).powi(2)))
            .collect();
        (mean(&means), mean(&squares).sqrt().max(1e-6))
    }
}

/// A trained network.
pub(crate) struct Trained<N> {
    network: N,
    /// Offset and factor of its scores.
    scale: (f64, f64),
}

/// Where a network is trained.
pub(crate) struct Workshop<'a> {
    /// The folder of the checkpoint.
    pub(crate) folder: &'a Path,
    /// Whether a checkpoint is continued.
    pub(crate) resume: bool,
    pub(crate) bar: &'a ProgressBar,
    pub(crate) device: &'a Device,
}

/// Trains a network, or continues from the checkpoint in the folder.
pub(crate) fn train<N: Network>(
    network: N,
    lesson: &Lesson<'_>,
    settings: &Settings,
    place: &Workshop<'_>,
) -> Result<Trained<N>> {
    train_until(network, lesson, settings, settings.epochs, place)
}

/// Trains until an epoch.
fn train_until<N: Network>(
    network: N,
    lesson: &Lesson<'_>,
    settings: &Settings,
    end: usize,
    &Workshop { folder, resume, bar, device }: &Workshop<'_>,
) -> Result<Trained<N>> {
    let scale = if settings.loss == Loss::Utilities { lesson.scale() } else { (0.0, 1.0) };
    let mut network = network;
    let mut optimizer = optimizer(settings);
    let mut first = 0;
    if resume && let Some(done) = finished_epochs(folder)? {
        network = load(network, folder)?;
        optimizer = optimizer.load(folder.join("optimizer.bpk")).map_err(|error| anyhow!("{error:?}"))?;
        first = done;
    }
    bar.set_position(first as u64);
    for epoch in first..end {
        let mut rng = SeededRng::new(settings.seed ^ ((epoch as u64 + 1) << 20));
        device.seed(rng.next_u64());
        let progress = epoch as f64 / settings.epochs as f64;
        let rate = settings.rate * (0.01 + 0.99 * (1.0 + (std::f64::consts::PI * progress).cos()) / 2.0);
        let mut order: Vec<usize> = (0..lesson.train.len()).collect();
        rng.shuffle(&mut order);
        let mut sum = 0.0;
        for batch in order.chunks(settings.batch) {
            let numbers: Vec<usize> = batch.iter().map(|&at| lesson.train[at]).collect();
            let symmetries = settings.symmetries.then_some(&mut rng);
            let scores = network.scores(lesson.samples.batch(&numbers, symmetries, device));
            let loss = loss(scores, lesson, batch, (settings.loss, scale), device);
            let value: f32 = loss.clone().into_scalar();
            sum += f64::from(value) * batch.len() as f64;
            let gradients = GradientsParams::from_grads(loss.backward(), &network);
            network = optimizer.step(rate, network, gradients);
            if interrupt::requested() {
                bail!("interrupted; --resume continues after the last finished epoch");
            }
        }
        bar.set_message(format!("loss {:.4}", sum / order.len() as f64));
        bar.inc(1);
        save(&network, &optimizer, epoch + 1, folder)?;
    }
    Ok(Trained { network, scale })
}

fn optimizer(settings: &Settings) -> ModuleOptimizer {
    if settings.sgd {
        return SgdConfig::new().with_momentum(Some(MomentumConfig::new().with_momentum(0.9))).init();
    }
    AdamWConfig::new().with_weight_decay(settings.weight_decay).init()
}

/// Returns the loss of a batch. The squared error has two parts: that of the deviation of each utility from the mean of its
/// instance, which a pick depends on, and a quarter of that of the mean.
fn loss(
    scores: Tensor<2>,
    lesson: &Lesson<'_>,
    batch: &[usize],
    (loss, scale): (Loss, (f64, f64)),
    device: &Device,
) -> Tensor<1> {
    let [count, choices] = scores.dims();
    match loss {
        Loss::Labels => {
            let labels: Vec<i64> = batch.iter().map(|&at| lesson.labels[at] as i64).collect();
            let labels = Tensor::<1, Int>::from_data(TensorData::new(labels, [count]), device);
            CrossEntropyLossConfig::new().init(device).forward(scores, labels)
        }
        Loss::Utilities => {
            let standardised = |&at: &usize| {
                lesson.utilities[at].iter().map(|value| ((value - scale.0) / scale.1).clamp(-4.0, 4.0) as f32)
            };
            let targets: Vec<f32> = batch.iter().flat_map(standardised).collect();
            let targets = Tensor::<2>::from_data(TensorData::new(targets, [count, choices]), device);
            let error = scores - targets;
            let mean = error.clone().mean_dim(1);
            (error - mean.clone()).square().mean() + mean.square().mean() * 0.25
        }
    }
}

impl<N: Network> Trained<N> {
    /// Takes the network of a finished split.
    pub(crate) fn open(network: N, folder: &Path) -> Result<Self> {
        Ok(Self { network: load(network, folder)?, scale: (0.0, 1.0) })
    }

    /// Returns the scores of a batch.
    pub(crate) fn scores(&self, batch: Tensor<4>) -> Result<Vec<Vec<f64>>> {
        let scores = self.network.valid().scores(batch.inner());
        let [_, choices] = scores.dims();
        let values: Vec<f32> = scores.into_data().try_to_vec()?;
        let scaled = |value: &f32| f64::from(*value) * self.scale.1 + self.scale.0;
        Ok(values.chunks(choices).map(|scores| scores.iter().map(scaled).collect()).collect())
    }
}

/// Writes a checkpoint. The number of epochs is written last, so that an incomplete checkpoint is never read as a whole one.
fn save<N: Network>(network: &N, optimizer: &ModuleOptimizer, epochs: usize, folder: &Path) -> Result<()> {
    let [model, state, number] = ["network.bpk", "optimizer.bpk", "epochs"].map(|name| folder.join(name));
    let [new_model, new_state] = ["network.new.bpk", "optimizer.new.bpk"].map(|name| folder.join(name));
    network.clone().save_file(&new_model).map_err(|error| anyhow!("{error:?}"))?;
    optimizer.save(&new_state).map_err(|error| anyhow!("{error:?}"))?;
    if number.is_file() {
        fs::remove_file(&number)?;
    }
    fs::rename(new_model, model)?;
    fs::rename(new_state, state)?;
    Ok(fs::write(number, epochs.to_string())?)
}

/// Returns the number of finished epochs of a checkpoint; none without one.
fn finished_epochs(folder: &Path) -> Result<Option<usize>> {
    let file = folder.join("epochs");
    if !file.is_file() {
        return Ok(None);
    }
    let text = fs::read_to_string(&file)?;
    Ok(Some(text.trim().parse().with_context(|| format!("{} is damaged", file.display()))?))
}

fn load<N: Network>(network: N, folder: &Path) -> Result<N> {
    let file = folder.join("network.bpk");
    network.try_load_file(&file).map_err(|error| anyhow!("cannot use {}: {error:?}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::networks::Head;

    fn settings(epochs: usize) -> Settings {
        Settings {
            epochs,
            batch: 8,
            rate: 0.01,
            weight_decay: 0.0,
            sgd: false,
            loss: Loss::Utilities,
            symmetries: false,
            seed: 3,
        }
    }

    /// Forty instances whose first feature decides which of two choices is better.
    fn samples() -> (Samples, Vec<Vec<f64>>) {
        let sign = |at: usize| if at.is_multiple_of(2) { 1.0 } else { -1.0 };
        let features: Vec<Vec<f32>> = (0..40).map(|at| vec![sign(at), ((at * 7) % 5) as f32]).collect();
        let utilities = (0..40).map(|at| vec![0.5, 0.5 + 0.3 * f64::from(sign(at))]).collect();
        (Samples::features(&features, &(0..32).collect::<Vec<_>>()).unwrap(), utilities)
    }

    /// The random numbers of the backend belong to the whole process, so that trainings may not overlap.
    static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());

    fn scores(epochs: &[usize], loss: Loss) -> Vec<Vec<f64>> {
        let _turn = TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let folder = crate::testing::TemporaryFolder::new();
        let device = Device::flex().autodiff();
        let (samples, utilities) = samples();
        let train: Vec<usize> = (0..32).collect();
        let lesson = Lesson {
            samples: &samples,
            train: &train,
            labels: (0..32).map(|at| usize::from(at % 2 == 0)).collect(),
            utilities: utilities[..32].to_vec(),
        };
        let mut found = Vec::new();
        for &epochs in epochs {
            device.seed(9);
            let network = Head::new(2, 2, &device);
            let settings = Settings { loss, ..settings(30) };
            let place = Workshop {
                folder: folder.path(),
                resume: true,
                bar: &ProgressBar::hidden(),
                device: &device,
            };
            let trained = train_until(network, &lesson, &settings, epochs, &place).unwrap();
            found = trained.scores(samples.batch(&(32..40).collect::<Vec<_>>(), None, &device)).unwrap();
        }
        found
    }

    #[test]
    fn a_network_learns_utilities_and_labels() {
        for loss in [Loss::Utilities, Loss::Labels] {
            for (at, scores) in scores(&[30], loss).iter().enumerate() {
                assert_eq!(scores[1] > scores[0], at % 2 == 0, "{loss:?}: {scores:?}");
            }
        }
        let mean: f64 = scores(&[30], Loss::Utilities).iter().map(|scores| scores[0]).sum::<f64>() / 8.0;
        assert!((mean - 0.5).abs() < 0.1, "in units of utility: {mean}");
    }

    #[test]
    fn the_same_seed_gives_the_same_network_with_and_without_a_break() {
        let once = scores(&[12], Loss::Utilities);
        assert_eq!(once, scores(&[12], Loss::Utilities));
        assert_eq!(once, scores(&[5, 12], Loss::Utilities), "continued after the fifth epoch");
        assert_eq!(once, scores(&[12, 12], Loss::Utilities), "nothing is left to do");
        assert_ne!(once, scores(&[11], Loss::Utilities));
    }
}
