//! The units that matter for the target of an agent: which of them hold a cell, and which let others pass.

use throng_grid::Cell;

use crate::fog::Sight;
use crate::world::agents::Agents;
use crate::{AgentRow, Occupancy, Occupant};

/// The units that an agent knows about: those that it sees.
#[derive(Clone, Copy)]
pub(super) struct UnitsInSight<'a> {
    agent: AgentRow,
    agents: &'a Agents,
    occupancy: &'a Occupancy,
    sight: Sight,
}

impl<'a> UnitsInSight<'a> {
    pub(super) const fn of(
        agent: AgentRow,
        agents: &'a Agents,
        occupancy: &'a Occupancy,
        sight: Sight,
    ) -> Self {
        Self { agent, agents, occupancy, sight }
    }

    fn at(&self, cell: Cell) -> Occupant {
        let unit = self.occupancy.at(cell);
        if unit == Occupant::Nobody || self.sight.reaches(cell) { unit } else { Occupant::Nobody }
    }

    /// Returns true if another unit stands on a cell and has no reason to leave it: a foreign unit, an agent that the
    /// planner does not control, or an agent without a target.
    pub(super) fn hold(&self, cell: Cell) -> bool {
        match self.at(cell) {
            Occupant::Nobody => false,
            Occupant::Foreign => true,
            Occupant::Agent(other) => {
                let (o, agents) = (other.index(), self.agents);
                let stands = other != self.agent && agents.at[o] == cell;
                stands && (!agents.is_movable(other) || agents.target[o].is_none())
            }
        }
    }

    /// Returns true if the cell is empty, or occupied by an agent that will leave it.
    pub(super) fn let_pass(&self, cell: Cell) -> bool {
        match self.at(cell) {
            Occupant::Nobody => true,
            Occupant::Foreign => false,
            Occupant::Agent(other) => {
                let (o, agents) = (other.index(), self.agents);
                let leaves = agents.controlled[o] && agents.target[o].is_some_and(|target| target != cell);
                leaves || agents.at[o] != cell
            }
        }
    }
}
