//! A best-first search that runs in slices and can be repeated after loading a snapshot.

use throng_grid::Cost;
use throng_search::open_list::{OpenEntry, OpenList};
use throng_search::{BestFirst, DenseStore, Heuristic, NodeStore, Policy, Space, Status};

/// A time-sliced search from one node to a goal.
#[derive(Clone, Debug)]
pub struct SlicedSearch<F, S = DenseStore> {
    search: BestFirst<S, F>,
    /// Expansions to repeat with the first slice, because they were made before a snapshot. `None` once the search has
    /// begun.
    replay: Option<u64>,
}

impl<F: OpenList + Default, S: NodeStore + Default> Default for SlicedSearch<F, S> {
    fn default() -> Self {
        let search = BestFirst::new(S::default(), F::default(), Policy::default());
        Self { search, replay: Some(0) }
    }
}

impl<F: OpenList, S: NodeStore> SlicedSearch<F, S> {
    /// Makes the next slice begin a new search. It first repeats `replay` expansions, which do not count against its
    /// limit: 0 for a search that was not loaded.
    pub fn restart(&mut self, replay: u64) {
        self.replay = Some(replay);
    }

    /// Runs a slice of at most `limit` expansions. Space, start, goal and heuristic must be the same for every slice of a
    /// search. `f_range` tells the open list which keys to expect.
    pub fn advance(
        &mut self,
        space: &mut impl Space,
        heuristic: &mut impl Heuristic,
        (from, is_goal): (u32, impl Fn(u32) -> bool),
        f_range: (Cost, u32),
        limit: u64,
    ) -> Status {
        let replay = self.replay.take();
        if replay.is_some() {
            self.search.set_f_range(f_range);
            self.search.begin(space);
            self.search.add_source(from, 0, heuristic);
        }
        let limit = limit.saturating_add(replay.unwrap_or(0));
        self.search.resume(space, heuristic, is_goal, limit, &mut ())
    }

    /// Returns the open list, to configure it. `None` unless the next slice begins a new search.
    pub fn open_list_mut(&mut self) -> Option<&mut F> {
        self.replay.is_some().then(|| self.search.open_list_mut())
    }

    /// Returns the search itself, once it has begun.
    pub fn search(&self) -> &BestFirst<S, F> {
        &self.search
    }

    /// Returns the node that would be expanded next.
    pub fn first(&mut self) -> Option<OpenEntry> {
        self.search.first()
    }

    /// Returns the expanded nodes in order. Empty before the first slice.
    pub fn expanded(&self) -> &[u32] {
        if self.replay.is_some() { &[] } else { self.search.closed() }
    }

    /// Returns the number of expansions, those to repeat included.
    pub fn expansions(&self) -> u64 {
        self.replay.unwrap_or_else(|| self.search.expansions())
    }
}

impl<F: OpenList> SlicedSearch<F> {
    /// Returns the bytes of memory held.
    pub fn memory_bytes(&self) -> usize {
        self.search.store().memory_bytes() + self.search.memory_bytes()
    }
}
