//! Windowed hierarchical cooperative A* (WHCA*): agents plan a few ticks ahead in space and time and reserve their cells.
//!
//! D. Silver, *Cooperative Pathfinding*, AIIDE 2005. Each agent searches space-time up to a window, avoids the cells that
//! others have reserved, and reserves its own. Beyond the window the exact distance on the map without agents counts,
//! from a reverse resumable A* (RRA*). Each agent plans again every half window, in turn, so that the first place
//! rotates. Agents at their targets plan too: they step aside and come back. Without a window this is HCA*, and with the
//! octile distance CA*: the whole path is planned once, and the agent rests at its end.
//!
//! Where the paper is silent: an agent without a path through the window takes the longest path it finds. An agent
//! without any path stays, and an agent that has reserved its cell loses its plan and plans again at once. So every agent
//! has a cell of its own at the next tick, and the joint move is legal. Swap conflicts are excluded by a test of the
//! opposite edge instead of reserving cells twice, so that agents may follow each other and rotate. Before a target that
//! is held for good, waiting is cheaper than moving. An agent without an order never reserves a cell for ever and steps
//! aside for an agent that needs its cell.
//!
//! An agent that takes several ticks for a step reserves both cells for as long as it holds them. A speed that is not a whole
//! number of ticks per step is rounded down.
//!
//! How long the closed list of an RRA* is kept is a parameter, because M. R. Jansen's description (*Multi-Agent Pathfinding
//! with Direction Maps*, 2008, section 2.5) has three readings. Later searches use the closed list again: those of all agents
//! with this target while it is in use (`tables=kept`), or those of one agent until its next target (`tables=target`, as in
//! Silver's paper). Planning includes a whole abstract search: a new one for each plan (`tables=plan`). With enough work the
//! distances are the same, so that the readings differ in expansions only.
//!
//! If the budget ends before a search does, the agent follows the best partial path and uses exact distances from then
//! on, with CA* too: reverse searches are kept across ticks, so no work is lost. After a tick whose work did not suffice
//! for tables and plans, the plans come first in the next one.

mod fallback;
mod plans;
mod replanning;
mod space_time_search;

use serde::{Deserialize, Serialize};
use throng_crowd::state::{decode, encode};
use throng_crowd::{
    AgentChange, AgentRow, Certainty, Limits, MapKnowledge, Moves, Planner, PlannerLayer, PlannerMark,
    Sharing, StateError, Validate, View, Work,
};
use throng_grid::Cell;
use throng_search::spec::{Kind, Parameter, Values};
use throng_toolkit::{DistanceTables, SavedTables};

use crate::registry::PlannerInfo;
use crate::{inspect, prices};
use plans::{Plans, SavedPlans};
use space_time_search::{Found, SpaceTimeSearch};

pub(crate) const INFO: PlannerInfo = PlannerInfo {
    name: "whca",
    summary: "WHCA*: agents plan a window of ticks ahead, around each other's reservations",
    idea: "Each agent searches cells at times up to a window and avoids the cells that others have reserved. Beyond the \
           window the exact distance without agents counts. It plans again every half window. Agents at their targets \
           do so too: they step aside and come back. Without a window, whole paths are planned once.",
    reference: "D. Silver: Cooperative Pathfinding. AIIDE 2005",
    parameters: &[
        Parameter {
            name: "window",
            summary: "ticks planned ahead; 0 plans the whole path",
            kind: Kind::Integer { min: 0, max: 64, default: 8 },
        },
        Parameter {
            name: "heuristic",
            summary: "exact distances on the map without agents (rra), or the octile distance (empty)",
            kind: Kind::Choice(&["rra", "empty"]),
        },
        Parameter {
            name: "tables",
            summary: "how long the closed list of an RRA* is kept: while it is in use, shared (kept), until the agent's \
                      next target, or until its next plan",
            kind: Kind::Choice(&["kept", "target", "plan"]),
        },
    ],
    needs: Sharing::Reservations,
    needs_map: MapKnowledge::Whole,
    needs_control: true,
    prepares: |_| false,
    has_goals: true,
    build: |values, _, _| Box::new(Whca::new(values)),
};

