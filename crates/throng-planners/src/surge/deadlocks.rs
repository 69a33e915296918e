//! Deadlocks: finds the agents that make no progress, starts a joint search for them and their neighbours, and executes
//! the joint path. Agents that this does not help get a configuration search (`fallback.rs`).

use serde::{Deserialize, Serialize};
use throng_crowd::{AgentRow, Limits, Occupant, StateError, Validate, View};
use throng_grid::Cell;
use throng_toolkit::{Grant, PibtStep, SearchQueue, TimeSliced};

use super::fallback::{Fallback, Outcome, component_size};
use super::guidance::Guidance;
use super::joint_search::{JointResult, JointSearch, MAX_MEMBERS};
use super::joint_steps::{self, Progress as StepProgress};
use super::work_budget::{Prepaid, WorkBudget};

/// Ticks without progress after which an agent counts as deadlocked. Fewer ticks start joint searches for agents that
/// would get on by themselves.
const DEADLOCKED_AFTER: u64 = 24;
/// Ticks for which an agent waits after joint searches have failed. Doubles with each further failure, up to 16 times.
const GIVE_UP_TICKS: u64 = 4 * DEADLOCKED_AFTER;
const GIVE_UP_DOUBLINGS: u32 = 4;
/// Number of failed joint searches after which an agent gives up. Most agents in a crowd get on by themselves.
const FAILURES_TO_GIVE_UP: u32 = 3;
/// Largest distance of agents that are planned for together, in columns and rows.
const MAX_DISTANCE: i32 = 8;
/// Number of cells examined for agents nearby.
const EXAMINED_CELLS: usize = 40;
/// Most groups examined per tick before a joint search is started.
const MAX_ATTEMPTS: u32 = 4;
/// Price of gathering the cells of a joint search and their distances, in units of work: an estimate.
const SETUP_PRICE: u64 = 512;
/// Most expansions that are paid for at once.
const SLICE: u64 = 64;
/// Most ticks for which the members of a joint search wait for its result.
const MAX_SEARCH_TICKS: u64 = 3 * DEADLOCKED_AFTER;

/// Number of joint searches without progress after which an agent gets a configuration search.
const SEARCHES_TO_FALL_BACK: u32 = 4;
/// Configuration searches begin only if the crowd has made no progress for this many ticks. Most agents in a jam get on by
/// themselves, and a search makes all agents around it wait.
const STALL_TICKS: u64 = 48;
/// The crowd makes progress in a tick if at least one in 32 of the agents under way is nearer to its target than ever before.
const PROGRESS_SHARE: u32 = 32;
/// After a configuration search of the whole component has failed, the next one begins after [`GIVE_UP_TICKS`], doubled
/// as often as there were searches, up to this number.
const FALL_BACK_DOUBLINGS: u32 = 6;
/// An agent is overdue if it has been under way for this many ticks, and for twice as many as its component has cells.
const OVERDUE_TICKS: u64 = 128;
/// Ticks between two tests of whether an agent is overdue.
const OVERDUE_PERIOD: u64 = 16;

/// The progress of an agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
struct Progress {
    /// The smallest estimated distance seen so far; `None` before the first.
    nearest: Option<u32>,
    /// The tick in which it was seen, or in which the agent was last planned for.
    since: u64,
    /// The number of joint searches since the last progress.
    searches: u32,
    /// The number of them that failed.
    failures: u32,
    /// The agent waits until this tick, because there is no path past the agents it met.
    gave_up_until: u64,
    /// The number of configuration searches since the agent got its target.
    fallbacks: u32,
    /// No configuration search begins for the agent before this tick.
    fall_back_after: u64,
    /// The number of ticks for which the agent was not at its target since it got it.
    under_way: u64,
    /// The agents it met last, the latest first.
    met: [Option<AgentRow>; MAX_MEMBERS - 1],
}

