//! What agents see: windows of a map around each agent, as POGEMA defines them, written into one array.
//!
//! Obstacles and agents are kept as arrays of numbers with a margin as wide as the radius, so that a window is a copy of some
//! rows and needs no test of the border.
//!
//! A. Skrynnik et al., *POGEMA: A Benchmark Platform for Cooperative Multi-Agent Pathfinding*, ICLR 2025.

use numpy::{PyArray1, PyArray4, PyArrayMethods, PyReadwriteArray4};
use pyo3::prelude::*;
use throng::{Grid, Pos};

use crate::error::bad_value;

/// The number of layers: obstacles, agents, the goal.
const LAYERS: usize = 3;

/// The obstacles and agents of a map, to cut windows from.
#[derive(Clone, Debug)]
pub(crate) struct Windows {
    radius: usize,
    /// The width of the map with both margins.
    width: usize,
    obstacles: Vec<f32>,
    agents: Vec<f32>,
}

impl Windows {
    /// Creates the windows of a map without agents. The map has a frame of obstacles, one cell wide; beyond it lies nothing.
    pub(crate) fn new(grid: &Grid, radius: u16) -> Self {
        let (radius, size) = (usize::from(radius), grid.size());
        let (columns, rows) = (size.width() as usize, size.height() as usize);
        let (width, height) = (columns + 2 * radius, rows + 2 * radius);
        let mut obstacles = vec![0.0; width * height];
        if radius > 0 {
            for row in radius - 1..=radius + rows {
                let is_side = row == radius - 1 || row == radius + rows;
                let inner = if is_side { 1.0 } else { 0.0 };
                let frame = &mut obstacles[row * width + radius - 1..=row * width + radius + columns];
                frame.fill(inner);
                (frame[0], frame[columns + 1]) = (1.0, 1.0);
            }
        }
        let ground = grid.ground();
        for cell in size.cells().filter(|&cell| !ground.is_free(cell)) {
            let pos = size.pos(cell);
            obstacles[(pos.y as usize + radius) * width + pos.x as usize + radius] = 1.0;
        }
        Self { radius, width, agents: vec![0.0; obstacles.len()], obstacles }
    }

    fn place(&self, pos: Pos) -> usize {
        (pos.y as usize + self.radius) * self.width + pos.x as usize + self.radius
    }

    /// Notes that an agent is at a position.
    pub(crate) fn enter(&mut self, pos: Pos) {
        let place = self.place(pos);
        self.agents[place] = 1.0;
    }

    /// Notes that no agent is at a position.
    pub(crate) fn leave(&mut self, pos: Pos) {
        let place = self.place(pos);
        self.agents[place] = 0.0;
    }

    /// Removes all agents.
    pub(crate) fn clear(&mut self) {
        self.agents.fill(0.0);
    }

    /// Writes the windows of agents at their positions, with their goals.
    pub(crate) fn write(&self, places: impl Iterator<Item = (Pos, Pos)>, values: &mut [f32]) {
        let (radius, side) = (self.radius, 2 * self.radius + 1);
        let reach = radius as i32;
        for (window, (at, goal)) in values.chunks_exact_mut(LAYERS * side * side).zip(places) {
            let (obstacles, rest) = window.split_at_mut(side * side);
            let (agents, target) = rest.split_at_mut(side * side);
            let corner = at.y as usize * self.width + at.x as usize;
            self.cut(&self.obstacles, corner, obstacles);
            self.cut(&self.agents, corner, agents);
            target.fill(0.0);
            let [dx, dy] = [goal.x - at.x, goal.y - at.y].map(|d| (d.clamp(-reach, reach) + reach) as usize);
            target[dy * side + dx] = 1.0;
        }
    }

    /// Copies the window with its upper left corner at a place.
    fn cut(&self, from: &[f32], corner: usize, window: &mut [f32]) {
        let side = 2 * self.radius + 1;
        for (number, row) in window.chunks_exact_mut(side).enumerate() {
            let first = corner + number * self.width;
            row.copy_from_slice(&from[first..first + side]);
        }
    }
}

/// Returns the shape of the windows of some agents.
fn shape(count: usize, radius: u16) -> [usize; 4] {
    let side = 2 * usize::from(radius) + 1;
    [count, LAYERS, side, side]
}

/// Creates an array for the windows of some agents.
pub(crate) fn new_array(py: Python<'_>, count: usize, radius: u16) -> PyResult<Bound<'_, PyArray4<f32>>> {
    let shape = shape(count, radius);
    PyArray1::from_vec(py, vec![0.0; shape.iter().product()]).reshape(shape)
}

/// Borrows an array that the caller gave for the windows of some agents.
pub(crate) fn read_write<'py>(
    out: &Bound<'py, PyArray4<f32>>,
    count: usize,
    radius: u16,
) -> PyResult<PyReadwriteArray4<'py, f32>> {
    let values = out.try_readwrite().map_err(bad_value)?;
    let found = values.as_array().dim();
    let [n, layers, rows, columns] = shape(count, radius);
    if found != (n, layers, rows, columns) {
        let expected = (n, layers, rows, columns);
        return Err(bad_value(format!("out has the shape {found:?} instead of {expected:?}")));
    }
    Ok(values)
}
