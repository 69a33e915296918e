//! The CPD searches on changed maps: what they share, and how each is composed.
//!
//! Each returns a path within a factor of the minimum cost, and the lower bound that proves it. A search without a
//! database builds one for the first ground it is given, and again for a ground of another size or profile.
//!
//! The lower bound is the bottleneck where a perturbation has made the shortest path much longer. A search with CPD
//! bounds ends at the first nodes whose database path is free, so it expands only nodes whose path is blocked. Seen
//! from the end nearer to the obstacle these are fewer: a third on the maps of Dragon Age: Origins. If a detour is
//! known but not accepted, the search only has to raise the lower bound until it proves the detour, which saves more,
//! most on terrain with different costs. Following walls in that search too expands fewer nodes still, but the walks
//! cost more time than that saves (`cpd-near:search=walls`).

use std::sync::Arc;

use throng_grid::{Cell, Cost, Ground};
use throng_search::open_list::{Buckets, Focal, TaggedFocal};
use throng_search::spec::MILLION;
use throng_search::{
    BestFirst, DenseStore, GridSpace, Heuristic, NO_NODE, OpenList, PathSearch, Policy, SearchResult, Space,
    Status, Trace, Weighted, f_range,
};

use crate::bounds::CpdBounds;
use crate::cpd_space::{CpdSpace, FocalRule, IN_FOCAL, ShootNodes};
use crate::database::Cpd;
use crate::detour::DetourSearch;
use crate::map_change::MapChange;
use crate::path_cache::{MapPair, PathCache};

/// The order in which a search expands nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SearchStyle {
    /// CPD search: A* with the database's bounds, which ends when they meet.
    Plain,
    /// The same with an inflated lower bound.
    Weighted,
    /// Members of the focal list first, which a rule selects.
    Focal(FocalRule),
    /// Focal search that prefers nodes with a small maximum edge multiplier (section 6.1.3 of the report).
    LeastWorsened,
}

/// The end from which a search starts. Moves and costs are symmetric.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SearchFrom {
    /// The start.
    Start,
    /// The end nearer to where the database's path is blocked: only nodes before the obstacle have to be expanded.
    NearerEnd,
    /// The nearer end, with the detour found along walls as an upper bound.
    NearerEndWithDetour {
        /// Whether the search follows walls too, instead of being a plain CPD search.
        walls: bool,
    },
}

/// Factor by which the range of `f` in the open list is larger with inflated bounds: along a path `f` falls by as much
/// as the bound is inflated. A larger ring costs memory, a smaller one overflows more often.
const WEIGHTED_F_RANGE: u32 = 16;

/// One query to a [`ChangedMapSearch`].
#[derive(Clone, Copy)]
struct Query<'a> {
    cpd: &'a Cpd,
    ground: &'a Ground,
    from: Cell,
    to: Cell,
    style: SearchStyle,
    /// The cost of a path that the caller has.
    known: Option<Cost>,
}

/// The part that produced the last result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AnsweredBy {
    Detour,
    Plain,
    Focal,
    LeastWorsened,
}

/// A search with a path database on a map that may have changed.
#[derive(Debug)]
pub(crate) struct ChangedMapSearch {
    cpd: Option<Arc<Cpd>>,
    style: SearchStyle,
    side: SearchFrom,
    /// Factor of the guarantee, in millionths.
    epsilon: u64,
    change: MapChange,
    detour: DetourSearch,
    paths: PathCache,
    shoot_nodes: ShootNodes,
    /// The detour, while the search tries to prove it or to find a better path.
    detour_path: Vec<Cell>,
    plain: BestFirst<DenseStore, Buckets>,
    focal: BestFirst<DenseStore, TaggedFocal<Buckets>>,
    least_worsened: BestFirst<DenseStore, Focal>,
    caveat: Option<&'static str>,
    answered_by: AnsweredBy,
}

impl ChangedMapSearch {
    /// Returns a search for paths that cost at most `epsilon` millionths of the minimum.
    pub(crate) fn new(cpd: Option<Arc<Cpd>>, style: SearchStyle, side: SearchFrom, epsilon: u64) -> Self {
        let policy = Policy { epsilon, ..Policy::default() };
        // An inflated bound already includes the factor.
        let plain_policy = if style == SearchStyle::Weighted { Policy::default() } else { policy };
        let list = TaggedFocal::new(Buckets::default(), epsilon, IN_FOCAL);
        let reopen = Policy { reopen: true, ..policy };
        Self {
            cpd,
            style,
            side,
            epsilon,
            change: MapChange::default(),
            detour: DetourSearch::default(),
            paths: PathCache::default(),
            shoot_nodes: ShootNodes::default(),
            detour_path: Vec::new(),
            plain: BestFirst::new(DenseStore::default(), Buckets::default(), plain_policy),
            focal: BestFirst::new(DenseStore::default(), list, reopen),
            least_worsened: BestFirst::new(DenseStore::default(), Focal::new(epsilon), reopen),
            caveat: None,
            answered_by: AnsweredBy::Detour,
        }
    }

