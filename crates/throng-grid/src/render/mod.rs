//! Pictures of maps: terrain with a little light and shadow, and on top of it heat, expanded cells, arrows, paths
//! and agents. [`Picture::png`] makes the bytes of a PNG file, [`Animation`] those of an animated one.
//!
//! ```
//! use throng_grid::{Tiles, render::Picture};
//!
//! let tiles = Tiles::picture("..#\nGGT");
//! let path = tiles.size().cells().take(2).collect::<Vec<_>>();
//! let png = Picture::of_tiles(&tiles).scale(8).path(&path).png().unwrap();
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

use crate::{Cell, Grid, Pos, Size, Tiles};

/// The most pixels of a picture.
pub const MAX_PIXELS: u64 = 1 << 28;

/// The side that pictures have at most when no scale is chosen, as far as a pixel a cell allows.
const AUTOMATIC_SIDE: u32 = 1024;

/// The least radius of agents in pixels: they stay visible where a cell is a pixel.
const LEAST_RADIUS: f32 = 1.7;

/// Why no picture was made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// A layer has not one value a cell.
    #[error("the heat layer has {found} values, but the map has {expected} cells")]
    Length {
        /// Cells of the map.
        expected: usize,
        /// Values of the layer.
        found: usize,
    },
    /// A cell to be drawn is not on the map.
    #[error("{layer} has cell {cell}, but the map has only {area}")]
    Outside {
        /// What the cell belongs to.
        layer: &'static str,
        /// The cell's number.
        cell: u32,
        /// Cells of the map.
        area: usize,
    },
    /// The scale is zero, or gives more than [`MAX_PIXELS`].
    #[error(
        "a scale of {scale} pixels a cell gives a picture of {pixels} pixels; 1 to {MAX_PIXELS} are possible"
    )]
    Scale {
        /// Pixels a cell.
        scale: u32,
        /// Pixels of the picture.
        pixels: u64,
    },
    /// The encoder failed.
    #[error("the picture cannot be written as PNG")]
    Png(#[from] png::EncodingError),
}

/// A picture in the making: a map and what is drawn on it, from the lowest layer up.
#[derive(Clone, Debug)]
#[must_use]
pub struct Picture<'a> {
    tiles: &'a Tiles,
    grid: Option<&'a Grid>,
    scale: Option<u32>,
    heat: Option<&'a [u32]>,
    heat_max: u32,
    expanded: &'a [Cell],
    arrows: &'a [Arrow],
    paths: Vec<(&'a [Cell], Colour)>,
    agents: Vec<(Cell, Colour)>,
}

impl<'a> Picture<'a> {
    /// A picture of a map in use; cells blocked on top of the terrain are striped.
    pub fn of_grid(grid: &'a Grid) -> Self {
        Self { grid: Some(grid), ..Self::of_tiles(grid.tiles()) }
    }

    /// A picture of terrain.
    pub fn of_tiles(tiles: &'a Tiles) -> Self {
        Self {
            tiles,
            grid: None,
            scale: None,
            heat: None,
            heat_max: 0,
            expanded: &[],
            arrows: &[],
            paths: Vec::new(),
            agents: Vec::new(),
        }
    }

    /// Pixels a cell. Without a choice, as many as keep the longer side within 1024 pixels, 1 to 32.
    pub fn scale(mut self, pixels: u32) -> Self {
        self.scale = Some(pixels);
        self
    }

    /// A value a cell: 0 leaves the cell as it is, the largest value glows brightest.
    pub fn heat(mut self, heat: &'a [u32]) -> Self {
        self.heat = Some(heat);
        self
    }

    /// The value that glows brightest, if it is more than the largest: pictures with the same one can be compared.
    pub fn heat_max(mut self, value: u32) -> Self {
        self.heat_max = value;
        self
    }

    /// Cells to tint, such as those a search expanded.
    pub fn expanded(mut self, cells: &'a [Cell]) -> Self {
        self.expanded = cells;
        self
    }

    /// Arrows on cells, such as the vectors of a direction map; the later of two on one cell is above.
    pub fn arrows(mut self, arrows: &'a [Arrow]) -> Self {
        self.arrows = arrows;
        self
    }

    /// A line through cells, with a ring at its start and a disc at its goal, in the next of some colours.
    pub fn path(self, cells: &'a [Cell]) -> Self {
        let colour = Colour::nth(self.paths.len());
        self.path_in(cells, colour)
    }

