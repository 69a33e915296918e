//! The searches: what they have in common, and what each of them composes.
//!
//! All of them answer with a path within a factor of the least cost, and with the lower bound that proves it. Without a
//! database they build one of the first ground they meet; on a ground of another size or for another profile, again.
//!
//! What raises the lower bound where the shortest path has become much longer, the report's weak spot: every search
//! with these bounds ends at the first nodes whose way is free, so it looks only at nodes whose way is blocked. Seen from
//! the end nearer to the obstacle there are fewer of them, a third on the maps of Dragon Age: Origins; and if a way around
//! the obstacle is known, not good enough for the old bound, the search only has to raise the bound to what proves it,
//! which saves a tenth, and more where terrain has costs. What did not win:
//! following walls in that second search too. It expands fewer nodes still, by a quarter to two fifths, but the walks
//! cost more than that saves (`cpd-near:search=walls`).

use std::sync::Arc;

use throng_grid::{Cell, Cost, Ground};
use throng_search::frontier::{Buckets, Favoured};
use throng_search::spec::MILLION;
use throng_search::{
    Answer, Arena, BestFirst, Frontier, GridSpace, Heuristic, NO_NODE, PathSearch, Policy, Space, Status,
    Weighted, span,
};

use crate::change::Change;
use crate::database::Cpd;
use crate::glance::Glance;
use crate::oracle::Oracle;
use crate::space::{CpdSpace, FAVOURED, Favour, Shots};
use crate::ways::{Maps, Way, Ways};

/// How a search goes about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    /// A* with the database's bounds, ended when they meet.
    Plain,
    /// The same with an inflated lower bound.
    Inflated,
    /// Favoured nodes first, with or without string pulling.
    Favouring(Favour, bool),
}

/// From which end a search starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    /// From the start.
    Start,
    /// From the end that is nearer to where the way between them is blocked. Moves and costs are the same both ways; what
    /// lies before the obstacle has to be looked at, what lies behind it has not.
    Nearer,
    /// First hastily, from the start; if that is not enough, from the nearer end.
    Near {
        /// Nodes expanded hastily at most.
        haste: u64,
        /// Whether the search after that follows walls.
        walls: bool,
    },
}

/// A hasty look goes on as long as a path may cost an eighth more than what is good enough: whatever it finds, the search
/// after it need not go farther than to prove it.
const BEYOND: Cost = 8;

/// What has answered last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Last {
    Glance,
    Plain,
    Favouring,
}

/// A search with a database.
#[derive(Debug)]
pub(crate) struct Dynamic {
    cpd: Option<Arc<Cpd>>,
    style: Style,
    side: Side,
    epsilon: u64,
    change: Change,
    glance: Glance,
    ways: Ways,
    shots: Shots,
    /// The way around the obstacle, while a better one is searched for.
    around: Vec<Cell>,
    plain: BestFirst<Arena, Buckets>,
    favouring: BestFirst<Arena, Favoured<Buckets>>,
    remark: Option<&'static str>,
    last: Last,
}

impl Dynamic {
    /// A search for paths that cost at most `epsilon` millionths of the least.
    pub(crate) fn new(cpd: Option<Arc<Cpd>>, style: Style, side: Side, epsilon: u64) -> Self {
        let policy = Policy { epsilon, ..Policy::default() };
        // An inflated bound has the factor in it already.
        let alone = if style == Style::Inflated { Policy::default() } else { policy };
        let list = Favoured::new(Buckets::default(), epsilon, FAVOURED);
        Self {
            cpd,
            style,
            side,
            epsilon,
            change: Change::default(),
            glance: Glance::default(),
            ways: Ways::default(),
            shots: Shots::default(),
            around: Vec::new(),
            plain: BestFirst::new(Arena::default(), Buckets::default(), alone),
            favouring: BestFirst::new(Arena::default(), list, Policy { reopen: true, ..policy }),
            remark: None,
            last: Last::Glance,
        }
    }

    /// Uses this database from now on.
    pub(crate) fn use_database(&mut self, cpd: &Arc<Cpd>) {
        if !self.cpd.as_ref().is_some_and(|own| Arc::ptr_eq(own, cpd)) {
            self.cpd = Some(Arc::clone(cpd));
        }
    }

