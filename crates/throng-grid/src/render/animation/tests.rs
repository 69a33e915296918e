//! Animations, decoded and composed as a viewer does.

use super::*;
use crate::render::Picture;
use crate::{MoveRules, Pos, Terrain, Tiles};

/// What a viewer shows: the screen after each frame, and its display time.
struct Played {
    width: u32,
    screens: Vec<Vec<u8>>,
    delays: Vec<u16>,
    /// Number of pixels in each frame's rectangle.
    carried: Vec<u32>,
}

impl Played {
    fn at(&self, screen: usize, x: u32, y: u32) -> Colour {
        let at = (y * self.width + x) as usize * 4;
        let pixel = &self.screens[screen][at..at + 4];
        assert_eq!(pixel[3], 255, "the screen is opaque");
        Colour(pixel[0], pixel[1], pixel[2])
    }
}

fn play(animation: Animation<'_>) -> Played {
    let bytes = animation.finish().unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let (width, height) = reader.info().size();
    let frames = reader.info().animation_control().unwrap().num_frames;
    let mut screen = vec![0; (width * height * 4) as usize];
    let mut played = Played { width, screens: Vec::new(), delays: Vec::new(), carried: Vec::new() };
    for _ in 0..frames {
        let mut patch = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut patch).unwrap();
        let control = *reader.info().frame_control().unwrap();
        assert_eq!((control.blend_op, control.dispose_op), (png::BlendOp::Over, png::DisposeOp::None));
        for (number, pixel) in
            patch.chunks_exact(4).take((control.width * control.height) as usize).enumerate()
        {
            let (x, y) = (number as u32 % control.width, number as u32 / control.width);
            let at = ((y + control.y_offset) * width + x + control.x_offset) as usize * 4;
            if pixel[3] == 255 {
                screen[at..at + 4].copy_from_slice(pixel);
            } else {
                assert_eq!(pixel, [0; 4], "a pixel is opaque or transparent");
            }
        }
        played.screens.push(screen.clone());
        played.delays.push(control.delay_num);
        played.carried.push(control.width * control.height);
    }
    played
}

fn field(width: u32, height: u32) -> Grid {
    Grid::new(Tiles::filled(crate::Size::new(width, height).unwrap(), Terrain::Ground), MoveRules::default())
}

const RED: Colour = Colour(250, 10, 20);

#[test]
fn every_screen_matches_the_picture_of_its_frame() {
    let mut grid = field(9, 7);
    grid.block(Pos::new(4, 4));
    for scale in [1, 2, 5, 12] {
        let frames = [vec![(Cell(0), RED), (Cell(30), INK)], vec![(Cell(10), RED), (Cell(31), INK)], vec![]];
        let mut animation = Animation::new(&grid, Some(scale), 40);
        for frame in &frames {
            animation.frame(frame.iter().copied());
        }
        let played = play(animation);
        assert_eq!(played.screens.len(), 3);
        assert_eq!(played.delays, [40, 40, PAUSE_MS]);
        for (screen, frame) in frames.iter().enumerate() {
            let mut picture = Picture::of_grid(&grid).scale(scale).draw().unwrap();
            for &(cell, colour) in frame {
                let pos = grid.size().pos(cell);
                picture.agent((pos.x as f32, pos.y as f32), colour, MIN_RADIUS);
            }
            for (number, pixel) in picture.bytes().chunks_exact(3).enumerate() {
                let (x, y) = (number as u32 % picture.width, number as u32 / picture.width);
                assert_eq!(
                    played.at(screen, x, y),
                    Colour(pixel[0], pixel[1], pixel[2]),
                    "{screen}: {x},{y}"
                );
            }
        }
    }
}

