//! Detours around the first obstacle, found without an open list: the database's path, then wall following.
//!
//! The search follows the database's path from the start. If it is blocked, the search follows the wall on both sides
//! to the first cell whose database path to the target is free. Most queries end here, so it touches little memory: the
//! rows of the database, lists that are written sequentially, and two tables of 4 KB. It stores nothing per cell of the
//! map.
//!
//! A path is accepted if it costs at most the given factor times a lower bound. The bound is the path's cost when the
//! database was built, valid if no move is new or cheaper. A smaller bound is often sufficient: the old cost up to the
//! obstacle plus the octile distance from there, for which the rest of the path need not be followed. Walks along walls
//! end where their cost exceeds what the smaller bound accepts.

use throng_grid::{Cell, Cost, Direction, directions};
use throng_search::{Heuristic, OctileDistance};

use crate::database::{PathCursor, Toward};
use crate::path_cache::{MapPair, NO_COST};
use crate::wall_following;

/// Only every second cell along a wall is tested for a free path: fewer tests, at the price of a step more per detour.
const STRIDE: usize = 2;

/// Size of the table of blocked cells. A power of two; larger tables avoid repeated tests but are slower to clear.
const TABLE_SIZE: usize = 1_024;

/// Cells whose path is known to be blocked: a small hash table that keeps the last cell of each slot.
#[derive(Clone, Debug)]
struct BlockedCells([Cell; TABLE_SIZE]);

impl BlockedCells {
    const EMPTY: Self = Self([Cell(u32::MAX); TABLE_SIZE]);

    const fn slot(cell: Cell) -> usize {
        // The numbers of cells in one column often differ by a multiple of the table's size.
        (cell.0 ^ cell.0 >> 8) as usize % TABLE_SIZE
    }

    fn has(&self, cell: Cell) -> bool {
        self.0[Self::slot(cell)] == cell
    }

    fn add(&mut self, cell: Cell) {
        self.0[Self::slot(cell)] = cell;
    }
}

/// The state of following the database's path from the start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct FollowedPath {
    /// Cost of the followed part when the database was built.
    old_cost: Cost,
    cursor: PathCursor,
    /// Cost of the legal prefix now.
    cost: Cost,
    /// Number of moves of the legal prefix.
    moves: usize,
}

/// A path found without an open list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Detour {
    pub(crate) cost: Cost,
    /// A lower bound of the cost of any path.
    pub(crate) bound: Cost,
}

/// A database path to one target, as long as it is legal.
#[derive(Clone, Debug)]
struct LegalPath {
    /// Its cells, without the first.
    cells: Vec<Cell>,
    blocked: BlockedCells,
}

/// Buffers of detour searches, and the path that the last one followed.
#[derive(Clone, Debug, Default)]
pub(crate) struct DetourSearch {
    /// The steps of the database's path from the start, as far as it was followed.
    steps: Vec<(Cell, Direction)>,
    /// The target, if `steps` is the whole path.
    target: Option<Cell>,
    /// The cells of a walk along a wall, each with the cost of the walk up to it.
    walk: Vec<(Cell, Cost)>,
    /// The database's path from a cell of the walk to the target.
    to_target: LegalPath,
    /// The database's path from a cell of the walk to the start.
    to_start: LegalPath,
    /// The start and the cell where its path is blocked, in place of expansions.
    expanded: Vec<u32>,
    /// Whether the obstacle is nearer to the target than to the start. Valid if `target` is set.
    is_near_target: bool,
}

impl Default for LegalPath {
    fn default() -> Self {
        Self { cells: Vec::new(), blocked: BlockedCells::EMPTY }
    }
}

