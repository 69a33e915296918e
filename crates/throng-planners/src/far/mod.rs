//! FAR, flow annotation replanning: one-way streets, full paths, and reservations of the next few moves.
//!
//! Each agent searches for a full path in the graph that [`Flow`](throng_toolkit::Flow) annotates, as if it were alone.
//! Before it moves it must reserve its next moves, all of them; otherwise it waits, as at a traffic light. A cycle of
//! waiting agents is a deadlock: one of them steps aside and searches again, and so does an agent that has arrived where
//! others must pass. Without the annotations this is the A*-Replan of the BMAA* paper.
//!
//! K.-H. C. Wang, A. Botea, *Fast and Memory-Efficient Multi-Agent Pathfinding*, ICAPS 2008, as described by D. Sigurdson,
//! V. Bulitko, W. Yeoh, C. Hernández, S. Koenig, *Multi-Agent Pathfinding with Real-Time Heuristic Search*, CIG 2018.
//!
//! The published rules, which `deadlock=paper` follows:
//! - an agent searches for a full path by A* in the annotated graph, as if it were alone; it does not search around the
//!   reservations of others (2018);
//! - it reserves its next three moves, all of them, and waits until that is possible (2018);
//! - a cycle of agents that wait for each other is a deadlock, and a heuristic procedure repairs paths locally (2008,
//!   abstract). The paper of 2018 says only that some agents are pushed temporarily off their goals, and that agents can
//!   still get stuck.
//!
//! What these texts leave open is read as follows: an agent that others have waited for, and that is at its goal or has
//! none, moves to a free cell beside it; so does the agent of a cycle with the most free cells, except cells that the
//! cycle needs. The others have one tick to reserve their moves; then it searches for a path again. If there is no free
//! cell, nothing happens.
//!
//! `deadlock=full` departs from it: an agent that steps aside rests for as many ticks as moves are reserved, steps aside
//! again if it still blocks others, and waits longer before it does so the next time. If no agent of a deadlock has a free
//! cell, the agents behind it make room. An agent behind a unit that never gives way (foreign or not controlled) searches
//! for a path around the units near it.
//!
//! Departures of both: paths are searched within the budget of each tick, not before the first tick. The last reserved
//! cell is held until the agent moves on, so that it can always wait there. An agent whose steps may last several ticks
//! reserves one move, and holds the cell that it leaves until the last tick of the step.

mod agent_state;
mod deadlock;
mod path_queue;
mod roads;
mod steps;

use serde::Deserialize;
use throng_crowd::state::{decode, encode};
use throng_crowd::{
    AgentChange, AgentRow, Certainty, Limits, MapKnowledge, Moves, Planner, PlannerLayer, PlannerMark,
    Sharing, StateError, StepTime, Validate, View, Work,
};
use throng_grid::{Cell, Grid};
use throng_search::spec::{Kind, Parameter, Values};
use throng_toolkit::{DirectionLearner, Flows, MoveReservations, SavedDirectionLearner, WaitForGraph};

use crate::PlannerInfo;
use crate::directions::{ALPHA, DIRECTIONS, W_MAX, chosen, learner, restore};
use crate::{Resources, inspect, prices};
use agent_state::FarAgent;
use deadlock::Jam;
use path_queue::{PathQueue, SavedFarSearch};

pub(crate) const INFO: PlannerInfo = PlannerInfo {
    name: "far",
    summary: "FAR: full paths on one-way streets, the next few moves reserved",
    idea: "Rows and columns of the map become one-way streets, so that agents rarely meet head on. Each agent \
           searches for a full path by A* as if it were alone, reserves its next moves before it makes them, and \
           waits if it cannot. Deadlocks are found each tick and broken by one agent that steps aside. The published \
           rules (deadlock=paper) break fewer of them.",
    reference: "K.-H. C. Wang, A. Botea: Fast and Memory-Efficient Multi-Agent Pathfinding. ICAPS 2008",
    parameters: &[
        Parameter {
            name: "reserve",
            summary: "moves that an agent must reserve before it makes them",
            kind: Kind::Integer { min: 1, max: MAX_DEPTH, default: 3 },
        },
        Parameter {
            name: "flow",
            summary: "whether rows and columns are one-way streets",
            kind: Kind::Choice(&["on", "off"]),
        },
        Parameter {
            name: "deadlock",
            summary: "full: jams are loosened and agents detour; paper: the published rules only",
            kind: Kind::Choice(&["full", "paper"]),
        },
        DIRECTIONS,
        ALPHA,
        W_MAX,
    ],
    needs: Sharing::Reservations,
    needs_map: MapKnowledge::Whole,
    needs_control: false,
    prepares: |values| values.is_on("flow"),
    has_goals: true,
    build: |values, grid, resources| Box::new(Far::new(values, grid, resources)),
};

/// The most moves that an agent reserves at once.
const MAX_DEPTH: u64 = 16;

/// What a snapshot holds.
#[derive(Clone, Deserialize)]
struct SavedFar {
    states: Vec<FarAgent>,
    learner: Option<SavedDirectionLearner>,
    searches: Vec<SavedFarSearch>,
}

impl Validate for SavedFar {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { states, learner, searches } = self;
        limits.per_agent(states)?;
        learner.validate(limits)?;
        searches.validate(limits)
    }
}

