//! Groups: agents that got one order together, whose arrival is reported by one event.
//!
//! A group consists of the agents that still follow the order with which it was formed. An agent leaves it with another
//! order, when it is halted or removed. A group ends when it has arrived or nobody is left in it.

use std::fmt;

use serde::{Deserialize, Serialize};
use throng_grid::Pos;

use super::arrival::{Reported, Stage};
use super::reviews::Review;
use crate::{AgentId, AgentRow, Destination, Event, Input, World, WorldError};

/// A group of one world. Ids are numbered in the order in which groups are formed and never given twice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GroupId(pub(crate) u64);

impl GroupId {
    /// Returns the id as a number.
    pub const fn to_bits(self) -> u64 {
        self.0
    }

    /// Returns the id of a number that [`Self::to_bits`] returned.
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }
}

impl fmt::Display for GroupId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Debug for GroupId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GroupId({self})")
    }
}

/// A member of a group after the moves of a tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    group: GroupId,
    agent: AgentRow,
    /// False if the agent is still on the way.
    is_there: bool,
    is_short: bool,
}

impl World {
    /// Sends agents to a goal as a group, like [`World::send`] for each of them. When all of them that still follow this
    /// order are in place or have settled short, one [`Event::GroupArrived`] reports it, after the events of the agents.
    ///
    /// Another goal takes an agent out of the group, and so do [`World::halt`] and [`World::despawn`]. Returns the group,
    /// and where each agent goes.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let map = "......
    /// #     ......
    /// #     ......";
    /// # let grid = Grid::new(Tiles::picture(map), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let squad = [0, 1, 2].map(|y| world.spawn(AgentSpec::at(0, y)));
    /// let squad = squad.into_iter().collect::<Result<Vec<_>, _>>()?;
    /// let (group, _) = world.send_group(&squad, Pos::new(4, 1))?;
    /// let mut events = Vec::new();
    /// while !events.contains(&Event::GroupArrived { group, settled_short: 0 }) {
    ///     world.tick(Budget::Unlimited, &mut events);
    /// }
    /// assert!(squad.iter().all(|&agent| world.has_arrived(agent) == Ok(true)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If one of the agents does not exist or the goal is outside the map; then no agent is sent.
    pub fn send_group(
        &mut self,
        agents: &[AgentId],
        goal: Pos,
    ) -> Result<(GroupId, Vec<Destination>), WorldError> {
        for &agent in agents {
            self.agents.row(agent)?;
        }
        if !self.grid.size().contains(goal) {
            return Err(WorldError::Outside(goal));
        }
        let group = self.form_group();
        let send = |&agent: &AgentId| self.send_in_group(group, agent, goal);
        let destinations = agents.iter().map(send).collect::<Result<_, _>>()?;
        Ok((group, destinations))
    }

    /// Returns the group to which an agent belongs, `None` after the group has arrived.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("......"), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// let (group, _) = world.send_group(&[agent], Pos::new(5, 0))?;
    /// assert_eq!(world.group(agent)?, Some(group));
    /// world.halt(agent)?;
    /// assert_eq!(world.group(agent)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn group(&self, agent: AgentId) -> Result<Option<GroupId>, WorldError> {
        self.agents.row(agent).map(|row| self.agents.group[row.index()])
    }

    /// Makes the id of a new group.
    pub(crate) fn form_group(&mut self) -> GroupId {
        let group = GroupId(self.next_group);
        self.next_group += 1;
        self.record(Input::FormGroup);
        group
    }

    /// Sends an agent to a goal as a member of a group.
    pub(crate) fn send_in_group(
        &mut self,
        group: GroupId,
        id: AgentId,
        goal: Pos,
    ) -> Result<Destination, WorldError> {
        let agent = self.agents.row(id)?;
        if group.0 >= self.next_group {
            return Err(WorldError::NoSuchGroup(group));
        }
        if !self.grid.size().contains(goal) {
            return Err(WorldError::Outside(goal));
        }
        self.orders.set(agent, None);
        self.record(Input::SendInGroup(group, id, goal));
        let destination = self.retask(agent, goal);
        self.agents.group[agent.index()] = Some(group);
        Ok(destination)
    }

    /// Reports the groups whose members are all in place or have settled short, and ends them.
    pub(crate) fn observe_groups(&mut self, events: &mut Vec<Event>) {
        let mut members = std::mem::take(&mut self.members);
        members.clear();
        for &agent in &self.agents.living {
            let Some(group) = self.agents.group[agent.index()] else { continue };
            let arrival = &self.agents.arrival[agent.index()];
            // No cell is left for it, which has been reported.
            let is_lost = arrival.stage == Stage::NoTarget && arrival.review == Review::Done;
            let is_short = is_lost || matches!(arrival.reported, Reported::Short(_));
            let is_there = is_lost || arrival.is_answered();
            members.push(Member { group, agent, is_there, is_short });
        }
        members.sort_unstable_by_key(|member| (member.group, member.agent));
        for group in members.chunk_by(|one, other| one.group == other.group) {
            if group.iter().all(|member| member.is_there) {
                let settled_short = group.iter().filter(|member| member.is_short).count() as u32;
                events.push(Event::GroupArrived { group: group[0].group, settled_short });
                for member in group {
                    self.agents.group[member.agent.index()] = None;
                }
            }
        }
        self.members = members;
    }
}
