//! Neighbour costs: the distances of an agent's cell and its neighbours, looked up in the field it follows once per step.
//! Where terrain costs differ, the cost of the step is added, so that agents do not walk into costly cells beside their path
//! that are nearer to the target. Waiting counts as the cheapest step.
//!
//! Fields lie scattered in memory and an agent's field is needed several times per tick, so the values are kept here:
//! forty bytes per agent. Cells without a distance rank behind all others, ordered by octile distance. Without a
//! field that covers the agent's cell, all cells are ordered by octile distance.

use throng_grid::{Cell, Ground, directions};
use throng_search::{Heuristic, LocalField, NO_DISTANCE, OctileDistance, SectorGuide, UNREACHED};

/// Added to the octile distance of a cell that the field does not cover. Larger than any distance in a field.
const OUTSIDE: i32 = 1 << 20;

/// The costs of an agent's cell and its neighbours. Only comparable with each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct NeighbourCosts {
    /// By direction, then the agent's own cell. Values of neighbours without a legal step are meaningless.
    pub(super) values: [i32; 9],
    /// The estimated distance from the agent's cell to its target; [`UNREACHED`] if there is none.
    here: u32,
}

impl Default for NeighbourCosts {
    fn default() -> Self {
        Self::RESTING
    }
}

impl NeighbourCosts {
    /// The costs of an agent without a target: it prefers to stay.
    pub(super) const RESTING: Self = Self { values: [1, 1, 1, 1, 1, 1, 1, 1, 0], here: UNREACHED };

    /// Looks up the costs around a cell in a field that ends `beyond` units before the target; [`UNREACHED`] if that is
    /// unknown.
    pub(super) fn new(
        ground: &Ground,
        guide: &SectorGuide,
        field: Option<&LocalField>,
        beyond: u32,
        at: Cell,
        target: Cell,
    ) -> Self {
        let around =
            field.map(|field| field.around(ground.pos(at))).filter(|around| around[8] != NO_DISTANCE);
        let mut octile = OctileSteps::new(ground, target);
        let mut values = [0; 9];
        let Some(around) = around else {
            values[8] = octile.distance(at);
            for direction in directions(ground.moves(at)) {
                values[usize::from(direction.number())] = octile.distance(ground.step(at, direction));
            }
            return Self { values, here: UNREACHED };
        };
        let counts_steps = !ground.halves().is_empty();
        let cost_of = |cost| if counts_steps { guide.distance_of(cost) as i32 } else { 0 };
        values[8] = i32::from(around[8]) + cost_of(ground.profile().min_step_costs()[0]);
        for direction in directions(ground.moves(at)) {
            let number = usize::from(direction.number());
            values[number] = match around[number] {
                NO_DISTANCE => OUTSIDE + octile.distance(ground.step(at, direction)),
                there => {
                    let price = guide.price(at, direction) as i32;
                    i32::from(there) + cost_of(ground.cost(at, direction)) + price
                }
            };
        }
        Self { values, here: beyond.saturating_add(u32::from(around[8])) }
    }

    /// Returns the estimated distance from the agent's cell to its target; `None` if there is none.
    #[inline]
    pub(super) fn here(&self) -> Option<u32> {
        (self.here != UNREACHED).then_some(self.here)
    }
}

/// Octile distances that fit the costs.
#[derive(Clone)]
pub(super) struct OctileSteps(OctileDistance);

impl OctileSteps {
    pub(super) fn new(ground: &Ground, target: Cell) -> Self {
        Self(OctileDistance::to_cell(ground, target))
    }

    pub(super) fn distance(&mut self, cell: Cell) -> i32 {
        (self.0.lower(cell.0) >> 4) as i32
    }
}
