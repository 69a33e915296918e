//! Where an agent's path leaves a set of cells: the cells of the set nearest to the agent's target, and those around them.

use throng_crowd::{AgentRow, View};
use throng_grid::Cell;
use throng_search::NO_DISTANCE;

use super::guidance::Guidance;
use super::neighbour_costs::OctileSteps;

/// An agent whose target is outside has to come this near to where its path leaves the cells, in steps.
const EXIT: u32 = 6;

/// Returns the indices of the cells that are nearest to an agent's target by the field that it follows, and of those a few steps before
/// them. Empty if the field covers none of the cells.
pub(super) fn exits(view: &View<'_>, guidance: &Guidance, agent: AgentRow, cells: &[Cell]) -> Vec<u32> {
    let Some(field) = guidance.field(view, agent) else { return Vec::new() };
    let ground = view.ground(agent);
    let far = |cell: Cell| field.distance(ground.pos(cell));
    let least = cells.iter().map(|&cell| far(cell)).min().unwrap_or(NO_DISTANCE);
    let near = guidance.straight_steps(view, agent, EXIT).saturating_add(u32::from(least));
    let is_exit = |&cell: &Cell| far(cell) != NO_DISTANCE && u32::from(far(cell)) <= near;
    (0..).zip(cells).filter(|(_, cell)| is_exit(cell)).map(|(place, _)| place).collect()
}

/// Returns the cell nearest to an agent's target by octile distance.
pub(super) fn nearest(view: &View<'_>, agent: AgentRow, cells: &[Cell]) -> Option<Cell> {
    let mut distance = OctileSteps::new(view.ground(agent), view.target(agent)?);
    cells.iter().copied().min_by_key(|&cell| distance.distance(cell))
}
