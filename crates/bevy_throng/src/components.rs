//! The components of units. Those that the game sets are inputs of the next tick; the plugin never changes them.

use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use throng::{AgentId, ForeignId, Pos, ProfileId, Speed, WorldError};

use crate::CrowdId;

/// A unit that finds its path. It enters its crowd with the next tick, at its [`GridPosition`], and leaves it when the
/// component or the entity is removed.
///
/// The plugin moves its `Transform` if it has one.
#[derive(Component, Clone, Copy, PartialEq, Eq, Debug, Default)]
#[require(GridPosition, InCrowd)]
pub struct Agent;

/// A unit that the game moves. It occupies the cell of its [`GridPosition`], and agents avoid it.
#[derive(Component, Clone, Copy, PartialEq, Eq, Debug, Default)]
#[require(GridPosition, InCrowd)]
pub struct ForeignUnit;

/// The cell of a unit; (0, 0) unless it is set.
///
/// The plugin writes the cell of each agent after a tick, and marks the component as changed only if the agent moved. A
/// game that writes another cell teleports the agent, or moves the foreign unit. If the world refuses that, the old value
/// is restored and [`InputRefused`](crate::InputRefused) says why.
#[derive(Component, Clone, Copy, PartialEq, Eq, Debug)]
pub struct GridPosition(pub Pos);

impl GridPosition {
    /// The position of column `x` and row `y`.
    pub const fn new(x: i32, y: i32) -> Self {
        Self(Pos::new(x, y))
    }
}

impl Default for GridPosition {
    fn default() -> Self {
        Self::new(0, 0)
    }
}

/// The crowd of a unit; the first one unless it is set. A unit whose crowd does not exist waits for it.
#[derive(Component, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InCrowd(pub CrowdId);

/// What an agent is ordered to do. Every change of the component is an order; an equal value that is set again
/// repeats it. Without the component the agent has no goal.
///
/// It is an input only: it stays as it is when the agent arrives. For orders to groups use
/// [`Crowds::send_group`](crate::Crowds::send_group), and leave the component out.
#[derive(Component, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Goal {
    /// Go there: [`World::send`](throng::World::send).
    Cell(Pos),
    /// Pass these cells in order, and stay at the last one: [`World::queue`](throng::World::queue).
    Waypoints(Vec<Pos>),
    /// Go round these cells for ever: [`World::patrol`](throng::World::patrol).
    Patrol(Vec<Pos>),
    /// Keep a distance to a unit of the same crowd: [`World::follow`](throng::World::follow).
    Follow {
        /// An agent or a foreign unit.
        unit: Entity,
        /// The distance in cells.
        distance: u16,
    },
}

impl Goal {
    /// Go to column `x` and row `y`.
    pub const fn cell(x: i32, y: i32) -> Self {
        Self::Cell(Pos::new(x, y))
    }
}

/// The speed of an agent; one step per tick without it.
#[derive(Component, Clone, Copy, PartialEq, Eq, Debug)]
pub struct AgentSpeed(pub Speed);

/// The profile of an agent: which terrain it may enter, and at what cost. The first profile of the grid without it.
#[derive(Component, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AgentProfile(pub ProfileId);

/// The priority of an agent: the higher goes first. 0 without it.
#[derive(Component, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AgentPriority(pub i8);

/// The agent holds its position: no other agent pushes it while it rests.
#[derive(Component, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct HoldPosition;

/// The game moves the agent, by its [`GridPosition`]; the planner does not.
#[derive(Component, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ManualControl;

/// Binds the entity to an agent that the world has already, for example after a saved game was loaded, instead of
/// spawning a new one.
#[derive(Component, Clone, Copy, PartialEq, Eq, Debug)]
pub struct Adopt(pub AgentId);

/// The agent of the entity. The plugin inserts it when the agent enters its crowd, and removes it when it leaves.
#[derive(Component, Clone, Copy, PartialEq, Eq, Debug)]
pub struct AgentHandle {
    pub(crate) crowd: CrowdId,
    pub(crate) id: AgentId,
}

impl AgentHandle {
    /// Returns the crowd.
    pub const fn crowd(&self) -> CrowdId {
        self.crowd
    }

    /// Returns the id of the agent in the world of the crowd.
    pub const fn id(&self) -> AgentId {
        self.id
    }
}

/// The foreign unit of the entity. The plugin inserts it when the unit enters its crowd, and removes it when it leaves.
#[derive(Component, Clone, Copy, PartialEq, Eq, Debug)]
pub struct ForeignHandle {
    pub(crate) crowd: CrowdId,
    pub(crate) id: ForeignId,
}

impl ForeignHandle {
    /// Returns the crowd.
    pub const fn crowd(&self) -> CrowdId {
        self.crowd
    }

    /// Returns the id of the unit in the world of the crowd.
    pub const fn id(&self) -> ForeignId {
        self.id
    }
}

/// The unit could not enter its crowd, for example because its cell is occupied. The plugin inserts it, and tries again
/// when the [`GridPosition`], the [`InCrowd`] or the [`AgentProfile`] of the unit changes or the game removes this
/// component.
#[derive(Component, Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refused(pub WorldError);
