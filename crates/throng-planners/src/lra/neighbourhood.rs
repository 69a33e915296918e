//! What a search of LRA* searches: the map, with those whom the agent sees as walls.

use throng_crowd::{AgentId, Kept, Others, View};
use throng_grid::{Cell, Cost, Ground, Pos};
use throng_search::{EmptyMap, Expansion, Heuristic, Space, Successor, span};

/// The map with the agents that one of them sees as walls, and its agitation as noise.
pub(super) struct Neighbourhood<'a> {
    view: View<'a>,
    others: Others<'a>,
    pub(super) ground: &'a Ground,
    agent: AgentId,
    pub(super) from: Cell,
    here: Pos,
    pub(super) target: Cell,
    sight: u64,
    agitation: u32,
    shift: u32,
    /// The most promising held cell that the search came to, and the way over it.
    pub(super) shut_by: Option<(Cost, Cell)>,
}

impl<'a> Neighbourhood<'a> {
    /// As an agent sees it that goes somewhere, up to a distance, given as its square.
    pub(super) fn new(view: &View<'a>, others: Others<'a>, kept: &Kept, sight: u64, agitation: u32) -> Self {
        let (ground, agent) = (view.ground(kept.agent), kept.agent);
        let (from, target) = (kept.from, kept.target);
        let (here, shift) = (ground.pos(from), span(ground).1);
        Self {
            view: *view,
            others,
            ground,
            agent,
            from,
            here,
            target,
            sight,
            agitation,
            shift,
            shut_by: None,
        }
    }

    #[inline]
    fn is_held(&self, cell: Cell) -> bool {
        if !self.others.hold(cell) || cell == self.target {
            return false;
        }
        let pos = self.ground.pos(cell);
        let (dx, dy) = (u64::from(pos.x.abs_diff(self.here.x)), u64::from(pos.y.abs_diff(self.here.y)));
        dx * dx + dy * dy <= self.sight
    }

    /// The most that agitation adds to a step.
    pub(super) fn most_noise(&self) -> Cost {
        throng_grid::moves::STRAIGHT / 8 * self.agitation
    }

    /// What agitation adds to a step into a cell.
    #[inline]
    fn noise(&self, cell: Cell) -> Cost {
        if self.agitation == 0 {
            return 0;
        }
        let whim = self.view.whim(self.agent, u64::from(self.agitation) << 32 | u64::from(cell.0));
        // As coarse as the costs themselves, for the open list's sake.
        (whim % u64::from(self.most_noise() + 1)) as Cost >> self.shift << self.shift
    }
}

impl Space for Neighbourhood<'_> {
    fn nodes(&self) -> usize {
        self.ground.size().area()
    }

    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let cell = Cell(at.node);
        for (direction, to) in self.ground.neighbours(cell) {
            let cost = self.ground.cost(cell, direction) + self.noise(to);
            let g = at.known.g.saturating_add(cost);
            if self.is_held(to) {
                let left = EmptyMap::to_cell(self.ground, self.target).lower(to.0);
                let over = (g.saturating_add(left), to);
                self.shut_by = Some(self.shut_by.map_or(over, |best| best.min(over)));
            } else {
                propose(Successor { node: to.0, g, parent: at.node, tag: direction as u8 });
            }
        }
    }
}
