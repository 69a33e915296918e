//! A picture of 64×64 pixels with one channel per property.
//!
//! Counts are on a logarithmic scale from 0 to 1: a network sees both a single agent and a crowd. Paths are those of up to
//! [`SAMPLES`] agents, sampled by a fixed stride, on the map of the pixels; each stands for its share of the crowd. Contraflow is
//! high where paths run against each other: the smaller of the flows in opposite directions, summed over both axes.

use throng::{Cell, Ground};

use super::Region;
use super::coarse::{CoarseMap, PIXELS};

/// Width and height of the picture.
pub const CHANNELS_SIDE: usize = 64;

/// The names of the channels. `scale` is the number of cells per pixel, which resizing hides.
pub const CHANNELS: [&str; 6] = ["obstacles", "starts", "goals", "paths", "contraflow", "scale"];

/// The largest number of agents whose paths are drawn.
const SAMPLES: usize = 32;

/// The count that has the value 1.
const FULL: f32 = 256.0;

/// Cells per pixel that have the value 1.
const FULL_SCALE: f32 = 31.0;

/// Returns a count on a logarithmic scale.
fn scaled(count: f32, full: f32) -> f32 {
    (count.ln_1p() / full.ln_1p()).min(1.0)
}

/// Returns the values of all channels of a region.
pub(super) fn picture(ground: &Ground, region: Region, ends: &[(Cell, Cell)]) -> Vec<f32> {
    let map = CoarseMap::new(ground, region);
    let ends: Vec<(Option<usize>, Option<usize>)> = ends
        .iter()
        .map(|&(start, goal)| (map.pixel(ground.pos(start)), map.pixel(ground.pos(goal))))
        .collect();
    let (paths, contraflow) = flows(&map, &ends);
    let starts = counts(ends.iter().filter_map(|&(start, _)| start));
    let goals = counts(ends.iter().filter_map(|&(_, goal)| goal));
    let mut values: Vec<f32> = (0..PIXELS).map(|at| map.obstacles(at)).collect();
    for counts in [starts, goals, paths, contraflow] {
        values.extend(counts.iter().map(|&count| scaled(count, FULL)));
    }
    let cells_per_pixel = ((region.width * region.height) as f32).sqrt() / CHANNELS_SIDE as f32;
    values.resize(CHANNELS.len() * PIXELS, scaled(cells_per_pixel, FULL_SCALE));
    values
}

/// Returns how often each pixel occurs.
fn counts(pixels: impl Iterator<Item = usize>) -> Vec<f32> {
    let mut counts = vec![0.0; PIXELS];
    for at in pixels {
        counts[at] += 1.0;
    }
    counts
}

/// Returns the number of paths through each pixel, and the flow of paths against each other.
fn flows(map: &CoarseMap, ends: &[(Option<usize>, Option<usize>)]) -> (Vec<f32>, Vec<f32>) {
    let inside: Vec<(usize, usize)> = ends
        .iter()
        .filter_map(|&(start, goal)| start.zip(goal))
        .filter(|(start, goal)| start != goal)
        .collect();
    let sampled = inside.len().min(SAMPLES);
    let weight = inside.len() as f32 / sampled.max(1) as f32;
    let mut paths = vec![0.0; PIXELS];
    // To the right, down, to the left, up.
    let mut directions = vec![[0.0_f32; 4]; PIXELS];
    for sample in 0..sampled {
        let (start, goal) = inside[sample * inside.len() / sampled];
        let path = map.path(start, goal);
        for &at in &path {
            paths[at] += weight;
        }
        for step in path.windows(2) {
            let column = |at: usize| at % CHANNELS_SIDE;
            let row = |at: usize| at / CHANNELS_SIDE;
            let (from, to) = (step[0], step[1]);
            if column(from) != column(to) {
                directions[from][if column(to) > column(from) { 0 } else { 2 }] += weight;
            }
            if row(from) != row(to) {
                directions[from][if row(to) > row(from) { 1 } else { 3 }] += weight;
            }
        }
    }
    let opposed = |flow: &[f32; 4]| flow[0].min(flow[2]) + flow[1].min(flow[3]);
    (paths, directions.iter().map(opposed).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::pictures::tests::{ends_of, grid_of};

    fn channel<'a>(values: &'a [f32], name: &str) -> &'a [f32] {
        let at = CHANNELS.iter().position(|channel| *channel == name).unwrap();
        &values[at * PIXELS..(at + 1) * PIXELS]
    }

    fn corridor() -> throng::Grid {
        let wall = "#".repeat(64);
        let rows: Vec<String> =
            (0..64).map(|y| if (30..34).contains(&y) { ".".repeat(64) } else { wall.clone() }).collect();
        grid_of(&rows.join("\n"))
    }

    #[test]
    fn agents_that_meet_in_a_corridor_have_contraflow() {
        let grid = corridor();
        let whole = Region::whole(grid.ground());
        let opposed = ends_of(&grid, &[((2, 31), (60, 31)), ((60, 31), (2, 31))]);
        let values = picture(grid.ground(), whole, &opposed);
        assert_eq!(values.len(), CHANNELS.len() * PIXELS);
        let pixel = 31 * CHANNELS_SIDE + 30;
        assert!((channel(&values, "contraflow")[pixel] - scaled(1.0, FULL)).abs() < 1e-6);
        assert!((channel(&values, "paths")[pixel] - scaled(2.0, FULL)).abs() < 1e-6);
        assert!((channel(&values, "starts")[31 * CHANNELS_SIDE + 2] - scaled(1.0, FULL)).abs() < 1e-6);
        assert!((channel(&values, "obstacles").iter().sum::<f32>() - 60.0 * 64.0).abs() < 1e-3);

        let together = ends_of(&grid, &[((2, 31), (60, 31)), ((3, 31), (61, 31))]);
        let values = picture(grid.ground(), whole, &together);
        assert!(channel(&values, "contraflow").iter().all(|&flow| flow == 0.0));
        assert!((channel(&values, "paths")[pixel] - scaled(2.0, FULL)).abs() < 1e-6);
    }

    #[test]
    fn sampled_paths_stand_for_the_crowd() {
        let grid = corridor();
        let agents: Vec<_> =
            (0..4 * SAMPLES as i32).map(|at| ((at % 5, 30 + at % 4), (60, 30 + at % 4))).collect();
        let values = picture(grid.ground(), Region::whole(grid.ground()), &ends_of(&grid, &agents));
        let paths = channel(&values, "paths");
        let crossing: f32 =
            (30..34).map(|row| (paths[row * CHANNELS_SIDE + 40] * FULL.ln_1p()).exp() - 1.0).sum();
        assert!((crossing - 4.0 * SAMPLES as f32).abs() < 0.01, "{crossing}");
    }
}
