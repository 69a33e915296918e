//! One agent's search through space and time.

use throng_grid::{Cell, Cost};
use throng_search::open_list::Buckets;
use throng_search::{BestFirst, Heuristic, OctileDistance, Policy, Rra, SparseStore, Status, f_range};
use throng_toolkit::{SpaceTime, SpaceTimeHeuristic};

/// Nodes of a space without a window, which bounds its depth.
const MOST_NODES: u64 = 1 << 30;

/// What a search came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// To the window's end, or to the agent's place to rest there.
    Whole,
    /// Not so far, but as far as possible.
    Part,
    /// No work was granted.
    Unknown,
}

/// A space-time search and what it found.
#[derive(Debug)]
pub(super) struct Lookahead {
    search: BestFirst<SparseStore, Buckets>,
    /// The way found, a cell each time, from where the agent is.
    pub(super) path: Vec<Cell>,
    /// Expansions for it.
    pub(super) spent: u64,
    /// Expansions of the distance table while it did.
    pub(super) backwards: u64,
    /// Whether its limit ended the last search.
    pub(super) paused: bool,
}

impl Default for Lookahead {
    fn default() -> Self {
        let search = BestFirst::new(SparseStore::default(), Buckets::default(), Policy::default());
        Self { search, path: Vec::new(), spent: 0, backwards: 0, paused: false }
    }
}

impl Lookahead {
    /// A way to the end of the window that leaves the least to go; else the longest, then the best.
    pub(super) fn find(
        &mut self,
        space: &SpaceTime<'_>,
        at: Cell,
        table: Option<(&mut Rra, u64)>,
        limit: u64,
    ) -> Way {
        if at == space.place && (1..=space.depth).all(|time| space.is_open(at, time)) {
            // What a search would find: nothing else is free of cost.
            self.path.clear();
            self.path.resize(space.depth as usize + 1, at);
            (self.spent, self.backwards, self.paused) = (1, 0, false);
            return Way::Whole;
        }
        let ends = |node| space.time(node) == space.depth;
        let worth = |node, g: Cost, h: Cost| (space.depth - space.time(node), g.saturating_add(h));
        self.run(space, at, table, limit, ends, worth)
    }

    /// A way to the agent's place, where nobody disturbs it any more; else to the nearest cell, as soon as possible.
    pub(super) fn find_all_the_way(
        &mut self,
        space: &SpaceTime<'_>,
        at: Cell,
        table: Option<(&mut Rra, u64)>,
        limit: u64,
    ) -> Way {
        let last = space.timetable.last_of_others(space.place, space.agent, space.now);
        let in_peace = |time: u32| last.is_none_or(|last| space.now + u64::from(time) > last);
        let ends = |node| space.cell(node) == space.place && in_peace(space.time(node));
        self.run(space, at, table, limit, ends, |node, _, h| (h, space.time(node)))
    }

    fn run(
        &mut self,
        space: &SpaceTime<'_>,
        at: Cell,
        mut table: Option<(&mut Rra, u64)>,
        limit: u64,
        ends: impl Fn(u32) -> bool,
        worth: impl Fn(u32, Cost, Cost) -> (u32, u32),
    ) -> Way {
        let before = table.as_ref().map_or(0, |(rra, _)| rra.expansions());
        let exact = table.as_mut().map(|(rra, growth)| (&mut **rra, *growth));
        let mut heuristic = SpaceTimeHeuristic::new(space.ground, space.place, exact);
        let search = &mut self.search;
        search.set_f_range(f_range(space.ground));
        search.begin(space);
        search.add_source(at.0, 0, &mut heuristic);
        let mut graph = *space;
        let status = search.resume(&mut graph, &mut heuristic, ends, limit, &mut ());
        self.paused = status == Status::Paused;
        let (way, mut end) = if let Status::Found(node) = status {
            (Way::Whole, node)
        } else {
            // Ties go to what was expanded first.
            let value = |&node: &u32| search.node(node).map(|known| worth(node, known.g, known.h));
            (Way::Part, search.closed().iter().copied().min_by_key(value).unwrap_or(at.0))
        };
        // A search that was cut off at once knows where it would have gone.
        if end == at.0
            && limit < super::NODES
            && let Some(first) = search.first()
            && search.node(at.0).is_some_and(|start| first.h < start.h)
        {
            end = first.node;
        }
        search.trace(space, end, &mut self.path);
        self.spent = search.expansions();
        self.backwards = table.map_or(0, |(rra, _)| rra.expansions()) - before;
        way
    }

    pub(super) fn memory_bytes(&self) -> usize {
        let cells = self.path.capacity() * size_of::<Cell>();
        self.search.store().memory_bytes() + self.search.memory_bytes() + cells
    }
}

/// How far ahead to plan without a window: twice the way and some.
pub(super) fn horizon(space: &SpaceTime<'_>, at: Cell, exact: Option<Cost>) -> u32 {
    let way = exact.unwrap_or_else(|| OctileDistance::to_cell(space.ground, space.place).lower(at.0));
    let steps = u64::from(way / throng_grid::moves::STRAIGHT) * u64::from(space.pace);
    (2 * steps + 64).min(MOST_NODES / space.ground.size().area() as u64 - 1) as u32
}
