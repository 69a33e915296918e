//! Measures of a run, computed from its events.

use throng::grid::Direction;
use throng::grid::moves::STRAIGHT;
use throng::{Ground, Pos};
use throng_crowd::{AgentId, Event};

/// The measures of one agent.
#[derive(Clone, Copy, Debug, Default)]
struct Track {
    /// Total cost of its steps; counted on non-uniform terrain only.
    cost: u64,
    /// Number of straight and of diagonal steps.
    steps: [u64; 2],
    /// Tick of its last arrival; `None` while it has not arrived.
    arrival: Option<u64>,
    /// The last tick in which it stepped, waited for a cell, arrived, left its goal or got a new one.
    last_active: u64,
}

/// Accumulates the measures of a run from its events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measures {
    agents: Vec<Track>,
    /// Number of times that each cell was entered; empty if not requested.
    pub(crate) heat: Vec<u32>,
    /// Number of times that an agent wanted a cell and stayed because another agent held or took it.
    pub(crate) failed_moves: u64,
    /// Number of times that an agent discovered that its path was blocked.
    pub(crate) discoveries: u64,
    /// Number of moves that the referee refused.
    pub(crate) overruled: u64,
    /// The longest time in ticks in which an agent on its way neither stepped nor waited for a cell, until its next
    /// activity.
    longest_idle: u64,
    /// The last observed tick.
    tick: u64,
    /// Tick of the last arrival.
    pub(crate) last_arrival: u64,
    /// Number of agents that have arrived.
    pub(crate) arrived: usize,
}

impl Measures {
    /// Creates measures for agents with the ids from 0. `cells` is the number of cells for the heat map, or 0 for none.
    pub(crate) fn new(agents: usize, cells: usize) -> Self {
        Self { agents: vec![Track::default(); agents], heat: vec![0; cells], ..Self::default() }
    }

    /// Adds the events of a tick.
    pub(crate) fn observe(&mut self, ground: &Ground, tick: u64, events: &[Event]) {
        self.tick = tick;
        for event in events {
            match *event {
                Event::Moved { agent, from, to, .. } => {
                    self.active(agent);
                    self.moved(ground, agent, from, to);
                }
                Event::Arrived { agent } => {
                    self.active(agent);
                    self.set_arrival(agent, Some(tick));
                    self.last_arrival = tick;
                }
                Event::LeftGoal { agent } => {
                    self.active(agent);
                    self.set_arrival(agent, None);
                }
                Event::Waited { agent, .. } => {
                    self.active(agent);
                    self.failed_moves += 1;
                }
                Event::Discovered { .. } => self.discoveries += 1,
                Event::Overruled { .. } => self.overruled += 1,
                _ => {}
            }
        }
    }

    fn set_arrival(&mut self, agent: AgentId, tick: Option<u64>) {
        let before = std::mem::replace(&mut self.agents[agent.index()].arrival, tick);
        self.arrived = self.arrived + usize::from(tick.is_some()) - usize::from(before.is_some());
    }

    /// Notes that an agent is active in this tick. The time that it spent at its goal is not idle.
    fn active(&mut self, agent: AgentId) {
        let track = &mut self.agents[agent.index()];
        let idle = (self.tick - track.last_active).saturating_sub(1);
        if track.arrival.is_none() {
            self.longest_idle = self.longest_idle.max(idle);
        }
        track.last_active = self.tick;
    }

    /// Returns the longest time in ticks in which an agent on its way neither stepped nor waited for a cell.
    pub(crate) fn longest_idle(&self) -> u64 {
        let under_way = self.agents.iter().filter(|track| track.arrival.is_none());
        under_way.map(|track| self.tick - track.last_active).fold(self.longest_idle, u64::max)
    }

    /// Resets the arrival of an agent that got a new goal.
    pub(crate) fn retasked(&mut self, agent: AgentId) {
        self.active(agent);
        self.set_arrival(agent, None);
    }

