//! Pictures of maps and animations of crowds, written to files.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use throng::crowd::{DirectionMap, Vector};
use throng::grid::render::{Animation, Arrow, Colour, Picture, RenderError, arrows_svg};
use throng::{Cell, Grid, World};
use throng_lab::Instance;

use crate::output::{bad_input, progress};

/// How long a frame of an animation is shown.
const FRAME_MS: u16 = 60;

/// A longer animation loses every second frame.
const FRAMES: usize = 300;

/// Refuses names that do not say what they hold; asked before long work.
pub(crate) fn check_name(file: &Path) -> Result<()> {
    if file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        return Ok(());
    }
    let better = file.with_extension("png");
    Err(bad_input(format_args!("pictures are PNG: name the file {}", better.display())))
}

/// Draws a picture into a file.
pub(crate) fn write(picture: &Picture<'_>, file: &Path) -> Result<()> {
    check_name(file)?;
    write_file(file, &drawn(picture.png())?)
}

/// Refuses names of pictures of arrows that are neither PNG nor SVG; asked before long work.
pub(crate) fn check_arrows_name(file: &Path) -> Result<()> {
    if is_svg(file) || check_name(file).is_ok() {
        return Ok(());
    }
    let (png, svg) = (file.with_extension("png"), file.with_extension("svg"));
    Err(bad_input(format_args!(
        "arrows are drawn as PNG or SVG: name it {} or {}",
        png.display(),
        svg.display()
    )))
}

fn is_svg(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg"))
}

/// Draws the vectors of a direction map into a file, as its name says.
pub(crate) fn write_arrows(grid: &Grid, map: &DirectionMap, scale: Option<u32>, file: &Path) -> Result<()> {
    check_arrows_name(file)?;
    let part = |number: i16| f32::from(number) / f32::from(Vector::ONE);
    let arrows: Vec<Arrow> =
        map.known().map(|(cell, vector)| Arrow { cell, x: part(vector.x), y: part(vector.y) }).collect();
    if is_svg(file) {
        return write_file(file, arrows_svg(grid.tiles(), &arrows)?.as_bytes());
    }
    let picture = Picture::of_grid(grid).arrows(&arrows);
    write(&scale.map_or(picture.clone(), |scale| picture.scale(scale)), file)
}

/// The bytes of something drawn.
fn drawn(png: Result<Vec<u8>, RenderError>) -> Result<Vec<u8>> {
    png.map_err(|error| match error {
        RenderError::Scale { .. } => bad_input(error),
        error => error.into(),
    })
}

/// An animation of a run.
pub(crate) struct Recorder<'a>(Animation<'a>);

impl<'a> Recorder<'a> {
    /// Begins with everyone at the start; goals are tinted.
    pub(crate) fn new(grid: &'a Grid, instance: &Instance) -> Self {
        let coloured = |cells: &[Cell]| -> Vec<(Cell, Colour)> {
            cells.iter().enumerate().map(|(number, &cell)| (cell, Colour::nth(number))).collect()
        };
        let mut animation =
            Animation::new(grid, None, FRAME_MS).max_frames(FRAMES).marks(coloured(&instance.goals));
        animation.frame(coloured(&instance.starts));
        Self(animation)
    }

    /// Takes a frame; who is home is drawn in a calmer colour.
    pub(crate) fn take(&mut self, world: &World) {
        let size = world.grid().size();
        self.0.frame(world.agents().iter().filter_map(|&agent| {
            let cell = world.position(agent).and_then(|pos| size.cell(pos))?;
            let colour = Colour::nth(agent.index());
            Some((cell, if world.is_home(agent) { colour.muted() } else { colour }))
        }));
    }

    /// Draws the animation into a file.
    pub(crate) fn write(self, file: &Path) -> Result<()> {
        let bar = progress(None, "{spinner} {msg}", format!("drawing {}", file.display()));
        bar.enable_steady_tick(Duration::from_millis(100));
        let png = drawn(self.0.finish());
        bar.finish_and_clear();
        write_file(file, &png?)
    }
}

/// Writes a file, whatever was there before.
pub(crate) fn write_file(file: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(file, bytes).with_context(|| format!("cannot write {}", file.display()))
}

/// Numbers of cells as cells.
pub(crate) fn cells(numbers: &[u32]) -> Vec<Cell> {
    numbers.iter().map(|&number| Cell(number)).collect()
}