/// Memory cap of the distance tables, in bytes. A smaller cap drops tables that are searched again later.
const MAX_TABLE_BYTES: usize = 512 << 20;
/// Most expansions of an agent's distance table within its space-time search. More give exact distances sooner and leave
/// less of a tick's work to other agents.
const MAX_TABLE_EXPANSIONS: u64 = 1 << 14;
/// Most expansions of one space-time search. More find longer ways around reservations, at the cost of a tick's work.
const MAX_EXPANSIONS: u64 = 1 << 14;

/// When an agent's distance table is searched again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TableRenewal {
    Never,
    PerTarget,
    PerPlan,
}

/// The planner.
#[derive(Clone, Debug)]
struct Whca {
    /// Ticks planned ahead; 0 for the whole path.
    window: u32,
    exact: bool,
    renewal: TableRenewal,
    plans: Plans,
    tables: DistanceTables,
    agents: Vec<WhcaAgent>,
    /// True if plans come before tables in the next tick, because the work of the last did not suffice for both.
    plans_first: bool,
    /// The agents that plan in this tick.
    order: Vec<AgentRow>,
    /// The agents whose turn is now: one of `order`, and those that lost their plan to it.
    turn: Vec<AgentRow>,
    search: SpaceTimeSearch,
}

/// What is kept of an agent between ticks besides its plan.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct WhcaAgent {
    /// The budget has cut a search off. From then on the agent uses exact distances.
    cut_off: bool,
    /// The distance table is to be dropped before the agent plans.
    outdated: bool,
    /// The tick in which the agent last planned.
    #[serde(skip)]
    planned: u64,
}

/// Everything that the next decisions depend on.
#[derive(Clone, Serialize, Deserialize)]
struct SavedWhca {
    plans: SavedPlans,
    tables: SavedTables,
    plans_first: bool,
    agents: Vec<WhcaAgent>,
}

impl Validate for WhcaAgent {
    fn validate(&self, _: &Limits) -> Result<(), StateError> {
        Ok(())
    }
}

impl Validate for SavedWhca {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { plans, tables, plans_first: _, agents } = self;
        plans.validate(limits)?;
        tables.validate(limits)?;
        limits.per_agent(agents)
    }
}

impl Whca {
    fn new(values: &Values) -> Self {
        Self {
            window: values.get("window") as u32,
            exact: values.choice("heuristic") == "rra",
            renewal: match values.choice("tables") {
                "target" => TableRenewal::PerTarget,
                "plan" => TableRenewal::PerPlan,
                _ => TableRenewal::Never,
            },
            plans: Plans::default(),
            tables: DistanceTables::new(MAX_TABLE_BYTES),
            agents: Vec::new(),
            plans_first: false,
            order: Vec::new(),
            turn: Vec::new(),
            search: SpaceTimeSearch::default(),
        }
    }

    /// Returns true if an agent plans by exact distances.
    fn uses_table(&self, agent: AgentRow) -> bool {
        self.exact || self.agents[agent.index()].cut_off
    }

    /// Grows the tables of the agents that plan.
    fn grow_tables(&mut self, view: &View<'_>, work: &mut Work<'_>) {
        let (exact, agents) = (self.exact, &self.agents);
        let uses_table = |agent: &AgentRow| exact || agents[agent.index()].cut_off;
        self.tables.reach(view, work, self.order.iter().copied().filter(uses_table));
    }

    /// Lets the agents plan in turn.
    fn plan_all(&mut self, view: &View<'_>, work: &mut Work<'_>) {
        for i in 0..self.order.len() {
            let agent = self.order[i];
            if self.agents[agent.index()].planned == view.tick() {
                continue;
            }
            self.turn.push(agent);
            // No agent loses its plan twice to the same agent in a tick, because an agent that stays does not plan again.
            while let Some(agent) = self.turn.pop() {
                self.plan_for(view, work, agent);
            }
        }
    }

