//! The search phase of BMAA*: which agents search, and in which rounds of work.

use throng_crowd::{AgentRow, View, Work};
use throng_toolkit::Slicing;

use super::agent_state::BmaaAgent;
use super::search::LookaheadInputs;
use super::{Bmaa, Options};

/// The most agents that search in one round of work. More keep more threads busy, and make rounds longer.
const AT_ONCE: usize = 64;
/// The most expansions in one round. Rounds are short, so that a clock that is read between rounds stops the planner in
/// time.
const MAX_ROUND: u64 = 1 << 14;

impl Bmaa {
    /// Algorithm 3 for all agents. Searches see the world as it was when the tick began, so their order does not matter
    /// and they run in parallel.
    pub(super) fn search_phase(&mut self, view: &View<'_>, work: &mut Work<'_>) {
        self.list_waiting(view);
        let first = self.waiting.first();
        self.queue.retain(|search| first == Some(&search.paused.agent) && search.paused.is_current(view));
        let mut served = 0;
        while served < self.waiting.len() {
            let Some(count) = self.search_round(view, work, served) else {
                self.first = self.waiting[served].0;
                break;
            };
            served += count;
        }
        self.queue.retain(|search| search.expansions() > 0);
        let (options, map_data, learner) = (&self.options, &self.map_data, self.learner.as_ref());
        let inputs = LookaheadInputs { view, options, map_data, learner };
        self.queue.searches_mut().iter_mut().for_each(|search| search.pause(inputs));
    }

    /// Lists the agents that need a search, beginning with the one whose turn it is.
    fn list_waiting(&mut self, view: &View<'_>) {
        self.waiting.clear();
        for &agent in view.movers() {
            let state = &mut self.agents[agent.index()];
            state.blocked_by = None;
            if needs_search(&self.options, view, agent, state) {
                self.waiting.push(agent);
            }
        }
        let first = self.waiting.partition_point(|agent| agent.0 < self.first);
        self.waiting.rotate_left(first);
    }

    /// Runs a round for the waiting agents from `start` on: as many whole searches as the work suffices for, or a slice of
    /// one. Returns how many searches were finished, or `None` if no work is left.
    fn search_round(&mut self, view: &View<'_>, work: &mut Work<'_>, start: usize) -> Option<usize> {
        let (whole, left) = (self.options.search_limits.expansions, work.left().min(MAX_ROUND));
        let mut slicing = Slicing { at_once: AT_ONCE, slice: whole, min_share: whole };
        if let Some(search) = self.queue.searches().first() {
            slicing = Slicing { at_once: 1, slice: whole - search.expansions(), min_share: 1 };
        } else {
            let count = slicing.affordable(left).min(self.waiting.len() - start);
            self.waiting[start..][..count].iter().for_each(|&agent| self.queue.start().begin(view, agent));
        }
        let grant = slicing.grant(work, left, self.queue.len())?;
        self.map_data.trim();
        for search in &mut self.queue.searches_mut()[..grant.count] {
            let agent = search.paused.agent;
            self.map_data.prepare(view.ground(agent), search.paused.target);
            std::mem::swap(&mut search.state, &mut self.agents[agent.index()]);
        }
        let (options, map_data, learner) = (&self.options, &self.map_data, self.learner.as_ref());
        let inputs = LookaheadInputs { view, options, map_data, learner };
        let spent = self
            .queue
            .advance(view.executor(), grant, |search, worker, limit| search.advance(inputs, worker, limit));
        work.spend(spent);
        for search in &mut self.queue.searches_mut()[..grant.count] {
            std::mem::swap(&mut search.state, &mut self.agents[search.paused.agent.index()]);
        }
        let mut finished = 0;
        self.queue.deliver(|search| {
            finished += 1;
            self.clamped += search.outcome.map_or(0, |outcome| outcome.clamped);
        });
        Some(finished)
    }
}

/// Returns true if the agent is under way and its path has ended or expired.
fn needs_search(options: &Options, view: &View<'_>, agent: AgentRow, state: &BmaaAgent) -> bool {
    if view.is_at_target(agent) || view.target(agent).is_none() {
        return false;
    }
    match state.path.last() {
        None => true,
        Some(&next) => {
            view.tick() >= state.limit || (options.search_when_blocked && !view.occupancy().is_free(next))
        }
    }
}
