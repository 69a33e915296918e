//! The search space of an agent that repairs its path: the map, with visible agents as obstacles.

use throng_crowd::View;
use throng_grid::{Cell, Cost, Ground, Pos};
use throng_search::spec::MILLION;
use throng_search::{Expansion, Heuristic, OctileDistance, Sectors, Space, Successor, Weighted, f_range};
use throng_toolkit::{StepPenalties, VisibleAgents};

use super::RepairOptions;
use super::search_state::SearchState;
use super::tuning::{MAX_F_RANGE, NOISE_PER_AGITATION};

/// The goal of a search on the map.
#[derive(Clone, Copy)]
pub(super) enum SearchGoal<'a> {
    /// One cell.
    Cell(Cell),
    /// Any cell of a node of the abstract graph.
    Node(&'a Sectors, u32),
}

impl SearchGoal<'_> {
    /// Returns true if the cell is a goal.
    #[inline]
    pub(super) fn contains(self, ground: &Ground, cell: Cell) -> bool {
        match self {
            Self::Cell(goal) => cell == goal,
            Self::Node(sectors, node) => sectors.is_child(ground, node, cell),
        }
    }

    /// Returns the distance to the goal on an empty map; for a node, the distance to its sector.
    fn octile_distance(self, ground: &Ground) -> OctileDistance {
        match self {
            Self::Cell(goal) => OctileDistance::to_cell(ground, goal),
            Self::Node(sectors, node) => {
                let (min, max) = sectors.corners(node);
                OctileDistance::to_rect(ground, min, max)
            }
        }
    }
}

/// The map with visible agents as obstacles, the noise of agitation, and the penalties of the direction map.
pub(super) struct Neighbourhood<'a> {
    pub(super) view: View<'a>,
    pub(super) options: &'a RepairOptions,
    pub(super) state: &'a SearchState,
    pub(super) others: VisibleAgents<'a>,
    pub(super) ground: &'a Ground,
    /// The position of the agent.
    pub(super) here: Pos,
    pub(super) goal: SearchGoal<'a>,
    /// The square of the distance up to which the agent sees others.
    pub(super) sight_squared: u64,
    pub(super) penalties: Option<StepPenalties<'a>>,
    /// All costs are multiples of two to this power.
    pub(super) shift: u32,
    /// The occupied cell with the smallest f value that the search came to, with that value.
    pub(super) best_blocked: Option<(Cost, Cell)>,
}

impl Neighbourhood<'_> {
    /// Returns true if a visible agent blocks the cell. An agent on the goal never does.
    #[inline]
    fn is_blocked(&self, cell: Cell) -> bool {
        if !self.others.hold(cell) || self.goal.contains(self.ground, cell) {
            return false;
        }
        let pos = self.ground.pos(cell);
        let (dx, dy) = (i64::from(self.here.x - pos.x), i64::from(self.here.y - pos.y));
        let distance_squared = (dx * dx + dy * dy) as u64;
        let predict = self.options.directions.is_some_and(|directions| directions.predict);
        let leaves = predict && distance_squared > 2 && self.moves_away(cell, dx, dy);
        // The agents of the group move on.
        distance_squared <= self.sight_squared && !leaves && !contains(&self.state.group_cells, cell)
    }

    /// Returns true if the direction map leads from the cell away from the searching agent, which is `dx` columns and `dy`
    /// rows from it.
    fn moves_away(&self, cell: Cell, dx: i64, dy: i64) -> bool {
        let vector = self.penalties.and_then(|penalties| penalties.vector(cell));
        vector.is_some_and(|vector| i64::from(vector.x) * dx + i64::from(vector.y) * dy < 0)
    }

    /// Returns the heuristic of this space, with a weight in millionths.
    pub(super) fn heuristic(&self, weight: u64) -> Weighted<OctileDistance> {
        Weighted { inner: self.goal.octile_distance(self.ground), millionths: weight, shift: self.shift }
    }

    /// Returns the range of f values that the open list has to expect, and the shift of all costs.
    pub(super) fn f_range(&self, weight: u64) -> (Cost, u32) {
        let (range, _) = f_range(self.ground);
        let weighted = u64::from(range / 2) * weight.saturating_sub(MILLION) / MILLION;
        let penalty = self.penalties.map_or(0, |penalties| penalties.max());
        let extra = penalty.saturating_add(weighted.min(u64::from(MAX_F_RANGE)) as Cost).min(MAX_F_RANGE);
        (range + self.max_noise() + extra, self.shift)
    }

    /// Returns the most that agitation adds to a step.
    fn max_noise(&self) -> Cost {
        NOISE_PER_AGITATION * self.state.agitation
    }

    /// Returns what agitation adds to a step into a cell.
    #[inline]
    fn noise(&self, cell: Cell) -> Cost {
        if self.state.agitation == 0 {
            return 0;
        }
        let salt = u64::from(self.state.agitation) << 32 | u64::from(cell.0);
        (self.view.random_per_agent(self.state.paused.agent, salt) % u64::from(self.max_noise() + 1)) as Cost
    }
}

/// Returns true if an ascending list, which is mostly empty, contains the cell.
#[inline]
fn contains(cells: &[Cell], cell: Cell) -> bool {
    !cells.is_empty() && cells.binary_search(&cell).is_ok()
}

impl Space for Neighbourhood<'_> {
    fn nodes(&self) -> usize {
        self.ground.size().area()
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let cell = Cell(at.node);
        let leaving = self.penalties.as_ref().map(|penalties| penalties.leaving(cell));
        for (direction, to) in self.ground.neighbours(cell) {
            let penalty = leaving
                .filter(|_| !contains(&self.state.leader_path, to))
                .map_or(0, |leaving| leaving.to(to, direction));
            // Rounded to the granularity of the costs, on which the open list relies.
            let extra = penalty.saturating_add(self.noise(to)) >> self.shift << self.shift;
            let cost = self.ground.cost(cell, direction).saturating_add(extra);
            let g = at.known.g.saturating_add(cost);
            if self.is_blocked(to) {
                let h = self.goal.octile_distance(self.ground).lower(to.0);
                let blocked = (g.saturating_add(h), to);
                self.best_blocked = Some(self.best_blocked.map_or(blocked, |best| best.min(blocked)));
            } else {
                propose(Successor { node: to.0, g, parent: at.node, tag: direction as u8 });
            }
        }
    }
}
