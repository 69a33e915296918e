//! What decided a pick: occlusion maps.
//!
//! M. D. Zeiler and R. Fergus, *Visualizing and Understanding Convolutional Networks*, ECCV 2014. A grey patch slides over the
//! picture. Where it lowers the margin of the chosen label over the best other one, the picture is red: this part spoke for the
//! choice. Where it raises the margin, the picture is blue.

use anyhow::Result;
use throng_lab::select::pictures::{Input, encode_png};

/// The side of the patch, as a part of the picture, and the number of its steps along a side.
const PATCH_PART: usize = 8;
const STEPS: usize = 15;

/// The smallest side of a drawn picture, in pixels.
const DRAWN: usize = 224;

/// The drop of the margin at each place of the patch.
pub(crate) struct Occlusion {
    input: Input,
    drops: Vec<f64>,
}

/// Returns where the patch begins along a side.
fn place(step: usize, side: usize) -> usize {
    step * (side - side / PATCH_PART) / (STEPS - 1)
}

/// Returns the margin of a choice over the best other one.
fn margin(scores: &[f64], choice: usize) -> f64 {
    let others = scores.iter().enumerate().filter(|(at, _)| *at != choice).map(|(_, &score)| score);
    scores[choice] - others.fold(f64::NEG_INFINITY, f64::max)
}

/// Returns the picture with a patch in the mean colour of each channel, or in grey.
fn covered(input: Input, bytes: &[u8], left: usize, top: usize) -> Vec<u8> {
    let (side, patch) = (input.side(), input.side() / PATCH_PART);
    let mut covered = bytes.to_vec();
    for plane in covered.chunks_mut(side * side) {
        let mean = plane.iter().map(|&byte| u64::from(byte)).sum::<u64>() / plane.len() as u64;
        let grey = if input.is_coloured() { 128 } else { mean as u8 };
        for row in plane.chunks_mut(side).skip(top).take(patch) {
            row[left..left + patch].fill(grey);
        }
    }
    covered
}

impl Occlusion {
    /// Slides the patch over a picture. `scores` returns the scores of some pictures.
    pub(crate) fn of(
        input: Input,
        bytes: &[u8],
        choice: usize,
        scores: impl Fn(&[Vec<u8>]) -> Result<Vec<Vec<f64>>>,
    ) -> Result<Self> {
        let side = input.side();
        let whole = margin(&scores(&[bytes.to_vec()])?[0], choice);
        let mut drops = Vec::new();
        for top in 0..STEPS {
            let row: Vec<Vec<u8>> =
                (0..STEPS).map(|left| covered(input, bytes, place(left, side), place(top, side))).collect();
            drops.extend(scores(&row)?.iter().map(|scores| whole - margin(scores, choice)));
        }
        Ok(Self { input, drops })
    }

    /// Draws the picture, and beside it the same with the drops in colours.
    pub(crate) fn png(&self, bytes: &[u8]) -> Result<Vec<u8>> {
        let side = self.input.side();
        let scale = DRAWN.div_ceil(side);
        let (width, height) = (2 * side * scale, side * scale);
        let strongest = self.drops.iter().fold(1e-9_f64, |strongest, drop| strongest.max(drop.abs()));
        let mut drawn = Vec::with_capacity(3 * width * height);
        for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
            let (pixel, row) = (x / scale % side, y / scale);
            let colour = self.colour(bytes, pixel, row);
            if x < side * scale {
                drawn.extend(colour);
                continue;
            }
            let drop = self.drop(pixel, row) / strongest;
            let towards = if drop > 0.0 { [255.0, 0.0, 0.0] } else { [0.0, 80.0, 255.0] };
            let share = 0.75 * drop.abs();
            drawn.extend(
                colour
                    .iter()
                    .zip(towards)
                    .map(|(&from, to)| (f64::from(from) * (1.0 - share) + to * share) as u8),
            );
        }
        Ok(encode_png(width, height, &drawn)?)
    }

    /// Returns the mean drop of the patches that cover a pixel.
    fn drop(&self, x: usize, y: usize) -> f64 {
        let side = self.input.side();
        let covers =
            |step: usize, at: usize| (place(step, side)..place(step, side) + side / PATCH_PART).contains(&at);
        let places = (0..STEPS).filter(|&top| covers(top, y));
        let drops: Vec<f64> = places
            .flat_map(|top| {
                (0..STEPS).filter(|&left| covers(left, x)).map(move |left| self.drops[top * STEPS + left])
            })
            .collect();
        drops.iter().sum::<f64>() / drops.len().max(1) as f64
    }

    /// Returns the colour of a pixel: goals and paths are red, starts green, obstacles grey in pictures that have no colours.
    fn colour(&self, bytes: &[u8], x: usize, y: usize) -> [u8; 3] {
        let side = self.input.side();
        let at = |channel: usize| bytes[(channel * side + y) * side + x];
        if self.input.is_coloured() {
            return [at(0), at(1), at(2)];
        }
        let [obstacles, starts, goals, paths] = [at(0) / 2, at(1), at(2), at(3)];
        let with = |other: u8| obstacles.saturating_add(other.saturating_mul(2));
        [with(goals), with(starts), with(paths / 2)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The score of choice 1 is the brightness of the upper left corner, so that covering it lowers the score there alone.
    #[test]
    fn the_deciding_corner_is_found() {
        let input = Input::Channels;
        let side = input.side();
        let mut bytes = vec![0; input.channels() * side * side];
        for at in 0..4 {
            bytes[at * side..at * side + 4].fill(255);
        }
        let scores = |pictures: &[Vec<u8>]| {
            let corner = |bytes: &Vec<u8>| (0..4).map(|at| f64::from(bytes[at * side + at])).sum::<f64>();
            Ok(pictures.iter().map(|bytes| vec![100.0, corner(bytes)]).collect())
        };
        let found = Occlusion::of(input, &bytes, 1, scores).unwrap();
        assert!(found.drop(0, 0) > 100.0, "{}", found.drop(0, 0));
        assert!(found.drop(40, 40).abs() < 1e-9);
        assert_eq!(&found.png(&bytes).unwrap()[1..4], b"PNG");
    }

    #[test]
    fn patches_cover_every_pixel() {
        for side in [64, 227] {
            let covers = |at: usize| {
                (0..STEPS)
                    .any(|step| (place(step, side)..place(step, side) + side / PATCH_PART).contains(&at))
            };
            assert!((0..side).all(covers), "{side}");
        }
    }
}
