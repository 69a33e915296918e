//! Which way an agent wants to go: down its field, or towards its target as the crow flies until it has one.

use throng_crowd::{AgentId, Candidates, Guide, Occupant, View, Wishes};
use throng_grid::{Cell, Pos};
use throng_search::{EmptyMap, Heuristic};

use super::field::{Field, farther};
use super::fields::Fields;
use super::knots::Knots;

/// Guides agents along their fields.
pub(super) struct Along<'a> {
    pub(super) fields: &'a Fields,
    pub(super) swap: bool,
    pub(super) knots: &'a Knots,
}

/// What a cell outside an agent's corridor counts more than any inside.
const OUTSIDE: i64 = 1 << 20;

/// An agent's field, as seen from where it stands.
struct Outlook<'a> {
    /// The field and its value here; `None` while the agent has none that covers its cell.
    field: Option<(&'a Field, u16)>,
    plain: EmptyMap,
    /// Common divisor of all costs, as a shift.
    shift: u32,
}

impl Outlook<'_> {
    /// How far a cell is: comparable among the cells around the agent.
    #[inline]
    fn value(&mut self, cell: Cell, pos: Pos) -> i64 {
        match self.field {
            Some((field, here)) => match field.distance(pos) {
                Some(there) => i64::from(farther(there, here)),
                None => OUTSIDE + i64::from(self.plain.lower(cell.0) >> self.shift),
            },
            None => i64::from(self.plain.lower(cell.0) >> self.shift),
        }
    }
}

impl Along<'_> {
    /// The cell that an agent would step to if nobody were there, if any is nearer than its own.
    pub(super) fn wanted(&self, view: &View<'_>, agent: AgentId) -> Option<Cell> {
        let (at, ground) = (view.at(agent), view.ground(agent));
        let mut outlook = self.outlook(view, agent, view.target(agent)?);
        let here = outlook.value(at, ground.pos(at));
        let mut value = |cell: Cell| outlook.value(cell, ground.pos(cell));
        let nearest =
            ground.neighbours(at).map(|(_, to)| (value(to), !view.occupancy().is_free(to), to)).min()?;
        (nearest.0 < here).then_some(nearest.2)
    }

    fn outlook(&self, view: &View<'_>, agent: AgentId, target: Cell) -> Outlook<'_> {
        let ground = view.ground(agent);
        let here = ground.pos(view.at(agent));
        let field = self.fields.of(agent).and_then(|field| Some((field, field.distance(here)?)));
        let shift = if ground.profile().is_uniform() { 2 } else { 0 };
        Outlook { field, plain: EmptyMap::to_cell(ground, target), shift }
    }
}

impl Guide for Along<'_> {
    fn wishes(&self, view: &View<'_>, agent: AgentId) -> Candidates {
        let (at, ground) = (view.at(agent), view.ground(agent));
        let here = ground.pos(at);
        let mut outlook = view.target(agent).map(|target| self.outlook(view, agent, target));
        // An agent with nowhere to go prefers to stay.
        let mut value = |cell: Cell, pos: Pos| match &mut outlook {
            Some(outlook) => outlook.value(cell, pos),
            None => i64::from(cell != at),
        };
        let mut wishes = Wishes::new(view, agent);
        wishes.add(at, 8, value(at, here));
        // Who knows that there is no way past those at home leaves them alone.
        let resigned = self.knots.has_resigned(view, agent);
        for (direction, to) in ground.neighbours(at) {
            let open = match view.occupancy().at(to) {
                Occupant::Nobody => true,
                Occupant::Agent(other) => !(resigned && view.is_home(other)),
                Occupant::Foreign => false,
            };
            if open {
                let pos = Pos::new(here.x + direction.dx(), here.y + direction.dy());
                wishes.add(to, u32::from(direction.number()), value(to, pos));
            }
        }
        wishes.sorted()
    }

    fn distance(&self, view: &View<'_>, agent: AgentId, cell: Cell) -> Option<i64> {
        let mut outlook = self.outlook(view, agent, view.target(agent)?);
        let value = outlook.value(cell, view.ground(agent).pos(cell));
        (value < OUTSIDE || outlook.field.is_none()).then_some(value)
    }

    fn swaps(&self, view: &View<'_>, agent: AgentId) -> bool {
        self.swap && !self.knots.has_resigned(view, agent)
    }
}
