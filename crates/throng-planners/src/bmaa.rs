//! BMAA*, Bounded Multi-Agent A*: every agent runs its own real-time search and takes the others for obstacles.
//!
//! D. Sigurdson, V. Bulitko, W. Yeoh, C. Hernández, S. Koenig, *Multi-Agent Pathfinding with Real-Time Heuristic
//! Search*, CIG 2018, algorithms 2 to 5. In the search phase every agent whose path has ended or expired runs RTAA*
//! from where it stands ([`Lookahead`]); in the execution phase agents step along their paths one after the other,
//! and may push another off its goal.
//!
//! Departures, none of which changes what a run with enough budget does:
//! - an agent at its goal does not search, for it would find nothing and learn nothing;
//! - where the budget does not suffice, agents are served one after the other, and those not served go on along the
//!   path they have, or wait, and are first in the next tick. The last one's search may be half done by then: it goes
//!   on in the next tick ([`HalfDone`]), on what the agent saw when it began, and the agent stays until it is done;
//! - one-way streets are laid for the whole map when the planner is made, and again after the map has changed;
//! - a path is dropped when the map changes so that a step of it is no longer legal.
//!
//! What the paper leaves open: agents act in the order of their numbers, so one may enter a cell that another has
//! just left; a blocked agent keeps its path and waits until it expires (`blocked=search` searches at once); pushed
//! is who stands on its own goal or has none (`push=on`), or whoever stands on the pusher's (`push=own-goal`, as in
//! D. Sigurdson's thesis), to a random free neighbour, once a tick, and never by being pushed itself.

mod half_done;
mod mind;
mod options;

pub(crate) use options::{INFO, Options};

use throng_crowd::bytes::{Damaged, Reader, put};
use throng_crowd::{
    AgentId, Change, Claims, Flow, Moves, Occupant, Others, Planner, Sharing, View, Work, share_out,
};
use throng_grid::{Cell, Grid, ProfileId, Size};

use crate::rtaa::{Lookahead, Outcome, Surroundings};
use half_done::HalfDone;
use mind::Mind;
use options::Push;

/// The most agents that search in one round of work, and the most expansions of one: a round is short, so that a
/// clock between rounds is obeyed.
const ROUND: u64 = 64;
const LONGEST: u64 = 1 << 14;

/// Written first, so that what other versions have saved is refused.
const VERSION: u64 = 2;

/// An agent's search, carried to a worker and back.
#[derive(Debug)]
struct Job {
    agent: AgentId,
    mind: Mind,
    outcome: Outcome,
}

/// The planner: see the registry's entries `bmaa` and `rtaa`.
#[derive(Debug)]
pub struct Bmaa {
    options: Options,
    size: Size,
    minds: Vec<Mind>,
    /// The number of the agent that searches first.
    first: u32,
    /// How often an estimate was about to fall below the distance on an empty map.
    clamped: u64,
    /// The revision of the grid that paths and flows belong to.
    seen: Option<u64>,
    /// The one-way streets of each profile's ground, where they are in use.
    flows: Vec<Option<Flow>>,
    /// The search that goes on in the next tick.
    half_done: HalfDone,
    claims: Claims,
    waiting: Vec<AgentId>,
    turns: Vec<AgentId>,
    jobs: Vec<Job>,
    desks: Vec<Lookahead>,
}

impl Bmaa {
    pub(crate) fn new(options: Options, grid: &Grid) -> Self {
        let grounds = (0..=u8::MAX).map_while(|number| grid.ground_of(ProfileId(number)));
        Self {
            flows: grounds.take_while(|_| options.flow).map(|ground| Some(Flow::of(ground))).collect(),
            options,
            size: grid.size(),
            minds: Vec::new(),
            first: 0,
            clamped: 0,
            seen: None,
            half_done: HalfDone::default(),
            claims: Claims::default(),
            waiting: Vec::new(),
            turns: Vec::new(),
            jobs: Vec::new(),
            desks: Vec::new(),
        }
    }

    /// How often a learned estimate was about to fall below the distance on an empty map, because a unit that it was
    /// learned from has gone.
    pub fn clamped(&self) -> u64 {
        self.clamped
    }

