//! A map whose cells are the pixels of a picture, and shortest paths on it.
//!
//! Two neighbouring pixels are linked if free cells touch across their border, so that thin walls still separate them. Free
//! parts inside one pixel count as connected. A step costs the distance between the centres of the pixels, and up to twice as
//! much if the pixel is full of obstacles. A search expands at most [`PIXELS`] pixels, whatever the size of the map.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use throng::Ground;

use super::Region;
use super::channels::CHANNELS_SIDE as SIDE;

/// The number of pixels.
pub(super) const PIXELS: usize = SIDE * SIDE;

/// The eight directions: columns, rows.
const DIRECTIONS: [(isize, isize); 8] =
    [(1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)];

/// A region in pixels.
pub(super) struct CoarseMap {
    region: Region,
    /// The share of obstacles of each pixel, in percent.
    obstacles: Vec<u32>,
    /// Whether each pixel is linked with the one to the right, and with the one below.
    links: [Vec<bool>; 2],
    /// Costs of a step along a row, along a column, and along a diagonal, in 1/64 cells.
    steps: [u32; 3],
}

/// Returns the cells of an axis that a pixel shows: at least one, and several pixels may show the same cell.
fn cells(pixel: usize, length: usize) -> Range<usize> {
    let start = pixel * length / SIDE;
    start..((pixel + 1) * length / SIDE).max(start + 1)
}

/// Returns the last pixel of an axis that shows a cell.
fn pixel(cell: usize, length: usize) -> usize {
    ((cell + 1) * SIDE - 1) / length
}

impl CoarseMap {
    /// Divides a region into pixels.
    pub(super) fn new(ground: &Ground, region: Region) -> Self {
        let (width, height) = (region.width, region.height);
        let share = |at: usize| {
            let (columns, rows) = (cells(at % SIDE, width), cells(at / SIDE, height));
            let count = columns.len() * rows.len();
            let blocked = rows
                .flat_map(|y| columns.clone().map(move |x| (x, y)))
                .filter(|&(x, y)| !region.is_free(ground, x, y))
                .count();
            (100 * blocked / count) as u32
        };
        let right = |at: usize| {
            let column = at % SIDE;
            column + 1 < SIDE && {
                let (from, to) = (cells(column, width).end - 1, cells(column + 1, width).start);
                cells(at / SIDE, height)
                    .any(|y| region.is_free(ground, from, y) && region.is_free(ground, to, y))
            }
        };
        let below = |at: usize| {
            let row = at / SIDE;
            row + 1 < SIDE && {
                let (from, to) = (cells(row, height).end - 1, cells(row + 1, height).start);
                cells(at % SIDE, width)
                    .any(|x| region.is_free(ground, x, from) && region.is_free(ground, x, to))
            }
        };
        let [w, h] = [width as u32, height as u32];
        Self {
            region,
            obstacles: (0..PIXELS).map(share).collect(),
            links: [(0..PIXELS).map(right).collect(), (0..PIXELS).map(below).collect()],
            steps: [w, h, (w * w + h * h).isqrt()],
        }
    }

    /// Returns the share of obstacles of a pixel, from 0 to 1.
    pub(super) fn obstacles(&self, at: usize) -> f32 {
        self.obstacles[at] as f32 / 100.0
    }

    /// Returns the pixel of a position; none outside the region.
    pub(super) fn pixel(&self, pos: throng::Pos) -> Option<usize> {
        let (x, y) = self.region.place(pos)?;
        Some(pixel(y, self.region.height) * SIDE + pixel(x, self.region.width))
    }

    /// Returns the pixel in a direction if it is linked.
    fn neighbour(&self, at: usize, direction: usize) -> Option<usize> {
        let straight = |at: usize, direction: usize| -> Option<usize> {
            match direction {
                0 => self.links[0][at].then(|| at + 1),
                1 => self.links[1][at].then(|| at + SIDE),
                2 => at.checked_sub(1).filter(|&to| !at.is_multiple_of(SIDE) && self.links[0][to]),
                _ => at.checked_sub(SIDE).filter(|&to| self.links[1][to]),
            }
        };
        if direction < 4 {
            return straight(at, direction);
        }
        // Diagonals are open if both ways around the corner are.
        let (dx, dy) = DIRECTIONS[direction];
        let (row, column) = (if dx > 0 { 0 } else { 2 }, if dy > 0 { 1 } else { 3 });
        let corner = straight(straight(at, row)?, column)?;
        (straight(straight(at, column)?, row)? == corner).then_some(corner)
    }

