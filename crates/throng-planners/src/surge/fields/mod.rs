//! Every agent's corridor field, made within the work of each tick.
//!
//! Agents that need a field queue for one: who has just been sent somewhere, who was pushed out of its corridor, whose
//! corridor the map has changed in. A few benches work side by side, each on one field at a time; what is granted in
//! a tick is shared among them. Agents with the same target share a field that covers both. After an edit elsewhere a
//! field still leads home, but a shorter way may have opened: whoever is on a detour gets a new one when nobody else
//! needs work, once an edit.

mod saved;

use std::collections::{BTreeMap, VecDeque};

use throng_crowd::{AgentId, View, Work, share_out};
use throng_grid::{Cell, Grid, Pos};

use super::bench::{Bench, Job};
use super::field::Field;
use super::sight::{Plain, Sight};

/// Fields in the making at the same time.
const BENCHES: usize = 4;
/// Units that a bench may spend in one round.
const SLICE: u64 = 2_048;
/// An agent waits twice as long each time before it turns round for a shorter way, this often.
const MOST_TURNS: u8 = 10;
/// No field.
const NONE: u32 = u32::MAX;

/// A field and who uses it.
#[derive(Clone, Debug, Default)]
struct Shared {
    field: Field,
    users: u32,
    whose: (u8, Cell),
    /// The fingerprint of the map that it was made for, and when.
    ground: u64,
    made: u64,
}

/// The fields of all agents.
pub(super) struct Fields {
    /// Which field each agent has.
    of: Vec<u32>,
    /// Whether each agent waits for another.
    waits: Vec<bool>,
    /// The fingerprint of a map on which there is no way for an agent, 0 when there is.
    hopeless: Vec<u64>,
    /// How often each agent was given another field for a shorter way since it was sent.
    turned: Vec<u8>,
    /// What each agent under way sees.
    sights: Vec<Sight>,
    queue: VecDeque<AgentId>,
    /// Who is looked at next for a shorter way, and how many are to be looked at since the last edit.
    again: (usize, usize),
    /// Whether some are to be looked at again in the next tick.
    later: bool,
    benches: Vec<Bench>,
    /// Those there are.
    made: Vec<Shared>,
    /// Places of fields that nobody uses any more.
    free: Vec<u32>,
    /// The fields to a target, for a profile.
    to: BTreeMap<(u8, Cell), Vec<u32>>,
    /// The map as it was when staleness was last looked for, a profile each.
    seen: Vec<u64>,
    held: usize,
}

impl Fields {
    /// No fields yet. The benches are set up for a map at once, so that the first tick need not.
    pub(super) fn new(grid: &Grid) -> Self {
        Self::with((0..BENCHES).map(|_| Bench::new(grid.ground())).collect())
    }

    fn with(benches: Vec<Bench>) -> Self {
        Self {
            of: Vec::new(),
            waits: Vec::new(),
            hopeless: Vec::new(),
            turned: Vec::new(),
            sights: Vec::new(),
            queue: VecDeque::new(),
            again: (0, 0),
            later: false,
            benches,
            made: Vec::new(),
            free: Vec::new(),
            to: BTreeMap::new(),
            seen: Vec::new(),
            held: 0,
        }
    }

    /// An agent's field.
    #[inline]
    pub(super) fn of(&self, agent: AgentId) -> Option<&Field> {
        self.made.get(*self.of.get(agent.index())? as usize).map(|shared| &shared.field)
    }

    /// What an agent sees in this tick; asked of agents that may step.
    #[inline]
    pub(super) fn sight(&self, view: &View<'_>, agent: AgentId) -> Sight {
        match view.target(agent) {
            Some(target) if target != view.at(agent) => self.sights[agent.index()],
            Some(target) => Sight::new(view.ground(agent), self.of(agent), target, target),
            None => Sight::RESTING,
        }
    }

    /// Looks around for an agent under way.
    fn look(&mut self, view: &View<'_>, agent: AgentId, target: Cell) {
        self.sights[agent.index()] = Sight::new(view.ground(agent), self.of(agent), view.at(agent), target);
    }

    /// An agent has other business, and lets go of its field.
    pub(super) fn forget(&mut self, agent: AgentId) {
        self.drop(agent);
        if agent.index() < self.of.len() {
            (self.hopeless[agent.index()], self.turned[agent.index()]) = (0, 0);
        }
    }

