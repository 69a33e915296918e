//! The search that the work of one tick did not suffice for. There is one at most, for agents are served one after
//! the other where work is short; its agent stays where it is until the search is done.

use throng_crowd::bytes::{Damaged, Reader, put};
use throng_crowd::{AgentId, Kept, View};
use throng_grid::Size;

use crate::rtaa::Lookahead;

/// A search that goes on in the next tick.
#[derive(Debug, Default)]
pub(super) struct HalfDone {
    pub(super) kept: Kept,
    pub(super) desk: Lookahead,
    under_way: bool,
}

impl HalfDone {
    /// Whose search is under way.
    pub(super) fn agent(&self) -> Option<AgentId> {
        self.under_way.then_some(self.kept.agent)
    }

    /// Begins the search of an agent.
    pub(super) fn begin(&mut self, view: &View<'_>, agent: AgentId) {
        if let Some(target) = view.target(agent) {
            self.kept.begin(view, agent, target);
            self.desk.restart();
            self.under_way = true;
        }
    }

    /// Gives the search up, or it is done.
    pub(super) fn end(&mut self) {
        self.under_way = false;
    }

    /// Gives the search up if it is this agent's.
    pub(super) fn end_of(&mut self, agent: AgentId) {
        self.under_way &= self.kept.agent != agent;
    }

    /// The tick ends before the search does.
    pub(super) fn pause(&mut self, view: &View<'_>, sight: u64, everything: bool) {
        if self.desk.expansions() == 0 {
            self.end();
        } else if self.under_way {
            self.kept.pause(view, sight, self.desk.expanded(), everything);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.kept.bytes() + self.desk.bytes()
    }

    pub(super) fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, u64::from(self.under_way));
        if self.under_way {
            put(bytes, self.desk.expansions());
            self.kept.save(bytes);
        }
    }

    /// Reads what [`HalfDone::save`] wrote; the search had made `most` expansions at most.
    pub(super) fn load(
        reader: &mut Reader<'_>,
        size: Size,
        agents: usize,
        most: u64,
    ) -> Result<Self, Damaged> {
        let mut half = Self { under_way: reader.flag("whether a search is under way")?, ..Self::default() };
        if half.under_way {
            half.desk.restore(reader.number_to(most, "a number of expansions")?);
            half.kept = Kept::load(reader, size, agents)?;
        }
        Ok(half)
    }
}
