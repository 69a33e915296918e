//! The fallback for agents that do not arrive otherwise: a configuration search over the agents around one of them.
//!
//! The region of the search is the cells around the agent, the members all agents in it. The agent itself has to reach its
//! target, or the place where its path leaves the region, and members whose target is inside have to reach it. The region
//! of each further search for the agent is four times as large, up to the whole connected component. Then the search is
//! complete.
//!
//! The members move freely while their distances are computed. Then they execute the plan as far as it is known, and wait
//! for the rest. If they wait for too long, the search is given up; the next one for the agent has twice the time.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use throng_crowd::{AgentRow, Limits, Occupant, StateError, Validate, View};
use throng_grid::Cell;
use throng_toolkit::{ConfigurationSearch, Grant, Member, PibtStep, SearchQueue, Stage, TimeSliced};

use super::exits::{exits, nearest};
use super::guidance::Guidance;
use super::joint_steps::{self, Progress};
use super::work_budget::{Prepaid, WorkBudget};

/// Most cells of the first search for an agent. Each further search has four times as many.
const FIRST_CELLS: usize = 128;
/// Price of a search in units of work, per cell of its region: an estimate.
const CELL_PRICE: u64 = 4;
/// Most units that are paid for at once.
const SLICE: u64 = 4_096;
/// Ticks for which the members of the first search for an agent wait for the next steps before the search is given up: in
/// a region, and in the whole component. Doubles with each further search.
const MAX_WAIT: u64 = 32;
const MAX_WAIT_IN_COMPONENT: u64 = 256;
/// The most doublings: more ticks than any game has.
const MAX_DOUBLINGS: u32 = 40;
/// No piece of work exceeds its price by more units.
const MAX_OWED: u64 = 1 << 40;

/// What has become of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Outcome {
    /// The members have made all steps of the plan.
    Done,
    /// It was not found in time, could not be executed, or there is none in the region.
    Failed,
    /// There is no plan in the whole component, or the memory does not suffice to find it.
    Impossible,
}

/// At most one configuration search.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Fallback {
    searches: SearchQueue<ConfigurationSearch>,
    /// The number of searches for the agent before this one.
    failures: u32,
    /// The tick in which the members set out or made their last step.
    moved: u64,
    prepaid: Prepaid,
    /// Units of work that were done and are not paid for yet.
    owed: u64,
    /// The agent that the search was for, and its outcome, until it is taken.
    outcome: Option<(AgentRow, Outcome)>,
    /// Scratch: the next cells of the members.
    #[serde(skip)]
    next: Vec<(AgentRow, Cell)>,
    /// By agent: true if it may not decide by itself. Set by [`Fallback::mark`].
    #[serde(skip)]
    bound: Vec<bool>,
}

impl Fallback {
    /// Returns true if no search is in progress.
    pub(super) fn is_idle(&self) -> bool {
        self.searches.is_empty()
    }

    /// Finds the agents that may not decide by themselves.
    pub(super) fn mark(&mut self, view: &View<'_>) {
        self.bound.clear();
        if let [search] = self.searches.searches()
            && !is_free(search.stage())
        {
            self.bound.resize(view.id_limit(), false);
            for member in search.members() {
                self.bound[member.agent.index()] = true;
            }
        }
    }

    /// Returns true if an agent is planned for and may not decide by itself, as of the last [`Fallback::mark`].
    pub(super) fn is_bound(&self, agent: AgentRow) -> bool {
        self.bound.get(agent.index()).is_some_and(|&is_bound| is_bound)
    }

    /// Drops the search if it plans for an agent.
    pub(super) fn forget(&mut self, agent: AgentRow) {
        self.searches.retain(|search| search.members().iter().all(|member| member.agent != agent));
    }

    /// Drops the outcome of a search for an agent that was despawned.
    pub(super) fn remove(&mut self, agent: AgentRow) {
        self.outcome.take_if(|(searcher, _)| *searcher == agent);
    }

    /// Takes the outcome of a search that has ended, and the agent that it was for.
    pub(super) fn take_outcome(&mut self) -> Option<(AgentRow, Outcome)> {
        self.outcome.take()
    }

    fn end(&mut self, outcome: Outcome) {
        self.outcome = self.searches.searches().first().map(|search| (search.agent(), outcome));
        self.searches.retain(|_| false);
    }

