//! Repair of a database's paths to one target, within the region that a change of the map affects (`cpd-shadow`).
//!
//! The affected region of a change, for one target, is the set of cells whose database path uses a move that is gone or
//! costs more: whole subtrees of the tree of paths, rooted at the change. All other paths are still shortest, because
//! no move is new or cheaper. The region is grown backwards from the change. One Dijkstra search from its border
//! inwards, starting with the database's distances there, gives every cell of the region the first move of a shortest
//! path. These moves are kept, so that later queries to the same target need no search, from any start. The search's
//! name calls the region the shadow of the change.
//!
//! Whole databases are repaired by M. Verzeletti, A. Botea, M. Zanella, *Repairing Compressed Path Databases on Maps
//! with Dynamic Changes*, Symposium on Combinatorial Search 2020. Here only the first moves to the targets of queries
//! are repaired.

use std::sync::Arc;

use throng_grid::{Cell, Cost, Direction, Ground};
use throng_search::open_list::Buckets;
use throng_search::{
    BestFirst, Blind, DenseStore, Expansion, GridSpace, PathSearch, Policy, SearchResult, Space, Status,
    Successor, f_range,
};

use crate::changed_map::{ChangedMapSearch, database};
use crate::database::{Cpd, Toward};
use crate::detour::DetourSearch;
use crate::map_change::MapChange;
use crate::path_cache::{MapPair, PathCache};

/// Marks of cells. Numbers below 8 are repaired first moves; this one is an affected cell without a path.
const NO_PATH: u8 = 8;
/// An unaffected cell whose first move has not been read.
const UNAFFECTED: u8 = 9;
/// Added to the first move of an unaffected cell, or to [`NO_PATH`].
const UNAFFECTED_WITH_MOVE: u8 = 16;

/// The repaired first moves to one target.
#[derive(Clone, Debug)]
struct RepairedTarget {
    target: Cell,
    /// One mark per cell.
    marks: Vec<u8>,
    /// Number of the last query to the target; 0 if the map has changed since.
    last_used: u64,
}

impl RepairedTarget {
    fn is_affected(&self, cell: Cell) -> bool {
        self.marks[cell.index()] <= NO_PATH
    }

    /// Marks the cells of the affected region and lists them in `affected`.
    fn mark_affected(
        &mut self,
        toward: &Toward<'_>,
        MapPair { old, now }: MapPair<'_>,
        change: &MapChange,
        affected: &mut Vec<Cell>,
    ) {
        self.marks.clear();
        self.marks.resize(now.size().area(), UNAFFECTED);
        affected.clear();
        // A move into a cell that costs more begins at one of its neighbours.
        let with_neighbours =
            |&cell: &Cell| std::iter::once(cell).chain(old.neighbours(cell).map(|(_, beside)| beside));
        for cell in change.worsened_cells().iter().flat_map(with_neighbours) {
            let Some(first) = toward.first_move(cell) else { continue };
            let legal = now.moves(cell) & first.bit() != 0;
            let costs_more = !legal || now.cost(cell, first) > old.cost(cell, first);
            if costs_more && self.marks[cell.index()] != NO_PATH {
                self.marks[cell.index()] = NO_PATH;
                affected.push(cell);
            }
        }
        let mut next = 0;
        while let Some(&cell) = affected.get(next) {
            next += 1;
            for (direction, beside) in old.neighbours(cell) {
                let mark = &mut self.marks[beside.index()];
                if *mark == UNAFFECTED {
                    let number = toward.first_move(beside).map_or(NO_PATH, Direction::number);
                    *mark = UNAFFECTED_WITH_MOVE + number;
                }
                if *mark == UNAFFECTED_WITH_MOVE + direction.opposite().number() {
                    *mark = NO_PATH;
                    affected.push(beside);
                }
            }
        }
    }
}

/// The moves into cells of the affected region.
///
/// The pruning of [`GridSpace`] remains valid although successors are dropped: a cheaper path around a pruned move
/// leads over an affected cell, which the search reaches too, or over an unaffected one, from which the search starts
/// with its exact distance.
struct AffectedSpace<'a> {
    grid: GridSpace<'a>,
    repaired: &'a RepairedTarget,
}

impl Space for AffectedSpace<'_> {
    fn nodes(&self) -> usize {
        self.grid.nodes()
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let repaired = self.repaired;
        self.grid.expand(at, |successor| {
            if repaired.is_affected(Cell(successor.node)) {
                propose(successor);
            }
        });
    }
}

/// A search for shortest paths that repairs the first moves to the targets of its queries.
#[derive(Debug)]
pub(crate) struct TargetRepairSearch {
    cpd: Option<Arc<Cpd>>,
    change: MapChange,
    repaired: Vec<RepairedTarget>,
    max_targets: usize,
    /// Number of queries that needed a repaired target.
    queries: u64,
    detour: DetourSearch,
    paths: PathCache,
    /// The affected region of the last repair.
    affected: Vec<Cell>,
    search: BestFirst<DenseStore, Buckets>,
    /// For changes that may shorten paths.
    fallback: ChangedMapSearch,
    solved_by: SolvedBy,
}

/// The part that solved the last query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SolvedBy {
    Lookup,
    Repair,
    Fallback,
}

