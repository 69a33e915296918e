//! Local guidance: each agent plans the next few ticks around the plans of the agents nearby, so that streams pass each
//! other instead of meeting head on.
//!
//! PIBT looks one step ahead: agents of opposing streams walk up to each other and push. Here every agent has a *plan*, a
//! path of a few ticks that a search in space and time has found (`window_search.rs`). A cell that the plan of another agent
//! uses in the same tick costs extra, and so does the cell of an agent that has arrived. The next step of the plan is the
//! agent's first preference in the PIBT step, which resolves the conflicts that remain. Plans are made in turns within
//! the budget: first for agents without one, then for those whose plan is half done. An agent that was kept from its plan has none.
//!
//! T. Arita, K. Okumura, *Local Guidance for Configuration-Based Multi-Agent Pathfinding*, AAAI 2026. Departures: the plan is
//! made once and followed for some ticks instead of being repaired in each; distances are those of the sector guide;
//! conflicts are counted by cell and tick, swaps are not; agents that have arrived count as obstacles that can be pushed; an agent is
//! assumed to make one step per tick, so that agents whose steps may last longer have no plans.

mod window_search;

use serde::{Deserialize, Serialize};
use throng_crowd::{AgentRow, Limits, StateError, Validate, View};
use throng_grid::Cell;
use throng_search::Scratch;

use super::guidance::Guidance;
use super::prices;
use super::work_budget::{Prepaid, WorkBudget};
use window_search::{MAX_EXPANSIONS, WindowSearch};

/// The number of ticks for which cells are claimed, a power of two: the current one and those of the longest window.
const SLOTS: usize = 8;
/// The longest window, in ticks.
pub(super) const MAX_WINDOW: u64 = SLOTS as u64 - 1;

/// A cell that another plan uses in the same tick costs a straight step divided by this, until half of the agents have arrived. With a whole step
/// agents in dense streams step aside and wait too often: lifelong crowds finish 3 % fewer tasks, and crowds of 1,000 that swap sides arrive 3 % later.
/// With a quarter to the end, the last agents do not get past those that have arrived where the goals fill a region: on `da2/ca_caverns1` 3 % of 2,000
/// were missing after 3,000 ticks.
const CLAIM_DIVISOR: u32 = 4;

/// The path of an agent for the next ticks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
struct Plan {
    /// The tick in which the agent was in the first cell.
    start: u64,
    /// The number of steps; 0 if there is no plan.
    steps: u8,
    /// The agent's cell in each tick from `start` on, one more than there are steps.
    cells: [Cell; SLOTS],
}

impl Plan {
    /// Returns the cell of the agent in a tick; `None` before the start and after the end.
    #[inline]
    fn at(&self, tick: u64) -> Option<Cell> {
        let index = tick.checked_sub(self.start)?;
        (self.steps > 0 && index <= u64::from(self.steps)).then(|| self.cells[index as usize & (SLOTS - 1)])
    }

    /// Returns the number of steps that are left in a tick.
    fn left(&self, tick: u64) -> u64 {
        (self.start + u64::from(self.steps)).saturating_sub(tick)
    }
}

/// How many plans use a cell in a tick, and which cells are occupied by agents that have arrived.
#[derive(Clone, Debug, Default)]
struct Claims {
    /// By cell, then by tick modulo [`SLOTS`].
    counts: Vec<[u8; SLOTS]>,
    /// One bit per cell: true if an agent without a target, or at its target, is there.
    resting: Vec<u64>,
    /// The words of `resting` that are not 0.
    words: Vec<u32>,
    /// True if at least half of the agents have no target or are at it.
    has_mostly_arrived: bool,
}

impl Claims {
    fn add(&mut self, cell: Cell, tick: u64) {
        let count = &mut self.counts[cell.index()][tick as usize & (SLOTS - 1)];
        *count = count.saturating_add(1);
    }

    fn remove(&mut self, cell: Cell, tick: u64) {
        if let Some(counts) = self.counts.get_mut(cell.index()) {
            let count = &mut counts[tick as usize & (SLOTS - 1)];
            *count = count.saturating_sub(1);
        }
    }

    /// Returns the number of plans that use a cell in a tick.
    #[inline]
    fn count(&self, cell: Cell, tick: u64) -> u32 {
        u32::from(self.counts[cell.index()][tick as usize & (SLOTS - 1)])
    }