#[test]
fn frames_contain_only_changed_pixels() {
    let grid = field(40, 40);
    let mut animation = Animation::new(&grid, Some(10), 40);
    for cell in [0, 1, 1, 2, 2, 2] {
        animation.frame([(Cell(cell), RED), (Cell(1_599), INK)]);
    }
    let played = play(animation);
    assert_eq!(played.carried[0], 400 * 400);
    assert!(played.carried[1] <= 22 * 12, "{:?}", played.carried);
    assert_eq!(played.carried[2], 1, "no agent moved");
    assert_eq!(played.carried.len(), 4, "no agent moves in the last frames");
    assert_eq!(played.at(3, 25, 5), RED);
    assert_eq!(played.at(3, 395, 395), INK);
}

#[test]
fn distant_changes_are_drawn() {
    let grid = field(30, 30);
    let mut animation = Animation::new(&grid, Some(5), 40);
    for (cell, other) in [(0, 899), (0, 898), (1, 868), (31, 868), (31, 867)] {
        animation.frame([(Cell(cell), RED), (Cell(other), INK)]);
    }
    assert_eq!(play(animation).at(4, 8, 8), RED);
}

#[test]
fn long_animations_are_thinned_and_keep_first_and_last_frame() {
    let grid = field(200, 1);
    for calls in [1, 2, 7, 8, 9, 31, 32, 33, 150] {
        let mut animation = Animation::new(&grid, Some(3), 40).max_frames(8);
        for cell in 0..calls {
            animation.frame([(Cell(cell), RED)]);
        }
        let played = play(animation);
        let frames = played.screens.len();
        assert!(frames <= 8 && frames >= 4.min(calls as usize), "{frames} of {calls}");
        assert_eq!(played.at(0, 1, 1), RED, "{calls}");
        assert_eq!(played.at(frames - 1, calls * 3 - 2, 1), RED, "{calls}");
    }
}

#[test]
fn marks_are_drawn_below_agents() {
    let grid = field(3, 1);
    let mut animation = Animation::new(&grid, Some(20), 40).marks([(Cell(2), Colour(0, 0, 255))]);
    animation.frame([(Cell(0), RED)]);
    animation.frame([(Cell(2), RED)]);
    let played = play(animation);
    let marked = played.at(0, 50, 10);
    assert!(marked.2 > marked.0, "{marked:?}");
    assert_eq!(played.at(1, 50, 10), RED);
}

#[test]
fn animations_default_to_a_readable_size_and_may_be_empty() {
    assert_eq!(play(Animation::new(&field(192, 10), None, 40)).width, 768);
    assert_eq!(play(Animation::new(&field(2_000, 1), None, 40)).screens.len(), 1);
}

#[test]
fn cells_outside_the_map_and_invalid_scales_are_rejected() {
    let grid = field(2, 2);
    let mut animation = Animation::new(&grid, None, 40);
    animation.frame([(Cell(4), RED)]);
    assert_eq!(
        animation.finish().unwrap_err().to_string(),
        "a frame has cell 4, but the map has only 4 cells"
    );
    let marked = Animation::new(&grid, None, 40).marks([(Cell(9), RED)]);
    assert!(matches!(marked.finish(), Err(RenderError::Outside { .. })));
    assert!(matches!(Animation::new(&grid, Some(0), 40).finish(), Err(RenderError::Scale { .. })));
}

const INK: Colour = crate::render::palette::INK;

#[test]
fn agents_between_cells_are_drawn_there() {
    let grid = field(4, 3);
    let mut animation = Animation::new(&grid, Some(10), 100);
    animation.frame_between_cells([((0.0, 1.0), RED)]);
    animation.frame_between_cells([((0.5, 1.0), RED)]);
    let played = play(animation);
    assert_eq!(played.at(0, 5, 15), RED, "the middle of the first cell");
    assert_eq!(played.at(1, 10, 15), RED, "the border between the two cells");
    assert_ne!(played.at(1, 3, 15), RED, "the agent has left");
    for (x, y) in [(-0.6, 1.0), (3.6, 1.0), (1.0, 2.6), (f32::NAN, 0.0)] {
        let mut animation = Animation::new(&grid, Some(10), 100);
        animation.frame_between_cells([((x, y), RED)]);
        assert!(matches!(animation.finish(), Err(RenderError::OutsidePoint { .. })), "({x}, {y})");
    }
}
