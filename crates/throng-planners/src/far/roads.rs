//! The graph of FAR's path searches: the flow annotation or every legal move, without the cells to avoid.

use throng_grid::{Cell, Cost, Ground, directions};
use throng_search::{Expansion, Space, Successor, f_range};
use throng_toolkit::{Flow, StepPenalties};

/// The widest range of step penalties that an open list is made for.
const MAX_PENALTY_RANGE: Cost = 1 << 17;

/// The moves that a path may consist of.
#[derive(Clone, Copy)]
pub(super) struct Roads<'a> {
    ground: &'a Ground,
    /// The flow annotation; `None` for every legal move.
    flow: Option<&'a Flow>,
    /// Cells to avoid, in ascending order.
    avoid: &'a [Cell],
    /// The step penalties of a direction map.
    step_penalties: Option<StepPenalties<'a>>,
    /// All costs are multiples of two to this power.
    shift: u32,
}

impl<'a> Roads<'a> {
    /// Returns the graph of a ground with its flow annotation. With cells to avoid, every legal move is used, because the
    /// annotation need not lead around them.
    pub(super) fn new(ground: &'a Ground, flow: Option<&'a Flow>, avoid: &'a [Cell]) -> Self {
        let shift = f_range(ground).1;
        Self { ground, flow: flow.filter(|_| avoid.is_empty()), avoid, step_penalties: None, shift }
    }

    /// Adds the step penalties of a direction map.
    pub(super) fn with(self, step_penalties: Option<StepPenalties<'a>>) -> Self {
        Self { step_penalties, ..self }
    }

    /// Returns the range of keys that the open list has to expect.
    pub(super) fn f_range(&self) -> (Cost, u32) {
        let most =
            self.step_penalties.map_or(0, |step_penalties| step_penalties.max().min(MAX_PENALTY_RANGE));
        (f_range(self.ground).0 + most, self.shift)
    }

    /// Returns a hash of everything that a search reads of a tile.
    pub(super) fn tile_fingerprint(&self, tile: usize) -> u64 {
        self.ground.tile_fingerprint(tile) ^ self.flow.map_or(0, |flow| flow.tile_fingerprint(tile))
    }
}

impl Space for Roads<'_> {
    fn nodes(&self) -> usize {
        self.ground.size().area()
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let cell = Cell(at.node);
        let moves = self.flow.map_or_else(|| self.ground.moves(cell), |flow| flow.moves(cell));
        for direction in directions(moves) {
            let to = self.ground.step(cell, direction);
            if !self.avoid.is_empty() && self.avoid.binary_search(&to).is_ok() {
                continue;
            }
            let step_penalty = self
                .step_penalties
                .as_ref()
                .map_or(0, |step_penalties| step_penalties.of(cell, to, direction));
            let cost =
                self.ground.cost(cell, direction).saturating_add(step_penalty >> self.shift << self.shift);
            let g = at.known.g.saturating_add(cost);
            propose(Successor { node: to.0, g, parent: at.node, tag: direction.number() });
        }
    }
}