    /// A line through cells in a colour.
    pub fn path_in(mut self, cells: &'a [Cell], colour: Colour) -> Self {
        self.paths.push((cells, colour));
        self
    }

    /// A disc on a cell.
    pub fn agent(mut self, cell: Cell, colour: Colour) -> Self {
        self.agents.push((cell, colour));
        self
    }

    /// Discs on cells.
    pub fn agents(mut self, agents: impl IntoIterator<Item = (Cell, Colour)>) -> Self {
        self.agents.extend(agents);
        self
    }

    /// Draws everything and encodes it as a PNG file.
    ///
    /// # Errors
    /// When a layer does not fit the map or the scale is impossible.
    pub fn png(&self) -> Result<Vec<u8>, RenderError> {
        let canvas = self.draw()?;
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, canvas.width, canvas.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        // Few colours that repeat: unfiltered rows compress better than differences.
        encoder.set_compression(png::Compression::Balanced);
        encoder.set_filter(png::Filter::NoFilter);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(canvas.bytes())?;
        writer.finish()?;
        Ok(bytes)
    }

    fn size(&self) -> Size {
        self.tiles.size()
    }

    fn draw(&self) -> Result<Canvas, RenderError> {
        let scale = checked_scale(self.size(), self.scale, AUTOMATIC_SIDE)?;
        self.check()?;
        let mut canvas = Canvas::new(self.size(), scale);
        let blocked = |cell| self.grid.is_some_and(|grid| grid.is_blocked(cell));
        terrain::draw(&mut canvas, self.tiles, blocked);
        for &cell in self.expanded {
            canvas.tint(self.size().pos(cell), palette::EXPANDED, 125);
        }
        self.draw_heat(&mut canvas);
        arrows::draw(&mut canvas, self.size(), self.arrows);
        for &(cells, colour) in &self.paths {
            let places: Vec<Pos> = cells.iter().map(|&cell| self.size().pos(cell)).collect();
            canvas.path(&places, colour);
        }
        for &(cell, colour) in &self.agents {
            canvas.agent(self.size().pos(cell), colour, LEAST_RADIUS);
        }
        Ok(canvas)
    }

    fn draw_heat(&self, canvas: &mut Canvas) {
        let Some(heat) = self.heat else { return };
        let most = heat.iter().copied().fold(self.heat_max, u32::max);
        for cell in self.size().cells().filter(|cell| heat[cell.index()] > 0) {
            let value = (u64::from(heat[cell.index()]) * 255 / u64::from(most)) as u8;
            canvas.tint(self.size().pos(cell), palette::heat(value), 205);
        }
    }

    fn check(&self) -> Result<(), RenderError> {
        let area = self.size().area();
        if let Some(heat) = self.heat
            && heat.len() != area
        {
            return Err(RenderError::Length { expected: area, found: heat.len() });
        }
        let paths = self.paths.iter().flat_map(|(cells, _)| cells.iter().map(|&cell| ("a path", cell)));
        let expanded = self.expanded.iter().map(|&cell| ("the expanded layer", cell));
        let agents = self.agents.iter().map(|&(cell, _)| ("the agents' layer", cell));
        let arrows = arrows::outside(self.size(), self.arrows).map(|cell| ("the arrows' layer", cell));
        match expanded.chain(paths).chain(agents).chain(arrows).find(|(_, cell)| cell.index() >= area) {
            Some((layer, cell)) => Err(RenderError::Outside { layer, cell: cell.0, area }),
            None => Ok(()),
        }
    }
}

/// The scale chosen, or the largest that keeps the longer side within `side` pixels, 1 to 32.
fn checked_scale(size: Size, scale: Option<u32>, side: u32) -> Result<u32, RenderError> {
    let (width, height) = (size.width(), size.height());
    let scale = scale.unwrap_or_else(|| (side / width.max(height)).clamp(1, 32));
    let cell_side = u64::from(scale);
    let pixels = (u64::from(width) * cell_side).saturating_mul(u64::from(height) * cell_side);
    if scale == 0 || pixels > MAX_PIXELS {
        return Err(RenderError::Scale { scale, pixels });
    }
    Ok(scale)
}

#[cfg(test)]
mod tests;