    /// An agent lets go of its field.
    fn drop(&mut self, agent: AgentId) {
        let Some(place) = self.of.get_mut(agent.index()).map(|of| std::mem::replace(of, NONE)) else {
            return;
        };
        let Some(shared) = self.made.get_mut(place as usize) else { return };
        shared.users -= 1;
        if shared.users == 0 {
            let last = std::mem::take(shared);
            self.held -= last.field.bytes();
            self.free.push(place);
            if let Some(places) = self.to.get_mut(&last.whose) {
                places.retain(|&other| other != place);
                if places.is_empty() {
                    self.to.remove(&last.whose);
                }
            }
        }
    }

    /// Puts whoever needs a field into the queue, or gives it one that another has.
    pub(super) fn queue(&mut self, view: &View<'_>) {
        self.of.resize(view.numbers(), NONE);
        self.waits.resize(view.numbers(), false);
        self.hopeless.resize(view.numbers(), 0);
        self.turned.resize(view.numbers(), 0);
        self.sights.resize(view.numbers(), Sight::RESTING);
        if std::mem::take(&mut self.later) {
            self.again.1 = view.numbers();
        }
        self.again.1 = self.again.1.min(view.numbers());
        self.find_stale(view);
        for &agent in view.movers() {
            let Some(target) = view.target(agent).filter(|&target| target != view.at(agent)) else {
                continue;
            };
            self.look(view, agent, target);
            let ground = view.ground(agent);
            let covered = self.sights[agent.index()].here().is_some();
            let stale = self.of(agent).is_some_and(Field::is_stale);
            if self.waits[agent.index()]
                || covered && !stale
                || self.hopeless[agent.index()] == ground.fingerprint()
            {
                continue;
            }
            if self.share(agent, (view.profile(agent).0, target), ground.pos(view.at(agent))) {
                self.look(view, agent, target);
            } else {
                // Who would walk into a new wall, or has been pushed aside, has more to lose than who sets out.
                self.waits[agent.index()] = true;
                if self.of(agent).is_some() {
                    self.queue.push_front(agent);
                } else {
                    self.queue.push_back(agent);
                }
            }
        }
    }

    /// Marks the fields whose corridor the map has changed in.
    fn find_stale(&mut self, view: &View<'_>) {
        let grounds = view.grid().grounds();
        let now = grounds.iter().map(throng_grid::Ground::fingerprint);
        if self.seen.iter().copied().eq(now.clone()) {
            return;
        }
        self.seen.clear();
        self.seen.extend(now);
        self.again.1 = view.numbers();
        for shared in self.made.iter_mut().filter(|shared| shared.users > 0) {
            if let Some(ground) = grounds.get(usize::from(shared.whose.0)) {
                shared.field.compare(ground);
            }
        }
    }

    /// Gives an agent a field to its target that covers where it stands, if there is one.
    fn share(&mut self, agent: AgentId, whose: (u8, Cell), here: Pos) -> bool {
        let fits = |&&place: &&u32| {
            let field = &self.made[place as usize].field;
            !field.is_stale() && field.distance(here).is_some()
        };
        let Some(&place) = self.to.get(&whose).and_then(|places| places.iter().find(fits)) else {
            return false;
        };
        self.made[place as usize].users += 1;
        self.drop(agent);
        self.of[agent.index()] = place;
        true
    }

    /// Makes fields for at most `most` units of work, and answers what it cost.
    pub(super) fn make(&mut self, view: &View<'_>, work: &mut Work<'_>, most: u64) -> u64 {
        let mut left = most;
        loop {
            self.assign(view);
            let busy = self.benches.iter().filter(|bench| bench.job.is_some()).count() as u64;
            let purse = left.min(work.left());
            let slice = purse.checked_div(busy).map_or(0, |share| SLICE.min(share).max(1).min(purse));
            let round = slice * busy.min(purse);
            if round == 0 || !work.round(round) {
                return most - left;
            }
            let mut turn = round / slice;
            for bench in &mut self.benches {
                bench.granted = if bench.job.is_some() && turn > 0 { slice } else { 0 };
                turn -= u64::from(bench.granted > 0);
            }
            let each = |bench: &mut Bench, (): &mut ()| {
                if let Some(job) = bench.job {
                    bench.advance(view.ground(job.agent));
                }
            };
            share_out(view.executor(), &mut self.benches, &mut Vec::new(), || (), each);
            let mut spent = 0;
            for i in 0..BENCHES {
                spent += std::mem::take(&mut self.benches[i].spent);
                if let Some((job, field)) = self.benches[i].finished() {
                    self.hand_over(view, job, field);
                }
            }
            work.spend(spent);
            left = left.saturating_sub(spent);
        }
    }