    /// Starts a search for an agent, in the whole component or in a region that depends on `failures`, the number of
    /// searches for it so far. Returns false if it is not paid for yet.
    pub(super) fn start(
        &mut self,
        view: &View<'_>,
        guidance: &Guidance,
        agent: AgentRow,
        failures: u32,
        in_component: bool,
        budget: &mut WorkBudget<'_, '_>,
    ) -> bool {
        let (ground, at) = (view.ground(agent), view.at(agent));
        let max_cells = if in_component { usize::MAX } else { FIRST_CELLS << (2 * failures.min(20)) };
        let cells = max_cells.min(component_size(view, agent));
        if !self.pay_debt(budget) || !self.prepaid.pay(budget, CELL_PRICE * cells as u64) {
            return false;
        }
        self.failures = failures;
        let search = self.searches.start();
        let is_member =
            |other: AgentRow| view.is_controlled(other) && view.profile(other) == view.profile(agent);
        let is_open = |cell: Cell| match view.occupancy().at(cell) {
            Occupant::Nobody => true,
            Occupant::Agent(other) => is_member(other),
            Occupant::Foreign => false,
        };
        search.begin((ground, view.crossings()), at, max_cells, view.random_per_tick(agent), is_open);
        let cells = search.cells().to_vec();
        let mut inside: Vec<Cell> = cells.clone();
        inside.sort_unstable();
        let mut claimed = BTreeSet::new();
        for &cell in &cells {
            let Some(member) = view.standing(cell) else { continue };
            let target = view.target(member);
            let local = target.filter(|target| inside.binary_search(target).is_ok());
            let goal = match (local, target) {
                (Some(target), _) => vec![target],
                (None, None) => Vec::new(),
                (None, Some(_)) => {
                    self.owed += cells.len() as u64 / 4;
                    let exits = exits(view, guidance, member, &cells);
                    let found: Vec<Cell> = exits.into_iter().map(|place| cells[place as usize]).collect();
                    if found.is_empty() { nearest(view, member, &cells).into_iter().collect() } else { found }
                }
            };
            // Several agents may have the same target; one of them can be there.
            let is_required = local.is_some_and(|target| claimed.insert(target)) || member == agent;
            search.add(Member { agent: member, at: cell, goal, is_required });
        }
        true
    }

    fn pay_debt(&mut self, budget: &mut WorkBudget<'_, '_>) -> bool {
        let is_paid = self.owed == 0 || self.prepaid.pay(budget, self.owed);
        if is_paid {
            self.owed = 0;
        }
        is_paid
    }

    /// Continues the search within the budget.
    pub(super) fn search(&mut self, view: &View<'_>, budget: &mut WorkBudget<'_, '_>, max_bytes: usize) {
        while let [search] = self.searches.searches()
            && search.stage() != Stage::Found
        {
            let ground = view.ground(search.agent());
            if search.stage() == Stage::Failed && search.is_whole() {
                return self.end(Outcome::Impossible);
            }
            if search.stage() == Stage::Failed || !search.is_current(ground) {
                return self.end(Outcome::Failed);
            }
            if search.stage() == Stage::Ready {
                if !self.set_out(view) {
                    return self.end(Outcome::Failed);
                }
                continue;
            }
            let share = budget.left().clamp(1, SLICE);
            if !self.pay_debt(budget) || !self.prepaid.pay(budget, share) {
                break;
            }
            let advance = |search: &mut ConfigurationSearch, (): &mut (), limit| {
                search.advance(ground, limit, max_bytes)
            };
            let used = self.searches.advance(view.executor(), Grant { count: 1, share }, advance);
            self.prepaid.refund(share.saturating_sub(used));
            self.owed += used.saturating_sub(share);
        }
        if let [search] = self.searches.searches()
            && search.stage() == Stage::Search
        {
            let max_wait = if search.is_whole() { MAX_WAIT_IN_COMPONENT } else { MAX_WAIT };
            if view.tick().saturating_sub(self.moved) >= max_wait << self.failures.min(MAX_DOUBLINGS) {
                self.end(Outcome::Failed);
            }
        }
    }

