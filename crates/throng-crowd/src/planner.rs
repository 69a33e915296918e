//! Planners: the interface between the world and the algorithms that move agents.
//!
//! In each tick a planner reads a [`View`] of the world, does as much work as [`Work`] grants, and proposes a next cell
//! per agent in [`Moves`]. The referee judges the proposals. A planner sees the map, all agents with their positions,
//! targets and speeds, the occupied cells, the tick number and a seed. It sees neither goals nor claims nor a clock.

mod moves;
mod named;
mod simple;
mod view;

use serde::{Deserialize, Serialize};
use throng_grid::{Cell, Grid};

pub use self::moves::Moves;
pub use self::named::{MapShape, NamedPlanner};
pub use self::simple::{Scripted, Stationary};
pub use self::view::View;
use crate::{
    AgentRow, Certainty, Limits, MapKnowledge, PlannerLayer, PlannerMark, StateError, StepTime, Work,
};

/// How much agents may share with each other. A planner states what it requires, a world what it grants.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Sharing {
    /// Nothing: an agent only sees the units around it.
    Nothing,
    /// Agents may request other agents to move aside.
    MoveRequests,
    /// Agents may reserve cells for coming ticks.
    Reservations,
    /// One planner plans for all agents jointly.
    #[default]
    Everything,
}

impl Sharing {
    /// Returns the name for messages and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::MoveRequests => "move requests",
            Self::Reservations => "reservations",
            Self::Everything => "everything",
        }
    }
}

/// A change of an agent that the planner did not cause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AgentChange {
    /// The agent is new.
    Spawned,
    /// The agent was removed. A later agent may get its row: the planner forgets everything about the row.
    Despawned,
    /// The agent has another target, or none any more.
    Retasked,
    /// The agent was moved without a step.
    Relocated,
    /// The agent has another profile: it may enter other cells, or at other costs.
    Reprofiled,
}

/// Decides the next cell of each agent.
///
/// A planner does not move agents itself. It has no clock, no threads and no random source of its own; the [`View`] and
/// [`Work`] provide them, so that equal inputs give equal decisions.
pub trait Planner: Send + Sync {
    /// Returns a copy that makes the same decisions from now on, for [`World::clone`](crate::World). What it reads and does not
    /// change, such as what it computed about the map, should be shared with the original by [`Arc`](std::sync::Arc).
    fn clone_box(&self) -> Box<dyn Planner>;

    /// Returns a planner that decides as one that is newly made for a map, and takes over what this one has computed about the
    /// map, so that [`World::restore_like`](crate::World::restore_like) does not compute it again. `None`: the caller makes one.
    fn renewed(&self, grid: &Grid) -> Option<Box<dyn Planner>> {
        let _ = grid;
        None
    }

    /// Returns how much the planner requires agents to share.
    fn required_sharing(&self) -> Sharing;

    /// Returns how much of the map the planner requires to know. A planner that requires less than the whole map reads it
    /// by [`View::ground`] only, keeps nothing about the map that it was created with, and reports discovered walls by
    /// [`Moves::discover`].
    fn required_map(&self) -> MapKnowledge {
        MapKnowledge::Whole
    }

    /// Returns the most general time of steps that the planner supports. One that supports [`StepTime::Cost`] assumes of no
    /// step that it lasts as long as another: it asks [`View::step_ticks`].
    fn step_time(&self) -> StepTime {
        StepTime::Uniform
    }

    /// Returns the units of work that one of its expansions costs, see [`Budget::Units`](crate::Budget::Units).
    fn expansion_price(&self) -> u64 {
        1
    }

    /// Proposes the next cell of each agent in [`View::movers`]. An agent without a proposal stays.
    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves);

    /// Notifies the planner of a change of an agent between two ticks.
    fn on_change(&mut self, agent: AgentRow, change: AgentChange) {
        let _ = (agent, change);
    }

    /// Emits the marks of a debug layer, in a fixed order; nothing for a layer that the planner does not have. The view is
    /// that of the world between two ticks.
    fn inspect(&self, view: &View<'_>, layer: PlannerLayer, emit: &mut dyn FnMut(PlannerMark)) {
        let _ = (view, layer, emit);
    }

    /// Emits the cells that an agent will enter after its own, in the order of its steps, as far as the planner knows, until
    /// `emit` returns false. The view is that of the world between two ticks. Steps that are not legal, and cells beyond the
    /// target, are ignored; the agent's own cell may be emitted. The work is at most proportional to the number of cells.
    fn preview(&self, view: &View<'_>, agent: AgentRow, emit: &mut dyn FnMut(Cell, Certainty) -> bool) {
        let _ = (view, agent, emit);
    }

    /// Appends everything that the next decisions depend on.
    fn save(&self, bytes: &mut Vec<u8>);

    /// Restores what [`Planner::save`] wrote, for a world within the limits.
    ///
    /// # Errors
    /// When the bytes are not what it writes, or a value does not fit the world.
    fn load(&mut self, bytes: &[u8], limits: &Limits) -> Result<(), StateError>;

    /// Returns the bytes of memory held, as far as they grow with agents and map.
    fn memory_bytes(&self) -> usize {
        0
    }
}

impl Clone for Box<dyn Planner> {
    fn clone(&self) -> Self {
        self.clone_box()
    }
}