    /// Returns a lower bound of the cost between two pixels.
    fn heuristic(&self, from: usize, to: usize) -> u32 {
        let [dx, dy] = [(from % SIDE).abs_diff(to % SIDE) as u32, (from / SIDE).abs_diff(to / SIDE) as u32];
        let diagonal = dx.min(dy);
        diagonal * self.steps[2] + (dx - diagonal) * self.steps[0] + (dy - diagonal) * self.steps[1]
    }

    /// Returns the pixels of a shortest path by A*; the straight line if no path lies in the region.
    pub(super) fn path(&self, from: usize, to: usize) -> Vec<usize> {
        let mut costs = vec![u32::MAX; PIXELS];
        let mut parents = vec![from; PIXELS];
        let mut open = BinaryHeap::from([(Reverse(self.heuristic(from, to)), 0, from)]);
        costs[from] = 0;
        while let Some((_, cost, at)) = open.pop() {
            if at == to {
                let mut path = vec![to];
                while let Some(&last) = path.last().filter(|&&last| last != from) {
                    path.push(parents[last]);
                }
                path.reverse();
                return path;
            }
            if cost > costs[at] {
                continue;
            }
            for direction in 0..DIRECTIONS.len() {
                let Some(next) = self.neighbour(at, direction) else { continue };
                let kind = if direction < 4 { direction % 2 } else { 2 };
                let cost = cost + self.steps[kind] * (100 + self.obstacles[next]) / 100;
                if cost < costs[next] {
                    costs[next] = cost;
                    parents[next] = at;
                    open.push((Reverse(cost + self.heuristic(next, to)), cost, next));
                }
            }
        }
        straight_line(from, to)
    }
}

/// Returns the pixels nearest to the line between two pixels.
fn straight_line(from: usize, to: usize) -> Vec<usize> {
    let [dx, dy] = [(to % SIDE) as i32 - (from % SIDE) as i32, (to / SIDE) as i32 - (from / SIDE) as i32];
    let steps = dx.abs().max(dy.abs()).max(1);
    let between = |start: usize, delta: i32, step: i32| {
        (start as i32 + (2 * delta * step + steps * delta.signum()) / (2 * steps)) as usize
    };
    let pixel = |step: i32| between(from / SIDE, dy, step) * SIDE + between(from % SIDE, dx, step);
    (0..=steps).map(pixel).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::pictures::tests::grid_of;

    fn coarse(map: &str) -> CoarseMap {
        let grid = grid_of(map);
        CoarseMap::new(grid.ground(), Region::whole(grid.ground()))
    }

    #[test]
    fn every_cell_has_a_pixel_that_shows_it() {
        for length in [1, 3, 63, 64, 65, 100, 512, 1000] {
            for cell in 0..length {
                let shown = cells(pixel(cell, length), length);
                assert!(shown.contains(&cell), "{cell} of {length} is not in {shown:?}");
            }
        }
    }

    /// The pixel column 32 begins the right half of a map of 128 cells, and a wall of one cell stands before it.
    #[test]
    fn a_thin_wall_separates_pixels_except_at_its_gap() {
        let rows: Vec<String> = (0..128)
            .map(|y| (0..128).map(|x| if x == 63 && !(100..104).contains(&y) { '#' } else { '.' }).collect())
            .collect();
        let map = coarse(&rows.join("\n"));
        let path = map.path(0, SIDE - 1);
        assert_eq!((path[0], path[path.len() - 1]), (0, SIDE - 1));
        let crossing = path.iter().find(|&&at| at % SIDE == 32).unwrap();
        assert!((50..52).contains(&(crossing / SIDE)), "crosses at row {}", crossing / SIDE);
        for pair in path.windows(2) {
            assert!((0..8).any(|direction| map.neighbour(pair[0], direction) == Some(pair[1])));
        }
    }

    #[test]
    fn without_a_path_the_line_is_taken() {
        let map = coarse("..#..\n..#..\n..#..");
        let path = map.path(0, PIXELS - 1);
        assert_eq!(path.len(), SIDE);
        assert_eq!(path, (0..SIDE).map(|at| at * SIDE + at).collect::<Vec<_>>());
        assert_eq!(map.path(7, 7), [7]);
    }
}
