//! Where an agent's path leaves a set of cells: the cells of the set nearest to the agent's target, and those around them.

use throng_crowd::{AgentId, View};
use throng_grid::Cell;
use throng_search::f_range;

use super::field::difference;
use super::fields::Fields;
use super::neighbour_costs::OctileSteps;

/// An agent whose target is outside has to come this near to where its path leaves the cells, in steps.
const EXIT: u32 = 6;

/// Returns the indices of the cells that are nearest to an agent's target by its field, and of those a few steps before
/// them. Empty if the field covers none of the cells.
pub(super) fn exits(view: &View<'_>, fields: &Fields, agent: AgentId, cells: &[Cell]) -> Vec<u32> {
    let Some(field) = fields.of(agent) else { return Vec::new() };
    let ground = view.ground(agent);
    let far = |&cell: &Cell| field.distance(ground.pos(cell));
    let least = cells.iter().filter_map(far).reduce(|a, b| if difference(b, a) < 0 { b } else { a });
    let near = ((EXIT * ground.profile().min_step_costs()[0]) >> f_range(ground).1) as i32;
    let is_exit = |cell: &Cell| matches!((far(cell), least), (Some(far), Some(least)) if difference(far, least) <= near);
    (0..).zip(cells).filter(|(_, cell)| is_exit(cell)).map(|(place, _)| place).collect()
}

/// Returns the cell nearest to an agent's target by octile distance.
pub(super) fn nearest(view: &View<'_>, agent: AgentId, cells: &[Cell]) -> Option<Cell> {
    let mut distance = OctileSteps::new(view.ground(agent), view.target(agent)?);
    cells.iter().copied().min_by_key(|&cell| distance.distance(cell))
}
