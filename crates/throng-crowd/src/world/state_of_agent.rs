//! What an agent does: its state between two ticks, with one meaning for every planner.

use throng_grid::Pos;

use crate::goals::arrival::{Reported, Stage};
use crate::{AgentId, AgentRow, StuckReason, Unit, World, WorldError};

/// What an agent does between two ticks. It agrees with the events of the ticks before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AgentState {
    /// It has no goal. The planner may move it out of the way of others.
    Idle,
    /// The planner does not control it: [`World::control`].
    Uncontrolled,
    /// It is on its way: it has made a step, pauses between two steps, or was sent after the last tick.
    Moving,
    /// It is on its way and was free to step in the last tick, but did not.
    Waiting {
        /// The cell that it wanted; `None` if it has no path yet.
        wanted: Option<Pos>,
        /// The unit that holds or enters that cell or crosses the step, if it is known.
        by: Option<Unit>,
    },
    /// It is on its way and does not get on: [`Event::Stuck`](crate::Event::Stuck) was emitted, and what it reported still holds.
    Stuck {
        /// The reason, as things are now.
        reason: StuckReason,
        /// The unit in its way, if any.
        by: Option<Unit>,
    },
    /// It stands on its own target: the goal, or one of the final cells of the agents sent there.
    InPlace,
    /// Other units cut it off from its goal: [`Event::SettledShort`](crate::Event::SettledShort). It goes on by itself.
    SettledShort {
        /// The number of steps on the map to its goal, or to the reachable cell nearest to it.
        distance: u32,
    },
}

impl World {
    /// Returns what an agent does.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// assert_eq!(world.state(agent)?, AgentState::Idle);
    /// world.send(agent, Pos::new(4, 0))?;
    /// assert_eq!(world.state(agent)?, AgentState::Moving);
    /// for _ in 0..4 {
    ///     world.tick(Budget::Unlimited, &mut Vec::new());
    /// }
    /// assert_eq!(world.state(agent)?, AgentState::InPlace);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn state(&self, agent: AgentId) -> Result<AgentState, WorldError> {
        self.agents.row(agent).map(|row| self.state_of(row))
    }

    fn state_of(&self, agent: AgentRow) -> AgentState {
        let (arrival, i) = (&self.agents.arrival[agent.index()], agent.index());
        if !self.agents.controlled[i] {
            return AgentState::Uncontrolled;
        }
        if let Reported::Short(distance) = arrival.reported
            && self.stands_on_own_cell(agent)
        {
            return AgentState::SettledShort { distance };
        }
        match arrival.stage {
            Stage::NoGoal => return AgentState::Idle,
            Stage::NoTarget => return AgentState::Stuck { reason: StuckReason::NoReachableCell, by: None },
            _ if self.is_in_place(agent) => return AgentState::InPlace,
            _ if !self.is_under_way(agent) => return AgentState::Moving,
            _ => {}
        }
        let stuck = &arrival.stuck;
        let by = stuck.blocker.filter(|&unit| self.is_present(unit));
        if self.stands_for_long(agent) {
            let by = by.filter(|_| stuck.wanted.is_some());
            return AgentState::Stuck { reason: self.reason_to_stand(stuck.wanted, by), by };
        }
        if self.wanders(agent) {
            return AgentState::Stuck { reason: StuckReason::Wandering, by };
        }
        match (stuck.still_ticks, stuck.wanted) {
            (0, None) => AgentState::Moving,
            _ => AgentState::Waiting {
                wanted: stuck.wanted.map(|cell| self.pos(cell)),
                by: by.filter(|_| stuck.wanted.is_some()),
            },
        }
    }
}
