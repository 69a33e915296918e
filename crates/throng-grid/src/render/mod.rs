//! Pictures of maps: shaded terrain, and above it heat, expanded cells, arrows, paths and agents. [`Picture::png`]
//! returns the bytes of a PNG file, [`Animation`] those of an animated PNG file.
//!
//! ```
//! use throng_grid::{Grid, MoveRules, Tiles, render::Picture};
//!
//! let grid = Grid::new(Tiles::picture("..#\nGGT"), MoveRules::default());
//! let path = grid.size().cells().take(2).collect::<Vec<_>>();
//! let png = Picture::of_grid(&grid).scale(8).path(&path).png().unwrap();
//! assert_eq!(&png[1..4], b"PNG");
//! ```

mod animation;
mod arrows;
mod canvas;
mod palette;
mod terrain;

pub use animation::Animation;
pub use arrows::{Arrow, arrows_svg};
pub use palette::Colour;

use canvas::Canvas;

use crate::{Cell, Grid, Pos, Size};

/// The maximum number of pixels of a picture.
pub const MAX_PIXELS: u64 = 1 << 28;

/// Maximum side of a picture in pixels if no scale is set. Maps with more cells per side get one pixel per cell.
const DEFAULT_MAX_SIDE: u32 = 1024;

/// Minimum radius of agents in pixels, so that they stay visible at one pixel per cell.
const MIN_RADIUS: f32 = 1.7;

/// The reason why no picture was made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// A layer does not have one value per cell.
    #[error("the heat layer has {found} values, but the map has {expected} cells")]
    Length {
        /// Number of cells of the map.
        expected: usize,
        /// Number of values of the layer.
        found: usize,
    },
    /// A cell of a layer lies outside the map.
    #[error("{layer} has cell {cell}, but the map has only {area} cells")]
    Outside {
        /// The layer.
        layer: &'static str,
        /// The cell's number.
        cell: u32,
        /// Number of cells of the map.
        area: usize,
    },
    /// A point of a frame lies outside the map.
    #[error("a frame has an agent at ({x}, {y}), which is outside the map")]
    OutsidePoint {
        /// The column.
        x: f32,
        /// The row.
        y: f32,
    },
    /// The scale is zero, or gives more than [`MAX_PIXELS`].
    #[error(
        "a scale of {scale} pixels per cell gives a picture of {pixels} pixels; 1 to {MAX_PIXELS} are possible"
    )]
    Scale {
        /// Pixels per cell.
        scale: u32,
        /// Number of pixels of the picture.
        pixels: u64,
    },
    /// The encoder failed.
    #[error("the picture cannot be written as PNG")]
    Png(#[from] png::EncodingError),
}

/// A builder of pictures: a map and the layers above it.
#[derive(Clone, Debug)]
#[must_use]
pub struct Picture<'a> {
    grid: &'a Grid,
    scale: Option<u32>,
    heat: Option<&'a [u32]>,
    heat_max: u32,
    expanded: &'a [Cell],
    unseen: &'a [Cell],
    arrows: &'a [Arrow],
    paths: Vec<&'a [Cell]>,
    agents: Vec<(Cell, Colour)>,
}

impl<'a> Picture<'a> {
    /// Starts a picture of a grid; blocked cells are striped.
    pub fn of_grid(grid: &'a Grid) -> Self {
        Self {
            grid,
            scale: None,
            heat: None,
            heat_max: 0,
            expanded: &[],
            unseen: &[],
            arrows: &[],
            paths: Vec::new(),
            agents: Vec::new(),
        }
    }

    /// Sets the pixels per cell. The default keeps the longer side within 1024 pixels, from 1 to 32 per cell.
    pub fn scale(mut self, pixels: u32) -> Self {
        self.scale = Some(pixels);
        self
    }

    /// Adds a heat layer with one value per cell. 0 is transparent, the largest value is brightest.
    pub fn heat(mut self, heat: &'a [u32]) -> Self {
        self.heat = Some(heat);
        self
    }

    /// Sets the heat value of the brightest colour, if it exceeds the largest value. Makes the colours of several
    /// pictures comparable.
    pub fn heat_max(mut self, value: u32) -> Self {
        self.heat_max = value;
        self
    }

    /// Sets the cells to tint, such as those that a search expanded.
    pub fn expanded(mut self, cells: &'a [Cell]) -> Self {
        self.expanded = cells;
        self
    }

    /// Sets the cells to darken, such as those that no agent has seen.
    pub fn unseen(mut self, cells: &'a [Cell]) -> Self {
        self.unseen = cells;
        self
    }

    /// Sets the arrows, such as the vectors of a direction map. Later arrows are drawn above earlier ones.
    pub fn arrows(mut self, arrows: &'a [Arrow]) -> Self {
        self.arrows = arrows;
        self
    }

    /// Adds a path: a line with a ring at its start and a disc at its end, in the next of the strong colours.
    pub fn path(mut self, cells: &'a [Cell]) -> Self {
        self.paths.push(cells);
        self
    }

