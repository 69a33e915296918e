//! What a search of an agent that repairs its path searches: the map, with those whom the agent sees as walls.

use throng_crowd::{AgentId, View};
use throng_grid::{Cell, Cost, Ground, Pos};
use throng_search::{Expansion, Heuristic, OctileDistance, Sectors, Space, Successor, Weighted, f_range};
use throng_toolkit::{StepPenalties, VisibleAgents};

/// Where a search leads to.
#[derive(Clone, Copy)]
pub(super) enum Goal<'a> {
    /// A cell.
    Cell(Cell),
    /// Any cell of a part of a sector.
    Part(&'a Sectors, u32),
}

impl Goal<'_> {
    #[inline]
    pub(super) fn is(self, ground: &Ground, cell: Cell) -> bool {
        match self {
            Self::Cell(goal) => cell == goal,
            Self::Part(sectors, node) => sectors.is_child(ground, node, cell),
        }
    }

    fn empty_map(self, ground: &Ground) -> OctileDistance {
        match self {
            Self::Cell(goal) => OctileDistance::to_cell(ground, goal),
            Self::Part(sectors, node) => {
                let (min, max) = sectors.corners(node);
                OctileDistance::to_rect(ground, min, max)
            }
        }
    }
}

/// The map with the agents that one of them sees as walls, its agitation as noise, and what the direction map adds.
pub(super) struct Neighbourhood<'a> {
    pub(super) view: View<'a>,
    pub(super) others: VisibleAgents<'a>,
    pub(super) ground: &'a Ground,
    pub(super) agent: AgentId,
    /// Where the agent stands.
    pub(super) here: Pos,
    pub(super) goal: Goal<'a>,
    /// The square of the distance up to which the agent sees others.
    pub(super) sight: u64,
    pub(super) agitation: u32,
    pub(super) step_penalties: Option<StepPenalties<'a>>,
    /// Whether an agent that is seen is a wall only where it is likely to come nearer.
    pub(super) predict: bool,
    /// The cells of the way that a leader goes, in order: steps into them are free of step_penalties.
    pub(super) lead: &'a [Cell],
    /// Those held by others who follow it, in order: they walk on, and are no walls.
    pub(super) company: &'a [Cell],
    /// All costs are multiples of two to this power.
    pub(super) shift: u32,
    /// The most promising held cell that the search came to, and the way over it.
    pub(super) shut_by: Option<(Cost, Cell)>,
}

impl Neighbourhood<'_> {
    #[inline]
    fn is_held(&self, cell: Cell) -> bool {
        if !self.others.hold(cell) || self.goal.is(self.ground, cell) {
            return false;
        }
        let pos = self.ground.pos(cell);
        let (dx, dy) = (i64::from(self.here.x - pos.x), i64::from(self.here.y - pos.y));
        let square = (dx * dx + dy * dy) as u64;
        let walks_on = self.predict && square > 2 && self.moves_away(cell, dx, dy);
        square <= self.sight && !walks_on && !is_among(self.company, cell)
    }

    /// Whether whoever stands in a cell is likely to move away from the agent, which is so far to the right and down.
    fn moves_away(&self, cell: Cell, dx: i64, dy: i64) -> bool {
        let vector = self.step_penalties.and_then(|step_penalties| step_penalties.vector(cell));
        vector.is_some_and(|vector| i64::from(vector.x) * dx + i64::from(vector.y) * dy < 0)
    }

    /// The estimate that goes with this space.
    pub(super) fn estimate(&self, weight: u64) -> Weighted<OctileDistance> {
        Weighted { inner: self.goal.empty_map(self.ground), millionths: weight, shift: self.shift }
    }

    /// What the open list has to expect.
    pub(super) fn f_range(&self, weight: u64) -> (Cost, u32) {
        let (range, _) = f_range(self.ground);
        let estimates = u64::from(range / 2) * (weight.saturating_sub(throng_search::spec::MILLION))
            / throng_search::spec::MILLION;
        let most = self.step_penalties.map_or(0, |step_penalties| step_penalties.most());
        // A ring for more would be larger than what is searched.
        let most = most.saturating_add(estimates.min(u64::from(LONGEST)) as Cost).min(LONGEST);
        (range + self.most_noise() + most, self.shift)
    }

    /// The most that agitation adds to a step.
    fn most_noise(&self) -> Cost {
        throng_grid::moves::STRAIGHT / 8 * self.agitation
    }

    /// What agitation adds to a step into a cell.
    #[inline]
    fn noise(&self, cell: Cell) -> Cost {
        if self.agitation == 0 {
            return 0;
        }
        let whim =
            self.view.random_per_agent(self.agent, u64::from(self.agitation) << 32 | u64::from(cell.0));
        (whim % u64::from(self.most_noise() + 1)) as Cost
    }
}

/// Whether a cell is in a list that is in order, and mostly empty.
#[inline]
fn is_among(cells: &[Cell], cell: Cell) -> bool {
    !cells.is_empty() && cells.binary_search(&cell).is_ok()
}

/// The widest range of costs that an open list is made for.
const LONGEST: Cost = 1 << 17;

impl Space for Neighbourhood<'_> {
    fn nodes(&self) -> usize {
        self.ground.size().area()
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let cell = Cell(at.node);
        let leaving = self.step_penalties.as_ref().map(|step_penalties| step_penalties.leaving(cell));
        for (direction, to) in self.ground.neighbours(cell) {
            let step_penalty =
                leaving.filter(|_| !is_among(self.lead, to)).map_or(0, |leaving| leaving.to(to, direction));
            // As coarse as the costs themselves, for the open list's sake.
            let extra = step_penalty.saturating_add(self.noise(to)) >> self.shift << self.shift;
            let cost = self.ground.cost(cell, direction).saturating_add(extra);
            let g = at.known.g.saturating_add(cost);
            if self.is_held(to) {
                let left = self.goal.empty_map(self.ground).lower(to.0);
                let over = (g.saturating_add(left), to);
                self.shut_by = Some(self.shut_by.map_or(over, |best| best.min(over)));
            } else {
                propose(Successor { node: to.0, g, parent: at.node, tag: direction as u8 });
            }
        }
    }
}
