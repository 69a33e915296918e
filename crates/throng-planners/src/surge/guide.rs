//! Which way an agent wants to go: down its field, or towards its target as the crow flies until it has one.

use throng_crowd::{AgentId, Occupant, View};
use throng_grid::Cell;
use throng_search::f_range;
use throng_toolkit::{Candidates, DirectionLearner, PreferenceList, Preferences};

use super::field::farther;
use super::fields::Fields;
use super::knots::Knots;
use super::sight::{Plain, Sight};

/// Guides agents along their fields.
pub(super) struct Along<'a> {
    pub(super) fields: &'a Fields,
    pub(super) swap: bool,
    pub(super) knots: &'a Knots,
    pub(super) learner: Option<&'a DirectionLearner>,
}

impl Along<'_> {
    /// The cell that an agent would step to if nobody were there, if any is nearer than its own.
    pub(super) fn wanted(&self, view: &View<'_>, agent: AgentId) -> Option<Cell> {
        let sight = self.fields.sight(view, agent);
        let nearest = view
            .ground(agent)
            .neighbours(view.at(agent))
            .map(|(direction, to)| {
                (sight.values[usize::from(direction.number())], !view.occupancy().is_free(to), to)
            })
            .min()?;
        (nearest.0 < sight.values[8]).then_some(nearest.2)
    }
}

impl Preferences for Along<'_> {
    fn wishes(&self, view: &View<'_>, agent: AgentId) -> Candidates {
        let (at, ground) = (view.at(agent), view.ground(agent));
        let Sight { values, .. } = self.fields.sight(view, agent);
        let mut wishes = PreferenceList::new(view, agent);
        wishes.add(at, 8, i64::from(values[8]), false);
        // Who knows that there is no way past those at home leaves them alone.
        let resigned = self.knots.has_resigned(view, agent);
        let step_penalties = self.learner.map(|learner| learner.step_penalties(None, agent));
        let step_penalties = step_penalties.as_ref().map(|step_penalties| step_penalties.leaving(at));
        for (direction, to) in ground.neighbours(at) {
            let held = match view.occupancy().at(to) {
                Occupant::Nobody => false,
                Occupant::Agent(other) if !(resigned && view.is_at_target(other)) => true,
                Occupant::Agent(_) | Occupant::Foreign => continue,
            };
            let number = direction.number();
            let step_penalty = step_penalties
                .map_or(0, |step_penalties| step_penalties.to(to, direction) >> f_range(ground).1);
            wishes.add(
                to,
                u32::from(number),
                i64::from(values[usize::from(number)]) + i64::from(step_penalty),
                held,
            );
        }
        wishes.sorted()
    }

    fn distance(&self, view: &View<'_>, agent: AgentId, cell: Cell) -> Option<i64> {
        let (target, ground) = (view.target(agent)?, view.ground(agent));
        let Some(field) = self.fields.of(agent) else {
            return Some(i64::from(Plain::new(ground, target).distance(cell)));
        };
        match field.distance(ground.pos(view.at(agent))) {
            Some(here) => field.distance(ground.pos(cell)).map(|there| i64::from(farther(there, here))),
            None => Some(i64::from(Plain::new(ground, target).distance(cell))),
        }
    }

    fn swaps(&self, view: &View<'_>, agent: AgentId) -> bool {
        self.swap && !self.knots.has_resigned(view, agent)
    }
}