    /// A path that is found at first sight.
    fn glance(
        &mut self,
        cpd: &Cpd,
        ground: &Ground,
        (from, to): (Cell, Cell),
        path: &mut Vec<Cell>,
    ) -> Option<Answer> {
        self.glance.forget();
        if self.change.helps() {
            return None;
        }
        let toward = cpd.toward(to)?;
        let maps = Maps { old: cpd.ground(), now: ground };
        // The start and the cell where its way is blocked are expanded: these two belong to every search along walls.
        let along_walls = matches!(self.style, Style::Favouring(Favour::Branches(_), _))
            && !matches!(self.side, Side::Near { haste: 0 | 1, .. });
        let back = if along_walls { cpd.toward(from) } else { None };
        let epsilon = self.epsilon;
        let sight = self.glance.look(&toward, maps, from, (|then| enough(then, epsilon), back), path)?;
        (self.remark, self.last) = (None, Last::Glance);
        let expansions = self.glance.expanded().len() as u64;
        Some(Answer { cost: Some(sight.cost), lower_bound: sight.bound, expansions })
    }

    /// Searches from one cell to another with the database `cpd`.
    fn ask(
        &mut self,
        cpd: &Cpd,
        ground: &Ground,
        (from, to): (Cell, Cell),
        style: Style,
        known: Option<Cost>,
        path: &mut Vec<Cell>,
    ) -> Answer {
        let oracle = Oracle::new(cpd, ground, &self.change, &mut self.ways, to);
        oracle.adopt(self.glance.trail(to));
        self.remark = oracle.remark();
        self.last = if matches!(style, Style::Favouring(..)) { Last::Favouring } else { Last::Plain };
        let (range, shift) = span(ground);
        match style {
            Style::Plain => {
                self.plain.fit((range, shift));
                let mut space = GridSpace::new(ground);
                search(&mut self.plain, &mut space, &mut &oracle, &oracle, (from, u64::MAX, known), path)
            }
            Style::Inflated => {
                // Inflated bounds are multiples of nothing, and rise faster.
                self.plain.fit((2 * range, 0));
                let mut weighted = Weighted { inner: &oracle, millionths: self.epsilon };
                let mut space = GridSpace::new(ground);
                let answer = search(
                    &mut self.plain,
                    &mut space,
                    &mut weighted,
                    &oracle,
                    (from, u64::MAX, known),
                    path,
                );
                // The bound is inflated too.
                let bound = (u64::from(answer.lower_bound) * MILLION).div_ceil(self.epsilon);
                Answer { lower_bound: bound as u32, ..answer }
            }
            Style::Favouring(favour, pull) => {
                self.favouring.fit((range, shift));
                let enough = enough(oracle.lower_bound(from), self.epsilon);
                let mut space = CpdSpace::new(&oracle, favour, pull, enough, &mut self.shots);
                search(&mut self.favouring, &mut space, &mut &oracle, &oracle, (from, u64::MAX, known), path)
            }
        }
    }

    /// The same from the end that is nearer to the obstacle: from the second if the way is blocked late.
    fn ask_from_nearer(
        &mut self,
        cpd: &Cpd,
        ground: &Ground,
        (from, to, is_late): (Cell, Cell, bool),
        style: Style,
        known: Option<Cost>,
        path: &mut Vec<Cell>,
    ) -> Answer {
        let ends = if is_late { (to, from) } else { (from, to) };
        let answer = self.ask(cpd, ground, ends, style, known, path);
        if is_late {
            path.reverse();
        }
        answer
    }

