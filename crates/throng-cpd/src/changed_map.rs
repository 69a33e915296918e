//! The searches: what they have in common, and what each of them composes.
//!
//! All of them answer with a path within a factor of the least cost, and with the lower bound that proves it. Without a
//! database they build one of the first ground they meet; on a ground of another size or for another profile, again.
//!
//! What raises the lower bound where the shortest path has become much longer, the report's weak spot: every search
//! with these bounds ends at the first nodes whose way is free, so it looks only at nodes whose way is blocked. Seen from
//! the end nearer to the obstacle there are fewer of them, a third on the maps of Dragon Age: Origins; and if a way around
//! the obstacle is known, not good enough for the old bound, the search only has to raise the bound to what proves it,
//! which saves more, most where terrain has costs. What did not win: following walls in that search too. It expands fewer
//! nodes still, but the walks cost more than that saves (`cpd-near:search=walls`).

use std::sync::Arc;

use throng_grid::{Cell, Cost, Ground};
use throng_search::open_list::{Buckets, TaggedFocal};
use throng_search::spec::MILLION;
use throng_search::{
    BestFirst, DenseStore, GridSpace, Heuristic, NO_NODE, OpenList, PathSearch, Policy, SearchResult, Space,
    Status, Weighted, f_range,
};

use crate::bounds::CpdBounds;
use crate::cpd_space::{CpdSpace, FAVOURED, FocalRule, ShootNodes};
use crate::database::Cpd;
use crate::detour::DetourSearch;
use crate::map_change::MapChange;
use crate::path_cache::{MapPair, PathCache};

/// How a search goes about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SearchStyle {
    /// A* with the database's bounds, ended when they meet.
    Plain,
    /// The same with an inflated lower bound.
    Inflated,
    /// TaggedFocal nodes first, with or without string pulling.
    Favouring(FocalRule, bool),
}

/// From which end a search starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SearchFrom {
    /// From the start.
    Start,
    /// From the end that is nearer to where the way between them is blocked. Moves and costs are the same both ways; what
    /// lies before the obstacle has to be looked at, what lies behind it has not.
    Nearer,
    /// From the nearer end, with what the first look along walls has found: no path need be better than what is good
    /// enough to prove that one. Following walls in that search too is up to `walls`.
    Near {
        /// Whether it follows walls.
        walls: bool,
    },
}

/// With inflated bounds the open list has room for `f` that lie this many times as far from each other.
const INFLATED: u32 = 16;

/// What has answered last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Last {
    DetourSearch,
    Plain,
    Favouring,
}

/// A search with a database.
#[derive(Debug)]
pub(crate) struct ChangedMapSearch {
    cpd: Option<Arc<Cpd>>,
    style: SearchStyle,
    side: SearchFrom,
    epsilon: u64,
    change: MapChange,
    glance: DetourSearch,
    ways: PathCache,
    shots: ShootNodes,
    /// The way around the obstacle, while a better one is searched for.
    around: Vec<Cell>,
    plain: BestFirst<DenseStore, Buckets>,
    favouring: BestFirst<DenseStore, TaggedFocal<Buckets>>,
    caveat: Option<&'static str>,
    last: Last,
}

impl ChangedMapSearch {
    /// A search for paths that cost at most `epsilon` millionths of the least.
    pub(crate) fn new(cpd: Option<Arc<Cpd>>, style: SearchStyle, side: SearchFrom, epsilon: u64) -> Self {
        let policy = Policy { epsilon, ..Policy::default() };
        // An inflated bound has the factor in it already.
        let alone = if style == SearchStyle::Inflated { Policy::default() } else { policy };
        let list = TaggedFocal::new(Buckets::default(), epsilon, FAVOURED);
        Self {
            cpd,
            style,
            side,
            epsilon,
            change: MapChange::default(),
            glance: DetourSearch::default(),
            ways: PathCache::default(),
            shots: ShootNodes::default(),
            around: Vec::new(),
            plain: BestFirst::new(DenseStore::default(), Buckets::default(), alone),
            favouring: BestFirst::new(DenseStore::default(), list, Policy { reopen: true, ..policy }),
            caveat: None,
            last: Last::DetourSearch,
        }
    }

