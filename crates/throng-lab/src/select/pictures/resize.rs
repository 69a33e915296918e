//! Bicubic resizing like that of Matlab's `imresize`, which the thesis resized its pictures with.
//!
//! R. G. Keys, *Cubic Convolution Interpolation for Digital Image Processing*, IEEE Transactions on Acoustics, Speech, and Signal
//! Processing 29(6), 1981, with a = -0.5. When the picture shrinks, the kernel is stretched by the same factor, so that every pixel
//! counts (antialiasing). Pixels beyond the border mirror those inside. Each axis is resized on its own, in floats; Matlab
//! rounds bytes after the first axis too.

/// The weights of the pixels that make one pixel of the result.
struct Contribution {
    pixels: Vec<usize>,
    weights: Vec<f32>,
}

/// The cubic kernel.
fn kernel(x: f64) -> f64 {
    let x = x.abs();
    if x <= 1.0 {
        1.5 * x.powi(3) - 2.5 * x.powi(2) + 1.0
    } else if x <= 2.0 {
        -0.5 * x.powi(3) + 2.5 * x.powi(2) - 4.0 * x + 2.0
    } else {
        0.0
    }
}

/// Returns the contributions to each pixel of an axis.
fn contributions(from: usize, to: usize) -> Vec<Contribution> {
    let scale = to as f64 / from as f64;
    let shrink = scale.min(1.0);
    let width = 4.0 / shrink;
    let contribution = |number: usize| {
        let centre = (number as f64 + 0.5) / scale - 0.5;
        let first = (centre - width / 2.0).floor() as i64;
        let count = width.ceil() as i64 + 2;
        let mut pixels = Vec::new();
        let mut weights = Vec::new();
        for pixel in first..first + count {
            let weight = kernel(shrink * (centre - pixel as f64));
            if weight != 0.0 {
                let mirrored = pixel.rem_euclid(2 * from as i64) as usize;
                pixels.push(mirrored.min(2 * from - 1 - mirrored));
                weights.push(weight);
            }
        }
        let sum: f64 = weights.iter().sum();
        Contribution { pixels, weights: weights.into_iter().map(|weight| (weight / sum) as f32).collect() }
    };
    (0..to).map(contribution).collect()
}

/// Resizes a picture of one channel, given by rows, from one width and height to another.
pub fn resize(values: &[f32], from: (usize, usize), to: (usize, usize)) -> Vec<f32> {
    let columns = contributions(from.0, to.0);
    let rows = contributions(from.1, to.1);
    let mut narrow = Vec::with_capacity(to.0 * from.1);
    for row in values.chunks(from.0) {
        narrow.extend(columns.iter().map(|column| {
            column.pixels.iter().zip(&column.weights).map(|(&x, weight)| row[x] * weight).sum::<f32>()
        }));
    }
    let mut resized = vec![0.0; to.0 * to.1];
    for (row, out) in rows.iter().zip(resized.chunks_mut(to.0)) {
        for (&y, weight) in row.pixels.iter().zip(&row.weights) {
            for (out, value) in out.iter_mut().zip(&narrow[y * to.0..]) {
                *out += value * weight;
            }
        }
    }
    resized
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: &[f32], expected: &[f32]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-4, "{found} is not {expected}");
        }
    }

    /// The centres of the pixels lie at quarters, so their distances are 0.25, 0.75, 1.25 and 1.75.
    #[test]
    fn enlarging_interpolates_with_the_cubic_kernel() {
        let step = resize(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0], (6, 1), (12, 1));
        assert!((kernel(1.25) + kernel(0.25) + kernel(0.75) + kernel(1.75) - 1.0).abs() < 1e-12);
        let [far, under, half] =
            [kernel(1.75), kernel(1.25), kernel(0.75) + kernel(1.75)].map(|it| it as f32);
        near(&step[3..9], &[far, under, half, 1.0 - half, 1.0 - under, 1.0 - far]);
        near(&resize(&[0.5; 35], (7, 5), (19, 23)), &[0.5; 437]);
    }

    #[test]
    fn shrinking_counts_every_pixel() {
        let mut picture = vec![0.0; 64 * 64];
        picture[33 * 64 + 17] = 1.0;
        let small = resize(&picture, (64, 64), (8, 8));
        let sum: f32 = small.iter().sum();
        assert!((sum - 1.0 / 64.0).abs() < 1e-4, "one pixel of 64 per pixel: {sum}");
        near(&resize(&picture, (64, 64), (64, 64)), &picture);
    }

    #[test]
    fn the_border_is_mirrored() {
        let picture = [3.0, 1.0, 4.0, 1.0, 5.0];
        let mirrored = [1.0, 4.0, 1.0, 3.0, 3.0, 1.0, 4.0, 1.0, 5.0, 5.0, 1.0, 4.0];
        let (plain, whole) = (resize(&picture, (5, 1), (10, 1)), resize(&mirrored, (12, 1), (24, 1)));
        near(&plain, &whole[8..18]);
    }
}