    /// After the map has changed: no path has an illegal step, and the streets are those of the new map.
    fn take_in_map(&mut self, view: &View<'_>) {
        self.minds.resize_with(self.minds.len().max(view.numbers()), Mind::default);
        if self.seen == Some(view.grid().revision()) {
            return;
        }
        self.seen = Some(view.grid().revision());
        for (number, flow) in self.flows.iter_mut().enumerate() {
            let ground = view.grid().ground_of(ProfileId(number as u8));
            flow.take_if(|flow| !ground.is_some_and(|ground| flow.is_current(ground)));
        }
        for &agent in view.agents() {
            let (ground, mind) = (view.ground(agent), &mut self.minds[agent.index()]);
            let mut at = view.at(agent);
            let legal = |&to: &Cell| ground.legal_step(std::mem::replace(&mut at, to), to).is_some();
            if !mind.path.iter().rev().all(legal) {
                mind.drop_path();
            }
        }
    }

    /// Algorithm 3 for all agents. Searches look at the world as it was when the tick began, so their order does not
    /// matter, and they may run side by side.
    fn search_phase(&mut self, view: &View<'_>, work: &mut Work<'_>) {
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
        let half_done = self.half_done.agent().filter(|_| self.half_done.kept.is_current(view));
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
        self.half_done.pause(view, self.options.sight, self.options.flow);
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
        let HalfDone { kept, desk, .. } = &mut self.half_done;
        if self.options.flow {
            need_flow(&mut self.flows, view, kept.agent);
        }
        let mind = &mut self.minds[kept.agent.index()];
        let mut space = surroundings(&self.options, view, &self.flows, kept.agent, kept.others(view));
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
        let (options, flows) = (&self.options, &self.flows);
        share_out(view.executor(), &mut self.jobs, &mut self.desks, Lookahead::default, |job, desk| {
            let others = Others::Now(view.occupancy());
            run(options, surroundings(options, view, flows, job.agent, others), view.tick(), job, desk);
        });
        let mut spent = 0;
        for job in self.jobs.drain(..) {
            spent += job.outcome.expansions;
            self.clamped += job.outcome.clamped;
            self.minds[job.agent.index()] = job.mind;
        }
        spent
    }

    /// Algorithm 2, lines 5 to 15.
    fn execution_phase(&mut self, view: &View<'_>, moves: &mut Moves) {
        self.claims.begin(view);
        self.turns.clear();
        self.turns.extend_from_slice(view.movers());
        if self.options.random_order {
            self.turns.sort_unstable_by_key(|&agent| (view.lot(agent), agent));
        }
        for i in 0..self.turns.len() {
            self.execute(view, moves, self.turns[i]);
        }
    }

    fn execute(&mut self, view: &View<'_>, moves: &mut Moves, agent: AgentId) {
        // What a search that is half done finds is of use only where it began.
        if self.claims.has_moved(agent) || self.half_done.agent() == Some(agent) {
            return;
        }
        let mind = &self.minds[agent.index()];
        let Some(&next) = mind.path.last() else {
            if let Some(held) = mind.shut_by.filter(|&held| !view.occupancy().is_free(held)) {
                moves.wait(agent, held, view.occupancy().agent(held));
            }
            return;
        };
        if let Occupant::Agent(other) = self.claims.at(view, next)
            && self.may_push(view, agent, other)
        {
            self.push(view, moves, other, agent);
        }
        match self.claims.at(view, next) {
            Occupant::Nobody => {
                self.claims.go(view, moves, agent, next);
                self.minds[agent.index()].path.pop();
            }
            Occupant::Agent(other) => moves.wait(agent, next, Some(other)),
            Occupant::Foreign => moves.wait(agent, next, None),
        }
    }

    fn may_push(&self, view: &View<'_>, agent: AgentId, other: AgentId) -> bool {
        let asked = match self.options.push {
            Push::Off => false,
            Push::On => view.target(other).is_none_or(|target| target == view.at(other)),
            Push::OwnGoal => view.target(agent) == Some(view.at(other)),
        };
        asked && view.may_step(other) && !self.claims.has_moved(other)
    }

