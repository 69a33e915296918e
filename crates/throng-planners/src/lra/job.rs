//! A search of LRA*, which goes on from round to round and from tick to tick until it is done.

use throng_crowd::bytes::{Damaged, Reader, put};
use throng_crowd::{AgentId, Kept, Sliced, View};
use throng_grid::{Cell, Cost, Size};
use throng_search::frontier::Buckets;
use throng_search::{EmptyMap, Status, span};

use super::MOST_AGITATED;
use super::neighbourhood::Neighbourhood;

/// A search for one agent.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) kept: Kept,
    /// How agitated the agent was when it began.
    agitation: u32,
    search: Sliced<Buckets>,
    status: Status,
    /// A path to the target, backwards; empty when there is none.
    pub(super) path: Vec<Cell>,
    pub(super) shut_by: Option<(Cost, Cell)>,
    pub(super) spent: u64,
}

impl Job {
    pub(super) fn new() -> Self {
        Self {
            kept: Kept::default(),
            agitation: 0,
            search: Sliced::default(),
            status: Status::Paused,
            path: Vec::new(),
            shut_by: None,
            spent: 0,
        }
    }

    /// Begins another search.
    pub(super) fn assign(&mut self, view: &View<'_>, agent: AgentId, target: Cell, agitation: u32) {
        self.kept.begin(view, agent, target);
        self.search.restart();
        (self.status, self.shut_by, self.agitation) = (Status::Paused, None, agitation);
    }

    pub(super) fn is_done(&self) -> bool {
        self.status != Status::Paused
    }

    /// Whether any work has been done.
    pub(super) fn has_begun(&self) -> bool {
        self.search.expansions() > 0
    }

    /// Searches on for so many expansions.
    pub(super) fn go_on(&mut self, view: &View<'_>, sight: u64, limit: u64) {
        let mut space = Neighbourhood::new(view, self.kept.others(view), &self.kept, sight, self.agitation);
        let mut heuristic = EmptyMap::to_cell(space.ground, space.target);
        let (range, shift) = span(space.ground);
        let expected = (range + space.most_noise(), shift);
        let (ends, before) = ((space.from, space.target), self.search.expansions());
        space.shut_by = self.shut_by;
        self.status = self.search.go_on(&mut space, &mut heuristic, ends, expected, limit);
        self.shut_by = space.shut_by;
        self.spent = self.search.expansions() - before;
        self.path.clear();
        if let Status::Found(node) = self.status {
            self.search.search().trace(&space, node, &mut self.path);
        }
        self.path.reverse();
    }

    /// The tick ends before the search does.
    pub(super) fn pause(&mut self, view: &View<'_>, sight: u64) {
        self.kept.pause(view, sight, self.search.expanded(), false);
    }

    pub(super) fn bytes(&self) -> usize {
        self.kept.bytes() + self.search.bytes() + self.path.capacity() * size_of::<Cell>() + size_of::<Self>()
    }

    pub(super) fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, u64::from(self.agitation));
        put(bytes, self.search.expansions());
        self.kept.save(bytes);
    }

    pub(super) fn load(reader: &mut Reader<'_>, size: Size, agents: usize) -> Result<Self, Damaged> {
        let agitation = reader.number_to(u64::from(MOST_AGITATED), "an agitation")? as u32;
        let search = Sliced::new(reader.number_to(size.area() as u64, "a number of expansions")?);
        let kept = Kept::load(reader, size, agents)?;
        Ok(Self { kept, agitation, search, ..Self::new() })
    }
}
