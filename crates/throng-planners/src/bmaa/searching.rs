//! The search phase of BMAA*: who searches, in which rounds of work, and what one search does.

use throng_crowd::{AgentId, View, Work};
use throng_toolkit::{Flow, StepPenalties, VisibleAgents, run_parallel};

use super::half_done::HalfDone;
use super::mind::Mind;
use super::{Bmaa, Options};
use crate::rtaa::{Lookahead, Outcome, Surroundings};

/// The most agents that search in one round of work, and the most expansions of one: a round is short, so that a
/// clock between rounds is obeyed.
const ROUND: u64 = 64;
const LONGEST: u64 = 1 << 14;

/// An agent's search, carried to a worker and back.
#[derive(Debug)]
pub(super) struct Job {
    agent: AgentId,
    mind: Mind,
    outcome: Outcome,
}

impl Bmaa {
    /// Algorithm 3 for all agents. Searches look at the world as it was when the tick began, so their order does not
    /// matter, and they may run side by side.
    pub(super) fn search_phase(&mut self, view: &View<'_>, work: &mut Work<'_>) {
        self.waiting.clear();
        for &agent in view.movers() {
            let mind = &mut self.minds[agent.index()];
            mind.shut_by = None;
            if wants_search(&self.options, view, agent, mind) {
                self.waiting.push(agent);
            }
        }
        let first = self.waiting.partition_point(|agent| agent.0 < self.first);
        self.waiting.rotate_left(first);
        let agent = self.half_done.agent();
        let half_done = agent.filter(|_| self.half_done.kept.is_current(view));
        if half_done.is_none() || self.waiting.first() != half_done.as_ref() {
            self.half_done.end();
        }
        let mut served = 0;
        while served < self.waiting.len() {
            let Some(size) = self.round(view, work, served) else {
                self.first = self.waiting[served].0;
                break;
            };
            served += size;
        }
        self.half_done.pause(view, self.options.sight, self.options.flow, self.traces.as_ref());
    }

    /// A round of work for those in line from `start` on: as many whole searches as are affordable, or a piece of one.
    /// Says how many of them are served, unless there is no more work.
    fn round(&mut self, view: &View<'_>, work: &mut Work<'_>, start: usize) -> Option<usize> {
        let (whole, left) = (self.options.bounds.expansions, work.left().min(LONGEST));
        let size = (left / whole).min(ROUND).min((self.waiting.len() - start) as u64);
        if size > 0 && self.half_done.agent().is_none() {
            let granted = work.round(size * whole);
            return granted.then(|| {
                work.spend(self.search(view, start, size as usize));
                size as usize
            });
        }
        if self.half_done.agent().is_none() {
            self.half_done.begin(view, self.waiting[start]);
        }
        let limit = left.min(whole - self.half_done.desk.expansions());
        (limit > 0 && work.round(limit)).then(|| usize::from(self.search_on(view, work, limit)))
    }

    /// Goes on with the search that is half done, and says whether it is done now.
    fn search_on(&mut self, view: &View<'_>, work: &mut Work<'_>, limit: u64) -> bool {
        let HalfDone { kept, desk, seen, .. } = &mut self.half_done;
        if self.options.flow {
            need_flow(&mut self.flows, view, kept.agent);
        }
        let mind = &mut self.minds[kept.agent.index()];
        let around = (kept.others(view), seen.tolls(self.traces.as_ref(), kept.agent));
        let mut space = surroundings(&self.options, view, &self.flows, kept.agent, around);
        work.spend(desk.go_on(&mut space, &mind.learned, limit));
        let done = !desk.is_paused() || desk.expansions() >= self.options.bounds.expansions;
        if done {
            let outcome = desk.conclude(space, &mut mind.learned, self.options.bounds, &mut mind.path);
            self.clamped += outcome.clamped;
            mind.take(outcome, view.tick() + self.options.bounds.moves as u64);
            self.half_done.end();
        }
        done
    }

    /// Lets `size` of the waiting agents search and says what it cost.
    fn search(&mut self, view: &View<'_>, start: usize, size: usize) -> u64 {
        for i in start..start + size {
            let agent = self.waiting[i];
            if self.options.flow {
                need_flow(&mut self.flows, view, agent);
            }
            let mind = std::mem::take(&mut self.minds[agent.index()]);
            self.jobs.push(Job { agent, mind, outcome: Outcome::default() });
        }
        let (options, flows, traces) = (&self.options, &self.flows, self.traces.as_ref());
        run_parallel(view.executor(), &mut self.jobs, &mut self.desks, Lookahead::default, |job, desk| {
            let tolls = traces.map(|traces| traces.tolls(None, job.agent));
            let around = (VisibleAgents::Now(view.occupancy()), tolls);
            run(options, surroundings(options, view, flows, job.agent, around), view.tick(), job, desk);
        });
        let mut spent = 0;
        for job in self.jobs.drain(..) {
            spent += job.outcome.expansions;
            self.clamped += job.outcome.clamped;
            self.minds[job.agent.index()] = job.mind;
        }
        spent
    }
}

/// Whether the path is undefined where the agent stands, or has expired.
fn wants_search(options: &Options, view: &View<'_>, agent: AgentId, mind: &Mind) -> bool {
    if view.is_at_target(agent) || view.target(agent).is_none() {
        return false;
    }
    match mind.path.last() {
        None => true,
        Some(&next) => {
            view.tick() >= mind.limit || (options.search_when_blocked && !view.occupancy().is_free(next))
        }
    }
}

/// Makes sure that the streets which an agent keeps to are there.
fn need_flow(flows: &mut Vec<Option<Flow>>, view: &View<'_>, agent: AgentId) {
    let profile = usize::from(view.profile(agent).0);
    if flows.len() <= profile {
        flows.resize_with(profile + 1, || None);
    }
    let ground = view.ground(agent);
    flows[profile].get_or_insert_with(|| Flow::of(ground)).follow(ground);
}

/// What an agent's search searches.
fn surroundings<'a>(
    options: &Options,
    view: &View<'a>,
    flows: &'a [Option<Flow>],
    agent: AgentId,
    (others, tolls): (VisibleAgents<'a>, Option<StepPenalties<'a>>),
) -> Surroundings<'a> {
    let from = view.at(agent);
    Surroundings {
        ground: view.ground(agent),
        others,
        flow: flows.get(usize::from(view.profile(agent).0)).and_then(Option::as_ref),
        tolls,
        from,
        goal: view.target(agent).unwrap_or(from),
        sight: options.sight,
    }
}

/// Algorithm 3 for one agent.
fn run(options: &Options, space: Surroundings<'_>, tick: u64, job: &mut Job, desk: &mut Lookahead) {
    let mind = &mut job.mind;
    // With room for the longest path at once, later searches need no more memory.
    mind.path.clear();
    mind.path.reserve(options.longest_path());
    job.outcome = desk.search(space, &mut mind.learned, options.bounds, &mut mind.path);
    mind.take(job.outcome, tick + options.bounds.moves as u64);
}
