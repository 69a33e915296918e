//! Debug layers of a crowd as lines, to be drawn by gizmos (feature `gizmos`) or by the game itself.

use bevy_math::Vec3;
use throng::{Cell, DebugLayer, DebugMark, Pos, ProfileId, WorldError};

use crate::{Crowd, Layout};

/// A line of a debug layer.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DebugLine {
    /// One end, in the coordinates of the crowd's [`Layout`].
    pub from: Vec3,
    /// The other end.
    pub to: Vec3,
    /// Lines of one agent or one sector have the same number.
    pub group: u32,
}

impl Crowd {
    /// Returns a debug layer of the planner as lines: paths from cell to cell, distance fields and direction maps as strokes
    /// along which an agent goes on, borders between sectors, and crosses on cells that unfinished searches have expanded.
    /// A planner has no lines for a layer that it does not have.
    ///
    /// # Errors
    /// If the layer is that of an agent that does not exist.
    pub fn debug_lines(&self, layer: DebugLayer) -> Result<Vec<DebugLine>, WorldError> {
        let mut marks = Vec::new();
        self.world().inspect(layer, &mut |mark| marks.push(mark))?;
        let mut lines = Lines { crowd: self, layout: self.layout, drawn: Vec::new() };
        match layer {
            DebugLayer::Sectors => lines.borders(&numbers(&marks)),
            DebugLayer::DistanceField(_) => lines.descents(&numbers(&marks)),
            _ => lines.strokes(&marks)?,
        }
        Ok(lines.drawn)
    }

    /// Returns the borders between cells that agents of a profile may enter and all others. No lines for a profile that the
    /// grid does not have.
    pub fn wall_lines(&self, profile: ProfileId) -> Vec<DebugLine> {
        let grid = self.world().grid();
        let mut lines = Lines { crowd: self, layout: self.layout, drawn: Vec::new() };
        if let Some(ground) = grid.ground_of(profile) {
            let is_free = |cell: Cell| (cell, u32::from(ground.is_free(cell)));
            lines.borders(&grid.size().cells().map(is_free).collect::<Vec<_>>());
        }
        lines.drawn
    }
}

/// Returns the numbers of cells in marks of sectors and distances.
fn numbers(marks: &[DebugMark]) -> Vec<(Cell, u32)> {
    let number = |mark: &DebugMark| match *mark {
        DebugMark::Sector { cell, sector } => Some((cell, sector)),
        DebugMark::Distance { cell, distance } => Some((cell, distance)),
        _ => None,
    };
    marks.iter().filter_map(number).collect()
}

struct Lines<'a> {
    crowd: &'a Crowd,
    layout: Layout,
    drawn: Vec<DebugLine>,
}

impl Lines<'_> {
    fn push(&mut self, from: Vec3, to: Vec3, group: u32) {
        self.drawn.push(DebugLine { from, to, group });
    }

    fn middle(&self, cell: Cell) -> Vec3 {
        self.layout.middle(self.crowd.world().grid().size().pos(cell))
    }

    /// Spreads numbers over the map; `None` for cells without.
    fn by_cell(&self, numbers: &[(Cell, u32)]) -> Vec<Option<u32>> {
        let mut by_cell = vec![None; self.crowd.world().grid().size().area()];
        for &(cell, number) in numbers {
            by_cell[cell.index()] = Some(number);
        }
        by_cell
    }

    /// Draws the borders between cells with different numbers.
    fn borders(&mut self, numbers: &[(Cell, u32)]) {
        let (by_cell, size) = (self.by_cell(numbers), self.crowd.world().grid().size());
        let (right, down) = self.layout.half_steps();
        for cell in size.cells() {
            let (pos, middle, number) = (size.pos(cell), self.middle(cell), by_cell[cell.index()]);
            let beside = |x: i32, y: i32| {
                size.cell(Pos::new(pos.x + x, pos.y + y)).map(|other| by_cell[other.index()])
            };
            if beside(1, 0).is_some_and(|other| other != number) {
                self.push(middle + right - down, middle + right + down, number.unwrap_or(0));
            }
            if beside(0, 1).is_some_and(|other| other != number) {
                self.push(middle + down - right, middle + down + right, number.unwrap_or(0));
            }
        }
    }

    /// Draws from each cell half of the step to the neighbour that is nearest to the target.
    fn descents(&mut self, distances: &[(Cell, u32)]) {
        let (by_cell, size) = (self.by_cell(distances), self.crowd.world().grid().size());
        let ground = self.crowd.world().grid().ground();
        for &(cell, distance) in distances {
            let nearest =
                ground.neighbours(cell).filter_map(|(_, to)| Some((by_cell[to.index()]?, to))).min();
            if let Some((_, to)) = nearest.filter(|&(other, _)| other < distance) {
                let (from, to) = (self.middle(cell), self.layout.middle(size.pos(to)));
                self.push(from, from.midpoint(to), 0);
            }
        }
    }

    /// Draws paths, direction vectors and the cells of searches.
    fn strokes(&mut self, marks: &[DebugMark]) -> Result<(), WorldError> {
        let (right, down) = self.layout.half_steps();
        let mut last = None;
        for mark in marks {
            match *mark {
                DebugMark::Path { agent, cell } => {
                    let from = match last {
                        Some((before, end)) if before == agent => end,
                        _ => self.layout.middle(self.crowd.world().position(agent)?),
                    };
                    self.push(from, self.middle(cell), agent.row());
                    last = Some((agent, self.middle(cell)));
                }
                DebugMark::Searched { agent, cell } => {
                    let (middle, arm) = (self.middle(cell), (right + down) * 0.5);
                    self.push(middle - arm, middle + arm, agent.row());
                }
                DebugMark::Direction { cell, x, y } => {
                    let (x, y) = (f32::from(x) / 16_384.0, f32::from(y) / 16_384.0);
                    let from = self.middle(cell);
                    self.push(from, from + right * x + down * y, 0);
                }
                _ => {}
            }
        }
        Ok(())
    }
}
