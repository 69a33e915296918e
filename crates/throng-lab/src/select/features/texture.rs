//! The texture of a map: what its walls look like, whatever paths they leave. Maps of one game share tools and scale.
//!
//! Shares are in 1/1,000. A window is mixed if it has free and blocked cells. Every value is an integer and costs one pass over
//! the cells.

use throng::grid::Terrain;
use throng::{Ground, Pos, Tiles};

/// Lengths of straight pieces of wall: the upper ends of all classes but the last.
const RUNS: [usize; 6] = [1, 2, 4, 8, 16, 32];

/// Distances of the positions of walls whose remainders are counted: scaled maps have walls at multiples of their scale.
const STEPS: [i32; 3] = [2, 3, 4];

/// Returns the texture of a map: name and value of each feature.
pub(crate) fn texture(tiles: &Tiles, ground: &Ground) -> Vec<(String, i32)> {
    let picture = Picture::new(ground);
    let mut found = picture.frame();
    found.extend(kinds(tiles));
    found.extend(picture.runs());
    found.extend(picture.windows());
    found.extend(picture.symmetry());
    found
}

/// Which cells are free.
struct Picture {
    width: i32,
    height: i32,
    free: Vec<bool>,
}

/// Returns a part of a whole in 1/1,000; 0 of nothing.
fn share(part: usize, whole: usize) -> i32 {
    (1_000 * part).checked_div(whole).map_or(0, |share| share as i32)
}

/// Returns the share of each kind of terrain.
fn kinds(tiles: &Tiles) -> Vec<(String, i32)> {
    let all = tiles.terrain();
    let count = |kind: Terrain| all.iter().filter(|&&terrain| terrain == kind).count();
    let kinds = Terrain::ALL.into_iter();
    kinds
        .map(|kind| (format!("texture_kind_{kind:?}").to_lowercase(), share(count(kind), all.len())))
        .collect()
}

impl Picture {
    fn new(ground: &Ground) -> Self {
        let (width, height) = (ground.size().width() as i32, ground.size().height() as i32);
        let cells = (0..height).flat_map(|y| (0..width).map(move |x| Pos::new(x, y)));
        let is_free = |pos: Pos| ground.cell(pos).is_some_and(|cell| ground.is_free(cell));
        Self { width, height, free: cells.map(is_free).collect() }
    }

    fn is_free(&self, x: i32, y: i32) -> bool {
        (0..self.width).contains(&x)
            && (0..self.height).contains(&y)
            && self.free[(y * self.width + x) as usize]
    }

    /// Returns size, the blocked border on each side, and how full the rectangle around the free cells is.
    fn frame(&self) -> Vec<(String, i32)> {
        let column = |&x: &i32| (0..self.height).any(|y| self.is_free(x, y));
        let row = |&y: &i32| (0..self.width).any(|x| self.is_free(x, y));
        let left = (0..self.width).find(column).unwrap_or(self.width);
        let right = (0..self.width).rev().find(column).map_or(0, |x| self.width - 1 - x);
        let top = (0..self.height).find(row).unwrap_or(self.height);
        let bottom = (0..self.height).rev().find(row).map_or(0, |y| self.height - 1 - y);
        let inside = (self.width - left - right).max(0) * (self.height - top - bottom).max(0);
        let free = self.free.iter().filter(|&&free| free).count();
        let sides = [left, right, top, bottom];
        let named = [
            ("width", self.width),
            ("height", self.height),
            ("border_least", sides.into_iter().min().unwrap_or(0)),
            ("border_most", sides.into_iter().max().unwrap_or(0)),
            ("inside", share(inside as usize, self.free.len())),
            ("free_inside", share(free, inside as usize)),
        ];
        named.map(|(name, value)| (format!("texture_{name}"), value)).to_vec()
    }

    /// Returns the shares of straight pieces of wall by length, of both directions, and how often walls stand at multiples of
    /// small numbers.
    fn runs(&self) -> Vec<(String, i32)> {
        let mut lengths = Vec::new();
        let mut aligned = [[0_usize; 4]; 3];
        let mut edges = 0;
        for is_column in [false, true] {
            let (lines, length) =
                if is_column { (self.width, self.height) } else { (self.height, self.width) };
            let at = |line: i32, place: i32| {
                if is_column { self.is_free(line, place) } else { self.is_free(place, line) }
            };
            for line in 0..=lines {
                let mut run = 0;
                for place in 0..=length {
                    // A piece of wall lies between a free and a blocked cell of neighbouring lines; it ends at a corner.
                    let sides = |place: i32| (at(line - 1, place), at(line, place));
                    let here = sides(place);
                    if here.0 != here.1 && (run == 0 || here == sides(place - 1)) {
                        run += 1;
                    } else {
                        lengths.extend((run > 0).then_some(run));
                        run = usize::from(here.0 != here.1);
                    }
                    if here.0 != here.1 {
                        edges += 1;
                        for (aligned, step) in aligned.iter_mut().zip(STEPS) {
                            aligned[(line % step) as usize] += 1;
                        }
                    }
                }
                lengths.extend((run > 0).then_some(run));
            }
        }
        let class = |length: &usize| RUNS.iter().position(|end| length <= end).unwrap_or(RUNS.len());
        let mut found: Vec<(String, i32)> = (0..=RUNS.len())
            .map(|own| {
                let count = lengths.iter().filter(|length| class(length) == own).count();
                (format!("texture_run_{own}"), share(count, lengths.len()))
            })
            .collect();
        for (aligned, step) in aligned.iter().zip(STEPS) {
            let most = aligned.iter().copied().max().unwrap_or(0);
            found.push((format!("texture_aligned_{step}"), share(most, edges)));
        }
        found.push(("texture_edges".to_owned(), share(edges, self.free.len())));
        found
    }

