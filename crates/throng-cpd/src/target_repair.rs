//! Repairing a database's ways to one target, in the shadow of the change only.
//!
//! The shadow of a change, seen from a target, are the cells whose way to it uses a move that is gone or dearer: whole
//! branches of the tree of ways, rooted where the change is. All other ways are still shortest, as nothing has become
//! cheaper. So the shadow is grown backwards from the change, and one sweep from its edge inwards, with the distances that
//! the database has there, gives every cell in it a first move of a shortest path. That is kept: the next question about
//! the same target needs no search, wherever it starts.
//!
//! Whole databases are repaired by M. Verzeletti, A. Botea, M. Zanella, *Repairing Compressed Path Databases on Maps with
//! Dynamic Changes*, Symposium on Combinatorial Search 2020; here it is one target's column at a time, when it is asked for.

use std::sync::Arc;

use throng_grid::{Cell, Cost, Direction, Ground};
use throng_search::open_list::Buckets;
use throng_search::spec::MILLION;
use throng_search::{
    BestFirst, Blind, DenseStore, Expansion, GridSpace, PathSearch, Policy, SearchResult, Space, Status,
    Successor, f_range,
};

use crate::changed_map::{ChangedMapSearch, SearchFrom, SearchStyle, database};
use crate::database::{Cpd, Toward};
use crate::detour::DetourSearch;
use crate::map_change::MapChange;
use crate::path_cache::{MapPair, PathCache};

/// Marks of cells, besides the numbers of the eight directions: in the shadow and without a way, not in the shadow, and
/// so on by whose first move that is known.
const NO_WAY: u8 = 8;
const OUTSIDE: u8 = 9;
const OUTSIDE_BY: u8 = 16;

/// The first moves to one target of the cells in the shadow.
#[derive(Clone, Debug)]
struct RepairedTarget {
    target: Cell,
    /// A mark a cell.
    marks: Vec<u8>,
    /// When it was asked last.
    asked: u64,
}

impl RepairedTarget {
    fn is_inside(&self, cell: Cell) -> bool {
        self.marks[cell.index()] <= NO_WAY
    }

    /// Marks the cells of the shadow, and lists them.
    fn grow(
        &mut self,
        toward: &Toward<'_>,
        MapPair { old, now }: MapPair<'_>,
        change: &MapChange,
        inside: &mut Vec<Cell>,
    ) {
        self.marks.clear();
        self.marks.resize(now.size().area(), OUTSIDE);
        inside.clear();
        // A move into a cell that has become slower begins beside it.
        let begins =
            |&cell: &Cell| std::iter::once(cell).chain(old.neighbours(cell).map(|(_, beside)| beside));
        for cell in change.hindrances().iter().flat_map(begins) {
            let Some(first) = toward.first_move(cell) else { continue };
            let legal = now.moves(cell) & first.bit() != 0;
            let dearer = !legal || now.cost(cell, first) > old.cost(cell, first);
            if dearer && self.marks[cell.index()] != NO_WAY {
                self.marks[cell.index()] = NO_WAY;
                inside.push(cell);
            }
        }
        let mut next = 0;
        while let Some(&cell) = inside.get(next) {
            next += 1;
            for (direction, beside) in old.neighbours(cell) {
                let mark = &mut self.marks[beside.index()];
                if *mark == OUTSIDE {
                    let number = toward.first_move(beside).map_or(NO_WAY, Direction::number);
                    *mark = OUTSIDE_BY + number;
                }
                if *mark == OUTSIDE_BY + direction.opposite().number() {
                    *mark = NO_WAY;
                    inside.push(beside);
                }
            }
        }
    }
}

/// The moves of the sweep: those into the shadow.
///
/// Moves that a grid's space leaves out are no loss. A cheaper way there leads over a cell that the sweep comes to as
/// well, or over one outside, from where the sweep starts with its exact distance.
struct AffectedSpace<'a> {
    grid: GridSpace<'a>,
    column: &'a RepairedTarget,
}

impl Space for AffectedSpace<'_> {
    fn nodes(&self) -> usize {
        self.grid.nodes()
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let column = self.column;
        self.grid.expand(at, |successor| {
            if column.is_inside(Cell(successor.node)) {
                propose(successor);
            }
        });
    }
}

/// Shortest paths by repaired columns.
#[derive(Debug)]
pub(crate) struct TargetRepairSearch {
    cpd: Option<Arc<Cpd>>,
    change: MapChange,
    /// The ground that the columns are of.
    seen: Option<u64>,
    columns: Vec<RepairedTarget>,
    /// How many are kept.
    most: usize,
    questions: u64,
    glance: DetourSearch,
    ways: PathCache,
    inside: Vec<Cell>,
    sweep: BestFirst<DenseStore, Buckets>,
    /// For changes that help.
    exact: ChangedMapSearch,
    last: Last,
}

/// What has answered last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Last {
    Known,
    SourceSearch,
    Search,
}

