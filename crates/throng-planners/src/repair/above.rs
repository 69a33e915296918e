//! The parts of sectors as a search sees them, with what the vectors of sectors add to the way between two of them.
//!
//! A way between the centres of two parts is as long as so many straight steps; against the vectors of both sectors each
//! of these costs what a step on the map would. StepPenalties are never negative, so the estimate stays consistent.

use throng_grid::{Cell, Cost, Direction, moves};
use throng_search::{Expansion, SectorGraph, Sectors, Space, Successor};
use throng_toolkit::StepPenalties;

/// The abstract graph, and the step_penalties of sectors, where they have any.
pub(super) struct Above<'a> {
    graph: SectorGraph<'a>,
    step_penalties: Option<StepPenalties<'a>>,
}

impl<'a> Above<'a> {
    pub(super) fn new(sectors: &'a Sectors, step_penalties: Option<StepPenalties<'a>>) -> Self {
        Self { graph: SectorGraph(sectors), step_penalties }
    }

    /// What a way of a length between parts of two sectors costs more.
    fn step_penalty(step_penalties: StepPenalties<'_>, (from, to): (Cell, Cell), length: Cost) -> Cost {
        let size = step_penalties.size();
        let direction = Direction::between(size.pos(from), size.pos(to));
        let step = direction.map_or(0, |direction| step_penalties.of(from, to, direction));
        let step_penalty = u64::from(step) * u64::from(length) / u64::from(moves::STRAIGHT);
        Cost::try_from(step_penalty).unwrap_or(Cost::MAX)
    }
}

impl Space for Above<'_> {
    fn nodes(&self) -> usize {
        self.graph.nodes()
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let Some(step_penalties) = self.step_penalties else { return self.graph.expand(at, propose) };
        let sectors = self.graph.0;
        let from = Cell(sectors.sector(at.node));
        self.graph.expand(at, |next| {
            let ends = (from, Cell(sectors.sector(next.node)));
            let step_penalty = Self::step_penalty(step_penalties, ends, next.g.saturating_sub(at.known.g));
            propose(Successor { g: next.g.saturating_add(step_penalty), ..next });
        });
    }
}