    /// Returns the shares of the patterns of 2×2 cells up to symmetry, and of 3×3 cells by the number of blocked cells around a
    /// free or blocked one.
    fn windows(&self) -> Vec<(String, i32)> {
        let (mut small, mut large) = ([0_usize; 4], [[0_usize; 9]; 2]);
        for (x, y) in (-1..self.height).flat_map(|y| (-1..self.width).map(move |x| (x, y))) {
            let four = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dy)| self.is_free(x + dx, y + dy));
            match four.iter().filter(|&&free| free).count() {
                1 => small[0] += 1,
                2 if four[0] == four[3] => small[1] += 1,
                2 => small[2] += 1,
                3 => small[3] += 1,
                _ => {}
            }
            let around = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)));
            let blocked = around.filter(|&at| at != (0, 0) && !self.is_free(x + at.0, y + at.1)).count();
            let center = usize::from(self.is_free(x, y));
            if blocked != 8 * (1 - center) {
                large[center][blocked] += 1;
            }
        }
        let names = ["corner_out", "diagonal", "straight", "corner_in"];
        let mut found: Vec<(String, i32)> = names
            .iter()
            .zip(small)
            .map(|(name, count)| (format!("texture_{name}"), share(count, small.iter().sum())))
            .collect();
        let all = large.iter().flatten().sum();
        for (center, counts) in large.iter().enumerate() {
            let named = |(blocked, &count): (usize, &usize)| {
                (format!("texture_around_{center}_{blocked}"), share(count, all))
            };
            found.extend(counts.iter().enumerate().map(named));
        }
        found
    }

    /// Returns the shares of the cells that equal their mirror image, left to right, top to bottom and turned by half.
    fn symmetry(&self) -> Vec<(String, i32)> {
        let (right, bottom) = (self.width - 1, self.height - 1);
        let equal = |image: &dyn Fn(i32, i32) -> (i32, i32)| {
            let cells = (0..self.height).flat_map(|y| (0..self.width).map(move |x| (x, y)));
            let is_equal = |&(x, y): &(i32, i32)| {
                let (image_x, image_y) = image(x, y);
                self.is_free(x, y) == self.is_free(image_x, image_y)
            };
            share(cells.filter(is_equal).count(), self.free.len())
        };
        vec![
            ("texture_mirror_x".to_owned(), equal(&|x, y| (right - x, y))),
            ("texture_mirror_y".to_owned(), equal(&|x, y| (x, bottom - y))),
            ("texture_turned".to_owned(), equal(&|x, y| (right - x, bottom - y))),
        ]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use throng::{Grid, MoveRules};

    use super::*;

    fn of(rows: &str) -> BTreeMap<String, i32> {
        let grid = Grid::new(Tiles::picture(rows), MoveRules::default());
        texture(grid.tiles(), grid.ground()).into_iter().collect()
    }

    #[test]
    fn a_room_has_straight_walls_and_is_symmetric() {
        let room = of("######\n#....#\n#....#\n######");
        assert_eq!((room["texture_width"], room["texture_height"]), (6, 4));
        assert_eq!((room["texture_border_least"], room["texture_border_most"]), (1, 1));
        assert_eq!((room["texture_inside"], room["texture_free_inside"]), (333, 1000));
        assert_eq!([room["texture_run_0"], room["texture_run_1"], room["texture_run_2"]], [0, 500, 500]);
        assert_eq!(room["texture_mirror_x"] + room["texture_mirror_y"] + room["texture_turned"], 3_000);
        // Four outer corners seen from the free cells, and eight windows along walls.
        assert_eq!([room["texture_corner_out"], room["texture_straight"]], [333, 666]);
        assert_eq!((room["texture_kind_wall"], room["texture_diagonal"]), (666, 0));
    }

    #[test]
    fn diagonal_walls_and_asymmetry_are_seen() {
        let steps = of("#...\n##..\n###.\n####");
        assert!(steps["texture_run_0"] > 0 && steps["texture_mirror_x"] < 1_000);
        let diagonal = of("#.\n.#");
        assert_eq!(diagonal["texture_turned"], 1_000);
        assert!(diagonal["texture_diagonal"] > 0);
    }

    #[test]
    fn names_are_unique() {
        let grid = Grid::new(Tiles::picture("..#"), MoveRules::default());
        let all = texture(grid.tiles(), grid.ground());
        let distinct: BTreeMap<_, _> = all.iter().cloned().collect();
        assert_eq!(all.len(), distinct.len());
        assert!(all.iter().all(|(name, _)| name.starts_with("texture_")));
    }
}
