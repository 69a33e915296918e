//! Who decides first: whoever has been under way the longest.
//!
//! An agent is under way while it has a target and does not stand there. Everyone's time counts up alike, so the order
//! among those who stay under way never changes: who arrives leaves the line, who sets out joins at its end, and no
//! sorting is needed. Agents that set out in the same tick come in an order drawn by lot.

use crate::AgentId;
use crate::bytes::{Damaged, Reader, put};
use crate::planner::View;

/// The line of agents under way.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Priorities {
    line: Vec<AgentId>,
    /// Whether each agent is in the line.
    queued: Vec<bool>,
}

impl Priorities {
    /// Takes in who has arrived and who has set out since the last tick.
    pub fn update(&mut self, view: &View<'_>) {
        self.queued.resize(view.numbers(), false);
        let queued = &mut self.queued;
        self.line.retain(|&agent| {
            let stays = view.is_alive(agent) && is_underway(view, agent);
            queued[agent.index()] = stays;
            stays
        });
        let before = self.line.len();
        for &agent in view.agents() {
            if is_underway(view, agent) && !self.queued[agent.index()] {
                self.queued[agent.index()] = true;
                self.line.push(agent);
            }
        }
        self.line[before..].sort_unstable_by_key(|&agent| (view.whim(agent, 0), agent));
    }

    /// Those under way, who comes first first.
    pub fn line(&self) -> &[AgentId] {
        &self.line
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.line.capacity() * size_of::<AgentId>() + self.queued.capacity()
    }

    /// Writes the line.
    pub fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, self.line.len() as u64);
        self.line.iter().for_each(|agent| put(bytes, u64::from(agent.0)));
    }

    /// Takes back what [`Priorities::save`] wrote.
    ///
    /// # Errors
    /// When the bytes are not what it writes.
    pub fn load(&mut self, reader: &mut Reader<'_>) -> Result<(), Damaged> {
        self.line.clear();
        self.queued.clear();
        for _ in 0..reader.length("the line of agents under way")? {
            let agent = reader.number_to(1 << 24, "an agent")? as usize;
            if self.queued.get(agent) == Some(&true) {
                return Err(reader.damaged("an agent that is in the line once"));
            }
            self.queued.resize(self.queued.len().max(agent + 1), false);
            self.queued[agent] = true;
            self.line.push(AgentId(agent as u32));
        }
        Ok(())
    }
}

fn is_underway(view: &View<'_>, agent: AgentId) -> bool {
    view.target(agent).is_some_and(|target| target != view.at(agent))
}