impl DetourSearch {
    /// Searches for a path that costs at most `accepted` of a lower bound, and writes the cheapest path found, even if
    /// it is not accepted. Follows walls only if the paths `back` to the start are given. No move may be new or cheaper
    /// than in the database.
    pub(crate) fn find(
        &mut self,
        toward: &Toward<'_>,
        maps: MapPair<'_>,
        from: Cell,
        (accepted, back): (impl Fn(Cost) -> Cost, Option<Toward<'_>>),
        path: &mut Vec<Cell>,
    ) -> Option<Detour> {
        self.expanded.clear();
        self.steps.clear();
        self.target = None;
        let start = FollowedPath { old_cost: 0, cursor: PathCursor::new(maps.old, from), cost: 0, moves: 0 };
        let mut followed = self.follow::<true>(toward, maps, start)?;
        if followed.cursor.at == toward.target() {
            (self.target, self.is_near_target) = (Some(toward.target()), false);
            path.extend(self.steps.iter().map(|step| step.0));
            path.push(toward.target());
            return Some(Detour { cost: followed.cost, bound: followed.old_cost });
        }
        let detour = back
            .and_then(|back| self.find_along_walls((toward, &back), maps, &mut followed, &accepted, path));
        if detour.is_none_or(|detour| detour.cost > accepted(detour.bound)) {
            self.follow_to_target(toward, maps, &mut followed)?;
        }
        detour
    }

    /// Searches along the wall where the path is blocked, in both directions.
    fn find_along_walls(
        &mut self,
        (toward, back): (&Toward<'_>, &Toward<'_>),
        maps: MapPair<'_>,
        followed: &mut FollowedPath,
        accepted: impl Fn(Cost) -> Cost,
        path: &mut Vec<Cell>,
    ) -> Option<Detour> {
        let FollowedPath { cost, moves, cursor: PathCursor { at: stop, .. }, .. } = *followed;
        self.expanded.extend([self.steps.first().map_or(stop, |step| step.0).0, stop.0]);
        self.to_target.blocked = BlockedCells::EMPTY;
        // The old cost is known only up to the obstacle; the octile distance is a lower bound of the rest.
        let rest = OctileDistance::to_cell(maps.old, toward.target()).lower(stop.0);
        let mut bound = followed.old_cost.saturating_add(rest);
        let max_walk = accepted(bound).checked_sub(cost)?;
        let mut best = NO_COST;
        for side in directions(wall_following::moves_along_walls(maps.now, stop)) {
            let Some(onward) = self.walk_to_free_path(toward, maps, (stop, side), max_walk) else { continue };
            let around = cost.saturating_add(onward);
            if around > accepted(bound) {
                bound = self.follow_to_target(toward, maps, followed)?;
            }
            let after_walk = onward - self.walk.last()?.1;
            let pulled = if around <= accepted(bound) { None } else { self.pulled(back, maps, after_walk) };
            let cheaper = pulled.map_or(around, |(_, pulled)| pulled.min(around));
            if cheaper >= best {
                continue;
            }
            best = cheaper;
            path.clear();
            if let Some((skipped, _)) = pulled.filter(|&(_, pulled)| pulled < around) {
                path.extend(self.to_start.cells.iter().rev());
                path.extend(self.walk[skipped..].iter().map(|step| step.0));
            } else {
                path.extend(self.steps[..moves].iter().map(|step| step.0));
                path.push(stop);
                path.extend(self.walk.iter().map(|step| step.0));
            }
            path.extend(&self.to_target.cells);
            if best <= accepted(bound) {
                break;
            }
        }
        (best != NO_COST).then_some(Detour { cost: best, bound })
    }

    /// Returns the nodes that the last search counts as expanded.
    pub(crate) fn expanded(&self) -> &[u32] {
        &self.expanded
    }

    /// Returns the steps of the database's path to a target, if the last search has followed all of it.
    pub(crate) fn followed_steps(&self, target: Cell) -> Option<&[(Cell, Direction)]> {
        (self.target == Some(target)).then_some(&self.steps)
    }

    /// Returns true if the path of [`DetourSearch::followed_steps`] is blocked nearer to its end than to its start.
    pub(crate) fn is_near_target(&self) -> bool {
        self.is_near_target
    }

    /// Drops the path of the last search.
    pub(crate) fn reset(&mut self) {
        self.target = None;
    }

    /// Follows the database's path to the target or, if `LEGAL`, to its first move that is no longer legal.
    fn follow<const LEGAL: bool>(
        &mut self,
        toward: &Toward<'_>,
        MapPair { old, now }: MapPair<'_>,
        mut followed: FollowedPath,
    ) -> Option<FollowedPath> {
        // A corrupt database may contain cycles.
        for _ in 0..old.size().area() {
            let at = followed.cursor.at;
            if at == toward.target() {
                return Some(followed);
            }
            let direction = toward.next_move(&followed.cursor)?;
            if LEGAL {
                if now.moves(at) & direction.bit() == 0 {
                    return Some(followed);
                }
                followed.cost = followed.cost.checked_add(now.cost(at, direction))?;
                followed.moves += 1;
            }
            followed.old_cost = followed.old_cost.checked_add(old.cost(at, direction))?;
            self.steps.push((at, direction));
            followed.cursor.advance(old, direction);
        }
        None
    }

    /// Follows the rest of the path to the target, if that is not done yet. Returns the path's old cost.
    fn follow_to_target(
        &mut self,
        toward: &Toward<'_>,
        maps: MapPair<'_>,
        followed: &mut FollowedPath,
    ) -> Option<Cost> {
        if self.target.is_none() {
            *followed = self.follow::<false>(toward, maps, *followed)?;
            self.target = Some(toward.target());
            self.is_near_target = followed.cost > followed.old_cost / 2;
        }
        Some(followed.old_cost)
    }

    /// Follows a wall to the first cell whose path to the target is free. Returns the cost of both; `None` if the walk
    /// costs more than `max_walk`.
    fn walk_to_free_path(
        &mut self,
        toward: &Toward<'_>,
        maps: MapPair<'_>,
        (from, side): (Cell, Direction),
        max_walk: Cost,
    ) -> Option<Cost> {
        self.walk.clear();
        let (mut cost, mut found) = (0_u32, None);
        wall_following::follow_wall(maps.now, from, side, |at, moved, to| {
            cost = cost.saturating_add(maps.now.cost(at, moved));
            self.walk.push((to, cost));
            if cost > max_walk || to == from {
                return true;
            }
            if self.walk.len() % STRIDE != 1 {
                return false;
            }
            found = self.to_target.follow(toward, maps, to);
            found.is_some()
        });
        cost.checked_add(found?)
    }

    /// Pulls the string: replaces the path to the last cell of the walk whose path to the start is free by that path.
    /// Returns the number of walk cells that are skipped, and the cost of the whole detour.
    fn pulled(&mut self, back: &Toward<'_>, maps: MapPair<'_>, after_walk: Cost) -> Option<(usize, Cost)> {
        self.to_start.blocked = BlockedCells::EMPTY;
        let walked = self.walk.last()?.1;
        for (index, &(cell, cost)) in self.walk.iter().enumerate().rev() {
            if let Some(to_start) = self.to_start.follow(back, maps, cell) {
                return Some((index, to_start.saturating_add(walked - cost).saturating_add(after_walk)));
            }
        }
        None
    }
}

impl LegalPath {
    /// Follows the database's path from a cell. Returns its cost, or `None` if it is blocked.
    fn follow(&mut self, toward: &Toward<'_>, MapPair { old, now }: MapPair<'_>, from: Cell) -> Option<Cost> {
        self.cells.clear();
        let (mut cursor, mut cost) = (PathCursor::new(old, from), 0_u32);
        for _ in 0..old.size().area() {
            let at = cursor.at;
            if at == toward.target() {
                return Some(cost);
            }
            let direction = if self.blocked.has(at) { None } else { toward.next_move(&cursor) };
            let Some(direction) = direction.filter(|direction| now.moves(at) & direction.bit() != 0) else {
                self.blocked.add(at);
                break;
            };
            cost = cost.checked_add(now.cost(at, direction))?;
            cursor.advance(old, direction);
            self.cells.push(cursor.at);
        }
        // The first cells are added last, so that they stay in the table: paths from the next wall cells lead there.
        self.cells.iter().rev().for_each(|&cell| self.blocked.add(cell));
        self.blocked.add(from);
        None
    }
}

#[cfg(test)]
mod tests;
