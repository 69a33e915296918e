//! Next-step preferences: the next step of the agent's plan, then down the field that the agent follows.

use throng_crowd::{AgentRow, Occupant, View};
use throng_grid::Cell;
use throng_search::NO_DISTANCE;
use throng_toolkit::{Candidates, DirectionLearner, PreferenceList, Preferences, may_swap, run_chunks};

use super::deadlocks::Deadlocks;
use super::guidance::{Guidance, under_way};
use super::local_guidance::LocalGuidance;
use super::neighbour_costs::{NeighbourCosts, OctileSteps};

/// The cost of the next step of a plan: less than that of any other.
const PLANNED: i64 = -1;

/// What an agent under way prefers in this tick.
#[derive(Clone, Copy, Default)]
pub(super) struct Ranked {
    candidates: Candidates,
    /// Whether it may have to swap.
    swaps: bool,
}

/// Prefers the next step of the agent's plan, then the neighbours with the least distance in the field that the agent follows.
pub(super) struct FieldPreferences<'a> {
    pub(super) guidance: &'a Guidance,
    pub(super) swap: bool,
    pub(super) deadlocks: &'a Deadlocks,
    pub(super) learner: Option<&'a DirectionLearner>,
    pub(super) local: Option<&'a LocalGuidance>,
    /// The agent with the highest priority, whose plan is ignored: others make room for it.
    pub(super) leader: Option<AgentRow>,
    /// By agent: the preferences of agents under way, if they were ranked in advance.
    pub(super) ranked: &'a [Ranked],
}

impl FieldPreferences<'_> {
    /// Returns the neighbour that an agent would step to without other agents; `None` if none is nearer to its target.
    pub(super) fn wanted(&self, view: &View<'_>, agent: AgentRow) -> Option<Cell> {
        let costs = self.guidance.costs(view, agent);
        let nearest = view
            .ground(agent)
            .neighbours(view.at(agent))
            .map(|(direction, to)| {
                (costs.values[usize::from(direction.number())], !view.occupancy().is_free(to), to)
            })
            .min()?;
        (nearest.0 < costs.values[8]).then_some(nearest.2)
    }
}

impl FieldPreferences<'_> {
    /// Ranks the next cells of all agents under way, on the threads of the world.
    pub(super) fn rank_all(&self, view: &View<'_>, ranked: &mut Vec<Ranked>) {
        ranked.resize(view.id_limit(), Ranked::default());
        run_chunks(view.executor(), ranked, |first, ranked| {
            for (agent, _) in under_way(view, first..first + ranked.len()) {
                let candidates = self.rank(view, agent);
                let swaps = self.may_back_out(view, agent) && may_swap(view, agent, &candidates);
                ranked[agent.index() - first] = Ranked { candidates, swaps };
            }
        });
    }

    /// Returns what an agent under way prefers, if it was ranked in advance.
    fn ranked(&self, view: &View<'_>, agent: AgentRow) -> Option<&Ranked> {
        let is_under_way = view.target(agent).is_some_and(|target| target != view.at(agent));
        self.ranked.get(agent.index()).filter(|_| is_under_way)
    }

    /// Returns true if an agent may back out of a passage to swap.
    fn may_back_out(&self, view: &View<'_>, agent: AgentRow) -> bool {
        self.swap && !self.deadlocks.has_given_up(view, agent)
    }

    /// Ranks the next cells that an agent accepts.
    fn rank(&self, view: &View<'_>, agent: AgentRow) -> Candidates {
        let (at, ground) = (view.at(agent), view.ground(agent));
        let NeighbourCosts { values, .. } = self.guidance.costs(view, agent);
        let mut list = PreferenceList::new(view, agent);
        let plans = self.local.filter(|_| self.leader != Some(agent));
        let planned = plans.and_then(|plans| plans.next_cell(view, agent));
        let cost_of = |cell: Cell, cost: i64| if planned == Some(cell) { PLANNED } else { cost };
        list.add(at, 8, cost_of(at, i64::from(values[8])), false);
        // An agent without a path past arrived agents does not push them.
        let gave_up = self.deadlocks.has_given_up(view, agent);
        let penalties = self.learner.map(|learner| learner.step_penalties(None, agent));
        let penalties = penalties.as_ref().map(|penalties| penalties.leaving(at));
        for (direction, to) in ground.neighbours(at) {
            let held = match view.occupancy().at(to) {
                Occupant::Nobody => false,
                Occupant::Agent(other) if !(gave_up && view.is_at_target(other)) => true,
                Occupant::Agent(_) | Occupant::Foreign => continue,
            };
            let number = direction.number();
            let penalty = penalties.map_or(0, |penalties| penalties.to(to, direction) >> 4);
            let cost = i64::from(values[usize::from(number)]) + i64::from(penalty);
            list.add(to, u32::from(number), cost_of(to, cost), held);
        }
        list.sorted()
    }
}

impl Preferences for FieldPreferences<'_> {
    fn candidates(&self, view: &View<'_>, agent: AgentRow) -> Candidates {
        self.ranked(view, agent).map_or_else(|| self.rank(view, agent), |ranked| ranked.candidates)
    }

    fn best(&self, view: &View<'_>, agent: AgentRow) -> Option<Cell> {
        self.ranked(view, agent).and_then(|ranked| ranked.candidates.as_slice().first().copied())
    }

    fn distance(&self, view: &View<'_>, agent: AgentRow, cell: Cell) -> Option<i64> {
        let (target, ground) = (view.target(agent)?, view.ground(agent));
        let field = self.guidance.field(view, agent);
        let field = field.filter(|field| field.distance(ground.pos(view.at(agent))) != NO_DISTANCE);
        let Some(field) = field else {
            return Some(i64::from(OctileSteps::new(ground, target).distance(cell)));
        };
        let there = field.distance(ground.pos(cell));
        (there != NO_DISTANCE).then_some(i64::from(there))
    }

    fn swaps(&self, view: &View<'_>, agent: AgentRow) -> bool {
        self.ranked(view, agent).map_or_else(|| self.may_back_out(view, agent), |ranked| ranked.swaps)
    }
}
