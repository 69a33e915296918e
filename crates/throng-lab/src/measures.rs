//! Measures of a run, computed from its events.

use throng::grid::moves::STRAIGHT;
use throng::{Cell, Ground};
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
        for event in events {
            match *event {
                Event::Moved { agent, from, to } => self.moved(ground, agent, from, to),
                Event::Arrived { agent } => {
                    self.set_arrival(agent, Some(tick));
                    self.last_arrival = tick;
                }
                Event::LeftGoal { agent } => self.set_arrival(agent, None),
                Event::Waited { .. } => self.failed_moves += 1,
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

    /// Resets the arrival of an agent that got a new goal.
    pub(crate) fn retasked(&mut self, agent: AgentId) {
        self.set_arrival(agent, None);
    }

    fn moved(&mut self, ground: &Ground, agent: AgentId, from: Cell, to: Cell) {
        let track = &mut self.agents[agent.index()];
        let (width, apart) = (ground.size().width() as usize, from.index().abs_diff(to.index()));
        if ground.profile().is_uniform() && width != 2 {
            // Fast path: two divisions fewer per step than `legal_step`. On a map of two columns a diagonal step may lead to the
            // next index too.
            track.steps[usize::from(apart != 1 && apart != width)] += 1;
        } else if let Some(direction) = ground.legal_step(from, to) {
            track.cost += u64::from(ground.cost(from, direction));
            track.steps[usize::from(direction.is_diagonal())] += 1;
        }
        if let Some(count) = self.heat.get_mut(to.index()) {
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
        let length = |track: &Track| {
            if ground.profile().is_uniform() {
                track.steps[0] as f64 + track.steps[1] as f64 * std::f64::consts::SQRT_2
            } else {
                track.cost as f64 / f64::from(STRAIGHT)
            }
        };
        mean(self.agents.iter().map(length))
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
                        measures.moved(ground, AgentId(0), from, to);
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
