//! Writes pictures of maps and animations of runs.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use throng::grid::render::{Animation, Arrow, Colour, Picture, RenderError, arrows_svg};
use throng::{Cell, Grid, World};
use throng_lab::Instance;
use throng_lab::files::Files;
use throng_toolkit::{DirectionMap, Vector};

use crate::output::{bad_input, progress};

/// Display time of an animation frame, in milliseconds.
const FRAME_MS: u16 = 60;

/// Maximum number of frames. Every second frame is dropped when an animation reaches it.
const MAX_FRAMES: usize = 300;

/// Refuses names of pictures that are not PNG files. Call it before long work.
pub(crate) fn check_name(file: &Path) -> Result<()> {
    check_extension(file, "pictures are PNG files", &["png"])
}

/// Refuses names of direction map pictures that are neither PNG nor SVG files. Call it before long work.
pub(crate) fn check_arrows_name(file: &Path) -> Result<()> {
    check_extension(file, "arrows are drawn as PNG or SVG files", &["png", "svg"])
}

fn check_extension(file: &Path, reason: &str, extensions: &[&str]) -> Result<()> {
    if extensions.iter().any(|extension| has_extension(file, extension)) {
        return Ok(());
    }
    let names = extensions.iter().map(|extension| file.with_extension(extension).display().to_string());
    let names: Vec<String> = names.collect();
    Err(bad_input(format_args!("cannot write {}: {reason}; use {}", file.display(), names.join(" or "))))
}

fn has_extension(file: &Path, expected: &str) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(expected))
}

/// Draws a picture into a PNG file.
pub(crate) fn write(picture: &Picture<'_>, file: &Path) -> Result<()> {
    check_name(file)?;
    write_file(file, &encoded(picture.png())?)
}

/// Draws the vectors of a direction map into a PNG or SVG file.
pub(crate) fn write_arrows(grid: &Grid, map: &DirectionMap, scale: Option<u32>, file: &Path) -> Result<()> {
    check_arrows_name(file)?;
    let component = |number: i16| f32::from(number) / f32::from(Vector::ONE);
    let arrows: Vec<Arrow> = map
        .known()
        .map(|(cell, vector)| Arrow { cell, x: component(vector.x), y: component(vector.y) })
        .collect();
    if has_extension(file, "svg") {
        return write_file(file, arrows_svg(grid.tiles(), &arrows)?.as_bytes());
    }
    let picture = Picture::of_grid(grid).arrows(&arrows);
    write(&scale.map_or(picture.clone(), |scale| picture.scale(scale)), file)
}

/// Returns the encoded picture. A scale that is out of range is the user's error.
fn encoded(png: Result<Vec<u8>, RenderError>) -> Result<Vec<u8>> {
    png.map_err(|error| match error {
        RenderError::Scale { .. } => bad_input(error),
        error => error.into(),
    })
}

/// Collects the frames of an animation during a run.
pub(crate) struct AnimationRecorder<'a>(Animation<'a>);

impl<'a> AnimationRecorder<'a> {
    /// Creates an animation whose first frame shows the starts. Goals are tinted.
    pub(crate) fn new(grid: &'a Grid, instance: &Instance) -> Self {
        let coloured = |cells: &[Cell]| -> Vec<(Cell, Colour)> {
            cells.iter().enumerate().map(|(number, &cell)| (cell, Colour::nth(number))).collect()
        };
        let mut animation =
            Animation::new(grid, None, FRAME_MS).max_frames(MAX_FRAMES).marks(coloured(&instance.goals));
        animation.frame(coloured(&instance.starts));
        Self(animation)
    }

    /// Adds a frame with the current positions. Agents that have arrived are drawn in a muted colour.
    pub(crate) fn add_frame(&mut self, world: &World) {
        let size = world.grid().size();
        self.0.frame(world.agents().iter().filter_map(|&agent| {
            let cell = world.position(agent).ok().and_then(|pos| size.cell(pos))?;
            let colour = Colour::nth(agent.index());
            Some((cell, if world.has_arrived(agent) == Ok(true) { colour.muted() } else { colour }))
        }));
    }

    /// Writes the animation as an animated PNG.
    pub(crate) fn write(self, file: &Path) -> Result<()> {
        let bar = progress(None, "{spinner} {msg}", format!("drawing {}", file.display()));
        bar.enable_steady_tick(Duration::from_millis(100));
        let png = encoded(self.0.finish());
        bar.finish_and_clear();
        write_file(file, &png?)
    }
}

/// Writes a file and replaces an existing one, completely or not at all.
pub(crate) fn write_file(file: &Path, bytes: &[u8]) -> Result<()> {
    Ok(Files::default().replace(file, bytes)?)
}

/// Converts cell indices to cells.
pub(crate) fn cells(indices: &[u32]) -> Vec<Cell> {
    indices.iter().map(|&index| Cell(index)).collect()
}
