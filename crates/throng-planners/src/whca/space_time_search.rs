//! One agent's search in space-time.

use throng_grid::{Cell, Cost};
use throng_search::open_list::Buckets;
use throng_search::{BestFirst, Heuristic, OctileDistance, Rra, SparseStore, Status, f_range};
use throng_toolkit::{SpaceTime, SpaceTimeHeuristic};

/// Most nodes of a space-time without a window; bounds its depth.
const MAX_NODES: u64 = 1 << 30;

/// The result of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// A path to the end of the window, or to the target to rest there.
    Complete,
    /// The best path that does not reach so far.
    Partial,
    /// Nothing was searched, because no work was granted.
    NoWork,
}

/// A space-time search and its result.
#[derive(Clone, Debug, Default)]
pub(super) struct SpaceTimeSearch {
    search: BestFirst<SparseStore, Buckets>,
    /// The path found: one cell per time, beginning with the agent's position.
    pub(super) path: Vec<Cell>,
    /// Expansions of the last search.
    pub(super) expansions: u64,
    /// Expansions of the distance table during the last search.
    pub(super) table_expansions: u64,
    /// True if the last search was ended by its limit.
    pub(super) paused: bool,
}

impl SpaceTimeSearch {
    /// Finds a path of an agent from its cell, with exact distances from a table that may grow by a number of expansions,
    /// or with octile distances.
    ///
    /// In a window, the path leads to its end with the least remaining distance; otherwise it is the longest path, then the
    /// one with the least remaining distance. Without a window, the path leads to the target at a time after which nobody
    /// else has reserved it; otherwise to the cell nearest to it, as early as possible.
    pub(super) fn find(
        &mut self,
        mut space: SpaceTime<'_>,
        at: Cell,
        table: Option<(&mut Rra, u64)>,
        limit: u64,
    ) -> Found {
        if space.depth == 0 {
            space.depth = horizon(&space, at, table.as_ref().and_then(|(table, _)| table.known(at)));
            let last = space.reservations.last_of_others(space.target, space.agent, space.now);
            let is_undisturbed = |time: u32| last.is_none_or(|last| space.now + u64::from(time) > last);
            let ends = |node| space.cell(node) == space.target && is_undisturbed(space.time(node));
            return self.run(&space, at, table, limit, (ends, |node, _, h| (h, space.time(node))));
        }
        if at == space.target && (1..=space.depth).all(|time| space.is_open(at, time)) {
            // A search would find the same: only waiting at the target costs nothing.
            self.path.clear();
            self.path.resize(space.depth as usize + 1, at);
            (self.expansions, self.table_expansions, self.paused) = (1, 0, false);
            return Found::Complete;
        }
        let ends = |node| space.time(node) == space.depth;
        let worth = |node, g: Cost, h: Cost| (space.depth - space.time(node), g.saturating_add(h));
        self.run(&space, at, table, limit, (ends, worth))
    }

    /// Searches for a node at which `ends` is true; otherwise for the node for which `worth` is smallest.
    fn run(
        &mut self,
        space: &SpaceTime<'_>,
        at: Cell,
        mut table: Option<(&mut Rra, u64)>,
        limit: u64,
        (ends, worth): (impl Fn(u32) -> bool, impl Fn(u32, Cost, Cost) -> (u32, u32)),
    ) -> Found {
        let before = table.as_ref().map_or(0, |(rra, _)| rra.expansions());
        let exact = table.as_mut().map(|(rra, growth)| (&mut **rra, *growth));
        let mut heuristic = SpaceTimeHeuristic::new(space.ground, space.target, exact);
        let search = &mut self.search;
        search.set_f_range(f_range(space.ground));
        search.begin(space);
        search.add_source(at.0, 0, &mut heuristic);
        let mut graph = *space;
        let status = search.resume(&mut graph, &mut heuristic, ends, limit, &mut ());
        self.paused = status == Status::Paused;
        let (found, mut end) = if let Status::Found(node) = status {
            (Found::Complete, node)
        } else {
            // Tie-break: the node expanded first.
            let value = |&node: &u32| search.node(node).map(|known| worth(node, known.g, known.h));
            (Found::Partial, search.closed().iter().copied().min_by_key(value).unwrap_or(at.0))
        };
        // A search that was cut off before it left the start follows its open list one step.
        if end == at.0
            && limit < super::MAX_EXPANSIONS
            && let Some(first) = search.first()
            && search.node(at.0).is_some_and(|start| first.h < start.h)
        {
            end = first.node;
        }
        search.trace(space, end, &mut self.path);
        self.expansions = search.expansions();
        self.table_expansions = table.map_or(0, |(rra, _)| rra.expansions()) - before;
        found
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let cells = self.path.capacity() * size_of::<Cell>();
        self.search.store().memory_bytes() + self.search.memory_bytes() + cells
    }
}

/// The depth of the space-time without a window: twice the steps of the shortest path and 64 more, which leaves room for
/// waiting.
fn horizon(space: &SpaceTime<'_>, at: Cell, exact: Option<Cost>) -> u32 {
    let distance = exact.unwrap_or_else(|| OctileDistance::to_cell(space.ground, space.target).lower(at.0));
    let steps = u64::from(distance / throng_grid::moves::STRAIGHT) * u64::from(space.ticks_per_step);
    (2 * steps + 64).min(MAX_NODES / space.ground.size().area() as u64 - 1) as u32
}
