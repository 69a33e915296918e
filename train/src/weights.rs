//! Pre-trained weights of AlexNet's convolutions, from a safetensors file that `convert_weights.py` makes.
//!
//! The tensors are `conv1.weight` (output, input, height, width) and `conv1.bias` to `conv5.bias`, as 32-bit floats. The network
//! expects red, green and blue values from 0 to 1, minus [`MEAN`] and divided by [`DEVIATION`].

use std::path::{Path, PathBuf};

use burn::module::Param;
use burn::tensor::{Device, Tensor, TensorData};
use safetensors::{Dtype, SafeTensors};

use crate::networks::{ALEXNET_LAYERS, Convolutions};

/// The means of ImageNet's pictures: red, green, blue.
pub(crate) const MEAN: [f32; 3] = [0.485, 0.456, 0.406];

/// The standard deviations of ImageNet's pictures.
pub(crate) const DEVIATION: [f32; 3] = [0.229, 0.224, 0.225];

/// Why weights cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WeightsError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}; train/README.md tells how to make it", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    /// The file is no safetensors file, or cut off.
    #[error("it is no whole safetensors file: {0}")]
    Format(String),
    /// A tensor is missing.
    #[error("it has no tensor `{0}`")]
    Missing(String),
    /// A tensor has another shape.
    #[error("`{name}` has the shape {found:?}, not {expected:?}")]
    Shape { name: String, found: Vec<usize>, expected: Vec<usize> },
    /// A tensor has no 32-bit floats.
    #[error("`{0}` has no 32-bit floats")]
    Type(String),
}

/// The values of one convolution.
#[derive(Debug, PartialEq)]
struct Layer {
    shape: [usize; 4],
    weight: Vec<f32>,
    bias: Vec<f32>,
}

/// Reads the convolutions of these input and output channels and kernel sides.
fn read(bytes: &[u8], layers: &[([usize; 2], usize)]) -> Result<Vec<Layer>, WeightsError> {
    let file = SafeTensors::deserialize(bytes).map_err(|error| WeightsError::Format(error.to_string()))?;
    let tensor = |name: String, expected: &[usize]| {
        let view = file.tensor(&name).map_err(|_| WeightsError::Missing(name.clone()))?;
        if view.dtype() != Dtype::F32 {
            return Err(WeightsError::Type(name));
        }
        if view.shape() != expected {
            return Err(WeightsError::Shape {
                name,
                found: view.shape().to_vec(),
                expected: expected.to_vec(),
            });
        }
        let values = view.data().as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
        Ok(values.collect::<Vec<f32>>())
    };
    let layer = |(number, &([input, output], side)): (usize, &([usize; 2], usize))| {
        let shape = [output, input, side, side];
        Ok(Layer {
            shape,
            weight: tensor(format!("conv{number}.weight"), &shape)?,
            bias: tensor(format!("conv{number}.bias"), &[output])?,
        })
    };
    (1..).zip(layers).map(layer).collect()
}

/// Reads the weights of a file. Returns the convolutions and a hash of the file.
pub(crate) fn load(path: &Path, device: &Device) -> anyhow::Result<(Convolutions, u64)> {
    let bytes = std::fs::read(path).map_err(|source| WeightsError::Io { path: path.to_owned(), source })?;
    let shapes = ALEXNET_LAYERS.map(|(channels, side, ..)| (channels, side));
    let layers = read(&bytes, &shapes)
        .map_err(|error| anyhow::Error::new(error).context(format!("cannot use {}", path.display())))?;
    let mut convolutions = Convolutions::new(device);
    for (layer, Layer { shape, weight, bias }) in convolutions.layers.iter_mut().zip(layers) {
        let outputs = bias.len();
        layer.weight = Param::from_tensor(Tensor::from_data(TensorData::new(weight, shape), device));
        layer.bias = Some(Param::from_tensor(Tensor::from_data(TensorData::new(bias, [outputs]), device)));
    }
    Ok((convolutions, hash(&bytes)))
}

/// Returns the 64-bit FNV-1a hash.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xCBF2_9CE4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAYERS: [([usize; 2], usize); 2] = [([1, 2], 1), ([2, 1], 2)];

    /// Returns a file of tensors with their shapes; the values count up.
    fn file(tensors: &[(&str, &[usize])]) -> Vec<u8> {
        let mut header = String::new();
        let mut data = Vec::new();
        for (name, shape) in tensors {
            let start = data.len();
            for value in 0..shape.iter().product::<usize>() {
                data.extend((value as f32).to_le_bytes());
            }
            let entry = format!(
                "{}\"{name}\":{{\"dtype\":\"F32\",\"shape\":{shape:?},\"data_offsets\":[{start},{}]}}",
                if header.is_empty() { "" } else { "," },
                data.len()
            );
            header.push_str(&entry);
        }
        let mut header = format!("{{{header}}}").into_bytes();
        header.resize(header.len().next_multiple_of(8), b' ');
        [(header.len() as u64).to_le_bytes().to_vec(), header, data].concat()
    }

    fn whole() -> Vec<(&'static str, &'static [usize])> {
        vec![
            ("conv1.weight", &[2, 1, 1, 1]),
            ("conv1.bias", &[2]),
            ("conv2.weight", &[1, 2, 2, 2]),
            ("conv2.bias", &[1]),
        ]
    }

    #[test]
    fn tensors_are_read_by_name() {
        let layers = read(&file(&whole()), &LAYERS).unwrap();
        assert_eq!(layers[0], Layer { shape: [2, 1, 1, 1], weight: vec![0.0, 1.0], bias: vec![0.0, 1.0] });
        assert_eq!(layers[1].weight, (0..8).map(|value| value as f32).collect::<Vec<_>>());
    }

    #[test]
    fn files_that_do_not_fit_are_refused_with_the_reason() {
        let refused = |bytes: &[u8]| read(bytes, &LAYERS).unwrap_err().to_string();
        let missing = refused(&file(&whole()[..3]));
        assert!(missing.contains("no tensor `conv2.bias`"), "{missing}");
        let mut tensors = whole();
        tensors[2].1 = &[2, 2, 2, 1];
        let shape = refused(&file(&tensors));
        assert!(shape.contains("`conv2.weight` has the shape [2, 2, 2, 1], not [1, 2, 2, 2]"), "{shape}");
        let bytes = file(&whole());
        let cut = refused(&bytes[..bytes.len() - 5]);
        assert!(cut.contains("no whole safetensors file"), "{cut}");
        assert!(refused(b"none").contains("no whole safetensors file"));
        let text = String::from_utf8_lossy(&bytes[..bytes.len() - 52]).replace("F32", "I32").into_bytes();
        let integers = refused(&[text, bytes[bytes.len() - 52..].to_vec()].concat());
        assert!(integers.contains("`conv1.weight` has no 32-bit floats"), "{integers}");
    }

    #[test]
    fn a_missing_file_names_the_document() {
        let error = load(Path::new("no-such.safetensors"), &Device::flex()).unwrap_err().to_string();
        assert!(error.contains("no-such.safetensors") && error.contains("train/README.md"), "{error}");
    }
}
