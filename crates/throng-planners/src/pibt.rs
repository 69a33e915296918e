//! PIBT: priority inheritance with backtracking, along exact distances.
//!
//! K. Okumura, M. Machida, X. Défago, Y. Tamura, *Priority Inheritance with Backtracking for Iterative Multi-Agent
//! Path Finding*, Artificial Intelligence 310, 2022. One joint PIBT step per tick ([`PibtStep`]): agents decide in the
//! order of their priorities, which grow with the time under way. An agent takes its best cell, and an agent that stands
//! there inherits its priority and makes room. Cells are ordered by exact distance to the target, from one reverse search
//! per target. The swap operation is that of K. Okumura, *Engineering `LaCAM*`*, AAMAS 2024.
//!
//! Departures: eight moves and waiting; where terrain costs differ, cells are ordered by the step and the distance from there; tie-break by unoccupied cells first, then at random; tables grow on demand within
//! the work of the tick, and an agent whose table does not suffice yet uses the octile distance. With a path database of
//! the map, distances come from its paths and nothing is searched.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use throng_crowd::state::{decode, encode};
use throng_crowd::{
    AgentChange, AgentRow, Certainty, Limits, MapKnowledge, Moves, Occupant, Planner, PlannerLayer,
    PlannerMark, Sharing, StateError, StepTime, Validate, View, Work,
};
use throng_grid::{Cell, Cost};
use throng_search::spec::{Parameter, Values};
use throng_search::{Distance, FirstMoves, Heuristic, OctileDistance};
use throng_toolkit::{
    Candidates, DatabaseDistances, DistanceTables, PibtStep, PreferenceList, Preferences, Priorities,
    SavedDatabaseDistances, SavedTables,
};

use crate::registry::PlannerInfo;
use crate::{inspect, prices};

pub(crate) const INFO: PlannerInfo = PlannerInfo {
    name: "pibt",
    summary: "PIBT: priority inheritance with backtracking, along exact distances",
    idea: "The agent that has been under way longest decides first and takes the neighbouring cell nearest to its \
           target. An agent that stands there inherits the priority and makes room; if it cannot, the next best \
           cell is tried. Distances are exact, from one reverse search per target.",
    reference: "K. Okumura, M. Machida, X. Défago, Y. Tamura: Priority Inheritance with Backtracking for Iterative \
                Multi-Agent Path Finding. Artificial Intelligence 310, 2022; K. Okumura: Engineering LaCAM*. AAMAS \
                2024",
    parameters: &[Parameter::switch("swap", "whether agents that meet in a corridor back out and swap")],
    needs: Sharing::Everything,
    needs_map: MapKnowledge::Whole,
    needs_control: false,
    prepares: |_| false,
    has_goals: true,
    build: |values, _, resources| Box::new(Pibt::new(values, resources.first_moves.take())),
};

/// Memory cap of the distance tables, in bytes.
const MAX_TABLE_BYTES: usize = 512 << 20;
/// Most expansions per round to find the distance of a cell next to an agent.
const SLICE: u64 = 256;
/// Stands for a distance that is not known.
const UNKNOWN: Cost = Cost::MAX;

/// The distances of an agent's neighbours, by direction, and of its own cell.
type ExactCosts = [Cost; 9];

/// The planner.
#[derive(Clone)]
struct Pibt {
    swap: bool,
    tables: DistanceTables,
    /// Used instead of tables for agents whose profile has a path database.
    database: DatabaseDistances,
    priorities: Priorities,
    step: PibtStep,
    costs: Vec<ExactCosts>,
}

/// Everything that the next decisions depend on.
#[derive(Clone, Serialize, Deserialize)]
struct SavedPibt {
    priorities: Priorities,
    tables: SavedTables,
    database: SavedDatabaseDistances,
}

impl Validate for SavedPibt {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { priorities, tables, database } = self;
        priorities.validate(limits)?;
        tables.validate(limits)?;
        database.validate(limits)
    }
}

impl Pibt {
    fn new(values: &Values, first_moves: Option<Arc<dyn FirstMoves>>) -> Self {
        let mut database = DatabaseDistances::new(MAX_TABLE_BYTES);
        if let Some(moves) = first_moves {
            database.set_moves(moves);
        }
        Self {
            swap: values.is_on("swap"),
            tables: DistanceTables::new(MAX_TABLE_BYTES),
            database,
            priorities: Priorities::default(),
            step: PibtStep::default(),
            costs: Vec::new(),
        }
    }

    /// Finds the distances of an agent's cell and its neighbours, as far as work is granted.
    fn find_neighbour_costs(&mut self, view: &View<'_>, work: &mut Work<'_>, agent: AgentRow) {
        let (at, ground) = (view.at(agent), view.ground(agent));
        let costs = &mut self.costs[agent.index()];
        *costs = [UNKNOWN; 9];
        let cells = ground.neighbours(at).map(|(direction, to)| (usize::from(direction.number()), to));
        let cells = cells.chain([(8, at)]);
        if self.database.serves(view, agent) {
            return self.database.distances(view, work, agent, cells, |slot, cost| costs[slot] = cost);
        }
        let Some(table) = self.tables.growable(view, agent) else { return };
        let mut grown = false;
        for (slot, cell) in cells {
            // Looking up a known distance is free, and most are known.
            if let Some(cost) = table.known(cell) {
                costs[slot] = cost;
                continue;
            }
            let table = Arc::make_mut(table);
            let mut distance = table.distance(ground, cell, 0);
            while distance == Distance::Unknown {
                let limit = SLICE.min(work.left());
                if limit == 0 || !work.round(limit) {
                    break;
                }
                let before = table.expansions();
                distance = table.distance(ground, cell, limit);
                work.spend_backwards(table.expansions() - before);
                grown = true;
            }
            if let Distance::Exact(cost) = distance {
                costs[slot] = cost;
            }
        }
        if grown {
            self.tables.weigh(view, agent);
        }
    }

