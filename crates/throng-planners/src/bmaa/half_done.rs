//! The search that the work of one tick did not suffice for. There is one at most, for agents are served one after
//! the other where work is short; its agent stays where it is until the search is done.

use throng_crowd::bytes::{Damaged, Reader, put};
use throng_crowd::{AgentId, View};
use throng_grid::Size;
use throng_toolkit::{PausedSearch, SeenMap, Traces};

use crate::rtaa::Lookahead;

/// A search that goes on in the next tick.
#[derive(Debug, Default)]
pub(super) struct HalfDone {
    pub(super) kept: PausedSearch,
    pub(super) desk: Lookahead,
    /// The direction map as its agent sees it, where there is one.
    pub(super) seen: SeenMap,
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
            self.seen.forget();
            self.under_way = true;
        }
    }

    /// Gives the search up, or it is done.
    pub(super) fn end(&mut self) {
        self.under_way = false;
        self.seen.forget();
    }

    /// Gives the search up if it is this agent's.
    pub(super) fn end_of(&mut self, agent: AgentId) {
        if self.kept.agent == agent {
            self.end();
        }
    }

    /// The tick ends before the search does.
    pub(super) fn pause(&mut self, view: &View<'_>, sight: u64, everything: bool, traces: Option<&Traces>) {
        if self.desk.expansions() == 0 {
            self.end();
        } else if self.under_way {
            self.kept.pause(view, sight, self.desk.expanded(), everything);
            self.seen.keep(traces);
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.kept.memory_bytes() + self.desk.memory_bytes()
    }

    pub(super) fn save(&self, traces: Option<&Traces>, bytes: &mut Vec<u8>) {
        put(bytes, u64::from(self.under_way));
        if self.under_way {
            put(bytes, self.desk.expansions());
            self.kept.save(bytes);
            self.seen.save(traces, bytes);
        }
    }

    /// Reads what [`HalfDone::save`] wrote; the search had made `most` expansions at most.
    pub(super) fn load(
        reader: &mut Reader<'_>,
        (size, agents): (Size, usize),
        most: u64,
        traces: Option<&Traces>,
    ) -> Result<Self, Damaged> {
        let mut half = Self { under_way: reader.flag("whether a search is under way")?, ..Self::default() };
        if half.under_way {
            half.desk.restore(reader.number_to(most, "a number of expansions")?);
            half.kept = PausedSearch::load(reader, size, agents)?;
            half.seen = SeenMap::load(reader, traces)?;
        }
        Ok(half)
    }
}