/// Flow annotated replanning.
#[derive(Clone)]
struct Far {
    offsets: [i32; 8],
    /// The number of moves to reserve at once.
    depth: usize,
    /// Whether only the published rules break deadlocks.
    paper_rules: bool,
    /// The present tick, or between ticks the next one.
    tick: u64,
    states: Vec<FarAgent>,
    table: MoveReservations,
    /// True if paths keep to one-way streets.
    has_streets: bool,
    streets: Flows,
    /// The direction map, if there is one.
    learner: Option<DirectionLearner>,
    paths: PathQueue,
    wait_for: WaitForGraph,
    /// Scratch: agents that lose their reservations.
    stopping: Vec<AgentRow>,
    /// Scratch: cells that the agents that are given way to will reserve.
    wanted: Vec<Cell>,
    /// Scratch: deadlocks without a free cell.
    jams: Vec<Jam>,
}

impl Far {
    fn new(values: &Values, grid: &Grid, resources: &mut Resources) -> Self {
        let depth = values.get("reserve") as usize;
        let mut streets = Flows::new(values.is_on("flow"));
        streets.prepare(grid.ground());
        Self {
            offsets: *grid.ground().offsets(),
            depth,
            paper_rules: values.choice("deadlock") == "paper",
            tick: 1,
            states: Vec::new(),
            table: MoveReservations::new(grid.size().area(), depth),
            has_streets: values.is_on("flow"),
            streets,
            learner: learner(chosen(values), grid, resources),
            paths: PathQueue::default(),
            wait_for: WaitForGraph::default(),
            stopping: Vec::new(),
            wanted: Vec::new(),
            jams: Vec::new(),
        }
    }
}

impl Planner for Far {
    fn clone_box(&self) -> Box<dyn Planner> {
        Box::new(self.clone())
    }

    fn required_sharing(&self) -> Sharing {
        Sharing::Reservations
    }

    fn step_time(&self) -> StepTime {
        StepTime::Cost
    }

    fn expansion_price(&self) -> u64 {
        if self.has_streets { prices::FLOW_ASTAR } else { prices::ASTAR }
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        self.update(view);
        if let Some(learner) = &mut self.learner {
            learner.observe(view);
        }
        let roads = (&mut self.streets, self.learner.as_ref());
        self.paths.run(view, work, roads, &mut self.states);
        self.walk(view, moves);
        self.break_deadlocks(view, moves);
        self.make_room(view, moves);
        self.tick += 1;
    }

    fn on_change(&mut self, agent: AgentRow, change: AgentChange) {
        if let Some(learner) = &mut self.learner {
            learner.on_change(agent, change);
        }
        // Other changes are noticed at the next tick.
        if agent.index() >= self.states.len() {
            return;
        }
        if change == AgentChange::Reprofiled {
            self.give_back(agent);
            self.states[agent.index()].forget_path();
            self.states[agent.index()].placed = false;
        }
        if change == AgentChange::Despawned {
            self.give_back(agent);
            self.paths.0.retain(|search| throng_toolkit::TimeSliced::agent(search) != agent);
            self.states[agent.index()] = FarAgent::default();
        }
    }

    fn preview(&self, _: &View<'_>, agent: AgentRow, emit: &mut dyn FnMut(Cell, Certainty) -> bool) {
        let path = self.states.get(agent.index()).map(|state| state.ahead(self.offsets));
        inspect::planned(path.into_iter().flatten(), emit);
    }

    fn inspect(&self, view: &View<'_>, layer: PlannerLayer, emit: &mut dyn FnMut(PlannerMark)) {
        inspect::paths(layer, self.states.iter().map(|state| state.ahead(self.offsets)), emit);
        inspect::directions(self.learner.as_ref().map(DirectionLearner::map), layer, emit);
        inspect::searched(&self.paths.0, layer, emit);
        inspect::streets(self.streets.of(view.grid().ground()), view, layer, emit);
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        let learner = self.learner.as_ref();
        encode(&(&self.states, learner.map(DirectionLearner::saved), self.paths.saved(learner)), bytes);
    }

    fn load(&mut self, bytes: &[u8], limits: &Limits) -> Result<(), StateError> {
        let SavedFar { states, learner, searches } = decode(bytes, limits)?;
        let fits = states.iter().all(|state| state.reserved <= self.depth);
        limits.require(fits, "an agent has reserved more moves than it may")?;
        limits.at_most(
            searches.len() as u64,
            path_queue::SLICING.at_once as u64,
            "the number of searches",
        )?;
        restore(self.learner.as_mut(), learner)?;
        self.paths = PathQueue::restored(searches, self.learner.as_ref())?;
        (self.tick, self.states) = (limits.tick + 1, states);
        self.reserve_all()
    }

    fn memory_bytes(&self) -> usize {
        let states = self.states.iter().map(|state| size_of::<FarAgent>() + state.path.capacity());
        let learner = self.learner.as_ref().map_or(0, DirectionLearner::memory_bytes);
        self.streets.memory_bytes()
            + learner
            + self.table.memory_bytes()
            + self.paths.memory_bytes()
            + states.sum::<usize>()
    }
}
