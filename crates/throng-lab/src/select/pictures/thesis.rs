//! The picture of the thesis: obstacles are white and free cells black, with starts in green and goals in red.
//!
//! A single agent has squares of 3×3 pixels at start and goal and a line of one pixel between them. The thesis does not say
//! which colour the line has: it is blue here, as blue is nothing else. In a crowd each start and each goal is one pixel.
//! The picture is drawn with one pixel per cell and then resized.

use throng::{Cell, Ground};

use super::{Region, resize};

/// Width and height of the picture.
pub const THESIS_SIDE: usize = 227;

/// The colour of the line from start to goal.
pub const LINE: [u8; 3] = [0, 0, 255];

const OBSTACLE: [u8; 3] = [255; 3];
const FREE: [u8; 3] = [0; 3];
const START: [u8; 3] = [0, 255, 0];
const GOAL: [u8; 3] = [255, 0, 0];

/// A picture with one pixel per cell of a region.
struct Canvas {
    region: Region,
    pixels: Vec<[u8; 3]>,
}

impl Canvas {
    /// Draws the obstacles of a region.
    fn new(ground: &Ground, region: Region) -> Self {
        let cells = (0..region.height).flat_map(|y| (0..region.width).map(move |x| (x, y)));
        let colour = |(x, y)| if region.is_free(ground, x, y) { FREE } else { OBSTACLE };
        Self { region, pixels: cells.map(colour).collect() }
    }

    /// Colours a cell if it lies in the region.
    fn set(&mut self, pos: throng::Pos, colour: [u8; 3]) {
        if let Some((x, y)) = self.region.place(pos) {
            self.pixels[y * self.region.width + x] = colour;
        }
    }

    fn square(&mut self, centre: throng::Pos, colour: [u8; 3]) {
        for (dx, dy) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))) {
            self.set(throng::Pos::new(centre.x + dx, centre.y + dy), colour);
        }
    }

    /// Draws a line by Bresenham's algorithm.
    fn line(&mut self, from: throng::Pos, to: throng::Pos, colour: [u8; 3]) {
        let (dx, dy) = ((to.x - from.x).abs(), -(to.y - from.y).abs());
        let (step_x, step_y) = ((to.x - from.x).signum(), (to.y - from.y).signum());
        let (mut at, mut error) = (from, dx + dy);
        loop {
            self.set(at, colour);
            if at == to {
                return;
            }
            let twice = 2 * error;
            if twice >= dy {
                error += dy;
                at.x += step_x;
            }
            if twice <= dx {
                error += dx;
                at.y += step_y;
            }
        }
    }
}

/// Returns the picture before it is resized.
fn drawn(ground: &Ground, region: Region, ends: &[(Cell, Cell)]) -> Vec<[u8; 3]> {
    let mut canvas = Canvas::new(ground, region);
    if let &[(start, goal)] = ends {
        let (start, goal) = (ground.pos(start), ground.pos(goal));
        canvas.line(start, goal, LINE);
        canvas.square(start, START);
        canvas.square(goal, GOAL);
        return canvas.pixels;
    }
    for &(start, _) in ends {
        canvas.set(ground.pos(start), START);
    }
    for &(_, goal) in ends {
        canvas.set(ground.pos(goal), GOAL);
    }
    canvas.pixels
}

/// Returns the red, green and blue values of the picture of a region.
pub(super) fn picture(ground: &Ground, region: Region, ends: &[(Cell, Cell)]) -> Vec<f32> {
    let pixels = drawn(ground, region, ends);
    let colour = |channel: usize| {
        let values: Vec<f32> = pixels.iter().map(|pixel| f32::from(pixel[channel])).collect();
        let resized = resize(&values, (region.width, region.height), (THESIS_SIDE, THESIS_SIDE));
        resized.into_iter().map(|value| value.clamp(0.0, 255.0).round() / 255.0)
    };
    (0..3).flat_map(colour).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::pictures::tests::{Ends, ends_of, grid_of};

    /// Shows a picture before it is resized, with one letter per colour.
    fn shown(map: &str, pairs: &[Ends]) -> String {
        let grid = grid_of(map);
        let region = Region::whole(grid.ground());
        let letter = |pixel: &[u8; 3]| match *pixel {
            OBSTACLE => '#',
            FREE => '.',
            START => 'a',
            GOAL => 'A',
            LINE => '*',
            _ => '?',
        };
        let pixels = drawn(grid.ground(), region, &ends_of(&grid, pairs));
        let rows = pixels.chunks(region.width).map(|row| row.iter().map(letter).collect::<String>());
        rows.collect::<Vec<_>>().join("\n")
    }

    const MAP: &str = "
        .......#
        .......#
        ........
        ....#...
        ........";

    /// The line hides the obstacle below it.
    #[test]
    fn a_single_agent_has_squares_and_a_line() {
        let expected = "\
aaa....#
aaa....#
aaa*....
....*AAA
.....AAA";
        assert_eq!(shown(MAP, &[((1, 1), (6, 4))]), expected);
    }

    #[test]
    fn a_crowd_has_one_pixel_per_start_and_goal() {
        let expected = "\
a......#
.a.....#
........
....#...
A......A";
        assert_eq!(shown(MAP, &[((0, 0), (0, 4)), ((1, 1), (7, 4))]), expected);
        assert_eq!(shown(MAP, &[]).matches('#').count(), 3, "a map alone has obstacles only");
    }
}
