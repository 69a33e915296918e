//! Animations of agents on a map, as animated PNG files, which every browser plays.
//!
//! The first frame is the whole map. Every further frame covers only the smallest rectangle around the changed pixels
//! and is transparent elsewhere, so the file size depends on the moves and little on the map.
//! Format: W3C, *Portable Network Graphics (PNG) Specification (Third Edition)*, 2025, section 11.3.6.

use super::canvas::Canvas;
use super::{Colour, RenderError, check_cells, checked_scale, encoder, terrain};
use crate::{Cell, Grid};

/// Maximum side of an animation in pixels if no scale is set. Maps with more cells per side get one pixel per cell.
const DEFAULT_MAX_SIDE: u32 = 800;

/// Minimum radius of agents in pixels. Smaller agents are hard to follow; adjacent agents may overlap instead.
const MIN_RADIUS: f32 = 2.4;

/// Display time of the last frame before the animation restarts, in milliseconds.
const PAUSE_MS: u16 = 2_000;

/// Where an agent is drawn.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Spot {
    Cell(Cell),
    /// A point between cells: the middle of the cell in column 2 and row 5 is at (2.0, 5.0).
    Point(f32, f32),
}

/// The agents of one frame.
type Frame = Vec<(Spot, Colour)>;

/// A builder of animations: a map, and frames of agents on it.
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
    /// Tinted cells, in every frame.
    marks: Vec<(Cell, Colour)>,
    /// Maximum number of frames.
    max_frames: usize,
    /// Every `stride`-th call of [`Animation::frame`] is kept.
    stride: usize,
    /// Number of calls of [`Animation::frame`].
    calls: usize,
    kept: Vec<Frame>,
    /// The frame of the last call; it always ends the animation.
    latest: Frame,
}

impl<'a> Animation<'a> {
    /// Starts an animation on a map, with `frame_ms` milliseconds per frame and `scale` pixels per cell. The default
    /// scale keeps the longer side within 800 pixels, from 1 to 32 per cell. The map is the same in all frames.
    pub fn new(grid: &'a Grid, scale: Option<u32>, frame_ms: u16) -> Self {
        Self {
            grid,
            scale,
            frame_ms,
            marks: Vec::new(),
            max_frames: usize::MAX,
            stride: 1,
            calls: 0,
            kept: Vec::new(),
            latest: Vec::new(),
        }
    }

    /// Limits the number of frames, at least 2. When the limit is reached, every second frame is dropped and the stride
    /// doubles. The first and the last frame are always kept.
    pub fn max_frames(mut self, frames: usize) -> Self {
        self.max_frames = frames.max(2);
        self
    }

    /// Adds cells to tint in every frame, such as goals.
    pub fn marks(mut self, marks: impl IntoIterator<Item = (Cell, Colour)>) -> Self {
        self.marks.extend(marks);
        self
    }

    /// Adds a frame: the cell and colour of each agent.
    pub fn frame(&mut self, agents: impl IntoIterator<Item = (Cell, Colour)>) {
        self.add(agents.into_iter().map(|(cell, colour)| (Spot::Cell(cell), colour)));
    }

    /// Adds a frame with agents between cells: the point and colour of each agent. The middle of the cell in column 2 and
    /// row 5 is at (2.0, 5.0).
    pub fn frame_between_cells(&mut self, agents: impl IntoIterator<Item = ((f32, f32), Colour)>) {
        self.add(agents.into_iter().map(|((x, y), colour)| (Spot::Point(x, y), colour)));
    }

    fn add(&mut self, agents: impl Iterator<Item = (Spot, Colour)>) {
        self.latest.clear();
        self.latest.extend(agents);
        if self.calls.is_multiple_of(self.stride) {
            self.kept.push(self.latest.clone());
        }
        self.calls += 1;
        // The last frame may be added to the kept ones.
        if self.kept.len() >= self.max_frames {
            let mut number = 0;
            self.kept.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.stride *= 2;
        }
    }

