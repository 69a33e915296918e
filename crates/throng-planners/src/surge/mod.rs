//! Surge: our own planner for large crowds in real time, without preparation.
//!
//! PIBT resolves conflicts well when every agent knows exact distances, and pays for them with a table of the whole map
//! per target. Surge has distances that all agents share: fields around the waypoints of small sectors, and rows of
//! distances between waypoints (`guidance/mod.rs`). An agent heads for the waypoint that is best for its target, and for the
//! target itself when it is near. It plans the next few ticks around the plans of the agents nearby (`local_guidance/mod.rs`).
//! Agents decide in a PIBT step, those under way longest first. Agents that meet in a corridor back out and swap. A joint search resolves the deadlocks that remain (`joint_search.rs`), and a
//! configuration search brings the last agents to their targets (`fallback.rs`).
//!
//! K. Okumura et al., *Priority Inheritance with Backtracking for Iterative Multi-Agent Path Finding*, Artificial
//! Intelligence 310, 2022; K. Okumura, *Engineering `LaCAM*`*, AAMAS 2024, for the swap operation. The guidance and
//! the joint search of deadlocks are ours.

mod deadlocks;
mod exits;
mod fallback;
mod guidance;
mod joint_search;
mod joint_space;
mod joint_steps;
mod local_guidance;
mod neighbour_costs;
mod preferences;
mod prices;
mod work_budget;

use serde::Deserialize;
use throng_crowd::state::{decode, encode};
use throng_crowd::{
    AgentChange, AgentRow, Certainty, Limits, MapKnowledge, Moves, Planner, PlannerLayer, PlannerMark,
    Sharing, StateError, StepTime, Validate, View, Work,
};
use throng_grid::{Cell, Grid};
use throng_search::spec::{Kind, MILLION, Parameter, Values};
use throng_toolkit::{
    DirectionLearner, Learning, PibtStep, Priorities, Rate, SavedDirectionLearner, StepPenalty, Unknown,
};

use crate::registry::PlannerInfo;
use crate::{Resources, directions, inspect};
use deadlocks::Deadlocks;
use guidance::{Guidance, SavedGuidance};
use local_guidance::{LocalGuidance, MAX_WINDOW};
use preferences::{FieldPreferences, Ranked};
use work_budget::WorkBudget;

pub(crate) const INFO: PlannerInfo = PlannerInfo {
    name: "surge",
    summary: "surge: large crowds with hardly any preparation, with bounded work from the first tick",
    idea: "All agents share fields of exact distances around the waypoints of small sectors. Each heads for the waypoint \
           with the shortest path to its target over it, and chooses again in the next sector. Agents plan the next few \
           ticks around the plans of others, so that streams pass each other. Then they decide in a PIBT step, those under way longest first; an agent in the way inherits the priority and makes room. Agents that \
           meet in a corridor back out and swap, a joint search resolves the deadlocks that remain, and a configuration \
           search brings the last agents to their targets.",
    reference: "throng; K. Okumura et al.: Priority Inheritance with Backtracking for Iterative Multi-Agent Path \
                Finding. Artificial Intelligence 310, 2022",
    parameters: &[
        Parameter {
            name: "work",
            summary: "most work per tick where the game sets no budget, in units of 50 nanoseconds; at least two per agent",
            kind: Kind::Integer { min: 1, max: 1_000_000_000, default: 25_000 },
        },
        Parameter {
            name: "memory",
            summary: "most memory for rows and fields of targets, in MiB; beyond it those of arrived agents are dropped; a \
                      quarter of it for configuration searches",
            kind: Kind::Integer { min: 1, max: 65_536, default: 256 },
        },
        Parameter {
            name: "window",
            summary: "ticks that agents plan ahead around the plans of others; 0 for none",
            kind: Kind::Integer { min: 0, max: MAX_WINDOW, default: 4 },
        },
        Parameter {
            name: "swap",
            summary: "whether agents that meet in a corridor back out and swap",
            kind: Kind::Choice(&["on", "off"]),
        },
        Parameter {
            name: "joint",
            summary: "whether joint searches and configuration searches resolve deadlocks",
            kind: Kind::Choice(&["on", "off"]),
        },
        Parameter {
            name: "flow",
            summary: "penalty of a step against the direction in which agents passed before, in straight steps; 0 for none",
            kind: Kind::Decimal { min: 0, max: MILLION - 1, default: 0 },
        },
    ],
    needs: Sharing::Everything,
    needs_map: MapKnowledge::Whole,
    needs_control: false,
    prepares: |_| false,
    has_goals: true,
    build: |values, grid, resources| Box::new(Surge::new(values, grid, resources)),
};

