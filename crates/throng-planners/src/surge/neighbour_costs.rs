//! Neighbour costs: the distances of an agent's cell and its neighbours, looked up in its field once per tick.
//!
//! Fields lie scattered in memory and an agent's field is needed several times per tick, so the values are kept here:
//! forty bytes per agent. Cells outside the corridor rank behind all cells inside, ordered by octile distance. Without a
//! field that covers the agent's cell, all cells are ordered by octile distance.

use throng_grid::{Cell, Ground, directions};
use throng_search::{Heuristic, OctileDistance, f_range};

use super::field::{Field, NONE, difference};

/// Added to the octile distance of a cell outside the agent's corridor. Larger than any difference inside.
pub(super) const OUTSIDE: i32 = 1 << 20;

/// The costs of an agent's cell and its neighbours. Only comparable with each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct NeighbourCosts {
    /// By direction, then the agent's own cell. Values of neighbours without a legal step are meaningless.
    pub(super) values: [i32; 9],
    /// The field's value at the agent's cell; [`NONE`] if no field covers it.
    here: u16,
}

impl NeighbourCosts {
    /// The costs of an agent without a target: it prefers to stay.
    pub(super) const RESTING: Self = Self { values: [1, 1, 1, 1, 1, 1, 1, 1, 0], here: NONE };

    /// Looks up the costs around a cell.
    pub(super) fn new(ground: &Ground, field: Option<&Field>, at: Cell, target: Cell) -> Self {
        let moves = ground.moves(at);
        let mut values = [0; 9];
        let around =
            field.and_then(|field| field.around(ground.pos(at)).filter(|all| !field.is_at_end(all[8])));
        let Some(around) = around else {
            let mut octile = OctileSteps::new(ground, target);
            values[8] = octile.distance(at);
            for direction in directions(moves) {
                values[usize::from(direction.number())] = octile.distance(ground.step(at, direction));
            }
            return Self { values, here: NONE };
        };
        let here = around[8];
        for direction in directions(moves) {
            let number = usize::from(direction.number());
            values[number] = match around[number] {
                NONE => OUTSIDE + OctileSteps::new(ground, target).distance(ground.step(at, direction)),
                there => difference(there, here),
            };
        }
        Self { values, here }
    }

    /// Returns the field's value at the agent's cell; `None` if no field covers it.
    #[inline]
    pub(super) fn here(&self) -> Option<u16> {
        (self.here != NONE).then_some(self.here)
    }
}

/// Octile distances in the units of the fields.
pub(super) struct OctileSteps {
    distance: OctileDistance,
    shift: u32,
}

impl OctileSteps {
    pub(super) fn new(ground: &Ground, target: Cell) -> Self {
        Self { distance: OctileDistance::to_cell(ground, target), shift: f_range(ground).1 }
    }

    pub(super) fn distance(&mut self, cell: Cell) -> i32 {
        (self.distance.lower(cell.0) >> self.shift) as i32
    }
}
