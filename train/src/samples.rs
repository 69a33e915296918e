//! What a network sees of all instances of a task: pictures, or cached features of AlexNet.

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use burn::tensor::{Device, Tensor, TensorData};
use rayon::prelude::*;
use throng::grid::SeededRng;
use throng_lab::Maps;
use throng_lab::select::pictures::{ChannelPicture, Input, Scene, Scenes};
use throng_lab::select::{InstanceId, SelectionTask};

use crate::weights::{DEVIATION, MEAN};

/// The inputs of all instances of a task, in the order of its dataset.
pub(crate) enum Samples {
    /// Pictures, with 255 for 1.
    Pictures { input: Input, bytes: Vec<Vec<u8>> },
    /// Standardised features.
    Features { values: Vec<Vec<f32>>, scale: Scale },
}

/// Means of features, and the factors that give them a deviation of 1.
pub(crate) struct Scale {
    means: Vec<f32>,
    factors: Vec<f32>,
}

impl Scale {
    /// Returns standardised features; outliers are clamped.
    pub(crate) fn standardised(&self, row: &[f32]) -> Vec<f32> {
        let scaled = row.iter().zip(self.means.iter().zip(&self.factors));
        scaled.map(|(value, (mean, factor))| ((value - mean) * factor).clamp(-5.0, 5.0)).collect()
    }
}

/// Returns the maps below `THRONG_DATA`.
pub(crate) fn maps() -> Result<Maps> {
    let folder = std::env::var_os("THRONG_DATA").map(PathBuf::from);
    let folder = folder
        .ok_or_else(|| anyhow!("set THRONG_DATA to the folder of the maps, which has one folder per set"))?;
    Ok(Maps::new(vec![folder, PathBuf::from(".")]))
}

/// Opens instances.
pub(crate) fn scenes(ids: &[InstanceId]) -> Result<Vec<Scene>> {
    let mut scenes = Scenes::new(maps()?);
    ids.iter().map(|id| scenes.open(id).with_context(|| format!("cannot open {id}"))).collect()
}

/// Makes the pictures of instances.
pub(crate) fn pictures(ids: &[InstanceId], input: Input) -> Result<Vec<Vec<u8>>> {
    let bytes = |scene: &Scene| quantised(&scene.picture(input));
    Ok(scenes(ids)?.par_iter().map(bytes).collect())
}

/// Returns the values of a picture as bytes.
pub(crate) fn quantised(picture: &ChannelPicture) -> Vec<u8> {
    picture.values.iter().map(|value| (value * 255.0).round() as u8).collect()
}

/// Returns a batch of pictures as a tensor, with one of eight symmetries for each: bit 0 mirrors columns, bit 1 rows, bit 2 swaps
/// rows and columns. Colours are normalised as ImageNet's.
pub(crate) fn picture_batch(input: Input, pictures: &[(&[u8], usize)], device: &Device) -> Tensor<4> {
    let (channels, side) = (input.channels(), input.side());
    let mut values = Vec::with_capacity(pictures.len() * channels * side * side);
    for (bytes, symmetry) in pictures {
        for channel in 0..channels {
            let (mean, deviation) =
                if input.is_coloured() { (MEAN[channel], DEVIATION[channel]) } else { (0.0, 1.0) };
            let plane = &bytes[channel * side * side..(channel + 1) * side * side];
            for at in 0..side * side {
                let (mut x, mut y) = (at % side, at / side);
                if symmetry & 4 != 0 {
                    std::mem::swap(&mut x, &mut y);
                }
                let x = if symmetry & 1 != 0 { side - 1 - x } else { x };
                let y = if symmetry & 2 != 0 { side - 1 - y } else { y };
                values.push((f32::from(plane[y * side + x]) / 255.0 - mean) / deviation);
            }
        }
    }
    Tensor::from_data(TensorData::new(values, [pictures.len(), channels, side, side]), device)
}

