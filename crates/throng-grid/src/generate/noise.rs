//! Value noise in integer arithmetic: random values on a lattice with smooth interpolation between them.

use crate::Size;
use crate::hash::mix64;

/// Noise values lie in `0..RANGE`; their mean is half of it.
pub(crate) const RANGE: i32 = 1024;

/// A noise function, given by its seed.
#[derive(Clone, Copy)]
pub(crate) struct Noise {
    seed: u64,
}

impl Noise {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// Returns the value of a lattice point.
    fn point(self, x: i32, y: i32) -> i32 {
        let mixed = mix64(self.seed ^ (u64::from(x as u32) << 32 | u64::from(y as u32)));
        (mixed & (RANGE as u64 - 1)) as i32
    }

    /// Returns the value at a position, with lattice points `scale` cells apart.
    pub(crate) fn at(self, x: i32, y: i32, scale: i32) -> i32 {
        let scale = scale.max(1);
        let (column, row) = (x.div_euclid(scale), y.div_euclid(scale));
        let (u, v) = (smooth(x.rem_euclid(scale), scale), smooth(y.rem_euclid(scale), scale));
        let left = blend(self.point(column, row), self.point(column, row + 1), v);
        let right = blend(self.point(column + 1, row), self.point(column + 1, row + 1), v);
        blend(left, right, u)
    }

    /// Returns the values of [`Noise::at`] for all cells of a map; lattice points are computed once per row.
    pub(crate) fn map(self, size: Size, scale: i32) -> Vec<i32> {
        let scale = scale.max(1);
        let width = size.width() as i32;
        let across: Vec<i32> = (0..scale).map(|part| smooth(part, scale)).collect();
        let mut values = Vec::with_capacity(size.area());
        let mut points: Vec<i32> = Vec::new();
        for y in 0..size.height() as i32 {
            let (row, v) = (y / scale, smooth(y % scale, scale));
            points.clear();
            points.extend(
                (0..=width / scale + 1)
                    .map(|column| blend(self.point(column, row), self.point(column, row + 1), v)),
            );
            let end = values.len() + width as usize;
            for ends in points.windows(2) {
                let rest = (end - values.len()).min(across.len());
                values.extend(across[..rest].iter().map(|&u| blend(ends[0], ends[1], u)));
            }
        }
        values
    }

    /// Returns the weighted sum of three octaves, each with half the scale and half the weight of the one before.
    pub(crate) fn rough(self, size: Size, scale: i32) -> Vec<i32> {
        let finer = Self::new(self.seed.wrapping_add(1)).map(size, scale / 2);
        let finest = Self::new(self.seed.wrapping_add(2)).map(size, scale / 4);
        let mut values = self.map(size, scale);
        for ((value, finer), finest) in values.iter_mut().zip(finer).zip(finest) {
            *value = (4 * *value + 2 * finer + finest) / 7;
        }
        values
    }
}

/// Interpolates between `a` and `b`; `share` is the weight of `b` in units of `1 / RANGE`.
fn blend(a: i32, b: i32, share: i32) -> i32 {
    ((a * (RANGE - share) + b * share) as u32 / RANGE as u32) as i32
}

/// Returns `3t² - 2t³` for `t = part / whole`, in units of `1 / RANGE`.
fn smooth(part: i32, whole: i32) -> i32 {
    let t = part * RANGE / whole;
    t * t / RANGE * (3 * RANGE - 2 * t) / RANGE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_smooth_and_within_range() {
        let noise = Noise::new(9);
        for y in -40..40 {
            for x in -40..40 {
                let here = noise.at(x, y, 16);
                assert!((0..RANGE).contains(&here));
                assert!((here - noise.at(x + 1, y, 16)).abs() < RANGE / 8);
            }
        }
    }

    #[test]
    fn a_noise_map_equals_the_values_of_its_positions() {
        let size = Size::new(37, 21).unwrap();
        for scale in [0, 1, 7, 64] {
            let map = Noise::new(3).map(size, scale);
            for cell in size.cells() {
                let pos = size.pos(cell);
                assert_eq!(map[cell.index()], Noise::new(3).at(pos.x, pos.y, scale));
            }
        }
        assert!(Noise::new(4).rough(size, 16).into_iter().all(|value| (0..RANGE).contains(&value)));
    }
}