    /// Returns what the plans that use a cell in a tick cost, given the cost of a straight step.
    #[inline]
    fn cost(&self, cell: Cell, tick: u64, straight: u32) -> u32 {
        let divisor = if self.has_mostly_arrived { 1 } else { CLAIM_DIVISOR };
        straight * self.count(cell, tick) / divisor
    }

    #[inline]
    fn is_resting(&self, cell: Cell) -> bool {
        self.resting[cell.index() / 64] >> (cell.index() % 64) & 1 != 0
    }

    fn rest(&mut self, cell: Cell) {
        let word = cell.index() / 64;
        if self.resting[word] == 0 {
            self.words.push(word as u32);
        }
        self.resting[word] |= 1 << (cell.index() % 64);
    }

    fn clear_resting(&mut self) {
        for word in self.words.drain(..) {
            self.resting[word as usize] = 0;
        }
    }
}

/// The plans of all agents.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct LocalGuidance {
    /// The number of ticks that a plan looks ahead; 0 if there are no plans.
    #[serde(skip)]
    window: u64,
    /// By agent.
    plans: Vec<Plan>,
    /// The tick of the last update. Cells are claimed from it on.
    tick: u64,
    /// The index among the agents that may step at which the next round of planning begins.
    next: usize,
    prepaid: Prepaid,
    /// They follow from the plans; without counts until the first update of a copy.
    #[serde(skip)]
    claims: Scratch<Claims>,
    #[serde(skip)]
    search: Scratch<WindowSearch>,
}

impl LocalGuidance {
    /// Returns the guidance for a map with this many cells, with plans of `window` ticks.
    pub(super) fn new(cells: usize, window: u64) -> Self {
        let cells = if window > 0 { cells } else { 0 };
        // Written once here, so that the pages are there before the first tick.
        let mut counts = vec![[1; SLOTS]; cells];
        counts.fill([0; SLOTS]);
        let resting = vec![0; cells.div_ceil(64)];
        Self {
            window,
            plans: Vec::new(),
            tick: 0,
            next: 0,
            prepaid: Prepaid::default(),
            claims: Claims { counts, resting, ..Claims::default() }.into(),
            search: Scratch::default(),
        }
    }

    /// Returns the number of ticks that a plan looks ahead.
    pub(super) fn window(&self) -> u64 {
        self.window
    }

    /// Continues with plans that were saved.
    pub(super) fn restore(&mut self, saved: Self) {
        let Self { window: _, plans, tick, next, prepaid, claims: _, search: _ } = saved;
        (self.tick, self.next, self.prepaid) = (tick, next, prepaid);
        self.plans = if self.window > 0 { plans } else { Vec::new() };
        self.claim_all();
    }

    /// Claims the cells of all plans.
    fn claim_all(&mut self) {
        self.claims.counts.fill([0; SLOTS]);
        for plan in &self.plans {
            for tick in self.tick..=plan.start + u64::from(plan.steps) {
                plan.at(tick).into_iter().for_each(|cell| self.claims.add(cell, tick));
            }
        }
    }

    /// Returns the next cell of an agent by its plan.
    #[inline]
    pub(super) fn next_cell(&self, view: &View<'_>, agent: AgentRow) -> Option<Cell> {
        let plan = self.plans.get(agent.index())?;
        if plan.at(view.tick()) == Some(view.at(agent)) { plan.at(view.tick() + 1) } else { None }
    }

    /// Returns the cells that an agent will enter by its plan, between two ticks.
    pub(super) fn ahead(&self, view: &View<'_>, agent: AgentRow) -> impl Iterator<Item = Cell> {
        let now = view.tick() + 1;
        let plan = self.plans.get(agent.index()).filter(|plan| plan.at(now) == Some(view.at(agent)));
        plan.into_iter().flat_map(move |plan| (now + 1..).map_while(|tick| plan.at(tick)))
    }

    /// Drops the plan of an agent that has another target, another cell, or is gone.
    pub(super) fn forget(&mut self, agent: AgentRow) {
        if agent.index() < self.plans.len() {
            self.drop_plan(agent);
        }
    }

    fn drop_plan(&mut self, agent: AgentRow) {
        let plan = std::mem::take(&mut self.plans[agent.index()]);
        for tick in self.tick..=plan.start + u64::from(plan.steps) {
            plan.at(tick).into_iter().for_each(|cell| self.claims.remove(cell, tick));
        }
    }

