//! Standing aside: how circles of waiting agents are broken, and agents that have arrived make room.

use throng_crowd::{AgentId, Moves, View};
use throng_grid::Cell;
use throng_grid::hash::splitmix64;
use throng_toolkit::WaitForGraph;

use super::Far;
use super::agent_state::Blocker;

/// After so many ticks behind an agent that has nowhere to go, or a unit that never makes way, something is done.
const PATIENCE: u32 = 3;

/// An agent that stands aside is sent further at most so often in a row; then those around it must make room.
pub(super) const MAX_ASIDES: u32 = 8;

/// How often the time doubles that an agent waits before it stands aside on its way.
const YIELDS: u32 = 7;

/// A circle in which nobody has room.
#[derive(Debug)]
pub(super) struct Jam {
    /// Its lowest member.
    circle: AgentId,
    /// The nearest agent behind it that has room, and over how many others it waits.
    nearest: Option<(u32, AgentId)>,
}

impl Far {
    /// In each circle the agent with the most room around it stands aside; when none has any, the nearest of those
    /// who wait behind them that has.
    pub(super) fn break_circles(&mut self, view: &View<'_>, moves: &mut Moves) {
        let mut waits = std::mem::take(&mut self.waits);
        self.who_waits(view, &mut waits, moves);
        self.jams.clear();
        for circle in waits.circles() {
            if circle.len() == 1 {
                self.jams.push(Jam { circle: circle[0], nearest: None });
                continue;
            }
            self.want(circle);
            let room = |agent: AgentId| {
                if self.yields(agent) { self.room(view, moves, agent, true).count() } else { 0 }
            };
            // The lowest number among equals.
            let best = circle.iter().enumerate().max_by_key(|&(_, &agent)| (room(agent), !agent.0));
            match best.filter(|&(_, &agent)| room(agent) > 0) {
                Some((place, &agent)) => {
                    let behind = circle[(place + circle.len() - 1) % circle.len()];
                    self.stand_aside(view, agent, behind, moves);
                }
                None => self.jams.push(Jam { circle: circle[0], nearest: None }),
            }
        }
        self.loosen_jams(view, &waits, moves);
        self.waits = waits;
    }

    /// Writes down who waits for whom. An agent that should make room and cannot waits for itself: a circle of one.
    fn who_waits(&mut self, view: &View<'_>, waits: &mut WaitForGraph, moves: &Moves) {
        waits.begin(self.states.len());
        for &agent in view.agents() {
            let Blocker::Agent(other) = self.states[agent.index()].blocker else { continue };
            waits.wait(agent, other);
            let tired = self.is_aside(other) && self.states[other.index()].asides >= MAX_ASIDES;
            if self.should_make_room(view, agent, other)
                && (tired || self.room(view, moves, other, false).next().is_none())
            {
                waits.wait(other, other);
            }
        }
    }

    /// Whether an agent has waited long enough for another one that has nowhere to go, or stands aside already.
    fn should_make_room(&self, view: &View<'_>, agent: AgentId, other: AgentId) -> bool {
        let target = view.target(other);
        let stands =
            target.is_none() || target == Some(self.states[other.index()].at) || self.is_aside(other);
        stands && self.states[agent.index()].waited >= PATIENCE && view.is_controlled(other)
    }

    /// Whether an agent on its way stands aside where it must: the more often it has done so, the longer it waits
    /// first. So those who stand aside for each other and meet again come to rest in the end, and are seen to be stuck.
    fn yields(&self, agent: AgentId) -> bool {
        let state = &self.states[agent.index()];
        state.waited >= (1 << state.yielded.min(YIELDS)) >> 1
    }

    fn is_aside(&self, agent: AgentId) -> bool {
        self.states[agent.index()].rest > self.tick
    }

    /// Collects the cells that some agents want to reserve.
    fn want(&mut self, agents: &[AgentId]) {
        self.wanted.clear();
        for agent in agents {
            let ahead = self.states[agent.index()].ahead(self.offsets);
            self.wanted.extend(ahead.take(self.depth));
        }
    }

