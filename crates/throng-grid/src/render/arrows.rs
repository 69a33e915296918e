//! Arrows on cells: which way something goes there, such as the vectors of a direction map.
//!
//! Colour tells the direction (east blue, west red, north green, south orange, and mixtures between), length and strength
//! how decided it is; so lanes show even where a cell is a pixel. As a layer of a PNG, or as an SVG of its own.

use std::fmt::Write as _;

use super::RenderError;
use super::canvas::Canvas;
use super::palette::{self, Colour};
use crate::{Cell, Pos, Size, Terrain, Tiles};

/// An arrow on a cell.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Arrow {
    /// The cell.
    pub cell: Cell,
    /// How far it points to the east, from -1 to 1,
    pub x: f32,
    /// and to the south.
    pub y: f32,
}

/// Shorter arrows are drawn as a tint only.
const LEAST: f32 = 0.15;

/// Arrows are drawn where a cell has so many pixels; below, the tint of the cells tells the direction.
const LEAST_SCALE: u32 = 6;

/// Colours of the SVG's arrows: one a sixteenth of a turn.
const TURNS: usize = 16;

/// Units of an SVG's cell.
const UNIT: u32 = 10;

impl Arrow {
    fn length(self) -> f32 {
        self.x.hypot(self.y).min(1.0)
    }

    /// The colour of its direction.
    fn colour(self) -> Colour {
        const EAST: Colour = Colour(38, 84, 214);
        const WEST: Colour = Colour(206, 34, 54);
        const NORTH: Colour = Colour(18, 128, 62);
        const SOUTH: Colour = Colour(226, 118, 10);
        let along = if self.x >= 0.0 { EAST } else { WEST };
        let across = if self.y >= 0.0 { SOUTH } else { NORTH };
        let square = self.x.mul_add(self.x, self.y * self.y).max(f32::MIN_POSITIVE);
        along.mix(across, (255.0 * self.y * self.y / square).round() as u8)
    }

    /// Its shaft's ends and those of its head's two sides, in cells from the middle of its own.
    fn lines(self) -> [((f32, f32), (f32, f32)); 3] {
        let tip = (self.x * 0.45, self.y * 0.45);
        let side =
            |turn: f32| (tip.0 - (self.x - turn * self.y) * 0.28, tip.1 - (self.y + turn * self.x) * 0.28);
        [((-tip.0, -tip.1), tip), (tip, side(0.75)), (tip, side(-0.75))]
    }
}

/// Draws arrows over what is there.
pub(super) fn draw(canvas: &mut Canvas, size: Size, arrows: &[Arrow]) {
    for &arrow in arrows {
        let (pos, colour) = (size.pos(arrow.cell), arrow.colour());
        canvas.tint(pos, colour, (arrow.length() * 110.0) as u8);
        if canvas.scale < LEAST_SCALE || arrow.length() < LEAST {
            continue;
        }
        let scale = canvas.scale as f32;
        let radius = (scale * 0.055).clamp(0.5, 2.0);
        let place = |(x, y): (f32, f32)| ((pos.x as f32 + 0.5 + x) * scale, (pos.y as f32 + 0.5 + y) * scale);
        for (from, to) in arrow.lines() {
            canvas.capsule(place(from), place(to), radius, colour.shifted(-24));
        }
    }
}

/// The first arrow that is not on a map of this size.
pub(super) fn outside(size: Size, arrows: &[Arrow]) -> Option<Cell> {
    arrows.iter().map(|arrow| arrow.cell).find(|cell| cell.index() >= size.area())
}

/// A map with arrows as an SVG file, with walls as the only terrain that is told apart.
///
/// # Errors
/// When an arrow is not on the map.
pub fn arrows_svg(tiles: &Tiles, arrows: &[Arrow]) -> Result<String, RenderError> {
    let size = tiles.size();
    if let Some(cell) = outside(size, arrows) {
        return Err(RenderError::Outside { layer: "the arrows' layer", cell: cell.0, area: size.area() });
    }
    let (width, height) = (size.width() * UNIT, size.height() * UNIT);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fbf8f1\"/>\n"
    );
    let _ = writeln!(svg, "<path fill=\"{}\" d=\"{}\"/>", hex(palette::terrain(Terrain::Wall)), walls(tiles));
    let mut shades = vec![String::new(); TURNS];
    for &arrow in arrows.iter().filter(|arrow| arrow.length() >= LEAST) {
        write_arrow(&mut shades[turn(arrow)], size.pos(arrow.cell), arrow);
    }
    for (turn, lines) in shades.iter().enumerate().filter(|(_, lines)| !lines.is_empty()) {
        let angle = turn as f32 / TURNS as f32 * std::f32::consts::TAU;
        let colour = Arrow { cell: Cell(0), x: angle.cos(), y: angle.sin() }.colour();
        let _ = writeln!(
            svg,
            "<path fill=\"none\" stroke=\"{}\" stroke-width=\"1.1\" d=\"{lines}\"/>",
            hex(colour)
        );
    }
    svg.push_str("</svg>\n");
    Ok(svg)
}

/// Which of the colours is nearest.
fn turn(arrow: Arrow) -> usize {
    let turns = arrow.y.atan2(arrow.x) / std::f32::consts::TAU * TURNS as f32;
    (turns.round() as i32).rem_euclid(TURNS as i32) as usize
}

fn write_arrow(lines: &mut String, pos: Pos, arrow: Arrow) {
    let unit = UNIT as f32;
    let place = |(x, y): (f32, f32)| ((pos.x as f32 + 0.5 + x) * unit, (pos.y as f32 + 0.5 + y) * unit);
    let [(tail, tip), (_, one), (_, other)] = arrow.lines();
    for (command, at) in [('M', tail), ('L', tip), ('M', one), ('L', tip), ('L', other)] {
        let (x, y) = place(at);
        let _ = write!(lines, "{command}{x:.1} {y:.1}");
    }
}

/// The cells that nobody can walk on, as rectangles over runs in a row.
fn walls(tiles: &Tiles) -> String {
    let (size, mut path) = (tiles.size(), String::new());
    for (y, row) in tiles.terrain().chunks_exact(size.width() as usize).enumerate() {
        let mut x = 0;
        for run in row.chunk_by(|a, b| is_wall(*a) == is_wall(*b)) {
            let (left, top, length) = (x * UNIT, y as u32 * UNIT, run.len() as u32 * UNIT);
            if is_wall(run[0]) {
                let _ = write!(path, "M{left} {top}h{length}v{UNIT}h-{length}z");
            }
            x += run.len() as u32;
        }
    }
    path
}

const fn is_wall(terrain: Terrain) -> bool {
    !matches!(terrain, Terrain::Ground | Terrain::Grass | Terrain::Swamp)
}

fn hex(colour: Colour) -> String {
    format!("#{:02x}{:02x}{:02x}", colour.0, colour.1, colour.2)
}
