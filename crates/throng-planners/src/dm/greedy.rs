//! Greedy followers of a direction map (`dm-greedy`): no goal and no search, only steps along the vectors.
//!
//! M. R. Jansen, *Multi-Agent Pathfinding with Direction Maps*, master's thesis, University of Alberta, 2008, section 3.6.
//! An agent takes the step to a free neighbour with the least cost on the direction map, cells with a vector before cells
//! without. If the two best costs are similar, it takes the second with probability 1/4. If its own cell has no vector, it
//! takes a random step.
//!
//! What the thesis leaves open: two costs are similar if they differ by less than a tenth of the largest penalty
//! (`similar`); the surrounding cells learn at rate 0.1 (`surround`). The map was learned before
//! ([`Resources::direction_map`]), or is learned when the planner is made, by `learn` round trips of forty agents.

use throng_crowd::MoveDraft;
use throng_crowd::state::{decode_unchecked, encode};
use throng_crowd::{
    AgentRow, Limits, MapKnowledge, Moves, Occupant, Planner, PlannerLayer, PlannerMark, Sharing, StateError,
    StepTime, View, Work,
};
use throng_grid::{Cell, Cost, Grid};
use throng_search::spec::{Kind, MILLION, Parameter, Values};
use throng_toolkit::{DirectionMap, SavedVectors, StepPenalties, StepPenalty, Unknown, random_item};

use crate::directions::W_MAX;
use crate::registry::{PlannerInfo, Resources};
use crate::{inspect, prices};

use super::teachers::learned_map;

pub(crate) const INFO: PlannerInfo = PlannerInfo {
    name: "dm-greedy",
    summary: "greedy followers of a learned direction map, without goals",
    idea: "Agents without goals follow a direction map, one cheapest step at a time, and keep to the lanes that others \
           have made: ambient walkers. They need a map that was learned before, or learn one first from forty \
           patrolling agents. Without a map they walk at random.",
    reference: "M. R. Jansen: Multi-Agent Pathfinding with Direction Maps. Master's thesis, University of Alberta, 2008",
    parameters: &[
        Parameter {
            name: "learn",
            summary: "round trips from which the map is learned before the first tick; 0 if a map is given",
            kind: Kind::Integer { min: 0, max: 1_000, default: 0 },
        },
        Parameter {
            name: "surround",
            summary: "with learn: learning rate of the cells around a cell entered; 0 for none",
            kind: Kind::Decimal { min: 0, max: MILLION, default: 100_000 },
        },
        Parameter {
            name: "similar",
            summary: "share of w_max up to which the two best steps count as similar; one time in four the agent then \
                      takes the second",
            kind: Kind::Decimal { min: 0, max: MILLION, default: 100_000 },
        },
        W_MAX,
    ],
    needs: Sharing::Nothing,
    needs_map: MapKnowledge::Whole,
    needs_control: false,
    prepares: |_| true,
    has_goals: false,
    build: |values, grid, resources| Box::new(Greedy::new(values, grid, resources)),
};

/// Most agents that step in one round of work. Rounds are short, so that a clock is obeyed.
const ROUND: u64 = 256;

/// A step: whether its cell has no vector, its cost, and its cell.
type Choice = (bool, Cost, Cell);

/// The planner.
#[derive(Clone, Debug)]
struct Greedy {
    map: Option<DirectionMap>,
    size: throng_grid::Size,
    penalty: StepPenalty,
    /// Costs are similar if they differ by less than this share of the largest penalty, in millionths.
    similar: u64,
    draft: MoveDraft,
}

impl Greedy {
    fn new(values: &Values, grid: &Grid, resources: &mut Resources) -> Self {
        let loops = values.get("learn");
        let given = resources.direction_map.take_if(|map| map.size() == grid.size());
        Self {
            size: grid.size(),
            map: given.or_else(|| (loops > 0).then(|| learned_map(grid, loops, values.get("surround")))),
            penalty: StepPenalty::new(values.get("w_max"), Unknown::Half),
            similar: values.get("similar"),
            draft: MoveDraft::default(),
        }
    }