/// Agents that execute a joint path.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct JointPath {
    members: Vec<AgentRow>,
    /// The cells of all members after each step, one step after the other.
    cells: Vec<Cell>,
    /// The number of steps made.
    done: usize,
}

impl JointPath {
    fn next_step(&self) -> Option<&[Cell]> {
        self.cells.chunks_exact(self.members.len().max(1)).nth(self.done)
    }

    /// Has members whose steps may last several ticks go on. Returns false if the path is done or impossible.
    fn advance(&mut self, view: &View<'_>, step: &mut PibtStep) -> bool {
        while let Some(next) = self.next_step() {
            let parts: Vec<_> = self.members.iter().copied().zip(next.iter().copied()).collect();
            match joint_steps::advance(view, step, &parts) {
                StepProgress::Done => self.done += 1,
                StepProgress::Moving => return true,
                StepProgress::Impossible => return false,
            }
        }
        false
    }
}

/// The deadlocks that are being resolved.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Deadlocks {
    agents: Vec<Progress>,
    paths: Vec<JointPath>,
    /// At most one joint search. Its members wait meanwhile.
    searches: SearchQueue<JointSearch>,
    /// The tick in which it was started.
    started: u64,
    prepaid: Prepaid,
    fallback: Fallback,
    /// The tick in which the crowd last made progress; `None` if an agent was spawned, removed, moved or sent since.
    last_progress: Option<u64>,
    /// The number of agents that came nearer to their targets than before, in this tick.
    #[serde(skip)]
    nearer: u32,
    /// The agents that get the lowest priority: those without progress, every other time, and those without a joint path.
    #[serde(skip)]
    pub(super) demoted: Vec<AgentRow>,
}

impl Deadlocks {
    /// Makes room for all agents.
    pub(super) fn begin(&mut self, id_limit: usize) {
        self.agents.resize(id_limit, Progress::default());
    }

    /// Records that two agents have met.
    #[inline]
    pub(super) fn meet(&mut self, one: AgentRow, other: AgentRow) {
        for (one, other) in [(one, other), (other, one)] {
            let Some(Progress { met, .. }) = self.agents.get_mut(one.index()) else { return };
            if met[0] != Some(other) {
                // Two agents may alternate: the one before them is kept all the same.
                let place = met.iter().position(|&known| known == Some(other)).unwrap_or(MAX_MEMBERS - 2);
                met[..=place].rotate_right(1);
                met[0] = Some(other);
            }
        }
    }

    /// Forgets an agent that has another target, another cell, or is gone.
    pub(super) fn forget(&mut self, agent: AgentRow) {
        if let Some(progress) = self.agents.get_mut(agent.index()) {
            *progress = Progress::default();
        }
        self.paths.retain(|path| !path.members.contains(&agent));
        self.searches.retain(|search| search.members().all(|member| member != agent));
        self.fallback.forget(agent);
        self.last_progress = None;
    }

    /// Removes an agent that was despawned from what is known about others, because another agent may get its row.
    pub(super) fn remove(&mut self, agent: AgentRow) {
        self.fallback.remove(agent);
        for Progress { met, .. } in &mut self.agents {
            if let Some(place) = met.iter().position(|&known| known == Some(agent)) {
                met[place..].rotate_left(1);
                met[MAX_MEMBERS - 2] = None;
            }
        }
    }

