//! Animations of agents on a map, as animated PNG: every browser plays one.
//!
//! The first frame is the whole map. Every further frame is transparent except where a pixel changed, and covers
//! only the smallest rectangle around those, so the size of a animation depends on what moves and hardly on the map.
//! The format: W3C, *Portable Network Graphics (PNG) Specification (Third Edition)*, 2025, section 11.3.6.

use super::canvas::Canvas;
use super::{Colour, RenderError, checked_scale, terrain};
use crate::{Cell, Grid};

/// The side that animations have at most when no scale is chosen, as far as a pixel a cell allows.
const AUTOMATIC_SIDE: u32 = 800;

/// The least radius of agents in pixels: an eye follows nothing smaller, so neighbours rather overlap.
const LEAST_RADIUS: f32 = 2.4;

/// How long the last frame stays before the animation begins anew.
const PAUSE_MS: u16 = 2_000;

/// Agents at one moment.
type Scene = Vec<(Cell, Colour)>;

/// A animation in the making: a map, and frames of agents on it.
///
/// ```
/// use throng_grid::render::{Colour, Animation};
/// use throng_grid::{Cell, Grid, MoveRules, Tiles};
///
/// let grid = Grid::new(Tiles::picture("...\n.#."), MoveRules::default());
/// let mut animation = Animation::new(&grid, Some(8), 100);
/// for cell in [0, 1, 2] {
///     animation.frame([(Cell(cell), Colour::nth(0))]);
/// }
/// assert_eq!(&animation.finish().unwrap()[1..4], b"PNG");
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Animation<'a> {
    grid: &'a Grid,
    scale: Option<u32>,
    frame_ms: u16,
    marks: Scene,
    most: usize,
    /// One call in so many is kept.
    stride: usize,
    calls: usize,
    kept: Vec<Scene>,
    /// The last call, which a animation always ends with.
    latest: Scene,
}

impl<'a> Animation<'a> {
    /// A animation of `frame_ms` milliseconds a frame on a map, which stays as it is now. Without a scale it has as many
    /// pixels a cell as keep the longer side within 800 pixels, 1 to 32.
    pub fn new(grid: &'a Grid, scale: Option<u32>, frame_ms: u16) -> Self {
        Self {
            grid,
            scale,
            frame_ms,
            marks: Vec::new(),
            most: usize::MAX,
            stride: 1,
            calls: 0,
            kept: Vec::new(),
            latest: Vec::new(),
        }
    }

    /// Keeps the animation within about so many frames, at least 2: whenever there are more, every second one is dropped,
    /// and from then on only half as many are taken. The first and the last stay in any case.
    pub fn max_frames(mut self, frames: usize) -> Self {
        self.most = frames.max(2);
        self
    }

    /// Cells to tint for the whole animation, such as goals.
    pub fn marks(mut self, marks: impl IntoIterator<Item = (Cell, Colour)>) -> Self {
        self.marks.extend(marks);
        self
    }

    /// The next frame: who stands where.
    pub fn frame(&mut self, agents: impl IntoIterator<Item = (Cell, Colour)>) {
        self.latest.clear();
        self.latest.extend(agents);
        if self.calls.is_multiple_of(self.stride) {
            self.kept.push(self.latest.clone());
        }
        self.calls += 1;
        // The last frame of a animation may come on top of these.
        if self.kept.len() >= self.most {
            let mut number = 0;
            self.kept.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.stride *= 2;
        }
    }

    /// Draws everything and encodes it as an animated PNG file, which ends with the last change.
    ///
    /// # Errors
    /// When a cell is not on the map or the scale is impossible.
    pub fn finish(mut self) -> Result<Vec<u8>, RenderError> {
        if self.calls == 0 || !(self.calls - 1).is_multiple_of(self.stride) {
            self.kept.push(std::mem::take(&mut self.latest));
        }
        // Nothing is to be seen once nobody moves any more.
        while let [.., before, last] = &self.kept[..]
            && before == last
        {
            self.kept.pop();
        }
        self.check()?;
        let scale = checked_scale(self.grid.size(), self.scale, AUTOMATIC_SIDE)?;
        let map = self.draw_map(scale);
        let mut bytes = Vec::new();
        let mut writer = self.encoder(&mut bytes, &map)?.write_header()?;
        let mut before: Option<Canvas> = None;
        for (number, scene) in self.kept.iter().enumerate() {
            let mut canvas = map.clone();
            for &(cell, colour) in scene {
                canvas.agent(self.grid.size().pos(cell), colour, LEAST_RADIUS);
            }
            let (patch, pixels) = changes(before.as_ref(), &canvas);
            // The encoder checks a size against the position before it.
            writer.reset_frame_position()?;
            writer.set_frame_dimension(patch.width(), patch.height())?;
            writer.set_frame_position(patch.left, patch.top)?;
            if number + 1 == self.kept.len() {
                writer.set_frame_delay(PAUSE_MS, 1_000)?;
            }
            writer.write_image_data(&pixels)?;
            before = Some(canvas);
        }
        writer.finish()?;
        Ok(bytes)
    }

