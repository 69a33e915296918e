//! A first look before any search: the database's way, and along the wall that blocks it to where its way is free again.
//!
//! Most questions are answered by it, so it touches as little memory as it can: besides the rows of the database only
//! lists that are written from end to end, and two tables of four kilobytes. Nothing is kept a cell of the map. What it
//! finds counts if it is within the factor of what the way cost before, which is a lower bound where no change has helped;
//! or of less than that, what it cost as far as it is free and what the rest would cost on an empty map: then the rest
//! need not be followed. Walks along walls go no farther than that lesser bound lets them.

use throng_grid::{Cell, Cost, Direction, directions};
use throng_search::{Heuristic, OctileDistance};

use crate::database::{PathCursor, Toward};
use crate::path_cache::{MapPair, NONE};
use crate::wall_following;

/// Of the cells along a wall one in so many is asked whether its way is free.
const STRIDE: usize = 2;

/// Places of the table of blocked cells.
const PLACES: usize = 1_024;

/// Cells whose way is known to be blocked, the last ones of each place in a small table.
#[derive(Clone, Debug)]
struct BlockedCells([Cell; PLACES]);

impl BlockedCells {
    const NONE: Self = Self([Cell(u32::MAX); PLACES]);

    const fn place(cell: Cell) -> usize {
        // Cells above each other are often a multiple of this apart.
        (cell.0 ^ cell.0 >> 8) as usize % PLACES
    }

    fn has(&self, cell: Cell) -> bool {
        self.0[Self::place(cell)] == cell
    }

    fn add(&mut self, cell: Cell) {
        self.0[Self::place(cell)] = cell;
    }
}

/// What a way of the database came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct FollowedPath {
    /// Its cost when the database was built, as far as it has been followed, and who follows it.
    then: Cost,
    walker: PathCursor,
    /// What it costs now as far as it leads, and how many moves that are.
    cost: Cost,
    moves: usize,
}

/// A path found at first sight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Detour {
    /// What it costs.
    pub(crate) cost: Cost,
    /// No path costs less.
    pub(crate) bound: Cost,
}

/// A way of the database as long as it is free.
#[derive(Clone, Debug)]
struct LegalPath {
    /// Its cells, without the first.
    cells: Vec<Cell>,
    blocked: BlockedCells,
}

/// Memory for first looks, and the way that the last one followed.
#[derive(Clone, Debug, Default)]
pub(crate) struct DetourSearch {
    /// The database's way from the start, whole, and where it leads.
    trail: Vec<(Cell, Direction)>,
    target: Option<Cell>,
    /// The cells of a walk along a wall, and what it cost to come there.
    beside: Vec<(Cell, Cost)>,
    /// The database's ways from cells of that walk, to the target and back to the start.
    behind: LegalPath,
    before: LegalPath,
    /// The start, and where its way is blocked: what the look has expanded.
    expanded: Vec<u32>,
    /// Whether that is nearer to the end of the way than to its beginning.
    is_late: bool,
}

impl Default for LegalPath {
    fn default() -> Self {
        Self { cells: Vec::new(), blocked: BlockedCells::NONE }
    }
}

