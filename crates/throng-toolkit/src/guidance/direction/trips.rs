//! Learning a trip at a time: what was walked is learned when the trip is over, the more the better it went.
//!
//! The thesis's section 5.5 wishes for rewards that depend on the length of the path taken and on collisions, and are given
//! a loop at a time. Here a trip ends where an agent gets another target, or is home; what it is worth is the least number of
//! ticks between its ends over the ticks that it took, so that detours and waits both count against it.

use throng_grid::{Cell, Size};

use super::map::DirectionMap;
use super::vector::Rate;
use throng_crowd::AgentId;
use throng_crowd::bytes::{Damaged, Reader, put};

/// The trips under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Trips {
    list: Vec<Trip>,
}

#[derive(Clone, Debug, Default)]
struct Trip {
    /// When it began.
    since: u64,
    cells: Vec<Cell>,
    /// Whether the agent has another target since it was last seen.
    over: bool,
}

impl Trips {
    /// Makes room for so many agents.
    pub(super) fn fit(&mut self, agents: usize) {
        self.list.resize_with(agents.max(self.list.len()), Trip::default);
    }

    /// An agent has stepped in the tick before this one.
    pub(super) fn step(&mut self, agent: AgentId, (from, to): (Cell, Cell), tick: u64) {
        let trip = &mut self.list[agent.index()];
        if trip.cells.last() != Some(&from) {
            trip.cells.clear();
            trip.cells.push(from);
            trip.since = tick.saturating_sub(1);
        }
        trip.cells.push(to);
    }

    /// An agent has another target: its trip is over once its last step is seen.
    pub(super) fn end(&mut self, agent: AgentId) {
        if let Some(trip) = self.list.get_mut(agent.index()) {
            trip.over = true;
        }
    }

    /// Forgets an agent's trip.
    pub(super) fn forget(&mut self, agent: AgentId) {
        if let Some(trip) = self.list.get_mut(agent.index()) {
            trip.cells.clear();
            trip.over = false;
        }
    }

    /// If an agent's trip is over, or the agent is home, it is learned.
    pub(super) fn settle(
        &mut self,
        agent: AgentId,
        home: bool,
        tick: u64,
        map: &mut DirectionMap,
        rate: Rate,
    ) {
        let trip = &mut self.list[agent.index()];
        if !std::mem::take(&mut trip.over) && !home {
            return;
        }
        if let [first, .., last] = trip.cells[..] {
            let (a, b) = (map.size().pos(first), map.size().pos(last));
            let least = u64::from(a.x.abs_diff(b.x).max(a.y.abs_diff(b.y)));
            let rate = rate.scaled(least, tick.saturating_sub(trip.since).max(1));
            for step in trip.cells.windows(2) {
                map.learn(step[0], step[1], rate);
            }
        }
        trip.cells.clear();
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let cells: usize = self.list.iter().map(|trip| trip.cells.capacity()).sum();
        cells * size_of::<Cell>() + self.list.capacity() * size_of::<Trip>()
    }

    pub(super) fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, self.list.len() as u64);
        for trip in &self.list {
            put(bytes, trip.since);
            put(bytes, u64::from(trip.over));
            put(bytes, trip.cells.len() as u64);
            for cell in &trip.cells {
                put(bytes, u64::from(cell.0));
            }
        }
    }

    /// Reads what [`Trips::save`] wrote, for a map of this size.
    pub(super) fn load(reader: &mut Reader<'_>, size: Size) -> Result<Self, Damaged> {
        let mut list = Vec::new();
        for _ in 0..reader.length("trips")? {
            let (since, over) = (reader.number("a tick")?, reader.flag("whether a trip is over")?);
            let mut cells = Vec::new();
            for _ in 0..reader.length("steps of a trip")? {
                cells.push(Cell(reader.number_to(size.area() as u64 - 1, "a cell")? as u32));
            }
            list.push(Trip { since, cells, over });
        }
        Ok(Self { list })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vector;

    const WALKER: AgentId = AgentId(0);

    /// The vector that a trip of so many ticks from the first to the fourth cell of a row leaves behind.
    fn learned(ticks: u64) -> Option<Vector> {
        let (mut trips, mut map) = (Trips::default(), DirectionMap::new(Size::new(8, 1).unwrap()));
        let rate = Rate::millionths(500_000);
        trips.fit(1);
        for (i, tick) in [(0, 2), (1, 3), (2, 1 + ticks)] {
            trips.step(WALKER, (Cell(i), Cell(i + 1)), tick);
            trips.settle(WALKER, false, tick, &mut map, rate);
        }
        assert_eq!(map.known().count(), 0, "nothing is learned on the way");
        trips.end(WALKER);
        trips.settle(WALKER, false, 1 + ticks, &mut map, rate);
        assert_eq!(map.known().count(), 4);
        map.vector(Cell(0))
    }

    #[test]
    fn a_trip_is_learned_by_how_well_it_went() {
        let length = |ticks| learned(ticks).map(|vector| vector.x);
        assert_eq!(length(3), Some(Vector::ONE / 2), "as fast as can be");
        assert_eq!(length(6), Some(Vector::ONE / 4), "twice as long");
    }
}