    /// Moves an agent to one of the free cells beside it, if there is one.
    fn push(&mut self, view: &View<'_>, moves: &mut Moves, agent: AgentId, by: AgentId) {
        let mut room = [Cell(0); 8];
        let mut count = 0;
        for (_, cell) in view.ground(agent).neighbours(view.at(agent)) {
            if self.claims.at(view, cell) == Occupant::Nobody {
                room[count] = cell;
                count += 1;
            }
        }
        if count > 0 {
            let to = room[(view.lot(agent) % count as u64) as usize];
            self.claims.push(view, moves, agent, to, by);
            self.minds[agent.index()].drop_path();
        }
    }
}

/// Whether the path is undefined where the agent stands, or has expired.
fn wants_search(options: &Options, view: &View<'_>, agent: AgentId, mind: &Mind) -> bool {
    if view.is_home(agent) || view.target(agent).is_none() {
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
    flows[profile].get_or_insert_with(|| Flow::of(view.ground(agent)));
}

/// What an agent's search searches.
fn surroundings<'a>(
    options: &Options,
    view: &View<'a>,
    flows: &'a [Option<Flow>],
    agent: AgentId,
    others: Others<'a>,
) -> Surroundings<'a> {
    let from = view.at(agent);
    Surroundings {
        ground: view.ground(agent),
        others,
        flow: flows.get(usize::from(view.profile(agent).0)).and_then(Option::as_ref),
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

impl Planner for Bmaa {
    fn needs(&self) -> Sharing {
        match self.options.push {
            Push::Off => Sharing::Nothing,
            Push::On | Push::OwnGoal => Sharing::MoveRequests,
        }
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        self.take_in_map(view);
        self.search_phase(view, work);
        self.execution_phase(view, moves);
    }

    fn notice(&mut self, agent: AgentId, change: Change) {
        self.half_done.end_of(agent);
        let Some(mind) = self.minds.get_mut(agent.index()) else { return };
        match change {
            Change::Relocated => mind.drop_path(),
            Change::Despawned => *mind = Mind::default(),
            _ => mind.forget(),
        }
    }

    fn intent(&self, agent: AgentId) -> Option<Cell> {
        self.minds.get(agent.index()).and_then(|mind| mind.path.last().copied())
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        for value in [VERSION, u64::from(self.first), self.clamped, self.minds.len() as u64] {
            put(bytes, value);
        }
        for mind in &self.minds {
            mind.save(bytes);
        }
        self.half_done.save(bytes);
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), Damaged> {
        let mut reader = Reader::new(bytes);
        if reader.number("a version")? != VERSION {
            return Err(reader.damaged("the version of this planner"));
        }
        let first = reader.number_to(u64::from(u32::MAX), "the agent that searches first")? as u32;
        let clamped = reader.number("a count")?;
        let mut minds = Vec::new();
        for _ in 0..reader.length("the number of agents")? {
            minds.push(Mind::load(self.size, &mut reader)?);
        }
        let most = self.options.bounds.expansions;
        let half_done = HalfDone::load(&mut reader, self.size, minds.len(), most)?;
        if !reader.is_done() {
            return Err(reader.damaged("the end"));
        }
        (self.first, self.clamped, self.minds, self.half_done) = (first, clamped, minds, half_done);
        self.seen = None;
        Ok(())
    }

    fn bytes(&self) -> usize {
        let flows = self.flows.iter().flatten().map(Flow::bytes);
        let minds = self.minds.iter().map(Mind::bytes);
        let desks = self.desks.iter().map(Lookahead::bytes);
        let spare = (self.minds.capacity() - self.minds.len()) * size_of::<Mind>();
        let lists = (self.waiting.capacity() + self.turns.capacity()) * size_of::<AgentId>();
        let jobs = self.jobs.capacity() * size_of::<Job>();
        let parts = [spare, lists, jobs, self.claims.bytes(), self.half_done.bytes()];
        flows.chain(minds).chain(desks).chain(parts).sum()
    }
}
