//! Every agent's corridor field, made within the work of each tick.
//!
//! Agents that need a field queue for one. A few benches work side by side, each on one field at a time; what is
//! granted in a tick is shared among them. Agents with the same target share a field that covers them both.

use std::collections::VecDeque;

use throng_crowd::{AgentId, View, Work, share_out};

use super::bench::{Bench, Job};
use super::field::Field;

/// Fields in the making at the same time.
const BENCHES: usize = 4;
/// Units that a bench may spend in one round.
const SLICE: u64 = 2_048;

/// No field.
const NONE: u32 = u32::MAX;

pub(super) struct Fields {
    /// Which field an agent has.
    of: Vec<u32>,
    /// Whether it waits for another.
    waits: Vec<bool>,
    queue: VecDeque<AgentId>,
    benches: Vec<Bench>,
    fields: Vec<Field>,
    free: Vec<u32>,
    pub(super) made: u64,
}

impl Fields {
    pub(super) fn new() -> Self {
        Self {
            of: Vec::new(),
            waits: Vec::new(),
            queue: VecDeque::new(),
            benches: (0..BENCHES).map(|_| Bench::new()).collect(),
            fields: Vec::new(),
            free: Vec::new(),
            made: 0,
        }
    }

    /// An agent's field.
    #[inline]
    pub(super) fn of(&self, agent: AgentId) -> Option<&Field> {
        self.fields.get(self.of[agent.index()] as usize)
    }

    /// Drops an agent's field.
    pub(super) fn drop(&mut self, agent: AgentId) {
        if let Some(of) = self.of.get_mut(agent.index()).filter(|of| **of != NONE) {
            self.free.push(*of);
            self.fields[*of as usize] = Field::default();
            *of = NONE;
        }
    }

    /// Puts whoever needs a field into the queue.
    pub(super) fn queue(&mut self, view: &View<'_>) {
        self.of.resize(view.numbers(), NONE);
        self.waits.resize(view.numbers(), false);
        for &agent in view.movers() {
            let Some(target) = view.target(agent).filter(|&target| target != view.at(agent)) else { continue };
            let _ = target;
            let here = view.ground(agent).pos(view.at(agent));
            let lost = self.of(agent).is_none_or(|field| field.distance(here).is_none());
            if lost && !self.waits[agent.index()] {
                self.waits[agent.index()] = true;
                self.queue.push_back(agent);
            }
        }
    }

    /// Makes fields for at most `most` units of work.
    pub(super) fn make(&mut self, view: &View<'_>, work: &mut Work<'_>, most: u64) {
        let mut left = most;
        loop {
            let slice = SLICE.min(left.min(work.left()) / BENCHES as u64);
            let idle = self.queue.is_empty() && self.benches.iter().all(|bench| bench.job.is_none());
            if slice == 0 || idle || !work.round(slice * BENCHES as u64) {
                return;
            }
            for i in 0..BENCHES {
                if self.benches[i].job.is_none()
                    && let Some(agent) = self.queue.pop_front()
                    && let Some(target) = view.target(agent)
                {
                    self.benches[i].begin(view.ground(agent), Job { agent, from: view.at(agent), target });
                }
            }
            let each = |bench: &mut Bench, (): &mut ()| {
                if let Some(job) = bench.job {
                    bench.advance(view.ground(job.agent), slice);
                }
            };
            share_out(view.executor(), &mut self.benches, &mut Vec::new(), || (), each);
            let mut spent = 0;
            for i in 0..BENCHES {
                spent += std::mem::take(&mut self.benches[i].spent);
                if let Some((job, field)) = self.benches[i].finished() {
                    self.hand_over(job, field);
                }
            }
            work.spend(spent);
            left = left.saturating_sub(spent.max(1));
        }
    }

    fn hand_over(&mut self, job: Job, field: Option<Field>) {
        self.drop(job.agent);
        self.waits[job.agent.index()] = false;
        self.made += 1;
        let Some(field) = field else { return };
        let place = if let Some(place) = self.free.pop() {
            self.fields[place as usize] = field;
            place
        } else {
            self.fields.push(field);
            self.fields.len() as u32 - 1
        };
        self.of[job.agent.index()] = place;
    }

    pub(super) fn bytes(&self) -> usize {
        self.fields.iter().map(Field::bytes).sum::<usize>() + self.of.capacity() * 4
    }
}