    /// Ends the plans that are done or that agents have left, and makes new ones as far as the budget goes.
    pub(super) fn update(&mut self, view: &View<'_>, guidance: &Guidance, budget: &mut WorkBudget<'_, '_>) {
        if self.window == 0 {
            return;
        }
        if self.claims.counts.is_empty() {
            let cells = view.grid().size().area();
            self.claims.counts = vec![[0; SLOTS]; cells];
            self.claims.resting = vec![0; cells.div_ceil(64)];
            self.claim_all();
        }
        self.plans.resize(view.id_limit(), Plan::default());
        self.follow(view, guidance.is_changed());
        let movers = view.movers();
        let first = if movers.is_empty() { 0 } else { self.next % movers.len() };
        // First agents without a plan, then those whose plan is half done.
        for half_done in [false, true] {
            for place in 0..movers.len() {
                let agent = movers[(first + place) % movers.len()];
                let plan = &self.plans[agent.index()];
                // A plan of this tick may be that short, but is new.
                let is_due = plan.left(view.tick()) <= self.window / 2
                    && (plan.steps > 0) == half_done
                    && !(half_done && plan.start == view.tick());
                let is_resting = view.target(agent).is_none_or(|target| target == view.at(agent));
                if !is_due || is_resting || !view.steps_every_tick(agent) {
                    continue;
                }
                if !self.prepaid.pay(budget, MAX_EXPANSIONS * prices::WINDOW_EXPANSION) {
                    if !half_done {
                        self.next = first + place;
                    }
                    return;
                }
                let expansions = self.plan(view, guidance, agent);
                self.prepaid.refund((MAX_EXPANSIONS - expansions) * prices::WINDOW_EXPANSION);
            }
        }
    }

    /// Ends the claims of past ticks, drops plans that are done or that agents have left, all plans if the map has changed,
    /// and finds the cells of resting agents.
    fn follow(&mut self, view: &View<'_>, is_changed: bool) {
        let (before, now) = (std::mem::replace(&mut self.tick, view.tick()), view.tick());
        self.claims.clear_resting();
        let mut arrived = 0;
        for &agent in view.agents() {
            let at = view.at(agent);
            let is_resting = view.target(agent).is_none_or(|target| target == at);
            if is_resting {
                self.claims.rest(at);
                arrived += 1;
            }
            let plan = &self.plans[agent.index()];
            if plan.steps == 0 {
                continue;
            }
            for tick in before.max(plan.start)..now.min(plan.start + u64::from(plan.steps) + 1) {
                plan.at(tick).into_iter().for_each(|cell| self.claims.remove(cell, tick));
            }
            if is_changed || is_resting || plan.left(now) == 0 || plan.at(now) != Some(at) {
                self.drop_plan(agent);
            }
        }
        self.claims.has_mostly_arrived = 2 * arrived >= view.agents().len();
    }

    /// Makes the plan of an agent. Returns the number of expansions.
    fn plan(&mut self, view: &View<'_>, guidance: &Guidance, agent: AgentRow) -> u64 {
        self.drop_plan(agent);
        let has_plan = |other: AgentRow| self.plans[other.index()].steps > 0;
        let mut plan = Plan { start: view.tick(), ..Plan::default() };
        let (steps, expansions) = self.search.run(
            view,
            guidance,
            agent,
            self.window as usize,
            &self.claims,
            has_plan,
            &mut plan.cells,
        );
        if steps > 0 {
            plan.steps = steps as u8;
            for (tick, &cell) in (plan.start..).zip(&plan.cells[..=steps]) {
                self.claims.add(cell, tick);
            }
            self.plans[agent.index()] = plan;
        }
        expansions
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.plans.capacity() * size_of::<Plan>()
            + self.claims.counts.capacity() * SLOTS
            + self.claims.resting.capacity() * size_of::<u64>()
    }
}

impl Validate for Plan {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { start, steps, cells } = self;
        limits.past_tick(*start)?;
        limits.at_most(*steps, MAX_WINDOW, "the number of planned steps")?;
        cells.as_slice().iter().try_for_each(|cell| cell.validate(limits))
    }
}

impl Validate for LocalGuidance {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { window: _, plans, tick, next: _, prepaid, claims: _, search: _ } = self;
        limits.per_agent(plans)?;
        limits.past_tick(*tick)?;
        limits.require(plans.iter().all(|plan| plan.start <= *tick), "a plan begins in a coming tick")?;
        prepaid.validate(limits)
    }
}

#[cfg(test)]
mod tests;
