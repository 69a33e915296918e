//! Steps in the checker: how long each lasts, which cells it holds meanwhile, and what may not cross it.

use throng_grid::ProfileId;

use super::{Checker, NOBODY};
use crate::check::map::{Position, finalize};
use crate::{AgentId, Speed, StepTime};

/// The time of a straight step on plain ground: a tick has as much for an agent of one step per tick.
const STRAIGHT: u64 = 1632;
/// The time of a diagonal step on plain ground.
const DIAGONAL: u64 = 2308;

impl Checker {
    /// Starts the step of an agent: stores when it may step again and the cell that it leaves.
    pub(super) fn start_step(&mut self, number: u32, to: u32) {
        let agent = &self.agents[number as usize];
        let (from, end) = (self.map.position(agent.at), self.map.position(to));
        let length = if from.0 == end.0 || from.1 == end.1 { STRAIGHT } else { DIAGONAL };
        let cost = match self.step_time {
            StepTime::Uniform => STRAIGHT,
            StepTime::Cost => {
                let halves = |cell: u32| u64::from(self.map.halves(agent.profile, cell as usize));
                length * (halves(agent.at) + halves(to)) / 4
            }
        };
        let (steps, ticks) = agent.speed;
        let (time, tick) = (cost * ticks + agent.rest, STRAIGHT * steps);
        let agent = &mut self.agents[number as usize];
        agent.from = agent.at;
        agent.ready = self.tick + (time / tick).max(1);
        agent.rest = if time < tick { 0 } else { time % tick };
    }

    /// Returns true if an agent holds the cell that it leaves until the end of this tick.
    pub(super) fn is_leaving(&self, number: u32) -> bool {
        self.agents[number as usize].ready > self.tick + 1
    }

    /// Frees the cells that others may enter in the next tick, because it is the last one of the step away.
    pub(super) fn free_left_cells(&mut self) {
        for i in 0..self.living.len() {
            let number = self.living[i];
            if self.agents[number as usize].ready <= self.tick + 2 {
                self.free_left_cell(number);
            }
        }
    }

    fn free_left_cell(&mut self, number: u32) {
        let agent = &self.agents[number as usize];
        if self.occupant.at(agent.from) == number && agent.from != agent.at {
            self.occupant.set(agent.from, NOBODY);
        }
    }

    /// Ends the step of an agent, because it is moved without one or removed.
    pub(super) fn end_step(&mut self, number: u32) {
        self.free_left_cell(number);
        let agent = &mut self.agents[number as usize];
        (agent.rest, agent.from, agent.ready) = (0, agent.at, agent.ready.min(self.tick));
    }

    /// Returns the agent that makes a step between two neighbours of a corner and began it in an earlier tick.
    pub(super) fn stepping(&self, (from, to): (Position, Position)) -> Option<u32> {
        let (from, to) = (self.map.cell(from)?, self.map.cell(to)?);
        let agent = self.agents.get(self.occupant.at(to) as usize)?;
        let number = self.occupant.at(to);
        let stands = self.next[number as usize] == agent.at && agent.at == to;
        (stands && agent.ready > self.tick && agent.from == from).then_some(number)
    }

    /// Sets the speed of an agent.
    pub(super) fn set_speed(&mut self, agent: AgentId, speed: Speed) {
        let agent = &mut self.agents[agent.index()];
        let new = (u64::from(speed.steps()), u64::from(speed.ticks()));
        let old = std::mem::replace(&mut agent.speed, new);
        agent.rest = agent.rest * (STRAIGHT * new.0) / (STRAIGHT * old.0);
    }

    /// Sets the profile of an agent; returns false if the world must refuse it.
    pub(super) fn set_profile(&mut self, agent: AgentId, profile: ProfileId) -> bool {
        let (number, profile) = (agent.row(), usize::from(profile.0));
        let checked = &self.agents[number as usize];
        let (from, at) = (self.map.position(checked.from), self.map.position(checked.at));
        let is_across = checked.ready <= self.tick;
        if profile >= self.map.profiles()
            || !self.map.free(profile, at)
            || (!is_across && !self.map.legal(profile, from, at))
        {
            return false;
        }
        let checked = &mut self.agents[number as usize];
        if std::mem::replace(&mut checked.profile, profile) != profile {
            checked.target_due = true;
            if let Some(knowledge) = &mut self.knowledge {
                knowledge.forget(number);
            }
            self.look_around(number);
        }
        true
    }

    /// Returns the part of the state hash that steps contribute.
    pub(super) fn steps_hash(&self) -> u64 {
        self.living.iter().fold(0, |hash, &number| {
            let agent = &self.agents[number as usize];
            let is_across = agent.ready <= self.tick + 1;
            if is_across && agent.rest == 0 {
                return hash;
            }
            let (tail, first) = if is_across { (0, 0) } else { (u64::from(agent.from) + 1, agent.ready) };
            let place = finalize(u64::from(number) << 32 | tail);
            hash ^ finalize(finalize(place) ^ first ^ agent.rest << 32)
        })
    }
}