    /// Returns a search for shortest paths.
    pub(crate) fn shortest(cpd: Option<Arc<Cpd>>) -> Self {
        Self::new(cpd, SearchStyle::Plain, SearchFrom::NearerEnd, MILLION)
    }

    /// Replaces the database.
    pub(crate) fn use_database(&mut self, cpd: &Arc<Cpd>) {
        if !self.cpd.as_ref().is_some_and(|own| Arc::ptr_eq(own, cpd)) {
            self.cpd = Some(Arc::clone(cpd));
        }
    }

    /// Compares the ground with the database, unless it was compared last. Returns the database.
    fn refresh(&mut self, ground: &Ground) -> Arc<Cpd> {
        let cpd = database(&mut self.cpd, ground);
        if self.change.refresh(&cpd, ground) && self.style == SearchStyle::LeastWorsened {
            let ranks = self.least_worsened.open_list_mut().ranks_mut();
            self.change.write_multipliers(cpd.ground(), ground, ranks);
        }
        cpd
    }

    /// Searches for a path without an open list. The error is the cost of a path that was found but not accepted.
    fn find_detour(&mut self, query: Query<'_>, path: &mut Vec<Cell>) -> Result<SearchResult, Option<Cost>> {
        let Query { cpd, ground, from, to, .. } = query;
        self.detour.reset();
        let Some(toward) = cpd.toward(to).filter(|_| !self.change.may_shorten_paths()) else {
            return Err(None);
        };
        let maps = MapPair { old: cpd.ground(), now: ground };
        // Every search along walls expands the start and the cell where its path is blocked, so they count as expanded.
        let look = matches!(self.style, SearchStyle::Focal(FocalRule::BranchingNodes(walls)) if walls.look);
        let back = if look { cpd.toward(from) } else { None };
        let epsilon = self.epsilon;
        let detour =
            self.detour.find(&toward, maps, from, (|bound| accepted_cost(bound, epsilon), back), path);
        let detour = detour.filter(|_| !path.is_empty()).ok_or(None)?;
        if detour.cost > accepted_cost(detour.bound, epsilon) {
            return Err(Some(detour.cost));
        }
        (self.caveat, self.answered_by) = (None, AnsweredBy::Detour);
        let expansions = self.detour.expanded().len() as u64;
        Ok(SearchResult { cost: Some(detour.cost), lower_bound: detour.bound, expansions })
    }

    /// Searches from the query's start.
    fn search(&mut self, query: Query<'_>, path: &mut Vec<Cell>) -> SearchResult {
        let Query { cpd, ground, from, to, style, known } = query;
        let bounds = CpdBounds::new(cpd, ground, &self.change, &mut self.paths, to);
        bounds.adopt(self.detour.followed_steps(to));
        self.caveat = bounds.caveat();
        self.answered_by = match style {
            SearchStyle::Plain | SearchStyle::Weighted => AnsweredBy::Plain,
            SearchStyle::Focal(_) => AnsweredBy::Focal,
            SearchStyle::LeastWorsened => AnsweredBy::LeastWorsened,
        };
        let (range, shift) = f_range(ground);
        match style {
            SearchStyle::Plain => {
                self.plain.set_f_range((range, shift));
                let mut space = GridSpace::new(ground);
                run(&mut self.plain, &mut space, &mut &bounds, &bounds, (from, known), path)
            }
            SearchStyle::Weighted => {
                self.plain.set_f_range((WEIGHTED_F_RANGE * range, shift));
                let mut weighted = Weighted { inner: &bounds, millionths: self.epsilon, shift };
                let mut space = GridSpace::new(ground);
                let result = run(&mut self.plain, &mut space, &mut weighted, &bounds, (from, known), path);
                // The lower bound of the open list is inflated too.
                let bound = (u64::from(result.lower_bound) * MILLION).div_ceil(self.epsilon);
                SearchResult { lower_bound: bound as u32, ..result }
            }
            SearchStyle::Focal(rule) => {
                self.focal.set_f_range((range, shift));
                let sufficient = accepted_cost(bounds.lower_bound(from), self.epsilon);
                let mut space = CpdSpace::new(&bounds, rule, sufficient, &mut self.shoot_nodes);
                run(&mut self.focal, &mut space, &mut &bounds, &bounds, (from, known), path)
            }
            SearchStyle::LeastWorsened => {
                let mut space = GridSpace::new(ground);
                run(&mut self.least_worsened, &mut space, &mut &bounds, &bounds, (from, known), path)
            }
        }
    }

