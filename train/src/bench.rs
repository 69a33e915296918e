//! Speeds of the networks on this machine, and the time of a single prediction.

use std::time::Instant;

use anyhow::Result;
use burn::nn::loss::CrossEntropyLossConfig;
use burn::optim::{GradientsParams, SgdConfig, momentum::MomentumConfig};
use burn::tensor::{Device, Distribution, Int, Tensor};
use throng_lab::select::features::ends;
use throng_lab::select::pictures::{Input, Scene};
use throng_lab::{Instance, ProblemType};

use crate::networks::{ALEXNET_FEATURES, AlexNet, Head, Network, SmallCnn};
use crate::samples::{maps, picture_batch, quantised};

/// Prints the pictures per second of each network.
pub(crate) fn networks() {
    let device = Device::flex().autodiff();
    device.seed(1);
    let small = Input::Channels;
    let shape = [32, small.channels(), small.side(), small.side()];
    speed("small-cnn", SmallCnn::new(small.channels(), 3, &device), shape, &device);
    speed("alexnet-head", Head::new(ALEXNET_FEATURES, 3, &device), [32, ALEXNET_FEATURES, 1, 1], &device);
    let shape = [16, 3, Input::Thesis.side(), Input::Thesis.side()];
    speed("alexnet", AlexNet::new(3, &device), shape, &device);
}

fn speed<N: Network>(name: &str, mut network: N, shape: [usize; 4], device: &Device) {
    const ROUNDS: usize = 3;
    let batch = Tensor::<4>::random(shape, Distribution::Default, device);
    let per_second = |begun: Instant| (ROUNDS * shape[0]) as f64 / begun.elapsed().as_secs_f64();
    let parameters = network.num_params();
    let tested = network.valid();
    let _warm: f32 = tested.scores(batch.clone().inner()).sum().into_scalar();
    let begun = Instant::now();
    for _ in 0..ROUNDS {
        let _sum: f32 = tested.scores(batch.clone().inner()).sum().into_scalar();
    }
    let forward = per_second(begun);
    let mut optimizer = SgdConfig::new().with_momentum(Some(MomentumConfig::new())).init();
    let begun = Instant::now();
    for _ in 0..ROUNDS {
        let labels = Tensor::<1, Int>::zeros([shape[0]], device);
        let loss = CrossEntropyLossConfig::new().init(device).forward(network.scores(batch.clone()), labels);
        let gradients = GradientsParams::from_grads(loss.backward(), &network);
        network = optimizer.step(1e-3, network, gradients);
    }
    let training = per_second(begun);
    println!(
        "{name}: {parameters} parameters, {forward:.1} pictures/s forward, {training:.1} pictures/s training"
    );
}

/// Prints the time of making a picture and of predicting with the small network.
pub(crate) fn prediction(map: &str, agents: usize, input: Input) -> Result<()> {
    const ROUNDS: u32 = 20;
    let grid = maps()?.grid(map, "allow", "uniform", 0)?;
    let ends = ends(&Instance::generate(grid.ground(), ProblemType::Random, agents, 1)?);
    let scene = Scene { grid, ends };
    let device = Device::flex();
    let network = SmallCnn::new(input.channels(), 3, &device);
    let mut times = Vec::new();
    for _ in 0..=ROUNDS {
        let begun = Instant::now();
        let bytes = quantised(&scene.picture(input));
        let drawn = begun.elapsed();
        let scores = network.scores(picture_batch(input, &[(&bytes, 0)], &device));
        let _sum: f32 = scores.sum().into_scalar();
        times.push((begun.elapsed(), drawn));
    }
    // The first round also fills caches.
    times.remove(0);
    times.sort_unstable();
    let milliseconds = |time: std::time::Duration| time.as_secs_f64() * 1e3;
    let (fastest, median, slowest) = (times[0], times[times.len() / 2], times[times.len() - 1]);
    println!(
        "{map}, {agents} agents, {}: fastest {:.2} ms (picture {:.2} ms), median {:.2} ms, slowest {:.2} ms of {ROUNDS}",
        input.name(),
        milliseconds(fastest.0),
        milliseconds(fastest.1),
        milliseconds(median.0),
        milliseconds(slowest.0),
    );
    Ok(())
}