    /// Looks for a path that is good enough along the database's way and the walls that block it, without looking
    /// anywhere else. The bound is that of the start alone.
    fn hurry(
        &mut self,
        cpd: &Cpd,
        ground: &Ground,
        (from, to): (Cell, Cell),
        limit: u64,
        path: &mut Vec<Cell>,
    ) -> Haste {
        let Style::Favouring(favour, pull) = self.style else { return Haste::default() };
        let oracle = Oracle::new(cpd, ground, &self.change, &mut self.ways, to);
        oracle.adopt(self.glance.trail(to));
        self.remark = oracle.remark();
        let (way, bound) = (oracle.way(from), oracle.lower_bound(from));
        let enough = enough(bound, self.epsilon);
        let most = enough.saturating_add(enough / BEYOND);
        let mut space = CpdSpace::new(&oracle, favour, pull, enough, &mut self.shots).hasty(most);
        self.last = Last::Favouring;
        self.favouring.fit(span(ground));
        let answer =
            search(&mut self.favouring, &mut space, &mut &oracle, &oracle, (from, limit, None), path);
        Haste {
            found: answer.cost.is_some_and(|cost| cost <= enough),
            answer: Answer { lower_bound: bound, ..answer },
            is_late: is_late(way, to),
        }
    }
}

/// Whether a way is blocked nearer to its end than to its beginning.
fn is_late(way: Way, to: Cell) -> bool {
    way.reach.stop != to && way.reach.cost > way.then / 2
}

/// What a path may cost if no path costs less than this.
fn enough(bound: Cost, epsilon: u64) -> Cost {
    Cost::try_from(u64::from(bound) * epsilon / MILLION).unwrap_or(Cost::MAX - 1)
}

/// What a hasty look has found.
#[derive(Default)]
struct Haste {
    /// A path that is good enough.
    found: bool,
    answer: Answer,
    /// Whether the way is blocked nearer to its end than to its beginning.
    is_late: bool,
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

impl PathSearch for Dynamic {
    fn find(&mut self, ground: &Ground, from: Cell, to: Cell, path: &mut Vec<Cell>) -> Answer {
        let cpd = database(&mut self.cpd, ground);
        self.change.refresh(&cpd, ground);
        if let Some(answer) = self.glance(&cpd, ground, (from, to), path) {
            return answer;
        }
        match self.side {
            Side::Start => self.ask(&cpd, ground, (from, to), self.style, None, path),
            Side::Nearer => {
                let oracle = Oracle::new(&cpd, ground, &self.change, &mut self.ways, to);
                oracle.adopt(self.glance.trail(to));
                let is_late = is_late(oracle.way(from), to);
                self.ask_from_nearer(&cpd, ground, (from, to, is_late), self.style, None, path)
            }
            Side::Near { haste, walls } => {
                let haste = self.hurry(&cpd, ground, (from, to), haste, path);
                if haste.found {
                    return haste.answer;
                }
                self.around.clone_from(path);
                path.clear();
                let style = if walls { self.style } else { Style::Plain };
                let (ends, known) = ((from, to, haste.is_late), haste.answer.cost);
                let mut answer = self.ask_from_nearer(&cpd, ground, ends, style, known, path);
                answer.expansions += haste.answer.expansions;
                if path.is_empty() && known.is_some() {
                    // Nothing better is needed.
                    path.clone_from(&self.around);
                    answer.cost = known;
                }
                answer
            }
        }
    }

    fn prepare(&mut self, ground: &Ground) {
        let cpd = database(&mut self.cpd, ground);
        self.change.refresh(&cpd, ground);
    }

    fn remark(&self) -> Option<&'static str> {
        self.remark
    }

    fn expanded(&self) -> &[u32] {
        match self.last {
            Last::Glance => self.glance.expanded(),
            Last::Plain => self.plain.closed(),
            Last::Favouring => self.favouring.closed(),
        }
    }
}

/// Runs a search to its end, or so many expansions, and writes the path.
fn search<F: Frontier>(
    search: &mut BestFirst<Arena, F>,
    space: &mut impl Space,
    heuristic: &mut impl Heuristic,
    oracle: &Oracle<'_>,
    (from, limit, known): (Cell, u64, Option<Cost>),
    path: &mut Vec<Cell>,
) -> Answer {
    search.begin(space);
    if let Some(cost) = known {
        search.add_incumbent(cost);
    }
    search.add_source(from.0, 0, heuristic);
    let target = oracle.target;
    match search.resume(space, heuristic, |node| node == target.0, limit, &mut ()) {
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
    Answer { cost, lower_bound, expansions: search.expansions() }
}
