//! Finds the agents that make no headway, has a way planned for them and those they meet, and carries it out.

use throng_crowd::bytes::{Damaged, Reader, put};
use throng_crowd::{AgentId, Occupant, View};
use throng_grid::Cell;
use throng_toolkit::PibtStep;

use super::field::farther;
use super::fields::Fields;
use super::knot::{MOST, Outcome, Untangler};
use super::purse::{Instalments, Purse};

/// Ticks without headway after which an agent is in a knot.
const PATIENCE: u64 = 24;
/// Ticks that an agent waits for whom there is no way.
const RESIGNED: u64 = 4 * PATIENCE;
/// How often planning for an agent must have been in vain before it waits.
const BELIEVED: u32 = 3;
/// Others may be this far away.
const NEAR: i32 = 8;
/// Cells looked at for those around an agent.
const REACHED: usize = 40;
/// Knots looked at in a tick, at most, before one is found to plan for.
const ATTEMPTS: u32 = 4;
/// Units of work that it costs to gather the cells around those in a knot, and their ways: an estimate.
const SURVEY: u64 = 512;
/// Expansions paid for at once, at most.
const SLICE: u64 = 64;
/// Ticks for which those who are planned for wait, at most.
const PLANNED: u64 = 3 * PATIENCE;
/// Nobody.
const NOBODY: AgentId = AgentId(u32::MAX);

/// What is known of an agent's headway.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Headway {
    /// The nearest it has come by its field, shortened; as the field's own way of counting goes.
    nearest: Option<u16>,
    /// When, or when it was last planned for.
    since: u64,
    /// How often it was planned for since then, and how often in vain.
    tries: u32,
    failed: u32,
    /// Until when it waits where it is, because there is no way past those it met.
    resigned: u64,
    /// Whom it met last.
    met: [AgentId; MOST - 1],
}

impl Headway {
    const NONE: Self =
        Self { nearest: None, since: 0, tries: 0, failed: 0, resigned: 0, met: [NOBODY; MOST - 1] };
}

/// Agents that carry out a way together.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Knot {
    members: Vec<AgentId>,
    /// Where the members are after each step, one after the other.
    steps: Vec<Cell>,
    done: usize,
}

impl Knot {
    fn next(&self) -> Option<&[Cell]> {
        self.steps.chunks_exact(self.members.len().max(1)).nth(self.done)
    }
}

/// The knots there are.
pub(super) struct Knots {
    headway: Vec<Headway>,
    tied: Vec<Knot>,
    /// Plans for one knot at a time; its members wait meanwhile.
    untangler: Untangler,
    /// Since when.
    begun: u64,
    paid: Instalments,
    /// Who is to come last from now on: those who make no headway, every other time, and those for whom there is no way.
    pub(super) stuck: Vec<AgentId>,
}

impl Knots {
    pub(super) fn new() -> Self {
        Self {
            headway: Vec::new(),
            tied: Vec::new(),
            untangler: Untangler::new(),
            begun: 0,
            paid: Instalments::default(),
            stuck: Vec::new(),
        }
    }

    /// Two agents have met.
    #[inline]
    pub(super) fn meet(&mut self, one: AgentId, other: AgentId) {
        for (one, other) in [(one, other), (other, one)] {
            let Some(Headway { met, .. }) = self.headway.get_mut(one.index()) else { return };
            if met[0] != other {
                // The last two may take turns: whoever came before them is remembered all the same.
                let place = met.iter().position(|&known| known == other).unwrap_or(MOST - 2);
                met[..=place].rotate_right(1);
                met[0] = other;
            }
        }
    }

    /// Something happened to an agent: it has somewhere else to go, or is elsewhere.
    pub(super) fn forget(&mut self, agent: AgentId) {
        if let Some(headway) = self.headway.get_mut(agent.index()) {
            *headway = Headway::NONE;
        }
        self.tied.retain(|knot| !knot.members.contains(&agent));
        if self.untangler.members().contains(&agent) {
            self.untangler.give_up();
        }
    }