    /// Uses this database from now on.
    pub(crate) fn use_database(&mut self, cpd: &Arc<Cpd>) {
        if !self.cpd.as_ref().is_some_and(|own| Arc::ptr_eq(own, cpd)) {
            self.cpd = Some(Arc::clone(cpd));
        }
    }

    /// A path that is found at first sight; or else what it would cost that was found and is not good enough.
    fn glance(
        &mut self,
        cpd: &Cpd,
        ground: &Ground,
        (from, to): (Cell, Cell),
        path: &mut Vec<Cell>,
    ) -> Result<SearchResult, Option<Cost>> {
        self.glance.forget();
        let Some(toward) = cpd.toward(to).filter(|_| !self.change.helps()) else { return Err(None) };
        let maps = MapPair { old: cpd.ground(), now: ground };
        // The start and the cell where its way is blocked are expanded: these two belong to every search along walls.
        let along_walls = matches!(self.style, SearchStyle::Favouring(FocalRule::Branches(_), _));
        let back = if along_walls { cpd.toward(from) } else { None };
        let epsilon = self.epsilon;
        let sight = self.glance.look(&toward, maps, from, (|bound| enough(bound, epsilon), back), path);
        let sight = sight.filter(|_| !path.is_empty()).ok_or(None)?;
        if sight.cost > enough(sight.bound, epsilon) {
            return Err(Some(sight.cost));
        }
        (self.caveat, self.last) = (None, Last::DetourSearch);
        let expansions = self.glance.expanded().len() as u64;
        Ok(SearchResult { cost: Some(sight.cost), lower_bound: sight.bound, expansions })
    }

    /// Searches from one cell to another with the database `cpd`.
    fn ask(
        &mut self,
        cpd: &Cpd,
        ground: &Ground,
        (from, to): (Cell, Cell),
        style: SearchStyle,
        known: Option<Cost>,
        path: &mut Vec<Cell>,
    ) -> SearchResult {
        let oracle = CpdBounds::new(cpd, ground, &self.change, &mut self.ways, to);
        oracle.adopt(self.glance.trail(to));
        self.caveat = oracle.caveat();
        self.last = if matches!(style, SearchStyle::Favouring(..)) { Last::Favouring } else { Last::Plain };
        let (range, shift) = f_range(ground);
        match style {
            SearchStyle::Plain => {
                self.plain.set_f_range((range, shift));
                let mut space = GridSpace::new(ground);
                search(&mut self.plain, &mut space, &mut &oracle, &oracle, (from, known), path)
            }
            SearchStyle::Inflated => {
                // Along the way `f` falls by as much as the bound is inflated: a tenth of hundreds of steps, say.
                self.plain.set_f_range((INFLATED * range, shift));
                let mut weighted = Weighted { inner: &oracle, millionths: self.epsilon, shift };
                let mut space = GridSpace::new(ground);
                let answer = search(&mut self.plain, &mut space, &mut weighted, &oracle, (from, known), path);
                // The bound is inflated too.
                let bound = (u64::from(answer.lower_bound) * MILLION).div_ceil(self.epsilon);
                SearchResult { lower_bound: bound as u32, ..answer }
            }
            SearchStyle::Favouring(favour, pull) => {
                self.favouring.set_f_range((range, shift));
                let enough = enough(oracle.lower_bound(from), self.epsilon);
                let mut space = CpdSpace::new(&oracle, favour, pull, enough, &mut self.shots);
                search(&mut self.favouring, &mut space, &mut &oracle, &oracle, (from, known), path)
            }
        }
    }

    /// The same from the end that is nearer to the obstacle.
    fn ask_from_nearer(
        &mut self,
        cpd: &Cpd,
        ground: &Ground,
        (from, to): (Cell, Cell),
        style: SearchStyle,
        known: Option<Cost>,
        path: &mut Vec<Cell>,
    ) -> SearchResult {
        let is_late = if self.glance.trail(to).is_some() {
            self.glance.is_late()
        } else {
            let way = CpdBounds::new(cpd, ground, &self.change, &mut self.ways, to).way(from);
            way.reach.stop != to && way.reach.cost > way.then / 2
        };
        let ends = if is_late { (to, from) } else { (from, to) };
        let answer = self.ask(cpd, ground, ends, style, known, path);
        if is_late {
            path.reverse();
        }
        answer
    }
}

