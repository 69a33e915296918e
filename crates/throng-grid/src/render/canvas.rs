//! The pixel buffer, and antialiased shapes: lines with round ends, discs and rings.

use super::palette::{Colour, INK, PAPER};
use crate::{Pos, Size};

/// An RGB image with `scale` × `scale` pixels per cell.
#[derive(Clone)]
pub(super) struct Canvas {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) scale: u32,
    bytes: Vec<u8>,
}

impl Canvas {
    pub(super) fn new(size: Size, scale: u32) -> Self {
        let (width, height) = (size.width() * scale, size.height() * scale);
        Self { width, height, scale, bytes: vec![0; width as usize * height as usize * 3] }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes of a row of pixels.
    pub(super) fn row(&self, y: u32) -> &[u8] {
        let length = self.width as usize * 3;
        &self.bytes[y as usize * length..][..length]
    }

    /// Returns the index of the first byte of a pixel.
    fn at(&self, x: u32, y: u32) -> usize {
        (y as usize * self.width as usize + x as usize) * 3
    }

    pub(super) fn put(&mut self, x: u32, y: u32, colour: Colour) {
        let at = self.at(x, y);
        self.bytes[at..at + 3].copy_from_slice(&[colour.0, colour.1, colour.2]);
    }

    /// Mixes a colour into a pixel with weight `share` / 255.
    pub(super) fn blend(&mut self, x: u32, y: u32, colour: Colour, share: u8) {
        let at = self.at(x, y);
        let here = Colour(self.bytes[at], self.bytes[at + 1], self.bytes[at + 2]);
        self.put(x, y, here.mix(colour, share));
    }

    /// Mixes a colour into all pixels of a cell with weight `share` / 255.
    pub(super) fn tint(&mut self, pos: Pos, colour: Colour, share: u8) {
        let (left, top) = (pos.x as u32 * self.scale, pos.y as u32 * self.scale);
        for y in top..top + self.scale {
            for x in left..left + self.scale {
                self.blend(x, y, colour, share);
            }
        }
    }

    /// Returns the centre of a cell in pixels.
    fn middle(&self, pos: Pos) -> (f32, f32) {
        let scale = self.scale as f32;
        ((pos.x as f32 + 0.5) * scale, (pos.y as f32 + 0.5) * scale)
    }

    /// Draws an outlined line through the centres of cells, a ring at its start and a disc at its end.
    pub(super) fn path(&mut self, positions: &[Pos], colour: Colour) {
        let (Some(&first), Some(&last)) = (positions.first(), positions.last()) else { return };
        let radius = (self.scale as f32 * 0.16).clamp(1.1, 5.0);
        let corners = corners(positions);
        for (radius, colour) in [(radius + 1.0, INK.mix(colour, 60)), (radius, colour)] {
            for ends in corners.windows(2) {
                let (a, b) = (self.middle(ends[0]), self.middle(ends[1]));
                self.capsule(a, b, radius, colour);
            }
        }
        let marker = (self.scale as f32 * 0.42).max(radius * 2.6).max(4.0);
        for (end, edge, inner, fill) in [(first, colour, 0.55, PAPER), (last, PAPER, 0.66, colour)] {
            let at = self.middle(end);
            for (radius, fill) in [(marker + 1.2, INK), (marker, edge), (marker * inner, fill)] {
                self.capsule(at, at, radius, fill);
            }
        }
    }

    /// Draws an outlined disc of at least `min_radius` pixels, with a highlight if cells are large.
    /// The middle of a cell is the point of its column and row.
    pub(super) fn agent(&mut self, (x, y): (f32, f32), colour: Colour, min_radius: f32) {
        let middle = ((x + 0.5) * self.scale as f32, (y + 0.5) * self.scale as f32);
        let radius = (self.scale as f32 * 0.4).max(min_radius);
        if self.scale >= 4 || min_radius >= 2.0 {
            self.capsule(middle, middle, radius + (self.scale as f32 * 0.06).max(min_radius * 0.25), INK);
        }
        self.capsule(middle, middle, radius, colour);
        if self.scale >= 8 {
            let glint = (middle.0 - radius * 0.3, middle.1 - radius * 0.35);
            self.capsule(glint, glint, radius * 0.28, colour.mix(PAPER, 150));
        }
    }

    /// Fills all pixels within `radius` of the line from `a` to `b`, with an antialiased edge.
    pub(super) fn capsule(&mut self, a: (f32, f32), b: (f32, f32), radius: f32, colour: Colour) {
        let reach = radius + 1.0;
        let clip = |value: f32, end: u32| value.clamp(0.0, end as f32) as u32;
        let (left, right) = (clip(a.0.min(b.0) - reach, self.width), clip(a.0.max(b.0) + reach, self.width));
        let (top, bottom) =
            (clip(a.1.min(b.1) - reach, self.height), clip(a.1.max(b.1) + reach, self.height));
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let length = dx * dx + dy * dy;
        for y in top..bottom {
            for x in left..right {
                let (px, py) = (x as f32 + 0.5 - a.0, y as f32 + 0.5 - a.1);
                let along = if length > 0.0 { ((px * dx + py * dy) / length).clamp(0.0, 1.0) } else { 0.0 };
                let (ex, ey) = (px - along * dx, py - along * dy);
                let share = (radius + 0.5 - (ex * ex + ey * ey).sqrt()).clamp(0.0, 1.0);
                if share > 0.0 {
                    self.blend(x, y, colour, (share * 255.0) as u8);
                }
            }
        }
    }
}

/// Returns the first and last position and those where the direction changes. Drawing from corner to corner avoids
/// blending the edges of adjacent steps twice.
fn corners(positions: &[Pos]) -> Vec<Pos> {
    let mut corners: Vec<Pos> = positions.first().copied().into_iter().collect();
    for three in positions.windows(3) {
        let before = (three[1].x - three[0].x, three[1].y - three[0].y);
        let after = (three[2].x - three[1].x, three[2].y - three[1].y);
        if before != after {
            corners.push(three[1]);
        }
    }
    corners.extend(positions.get(1..).and_then(<[Pos]>::last));
    corners
}