    /// Plans for those who make no headway, as far as the purse goes.
    pub(super) fn untie(&mut self, view: &View<'_>, fields: &Fields, purse: &mut Purse<'_, '_>) {
        let mut attempts = ATTEMPTS;
        for &agent in view.movers() {
            let stuck = self.observe(view, fields, agent);
            if stuck && attempts > 0 && self.untangler.members().is_empty() && !self.is_tied(agent) {
                attempts -= 1;
                let members = self.gather(view, agent);
                if self.headway[agent.index()].tries % 2 == 1 {
                    self.stuck.push(agent);
                }
                if members.len() > 1 && !self.paid.pay(purse, SURVEY) {
                    attempts = 0;
                    continue;
                }
                let headway = &mut self.headway[agent.index()];
                (headway.since, headway.tries) = (view.tick(), headway.tries + 1);
                let failed = headway.failed;
                if members.len() > 1 {
                    self.untangler.begin(view, fields, &members, failed);
                    self.begun = view.tick();
                }
            }
        }
        self.go_on(view, purse);
    }

    /// Goes on to plan for those whose turn it is, as far as the purse goes.
    pub(super) fn go_on(&mut self, view: &View<'_>, purse: &mut Purse<'_, '_>) {
        if self.untangler.members().is_empty() {
            return;
        }
        let mut outcome = Outcome::NotYet;
        // Each expansion is paid for by itself only where the purse does not hold more.
        while outcome == Outcome::NotYet {
            let count = (purse.left() / self.untangler.price()).clamp(1, SLICE);
            if !self.paid.pay(purse, count * self.untangler.price()) {
                break;
            }
            let (unused, next) = self.untangler.go_on(view, count);
            self.paid.refund(unused * self.untangler.price());
            outcome = next;
        }
        // Who has been planned for in vain walks by itself for a while, and has not made others wait for nothing.
        let first = self.untangler.members()[0];
        self.headway[first.index()].since = view.tick();
        match outcome {
            Outcome::NotYet if view.tick().saturating_sub(self.begun) < PLANNED => return,
            // Nobody is to stand and wait for a plan that takes more work than there is.
            Outcome::NotYet | Outcome::Outdated => {}
            Outcome::Hopeless => {
                // Most who wait in a crowd get on by themselves: only who has been told so several times believes it.
                let headway = &mut self.headway[first.index()];
                headway.failed = headway.failed.saturating_add(1);
                self.stuck.push(first);
                if headway.failed >= BELIEVED {
                    headway.resigned = view.tick() + (RESIGNED << (headway.failed - BELIEVED).min(4));
                }
            }
            Outcome::Found(steps) => {
                let members = self.untangler.members().to_vec();
                self.tied.push(Knot { members, steps, done: 0 });
            }
        }
        self.untangler.give_up();
    }

    /// Takes in how near an agent is, and answers whether it has made no headway for long.
    #[inline]
    fn observe(&mut self, view: &View<'_>, fields: &Fields, agent: AgentId) -> bool {
        if view.target(agent).is_none_or(|target| target == view.at(agent)) {
            return false;
        }
        let Some(here) = fields.sight(view, agent).here() else { return false };
        let headway = &mut self.headway[agent.index()];
        if headway.nearest.is_none_or(|nearest| farther(here, nearest) < 0) {
            let met = headway.met;
            *headway = Headway { nearest: Some(here), since: view.tick(), met, ..Headway::NONE };
        }
        view.tick().saturating_sub(headway.since) >= PATIENCE
    }

    /// An agent and those it has to do with: whom it met last; every other time, who stands nearest.
    fn gather(&self, view: &View<'_>, agent: AgentId) -> Vec<AgentId> {
        let ground = view.ground(agent);
        let here = ground.pos(view.at(agent));
        let headway = &self.headway[agent.index()];
        let mut members = vec![agent];
        let mut join = |other: AgentId| {
            let free = members.len() < MOST && !members.contains(&other) && !self.is_tied(other);
            if free && view.is_alive(other) && view.may_step(other) {
                let there = ground.pos(view.at(other));
                if (there.x - here.x).abs().max((there.y - here.y).abs()) <= NEAR {
                    members.push(other);
                }
            }
        };
        if headway.tries.is_multiple_of(2) {
            let met = headway.met.iter().take(if headway.tries.is_multiple_of(4) { MOST - 1 } else { 1 });
            met.copied().filter(|&other| other != NOBODY).for_each(&mut join);
        } else {
            // Those whom one comes to first, also behind others.
            let mut cells = vec![view.at(agent)];
            let mut done = 0;
            while done < cells.len() && cells.len() < REACHED {
                for (_, to) in ground.neighbours(cells[done]) {
                    if !cells.contains(&to) {
                        cells.push(to);
                        view.occupancy().agent(to).into_iter().for_each(&mut join);
                    }
                }
                done += 1;
            }
        }
        members
    }