/// What a path may cost if no path costs less than this.
fn enough(bound: Cost, epsilon: u64) -> Cost {
    Cost::try_from(u64::from(bound) * epsilon / MILLION).unwrap_or(Cost::MAX - 1)
}

/// The database to use for a ground.
pub(crate) fn database(cpd: &mut Option<Arc<Cpd>>, ground: &Ground) -> Arc<Cpd> {
    let fits = |cpd: &Arc<Cpd>| {
        let old = cpd.ground();
        old.size() == ground.size() && old.profile() == ground.profile()
    };
    match cpd {
        Some(cpd) if fits(cpd) => Arc::clone(cpd),
        _ => Arc::clone(cpd.insert(Arc::new(Cpd::build(ground)))),
    }
}

impl PathSearch for ChangedMapSearch {
    fn find(&mut self, ground: &Ground, from: Cell, to: Cell, path: &mut Vec<Cell>) -> SearchResult {
        let cpd = database(&mut self.cpd, ground);
        self.change.refresh(&cpd, ground);
        let known = match self.glance(&cpd, ground, (from, to), path) {
            Ok(answer) => return answer,
            Err(known) => known,
        };
        // A search from the start does anew what the look has done; one from the other end does not.
        std::mem::swap(&mut self.around, path);
        path.clear();
        let walls = match self.side {
            SearchFrom::Start => return self.ask(&cpd, ground, (from, to), self.style, None, path),
            SearchFrom::Nearer => {
                return self.ask_from_nearer(&cpd, ground, (from, to), self.style, None, path);
            }
            SearchFrom::Near { walls } => walls,
        };
        let style = if walls { self.style } else { SearchStyle::Plain };
        let mut answer = self.ask_from_nearer(&cpd, ground, (from, to), style, known, path);
        answer.expansions += self.glance.expanded().len() as u64;
        if path.is_empty() && known.is_some() {
            // Nothing better is needed.
            path.clone_from(&self.around);
            answer.cost = known;
        }
        answer
    }

    fn prepare(&mut self, ground: &Ground) {
        let cpd = database(&mut self.cpd, ground);
        self.change.refresh(&cpd, ground);
    }

    fn caveat(&self) -> Option<&'static str> {
        self.caveat
    }

    fn expanded(&self) -> &[u32] {
        match self.last {
            Last::DetourSearch => self.glance.expanded(),
            Last::Plain => self.plain.closed(),
            Last::Favouring => self.favouring.closed(),
        }
    }
}

/// Runs a search to its end, and writes the path.
fn search<F: OpenList>(
    search: &mut BestFirst<DenseStore, F>,
    space: &mut impl Space,
    heuristic: &mut impl Heuristic,
    oracle: &CpdBounds<'_>,
    (from, known): (Cell, Option<Cost>),
    path: &mut Vec<Cell>,
) -> SearchResult {
    search.begin(space);
    if let Some(cost) = known {
        search.add_incumbent(cost);
    }
    search.add_source(from.0, 0, heuristic);
    let target = oracle.target;
    match search.resume(space, heuristic, |node| node == target.0, u64::MAX, &mut ()) {
        Status::Found(node) => search.trace(space, node, path),
        Status::Incumbent(NO_NODE) | Status::Exhausted | Status::Paused => {}
        Status::Incumbent(node) => {
            search.trace(space, node, path);
            oracle.follow(Cell(node), target, path);
        }
    }
    // A node on the way may have been reached more cheaply since: the path is what counts.
    let cost = oracle.now.path_cost(path);
    let lower_bound = search.lower_bound().min(cost.or(known).unwrap_or(0));
    SearchResult { cost, lower_bound, expansions: search.expansions() }
}
