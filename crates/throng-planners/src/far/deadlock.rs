//! Deadlock breaking in FAR: an agent of each cycle of the wait-for graph steps aside, and agents that have arrived make
//! room. With `deadlock=paper` that is all: an agent that stepped aside soon returns, and neither jams nor units that never
//! give way are dealt with.

use throng_crowd::{AgentRow, Moves, View};
use throng_grid::Cell;
use throng_grid::hash::splitmix64;
use throng_toolkit::{WaitForGraph, random_item};

use super::Far;
use super::agent_state::Blocker;

/// Ticks that an agent waits behind one without a target, or behind a unit that never gives way, before it acts.
/// Waiting longer moves fewer agents that would have gone by themselves, and delays the others.
const WAIT_BEFORE_ACTING: u32 = 3;

/// How many times in a row an agent steps aside again before it has rested. After that, the agents around it must make
/// room.
pub(super) const MAX_ASIDES: u32 = 8;

/// How many times the waiting time doubles after which an agent under way steps aside again.
const MAX_WAIT_DOUBLINGS: u32 = 7;

/// A cycle of waiting agents in which none has a free cell to step into.
#[derive(Clone, Debug)]
pub(super) struct Jam {
    /// Its lowest member.
    cycle: AgentRow,
    /// The nearest agent that waits behind the cycle and has a free cell, with the number of steps to the cycle.
    nearest: Option<(u32, AgentRow)>,
}

impl Far {
    /// In each cycle, the agent with the most free cells around it steps aside. If none has any, the nearest agent behind the
    /// cycle does that has one.
    pub(super) fn break_deadlocks(&mut self, view: &View<'_>, moves: &mut Moves) {
        let mut graph = std::mem::take(&mut self.wait_for);
        self.fill_graph(view, &mut graph, moves);
        self.jams.clear();
        for cycle in graph.cycles() {
            if cycle.len() == 1 {
                self.jams.push(Jam { cycle: cycle[0], nearest: None });
                continue;
            }
            self.collect_wanted(cycle);
            let room = |agent: AgentRow| {
                if self.yields(agent) { self.room(view, moves, agent, true).count() } else { 0 }
            };
            // Ties go to the lowest number.
            let best = cycle.iter().enumerate().max_by_key(|&(_, &agent)| (room(agent), !agent.0));
            match best.filter(|&(_, &agent)| room(agent) > 0) {
                Some((place, &agent)) => {
                    let behind = cycle[(place + cycle.len() - 1) % cycle.len()];
                    self.step_aside(view, agent, behind, moves);
                }
                None => self.jams.push(Jam { cycle: cycle[0], nearest: None }),
            }
        }
        if !self.paper_rules {
            self.free_jams(view, &graph, moves);
        }
        self.wait_for = graph;
    }

    /// Fills the wait-for graph. An agent that should make room and cannot waits for itself, which is a cycle of one.
    fn fill_graph(&mut self, view: &View<'_>, graph: &mut WaitForGraph, moves: &Moves) {
        graph.begin(self.states.len());
        for &agent in view.agents() {
            let Blocker::Agent(other) = self.states[agent.index()].blocker else { continue };
            graph.wait(agent, other);
            let is_exhausted = self.is_aside(other) && self.states[other.index()].asides >= MAX_ASIDES;
            if !self.paper_rules
                && self.should_make_room(view, agent, other)
                && (is_exhausted || self.room(view, moves, other, false).next().is_none())
            {
                graph.wait(other, other);
            }
        }
    }

    /// Returns true if an agent has waited long enough for another that has no target, has arrived, or has stepped aside.
    fn should_make_room(&self, view: &View<'_>, agent: AgentRow, other: AgentRow) -> bool {
        let target = view.target(other);
        let is_aside = self.is_aside(other) && !self.paper_rules;
        let stays = target.is_none() || target == Some(self.states[other.index()].at) || is_aside;
        stays && self.states[agent.index()].waited >= WAIT_BEFORE_ACTING && view.is_controlled(other)
    }

    /// Returns true if an agent under way may step aside. Each time it has done so it waits twice as long first. So agents
    /// that step aside for each other again and again stop in the end, and the deadlock shows.
    fn yields(&self, agent: AgentRow) -> bool {
        let state = &self.states[agent.index()];
        self.paper_rules || state.waited >= (1 << state.yielded.min(MAX_WAIT_DOUBLINGS)) >> 1
    }

    fn is_aside(&self, agent: AgentRow) -> bool {
        self.states[agent.index()].rest > self.tick
    }

    /// Collects the cells that some agents will reserve next.
    fn collect_wanted(&mut self, agents: &[AgentRow]) {
        self.wanted.clear();
        for agent in agents {
            let ahead = self.states[agent.index()].ahead(self.offsets);
            self.wanted.extend(ahead.take(self.depth));
        }
    }

