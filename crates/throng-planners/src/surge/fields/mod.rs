//! Every agent's corridor field, made within the work of each tick.
//!
//! Agents that need a field queue for one: who has just been sent somewhere, who was pushed out of its corridor, whose
//! corridor the map has changed in. A few benches work side by side, each on one field at a time; what is granted in
//! a tick is shared among them. Agents with the same target share a field that covers both. After an edit elsewhere a
//! field still leads home, but a shorter way may have opened: whoever is on a detour gets a new one when nobody else
//! needs work, once an edit.
//!
//! Memory is capped. Beyond the cap the fields of agents that are home are dropped first, and if that is not enough no
//! further field is made until some are home.

mod edits;
mod saved;

use std::collections::{BTreeMap, VecDeque};

use throng_crowd::{AgentId, View};
use throng_grid::{Cell, Grid, Pos};
use throng_toolkit::run_parallel;

use super::bench::{Bench, Job};
use super::changed::Changed;
use super::field::Field;
use super::purse::{Instalments, Purse};
use super::sight::{Plain, Sight};

/// Fields in the making at the same time.
const BENCHES: usize = 4;
/// Units that a bench may spend in one round.
const SLICE: u64 = 2_048;
/// An agent waits twice as long each time before it turns round for a shorter way, this often.
const MOST_TURNS: u8 = 10;
/// Agents looked at in a tick, at most, for a shorter way or for a field that they do not need any more.
const GLANCES: usize = 512;
/// No field.
const NONE: u32 = u32::MAX;

/// A field and who uses it.
#[derive(Clone, Debug, Default)]
struct Shared {
    field: Field,
    users: u32,
    whose: (u8, Cell),
    /// The fingerprint of the map that its way was looked for on, and when.
    origin: (u64, u64),
    /// How often the map had changed when it was last compared.
    compared: u32,
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
    /// What each agent under way sees, and from where, by which field, on the way to what, on which of the maps.
    sights: Vec<Sight>,
    looked: Vec<(Cell, u32, Cell, u32)>,
    /// How often the map has changed.
    changes: u32,
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
    /// What has changed on the map; which field is compared with it next, how many are to be, how many glances are paid
    /// for, and what else.
    changed: Changed,
    compared: (usize, usize),
    glanced: u64,
    paid: Instalments,
    /// Bytes that all fields need, and may.
    held: usize,
    cap: usize,
    /// Who is looked at next for a field to drop.
    dropped: usize,
}

impl Fields {
    /// No fields yet. The benches are set up for a map at once, so that the first tick need not.
    pub(super) fn new(grid: &Grid, cap: usize) -> Self {
        let mut fields = Self::with((0..BENCHES).map(|_| Bench::new(grid.ground())).collect(), cap);
        fields.changed.on_change(grid.grounds());
        fields.changed.settle();
        fields
    }

