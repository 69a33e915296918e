//! What happened in a tick.

use throng_grid::{Cell, Pos};

use crate::AgentId;

/// Something that happened to an agent, in the order in which it happened within a tick; equal things in the order
/// of the agents' numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Event {
    /// It stepped to a neighbouring cell.
    Moved {
        /// Who.
        agent: AgentId,
        /// The cell left.
        from: Cell,
        /// The cell entered.
        to: Cell,
    },
    /// It has somewhere to go and stayed, because somebody holds or takes the cell it wanted.
    Waited {
        /// Who.
        agent: AgentId,
        /// The cell it wanted.
        wanted: Cell,
        /// Who holds or takes that cell; `None` for a foreign unit.
        by: Option<AgentId>,
    },
    /// It has reached its target, or stands there already when it is sent. Told once each time it is sent, and again
    /// when it comes back after [`Event::LeftGoal`].
    Arrived {
        /// Who.
        agent: AgentId,
    },
    /// It was at its target and is not any more, without having been sent elsewhere: it made room, was set down
    /// elsewhere, or its target had to be chosen anew.
    LeftGoal {
        /// Who.
        agent: AgentId,
    },
    /// It was moved out of another agent's way.
    Pushed {
        /// Who.
        agent: AgentId,
        /// For whom.
        by: AgentId,
    },
    /// The planner wanted what the rules forbid, and the agent stayed: a bug of the planner.
    Overruled {
        /// Who.
        agent: AgentId,
        /// The cell it was to enter.
        wanted: Cell,
        /// Which rule.
        rule: Rule,
    },
    /// Its goal cannot be reached: it goes to another cell instead.
    Unreachable {
        /// Who.
        agent: AgentId,
        /// Where it was sent.
        goal: Pos,
        /// Where it goes instead.
        instead: Cell,
    },
    /// A wall appeared where it stood, and it was set down beside it.
    Displaced {
        /// Who.
        agent: AgentId,
        /// Where it stood.
        from: Cell,
        /// Where it stands now.
        to: Cell,
    },
    /// It has somewhere to go and has not stepped for [`Settings::stuck_after`](crate::Settings::stuck_after) ticks in
    /// which it could have. Told once, until it steps. Or it steps and gets nowhere: [`StuckReason::Wandering`].
    Stuck {
        /// Who.
        agent: AgentId,
        /// Why.
        reason: StuckReason,
        /// Who is in its way, if somebody is.
        by: Option<AgentId>,
    },
}

/// A rule that a planner broke.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Rule {
    /// The cell is not one legal move away.
    Illegal,
    /// The agent has stepped too recently for its speed, or is not the planner's to move.
    NotItsTurn,
    /// Somebody else holds or takes the cell.
    SharedCell,
    /// Two agents would change places.
    Swap,
}

/// Why an agent is stuck.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StuckReason {
    /// Agents that stand at their own targets are in the way.
    BehindArrived,
    /// Agents that want to go somewhere are in the way.
    Crowded,
    /// A unit that the planner does not move is in the way: a foreign one, or an agent that is not under control.
    BehindForeign,
    /// It has been about within eight cells of a place for eight times as long as it may stand still, without getting to
    /// its target. Told once, until it has gone further. Whoever it last waited for may be in its way.
    Wandering,
    /// It stands inside a wall, or others go to every cell that it can reach.
    NoReachableCell,
    /// Its planner has found no way yet.
    NoPathYet,
}
