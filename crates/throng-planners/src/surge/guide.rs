//! Which way an agent wants to go: down its field, or towards its target as the crow flies until it has one.

use throng_crowd::{AgentId, Candidates, Guide, Occupant, View};
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
        let nearest = ground.neighbours(at).map(|(_, to)| (value(to), !view.occupancy().is_free(to), to)).min()?;
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
        let lot = view.lot(agent);
        let (mut keys, mut count) = ([(0_u64, Cell(0)); 9], 0);
        // Nearer cells first, then those that nobody holds, then by lot. An agent with nowhere to go prefers to stay.
        let mut add = |cell: Cell, pos: Pos, number: u32| {
            let value = outlook.as_mut().map_or(i64::from(cell != at), |outlook| outlook.value(cell, pos));
            let held = u64::from(cell != at && !view.occupancy().is_free(cell));
            let key = ((value + (1 << 40)) as u64) << 8 | held << 7 | lot.rotate_right(7 * number) & 127;
            let mut slot: usize = count;
            while slot > 0 && keys[slot - 1].0 > key {
                keys[slot] = keys[slot - 1];
                slot -= 1;
            }
            keys[slot] = (key, cell);
            count += 1;
        };
        add(at, here, 8);
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
                add(to, pos, u32::from(direction.number()));
            }
        }
        let mut candidates = Candidates::default();
        keys[..count].iter().for_each(|key| candidates.push(key.1));
        candidates
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