impl Samples {
    /// Makes the pictures of a task.
    pub(crate) fn pictures(task: &SelectionTask, input: Input) -> Result<Self> {
        Ok(Self::Pictures { input, bytes: pictures(&task.ids(), input)? })
    }

    /// Takes features. Means and deviations are those of the training part.
    pub(crate) fn features(rows: &[Vec<f32>], train: &[usize]) -> Result<Self> {
        let Some(width) = rows.first().map(Vec::len) else { bail!("the task has no instances") };
        let seen = || train.iter().map(|&at| &rows[at]);
        let count = train.len().max(1) as f32;
        let mean = |at: usize| seen().map(|row| row[at]).sum::<f32>() / count;
        let means: Vec<f32> = (0..width).map(mean).collect();
        let factor = |at: usize| {
            let variance = seen().map(|row| (row[at] - means[at]).powi(2)).sum::<f32>() / count;
            if variance > 1e-12 { variance.sqrt().recip() } else { 0.0 }
        };
        let factors: Vec<f32> = (0..width).map(factor).collect();
        let scale = Scale { means, factors };
        Ok(Self::Features { values: rows.iter().map(|row| scale.standardised(row)).collect(), scale })
    }

    /// Returns the number of values that a network with cached features sees; 0 for pictures.
    pub(crate) fn width(&self) -> usize {
        match self {
            Self::Pictures { .. } => 0,
            Self::Features { values, .. } => values.first().map_or(0, Vec::len),
        }
    }

    /// Returns a batch of instances. With `symmetries`, pictures are mirrored and turned at random.
    pub(crate) fn batch(
        &self,
        numbers: &[usize],
        symmetries: Option<&mut SeededRng>,
        device: &Device,
    ) -> Tensor<4> {
        match self {
            Self::Pictures { input, bytes } => {
                let mut random = symmetries;
                let mut symmetry = || random.as_mut().map_or(0, |rng| rng.below(8) as usize);
                let chosen: Vec<(&[u8], usize)> =
                    numbers.iter().map(|&at| (bytes[at].as_slice(), symmetry())).collect();
                picture_batch(*input, &chosen, device)
            }
            Self::Features { values, .. } => {
                let width = self.width();
                let rows: Vec<f32> = numbers.iter().flat_map(|&at| values[at].iter().copied()).collect();
                Tensor::from_data(TensorData::new(rows, [numbers.len(), width, 1, 1]), device)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All eight symmetries of a picture with different corners differ, and each keeps its pixels.
    #[test]
    fn symmetries_are_different_and_keep_the_pixels() {
        let input = Input::Channels;
        let side = input.side();
        let bytes: Vec<u8> = (0..input.channels() * side * side).map(|at| (at % 251) as u8).collect();
        let of = |symmetry: usize| -> Vec<f32> {
            let tensor = picture_batch(input, &[(&bytes, symmetry)], &Device::flex());
            tensor.into_data().try_to_vec().unwrap()
        };
        let all: Vec<Vec<f32>> = (0..8).map(of).collect();
        for (at, picture) in all.iter().enumerate() {
            assert!(all[..at].iter().all(|other| other != picture), "symmetry {at}");
            let sorted = |values: &[f32]| {
                let mut values = values[..side * side].to_vec();
                values.sort_by(f32::total_cmp);
                values
            };
            assert_eq!(sorted(picture), sorted(&all[0]));
        }
    }

    #[test]
    fn features_are_standardised_and_constant_ones_vanish() {
        let rows = [vec![1.0, 7.0], vec![3.0, 7.0], vec![4.0, 9.0]];
        let samples = Samples::features(&rows, &[0, 1]).unwrap();
        let values: Vec<f32> =
            samples.batch(&[0, 1, 2], None, &Device::flex()).into_data().try_to_vec().unwrap();
        assert_eq!(values, [-1.0, 0.0, 1.0, 0.0, 2.0, 0.0], "the third is not in the training part");
        assert!(Samples::features(&[], &[]).is_err());
    }
}
