//! What FAR's searches see of the map: the one-way streets, or every move, without the cells to be kept clear of.

use throng_grid::{Cell, Cost, Ground, directions};
use throng_search::{Expansion, Space, Successor, f_range};
use throng_toolkit::{Flow, StepPenalties};

/// The one-way streets of each kind of agent, made when they are needed.
#[derive(Debug)]
pub(super) struct Streets {
    /// Without them every legal move is a road.
    pub(super) on: bool,
    pub(super) flows: Vec<Flow>,
}

impl Streets {
    /// Makes sure that the streets of a ground are those of the ground as it is now.
    pub(super) fn prepare(&mut self, ground: &Ground) {
        if !self.on {
            return;
        }
        match self.flows.iter_mut().find(|flow| flow.profile() == ground.profile()) {
            Some(flow) => flow.follow(ground),
            None => self.flows.push(Flow::of(ground)),
        }
    }

    /// Those of a ground, if they have been prepared.
    pub(super) fn of(&self, ground: &Ground) -> Option<&Flow> {
        self.flows.iter().find(|flow| flow.profile() == ground.profile())
    }
}

/// The widest range of step_penalties that an open list is made for.
const LONGEST: Cost = 1 << 17;

/// The moves that a path may be made of.
#[derive(Clone, Copy)]
pub(super) struct Roads<'a> {
    ground: &'a Ground,
    /// One-way streets; every legal move without them.
    flow: Option<&'a Flow>,
    /// Cells to keep clear of, in order.
    avoid: &'a [Cell],
    /// What steps cost more because of a direction map.
    step_penalties: Option<StepPenalties<'a>>,
    /// All costs are multiples of two to this power.
    shift: u32,
}

impl<'a> Roads<'a> {
    /// The streets, which must be the ground's; or every move where there are none, or cells to keep clear of: streets
    /// need not lead around these.
    pub(super) fn new(ground: &'a Ground, flow: Option<&'a Flow>, avoid: &'a [Cell]) -> Self {
        let shift = f_range(ground).1;
        Self { ground, flow: flow.filter(|_| avoid.is_empty()), avoid, step_penalties: None, shift }
    }

    /// With what a direction map adds to the costs.
    pub(super) fn with(self, step_penalties: Option<StepPenalties<'a>>) -> Self {
        Self { step_penalties, ..self }
    }

    /// What an open list has to expect.
    pub(super) fn f_range(&self) -> (Cost, u32) {
        let most = self.step_penalties.map_or(0, |step_penalties| step_penalties.most().min(LONGEST));
        (f_range(self.ground).0 + most, self.shift)
    }

    /// A hash of everything that a search can see of a tile.
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