    /// Finds deadlocked agents, starts a joint search if none is in progress, and continues it, within the budget.
    pub(super) fn resolve(
        &mut self,
        view: &View<'_>,
        guidance: &Guidance,
        budget: &mut WorkBudget<'_, '_>,
        max_bytes: usize,
    ) {
        self.fallback.mark(view);
        let (mut attempts, mut under_way) = (MAX_ATTEMPTS, 0);
        self.nearer = 0;
        self.last_progress.get_or_insert(view.tick());
        for &agent in view.movers() {
            under_way += u32::from(view.target(agent).is_some_and(|target| target != view.at(agent)));
            let is_deadlocked = self.observe(view, guidance, agent);
            if self.fallback.is_idle() && self.fall_back(view, guidance, agent, is_deadlocked, budget) {
                continue;
            }
            if is_deadlocked && attempts > 0 && self.searches.is_empty() && !self.has_path(agent) {
                attempts -= 1;
                let members = self.gather(view, agent);
                if self.agents[agent.index()].searches % 2 == 1 {
                    self.demoted.push(agent);
                }
                if members.len() > 1 && !self.prepaid.pay(budget, SETUP_PRICE) {
                    attempts = 0;
                    continue;
                }
                let progress = &mut self.agents[agent.index()];
                (progress.since, progress.searches) = (view.tick(), progress.searches.saturating_add(1));
                if members.len() > 1 {
                    let started = self.searches.start().start(view, guidance, &members, progress.failures);
                    self.searches.retain(|_| started);
                    self.started = view.tick();
                }
            }
        }
        if self.nearer >= under_way.div_ceil(PROGRESS_SHARE) {
            self.last_progress = Some(view.tick());
        }
        self.search(view, budget, max_bytes);
    }

    /// Starts a configuration search for an agent that needs one. Returns true if it is its turn.
    fn fall_back(
        &mut self,
        view: &View<'_>,
        guidance: &Guidance,
        agent: AgentRow,
        is_deadlocked: bool,
        budget: &mut WorkBudget<'_, '_>,
    ) -> bool {
        let Progress { searches, fallbacks, fall_back_after, .. } = self.agents[agent.index()];
        if view.tick() < fall_back_after {
            return false;
        }
        let is_overdue = self.is_overdue(view, agent);
        let is_stalled =
            self.last_progress.is_some_and(|tick| view.tick().saturating_sub(tick) >= STALL_TICKS);
        let is_due = is_overdue || (is_deadlocked && is_stalled && searches >= SEARCHES_TO_FALL_BACK);
        if !is_due || self.has_path(agent) {
            return false;
        }
        if self.fallback.start(view, guidance, agent, fallbacks, is_overdue, budget) {
            let progress = &mut self.agents[agent.index()];
            (progress.since, progress.fallbacks) = (view.tick(), fallbacks.saturating_add(1));
        }
        true
    }

    /// Returns true if an agent takes longer to its target than any path takes. Tested every [`OVERDUE_PERIOD`] ticks.
    fn is_overdue(&self, view: &View<'_>, agent: AgentRow) -> bool {
        let under_way = self.agents[agent.index()].under_way;
        under_way >= OVERDUE_TICKS
            && under_way.is_multiple_of(OVERDUE_PERIOD)
            && !view.is_at_target(agent)
            && view.target(agent).is_some()
            && under_way >= 2 * component_size(view, agent) as u64
    }

    /// Continues the joint search and the configuration search within the budget.
    pub(super) fn search(&mut self, view: &View<'_>, budget: &mut WorkBudget<'_, '_>, max_bytes: usize) {
        self.search_jointly(view, budget);
        self.fallback.search(view, budget, max_bytes);
        if let Some((agent, outcome)) = self.fallback.take_outcome()
            && let Some(progress) = self.agents.get_mut(agent.index())
        {
            progress.since = view.tick();
            match outcome {
                Outcome::Done => progress.searches = 0,
                Outcome::Failed => {}
                Outcome::Impossible => {
                    let doublings = progress.fallbacks.min(FALL_BACK_DOUBLINGS);
                    progress.fall_back_after = view.tick() + (GIVE_UP_TICKS << doublings);
                }
            }
        }
    }

