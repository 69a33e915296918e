//! The networks: AlexNet, a head on its convolutions, and a small network for pictures with many channels.
//!
//! A. Krizhevsky, *One weird trick for parallelizing convolutional neural networks*, arXiv:1404.5997, 2014: AlexNet with one
//! tower, which the public ImageNet weights belong to. The thesis uses Matlab's AlexNet, whose convolutions are split into two
//! groups. Both take a picture of 227×227 pixels and give 256 maps of 6×6 to three layers of 4,096, 4,096 and one per choice.

use burn::module::Module;
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::pool::{MaxPool2d, MaxPool2dConfig};
use burn::nn::{Dropout, DropoutConfig, Linear, LinearConfig, PaddingConfig2d, Relu};
use burn::tensor::{Device, Tensor};

/// The number of values that AlexNet's convolutions give.
pub(crate) const ALEXNET_FEATURES: usize = 256 * 6 * 6;

/// The channels of input and output, the side of the kernel, stride and padding of each convolution of AlexNet.
pub(crate) const ALEXNET_LAYERS: [([usize; 2], usize, usize, usize); 5] = [
    ([3, 64], 11, 4, 2),
    ([64, 192], 5, 1, 2),
    ([192, 384], 3, 1, 1),
    ([384, 256], 3, 1, 1),
    ([256, 256], 3, 1, 1),
];

/// A network that gives one score per choice.
pub(crate) trait Network: Module + Clone {
    /// Returns the scores of a batch: `[batch, choices]` from `[batch, channels, height, width]`.
    fn scores(&self, pictures: Tensor<4>) -> Tensor<2>;
}

/// The five convolutions of AlexNet.
#[derive(Module, Debug)]
pub(crate) struct Convolutions {
    pub(crate) layers: Vec<Conv2d>,
    pool: MaxPool2d,
    activation: Relu,
}

impl Convolutions {
    /// Creates convolutions with random weights.
    pub(crate) fn new(device: &Device) -> Self {
        let layer = |&(channels, side, stride, padding): &([usize; 2], usize, usize, usize)| {
            Conv2dConfig::new(channels, [side, side])
                .with_stride([stride, stride])
                .with_padding(PaddingConfig2d::Explicit(padding, padding, padding, padding))
                .init(device)
        };
        Self {
            layers: ALEXNET_LAYERS.iter().map(layer).collect(),
            pool: MaxPool2dConfig::new([3, 3]).with_strides([2, 2]).init(),
            activation: Relu::new(),
        }
    }

    /// Returns `[batch, 9216]` from `[batch, 3, 227, 227]`.
    pub(crate) fn features(&self, pictures: Tensor<4>) -> Tensor<2> {
        let mut values = pictures;
        for (number, layer) in self.layers.iter().enumerate() {
            values = self.activation.forward(layer.forward(values));
            if matches!(number, 0 | 1 | 4) {
                values = self.pool.forward(values);
            }
        }
        values.flatten(1, 3)
    }
}

/// All of AlexNet.
#[derive(Module, Debug)]
pub(crate) struct AlexNet {
    pub(crate) convolutions: Convolutions,
    layers: Vec<Linear>,
    dropout: Dropout,
    activation: Relu,
}

impl AlexNet {
    /// Creates a network with random weights.
    pub(crate) fn new(choices: usize, device: &Device) -> Self {
        let sizes = [ALEXNET_FEATURES, 4096, 4096, choices];
        Self {
            convolutions: Convolutions::new(device),
            layers: sizes.windows(2).map(|pair| LinearConfig::new(pair[0], pair[1]).init(device)).collect(),
            dropout: DropoutConfig::new(0.5).init(),
            activation: Relu::new(),
        }
    }
}

impl Network for AlexNet {
    fn scores(&self, pictures: Tensor<4>) -> Tensor<2> {
        let mut values = self.convolutions.features(pictures);
        for (number, layer) in self.layers.iter().enumerate() {
            values = if number == 0 { values } else { self.activation.forward(values) };
            values = layer.forward(self.dropout.forward(values));
        }
        values
    }
}

/// A head on the features of AlexNet's convolutions. Its input is `[batch, features, 1, 1]`.
#[derive(Module, Debug)]
pub(crate) struct Head {
    hidden: Linear,
    out: Linear,
    dropout: Dropout,
    activation: Relu,
}

impl Head {
    /// Creates a head with random weights.
    pub(crate) fn new(features: usize, choices: usize, device: &Device) -> Self {
        Self {
            hidden: LinearConfig::new(features, 64).init(device),
            out: LinearConfig::new(64, choices).init(device),
            dropout: DropoutConfig::new(0.5).init(),
            activation: Relu::new(),
        }
    }
}

impl Network for Head {
    fn scores(&self, features: Tensor<4>) -> Tensor<2> {
        let hidden = self.hidden.forward(self.dropout.forward(features.flatten(1, 3)));
        self.out.forward(self.dropout.forward(self.activation.forward(hidden)))
    }
}

/// A small network for pictures of 64×64 pixels.
#[derive(Module, Debug)]
pub(crate) struct SmallCnn {
    layers: Vec<Conv2d>,
    hidden: Linear,
    out: Linear,
    dropout: Dropout,
    activation: Relu,
}

impl SmallCnn {
    /// Creates a network with random weights.
    pub(crate) fn new(channels: usize, choices: usize, device: &Device) -> Self {
        let sizes = [channels, 24, 48, 96, 96];
        let layer = |(number, pair): (usize, &[usize])| {
            let side = if number == 0 { 5 } else { 3 };
            let padding = side / 2;
            Conv2dConfig::new([pair[0], pair[1]], [side, side])
                .with_stride([2, 2])
                .with_padding(PaddingConfig2d::Explicit(padding, padding, padding, padding))
                .init(device)
        };
        Self {
            layers: sizes.windows(2).enumerate().map(layer).collect(),
            hidden: LinearConfig::new(96 * 4 * 4, 64).init(device),
            out: LinearConfig::new(64, choices).init(device),
            dropout: DropoutConfig::new(0.25).init(),
            activation: Relu::new(),
        }
    }
}

impl Network for SmallCnn {
    fn scores(&self, pictures: Tensor<4>) -> Tensor<2> {
        let convolved =
            self.layers.iter().fold(pictures, |values, layer| self.activation.forward(layer.forward(values)));
        let hidden = self.hidden.forward(self.dropout.forward(convolved.flatten(1, 3)));
        self.out.forward(self.activation.forward(hidden))
    }
}