    /// Returns the next cell of an agent; `None` if no neighbour is free.
    fn step(&self, view: &View<'_>, agent: AgentRow) -> Option<Cell> {
        let (at, ground) = (view.at(agent), view.ground(agent));
        let free = |cell: Cell| self.draft.blocker(view, agent, cell) == Occupant::Nobody;
        let room = || ground.neighbours(at).filter(|&(_, cell)| free(cell));
        let random = view.random_per_tick(agent);
        let map = self.map.as_ref().filter(|map| map.vector(at).is_some());
        let Some(map) = map else { return random_item(room, random).map(|(_, cell)| cell) };
        let penalties = StepPenalties::of_map(self.penalty, map);
        let choice = |(direction, to)| {
            let cost = ground.cost(at, direction).saturating_add(penalties.of(at, to, direction));
            (map.vector(to).is_none(), cost, to)
        };
        // Cells with a vector first, then the least cost; tie-break: the lowest direction.
        let is_better = |(unknown, cost, _): Choice, other: Option<Choice>| {
            other.is_none_or(|other| (unknown, cost) < (other.0, other.1))
        };
        let (mut best, mut second) = (None, None);
        for choice in room().map(choice) {
            if is_better(choice, best) {
                second = best.replace(choice);
            } else if is_better(choice, second) {
                second = Some(choice);
            }
        }
        let best = best?;
        let margin = u64::from(self.penalty.max()) * self.similar / MILLION;
        let is_similar = |second: &Choice| best.0 == second.0 && u64::from(second.1 - best.1) < margin;
        let takes_second = random.is_multiple_of(4);
        Some(second.filter(|second| takes_second && is_similar(second)).unwrap_or(best).2)
    }
}

impl Planner for Greedy {
    fn clone_box(&self) -> Box<dyn Planner> {
        Box::new(self.clone())
    }

    fn required_sharing(&self) -> Sharing {
        Sharing::Nothing
    }

    fn step_time(&self) -> StepTime {
        StepTime::Cost
    }

    fn expansion_price(&self) -> u64 {
        prices::DIRECTION_ASTAR
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        self.draft.begin(view);
        let (movers, mut served) = (view.movers(), 0);
        // The first agent rotates, because scarce work does not suffice for all.
        let first = if movers.is_empty() { 0 } else { view.tick() as usize % movers.len() };
        while served < movers.len() {
            let share = ROUND.min(work.left()).min((movers.len() - served) as u64);
            if share == 0 || !work.round(share) {
                return;
            }
            work.spend(share);
            for i in served..served + share as usize {
                let agent = movers[(first + i) % movers.len()];
                match self.step(view, agent) {
                    Some(to) => self.draft.go(view, moves, agent, to),
                    None => {
                        if let Some((_, held)) = view.ground(agent).neighbours(view.at(agent)).next() {
                            let by = match self.draft.blocker(view, agent, held) {
                                Occupant::Agent(other) => Some(other),
                                _ => None,
                            };
                            moves.wait(agent, held, by);
                        }
                    }
                }
            }
            served += share as usize;
        }
    }

    fn inspect(&self, _: &View<'_>, layer: PlannerLayer, emit: &mut dyn FnMut(PlannerMark)) {
        inspect::directions(self.map.as_ref(), layer, emit);
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        encode(&self.map.as_ref().map(DirectionMap::saved), bytes);
    }

    fn load(&mut self, bytes: &[u8], _: &Limits) -> Result<(), StateError> {
        let saved: Option<SavedVectors> = decode_unchecked(bytes)?;
        self.map = saved.map(|saved| DirectionMap::restored(self.size, &saved)).transpose()?;
        Ok(())
    }

    fn memory_bytes(&self) -> usize {
        self.map.as_ref().map_or(0, DirectionMap::memory_bytes) + self.draft.memory_bytes()
    }
}

#[cfg(test)]
mod tests;
