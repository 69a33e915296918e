//! Pictures, decoded and compared pixel by pixel.

use super::*;
use crate::{MoveRules, Terrain, Tiles};

fn grid(picture: &str) -> Grid {
    Grid::new(Tiles::picture(picture), MoveRules::default())
}

fn open_ground(width: u32, height: u32) -> Grid {
    Grid::new(Tiles::filled(Size::new(width, height).unwrap(), Terrain::Ground), MoveRules::default())
}

struct Decoded {
    width: u32,
    height: u32,
    bytes: Vec<u8>,
}

impl Decoded {
    fn at(&self, x: u32, y: u32) -> Colour {
        let at = (y * self.width + x) as usize * 3;
        Colour(self.bytes[at], self.bytes[at + 1], self.bytes[at + 2])
    }
}

fn decode(png: &[u8]) -> Decoded {
    let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb);
    Decoded { width: info.width, height: info.height, bytes }
}

fn distance(a: Colour, b: Colour) -> u32 {
    let one = |a: u8, b: u8| u32::from(a.abs_diff(b));
    one(a.0, b.0) + one(a.1, b.1) + one(a.2, b.2)
}

#[test]
fn the_scale_is_set_or_fits_the_default_side() {
    let width = |grid: &Grid| decode(&Picture::of_grid(grid).png().unwrap()).width;
    let blank = |side| open_ground(side, 3);
    assert_eq!(width(&blank(5)), 160);
    assert_eq!(width(&blank(64)), 1024);
    assert_eq!(width(&blank(512)), 1024);
    assert_eq!(width(&blank(1_500)), 1_500);
    let decoded = decode(&Picture::of_grid(&blank(7)).scale(3).png().unwrap());
    assert_eq!((decoded.width, decoded.height), (21, 9));
}

#[test]
fn every_terrain_is_recognizable_at_every_scale() {
    let grid = grid(".GSWT@O");
    for scale in [1, 2, 3, 5, 8, 20] {
        let decoded = decode(&Picture::of_grid(&grid).scale(scale).png().unwrap());
        for (i, terrain) in Terrain::ALL.into_iter().enumerate() {
            let found = decoded.at(i as u32 * scale + scale / 2, scale / 2);
            let nearest = Terrain::ALL.into_iter().min_by_key(|&t| distance(palette::terrain(t), found));
            assert_eq!(nearest, Some(terrain), "scale {scale}: {found:?}");
        }
    }
}

#[test]
fn layers_are_drawn_above_the_terrain() {
    let mut grid = open_ground(6, 4);
    grid.block(Pos::new(5, 3));
    let path: Vec<Cell> = (0..5).map(Cell).collect();
    let mut heat = vec![0; 24];
    heat[12] = 7;
    let picture = Picture::of_grid(&grid)
        .scale(16)
        .path(&path)
        .heat(&heat)
        .expanded(&[Cell(13)])
        .unseen(&[Cell(20)])
        .agents([(Cell(15), Colour(9, 8, 250))]);
    let decoded = decode(&picture.png().unwrap());
    let middle = |cell: u32| decoded.at(cell % 6 * 16 + 8, cell / 6 * 16 + 8);
    assert_eq!(middle(2), Colour::nth(0), "the line");
    assert_eq!(middle(0), palette::PAPER, "a ring at the start");
    assert_eq!(middle(4), Colour::nth(0), "a disc at the goal");
    assert!(distance(middle(12), palette::heat(255)) < 60, "the hottest cell");
    assert!(middle(13).2 > middle(13).0, "an expanded cell is bluish");
    assert!(distance(middle(20), palette::INK) < 220, "an unseen cell is dark");
    assert_eq!(middle(15), Colour(9, 8, 250), "an agent");
    assert!(middle(23).0 > 100 && middle(23).1 < 100, "blocked cells are red");
    assert!(distance(middle(9), palette::terrain(Terrain::Ground)) < 20, "an untouched cell");
}

#[test]
fn layers_that_do_not_match_the_map_are_rejected() {
    let grid = grid("...");
    let message = |picture: Picture| picture.png().unwrap_err().to_string();
    let picture = || Picture::of_grid(&grid);
    assert_eq!(message(picture().heat(&[1])), "the heat layer has 1 values, but the map has 3 cells");
    assert_eq!(message(picture().path(&[Cell(3)])), "a path has cell 3, but the map has only 3 cells");
    assert!(matches!(picture().expanded(&[Cell(9)]).png(), Err(RenderError::Outside { .. })));
    assert!(matches!(picture().unseen(&[Cell(9)]).png(), Err(RenderError::Outside { .. })));
    assert!(matches!(picture().agents([(Cell(9), INK)]).png(), Err(RenderError::Outside { .. })));
    assert!(matches!(picture().scale(0).png(), Err(RenderError::Scale { .. })));
    assert!(matches!(picture().scale(u32::MAX).png(), Err(RenderError::Scale { .. })));
    assert!(picture().path(&[]).path(&[Cell(1)]).heat(&[0; 3]).png().is_ok());
}

const INK: Colour = palette::INK;

#[test]
fn arrows_tint_cells_at_every_scale_and_are_drawn_on_large_cells() {
    let grid = open_ground(3, 1);
    let arrow = |cell, x, y| Arrow { cell: Cell(cell), x, y };
    let arrows = [arrow(0, 1.0, 0.0), arrow(1, -1.0, 0.0)];
    for scale in [1, 20] {
        let decoded = decode(&Picture::of_grid(&grid).arrows(&arrows).scale(scale).png().unwrap());
        // Beside the shaft.
        let at = |cell: u32| decoded.at(cell * scale + scale / 2, scale / 4);
        assert!(at(0).2 > at(2).2.saturating_sub(8) && at(0).0 < at(2).0, "east is blue: {:?}", at(0));
        assert!(at(1).0 > at(0).0 + 40, "west is red: {:?}", at(1));
    }
    let shaft = decode(&Picture::of_grid(&grid).arrows(&arrows).scale(20).png().unwrap());
    assert!(distance(shaft.at(10, 10), shaft.at(10, 3)) > 60);
    let beyond = [arrow(3, 1.0, 0.0)];
    assert!(matches!(
        Picture::of_grid(&grid).arrows(&beyond).png(),
        Err(RenderError::Outside { cell: 3, .. })
    ));
}

#[test]
fn the_svg_contains_walls_and_arrows() {
    let tiles = Tiles::picture(".@@");
    let arrow = |x, y| Arrow { cell: Cell(0), x, y };
    let svg = arrows_svg(&tiles, &[arrow(1.0, 0.0)]).unwrap();
    assert!(svg.contains("M10 0h20v10h-20z"), "{svg}");
    assert!(svg.contains("stroke=\"#2654d6\"") && svg.contains("M0.5 5.0L9.5 5.0"), "{svg}");
    assert_eq!(svg.matches("<path").count(), 2);
    assert_eq!(
        arrows_svg(&tiles, &[arrow(0.05, 0.0)]).unwrap().matches("<path").count(),
        1,
        "too short to draw"
    );
    assert_eq!(svg, arrows_svg(&tiles, &[arrow(1.0, 0.0)]).unwrap());
}