    /// Continues the joint search within the budget.
    fn search_jointly(&mut self, view: &View<'_>, budget: &mut WorkBudget<'_, '_>) {
        let Some(first) = self.searches.searches().first().map(JointSearch::agent) else { return };
        while let [search] = self.searches.searches()
            && !search.is_done()
        {
            let share = (budget.left() / search.price()).clamp(1, SLICE);
            if !self.prepaid.pay(budget, share * search.price()) {
                break;
            }
            let advance = |search: &mut JointSearch, (): &mut (), limit: u64| search.advance(view, limit);
            let used = self.searches.advance(view.executor(), Grant { count: 1, share }, advance);
            self.prepaid.refund((share - used) * self.searches.searches()[0].price());
        }
        // After a failure the agents move by themselves for a while.
        self.agents[first.index()].since = view.tick();
        let mut is_failed = false;
        self.searches.deliver(|search| match search.take_result() {
            JointResult::Paused | JointResult::Outdated => {}
            JointResult::Failed => is_failed = true,
            JointResult::Found(cells) => {
                self.paths.push(JointPath { members: search.members().collect(), cells, done: 0 });
            }
        });
        if is_failed {
            self.count_failure(view, first);
        }
        // No agent waits for a search that takes more work than there is.
        let is_over = view.tick().saturating_sub(self.started) >= MAX_SEARCH_TICKS;
        self.searches.retain(|_| !is_over);
    }

    fn count_failure(&mut self, view: &View<'_>, agent: AgentRow) {
        let progress = &mut self.agents[agent.index()];
        progress.failures = progress.failures.saturating_add(1);
        self.demoted.push(agent);
        if progress.failures >= FAILURES_TO_GIVE_UP {
            let doublings = (progress.failures - FAILURES_TO_GIVE_UP).min(GIVE_UP_DOUBLINGS);
            progress.gave_up_until = view.tick() + (GIVE_UP_TICKS << doublings);
        }
    }

    /// Updates the progress of an agent. Returns true if it has made none for long.
    #[inline]
    fn observe(&mut self, view: &View<'_>, guidance: &Guidance, agent: AgentRow) -> bool {
        if view.target(agent).is_none_or(|target| target == view.at(agent)) {
            return false;
        }
        let progress = &mut self.agents[agent.index()];
        progress.under_way += 1;
        let Some(here) = guidance.costs(view, agent).here() else { return false };
        if progress.nearest.is_none_or(|nearest| here < nearest) {
            self.nearer += u32::from(progress.nearest.is_some());
            progress.nearest = Some(here);
            progress.since = view.tick();
            (progress.searches, progress.failures, progress.gave_up_until) = (0, 0, 0);
        }
        view.tick().saturating_sub(progress.since) >= DEADLOCKED_AFTER
    }

    /// Returns an agent and those that are planned for with it: the agents it met last; every other time, the nearest ones.
    fn gather(&self, view: &View<'_>, agent: AgentRow) -> Vec<AgentRow> {
        let ground = view.ground(agent);
        let here = ground.pos(view.at(agent));
        let progress = &self.agents[agent.index()];
        let mut members = vec![agent];
        let mut join = |other: AgentRow| {
            let is_free = members.len() < MAX_MEMBERS && !members.contains(&other) && !self.has_path(other);
            if is_free && view.is_alive(other) && view.is_controlled(other) {
                let there = ground.pos(view.at(other));
                if (there.x - here.x).abs().max((there.y - here.y).abs()) <= MAX_DISTANCE {
                    members.push(other);
                }
            }
        };
        if progress.searches.is_multiple_of(2) {
            let count = if progress.searches.is_multiple_of(4) { MAX_MEMBERS - 1 } else { 1 };
            progress.met.iter().take(count).copied().flatten().for_each(&mut join);
        } else {
            // Breadth first, also past other agents.
            let mut cells = vec![view.at(agent)];
            let mut done = 0;
            while done < cells.len() && cells.len() < EXAMINED_CELLS {
                for (_, to) in ground.neighbours(cells[done]) {
                    if !cells.contains(&to) {
                        cells.push(to);
                        view.standing(to).into_iter().for_each(&mut join);
                    }
                }
                done += 1;
            }
        }
        members
    }