    /// Whether an agent waits because there is no way past those it met.
    pub(super) fn has_resigned(&self, view: &View<'_>, agent: AgentId) -> bool {
        self.headway.get(agent.index()).is_some_and(|headway| headway.resigned > view.tick())
    }

    fn is_tied(&self, agent: AgentId) -> bool {
        self.tied.iter().any(|knot| knot.members.contains(&agent))
    }

    /// Has those in knots make their next joint step, and those who are being planned for wait. A knot that cannot go
    /// on is dropped.
    pub(super) fn follow(&mut self, view: &View<'_>, step: &mut PibtStep) {
        for &member in self.untangler.members() {
            step.take(member, view.at(member));
        }
        self.tied.retain_mut(|knot| {
            let Some(next) = knot.next() else { return false };
            let fits = knot.members.iter().zip(next).all(|(&member, &to)| {
                let at = view.at(member);
                let legal = to == at || view.ground(member).legal_step(at, to).is_some();
                let open = match view.occupancy().at(to) {
                    Occupant::Nobody => true,
                    Occupant::Agent(other) => knot.members.contains(&other),
                    Occupant::Foreign => false,
                };
                view.is_alive(member) && view.may_step(member) && legal && open && step.taker(to).is_none()
            });
            if fits {
                knot.members.iter().zip(next).for_each(|(&member, &to)| step.take(member, to));
                knot.done += 1;
            }
            fits
        });
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.headway.capacity() * size_of::<Headway>() + self.untangler.memory_bytes()
    }

    pub(super) fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, self.headway.len() as u64);
        for headway in &self.headway {
            put(bytes, headway.nearest.map_or(0, |nearest| u64::from(nearest) + 1));
            put(bytes, headway.since);
            put(bytes, u64::from(headway.tries));
            put(bytes, u64::from(headway.failed));
            put(bytes, headway.resigned);
            headway.met.iter().for_each(|other| put(bytes, u64::from(other.0)));
        }
        put(bytes, self.tied.len() as u64);
        for knot in &self.tied {
            put(bytes, knot.members.len() as u64);
            knot.members.iter().for_each(|member| put(bytes, u64::from(member.0)));
            put(bytes, knot.steps.len() as u64);
            knot.steps.iter().for_each(|cell| put(bytes, u64::from(cell.0)));
            put(bytes, knot.done as u64);
        }
        put(bytes, self.begun);
        self.paid.save(bytes);
        self.untangler.save(bytes);
    }

    /// Makes room for all agents, and forgets what was loaded when it speaks of others.
    pub(super) fn fit(&mut self, view: &View<'_>) {
        let known = |member: &AgentId| member.index() < view.id_limit();
        let tied = self.tied.iter().flat_map(|knot| &knot.members);
        if !tied.chain(self.untangler.members()).all(known) {
            *self = Self::new();
        }
        self.headway.resize(view.id_limit(), Headway::NONE);
    }

    pub(super) fn load(&mut self, reader: &mut Reader<'_>, area: usize) -> Result<(), Damaged> {
        *self = Self::new();
        let number = u64::from(u32::MAX);
        for _ in 0..reader.length("agents' headway")? {
            let nearest = reader.number_to(u64::from(u16::MAX), "a distance")?;
            let since = reader.number_to(u64::MAX / 2, "a tick")?;
            let tries = reader.number_to(number, "a number of tries")? as u32;
            let failed = reader.number_to(number, "a number of tries")? as u32;
            let resigned = reader.number("a tick")?;
            let mut met = [NOBODY; MOST - 1];
            for other in &mut met {
                *other = AgentId(reader.number_to(number, "an agent")? as u32);
            }
            let nearest = nearest.checked_sub(1).map(|nearest| nearest as u16);
            self.headway.push(Headway { nearest, since, tries, failed, resigned, met });
        }
        for _ in 0..reader.length("knots")? {
            let list = |reader: &mut Reader<'_>, most: u64| {
                let count = reader.length("a knot")?;
                (0..count)
                    .map(|_| Ok(reader.number_to(most, "a knot")? as u32))
                    .collect::<Result<Vec<_>, Damaged>>()
            };
            let members = list(reader, number)?.into_iter().map(AgentId).collect();
            let steps = list(reader, (area as u64).saturating_sub(1))?.into_iter().map(Cell).collect();
            let done = reader.number_to(number, "a number of steps")? as usize;
            self.tied.push(Knot { members, steps, done });
        }
        self.begun = reader.number_to(u64::MAX / 2, "a tick")?;
        self.paid = Instalments::load(reader)?;
        self.untangler.load(reader, area)
    }
}
