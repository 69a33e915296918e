//! Priorities of PIBT: agents decide in the order of the time they have been under way, the longest first.
//!
//! An agent is under way while it has a target and is not there. The times of all agents grow alike, so the order of the
//! agents that stay under way never changes: an agent that arrives leaves the line, one that sets out joins its end, and
//! no sorting is needed. Agents that set out in the same tick come in random order.
//!
//! Where the game gives agents priorities ([`View::priority`]), the line is grouped by them, the highest first, and ordered by
//! time within each group.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};
use throng_crowd::{AgentRow, Limits, StateError, Validate, View};

/// The line of agents under way.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Priorities {
    line: Vec<AgentRow>,
    /// By agent: true if it is in the line. Follows from the line in [`Priorities::update`].
    #[serde(skip)]
    queued: Vec<bool>,
    /// Scratch: the line in another order.
    #[serde(skip)]
    grouped: Vec<AgentRow>,
    /// Scratch: the agents that have set out, with the random numbers by which they are ordered.
    #[serde(skip)]
    joining: Vec<(u64, AgentRow)>,
}

impl Priorities {
    /// Removes the agents that have arrived since the last tick and appends those that have set out.
    pub fn update(&mut self, view: &View<'_>) {
        self.queued.resize(view.id_limit(), false);
        let queued = &mut self.queued;
        self.line.retain(|&agent| {
            let Some(queued) = queued.get_mut(agent.index()) else { return false };
            *queued = view.is_alive(agent) && is_underway(view, agent);
            *queued
        });
        self.joining.clear();
        for &agent in view.agents() {
            if is_underway(view, agent) && !self.queued[agent.index()] {
                self.queued[agent.index()] = true;
                self.joining.push((view.random_per_agent(agent, 0), agent));
            }
        }
        self.joining.sort_unstable();
        self.line.extend(self.joining.iter().map(|&(_, agent)| agent));
        if view.has_priorities() {
            self.group(view);
        }
    }

    /// Groups the line by priority and keeps the order within each group.
    fn group(&mut self, view: &View<'_>) {
        if self.line.is_sorted_by_key(|&agent| Reverse(view.priority(agent))) {
            return;
        }
        self.grouped.clear();
        let mut last = None;
        // The highest priority below the last one, until there is none.
        while let Some(priority) = self
            .line
            .iter()
            .map(|&agent| view.priority(agent))
            .filter(|&priority| last.is_none_or(|last| priority < last))
            .max()
        {
            let group = self.line.iter().copied().filter(|&agent| view.priority(agent) == priority);
            self.grouped.extend(group);
            last = Some(priority);
        }
        std::mem::swap(&mut self.line, &mut self.grouped);
    }

    /// Removes an agent that was despawned, so that the next agent in its row does not inherit its place.
    pub fn forget(&mut self, agent: AgentRow) {
        self.line.retain(|&other| other != agent);
        if let Some(queued) = self.queued.get_mut(agent.index()) {
            *queued = false;
        }
    }

    /// Moves an agent behind all others of its priority, as if it had just set out.
    pub fn demote(&mut self, view: &View<'_>, agent: AgentRow) {
        if let Some(place) = self.line.iter().position(|&other| other == agent) {
            let is_same = |other: &&AgentRow| view.priority(**other) == view.priority(agent);
            let count = self.line[place..].iter().take_while(is_same).count();
            self.line[place..place + count].rotate_left(1);
        }
    }

    /// Returns the agents under way, the highest priority first.
    pub fn line(&self) -> &[AgentRow] {
        &self.line
    }

    /// Returns the memory held, in bytes.
    pub fn memory_bytes(&self) -> usize {
        (self.line.capacity() + self.grouped.capacity()) * size_of::<AgentRow>()
            + self.joining.capacity() * size_of::<(u64, AgentRow)>()
            + self.queued.capacity()
    }
}

impl Validate for Priorities {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { line, queued: _, grouped: _, joining: _ } = self;
        line.validate(limits)?;
        let mut seen = vec![false; limits.agents];
        let is_new = |agent: &AgentRow| !std::mem::replace(&mut seen[agent.index()], true);
        limits.require(line.iter().all(is_new), "an agent is in the line twice")
    }
}