    fn with(benches: Vec<Bench>, cap: usize) -> Self {
        Self {
            of: Vec::new(),
            waits: Vec::new(),
            hopeless: Vec::new(),
            turned: Vec::new(),
            sights: Vec::new(),
            looked: Vec::new(),
            changes: 0,
            queue: VecDeque::new(),
            again: (0, 0),
            later: false,
            benches,
            made: Vec::new(),
            free: Vec::new(),
            to: BTreeMap::new(),
            changed: Changed::default(),
            compared: (0, 0),
            glanced: 0,
            paid: Instalments::default(),
            held: 0,
            cap,
            dropped: 0,
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
        let at = view.at(agent);
        self.sights[agent.index()] = Sight::new(view.ground(agent), self.of(agent), at, target);
        self.looked[agent.index()] = (at, self.of[agent.index()], target, self.changes);
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
            self.held -= last.field.memory_bytes();
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
        self.of.resize(view.id_limit(), NONE);
        self.waits.resize(view.id_limit(), false);
        self.hopeless.resize(view.id_limit(), 0);
        self.turned.resize(view.id_limit(), 0);
        self.sights.resize(view.id_limit(), Sight::RESTING);
        self.looked.resize(view.id_limit(), (Cell(u32::MAX), NONE, Cell(u32::MAX), 0));
        if std::mem::take(&mut self.later) {
            self.again.1 = view.id_limit();
        }
        self.again.1 = self.again.1.min(view.id_limit());
        self.drop_unneeded(view);
        for &agent in view.movers() {
            let Some(target) = view.target(agent).filter(|&target| target != view.at(agent)) else {
                continue;
            };
            let seen = (view.at(agent), self.of[agent.index()], target, self.changes);
            if self.looked[agent.index()] != seen {
                self.look(view, agent, target);
            }
            let ground = view.ground(agent);
            let here = self.sights[agent.index()].here();
            let leads = |field: &Field| here.is_some_and(|here| !field.is_stale() && !field.is_late(here));
            if self.waits[agent.index()]
                || self.of(agent).is_some_and(leads)
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

    /// Drops fields of agents that are home while there is more than the cap.
    fn drop_unneeded(&mut self, view: &View<'_>) {
        let mut glances = GLANCES.min(view.id_limit());
        while self.held > self.cap && glances > 0 {
            let agent = AgentId((self.dropped % view.id_limit()) as u32);
            (self.dropped, glances) = (agent.index() + 1, glances - 1);
            if !view.is_alive(agent) || view.is_at_target(agent) {
                self.drop(agent);
            }
        }
    }

    /// Gives an agent a field to its target that covers where it stands, if there is one.
    fn share(&mut self, agent: AgentId, whose: (u8, Cell), here: Pos) -> bool {
        let fits = |&&place: &&u32| {
            let field = &self.made[place as usize].field;
            !field.is_stale() && field.distance(here).is_some_and(|here| !field.is_late(here))
        };
        let Some(&place) = self.to.get(&whose).and_then(|places| places.iter().find(fits)) else {
            return false;
        };
        self.made[place as usize].users += 1;
        self.drop(agent);
        self.of[agent.index()] = place;
        true
    }

    /// Makes fields, as far as the purse goes.
    pub(super) fn make(&mut self, view: &View<'_>, purse: &mut Purse<'_, '_>) {
        let mut glances = GLANCES;
        loop {
            self.assign(view, &mut glances);
            let busy = self.benches.iter().filter(|bench| bench.job.is_some()).count() as u64;
            let left = purse.left();
            let slice = left.checked_div(busy).map_or(0, |share| SLICE.min(share).max(1).min(left));
            let round = slice * busy.min(left);
            if round == 0 || !purse.work.round(round) {
                return;
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
            run_parallel(view.executor(), &mut self.benches, &mut Vec::new(), || (), each);
            let mut spent = 0;
            for i in 0..BENCHES {
                spent += std::mem::take(&mut self.benches[i].spent);
                if let Some((job, field)) = self.benches[i].finished() {
                    self.hand_over(view, job, field);
                }
            }
            purse.work.spend(spent);
            purse.left = purse.left.saturating_sub(spent);
        }
    }

    /// Gives idle benches the next jobs, and has jobs begin again when the map has changed.
    fn assign(&mut self, view: &View<'_>, glances: &mut usize) {
        for i in 0..BENCHES {
            if let Some(job) = self.benches[i].job {
                let ground = view.ground(job.agent);
                if !view.is_alive(job.agent) || view.target(job.agent) != Some(job.target) {
                    self.benches[i].job = None;
                    self.waits[job.agent.index()] = false;
                } else if job.ground != ground.fingerprint() && !self.benches[i].outlives(ground) {
                    self.begin(view, i, job.agent);
                } else {
                    self.benches[i].revive(ground);
                }
            }
            while self.benches[i].job.is_none()
                && self.held <= self.cap
                && let Some(agent) = self.queue.pop_front().or_else(|| self.on_a_detour(view, glances))
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
        let Some(target) = target else { return };
        let fingerprint = ground.fingerprint();
        let origin = (fingerprint, view.tick());
        let job = Job { agent, from: at, target, ground: fingerprint, origin, found: false };
        // Who has come to the end of a stretch gets the next one; everyone else a path from where it stands.
        if let Some(shared) = self.made.get(self.of[agent.index()] as usize)
            && let Some(here) = shared.field.distance(ground.pos(at))
            && !shared.field.is_stale()
            && shared.whose == (view.profile(agent).0, target)
            && shared.field.is_late(here)
            && self.benches[bench].go_on(
                ground,
                Job { origin: shared.origin, found: true, ..job },
                &shared.field,
                here,
            )
        {
            return;
        }
        self.benches[bench].begin(ground, job);
    }

    /// The next agent whose field is from before the last edit and leads a longer way than on an empty map. One that has
    /// turned round before stays on its way the longer, so that a door which never rests does not hold it in between.
    fn on_a_detour(&mut self, view: &View<'_>, glances: &mut usize) -> Option<AgentId> {
        while self.again.1 > 0 && *glances > 0 {
            *glances -= 1;
            let agent = AgentId((self.again.0 % view.id_limit()) as u32);
            self.again = (agent.index() + 1, self.again.1 - 1);
            let Some(target) = view.target(agent).filter(|_| view.is_alive(agent)) else { continue };
            let (at, ground) = (view.at(agent), view.ground(agent));
            let Some(shared) = self.made.get(self.of[agent.index()] as usize) else { continue };
            let least = Plain::new(ground, target).distance(at);
            let detour = shared.field.distance(ground.pos(at)).is_some_and(|here| !Field::is(here, least));
            if !detour || shared.origin.0 == ground.fingerprint() || self.waits[agent.index()] {
                continue;
            }
            if view.tick() < shared.origin.1 + (1 << self.turned[agent.index()]) {
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
        self.held += field.memory_bytes();
        let whose = (view.profile(job.agent).0, job.target);
        let shared = Shared { field, users: 1, whose, origin: job.origin, compared: self.changes };
        let place = self.free.pop().unwrap_or(self.made.len() as u32);
        if let Some(slot) = self.made.get_mut(place as usize) {
            *slot = shared;
        } else {
            self.made.push(shared);
        }
        self.to.entry(whose).or_default().push(place);
        self.drop(job.agent);
        self.of[job.agent.index()] = place;
        self.look(view, job.agent, job.target);
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.held
            + self.changed.memory_bytes()
            + self.of.capacity() * (size_of::<Sight>() + 30)
            + self.benches.iter().map(Bench::memory_bytes).sum::<usize>()
    }
}