    /// Behind each circle without room the nearest agent that has some stands aside, so that room comes nearer.
    fn loosen_jams(&mut self, view: &View<'_>, waits: &WaitForGraph, moves: &mut Moves) {
        self.wanted.clear();
        let mut jams = std::mem::take(&mut self.jams);
        for &agent in view.movers() {
            let Some((circle, steps)) = waits.leads_to(agent) else { continue };
            let Ok(jam) = jams.binary_search_by_key(&circle, |jam| jam.circle) else { continue };
            let nearest = &mut jams[jam].nearest;
            if steps > 0
                && self.yields(agent)
                && nearest.is_none_or(|(least, _)| steps < least)
                && self.room(view, moves, agent, true).next().is_some()
            {
                *nearest = Some((steps, agent));
            }
        }
        for jam in &jams {
            if let Some((_, agent)) = jam.nearest {
                self.stand_aside(view, agent, jam.circle, moves);
            }
        }
        self.jams = jams;
    }

    /// Agents with nowhere to go, or that stand aside, make room for those who have waited for it long enough; around units that never do,
    /// another path is looked for.
    pub(super) fn make_room(&mut self, view: &View<'_>, moves: &mut Moves) {
        for &agent in view.movers() {
            let state = &mut self.states[agent.index()];
            if state.waited < PATIENCE {
                continue;
            }
            match state.blocker {
                Blocker::Nothing => {}
                Blocker::Agent(other) if view.is_controlled(other) => {
                    if self.should_make_room(view, agent, other) {
                        self.want(&[agent]);
                        self.stand_aside(view, other, agent, moves);
                    }
                }
                Blocker::Agent(_) | Blocker::Foreign => {
                    state.forget_path();
                    state.detour = true;
                }
            }
        }
    }

    /// The cells that an agent could step into to stand aside: nobody is there or has reserved them, and if `apart`,
    /// those it makes room for do not want them either. None when it cannot step.
    fn room(
        &self,
        view: &View<'_>,
        moves: &Moves,
        agent: AgentId,
        apart: bool,
    ) -> impl Iterator<Item = Cell> {
        let can = view.may_step(agent) && moves.to(agent).is_none();
        let state = &self.states[agent.index()];
        let before = self.is_aside(agent).then_some(state.before);
        let neighbours = view.ground(agent).neighbours(view.at(agent)).filter(move |_| can);
        neighbours.map(|(_, cell)| cell).filter(move |&cell| {
            before != Some(cell)
                && view.occupancy().is_free(cell)
                && self.table.in_the_way_of_holding(agent, cell, self.tick).is_none()
                && !(apart && self.wanted.contains(&cell))
        })
    }

    /// An agent steps into a free cell beside it, drawn by lot, rests there for as long as those behind it need to
    /// reserve their way, and then looks for a path again. Nothing happens when there is no room.
    fn stand_aside(&mut self, view: &View<'_>, agent: AgentId, by: AgentId, moves: &mut Moves) {
        let aside = self.is_aside(agent);
        if aside && self.states[agent.index()].asides >= MAX_ASIDES {
            return;
        }
        // In a dead end there is room only where the others want to go.
        let stands = self.states[agent.index()].blocker == Blocker::Nothing;
        let apart = !stands || self.room(view, moves, agent, true).next().is_some();
        let count = self.room(view, moves, agent, apart).count();
        if count == 0 {
            return;
        }
        let lot = lot(view.seed(), self.tick, agent) % count as u64;
        let Some(to) = self.room(view, moves, agent, apart).nth(lot as usize) else { return };
        self.table.let_go(view.at(agent), agent);
        self.table.hold(to, self.tick, agent);
        let state = &mut self.states[agent.index()];
        state.yielded += u32::from(!stands);
        state.forget_path();
        (state.before, state.at) = (state.at, to);
        state.rest = self.tick + self.depth as u64;
        state.asides = if aside { state.asides + 1 } else { 0 };
        moves.push(agent, to, by);
    }
}

/// A number that depends on nothing else: the finalizer of `SplitMix64`, once for each part.
fn lot(seed: u64, tick: u64, agent: AgentId) -> u64 {
    [tick, u64::from(agent.0)].into_iter().fold(seed, |hash, part| splitmix64(hash ^ part))
}