    fn moved(&mut self, ground: &Ground, agent: AgentId, from: Pos, to: Pos) {
        let track = &mut self.agents[agent.index()];
        track.steps[usize::from(from.x != to.x && from.y != to.y)] += 1;
        if !ground.profile().is_uniform()
            && let (Some(cell), Some(direction)) = (ground.cell(from), Direction::between(from, to))
        {
            track.cost += u64::from(ground.cost(cell, direction));
        }
        if let Some(count) = ground.cell(to).and_then(|cell| self.heat.get_mut(cell.index())) {
            *count += 1;
        }
    }

    /// Returns true if all agents have arrived.
    pub(crate) fn all_arrived(&self) -> bool {
        self.arrived == self.agents.len()
    }

    /// Returns the tick of the last arrival of each agent, `None` for an agent that has not arrived.
    pub(crate) fn completion_ticks(&self) -> impl Iterator<Item = Option<u64>> + '_ {
        self.agents.iter().map(|track| track.arrival)
    }

    /// Returns the mean length walked: computed from the steps on uniform terrain, and from costs elsewhere.
    pub(crate) fn travel_mean(&self, ground: &Ground) -> f64 {
        self.travel_mean_of(ground, 0..self.agents.len())
    }

    /// Returns the mean length that some agents walked.
    pub(crate) fn travel_mean_of(
        &self,
        ground: &Ground,
        agents: impl ExactSizeIterator<Item = usize>,
    ) -> f64 {
        let length = |agent: usize| {
            let track = &self.agents[agent];
            if ground.profile().is_uniform() {
                track.steps[0] as f64 + track.steps[1] as f64 * std::f64::consts::SQRT_2
            } else {
                track.cost as f64 / f64::from(STRAIGHT)
            }
        };
        mean(agents.map(length))
    }
}

/// Returns the mean, or 0 without values.
pub(crate) fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len();
    if count == 0 { 0.0 } else { values.sum::<f64>() / count as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng::{Grid, MoveRules, Profile, Tiles};

    /// Idle is an agent on its way that neither steps nor waits for a cell, also until the end of the run.
    #[test]
    fn idle_times_end_with_a_step_or_a_wait() {
        let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
        let (agent, other, cell) = (AgentId::from_bits(0), AgentId::from_bits(1), Pos::new(0, 0));
        let mut measures = Measures::new(2, 0);
        let mut idle_after = |tick: u64, events: &[Event]| {
            measures.observe(grid.ground(), tick, events);
            measures.longest_idle()
        };
        let waited = |agent| Event::Waited { agent, wanted: cell, by: None };
        assert_eq!(idle_after(1, &[waited(agent), Event::Arrived { agent: other }]), 0);
        assert_eq!(idle_after(2, &[]), 1);
        assert_eq!(idle_after(3, &[waited(agent)]), 1);
        assert_eq!(idle_after(4, &[Event::Arrived { agent }]), 1);
        assert_eq!(idle_after(90, &[Event::LeftGoal { agent }]), 1);
        assert_eq!(idle_after(95, &[]), 5);
    }

    /// Every legal step on small maps is counted as straight or diagonal.
    #[test]
    fn steps_are_classified_by_direction() {
        for (width, height) in [(1, 5), (2, 4), (3, 3), (4, 2), (7, 1)] {
            let picture = vec![".".repeat(width); height].join("\n");
            for profile in [Profile::WALKER, Profile::WC3] {
                let grid = Grid::with_profile(Tiles::picture(&picture), MoveRules::default(), profile);
                let ground = grid.ground();
                for from in ground.free_cells() {
                    for (direction, to) in ground.neighbours(from) {
                        let mut measures = Measures::new(1, width * height);
                        measures.moved(ground, AgentId::from_bits(0), ground.pos(from), ground.pos(to));
                        let expected = if direction.is_diagonal() { [0, 1] } else { [1, 0] };
                        assert_eq!(
                            measures.agents[0].steps, expected,
                            "{width}x{height}: {from:?} to {to:?}"
                        );
                        assert_eq!(measures.heat[to.index()], 1);
                    }
                }
            }
        }
    }
}
