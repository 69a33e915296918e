//! Handles, ids and structures of the header. All are plain data: any bytes are a value, and padding is stated.

use std::ffi::c_char;

/// A handle of a map. 0 is none.
pub type ThrongMap = u64;
/// A handle of a world. 0 is none.
pub type ThrongWorld = u64;
/// A handle of bytes that the library has made, such as a snapshot. 0 is none.
pub type ThrongBytes = u64;
/// The id of an agent of one world. The lower half is a row, which later agents may get, the upper half tells them apart.
pub type ThrongAgent = u64;
/// The id of a foreign unit of one world: an obstacle of one cell that the game moves.
pub type ThrongForeign = u64;
/// The id of a group of one world.
pub type ThrongGroup = u64;

/// No agent, foreign unit or group has this id.
pub const THRONG_NO_ID: u64 = u64::MAX;
/// The version of the binary interface: `throng_abi_version` returns that of the library.
pub const THRONG_ABI_VERSION: u32 = 1;

/// Types of which any bytes are a value.
///
/// # Safety
/// Every bit pattern is a valid value, and the type has no references and no destructor.
pub(crate) unsafe trait Plain: Copy {}

macro_rules! plain {
    ($($name:ty),+) => {
        $(
            // SAFETY: it consists of integers and of structures of integers.
            unsafe impl Plain for $name {}
        )+
    };
}

plain!(u8, u32, u64, usize, c_char);
plain!(ThrongPos, ThrongProfile, ThrongSettings, ThrongAgentSpec, ThrongOrder, ThrongDestination, ThrongEdit);
plain!(
    ThrongUnit,
    ThrongEvent,
    ThrongTickReport,
    ThrongMotion,
    ThrongAgentInfo,
    ThrongNextCell,
    ThrongPathCell
);
plain!(ThrongRemaining, ThrongOrders, ThrongWorldInfo, ThrongCheck);

/// A position: column and row, from 0 at the upper left.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThrongPos {
    /// The column.
    pub x: i32,
    /// The row.
    pub y: i32,
}

/// A kind of agent: which terrain it may enter and at what cost.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThrongProfile {
    /// The cost multiplier of each `ThrongTerrain` in halves, at most 16; 0 for terrain that it may not enter. The usual
    /// profile is 2, 2, 2, 0, 0, 0, 0.
    pub halves: [u8; 7],
    /// The passage class, below 32: whom doors and cost overlays apply to.
    pub passage_class: u8,
}

/// The settings of a world. `throng_settings_default` fills them in.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThrongSettings {
    /// The size of this structure, by which later versions know which fields it has.
    pub struct_size: u32,
    /// A `ThrongSharing`.
    pub sharing: u32,
    /// The seed of the random values that planners use.
    pub seed: u64,
    /// The ticks without a step after which an agent is reported stuck; 0 disables these reports.
    pub stuck_after: u32,
    /// A `ThrongCrossings`.
    pub crossings: u32,
    /// A `ThrongStepTime`.
    pub step_time: u32,
    /// How far agents see, in cells; 0 if they know the whole map.
    pub fog_radius: u32,
    /// 1 if agents share one map of what they have seen.
    pub fog_shared: u32,
    /// Must be 0.
    pub reserved: u32,
}

/// The properties of an agent when it is spawned.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThrongAgentSpec {
    /// The start position.
    pub at: ThrongPos,
    /// The number of the profile; 0 is the usual one.
    pub profile: u32,
    /// With `ticks`, the speed: this number of steps in `ticks` ticks. Both 0: one step per tick.
    pub steps: u32,
    /// See `steps`.
    pub ticks: u32,
    /// Must be 0.
    pub reserved: u32,
    /// A value for the game's own use.
    pub user: u64,
}

/// A unit and a position to which it goes.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThrongOrder {
    /// The agent or foreign unit.
    pub unit: u64,
    /// The position.
    pub to: ThrongPos,
}

/// Where an agent that was sent to a goal will go.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThrongDestination {
    /// A `ThrongDestinationKind`.
    pub kind: u32,
    /// The cell, for the kinds that name one.
    pub at: ThrongPos,
}

/// A change of the map.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThrongEdit {
    /// A `ThrongEditKind`.
    pub kind: u32,
    /// A `ThrongShape`.
    pub shape: u32,
    /// A corner of the rectangle, or the centre of the disc.
    pub a: ThrongPos,
    /// The opposite corner of the rectangle.
    pub b: ThrongPos,
    /// The radius of the disc.
    pub radius: i32,
    /// A terrain or passage classes, see `ThrongEditKind`.
    pub value: u32,
    /// Halves of cost, see `ThrongEditKind`.
    pub extra: u32,
}

/// An agent or a foreign unit.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThrongUnit {
    /// The id; `THRONG_NO_ID` for no unit.
    pub id: u64,
    /// A `ThrongUnitKind`.
    pub kind: u32,
    /// Unused.
    pub reserved: u32,
}

