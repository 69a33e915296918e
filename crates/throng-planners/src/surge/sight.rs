//! What an agent sees of its field: how far the cells around it are, looked up once a tick.
//!
//! Fields lie scattered in memory and an agent's is asked about several times a tick; what it said is kept here, forty
//! bytes an agent. Cells outside the corridor count more than any inside, by their distance on an empty map, and so do
//! all of them while an agent has no field that covers its own.

use throng_grid::{Cell, Ground, directions};
use throng_search::{Heuristic, OctileDistance, f_range};

use super::field::{Field, NONE, farther};

/// What a cell outside an agent's corridor counts more than any inside.
pub(super) const OUTSIDE: i32 = 1 << 20;

/// How far the cells around an agent are, comparable with each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight {
    /// By direction, and the agent's own; those that no legal step leads to mean nothing.
    pub(super) values: [i32; 9],
    /// The field's value at the agent's cell, [`NONE`] when it has none.
    here: u16,
}

impl Sight {
    /// Of one with nowhere to go: it prefers to stay.
    pub(super) const RESTING: Self = Self { values: [1, 1, 1, 1, 1, 1, 1, 1, 0], here: NONE };

    /// Looks around from a cell.
    pub(super) fn new(ground: &Ground, field: Option<&Field>, at: Cell, target: Cell) -> Self {
        let moves = ground.moves(at);
        let mut values = [0; 9];
        let around =
            field.and_then(|field| field.around(ground.pos(at)).filter(|all| !field.is_over(all[8])));
        let Some(around) = around else {
            let mut plain = Plain::new(ground, target);
            values[8] = plain.distance(at);
            for direction in directions(moves) {
                values[usize::from(direction.number())] = plain.distance(ground.step(at, direction));
            }
            return Self { values, here: NONE };
        };
        let here = around[8];
        for direction in directions(moves) {
            let number = usize::from(direction.number());
            values[number] = match around[number] {
                NONE => OUTSIDE + Plain::new(ground, target).distance(ground.step(at, direction)),
                there => farther(there, here),
            };
        }
        Self { values, here }
    }

    /// The field's value where the agent stands, if it has one that covers it.
    #[inline]
    pub(super) fn here(&self) -> Option<u16> {
        (self.here != NONE).then_some(self.here)
    }
}

/// Distances on an empty map, in the fields' units.
pub(super) struct Plain {
    distance: OctileDistance,
    shift: u32,
}

impl Plain {
    pub(super) fn new(ground: &Ground, target: Cell) -> Self {
        Self { distance: OctileDistance::to_cell(ground, target), shift: f_range(ground).1 }
    }

    pub(super) fn distance(&mut self, cell: Cell) -> i32 {
        (self.distance.lower(cell.0) >> self.shift) as i32
    }
}