    fn check(&self) -> Result<(), RenderError> {
        let area = self.grid.size().area();
        let marks = self.marks.iter().map(|&(cell, _)| ("a mark", cell));
        let agents = self.kept.iter().flatten().map(|&(cell, _)| ("a frame", cell));
        match marks.chain(agents).find(|(_, cell)| cell.index() >= area) {
            Some((layer, cell)) => Err(RenderError::Outside { layer, cell: cell.0, area }),
            None => Ok(()),
        }
    }

    fn draw_map(&self, scale: u32) -> Canvas {
        let mut map = Canvas::new(self.grid.size(), scale);
        terrain::draw(&mut map, self.grid.tiles(), |cell| self.grid.is_blocked(cell));
        for &(cell, colour) in &self.marks {
            map.tint(self.grid.size().pos(cell), colour, 90);
        }
        map
    }

    fn encoder<'b>(
        &self,
        bytes: &'b mut Vec<u8>,
        map: &Canvas,
    ) -> Result<png::Encoder<'b, &'b mut Vec<u8>>, RenderError> {
        let mut encoder = png::Encoder::new(bytes, map.width, map.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        // Long runs of transparent pixels: differences of rows would only break them up.
        encoder.set_compression(png::Compression::Balanced);
        encoder.set_filter(png::Filter::NoFilter);
        encoder.set_animated(self.kept.len() as u32, 0)?;
        encoder.set_frame_delay(self.frame_ms, 1_000)?;
        encoder.set_blend_op(png::BlendOp::Over)?;
        encoder.set_dispose_op(png::DisposeOp::None)?;
        Ok(encoder)
    }
}

/// A rectangle of pixels; right and bottom are the first beyond it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Patch {
    left: u32,
    top: u32,
    right: u32,
    bottom: u32,
}

impl Patch {
    fn width(self) -> u32 {
        self.right - self.left
    }

    fn height(self) -> u32 {
        self.bottom - self.top
    }
}

/// The rectangle of a frame, and its content: pixels that changed opaque, others transparent. Without a frame
/// before, everything changed; without a change, one pixel is left as it is.
fn changes(before: Option<&Canvas>, now: &Canvas) -> (Patch, Vec<u8>) {
    let Some(before) = before else {
        let opaque = |pixel: &[u8]| [pixel[0], pixel[1], pixel[2], u8::MAX];
        let pixels = now.bytes().chunks_exact(3).flat_map(opaque).collect();
        return (Patch { left: 0, top: 0, right: now.width, bottom: now.height }, pixels);
    };
    let patch = bounds(before, now).unwrap_or(Patch { left: 0, top: 0, right: 1, bottom: 1 });
    let mut pixels = vec![0; patch.width() as usize * patch.height() as usize * 4];
    for (y, line) in (patch.top..patch.bottom).zip(pixels.chunks_exact_mut(patch.width() as usize * 4)) {
        let (old, new) = (before.row(y), now.row(y));
        for (x, target) in (patch.left..patch.right).zip(line.chunks_exact_mut(4)) {
            if pixel(old, x) != pixel(new, x) {
                target[..3].copy_from_slice(pixel(new, x));
                target[3] = u8::MAX;
            }
        }
    }
    (patch, pixels)
}

/// The smallest rectangle around the pixels that changed.
fn bounds(before: &Canvas, now: &Canvas) -> Option<Patch> {
    let mut patch = Patch { left: now.width, top: now.height, right: 0, bottom: 0 };
    for y in 0..now.height {
        let (old, new) = (before.row(y), now.row(y));
        // Most rows are alike as a whole, which is quickly seen.
        if old != new {
            let differs = |&x: &u32| pixel(old, x) != pixel(new, x);
            patch.left = patch.left.min((0..now.width).find(differs)?);
            patch.right = patch.right.max((0..now.width).rev().find(differs)? + 1);
            patch.top = patch.top.min(y);
            patch.bottom = y + 1;
        }
    }
    (patch.bottom > 0).then_some(patch)
}

/// The colours of a pixel of a row.
fn pixel(row: &[u8], x: u32) -> &[u8] {
    &row[x as usize * 3..x as usize * 3 + 3]
}

#[cfg(test)]
mod tests;