/// What a tick reports. `ThrongEventKind` says which fields an event uses; the others are 0, `THRONG_NO_ID` or (-1, -1).
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThrongEvent {
    /// A `ThrongEventKind`.
    pub kind: u32,
    /// A number of ticks, steps or agents, a text, a rule or a reason.
    pub number: u32,
    /// The agent; the group of `GroupArrived`; `THRONG_NO_ID` for `Notice`.
    pub agent: u64,
    /// The cell left, or the goal.
    pub from: ThrongPos,
    /// The cell entered, wanted or passed; (-1, -1) if it is not on the map.
    pub to: ThrongPos,
    /// The other unit, if there is one and it is known.
    pub unit: ThrongUnit,
}

/// What the planner did in one tick.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThrongTickReport {
    /// Node expansions.
    pub expansions: u64,
    /// The expansions among them of backward searches.
    pub backwards: u64,
    /// Units of work.
    pub units: u64,
    /// Rounds of work. A tick limited by microseconds is repeated by this number of rounds.
    pub rounds: u32,
    /// The number of events, which `throng_world_events` returns until the next tick.
    pub events: u32,
}

/// The step that an agent made or went on with in the last tick. An agent that did neither is at rest: `from` equals `to`.
///
/// At a fraction `f` of a tick, `(now - start + f) / ticks` of the step are done, where `now` is the last tick.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThrongMotion {
    /// The agent.
    pub agent: u64,
    /// The cell that it leaves.
    pub from: ThrongPos,
    /// The cell that it enters, which is its position.
    pub to: ThrongPos,
    /// The tick in which the step began; the last tick if the agent is at rest.
    pub start: u64,
    /// The number of ticks that the step lasts; 1 if the agent is at rest.
    pub ticks: u32,
    /// Unused.
    pub reserved: u32,
}

/// All about one agent.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThrongAgentInfo {
    /// The position: during a step the cell that it enters.
    pub at: ThrongPos,
    /// The goal; (-1, -1) without one.
    pub goal: ThrongPos,
    /// The cell that it heads for; (-1, -1) if there is none.
    pub target: ThrongPos,
    /// The cell that it waits for; (-1, -1) if there is none.
    pub wanted: ThrongPos,
    /// A `ThrongState`.
    pub state: u32,
    /// A reason or a number of steps, see `ThrongState`.
    pub number: u32,
    /// The unit in its way, if it is known.
    pub unit: ThrongUnit,
    /// The number of the profile.
    pub profile: u32,
    /// With `ticks`, the speed: this number of steps in `ticks` ticks.
    pub steps: u32,
    /// See `steps`.
    pub ticks: u32,
    /// The priority.
    pub priority: i32,
    /// The group whose order it follows; `THRONG_NO_ID` if there is none.
    pub group: u64,
    /// The value for the game's own use.
    pub user: u64,
}

/// The next cell of an agent.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThrongNextCell {
    /// The cell; (-1, -1) if it is not known.
    pub at: ThrongPos,
    /// 1 if it is known; 0 if the agent is at its target or has none, or if the planner does not know its next step yet.
    pub is_known: u32,
}

/// A cell of a remaining path.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThrongPathCell {
    /// The position.
    pub at: ThrongPos,
    /// A `ThrongCertainty`.
    pub certainty: u32,
}

/// How far and how long an agent has to go.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThrongRemaining {
    /// The ticks until the agent is in place if it never waits.
    pub ticks: u64,
    /// The cost of the remaining path: 1,632 for a straight step on plain ground, 2,308 for a diagonal one.
    pub cost: u32,
    /// The least certainty of the path, a `ThrongCertainty`.
    pub certainty: u32,
    /// 1 if the agent has a target; otherwise all other fields are 0.
    pub has_target: u32,
    /// Unused.
    pub reserved: u32,
}

/// What an agent does after its present goal.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThrongOrders {
    /// A `ThrongOrdersKind`.
    pub kind: u32,
    /// The number of the point to which a patrol goes; 0 otherwise.
    pub next: u32,
    /// The distance to the unit that it follows, in cells; 0 otherwise.
    pub distance: u32,
    /// Unused.
    pub reserved: u32,
    /// The unit that it follows, if it follows one.
    pub unit: ThrongUnit,
}

/// About a world.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThrongWorldInfo {
    /// The number of ticks so far.
    pub ticks: u64,
    /// Node expansions since the world was created.
    pub expansions: u64,
    /// How often an agent stayed because a unit held the cell that it wanted.
    pub failed_moves: u64,
    /// How often a proposal of the planner was illegal.
    pub overruled: u64,
    /// How often two agents crossed within a tick.
    pub crossings: u64,
    /// The number of living agents.
    pub agents: u32,
    /// The number of foreign units.
    pub foreign_units: u32,
    /// The width of the map.
    pub width: u32,
    /// The height of the map.
    pub height: u32,
}

/// The result of checking a recording.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThrongCheck {
    /// The ticks that were checked.
    pub ticks: u64,
    /// The decisions that were checked.
    pub agent_steps: u64,
    /// The number of violated rules; 0 for a clean recording.
    pub violations: u64,
}