impl DetourSearch {
    /// Looks for a path that costs at most `enough` of a lower bound, and writes the cheapest that it has found, whether
    /// it is good enough or not. Given the ways `back` to the start, it looks along walls too. No change must have
    /// helped.
    pub(crate) fn look(
        &mut self,
        toward: &Toward<'_>,
        maps: MapPair<'_>,
        from: Cell,
        (enough, back): (impl Fn(Cost) -> Cost, Option<Toward<'_>>),
        path: &mut Vec<Cell>,
    ) -> Option<Detour> {
        self.expanded.clear();
        self.trail.clear();
        self.target = None;
        let start = FollowedPath { then: 0, walker: PathCursor::new(maps.old, from), cost: 0, moves: 0 };
        let mut trail = self.follow::<true>(toward, maps, start)?;
        if trail.walker.at == toward.target() {
            (self.target, self.is_late) = (Some(toward.target()), false);
            path.extend(self.trail.iter().map(|step| step.0));
            path.push(toward.target());
            return Some(Detour { cost: trail.cost, bound: trail.then });
        }
        let sight = back.and_then(|back| self.look_around((toward, &back), maps, &mut trail, &enough, path));
        if sight.is_none_or(|sight| sight.cost > enough(sight.bound)) {
            self.whole(toward, maps, &mut trail)?;
        }
        sight
    }

    /// Looks along the wall where the way is blocked.
    fn look_around(
        &mut self,
        (toward, back): (&Toward<'_>, &Toward<'_>),
        maps: MapPair<'_>,
        trail: &mut FollowedPath,
        enough: impl Fn(Cost) -> Cost,
        path: &mut Vec<Cell>,
    ) -> Option<Detour> {
        let FollowedPath { cost, moves, walker: PathCursor { at: stop, .. }, .. } = *trail;
        self.expanded.extend([self.trail.first().map_or(stop, |step| step.0).0, stop.0]);
        self.behind.blocked = BlockedCells::NONE;
        // What the way cost before is known only as far as it is blocked. Mostly it need not be: the rest cost no less
        // than it would on an empty map.
        let left = OctileDistance::to_cell(maps.old, toward.target()).lower(stop.0);
        let mut bound = trail.then.saturating_add(left);
        let far = enough(bound).checked_sub(cost)?;
        let mut best = NONE;
        for side in directions(wall_following::begins(maps.now, stop)) {
            let Some(onward) = self.around(toward, maps, (stop, side), far) else { continue };
            let around = cost.saturating_add(onward);
            if around > enough(bound) {
                bound = self.whole(toward, maps, trail)?;
            }
            let behind = onward - self.beside.last()?.1;
            let pulled = if around <= enough(bound) { None } else { self.pulled(back, maps, behind) };
            let cheaper = pulled.map_or(around, |(_, pulled)| pulled.min(around));
            if cheaper >= best {
                continue;
            }
            best = cheaper;
            path.clear();
            if let Some((left_out, _)) = pulled.filter(|&(_, pulled)| pulled < around) {
                path.extend(self.before.cells.iter().rev());
                path.extend(self.beside[left_out..].iter().map(|step| step.0));
            } else {
                path.extend(self.trail[..moves].iter().map(|step| step.0));
                path.push(stop);
                path.extend(self.beside.iter().map(|step| step.0));
            }
            path.extend(&self.behind.cells);
            if best <= enough(bound) {
                break;
            }
        }
        (best != NONE).then_some(Detour { cost: best, bound })
    }

    /// The nodes that the last look has expanded.
    pub(crate) fn expanded(&self) -> &[u32] {
        &self.expanded
    }

    /// The way to a target that the last look has followed, if it has.
    pub(crate) fn trail(&self, target: Cell) -> Option<&[(Cell, Direction)]> {
        (self.target == Some(target)).then_some(&self.trail)
    }

    /// Whether the way that [`DetourSearch::trail`] gives is blocked nearer to its end than to its beginning.
    pub(crate) fn is_late(&self) -> bool {
        self.is_late
    }

    /// Forgets the last look.
    pub(crate) fn forget(&mut self) {
        self.target = None;
    }

    /// Follows the database's way to the target, or to where it is blocked now.
    fn follow<const NOW: bool>(
        &mut self,
        toward: &Toward<'_>,
        MapPair { old, now }: MapPair<'_>,
        mut trail: FollowedPath,
    ) -> Option<FollowedPath> {
        // A database that lies may lead in circles.
        for _ in 0..old.size().area() {
            let at = trail.walker.at;
            if at == toward.target() {
                return Some(trail);
            }
            let direction = toward.next_move(&trail.walker)?;
            if NOW {
                if now.moves(at) & direction.bit() == 0 {
                    return Some(trail);
                }
                trail.cost = trail.cost.checked_add(now.cost(at, direction))?;
                trail.moves += 1;
            }
            trail.then = trail.then.checked_add(old.cost(at, direction))?;
            self.trail.push((at, direction));
            trail.walker.go(old, direction);
        }
        None
    }

    /// Follows it on to the target, unless that has been done; what all of it cost before.
    fn whole(&mut self, toward: &Toward<'_>, maps: MapPair<'_>, trail: &mut FollowedPath) -> Option<Cost> {
        if self.target.is_none() {
            *trail = self.follow::<false>(toward, maps, *trail)?;
            self.target = Some(toward.target());
            self.is_late = trail.cost > trail.then / 2;
        }
        Some(trail.then)
    }

    /// Walks along a wall to the first cell whose way is free; what both cost. It gives up where they must cost more than
    /// `far`.
    fn around(
        &mut self,
        toward: &Toward<'_>,
        maps: MapPair<'_>,
        (from, side): (Cell, Direction),
        far: Cost,
    ) -> Option<Cost> {
        self.beside.clear();
        let (mut cost, mut found) = (0_u32, None);
        wall_following::walk(maps.now, from, side, |at, moved, to| {
            cost = cost.saturating_add(maps.now.cost(at, moved));
            self.beside.push((to, cost));
            if cost > far || to == from {
                return true;
            }
            if self.beside.len() % STRIDE != 1 {
                return false;
            }
            found = self.behind.follow(toward, maps, to);
            found.is_some()
        });
        cost.checked_add(found?)
    }

    /// The same from the last cell of the walk whose way back to the start is free; says how many cells of the walk
    /// are left out, and what all of it costs.
    fn pulled(&mut self, back: &Toward<'_>, maps: MapPair<'_>, behind: Cost) -> Option<(usize, Cost)> {
        self.before.blocked = BlockedCells::NONE;
        let walked = self.beside.last()?.1;
        for (place, &(cell, cost)) in self.beside.iter().enumerate().rev() {
            if let Some(before) = self.before.follow(back, maps, cell) {
                return Some((place, before.saturating_add(walked - cost).saturating_add(behind)));
            }
        }
        None
    }
}

impl LegalPath {
    /// What the database's way from a cell costs; none when it is blocked.
    fn follow(&mut self, toward: &Toward<'_>, MapPair { old, now }: MapPair<'_>, from: Cell) -> Option<Cost> {
        self.cells.clear();
        let (mut walker, mut cost) = (PathCursor::new(old, from), 0_u32);
        for _ in 0..old.size().area() {
            let at = walker.at;
            if at == toward.target() {
                return Some(cost);
            }
            let direction = if self.blocked.has(at) { None } else { toward.next_move(&walker) };
            let Some(direction) = direction.filter(|direction| now.moves(at) & direction.bit() != 0) else {
                self.blocked.add(at);
                break;
            };
            cost = cost.checked_add(now.cost(at, direction))?;
            walker.go(old, direction);
            self.cells.push(walker.at);
        }
        // The first cells last: the ways from the next cells of the wall come there.
        self.cells.iter().rev().for_each(|&cell| self.blocked.add(cell));
        self.blocked.add(from);
        None
    }
}

#[cfg(test)]
mod tests;
