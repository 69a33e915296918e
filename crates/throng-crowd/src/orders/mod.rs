//! Orders: what an agent does after its present goal. A queue of waypoints, a patrol, or following a unit.
//!
//! The world carries them out itself, at the beginning of a tick, in the order of rows: it gives the agent its next goal
//! as [`World::send`] would, so a planner knows nothing of them. The rules read positions, goals, the map and whether the
//! agent was in place at the end of the last tick; the checker repeats them.

pub(crate) mod commands;
mod execute;

use serde::{Deserialize, Serialize};
use throng_grid::{Cell, Pos};

use crate::state::{Limits, StateError, Validate};
use crate::{AgentRow, Unit, World};

/// The maximum number of waypoints in a queue or a patrol.
pub const MAX_WAYPOINTS: usize = 32;
/// An agent has passed a waypoint on which another unit stands when it is this near to it, in cells (Chebyshev distance).
/// A larger radius lets the members of a group cut corners, a smaller one lets them queue for the cell.
pub const WAYPOINT_RADIUS: u32 = 2;
/// Ticks until a patrol that can reach none of its points tries again.
pub const PATROL_RETRY_TICKS: u64 = 32;
/// Least ticks between two goals of an agent that follows a unit. Each goal is a new target for the planner, which
/// searches again; more ticks let the agent fall back.
pub const FOLLOW_TICKS: u64 = 4;
/// An agent that follows a unit gets a new goal when the unit is away from the last one by more than the distance to the
/// unit divided by this.
pub const FOLLOW_FRACTION: u32 = 4;

/// What an agent does after its present goal, as [`World::orders`] returns it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Orders<'a> {
    /// Nothing.
    None,
    /// It goes on to these waypoints, in order.
    Queue(Waypoints<'a>),
    /// It goes round these points for ever.
    Patrol {
        /// All points, in order.
        points: Waypoints<'a>,
        /// The index of the point to which it goes, or from which it tries again.
        next: usize,
    },
    /// It follows a unit.
    Follow {
        /// The unit.
        unit: Unit,
        /// The distance that it keeps, in cells.
        distance: u16,
    },
}

/// A list of positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waypoints<'a> {
    cells: &'a [Cell],
    size: throng_grid::Size,
}

impl<'a> Waypoints<'a> {
    /// Returns the number of positions.
    pub const fn len(self) -> usize {
        self.cells.len()
    }

    /// Returns true if there is none.
    pub const fn is_empty(self) -> bool {
        self.cells.is_empty()
    }

    /// Returns the positions, in order.
    pub fn iter(self) -> impl Iterator<Item = Pos> + use<'a> {
        self.cells.iter().map(move |&cell| self.size.pos(cell))
    }
}

/// The order of an agent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Order {
    /// The waypoints after the present goal; at least one.
    Queue(Vec<Cell>),
    Patrol {
        points: Vec<Cell>,
        /// The point to which it goes; the goal, if it has one.
        next: u32,
        /// The tick in which a patrol without a goal looks for one.
        retry: u64,
    },
    Follow {
        unit: Unit,
        distance: u16,
        /// The first tick in which the agent may get another goal.
        ready: u64,
    },
}

/// The orders of all agents.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct OrderBook {
    /// By row.
    by_row: Vec<Option<Order>>,
    /// The rows with an order, in order.
    active: Vec<AgentRow>,
}

impl OrderBook {
    pub(crate) fn get(&self, agent: AgentRow) -> Option<&Order> {
        self.by_row.get(agent.index())?.as_ref()
    }

    /// Replaces the order of an agent.
    pub(crate) fn set(&mut self, agent: AgentRow, order: Option<Order>) {
        if self.by_row.len() <= agent.index() {
            if order.is_none() {
                return;
            }
            self.by_row.resize(agent.index() + 1, None);
        }
        let has_order = order.is_some();
        self.by_row[agent.index()] = order;
        match self.active.binary_search(&agent) {
            Ok(place) if !has_order => drop(self.active.remove(place)),
            Err(place) if has_order => self.active.insert(place, agent),
            _ => {}
        }
    }
}

impl World {
    /// Returns what an agent does after its present goal.
    ///
    /// ```
    /// # use throng::prelude::*;
    /// # let grid = Grid::new(Tiles::picture("....."), MoveRules::default());
    /// # let planner = throng::planner("surge", &grid)?;
    /// # let mut world = World::new(grid, planner, Settings::default())?;
    /// let agent = world.spawn(AgentSpec::at(0, 0))?;
    /// world.send(agent, Pos::new(2, 0))?;
    /// world.queue(agent, Pos::new(4, 0))?;
    /// let Orders::Queue(waypoints) = world.orders(agent)? else { panic!("it has waypoints") };
    /// assert!(waypoints.iter().eq([Pos::new(4, 0)]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such agent.
    pub fn orders(&self, agent: crate::AgentId) -> Result<Orders<'_>, crate::WorldError> {
        let row = self.agents.row(agent)?;
        let list = |cells| Waypoints { cells, size: self.grid.size() };
        Ok(match self.orders.get(row) {
            None => Orders::None,
            Some(Order::Queue(cells)) => Orders::Queue(list(cells)),
            Some(Order::Patrol { points, next, .. }) => {
                Orders::Patrol { points: list(points), next: *next as usize }
            }
            Some(&Order::Follow { unit, distance, .. }) => Orders::Follow { unit, distance },
        })
    }

    /// Returns true if an agent goes on by itself when it has reached its goal, so that it does not arrive there.
    pub(crate) fn goes_on(&self, agent: AgentRow) -> bool {
        self.orders.get(agent).is_some()
    }
}

impl Validate for Order {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let fits = |cells: &[Cell]| (1..=MAX_WAYPOINTS).contains(&cells.len());
        match self {
            Self::Queue(cells) => {
                cells.validate(limits)?;
                limits.require(fits(cells), "a queue has no waypoints or too many")
            }
            Self::Patrol { points, next, retry } => {
                points.validate(limits)?;
                limits.require(fits(points), "a patrol has no points or too many")?;
                limits.require((*next as usize) < points.len(), "a patrol has no such point")?;
                limits.coming_tick(*retry, PATROL_RETRY_TICKS)
            }
            Self::Follow { unit: _, distance: _, ready } => limits.coming_tick(*ready, FOLLOW_TICKS),
        }
    }
}