    fn preferences(&self, swap: bool) -> ByDistance<'_> {
        ByDistance { costs: &self.costs, tables: &self.tables, database: &self.database, swap }
    }
}

/// Prefers the cells with the least distance to the target.
struct ByDistance<'a> {
    costs: &'a [ExactCosts],
    tables: &'a DistanceTables,
    database: &'a DatabaseDistances,
    swap: bool,
}

impl Preferences for ByDistance<'_> {
    fn candidates(&self, view: &View<'_>, agent: AgentRow) -> Candidates {
        let (at, ground) = (view.at(agent), view.ground(agent));
        let costs = &self.costs[agent.index()];
        // Exact distances are not compared with estimates: they are used only if all of them are known.
        let exact =
            ground.neighbours(at).all(|(direction, _)| costs[usize::from(direction.number())] != UNKNOWN)
                && costs[8] != UNKNOWN;
        let mut plain = view.target(agent).map(|target| OctileDistance::to_cell(ground, target));
        let mut distance = |slot: usize, cell: Cell| match &mut plain {
            Some(_) if exact => costs[slot],
            Some(plain) => plain.lower(cell.0),
            None => Cost::from(cell != at),
        };
        // Where terrain costs differ, the cost of the step counts too, so that agents do not walk into costly cells beside
        // their path that are nearer to the target. Waiting counts as the cheapest step.
        let counts_steps = exact && !ground.halves().is_empty();
        let wait = if counts_steps { ground.profile().min_step_costs()[0] } else { 0 };
        let mut candidates = PreferenceList::new(view, agent);
        candidates.add(at, 8, i64::from(distance(8, at)) + i64::from(wait), false);
        for (direction, to) in ground.neighbours(at) {
            let occupant = view.occupancy().at(to);
            if occupant != Occupant::Foreign {
                let slot = usize::from(direction.number());
                let step = if counts_steps { ground.cost(at, direction) } else { 0 };
                let cost = i64::from(distance(slot, to)) + i64::from(step);
                candidates.add(to, slot as u32, cost, occupant != Occupant::Nobody);
            }
        }
        candidates.sorted()
    }

    fn distance(&self, view: &View<'_>, agent: AgentRow, cell: Cell) -> Option<i64> {
        let known = self.database.known(view, agent, cell);
        known.or_else(|| self.tables.known(view, agent, cell)).map(i64::from)
    }

    fn swaps(&self, _: &View<'_>, _: AgentRow) -> bool {
        self.swap
    }
}

impl Planner for Pibt {
    fn clone_box(&self) -> Box<dyn Planner> {
        Box::new(self.clone())
    }

    fn required_sharing(&self) -> Sharing {
        Sharing::Everything
    }

    fn step_time(&self) -> StepTime {
        StepTime::Cost
    }

    fn expansion_price(&self) -> u64 {
        prices::DISTANCE_TABLE
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        self.costs.resize(view.id_limit(), [UNKNOWN; 9]);
        self.priorities.update(view);
        let line = self.priorities.line().iter().copied();
        self.tables.reach(view, work, line.filter(|&agent| !self.database.serves(view, agent)));
        self.database.trim(view.tick());
        for &agent in view.movers() {
            self.find_neighbour_costs(view, work, agent);
        }
        let mut step = std::mem::take(&mut self.step);
        step.begin(view);
        step.decide_all(view, self.priorities.line(), &self.preferences(self.swap));
        // What an agent wants is the first of its preferences without a swap.
        let preferences = self.preferences(false);
        let wanted = |agent| preferences.candidates(view, agent).as_slice().first().copied();
        step.propose_all(view, moves, wanted);
        self.step = step;
    }

    fn on_change(&mut self, agent: AgentRow, change: AgentChange) {
        if change == AgentChange::Despawned {
            self.priorities.forget(agent);
        }
    }

    fn preview(&self, view: &View<'_>, agent: AgentRow, emit: &mut dyn FnMut(Cell, Certainty) -> bool) {
        let ground = view.ground(agent);
        let known = |cell| {
            let by_table = || self.tables.known(view, agent, cell);
            self.database.known(view, agent, cell).or_else(by_table)
        };
        inspect::descent(ground, view.at(agent), known, emit);
    }

    fn inspect(&self, view: &View<'_>, layer: PlannerLayer, emit: &mut dyn FnMut(PlannerMark)) {
        inspect::paths(layer, self.step.decided(), emit);
        inspect::distances(view, layer, |agent, cell| self.tables.known(view, agent, cell), emit);
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        let (tables, database) = (self.tables.saved(), self.database.saved());
        encode(&SavedPibt { priorities: self.priorities.clone(), tables, database }, bytes);
    }

    fn load(&mut self, bytes: &[u8], limits: &Limits) -> Result<(), StateError> {
        let SavedPibt { priorities, tables, database } = decode(bytes, limits)?;
        self.priorities = priorities;
        self.tables.restore(tables);
        self.database.restore(database);
        Ok(())
    }

    fn memory_bytes(&self) -> usize {
        self.tables.memory_bytes()
            + self.database.memory_bytes()
            + self.priorities.memory_bytes()
            + self.step.memory_bytes()
            + self.costs.capacity() * size_of::<ExactCosts>()
    }
}
