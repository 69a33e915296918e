//! A planner whose moves come from outside, for all agents or for some of them. Another planner moves the rest, and sees those
//! agents as it sees all others. The referee of the world resolves conflicts.

use std::sync::{Arc, Mutex, PoisonError};

use throng::{Cell, Direction, MapKnowledge, MoveRules, Planner, Sharing, StepTime};
use throng_crowd::{AgentChange, AgentRow, Limits, Moves, PlannerLayer, PlannerMark, StateError, View, Work};

/// The move of each agent in the coming tick, by row; `None` for an agent that the other planner moves.
pub(crate) type Actions = Arc<Mutex<Vec<Option<u8>>>>;

/// The directions of the actions from 1 on. The first four are those of POGEMA.
const DIRECTIONS: [Direction; 8] = [
    Direction::North,
    Direction::South,
    Direction::West,
    Direction::East,
    Direction::NorthWest,
    Direction::NorthEast,
    Direction::SouthWest,
    Direction::SouthEast,
];

/// The names of the actions.
pub(crate) const ACTIONS: [&str; 9] =
    ["stay", "up", "down", "left", "right", "up-left", "up-right", "down-left", "down-right"];

/// Returns the number of actions, the one that stays among them.
pub(crate) const fn action_count(rules: MoveRules) -> u8 {
    if rules.four_way { 5 } else { 9 }
}

/// See the documentation of the file.
#[derive(Clone)]
pub(crate) struct ActionPlanner {
    pub(crate) actions: Actions,
    /// The planner of the other agents, if there are any.
    pub(crate) others: Option<Box<dyn Planner>>,
}

impl ActionPlanner {
    /// Returns the cell that an action leads an agent to; its own cell if the step is not legal.
    fn destination(view: &View<'_>, agent: AgentRow, action: u8) -> Cell {
        let (at, ground) = (view.at(agent), view.ground(agent));
        let direction = usize::from(action).checked_sub(1).map(|number| DIRECTIONS[number]);
        let legal = direction.filter(|direction| ground.moves(at) & direction.bit() != 0);
        legal.map_or(at, |direction| ground.step(at, direction))
    }
}

impl Planner for ActionPlanner {
    fn clone_box(&self) -> Box<dyn Planner> {
        Box::new(self.clone())
    }

    fn required_sharing(&self) -> Sharing {
        self.others.as_ref().map_or(Sharing::Nothing, |others| others.required_sharing())
    }

    fn required_map(&self) -> MapKnowledge {
        self.others.as_ref().map_or(MapKnowledge::Own, |others| others.required_map())
    }

    fn step_time(&self) -> StepTime {
        self.others.as_ref().map_or(StepTime::Cost, |others| others.step_time())
    }

    fn expansion_price(&self) -> u64 {
        self.others.as_ref().map_or(1, |others| others.expansion_price())
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        if let Some(others) = &mut self.others {
            others.plan(view, work, moves);
        }
        let actions = self.actions.lock().unwrap_or_else(PoisonError::into_inner);
        for &agent in view.movers() {
            if let Some(&Some(action)) = actions.get(agent.index()) {
                moves.replace(agent, Self::destination(view, agent, action));
            }
        }
    }

    fn on_change(&mut self, agent: AgentRow, change: AgentChange) {
        if let Some(others) = &mut self.others {
            others.on_change(agent, change);
        }
    }

    fn inspect(&self, view: &View<'_>, layer: PlannerLayer, emit: &mut dyn FnMut(PlannerMark)) {
        if let Some(others) = &self.others {
            others.inspect(view, layer, emit);
        }
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        if let Some(others) = &self.others {
            others.save(bytes);
        }
    }

    fn load(&mut self, bytes: &[u8], limits: &Limits) -> Result<(), StateError> {
        self.others.as_mut().map_or(Ok(()), |others| others.load(bytes, limits))
    }

    fn memory_bytes(&self) -> usize {
        self.others.as_ref().map_or(0, |others| others.memory_bytes())
    }
}