    /// Behind each cycle without a free cell, the nearest agent that has one steps aside, so that free cells come nearer.
    fn free_jams(&mut self, view: &View<'_>, graph: &WaitForGraph, moves: &mut Moves) {
        self.wanted.clear();
        let mut jams = std::mem::take(&mut self.jams);
        for &agent in view.movers() {
            let Some((cycle, steps)) = graph.leads_to(agent) else { continue };
            let Ok(jam) = jams.binary_search_by_key(&cycle, |jam| jam.cycle) else { continue };
            let nearest = &mut jams[jam].nearest;
            if steps > 0
                && self.yields(agent)
                && nearest.is_none_or(|(min, _)| steps < min)
                && self.room(view, moves, agent, true).next().is_some()
            {
                *nearest = Some((steps, agent));
            }
        }
        for jam in &jams {
            if let Some((_, agent)) = jam.nearest {
                self.step_aside(view, agent, jam.cycle, moves);
            }
        }
        self.jams = jams;
    }

    /// Makes agents without a target, or that have stepped aside, give way to agents that have waited long enough. An agent
    /// behind a unit that never gives way searches for another path.
    pub(super) fn make_room(&mut self, view: &View<'_>, moves: &mut Moves) {
        for &agent in view.movers() {
            let state = &mut self.states[agent.index()];
            if state.waited < WAIT_BEFORE_ACTING {
                continue;
            }
            match state.blocker {
                Blocker::Nothing => {}
                Blocker::Agent(other) if view.is_controlled(other) => {
                    if self.should_make_room(view, agent, other) {
                        self.collect_wanted(&[agent]);
                        self.step_aside(view, other, agent, moves);
                    }
                }
                Blocker::Agent(_) | Blocker::Foreign if self.paper_rules => {}
                Blocker::Agent(_) | Blocker::Foreign => {
                    state.forget_path();
                    state.detour = true;
                }
            }
        }
    }

    /// Returns the cells that an agent can step aside to: neither occupied nor reserved, and with `apart` not wanted by the
    /// agents that it gives way to. Empty if the agent cannot step.
    fn room(
        &self,
        view: &View<'_>,
        moves: &Moves,
        agent: AgentRow,
        apart: bool,
    ) -> impl Iterator<Item = Cell> {
        let can = view.may_step(agent) && moves.to(agent).is_none();
        let state = &self.states[agent.index()];
        let before = self.is_aside(agent).then_some(state.before);
        let neighbours = view.ground(agent).neighbours(view.at(agent)).filter(move |_| can);
        neighbours.map(|(_, cell)| cell).filter(move |&cell| {
            before != Some(cell)
                && view.occupancy().is_free(cell)
                && self.table.hold_conflict(agent, cell, self.tick).is_none()
                && self.crossing(view, (view.at(agent), cell), self.tick).is_none()
                && view.crosses_step(view.at(agent), cell).is_none()
                && !(apart && self.wanted.contains(&cell))
        })
    }

    /// Moves an agent to a random free cell beside it. It rests there until the agents behind it have been able to reserve
    /// their moves (by the published rules: for one tick), and then searches for a path again. Does nothing if there is no
    /// free cell.
    fn step_aside(&mut self, view: &View<'_>, agent: AgentRow, by: AgentRow, moves: &mut Moves) {
        let aside = self.is_aside(agent);
        if aside && self.states[agent.index()].asides >= MAX_ASIDES {
            return;
        }
        // In a dead end the only free cells are those that the others want.
        let stays = self.states[agent.index()].blocker == Blocker::Nothing;
        let apart = !stays || self.room(view, moves, agent, true).next().is_some();
        let random = random(view.seed(), self.tick, agent);
        let Some(to) = random_item(|| self.room(view, moves, agent, apart), random) else { return };
        let lasts = view.step_ticks(agent, to) > 1;
        if !lasts {
            self.table.let_go(view.at(agent), agent);
        }
        self.table.hold(to, self.tick, agent);
        let state = &mut self.states[agent.index()];
        state.tail = lasts.then_some(state.at);
        state.yielded += u32::from(!stays);
        state.forget_path();
        (state.before, state.at) = (state.at, to);
        state.rest = self.tick + if self.paper_rules { 2 } else { self.depth as u64 };
        state.asides = if aside { state.asides + 1 } else { 0 };
        moves.push(agent, to, by);
    }
}

/// Returns a random value of the seed, the tick and the agent.
fn random(seed: u64, tick: u64, agent: AgentRow) -> u64 {
    [tick, u64::from(agent.0)].into_iter().fold(seed, |hash, value| splitmix64(hash ^ value))
}