    /// Returns true if an agent waits because there is no path past the agents it met.
    pub(super) fn has_given_up(&self, view: &View<'_>, agent: AgentRow) -> bool {
        self.agents.get(agent.index()).is_some_and(|progress| progress.gave_up_until > view.tick())
    }

    fn has_path(&self, agent: AgentRow) -> bool {
        self.paths.iter().any(|path| path.members.contains(&agent)) || self.fallback.is_bound(agent)
    }

    /// Makes the next step of each joint path, and has the members of the joint search wait. A path whose next step is
    /// impossible is dropped.
    pub(super) fn execute(&mut self, view: &View<'_>, step: &mut PibtStep) {
        self.fallback.mark(view);
        self.drop_bound();
        self.fallback.execute(view, step);
        for member in self.searches.searches().iter().flat_map(JointSearch::members) {
            step.take(member, view.at(member));
        }
        self.paths.retain_mut(|path| {
            if !path.members.iter().all(|&member| view.is_alive(member) && view.steps_every_tick(member)) {
                return path.advance(view, step);
            }
            let Some(next) = path.next_step() else { return false };
            let is_possible = path.members.iter().zip(next).all(|(&member, &to)| {
                let at = view.at(member);
                let is_legal = to == at || view.ground(member).legal_step(at, to).is_some();
                let is_open = match view.occupancy().at(to) {
                    Occupant::Nobody => true,
                    Occupant::Agent(other) => path.members.contains(&other),
                    Occupant::Foreign => false,
                };
                view.is_alive(member)
                    && view.may_step(member)
                    && is_legal
                    && is_open
                    && step.next_occupant(to).is_none()
                    && step.crossing(view, at, to).is_none()
            });
            if is_possible {
                path.members.iter().zip(next).for_each(|(&member, &to)| step.take(member, to));
                path.done += 1;
            }
            is_possible
        });
    }

    /// Drops joint paths and searches of agents that a configuration search plans for.
    fn drop_bound(&mut self) {
        let fallback = &self.fallback;
        if !fallback.is_idle() {
            self.paths.retain(|path| !path.members.iter().any(|&member| fallback.is_bound(member)));
            self.searches.retain(|search| !search.members().any(|member| fallback.is_bound(member)));
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.agents.capacity() * size_of::<Progress>()
            + self.searches.slots().iter().map(JointSearch::memory_bytes).sum::<usize>()
            + self.fallback.memory_bytes()
    }
}

impl Validate for Progress {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self {
            nearest: _,
            since,
            searches: _,
            failures: _,
            gave_up_until,
            fallbacks: _,
            fall_back_after,
            under_way,
            met,
        } = self;
        limits.past_tick(*since)?;
        limits.past_tick(*under_way)?;
        limits.coming_tick(*fall_back_after, GIVE_UP_TICKS << FALL_BACK_DOUBLINGS)?;
        limits.coming_tick(*gave_up_until, GIVE_UP_TICKS << GIVE_UP_DOUBLINGS)?;
        met.validate(limits)
    }
}

impl Validate for JointPath {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { members, cells, done: _ } = self;
        limits
            .require((1..=MAX_MEMBERS).contains(&members.len()), "a joint path has no or too many agents")?;
        members.validate(limits)?;
        cells.validate(limits)
    }
}

impl Validate for Deadlocks {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self {
            agents,
            paths,
            searches,
            started,
            prepaid,
            fallback,
            last_progress,
            nearer: _,
            demoted: _,
        } = self;
        limits.per_agent(agents)?;
        paths.validate(limits)?;
        limits.at_most(searches.len() as u64, 1, "the number of joint searches")?;
        searches.searches().validate(limits)?;
        limits.past_tick(*started)?;
        prepaid.validate(limits)?;
        limits.past_tick(last_progress.unwrap_or(0))?;
        fallback.validate(limits)
    }
}
