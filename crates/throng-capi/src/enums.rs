//! The values of arguments and fields that choose one of several. Functions take and structures have plain numbers, because
//! a program in C may pass any.

use crate::status::{Failure, Outcome};

/// Returns the value that a number stands for.
pub(crate) fn choose<T: Copy>(what: &str, values: &[T], number: u32) -> Outcome<T> {
    let unknown =
        || Failure::invalid(format!("{number} is not a {what}: it has the values 0 to {}", values.len() - 1));
    values.get(number as usize).copied().ok_or_else(unknown)
}

/// Returns the truth value that a number stands for.
pub(crate) fn truth(what: &str, number: u32) -> Outcome<bool> {
    choose(what, &[false, true], number)
}

/// Corner rule: when a diagonal step past a blocked cell is legal.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThrongCorners {
    /// Both cells beside the step must be free.
    Forbid = 0,
    /// Every diagonal step between two free cells is legal.
    Allow = 1,
    /// Both cells must have terrain that the agent may enter; cells blocked by an edit do not count.
    Mixed = 2,
}

/// The terrain of a cell.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThrongTerrain {
    /// `.`, ground.
    Ground = 0,
    /// `G`, grass.
    Grass = 1,
    /// `S`, swamp.
    Swamp = 2,
    /// `W`, water.
    Water = 3,
    /// `T`, trees.
    Trees = 4,
    /// `@`, a wall.
    Wall = 5,
    /// `O`, outside the level.
    Outside = 6,
}

/// Whether two agents may cross within a tick.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThrongCrossings {
    /// They may not.
    Forbid = 0,
    /// They may.
    Allow = 1,
}

/// How much agents may share. A planner that requires more is refused.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThrongSharing {
    /// Nothing: agents see each other's positions only.
    Nothing = 0,
    /// They may ask each other to move.
    MoveRequests = 1,
    /// They see each other's reservations.
    Reservations = 2,
    /// Everything.
    Everything = 3,
}

/// Whether the time of a step follows its cost.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThrongStepTime {
    /// All steps last equally long.
    Uniform = 0,
    /// A step lasts as long as it costs.
    Cost = 1,
}

/// How the work of a tick is limited.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThrongBudget {
    /// It is not.
    Unlimited = 0,
    /// By units of work of about 50 nanoseconds. Equal on every machine.
    Units = 1,
    /// By node expansions. Equal on every machine.
    Expansions = 2,
    /// By rounds of work, as `ThrongTickReport` counts them: repeats a tick that was limited by time.
    Rounds = 3,
    /// By microseconds of the machine's clock. Decisions depend on the machine.
    Microseconds = 4,
}

/// The kind of a unit.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThrongUnitKind {
    /// No unit.
    None = 0,
    /// An agent.
    Agent = 1,
    /// A foreign unit.
    Foreign = 2,
}

/// What an edit changes.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThrongEditKind {
    /// Blocks cells.
    Block = 0,
    /// Takes `Block` back.
    Unblock = 1,
    /// Changes the terrain to `value`, a `ThrongTerrain`.
    Terrain = 2,
    /// Lets only agents of the passage classes `value` pass, one bit per class. All bits remove the door.
    Door = 3,
    /// Adds `extra` halves to the cost multiplier for agents of the passage classes `value`. 0 takes it back.
    Cost = 4,
}

/// The cells of an edit.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThrongShape {
    /// The rectangle between the corners `a` and `b`, both included.
    Rectangle = 0,
    /// The cells up to `radius` from `a`.
    Disc = 1,
}