fn is_underway(view: &View<'_>, agent: AgentRow) -> bool {
    view.target(agent).is_some_and(|target| target != view.at(agent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_crowd::Stationary;
    use throng_crowd::state::{decode, encode};
    use throng_crowd::{AgentId, AgentSpec, Settings, World};
    use throng_grid::{Grid, MoveRules, Pos, Size, Terrain, Tiles};

    #[test]
    fn who_is_demoted_comes_last() {
        let mut world = world();
        let line = [0, 1, 2, 3].map(AgentRow).to_vec();
        let mut priorities = Priorities { line, queued: vec![true; 4], ..Priorities::default() };
        priorities.demote(&world.view(), AgentRow(0));
        priorities.demote(&world.view(), AgentRow(7));
        assert_eq!(priorities.line(), [1, 2, 3, 0].map(AgentRow));
        // The last of its priority, not of all.
        world.set_priority(AgentId::from_bits(3), -1).unwrap();
        world.set_priority(AgentId::from_bits(0), -1).unwrap();
        priorities.demote(&world.view(), AgentRow(1));
        assert_eq!(priorities.line(), [2, 1, 3, 0].map(AgentRow));
    }

    fn world() -> World {
        let tiles = Tiles::filled(Size::new(20, 20).unwrap(), Terrain::Ground);
        let grid = Grid::new(tiles, MoveRules::default());
        let mut world = World::new(grid, Box::new(Stationary), Settings::default()).unwrap();
        for x in 0..12 {
            world.spawn(AgentSpec::at(x, 0)).unwrap();
        }
        world
    }

    #[test]
    fn higher_priorities_come_first_and_times_decide_within_one() {
        let mut world = world();
        let id = |agent: u32| AgentId::from_bits(agent.into());
        for agent in [5, 2, 9, 7] {
            world.send(id(agent), Pos::new(agent as i32, 9)).unwrap();
        }
        let mut priorities = Priorities::default();
        priorities.update(&world.view());
        let first = priorities.line().to_vec();
        for agent in [0, 1] {
            world.send(id(agent), Pos::new(agent as i32, 9)).unwrap();
        }
        world.set_priority(id(1), 3).unwrap();
        world.set_priority(id(first[0].0), -2).unwrap();
        priorities.update(&world.view());
        let expected = [&[AgentRow(1)], &first[1..], &[AgentRow(0), first[0]]].concat();
        assert_eq!(priorities.line(), expected);
        world.set_priority(id(1), 0).unwrap();
        world.set_priority(id(first[0].0), 0).unwrap();
        priorities.update(&world.view());
        assert_eq!(priorities.line(), expected, "the order of equal agents does not change");
    }

    #[test]
    fn who_set_out_first_comes_first_and_who_arrives_leaves_the_line() {
        let mut world = world();
        let agents: Vec<AgentRow> = world.view().agents().to_vec();
        let id = |agent: AgentRow| AgentId::from_bits(agent.0.into());
        let mut priorities = Priorities::default();
        priorities.update(&world.view());
        assert!(priorities.line().is_empty());
        for &late in &agents[6..] {
            world.send(id(late), Pos::new(late.0 as i32, 9)).unwrap();
        }
        priorities.update(&world.view());
        let first = priorities.line().to_vec();
        assert_eq!(first.len(), 6);
        assert_ne!(first, agents[6..], "drawn by lot, not by number");
        for &agent in &agents[..6] {
            world.send(id(agent), Pos::new(agent.0 as i32, 9)).unwrap();
        }
        priorities.update(&world.view());
        assert_eq!(priorities.line()[..6], first[..], "those who set out later come later");
        assert_eq!(priorities.line().len(), 12);
        // One arrives, one is gone, and one arrives and sets out again.
        world.teleport(id(first[1]), Pos::new(first[1].0 as i32, 9)).unwrap();
        world.despawn(id(first[3])).unwrap();
        world.halt(id(first[0])).unwrap();
        priorities.update(&world.view());
        world.send(id(first[0]), Pos::new(0, 19)).unwrap();
        priorities.update(&world.view());
        let line = priorities.line();
        assert_eq!(line[..3], [first[2], first[4], first[5]]);
        assert_eq!((line.len(), line[9]), (10, first[0]));
        let limits = Limits::new(world.grid(), world.view().id_limit(), world.ticks());
        let mut bytes = Vec::new();
        encode(&priorities, &mut bytes);
        let mut loaded: Priorities = decode(&bytes, &limits).unwrap();
        assert_eq!(loaded.line(), priorities.line());
        loaded.update(&world.view());
        assert_eq!(loaded.line(), priorities.line());
        decode::<Priorities>(&[2, 5, 5], &limits).unwrap_err();
    }
}