    /// Adds agents, each a disc on a cell.
    pub fn agents(mut self, agents: impl IntoIterator<Item = (Cell, Colour)>) -> Self {
        self.agents.extend(agents);
        self
    }

    /// Draws all layers and returns the bytes of a PNG file.
    ///
    /// # Errors
    /// If a layer does not match the map or the scale is invalid.
    pub fn png(&self) -> Result<Vec<u8>, RenderError> {
        let canvas = self.draw()?;
        let mut bytes = Vec::new();
        let mut writer = encoder(&mut bytes, &canvas, png::ColorType::Rgb).write_header()?;
        writer.write_image_data(canvas.bytes())?;
        writer.finish()?;
        Ok(bytes)
    }

    fn size(&self) -> Size {
        self.grid.size()
    }

    fn draw(&self) -> Result<Canvas, RenderError> {
        let scale = checked_scale(self.size(), self.scale, DEFAULT_MAX_SIDE)?;
        self.check()?;
        let mut canvas = Canvas::new(self.size(), scale);
        terrain::draw(&mut canvas, self.grid);
        for &cell in self.expanded {
            canvas.tint(self.size().pos(cell), palette::EXPANDED, 125);
        }
        for &cell in self.unseen {
            canvas.tint(self.size().pos(cell), palette::INK, 170);
        }
        self.draw_heat(&mut canvas);
        arrows::draw(&mut canvas, self.size(), self.arrows);
        for (number, cells) in self.paths.iter().enumerate() {
            let positions: Vec<Pos> = cells.iter().map(|&cell| self.size().pos(cell)).collect();
            canvas.path(&positions, Colour::nth(number));
        }
        for &(cell, colour) in &self.agents {
            let pos = self.size().pos(cell);
            canvas.agent((pos.x as f32, pos.y as f32), colour, MIN_RADIUS);
        }
        Ok(canvas)
    }

    fn draw_heat(&self, canvas: &mut Canvas) {
        let Some(heat) = self.heat else { return };
        let max = heat.iter().copied().fold(self.heat_max, u32::max);
        for cell in self.size().cells().filter(|cell| heat[cell.index()] > 0) {
            let value = (u64::from(heat[cell.index()]) * 255 / u64::from(max)) as u8;
            canvas.tint(self.size().pos(cell), palette::heat(value), 205);
        }
    }

    /// Checks that every layer matches the map.
    fn check(&self) -> Result<(), RenderError> {
        let area = self.size().area();
        if let Some(heat) = self.heat
            && heat.len() != area
        {
            return Err(RenderError::Length { expected: area, found: heat.len() });
        }
        let paths = self.paths.iter().flat_map(|cells| cells.iter().map(|&cell| ("a path", cell)));
        let expanded = self.expanded.iter().map(|&cell| ("the expanded layer", cell));
        let unseen = self.unseen.iter().map(|&cell| ("the layer of unseen cells", cell));
        let agents = self.agents.iter().map(|&(cell, _)| ("the agents' layer", cell));
        let arrows = self.arrows.iter().map(|arrow| ("the arrows' layer", arrow.cell));
        check_cells(self.size(), expanded.chain(unseen).chain(paths).chain(agents).chain(arrows))
    }
}

/// Checks that the cells of layers lie on the map.
fn check_cells(size: Size, mut cells: impl Iterator<Item = (&'static str, Cell)>) -> Result<(), RenderError> {
    let area = size.area();
    match cells.find(|(_, cell)| cell.index() >= area) {
        Some((layer, cell)) => Err(RenderError::Outside { layer, cell: cell.0, area }),
        None => Ok(()),
    }
}

/// Returns an encoder for pictures of this size.
fn encoder<'a>(
    bytes: &'a mut Vec<u8>,
    canvas: &Canvas,
    colours: png::ColorType,
) -> png::Encoder<'static, &'a mut Vec<u8>> {
    let mut encoder = png::Encoder::new(bytes, canvas.width, canvas.height);
    encoder.set_color(colours);
    encoder.set_depth(png::BitDepth::Eight);
    // Few, repeating colours and runs of transparent pixels: unfiltered rows compress better than differences.
    encoder.set_compression(png::Compression::Balanced);
    encoder.set_filter(png::Filter::NoFilter);
    encoder
}

/// Returns the given scale, or the largest that keeps the longer side within `max_side` pixels, from 1 to 32.
fn checked_scale(size: Size, scale: Option<u32>, max_side: u32) -> Result<u32, RenderError> {
    let (width, height) = (size.width(), size.height());
    let scale = scale.unwrap_or_else(|| (max_side / width.max(height)).clamp(1, 32));
    let cell_side = u64::from(scale);
    let pixels = (u64::from(width) * cell_side).saturating_mul(u64::from(height) * cell_side);
    if scale == 0 || pixels > MAX_PIXELS {
        return Err(RenderError::Scale { scale, pixels });
    }
    Ok(scale)
}

#[cfg(test)]
mod tests;
