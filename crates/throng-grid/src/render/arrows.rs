//! Arrows on cells, such as the vectors of a direction map, as a layer of a PNG picture or as an SVG file.
//!
//! The colour encodes the direction (east blue, west red, north green, south orange, mixed in between), the length and
//! the opacity of the tint encode the vector's length. Lanes are therefore visible even at one pixel per cell.

use std::fmt::Write as _;

use super::canvas::Canvas;
use super::palette::{self, Colour};
use super::{RenderError, check_cells};
use crate::{Cell, Pos, Profile, Size, Terrain, Tiles};

/// An arrow on a cell.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Arrow {
    /// The cell that it is drawn on.
    pub cell: Cell,
    /// Eastward component of the vector, from -1 to 1.
    pub x: f32,
    /// Southward component of the vector, from -1 to 1.
    pub y: f32,
}

/// Shorter vectors are drawn as a tint only.
const MIN_LENGTH: f32 = 0.15;

/// Minimum pixels per cell at which arrows are drawn. Below, only the tint of the cells shows the direction.
const MIN_SCALE: u32 = 6;

/// Number of colours of the SVG's arrows, one per sixteenth of a turn.
const COLOURS: usize = 16;

/// Side of a cell in SVG units.
const UNIT: u32 = 10;

impl Arrow {
    fn length(self) -> f32 {
        self.x.hypot(self.y).min(1.0)
    }

    /// Returns the colour of its direction.
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

    /// Returns the end points of the shaft and of the two sides of the head, in cells relative to the centre of its
    /// cell.
    fn lines(self) -> [((f32, f32), (f32, f32)); 3] {
        let tip = (self.x * 0.45, self.y * 0.45);
        let side =
            |turn: f32| (tip.0 - (self.x - turn * self.y) * 0.28, tip.1 - (self.y + turn * self.x) * 0.28);
        [((-tip.0, -tip.1), tip), (tip, side(0.75)), (tip, side(-0.75))]
    }
}

/// Draws arrows over a picture.
pub(super) fn draw(canvas: &mut Canvas, size: Size, arrows: &[Arrow]) {
    for &arrow in arrows {
        let (pos, colour) = (size.pos(arrow.cell), arrow.colour());
        canvas.tint(pos, colour, (arrow.length() * 110.0) as u8);
        if canvas.scale < MIN_SCALE || arrow.length() < MIN_LENGTH {
            continue;
        }
        let scale = canvas.scale as f32;
        let radius = (scale * 0.055).clamp(0.5, 2.0);
        let point = |(x, y): (f32, f32)| ((pos.x as f32 + 0.5 + x) * scale, (pos.y as f32 + 0.5 + y) * scale);
        for (from, to) in arrow.lines() {
            canvas.capsule(point(from), point(to), radius, colour.shifted(-24));
        }
    }
}

/// Returns an SVG file of a map with arrows. Cells that [`Profile::WALKER`] cannot enter are
/// drawn as walls, all others alike.
///
/// # Errors
/// If an arrow lies outside the map.
pub fn arrows_svg(tiles: &Tiles, arrows: &[Arrow]) -> Result<String, RenderError> {
    let size = tiles.size();
    check_cells(size, arrows.iter().map(|arrow| ("the arrows' layer", arrow.cell)))?;
    let (width, height) = (size.width() * UNIT, size.height() * UNIT);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"#fbf8f1\"/>\n"
    );
    let _ = writeln!(svg, "<path fill=\"{}\" d=\"{}\"/>", hex(palette::terrain(Terrain::Wall)), walls(tiles));
    let mut shades = vec![String::new(); COLOURS];
    for &arrow in arrows.iter().filter(|arrow| arrow.length() >= MIN_LENGTH) {
        write_arrow(&mut shades[colour_number(arrow)], size.pos(arrow.cell), arrow);
    }
    for (number, lines) in shades.iter().enumerate().filter(|(_, lines)| !lines.is_empty()) {
        let angle = number as f32 / COLOURS as f32 * std::f32::consts::TAU;
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

/// Returns the number of the nearest colour.
fn colour_number(arrow: Arrow) -> usize {
    let turns = arrow.y.atan2(arrow.x) / std::f32::consts::TAU * COLOURS as f32;
    (turns.round() as i32).rem_euclid(COLOURS as i32) as usize
}

fn write_arrow(lines: &mut String, pos: Pos, arrow: Arrow) {
    let unit = UNIT as f32;
    let point = |(x, y): (f32, f32)| ((pos.x as f32 + 0.5 + x) * unit, (pos.y as f32 + 0.5 + y) * unit);
    let [(tail, tip), (_, one), (_, other)] = arrow.lines();
    for (command, at) in [('M', tail), ('L', tip), ('M', one), ('L', tip), ('L', other)] {
        let (x, y) = point(at);
        let _ = write!(lines, "{command}{x:.1} {y:.1}");
    }
}

/// Returns the impassable cells as an SVG path of one rectangle per run in a row.
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
    !Profile::WALKER.enters(terrain)
}

fn hex(colour: Colour) -> String {
    format!("#{:02x}{:02x}{:02x}", colour.0, colour.1, colour.2)
}
