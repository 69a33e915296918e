//! What is measured of a run: an observer of the event stream.

use serde::Serialize;
use throng::crowd::{AgentId, Event};
use throng::grid::moves::STRAIGHT;
use throng::{Cell, Ground};

/// What is known of one agent.
#[derive(Clone, Copy, Debug, Default)]
struct Track {
    /// Cost of all its steps.
    cost: u64,
    /// Straight and diagonal steps.
    steps: [u64; 2],
    /// The tick at which it last came home; `None` while it is not.
    home: Option<u64>,
}

/// Follows the events of a run.
#[derive(Clone, Debug)]
pub struct Measures {
    agents: Vec<Track>,
    /// How often each cell was entered; empty when nobody wants to know.
    pub heat: Vec<u32>,
    /// Times an agent wanted a cell and stayed because somebody held or took it.
    pub failed_moves: u64,
    /// Proposals that the referee refused.
    pub overruled: u64,
    last_arrival: u64,
    /// How many are at home.
    home: usize,
}

impl Measures {
    /// For agents numbered from 0. Of how many cells the heat is kept: all of the map's, or none.
    pub fn new(agents: usize, cells: usize) -> Self {
        Self {
            agents: vec![Track::default(); agents],
            heat: vec![0; cells],
            failed_moves: 0,
            overruled: 0,
            last_arrival: 0,
            home: 0,
        }
    }

    /// Takes in the events of a tick.
    pub fn observe(&mut self, ground: &Ground, tick: u64, events: &[Event]) {
        for event in events {
            match *event {
                Event::Moved { agent, from, to } => self.moved(ground, agent, from, to),
                Event::Arrived { agent } => {
                    self.set_home(agent, Some(tick));
                    self.last_arrival = tick;
                }
                Event::LeftGoal { agent } => self.set_home(agent, None),
                Event::Waited { .. } => self.failed_moves += 1,
                Event::Overruled { .. } => self.overruled += 1,
                _ => {}
            }
        }
    }

    fn set_home(&mut self, agent: AgentId, tick: Option<u64>) {
        let before = std::mem::replace(&mut self.agents[agent.index()].home, tick);
        self.home = self.home + usize::from(tick.is_some()) - usize::from(before.is_some());
    }

    /// An agent was sent elsewhere: it is not home until it comes there.
    pub fn retasked(&mut self, agent: AgentId) {
        self.set_home(agent, None);
    }

    fn moved(&mut self, ground: &Ground, agent: AgentId, from: Cell, to: Cell) {
        let track = &mut self.agents[agent.index()];
        let (width, apart) = (ground.size().width() as usize, from.index().abs_diff(to.index()));
        if ground.profile().is_uniform() && width != 2 {
            // Every step of a run comes here: two divisions less a step than asking for the direction. In two columns a
            // diagonal step may lead to the next cell as well.
            track.steps[usize::from(apart != 1 && apart != width)] += 1;
        } else if let Some(direction) = ground.legal_step(from, to) {
            track.cost += u64::from(ground.cost(from, direction));
            track.steps[usize::from(direction.is_diagonal())] += 1;
        }
        if let Some(count) = self.heat.get_mut(to.index()) {
            *count += 1;
        }
    }

    /// Number of agents at home.
    pub fn home(&self) -> usize {
        self.home
    }

    /// Whether everyone is.
    pub fn all_home(&self) -> bool {
        self.home == self.agents.len()
    }

    /// The tick of the last arrival.
    pub fn last_arrival(&self) -> u64 {
        self.last_arrival
    }

    /// The tick at which each agent came home for good; `None` for one that is not home.
    pub fn completion_ticks(&self) -> impl Iterator<Item = Option<u64>> + '_ {
        self.agents.iter().map(|track| track.home)
    }

    /// Mean length walked: from the counts of steps on uniform terrain, from costs elsewhere.
    pub fn travel_mean(&self, ground: &Ground) -> f64 {
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

/// The mean; 0 of nothing.
pub(crate) fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len();
    if count == 0 { 0.0 } else { values.sum::<f64>() / count as f64 }
}

/// A distribution. A percentile is the smallest value such that at least that share of all values is not above it.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Percentiles {
    /// The mean.
    pub mean: f64,
    /// The median.
    pub p50: f64,
    /// 99 of 100 are not above.
    pub p99: f64,
    /// 999 of 1,000 are not above.
    pub p999: f64,
    /// The largest.
    pub max: f64,
}

impl Percentiles {
    /// Of values, in any order.
    pub fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let rank = |share: f64| {
            let index = (share * sorted.len() as f64).ceil() as usize;
            sorted.get(index.saturating_sub(1)).copied().unwrap_or_default()
        };
        Self {
            mean: mean(sorted.iter().copied()),
            p50: rank(0.5),
            p99: rank(0.99),
            p999: rank(0.999),
            max: sorted.last().copied().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng::{Grid, MoveRules, Profile, Tiles};

    /// Every legal step of small maps, wide and narrow, is counted as what it is.
    #[test]
    fn steps_are_straight_or_diagonal() {
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