impl TargetRepairSearch {
    /// Keeps the columns of at most so many targets.
    pub(crate) fn new(cpd: Option<Arc<Cpd>>, most: usize) -> Self {
        Self {
            cpd,
            change: MapChange::default(),
            seen: None,
            columns: Vec::new(),
            most,
            questions: 0,
            glance: DetourSearch::default(),
            ways: PathCache::default(),
            inside: Vec::new(),
            sweep: BestFirst::new(DenseStore::default(), Buckets::default(), Policy::default()),
            exact: ChangedMapSearch::new(None, SearchStyle::Plain, SearchFrom::Nearer, MILLION),
            last: Last::Known,
        }
    }

    fn refresh(&mut self, ground: &Ground) -> Arc<Cpd> {
        let cpd = database(&mut self.cpd, ground);
        self.change.refresh(&cpd, ground);
        if self.seen != Some(ground.fingerprint()) {
            self.seen = Some(ground.fingerprint());
            self.columns.iter_mut().for_each(|column| column.asked = 0);
        }
        cpd
    }

    /// The place of a target's column, which is repaired if it is not there, and how many nodes that took.
    fn column(&mut self, toward: &Toward<'_>, maps: MapPair<'_>) -> (usize, u64) {
        self.questions += 1;
        let target = toward.target();
        let is_there = |column: &RepairedTarget| column.asked > 0 && column.target == target;
        if let Some(place) = self.columns.iter().position(is_there) {
            self.columns[place].asked = self.questions;
            return (place, 0);
        }
        if self.columns.len() < self.most {
            self.columns.push(RepairedTarget { target, marks: Vec::new(), asked: 0 });
        }
        // The one that has not been asked for longest makes room; of several the first.
        let oldest = (0..self.columns.len()).min_by_key(|&place| self.columns[place].asked);
        let place = oldest.unwrap_or_default();
        (self.columns[place].target, self.columns[place].asked) = (target, self.questions);
        (place, self.repair(place, toward, maps))
    }

    fn repair(&mut self, place: usize, toward: &Toward<'_>, maps: MapPair<'_>) -> u64 {
        let column = &mut self.columns[place];
        column.grow(toward, maps, &self.change, &mut self.inside);
        let now = maps.now;
        let mut space = AffectedSpace { grid: GridSpace::new(now), column };
        self.ways.begin(now.size().area());
        self.sweep.set_f_range(f_range(now));
        self.sweep.begin(&space);
        for &cell in &self.inside {
            for (_, beside) in now.neighbours(cell) {
                if !column.is_inside(beside) && toward.reaches(beside) {
                    let way = self.ways.way(toward, maps, beside);
                    self.sweep.add_source(beside.0, way.then, &mut Blind);
                }
            }
        }
        let status = self.sweep.resume(&mut space, &mut Blind, |_| false, u64::MAX, &mut ());
        debug_assert_eq!(status, Status::Exhausted, "there is no goal and no limit");
        let column = &mut self.columns[place];
        for &cell in &self.inside {
            if let Some(node) = self.sweep.node(cell.0) {
                column.marks[cell.index()] = Direction::from_number(node.tag()).opposite().number();
            }
        }
        self.sweep.expansions()
    }
}

/// Follows repaired moves through the shadow, and the database's from there.
fn follow(
    column: &RepairedTarget,
    toward: &Toward<'_>,
    now: &Ground,
    from: Cell,
    path: &mut Vec<Cell>,
) -> Option<Cost> {
    let (mut at, mut cost) = (from, 0_u32);
    path.push(from);
    // A database that lies may lead in circles.
    for _ in 0..now.size().area() {
        if at == toward.target() {
            return Some(cost);
        }
        let direction = match column.marks[at.index()] {
            NO_WAY => return None,
            number @ 0..NO_WAY => Direction::from_number(number),
            _ => toward.first_move(at)?,
        };
        cost = cost.checked_add(now.cost(at, direction))?;
        at = now.step(at, direction);
        path.push(at);
    }
    None
}

impl PathSearch for TargetRepairSearch {
    fn find(&mut self, ground: &Ground, from: Cell, to: Cell, path: &mut Vec<Cell>) -> SearchResult {
        let cpd = self.refresh(ground);
        let toward = if self.change.helps() { None } else { cpd.toward(to) };
        let Some(toward) = toward else {
            self.exact.use_database(&cpd);
            self.last = Last::Search;
            return self.exact.find(ground, from, to, path);
        };
        self.last = Last::Known;
        let maps = MapPair { old: cpd.ground(), now: ground };
        let sight = self.glance.look(&toward, maps, from, (|bound| bound, None), path);
        if let Some(sight) = sight.filter(|sight| sight.cost == sight.bound) {
            return SearchResult { cost: Some(sight.cost), lower_bound: sight.bound, expansions: 0 };
        }
        path.clear();
        let (place, expansions) = self.column(&toward, maps);
        if expansions > 0 {
            self.last = Last::SourceSearch;
        }
        let cost = follow(&self.columns[place], &toward, ground, from, path);
        SearchResult { cost, lower_bound: cost.unwrap_or_default(), expansions }
    }

    fn prepare(&mut self, ground: &Ground) {
        self.refresh(ground);
    }

    fn caveat(&self) -> Option<&'static str> {
        self.exact.caveat().filter(|_| self.last == Last::Search)
    }

    fn expanded(&self) -> &[u32] {
        match self.last {
            Last::Known => &[],
            Last::SourceSearch => self.sweep.closed(),
            Last::Search => self.exact.expanded(),
        }
    }
}
