//! What agents know of the map, as the checker follows it: every agent that appears, moves or meets an edit copies the
//! cells within its radius. Whether a known cell can be reached is found by a flood that prefers cells near it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::map::{CheckMap, Position};
use crate::Fog;
use crate::fog::state::{KnowledgeState, KnownCells, UNSEEN};

/// One known map that all agents share, or one per agent.
#[derive(Debug)]
pub(super) struct CheckedKnowledge {
    fog: Fog,
    /// By row; a shared map is the first. Empty for an agent that was removed.
    maps: Vec<Vec<u64>>,
    /// Per cell, the flood that reached it last.
    reached_by: Vec<u32>,
    flood: u32,
}

impl CheckedKnowledge {
    pub(super) fn new(fog: Fog, state: &KnowledgeState) -> Self {
        let shared = std::iter::once(known_codes(&state.shared));
        let own = state.own.iter().map(|own| own.as_ref().map_or_else(Vec::new, known_codes));
        let maps = if fog.shared { shared.collect() } else { own.collect() };
        Self { fog, maps, reached_by: vec![0; state.shared.cells.len()], flood: 0 }
    }

    fn index(&self, number: u32) -> usize {
        if self.fog.shared { 0 } else { number as usize }
    }

    /// Makes the cells around an agent known to it.
    pub(super) fn look(&mut self, truth: &CheckMap, number: u32, at: u32) {
        let index = self.index(number);
        self.maps.resize(self.maps.len().max(index + 1), Vec::new());
        let known = &mut self.maps[index];
        known.resize(truth.cells(), UNSEEN.into());
        for cell in truth.square(at, i32::from(self.fog.radius)) {
            known[cell as usize] = truth.code(cell);
        }
    }

    /// Drops the map of an agent that was removed.
    pub(super) fn forget(&mut self, number: u32) {
        if !self.fog.shared {
            self.maps[number as usize].clear();
        }
    }

    /// Returns true if a path over cells that are free as far as an agent knows leads from one cell to another.
    pub(super) fn reaches(&mut self, truth: &CheckMap, agent: (u32, usize), from: u32, to: u32) -> bool {
        self.flood_until(truth, agent, from, Some(to)).1
    }

    /// Returns the cell nearest to a position that can be reached from a cell as far as an agent knows.
    pub(super) fn nearest_reachable(
        &mut self,
        truth: &CheckMap,
        agent: (u32, usize),
        from: u32,
        to: Position,
    ) -> Option<u32> {
        self.flood_until(truth, agent, from, None);
        truth.nearest(to, |cell| self.reached_by[cell as usize] == self.flood)
    }

    /// Returns the number of cells that can be reached from a cell as far as an agent knows; 0 inside a wall.
    pub(super) fn component_size(&mut self, truth: &CheckMap, agent: (u32, usize), from: u32) -> usize {
        self.flood_until(truth, agent, from, None).0
    }

    /// Floods the known map from a cell, nearest cells to `goal` first, until it reaches the goal. Returns the number of
    /// cells reached and whether the goal is among them.
    fn flood_until(
        &mut self,
        truth: &CheckMap,
        (number, profile): (u32, usize),
        from: u32,
        goal: Option<u32>,
    ) -> (usize, bool) {
        self.flood += 1;
        let known = &self.maps[self.index(number)];
        let state = |position: Position, test: fn(&CheckMap, usize, u64) -> bool| {
            let cell = truth.cell(position).map(|cell| known[cell as usize]);
            cell.is_some_and(|code| code == UNSEEN.into() || test(truth, profile, code))
        };
        let open = |position: Position| state(position, CheckMap::is_open);
        let free = |position: Position| state(position, CheckMap::is_free);
        if !free(truth.position(from)) {
            return (0, false);
        }
        let distance = |(x, y): Position| {
            let (to_x, to_y) = goal.map_or((x, y), |goal| truth.position(goal));
            x.abs_diff(to_x).max(y.abs_diff(to_y))
        };
        let mut front = BinaryHeap::from([Reverse((distance(truth.position(from)), from))]);
        self.reached_by[from as usize] = self.flood;
        let mut count = 1;
        while let Some(Reverse((_, cell))) = front.pop() {
            if goal == Some(cell) {
                return (count, true);
            }
            let at = truth.position(cell);
            for (dx, dy) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))) {
                let to = (at.0 + dx, at.1 + dy);
                let Some(next) = truth.cell(to) else { continue };
                if self.reached_by[next as usize] != self.flood && truth.legal_where(at, to, free, open) {
                    self.reached_by[next as usize] = self.flood;
                    front.push(Reverse((distance(to), next)));
                    count += 1;
                }
            }
        }
        (count, false)
    }
}

/// Returns the cells of a known map with their doors, as [`CheckMap::code`] gives them.
fn known_codes(known: &KnownCells) -> Vec<u64> {
    let doors = known.layers.layers(known.cells.len()).map_or_else(Vec::new, |layers| layers.doors);
    let allowed = |cell: usize| doors.get(cell).map_or(u32::MAX, |allowed| allowed.to_bits());
    let code = |(cell, &code): (usize, &u8)| {
        if code == UNSEEN { UNSEEN.into() } else { u64::from(code) | u64::from(allowed(cell)) << 8 }
    };
    known.cells.iter().enumerate().map(code).collect()
}