    /// Draws all frames and returns the bytes of an animated PNG file, which ends with the last change.
    ///
    /// # Errors
    /// If a cell lies outside the map or the scale is invalid.
    pub fn finish(mut self) -> Result<Vec<u8>, RenderError> {
        if self.calls == 0 || !(self.calls - 1).is_multiple_of(self.stride) {
            self.kept.push(std::mem::take(&mut self.latest));
        }
        // Drop frames without changes at the end.
        while let [.., before, last] = &self.kept[..]
            && before == last
        {
            self.kept.pop();
        }
        self.check()?;
        let scale = checked_scale(self.grid.size(), self.scale, DEFAULT_MAX_SIDE)?;
        let map = self.draw_map(scale);
        let mut bytes = Vec::new();
        let mut encoder = encoder(&mut bytes, &map, png::ColorType::Rgba);
        encoder.set_animated(self.kept.len() as u32, 0)?;
        encoder.set_frame_delay(self.frame_ms, 1_000)?;
        encoder.set_blend_op(png::BlendOp::Over)?;
        encoder.set_dispose_op(png::DisposeOp::None)?;
        let mut writer = encoder.write_header()?;
        let mut before: Option<Canvas> = None;
        for (number, frame) in self.kept.iter().enumerate() {
            let mut canvas = map.clone();
            for &(spot, colour) in frame {
                canvas.agent(self.point(spot), colour, MIN_RADIUS);
            }
            let (patch, pixels) = changes(before.as_ref(), &canvas);
            // The encoder checks the new size against the previous position.
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

    /// Checks that every cell and point lies on the map.
    fn check(&self) -> Result<(), RenderError> {
        let size = self.grid.size();
        let (right, bottom) = (size.width() as f32 - 0.5, size.height() as f32 - 0.5);
        for &(spot, _) in self.kept.iter().flatten() {
            if let Spot::Point(x, y) = spot
                && !((-0.5..=right).contains(&x) && (-0.5..=bottom).contains(&y))
            {
                return Err(RenderError::OutsidePoint { x, y });
            }
        }
        let marks = self.marks.iter().map(|&(cell, _)| ("a mark", cell));
        let agents = self.kept.iter().flatten().filter_map(|&(spot, _)| match spot {
            Spot::Cell(cell) => Some(("a frame", cell)),
            Spot::Point(..) => None,
        });
        check_cells(size, marks.chain(agents))
    }

    /// Returns the point at which an agent is drawn.
    fn point(&self, spot: Spot) -> (f32, f32) {
        match spot {
            Spot::Cell(cell) => {
                let pos = self.grid.size().pos(cell);
                (pos.x as f32, pos.y as f32)
            }
            Spot::Point(x, y) => (x, y),
        }
    }

    fn draw_map(&self, scale: u32) -> Canvas {
        let mut map = Canvas::new(self.grid.size(), scale);
        terrain::draw(&mut map, self.grid);
        for &(cell, colour) in &self.marks {
            map.tint(self.grid.size().pos(cell), colour, 90);
        }
        map
    }
}

/// A rectangle of pixels; `right` and `bottom` are excluded.
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

/// Returns the rectangle of a frame and its RGBA pixels: changed pixels are opaque, others transparent. The first frame
/// is opaque as a whole; a frame without changes is one transparent pixel.
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

/// Returns the smallest rectangle around the changed pixels, `None` if no pixel changed.
fn bounds(before: &Canvas, now: &Canvas) -> Option<Patch> {
    let mut patch = Patch { left: now.width, top: now.height, right: 0, bottom: 0 };
    for y in 0..now.height {
        let (old, new) = (before.row(y), now.row(y));
        // Most rows are equal, which one comparison detects.
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

/// Returns the bytes of a pixel of a row.
fn pixel(row: &[u8], x: u32) -> &[u8] {
    &row[x as usize * 3..x as usize * 3 + 3]
}

#[cfg(test)]
mod tests;