    /// Binds the members. Returns false if others are in the region or a member is not.
    fn set_out(&mut self, view: &View<'_>) -> bool {
        let [search] = self.searches.searches_mut() else { return false };
        let is_held = |cell: Cell| match view.occupancy().at(cell) {
            Occupant::Nobody => false,
            Occupant::Agent(_) => view.standing(cell).is_some(),
            Occupant::Foreign => true,
        };
        let occupied = search.cells().iter().filter(|&&cell| is_held(cell)).count();
        let ground = view.ground(search.agent());
        let starts: Vec<Cell> = search.members().iter().map(|member| view.at(member.agent)).collect();
        search.set_out(ground, starts.into_iter());
        self.moved = view.tick();
        occupied == search.members().len() && search.stage() == Stage::Search
    }

    /// Makes the next step of the members, or has them wait, and keeps others out of the region. A plan whose next step is
    /// impossible is dropped.
    pub(super) fn execute(&mut self, view: &View<'_>, step: &mut PibtStep) {
        let [search] = self.searches.searches_mut() else { return };
        if is_free(search.stage()) {
            return;
        }
        let (agent, is_found) = (search.agent(), search.stage() == Stage::Found);
        if !search.members().iter().all(|member| view.steps_every_tick(member.agent)) {
            return self.execute_slowly(view, step);
        }
        self.next.clear();
        if let Some(next) = search.next_step(view.ground(agent)) {
            self.next.extend(next);
        }
        if self.next.is_empty() {
            if is_found {
                return self.end(Outcome::Done);
            }
            self.next.extend(search.members().iter().map(|member| (member.agent, view.at(member.agent))));
        } else {
            let is_possible = |&(member, to): &(AgentRow, Cell)| {
                let at = view.at(member);
                let is_legal = to == at || view.ground(member).legal_step(at, to).is_some();
                let is_open = view.occupancy().at(to) != Occupant::Foreign;
                let is_taken = step.next_occupant(to).is_some() || step.crossing(view, at, to).is_some();
                view.may_step(member) && is_legal && is_open && !is_taken
            };
            if !self.next.iter().all(is_possible) {
                return self.end(Outcome::Failed);
            }
            search.step();
            self.moved = view.tick();
        }
        for &(member, to) in &self.next {
            step.take(member, to);
        }
        if !search.is_whole() {
            for &cell in search.cells() {
                step.close(cell, agent);
            }
        }
    }

    /// Does what [`Fallback::execute`] does, for members whose steps may last several ticks.
    fn execute_slowly(&mut self, view: &View<'_>, step: &mut PibtStep) {
        let [search] = self.searches.searches_mut() else { return };
        let agent = search.agent();
        let progress = loop {
            self.next.clear();
            if let Some(next) = search.next_step(view.ground(agent)) {
                self.next.extend(next);
            }
            if self.next.is_empty() {
                break Progress::Done;
            }
            match joint_steps::advance(view, step, &self.next) {
                Progress::Done => search.step(),
                progress => break progress,
            }
        };
        match progress {
            Progress::Done if search.stage() == Stage::Found => return self.end(Outcome::Done),
            Progress::Done => {
                search.members().iter().for_each(|member| step.take(member.agent, view.at(member.agent)));
            }
            Progress::Moving => self.moved = view.tick(),
            Progress::Impossible => return self.end(Outcome::Failed),
        }
        if !search.is_whole() {
            for &cell in search.cells() {
                step.close(cell, agent);
            }
        }
    }

    /// Returns the memory held, in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        self.searches.slots().iter().map(ConfigurationSearch::memory_bytes).sum()
    }
}

/// Returns true if the members of a search at this stage move freely.
fn is_free(stage: Stage) -> bool {
    matches!(stage, Stage::Distances | Stage::Ready | Stage::Failed)
}

/// Returns the number of cells of the connected component that an agent is in.
pub(super) fn component_size(view: &View<'_>, agent: AgentRow) -> usize {
    let ground = view.ground(agent);
    let components = ground.components();
    let label = components.label(ground, view.at(agent));
    label.map_or(1, |label| components.sizes()[label as usize] as usize)
}

impl Validate for Fallback {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { searches, failures: _, moved, prepaid, owed, outcome, next: _, bound: _ } = self;
        limits.at_most(searches.len() as u64, 1, "the number of configuration searches")?;
        searches.searches().validate(limits)?;
        limits.past_tick(*moved)?;
        prepaid.validate(limits)?;
        limits.at_most(*owed, MAX_OWED, "the units owed")?;
        outcome.map(|(agent, _)| agent).validate(limits)
    }
}