/// A configuration search may use the memory of the fields divided by this.
const FALLBACK_SHARE: usize = 4;

/// The planner's own limit is at least this number of units per agent. Each agent needs a field of its target and a choice of what it heads for every few
/// ticks, and `work` does not suffice for that with more than some ten thousand agents.
const UNITS_PER_AGENT: u64 = 2;

/// How the direction map of `flow` is learned; the penalty is in millionths of a straight step.
fn learning(penalty: u64) -> Learning {
    Learning::plain(StepPenalty::new(penalty, Unknown::Zero), Rate::millionths(MILLION / 2))
}

/// The planner.
#[derive(Clone)]
struct Surge {
    /// Most work per tick without a budget, in units.
    max_work: u64,
    /// Most memory for fields, in bytes.
    max_memory: usize,
    swap: bool,
    joint: bool,
    guidance: Guidance,
    priorities: Priorities,
    local: LocalGuidance,
    deadlocks: Deadlocks,
    /// The direction map of `flow`.
    learner: Option<DirectionLearner>,
    step: PibtStep,
    /// By agent: what it prefers, ranked in advance.
    ranked: Vec<Ranked>,
}

/// Everything that the next decisions depend on.
#[derive(Clone, Deserialize)]
struct SavedSurge {
    priorities: Priorities,
    guidance: SavedGuidance,
    local: LocalGuidance,
    deadlocks: Deadlocks,
    learner: Option<SavedDirectionLearner>,
}

impl Validate for SavedSurge {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { priorities, guidance, local, deadlocks, learner } = self;
        priorities.validate(limits)?;
        guidance.validate(limits)?;
        local.validate(limits)?;
        deadlocks.validate(limits)?;
        learner.validate(limits)
    }
}

impl Surge {
    fn new(values: &Values, grid: &Grid, resources: &mut Resources) -> Self {
        let flow = values.get("flow");
        let max_memory = (values.get("memory") as usize) << 20;
        let learning = (flow > 0).then(|| learning(flow));
        Self {
            max_work: values.get("work"),
            max_memory,
            swap: values.choice("swap") == "on",
            joint: values.choice("joint") == "on",
            guidance: Guidance::new(grid, max_memory),
            priorities: Priorities::default(),
            local: LocalGuidance::new(grid.size().area(), values.get("window")),
            deadlocks: Deadlocks::default(),
            learner: directions::learner(learning, grid, resources),
            step: PibtStep::with_capacity(grid.size().area()),
            ranked: Vec::new(),
        }
    }

    /// Lets all agents decide: first those on joint paths, then by priority, then those without a target.
    fn decide(&mut self, view: &View<'_>) {
        self.step.begin(view);
        self.deadlocks.execute(view, &mut self.step);
        let mut ranked = std::mem::take(&mut self.ranked);
        let mut preferences = FieldPreferences {
            guidance: &self.guidance,
            swap: self.swap,
            deadlocks: &self.deadlocks,
            learner: self.learner.as_ref(),
            local: Some(&self.local),
            leader: self.priorities.line().first().copied(),
            ranked: &[],
        };
        preferences.rank_all(view, &mut ranked);
        preferences.ranked = &ranked;
        self.step.decide_all(view, self.priorities.line(), &preferences);
        for &(agent, by) in self.step.pushes() {
            self.deadlocks.meet(agent, by);
        }
        self.ranked = ranked;
        self.guidance.count_steps(view, |agent| self.step.next(agent));
    }

    /// Proposes the next cell of every agent, and reports which agent blocks one that stays.
    fn propose(&self, view: &View<'_>, moves: &mut Moves) {
        let preferences = FieldPreferences {
            guidance: &self.guidance,
            swap: false,
            deadlocks: &self.deadlocks,
            learner: None,
            local: None,
            leader: None,
            ranked: &[],
        };
        self.step.propose_all(view, moves, |agent| preferences.wanted(view, agent));
    }
}

impl Planner for Surge {
    fn clone_box(&self) -> Box<dyn Planner> {
        Box::new(self.clone())
    }

    fn renewed(&self, grid: &Grid) -> Option<Box<dyn Planner>> {
        // A direction map may have been given when the planner was made.
        let has_map = self.learner.is_some();
        let guidance = (!has_map).then(|| self.guidance.renewed(grid))?;
        let cells = grid.size().area();
        Some(Box::new(Self {
            guidance,
            priorities: Priorities::default(),
            local: LocalGuidance::new(cells, self.local.window()),
            deadlocks: Deadlocks::default(),
            learner: None,
            step: PibtStep::with_capacity(cells),
            ranked: Vec::new(),
            ..*self
        }))
    }