    /// Gives idle benches the next jobs, and has jobs begin again when the map has changed.
    fn assign(&mut self, view: &View<'_>) {
        for i in 0..BENCHES {
            if let Some(job) = self.benches[i].job {
                let ground = view.ground(job.agent);
                if !view.is_alive(job.agent) || view.target(job.agent) != Some(job.target) {
                    self.benches[i].job = None;
                    self.waits[job.agent.index()] = false;
                } else if job.ground != ground.fingerprint() {
                    self.begin(view, i, job.agent);
                } else {
                    self.benches[i].revive(ground);
                }
            }
            while self.benches[i].job.is_none()
                && let Some(agent) = self.queue.pop_front().or_else(|| self.on_a_detour(view))
            {
                self.begin(view, i, agent);
            }
        }
    }

    /// Has a bench begin a field for an agent, if that one still has somewhere to go.
    fn begin(&mut self, view: &View<'_>, bench: usize, agent: AgentId) {
        let (at, ground) = (view.at(agent), view.ground(agent));
        let target = view.target(agent).filter(|&target| target != at && view.is_alive(agent));
        self.waits[agent.index()] = target.is_some();
        self.benches[bench].job = None;
        if let Some(target) = target {
            let job = Job { agent, from: at, target, ground: ground.fingerprint() };
            self.benches[bench].begin(ground, job);
        }
    }

    /// The next agent whose field is from before the last edit and leads a longer way than on an empty map. One that has
    /// turned round before stays on its way the longer, so that a door which never rests does not hold it in between.
    fn on_a_detour(&mut self, view: &View<'_>) -> Option<AgentId> {
        while self.again.1 > 0 {
            let agent = AgentId((self.again.0 % view.numbers()) as u32);
            self.again = (agent.index() + 1, self.again.1 - 1);
            let Some(target) = view.target(agent).filter(|_| view.is_alive(agent)) else { continue };
            let (at, ground) = (view.at(agent), view.ground(agent));
            let Some(shared) = self.made.get(self.of[agent.index()] as usize) else { continue };
            let least = Plain::new(ground, target).distance(at);
            let detour = shared.field.distance(ground.pos(at)).is_some_and(|here| !Field::is(here, least));
            if !detour || shared.ground == ground.fingerprint() || self.waits[agent.index()] {
                continue;
            }
            if view.tick() < shared.made + (1 << self.turned[agent.index()]) {
                self.later = true;
                continue;
            }
            self.turned[agent.index()] = (self.turned[agent.index()] + 1).min(MOST_TURNS);
            return Some(agent);
        }
        None
    }

    fn hand_over(&mut self, view: &View<'_>, job: Job, field: Option<Field>) {
        self.waits[job.agent.index()] = false;
        let Some(field) = field else {
            self.hopeless[job.agent.index()] = job.ground;
            return;
        };
        self.drop(job.agent);
        self.held += field.bytes();
        let whose = (view.profile(job.agent).0, job.target);
        let shared = Shared { field, users: 1, whose, ground: job.ground, made: view.tick() };
        let place = self.free.pop().unwrap_or(self.made.len() as u32);
        if let Some(slot) = self.made.get_mut(place as usize) {
            *slot = shared;
        } else {
            self.made.push(shared);
        }
        self.to.entry(whose).or_default().push(place);
        self.of[job.agent.index()] = place;
        self.look(view, job.agent, job.target);
    }

    pub(super) fn bytes(&self) -> usize {
        self.held
            + self.of.capacity() * (size_of::<Sight>() + 14)
            + self.benches.iter().map(Bench::bytes).sum::<usize>()
    }
}