impl TargetRepairSearch {
    /// Returns a search that keeps the repaired first moves of at most `max_targets` targets.
    pub(crate) fn new(cpd: Option<Arc<Cpd>>, max_targets: usize) -> Self {
        Self {
            cpd,
            change: MapChange::default(),
            repaired: Vec::new(),
            max_targets,
            queries: 0,
            detour: DetourSearch::default(),
            paths: PathCache::default(),
            affected: Vec::new(),
            search: BestFirst::new(DenseStore::default(), Buckets::default(), Policy::default()),
            fallback: ChangedMapSearch::shortest(None),
            solved_by: SolvedBy::Lookup,
        }
    }

    fn refresh(&mut self, ground: &Ground) -> Arc<Cpd> {
        let cpd = database(&mut self.cpd, ground);
        if self.change.refresh(&cpd, ground) {
            self.repaired.iter_mut().for_each(|repaired| repaired.last_used = 0);
        }
        cpd
    }

    /// Returns the index of a repaired target and the number of expansions; repairs it if necessary.
    fn repaired_target(&mut self, toward: &Toward<'_>, maps: MapPair<'_>) -> (usize, u64) {
        self.queries += 1;
        let target = toward.target();
        let is_repaired = |repaired: &RepairedTarget| repaired.last_used > 0 && repaired.target == target;
        if let Some(index) = self.repaired.iter().position(is_repaired) {
            self.repaired[index].last_used = self.queries;
            return (index, 0);
        }
        if self.repaired.len() < self.max_targets {
            self.repaired.push(RepairedTarget { target, marks: Vec::new(), last_used: 0 });
        }
        // The least recently used target is replaced; of several the first.
        let oldest = (0..self.repaired.len()).min_by_key(|&index| self.repaired[index].last_used);
        let index = oldest.unwrap_or_default();
        (self.repaired[index].target, self.repaired[index].last_used) = (target, self.queries);
        (index, self.repair(index, toward, maps))
    }

    /// Repairs the first moves to a target. Returns the number of expansions.
    fn repair(&mut self, index: usize, toward: &Toward<'_>, maps: MapPair<'_>) -> u64 {
        let repaired = &mut self.repaired[index];
        repaired.mark_affected(toward, maps, &self.change, &mut self.affected);
        let now = maps.now;
        let mut space = AffectedSpace { grid: GridSpace::new(now), repaired };
        self.paths.begin(now.size().area());
        self.search.set_f_range(f_range(now));
        self.search.begin(&space);
        for &cell in &self.affected {
            for (_, beside) in now.neighbours(cell) {
                if !repaired.is_affected(beside) && toward.reaches(beside) {
                    let path = self.paths.path(toward, maps, beside);
                    self.search.add_source(beside.0, path.old_cost, &mut Blind);
                }
            }
        }
        let status = self.search.resume(&mut space, &mut Blind, |_| false, u64::MAX, &mut ());
        debug_assert_eq!(status, Status::Exhausted, "there is no goal and no limit");
        let repaired = &mut self.repaired[index];
        for &cell in &self.affected {
            if let Some(node) = self.search.node(cell.0) {
                repaired.marks[cell.index()] = Direction::from_number(node.tag()).opposite().number();
            }
        }
        self.search.expansions()
    }
}

/// Writes the path that follows repaired moves in the affected region and the database's moves elsewhere. Returns its
/// cost.
fn follow(
    repaired: &RepairedTarget,
    toward: &Toward<'_>,
    now: &Ground,
    from: Cell,
    path: &mut Vec<Cell>,
) -> Option<Cost> {
    let (mut at, mut cost) = (from, 0_u32);
    path.push(from);
    // A corrupt database may contain cycles.
    for _ in 0..now.size().area() {
        if at == toward.target() {
            return Some(cost);
        }
        let direction = match repaired.marks[at.index()] {
            NO_PATH => return None,
            number @ 0..NO_PATH => Direction::from_number(number),
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
        let toward = if self.change.may_shorten_paths() { None } else { cpd.toward(to) };
        let Some(toward) = toward else {
            self.fallback.use_database(&cpd);
            self.solved_by = SolvedBy::Fallback;
            return self.fallback.find(ground, from, to, path);
        };
        self.solved_by = SolvedBy::Lookup;
        let maps = MapPair { old: cpd.ground(), now: ground };
        let detour = self.detour.find(&toward, maps, from, (|bound| bound, None), path);
        if let Some(detour) = detour.filter(|detour| detour.cost == detour.bound) {
            return SearchResult { cost: Some(detour.cost), lower_bound: detour.bound, expansions: 0 };
        }
        path.clear();
        let (index, expansions) = self.repaired_target(&toward, maps);
        if expansions > 0 {
            self.solved_by = SolvedBy::Repair;
        }
        let cost = follow(&self.repaired[index], &toward, ground, from, path);
        SearchResult { cost, lower_bound: cost.unwrap_or_default(), expansions }
    }

    fn prepare(&mut self, ground: &Ground) {
        self.refresh(ground);
    }

    fn caveat(&self) -> Option<&'static str> {
        self.fallback.caveat().filter(|_| self.solved_by == SolvedBy::Fallback)
    }

    fn expanded(&self) -> &[u32] {
        match self.solved_by {
            SolvedBy::Lookup => &[],
            SolvedBy::Repair => self.search.closed(),
            SolvedBy::Fallback => self.fallback.expanded(),
        }
    }
}
