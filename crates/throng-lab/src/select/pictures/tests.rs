//! Small maps for tests, and what the inputs have in common.

use throng::grid::Tiles;
use throng::{Cell, Corners, Grid, MoveRules, Pos};

use super::*;

/// Returns a map from rows of `.` and `#`.
pub(super) fn grid_of(rows: &str) -> Grid {
    Grid::new(Tiles::picture(rows), MoveRules::eight_way(Corners::Forbid))
}

/// The coordinates of a start and a goal.
pub(super) type Ends = ((i32, i32), (i32, i32));

/// Returns the cells of starts and goals.
pub(super) fn ends_of(grid: &Grid, pairs: &[Ends]) -> Vec<(Cell, Cell)> {
    let cell = |(x, y)| grid.ground().cell(Pos::new(x, y)).unwrap();
    pairs.iter().map(|&(start, goal)| (cell(start), cell(goal))).collect()
}

/// Returns an open map with a single obstacle.
fn field() -> Grid {
    let row = |y: i32| (0..200).map(|x| if (x, y) == (150, 90) { '#' } else { '.' }).collect::<String>();
    grid_of(&(0..100).map(row).collect::<Vec<_>>().join("\n"))
}

#[test]
fn every_input_has_its_size_and_values_from_0_to_1() {
    let grid = field();
    for ends in
        [vec![], ends_of(&grid, &[((1, 1), (60, 9))]), ends_of(&grid, &[((1, 1), (9, 9)), ((5, 5), (4, 4))])]
    {
        for input in Input::ALL {
            let picture = input.picture(grid.ground(), &ends);
            assert_eq!(picture.values.len(), input.channels() * input.side().pow(2), "{input:?}");
            assert!(picture.values.iter().all(|value| (0.0..=1.0).contains(value)), "{input:?}");
            let (width, height, bytes) = picture.rgb();
            assert_eq!(bytes.len(), 3 * width * height);
        }
    }
}

#[test]
fn a_crop_has_starts_and_goals_with_a_margin() {
    let grid = field();
    let ends = ends_of(&grid, &[((100, 20), (180, 40))]);
    let region = Region::around(grid.ground(), &ends);
    assert_eq!(region, Region { min: Pos::new(90, 10), width: 101, height: 41 });
    let ends = ends_of(&grid, &[((1, 97), (3, 99))]);
    let region = Region::around(grid.ground(), &ends);
    assert_eq!(region, Region { min: Pos::new(0, 93), width: 8, height: 7 }, "clipped");
    assert_eq!(Region::around(grid.ground(), &[]), Region::whole(grid.ground()));
}

#[test]
fn a_pyramid_is_the_whole_map_and_the_crop() {
    let grid = field();
    let ends = ends_of(&grid, &[((100, 20), (120, 30)), ((110, 25), (105, 33))]);
    let of = |input: Input| input.picture(grid.ground(), &ends).values;
    let (whole, crop, pyramid) = (of(Input::Channels), of(Input::Crop), of(Input::Pyramid));
    assert_eq!(pyramid, [whole.clone(), crop.clone()].concat());
    assert_ne!(whole, crop);
}

/// Colours survive resizing: green around the start, red around the goal, white at the obstacle.
#[test]
fn the_picture_of_the_thesis_shows_start_and_goal_in_their_places() {
    let grid = field();
    let picture = Input::Thesis.picture(grid.ground(), &ends_of(&grid, &[((20, 20), (180, 80))]));
    let at = |x: usize, y: usize| -> [f32; 3] {
        let pixel = (y * THESIS_SIDE / 100) * THESIS_SIDE + x * THESIS_SIDE / 200;
        [0, 1, 2].map(|channel| picture.values[channel * THESIS_SIDE.pow(2) + pixel])
    };
    let [red, green, _] = at(20, 20);
    assert!(green > 0.8 && red < 0.2, "start {:?}", at(20, 20));
    let [red, green, _] = at(180, 80);
    assert!(red > 0.8 && green < 0.2, "goal {:?}", at(180, 80));
    let [red, green, blue] = at(100, 50);
    assert!(blue > red && blue > green, "line {:?}", at(100, 50));
    assert!(at(10, 90).iter().all(|&value| value < 0.1), "free {:?}", at(10, 90));
}