    /// Searches from the end that is nearer to the obstacle.
    fn search_from_nearer_end(&mut self, query: Query<'_>, path: &mut Vec<Cell>) -> SearchResult {
        let Query { cpd, ground, from, to, .. } = query;
        let from_target = if self.detour.followed_steps(to).is_some() {
            self.detour.is_near_target()
        } else {
            let path = CpdBounds::new(cpd, ground, &self.change, &mut self.paths, to).path(from);
            path.prefix.stop != to && path.prefix.cost > path.old_cost / 2
        };
        if !from_target {
            return self.search(query, path);
        }
        let result = self.search(Query { from: to, to: from, ..query }, path);
        path.reverse();
        result
    }
}

/// Returns the maximum cost of an accepted path for a lower bound.
fn accepted_cost(bound: Cost, epsilon: u64) -> Cost {
    Cost::try_from(u64::from(bound) * epsilon / MILLION).unwrap_or(Cost::MAX - 1)
}

/// Returns the database for a ground; builds it if the current one has another size or profile.
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
        let cpd = self.refresh(ground);
        let mut query = Query { cpd: &cpd, ground, from, to, style: self.style, known: None };
        let known = match self.find_detour(query, path) {
            Ok(result) => return result,
            Err(known) => known,
        };
        // A search from the start repeats the detour search; one from the other end does not.
        std::mem::swap(&mut self.detour_path, path);
        path.clear();
        match self.side {
            SearchFrom::Start => return self.search(query, path),
            SearchFrom::NearerEnd => return self.search_from_nearer_end(query, path),
            SearchFrom::NearerEndWithDetour { walls: false } => query.style = SearchStyle::Plain,
            SearchFrom::NearerEndWithDetour { walls: true } => {}
        }
        query.known = known;
        let mut result = self.search_from_nearer_end(query, path);
        result.expansions += self.detour.expanded().len() as u64;
        if path.is_empty() && known.is_some() {
            // The detour was proved good enough.
            path.clone_from(&self.detour_path);
            result.cost = known;
        }
        result
    }

    fn prepare(&mut self, ground: &Ground) {
        self.refresh(ground);
    }

    fn caveat(&self) -> Option<&'static str> {
        self.caveat
    }

    fn expanded(&self) -> &[u32] {
        match self.answered_by {
            AnsweredBy::Detour => self.detour.expanded(),
            AnsweredBy::Plain => self.plain.closed(),
            AnsweredBy::Focal => self.focal.closed(),
            AnsweredBy::LeastWorsened => self.least_worsened.closed(),
        }
    }

    fn set_tracing(&mut self, on: bool) {
        self.plain.set_tracing(on);
        self.focal.set_tracing(on);
        self.least_worsened.set_tracing(on);
    }

    fn trace(&self) -> Trace<'_> {
        let bounds = match self.answered_by {
            AnsweredBy::Detour => &[],
            AnsweredBy::Plain => self.plain.bounds(),
            AnsweredBy::Focal => self.focal.bounds(),
            AnsweredBy::LeastWorsened => self.least_worsened.bounds(),
        };
        Trace { bounds, walk: None }
    }
}

/// Runs a search to its end and writes the path.
fn run<F: OpenList>(
    search: &mut BestFirst<DenseStore, F>,
    space: &mut impl Space,
    heuristic: &mut impl Heuristic,
    bounds: &CpdBounds<'_>,
    (from, known): (Cell, Option<Cost>),
    path: &mut Vec<Cell>,
) -> SearchResult {
    search.begin(space);
    if let Some(cost) = known {
        search.add_incumbent(cost);
    }
    search.add_source(from.0, 0, heuristic);
    let target = bounds.target;
    match search.resume(space, heuristic, |node| node == target.0, u64::MAX, &mut ()) {
        Status::Found(node) => search.trace(space, node, path),
        Status::Incumbent(NO_NODE) | Status::Exhausted | Status::Paused => {}
        Status::Incumbent(node) => {
            search.trace(space, node, path);
            bounds.follow(Cell(node), target, path);
        }
    }
    // The cost of a node on the path may have fallen after the goal was reached, so the cost is that of the path.
    let cost = bounds.now.path_cost(path);
    let lower_bound = search.lower_bound().min(cost.or(known).unwrap_or(0));
    SearchResult { cost, lower_bound, expansions: search.expansions() }
}
