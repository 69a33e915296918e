//! Events: what a tick reports about agents.

use throng_grid::Pos;

use crate::{AgentId, GroupId, Unit};

/// Something that happened to an agent, or a notice of the planner. A tick emits events in the order in which they happen, events of one kind in
/// the order of rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Event {
    /// The agent began a step to a neighbouring cell, which is its position from now on.
    Moved {
        /// The agent.
        agent: AgentId,
        /// The cell left.
        from: Pos,
        /// The cell entered.
        to: Pos,
        /// The number of ticks that the step lasts, this one included. Until the last of them the agent holds both cells.
        ticks: u32,
    },
    /// The agent stayed because a unit holds the cell it wanted, or another agent enters it or crosses the step.
    Waited {
        /// The agent.
        agent: AgentId,
        /// The cell it wanted.
        wanted: Pos,
        /// The unit that holds or enters that cell or crosses the step, if it is known.
        by: Option<Unit>,
    },
    /// The agent is in place: it stands on its own target, and the step onto it is done. That is at its goal or, if several agents were sent there, on one of
    /// the cells nearest to it. Emitted once per order, and again when the agent returns after [`Event::LeftGoal`].
    Arrived {
        /// The agent.
        agent: AgentId,
    },
    /// The agent has passed a waypoint of [`World::queue`](crate::World::queue) or [`World::patrol`](crate::World::patrol) and
    /// goes on.
    Waypoint {
        /// The agent.
        agent: AgentId,
        /// The waypoint.
        at: Pos,
    },
    /// The agent goes on without a waypoint that it cannot reach as far as it knows.
    WaypointSkipped {
        /// The agent.
        agent: AgentId,
        /// The waypoint.
        at: Pos,
    },
    /// The unit that the agent followed was removed, and the agent has no goal any more.
    FollowEnded {
        /// The agent.
        agent: AgentId,
        /// The unit.
        unit: Unit,
    },
    /// The agent stands as near to its goal as it can get: units that stay where they are cut it off from the cells
    /// around the goal. It goes on by itself when there is room ([`Event::LeftGoal`]).
    SettledShort {
        /// The agent.
        agent: AgentId,
        /// The number of steps on the map to its goal, or to the reachable cell nearest to it.
        distance: u32,
    },
    /// All agents that still follow the order of a group are in place or have settled short; the group ends.
    GroupArrived {
        /// The group.
        group: GroupId,
        /// The number of them that have settled short, or for which no cell is left.
        settled_short: u32,
    },
    /// The agent is no longer on its target although it has the same goal: it made room for another agent, was moved by
    /// the game, or got another target.
    LeftGoal {
        /// The agent.
        agent: AgentId,
    },
    /// The planner moved the agent out of another agent's way.
    Pushed {
        /// The agent.
        agent: AgentId,
        /// The agent for which it moved.
        by: AgentId,
    },
    /// The planner proposed an illegal move and the agent stayed: a bug of the planner.
    Overruled {
        /// The agent.
        agent: AgentId,
        /// The proposed cell; `None` if it is not on the map.
        wanted: Option<Pos>,
        /// The rule that the proposal breaks.
        rule: Rule,
    },
    /// Agents know only what they have seen, and the agent has discovered that the step of its path into a cell is not
    /// possible: the cell or one beside it is blocked. It looks for another path.
    Discovered {
        /// The agent.
        agent: AgentId,
        /// The cell that the step would have entered.
        at: Pos,
    },
    /// The planner reported something about itself, such as a choice and its reasons.
    Notice {
        /// The position of the text in [`World::notices`](crate::World::notices), until the next tick.
        number: usize,
    },
    /// The goal cannot be reached as far as the agent knows; the agent goes to another cell instead.
    Unreachable {
        /// The agent.
        agent: AgentId,
        /// The goal.
        goal: Pos,
        /// The cell that it goes to.
        instead: Pos,
    },
    /// The cell of the agent was blocked, and the agent was moved to the nearest free cell.
    Displaced {
        /// The agent.
        agent: AgentId,
        /// The blocked cell.
        from: Pos,
        /// The new position.
        to: Pos,
    },
    /// The agent is not at its target and has not stepped in [`Settings::stuck_after`](crate::Settings::stuck_after)
    /// ticks in which it was free to step; emitted once until it steps. Or it steps without getting on:
    /// [`StuckReason::Wandering`].
    Stuck {
        /// The agent.
        agent: AgentId,
        /// The reason.
        reason: StuckReason,
        /// The unit in its way, if any.
        by: Option<Unit>,
    },
}

/// A rule for the moves of a tick.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Rule {
    /// The step is not one legal move.
    Illegal,
    /// The agent's last step is not done, or the planner does not control it.
    NotItsTurn,
    /// Another unit holds the cell, also because its step away from it lasts several ticks, or another agent enters it
    /// (vertex conflict).
    SharedCell,
    /// Two agents would exchange their cells (swap conflict).
    Swap,
    /// Two agents would cross diagonally, also if one of them is in the middle of a step, and [`Settings::crossings`](crate::Settings::crossings) forbids it.
    Crossing,
}

/// Why an agent is stuck.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StuckReason {
    /// An agent that has arrived is in the way.
    BehindArrived,
    /// Another agent that is not at its target is in the way.
    Crowded,
    /// A unit that the planner does not control is in the way.
    BehindForeign,
    /// The agent has stayed within eight cells of one cell for eight times the ticks after which a standing agent is
    /// stuck. Emitted once until it has gone further. The agent that it last waited for may be in its way.
    Wandering,
    /// The agent stands inside a wall, or other agents claim every cell that it can reach.
    NoReachableCell,
    /// The planner has found no path yet.
    NoPathYet,
}