    fn required_sharing(&self) -> Sharing {
        Sharing::Everything
    }

    fn step_time(&self) -> StepTime {
        StepTime::Cost
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        self.priorities.update(view);
        self.learner.iter_mut().for_each(|learner| learner.observe(view));
        self.deadlocks.begin(view.id_limit());
        let own = self.max_work.max(UNITS_PER_AGENT * view.movers().len() as u64);
        let mut budget = WorkBudget::new(work, own);
        let max_bytes = self.max_memory / FALLBACK_SHARE;
        // An edited map comes first, and leaves a quarter for agents that need a path.
        budget.part(3, 4, |budget| self.guidance.follow_map(view, budget));
        self.guidance.update_prices(view, &mut budget);
        // Agents without a heading choose in any case: what that counts is not spent on rows. A quarter is left for those.
        let expected = self.guidance.request_all(view).min(budget.left() / 4 * 3);
        budget.deduct(expected);
        budget.part(1, 2, |budget| self.guidance.build(view, budget));
        let choices = self.guidance.choose_all(view);
        budget.deduct(choices.saturating_sub(expected));
        budget.part(1, 3, |budget| self.local.update(view, &self.guidance, budget));
        if self.joint {
            self.deadlocks.resolve(view, &self.guidance, &mut budget, max_bytes);
        }
        budget.lift_own_limit();
        self.guidance.build(view, &mut budget);
        // A stuck agent gets the lowest priority, so that it does not hold up agents that can still move.
        for agent in self.deadlocks.demoted.drain(..) {
            self.priorities.demote(view, agent);
        }
        self.decide(view);
        self.propose(view, moves);
    }

    fn on_change(&mut self, agent: AgentRow, change: AgentChange) {
        if change == AgentChange::Spawned {
            self.guidance.add(agent);
        }
        self.learner.iter_mut().for_each(|learner| learner.on_change(agent, change));
        if matches!(change, AgentChange::Retasked | AgentChange::Despawned | AgentChange::Reprofiled) {
            self.guidance.forget(agent);
        }
        self.local.forget(agent);
        self.deadlocks.forget(agent);
        if change == AgentChange::Despawned {
            self.priorities.forget(agent);
            self.deadlocks.remove(agent);
        }
    }

    fn preview(&self, view: &View<'_>, agent: AgentRow, emit: &mut dyn FnMut(Cell, Certainty) -> bool) {
        let mut last = view.at(agent);
        let planned = self.local.ahead(view, agent).inspect(|&cell| last = cell);
        if inspect::planned(planned, emit) {
            self.guidance.preview(view, agent, last, &mut |cell| emit(cell, Certainty::Guide));
        }
    }

    fn inspect(&self, view: &View<'_>, layer: PlannerLayer, emit: &mut dyn FnMut(PlannerMark)) {
        inspect::paths(layer, self.step.decided(), emit);
        inspect::directions(self.learner.as_ref().map(DirectionLearner::map), layer, emit);
        inspect::distances(view, layer, |agent, cell| self.guidance.distance(view, agent, cell), emit);
        inspect::sectors(view, self.guidance.sectors(), layer, emit);
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        let learner = self.learner.as_ref().map(DirectionLearner::saved);
        encode(&(&self.priorities, &self.guidance.saved(), &self.local, &self.deadlocks, learner), bytes);
    }

    fn load(&mut self, bytes: &[u8], limits: &Limits) -> Result<(), StateError> {
        let SavedSurge { priorities, guidance, local, deadlocks, learner } = decode(bytes, limits)?;
        self.guidance.check(&guidance)?;
        directions::restore(self.learner.as_mut(), learner)?;
        (self.priorities, self.deadlocks) = (priorities, deadlocks);
        self.guidance.restore(guidance);
        self.local.restore(local);
        Ok(())
    }

    fn memory_bytes(&self) -> usize {
        self.guidance.memory_bytes()
            + self.priorities.memory_bytes()
            + self.local.memory_bytes()
            + self.deadlocks.memory_bytes()
            + self.step.memory_bytes()
            + self.ranked.capacity() * size_of::<Ranked>()
            + self.learner.as_ref().map_or(0, DirectionLearner::memory_bytes)
    }
}