    /// Gives an agent a plan, at the cost of other plans if necessary.
    fn plan_for(&mut self, view: &View<'_>, work: &mut Work<'_>, agent: AgentRow) {
        self.agents[agent.index()].planned = view.tick();
        let found = self.find(view, work, agent);
        // Only after a complete search: a table that takes several ticks is not started again in each of them.
        self.agents[agent.index()].outdated |=
            self.renewal == TableRenewal::PerPlan && found == Found::Complete;
        let ticks_per_step = view.ticks_per_step(agent);
        let (old, new) = (self.plans.remaining(agent), self.search.path.len().saturating_sub(1) as u64);
        match found {
            Found::Complete => {
                let rests = self.window_of(view, agent) == 0;
                self.plans.adopt(agent, self.search.path.drain(..), rests, ticks_per_step);
            }
            Found::Partial if new > old => {
                self.plans.adopt(agent, self.search.path.drain(..), false, ticks_per_step);
            }
            _ if old > 0 => {}
            Found::Partial => self.stay(view, agent),
            Found::NoWork => self.step_without_search(view, agent),
        }
    }

    /// Searches an agent's path in space-time.
    fn find(&mut self, view: &View<'_>, work: &mut Work<'_>, agent: AgentRow) -> Found {
        let growth = MAX_TABLE_EXPANSIONS.min(work.left() / 2);
        let limit = MAX_EXPANSIONS.min(work.left() - growth);
        if limit == 0 || !work.round(limit + growth) {
            return Found::NoWork;
        }
        let (window, exact) = (self.window_of(view, agent), self.uses_table(agent));
        let table = if exact { self.tables.opened(view, agent) } else { None };
        let space = self.plans.space(view, agent, window);
        let found = self.search.find(space, view.at(agent), table.map(|table| (table, growth)), limit);
        work.spend(self.search.expansions);
        work.spend_backwards(self.search.table_expansions);
        if exact {
            self.tables.weigh(view, agent);
        }
        self.agents[agent.index()].cut_off |= self.search.paused && limit < MAX_EXPANSIONS;
        found
    }
}

impl Planner for Whca {
    fn clone_box(&self) -> Box<dyn Planner> {
        Box::new(self.clone())
    }

    fn required_sharing(&self) -> Sharing {
        Sharing::Reservations
    }

    fn expansion_price(&self) -> u64 {
        prices::SPACE_TIME
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        self.begin(view);
        for &agent in &self.order {
            if std::mem::take(&mut self.agents[agent.index()].outdated) {
                self.tables.forget(view, agent);
            }
        }
        if self.plans_first {
            self.plan_all(view, work);
            self.grow_tables(view, work);
        } else {
            self.grow_tables(view, work);
            self.plan_all(view, work);
        }
        self.plans_first = work.is_over() && !self.plans_first;
        self.propose(view, moves);
    }

    fn on_change(&mut self, agent: AgentRow, _: AgentChange) {
        self.plans.cancel(agent);
        if let Some(state) = self.agents.get_mut(agent.index()) {
            *state = WhcaAgent { outdated: self.renewal != TableRenewal::Never, ..WhcaAgent::default() };
        }
    }

    fn preview(&self, view: &View<'_>, agent: AgentRow, emit: &mut dyn FnMut(Cell, Certainty) -> bool) {
        let mut last = view.at(agent);
        let planned = self.plans.ahead_of(agent).inspect(|&cell| last = cell);
        if inspect::planned(planned, emit) {
            let known = |cell| self.tables.known(view, agent, cell);
            inspect::descent(view.ground(agent), last, known, emit);
        }
    }

    fn inspect(&self, _: &View<'_>, layer: PlannerLayer, emit: &mut dyn FnMut(PlannerMark)) {
        inspect::paths(layer, self.plans.ahead(), emit);
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        let (plans, tables) = (self.plans.saved(), self.tables.saved());
        let (plans_first, agents) = (self.plans_first, self.agents.clone());
        encode(&SavedWhca { plans, tables, plans_first, agents }, bytes);
    }

    fn load(&mut self, bytes: &[u8], limits: &Limits) -> Result<(), StateError> {
        let SavedWhca { plans, tables, plans_first, agents } = decode(bytes, limits)?;
        self.plans = Plans::restored(plans)?;
        self.tables.restore(tables);
        (self.plans_first, self.agents) = (plans_first, agents);
        Ok(())
    }

    fn memory_bytes(&self) -> usize {
        let lists = self.order.capacity() + self.turn.capacity();
        self.tables.memory_bytes()
            + self.plans.memory_bytes()
            + self.search.memory_bytes()
            + self.agents.capacity() * size_of::<WhcaAgent>()
            + lists * size_of::<AgentRow>()
    }
}
