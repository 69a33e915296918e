//! Learning per trip: the steps of a trip are learned at its end, at a rate that depends on its quality.
//!
//! Section 5.5 of the thesis proposes rewards that depend on the length of the path and on collisions, given once per
//! loop. Here a trip ends when an agent arrives or gets another target. Its quality is the minimum number of ticks
//! between its ends divided by the ticks it took, so that detours and waits both reduce it.

use serde::{Deserialize, Serialize};
use throng_crowd::{AgentRow, Limits, StateError, Validate};
use throng_grid::Cell;

use super::map::DirectionMap;
use super::vector::Rate;

/// The trips in progress, by agent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Trips {
    list: Vec<Trip>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Trip {
    /// Tick in which it began.
    since: u64,
    /// Cells passed in order; empty if the agent is on no trip.
    cells: Vec<Cell>,
    /// True if the agent has got another target since it was last seen.
    over: bool,
}

impl Trips {
    /// Makes room for all agents.
    pub(super) fn fit(&mut self, agents: usize) {
        self.list.resize_with(agents.max(self.list.len()), Trip::default);
    }

    /// Records a step that an agent made in the last tick.
    pub(super) fn step(&mut self, agent: AgentRow, (from, to): (Cell, Cell), tick: u64) {
        let trip = &mut self.list[agent.index()];
        if trip.cells.last() != Some(&from) {
            trip.cells.clear();
            trip.cells.push(from);
            trip.since = tick.saturating_sub(1);
        }
        trip.cells.push(to);
    }

    /// Ends the trip of an agent that has another target, once its last step is seen.
    pub(super) fn end(&mut self, agent: AgentRow) {
        if let Some(trip) = self.list.get_mut(agent.index()) {
            trip.over = true;
        }
    }

    /// Drops the trip of an agent.
    pub(super) fn forget(&mut self, agent: AgentRow) {
        if let Some(trip) = self.list.get_mut(agent.index()) {
            trip.cells.clear();
            trip.over = false;
        }
    }

    /// Learns the trip of an agent that has arrived or whose trip has ended, in those cells where `stores` is true.
    pub(super) fn settle(
        &mut self,
        agent: AgentRow,
        (has_arrived, tick): (bool, u64),
        map: &mut DirectionMap,
        rate: Rate,
        stores: impl Fn(&DirectionMap, Cell) -> bool,
    ) {
        let trip = &mut self.list[agent.index()];
        if !std::mem::take(&mut trip.over) && !has_arrived {
            return;
        }
        if let [first, .., last] = trip.cells[..] {
            let (a, b) = (map.size().pos(first), map.size().pos(last));
            let min_ticks = u64::from(a.x.abs_diff(b.x).max(a.y.abs_diff(b.y)));
            let rate = rate.scaled(min_ticks, tick.saturating_sub(trip.since).max(1));
            for step in trip.cells.windows(2) {
                map.learn_where((step[0], step[1]), rate, &stores);
            }
        }
        trip.cells.clear();
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let cells: usize = self.list.iter().map(|trip| trip.cells.capacity()).sum();
        cells * size_of::<Cell>() + self.list.capacity() * size_of::<Trip>()
    }
}

impl Validate for Trip {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { since, cells, over: _ } = self;
        limits.past_tick(*since)?;
        cells.validate(limits)
    }
}

impl Validate for Trips {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { list } = self;
        limits.per_agent(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vector;

    const WALKER: AgentRow = AgentRow(0);

    /// Returns the vector of the first cell after a trip of this many ticks to the fourth cell of a row.
    fn learned(ticks: u64) -> Option<Vector> {
        let (mut trips, mut map) =
            (Trips::default(), DirectionMap::new(throng_grid::Size::new(8, 1).unwrap()));
        let rate = Rate::millionths(500_000);
        trips.fit(1);
        for (i, tick) in [(0, 2), (1, 3), (2, 1 + ticks)] {
            trips.step(WALKER, (Cell(i), Cell(i + 1)), tick);
            trips.settle(WALKER, (false, tick), &mut map, rate, |_, _| true);
        }
        assert_eq!(map.known().count(), 0, "nothing is learned during the trip");
        trips.end(WALKER);
        trips.settle(WALKER, (false, 1 + ticks), &mut map, rate, |_, _| true);
        assert_eq!(map.known().count(), 4);
        map.vector(Cell(0))
    }

    #[test]
    fn the_rate_of_a_trip_depends_on_its_quality() {
        let length = |ticks| learned(ticks).map(|vector| vector.x);
        assert_eq!(length(3), Some(Vector::ONE / 2), "shortest possible");
        assert_eq!(length(6), Some(Vector::ONE / 4), "twice as long");
    }
}