/// What an event reports. `ThrongEvent` says which fields each kind uses.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThrongEventKind {
    /// An event that this version of the library does not know.
    Unknown = 0,
    /// The agent began a step `from` a cell `to` another, which lasts `number` ticks.
    Moved = 1,
    /// The agent stayed because `unit`, if it is known, holds the cell `to`, enters it, or crosses the step.
    Waited = 2,
    /// The agent is in place.
    Arrived = 3,
    /// The agent has passed the waypoint `to` and goes on.
    Waypoint = 4,
    /// The agent goes on without the waypoint `to`, which it cannot reach.
    WaypointSkipped = 5,
    /// `unit`, which the agent followed, was removed.
    FollowEnded = 6,
    /// The agent stands as near to its goal as it can get, `number` steps from it.
    SettledShort = 7,
    /// All agents of a group, whose id is in `agent`, are in place, or `number` of them have settled short.
    GroupArrived = 8,
    /// The agent is no longer on its target although it has the same goal.
    LeftGoal = 9,
    /// The planner moved the agent out of the way of `unit`.
    Pushed = 10,
    /// The planner proposed the illegal move `to` a cell, and the agent stayed. `number` is a `ThrongRule`. A bug of the
    /// planner.
    Overruled = 11,
    /// The agent has discovered that the step of its path into the cell `to` is not possible.
    Discovered = 12,
    /// The planner reported something about itself: the text `number` of `throng_world_notice`.
    Notice = 13,
    /// The goal `from` cannot be reached as far as the agent knows; it goes `to` another cell instead.
    Unreachable = 14,
    /// The cell `from` of the agent was blocked, and the agent was moved `to` the nearest free cell.
    Displaced = 15,
    /// The agent does not get on. `number` is a `ThrongStuckReason`, `unit` is in its way if it is known.
    Stuck = 16,
}

/// A rule for the moves of a tick.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThrongRule {
    /// A rule that this version of the library does not know.
    Unknown = 0,
    /// The step is not one legal move.
    Illegal = 1,
    /// The agent's last step is not done, or the planner does not control it.
    NotItsTurn = 2,
    /// Another unit holds or enters the cell.
    SharedCell = 3,
    /// Two agents would exchange their cells.
    Swap = 4,
    /// Two agents would cross diagonally.
    Crossing = 5,
}

/// Why an agent is stuck.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThrongStuckReason {
    /// A reason that this version of the library does not know.
    Unknown = 0,
    /// An agent that has arrived is in the way.
    BehindArrived = 1,
    /// Another agent that is not at its target is in the way.
    Crowded = 2,
    /// A unit that the planner does not control is in the way.
    BehindForeign = 3,
    /// The agent has stayed near one cell for a long time.
    Wandering = 4,
    /// The agent stands inside a wall, or other agents claim every cell that it can reach.
    NoReachableCell = 5,
    /// The planner has found no path yet.
    NoPathYet = 6,
}

/// What an agent does.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThrongState {
    /// A state that this version of the library does not know.
    Unknown = 0,
    /// It has no goal.
    Idle = 1,
    /// The planner does not control it.
    Uncontrolled = 2,
    /// It is on its way.
    Moving = 3,
    /// It was free to step in the last tick, but did not: `wanted` and `unit` say why, if that is known.
    Waiting = 4,
    /// It does not get on. `number` is a `ThrongStuckReason`, `unit` is in its way if it is known.
    Stuck = 5,
    /// It stands on its own target.
    InPlace = 6,
    /// Other units cut it off from its goal, which is `number` steps away.
    SettledShort = 7,
}

/// Where an agent that was sent to a goal will go.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThrongDestinationKind {
    /// A destination that this version of the library does not know.
    Unknown = 0,
    /// To its goal, or to one of the cells nearest to it.
    Goal = 1,
    /// The goal cannot be reached; to the cell `at` instead.
    Unreachable = 2,
    /// The goal is taken; to the cell `at` near it.
    Taken = 3,
    /// Nowhere.
    Nowhere = 4,
    /// The order was refused.
    Refused = 5,
}

/// How certain a part of a path is.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThrongCertainty {
    /// The planner has planned the step.
    Planned = 0,
    /// The step follows the distances by which the planner guides the agent.
    Guide = 1,
    /// The planner does not know yet how the agent goes on.
    Unknown = 2,
}

/// What an agent does after its present goal.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThrongOrdersKind {
    /// Orders that this version of the library does not know.
    Unknown = 0,
    /// Nothing.
    None = 1,
    /// It goes on to the waypoints, in order.
    Queue = 2,
    /// It goes round the points for ever; `next` is the number of the one to which it goes.
    Patrol = 3,
    /// It follows `unit` up to `distance` cells.
    Follow = 4,
}
