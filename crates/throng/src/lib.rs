//! Real-time multi-agent pathfinding on grid maps, for games.
//!
//! A game creates a [`World`] from a map and a planner, spawns agents, sends them to goals, and calls `tick` once per frame or
//! once per few frames. Each tick moves every agent by at most one cell and appends what happened to a list of events. No two
//! agents share a cell, swap cells or cross, whatever the planner does. The same inputs give the same ticks on every machine.
//!
//! ```
//! use throng::prelude::*;
//!
//! let map = "
//!     .........#.........
//!     .........#.........
//!     ...................
//!     .........#.........";
//! let grid = Grid::new(Tiles::picture(map), MoveRules::default());
//! let planner = planner("surge", &grid)?;
//! let mut world = World::new(grid, planner, Settings::default())?;
//!
//! let guard = world.spawn(AgentSpec::at(2, 1))?;
//! let thief = world.spawn(AgentSpec::at(16, 1))?;
//! world.send(guard, Pos::new(16, 1))?;
//! world.send(thief, Pos::new(2, 1))?;
//!
//! let mut events = Vec::new();
//! while !(world.has_arrived(guard)? && world.has_arrived(thief)?) {
//!     events.clear();
//!     world.tick(Budget::units(20_000), &mut events); // at most a millisecond for the planner
//!     for event in &events {
//!         println!("{event:?}");
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The methods of [`World`]
//!
//! | a game wants to | methods |
//! |---|---|
//! | begin | [`new`](World::new), [`spawn`](World::spawn), [`send`](World::send), [`tick`](World::tick) |
//! | give orders | [`send_group`](World::send_group), [`queue`](World::queue), [`patrol`](World::patrol), [`follow`](World::follow), [`halt`](World::halt), [`hold`](World::hold), [`set_priority`](World::set_priority) |
//! | change agents | [`set_speed`](World::set_speed), [`set_profile`](World::set_profile), [`teleport`](World::teleport), [`control`](World::control), [`despawn`](World::despawn) |
//! | ask about an agent | [`state`](World::state), [`position`](World::position), [`has_arrived`](World::has_arrived), [`next_cell`](World::next_cell), [`path`](World::path), [`remaining`](World::remaining), [`orders`](World::orders) |
//! | ask about places | [`occupant`](World::occupant), [`agents_near`](World::agents_near), [`reachable`](World::reachable), [`line_of_sight`](World::line_of_sight) |
//! | draw | [`motion`](World::motion) |
//! | change the map | [`block`](World::block), [`unblock`](World::unblock), [`set_terrain`](World::set_terrain), [`set_door`](World::set_door), [`set_cost`](World::set_cost) |
//! | place its own units | [`place_foreign`](World::place_foreign), [`move_foreign`](World::move_foreign), [`remove_foreign`](World::remove_foreign) |
//! | save, load, roll back | [`snapshot`](World::snapshot), [`restore`], [`clone`](World#impl-Clone-for-World) and `clone_from`, [`state_hash`](World::state_hash) |
//! | record and replay | [`start_recording`](World::start_recording), [`finish_recording`](World::finish_recording), [`Recording`], [`check`] |
//!
//! # What a world is made of
//!
//! - A map is a [`Tiles`] value: from an ASCII picture ([`Tiles::picture`]), from data of the game ([`Tiles::from_fn`]), from a
//!   file ([`grid::movingai`]), from a generator ([`grid::generate`]), or one that the library has
//!   ([`builtin`](grid::builtin::builtin)). [`Grid`] adds [`MoveRules`], edits, and one [`Profile`] for each kind of agent.
//! - A planner proposes the next cell of every agent. [`planner()`] returns one by name. `surge` suits most games: it needs no
//!   preparation, shares its work among agents, and stays within the [`Budget`] of the tick. [`PLANNERS`] lists all.
//! - [`Settings`] has the seed, whether diagonal steps may cross ([`Crossings`]), whether terrain slows agents down
//!   ([`StepTime`]), and whether agents know the whole map ([`Fog`]).
//! - [`Event`] has what a tick reports, [`AgentState`] what an agent does now.
//!
//! [`search()`] finds single paths: `search("jps", &grid)`.
//!
//! # Features
//!
//! `threads` adds `Pool`, a thread pool for [`World::set_executor`]; `render` adds PNG pictures and animations.

#[cfg(feature = "threads")]
mod pool;
pub mod prelude;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(feature = "threads")]
pub use pool::Pool;
// Maps: terrain, move rules, files, generators, pictures.
pub use throng_grid as grid;
pub use throng_grid::{
    Area, Cell, Classes, Corners, Cost, Direction, Grid, Ground, MoveRules, OverlayError, Pos, Profile,
    ProfileBuilder, ProfileError, ProfileId, Size, Terrain, Tiles,
};
// The simulation.
pub use throng_crowd::{
    AgentId, AgentSpec, AgentState, Budget, Certainty, Crossings, DebugLayer, DebugMark, Destination, Event,
    Executor, Fog, FogError, ForeignId, GroupId, Input, MAX_WAYPOINTS, MapKnowledge, MapShape, Motion,
    NamedPlanner, Orders, PathCell, Planner, Remaining, RestoreError, Rule, Settings, SetupError, Sharing,
    Speed, StepTime, StuckReason, TickReport, Totals, UNIT_NANOSECONDS, Unit, Waypoints, World, WorldError,
    snapshot,
};
// What planners of your own need besides.
pub use throng_crowd::{
    AgentChange, AgentRow, Limits, MoveDraft, Moves, Occupancy, Occupant, StateError, TickRecord, Validate,
    View, Work,
};
// Recordings and their independent check.
pub use throng_crowd::{
    CheckReport, Fault, Playback, PlaybackError, Recording, RecordingError, Violation, check, plan_file,
};
// Planners by name, and what they can be given.
pub use throng_planners::{
    PLANNERS, PlannerError, PlannerInfo, Resources, planner, planner_with, restore, restore_like,
};
pub use throng_toolkit::{DirectionMap, DirectionMapError};
// Searches for single paths by name, and path databases.
pub use throng_cpd::{Cpd, CpdBuilder, CpdFileError, any_search, search_infos as database_searches};
pub use throng_search::real_time::{Turn, WalkTrace};
pub use throng_search::{Bounds, RegisteredSearch, SEARCHES, SearchInfo, SearchResult, Trace, search};
