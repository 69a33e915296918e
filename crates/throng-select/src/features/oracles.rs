//! Slow, obviously correct versions of map features, for tests.

use std::collections::{BTreeMap, BTreeSet};

use throng_grid::{Cell, Corners, Ground, Pos};

use super::coarse::CoarseGraph;

/// Returns the free cells that can be reached from a cell without entering others.
fn flood(ground: &Ground, from: Cell, may_enter: impl Fn(Cell) -> bool) -> BTreeSet<Cell> {
    let (mut seen, mut stack) = (BTreeSet::from([from]), vec![from]);
    while let Some(cell) = stack.pop() {
        for (_, to) in ground.neighbours(cell) {
            if may_enter(to) && seen.insert(to) {
                stack.push(to);
            }
        }
    }
    seen
}

/// Returns true if the cells that a cell reaches fall apart without it.
pub(super) fn is_articulation(ground: &Ground, cell: Cell) -> bool {
    let mut others = flood(ground, cell, |_| true);
    others.remove(&cell);
    let Some(&first) = others.first() else { return false };
    flood(ground, first, |to| to != cell).len() < others.len()
}

/// Returns the largest maximum coordinate difference within which all cells are free.
pub(super) fn clearance(ground: &Ground, cell: Cell) -> i32 {
    let at = ground.pos(cell);
    let is_free = |pos: Pos| ground.cell(pos).is_some_and(|cell| ground.is_free(cell));
    (0..300)
        .find(|&radius| {
            (-radius..=radius).any(|dx| (-radius..=radius).any(|dy| !is_free(Pos::new(at.x + dx, at.y + dy))))
        })
        .unwrap_or(0)
}

/// Returns the number of free cells in a row or column through a cell, whichever is smaller.
pub(super) fn passage_width(ground: &Ground, cell: Cell) -> i32 {
    let at = ground.pos(cell);
    let is_free = |pos: Pos| ground.cell(pos).is_some_and(|cell| ground.is_free(cell));
    let run = |dx: i32, dy: i32| {
        (1..300).take_while(|&n| is_free(Pos::new(at.x + n * dx, at.y + n * dy))).count() as i32
    };
    (run(1, 0) + run(-1, 0) + 1).min(run(0, 1) + run(0, -1) + 1)
}

/// Returns the number of groups of blocked cells that do not reach the outside of the map. Blocked cells that touch
/// diagonally belong together, unless agents may pass between them.
pub(super) fn surrounded_obstacles(ground: &Ground) -> usize {
    let size = ground.size();
    let (width, height) = (size.width() as i32, size.height() as i32);
    let passable = !ground.rules().four_way && ground.rules().corners == Corners::Allow;
    let is_blocked = |pos: Pos| ground.cell(pos).is_none_or(|cell| !ground.is_free(cell));
    let inside = |pos: Pos| (-1..=width).contains(&pos.x) && (-1..=height).contains(&pos.y);
    let mut seen = BTreeSet::new();
    let mut groups = 0;
    for start in (-1..=height).flat_map(|y| (-1..=width).map(move |x| Pos::new(x, y))) {
        if !is_blocked(start) || !seen.insert(start) {
            continue;
        }
        groups += 1;
        let mut stack = vec![start];
        while let Some(pos) = stack.pop() {
            for (dx, dy) in (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy))) {
                let to = Pos::new(pos.x + dx, pos.y + dy);
                let joined = dx == 0 || dy == 0 || !passable;
                if joined && inside(to) && is_blocked(to) && seen.insert(to) {
                    stack.push(to);
                }
            }
        }
    }
    // The first group is the outside.
    groups - 1
}

/// Returns the smallest distances over the edges of a coarse graph by relaxing all edges until nothing changes.
pub(super) fn coarse_distances(graph: &CoarseGraph, from: u32) -> Vec<Option<u32>> {
    let mut distances = vec![None; graph.regions.len()];
    distances[from as usize] = Some(0);
    loop {
        let before = distances.clone();
        for region in 0..graph.regions.len() as u32 {
            for edge in &graph.edges[graph.edges_of(region)] {
                if let Some(through) = distances[region as usize].map(|distance: u32| distance + edge.length)
                {
                    let known = &mut distances[edge.to as usize];
                    *known = Some(known.map_or(through, |known| known.min(through)));
                }
            }
        }
        if distances == before {
            return distances;
        }
    }
}

/// Returns the regions of all free cells as the sets of cells that reach each other inside of a square of a side, and
/// the number of straight moves from each region to each other.
pub(super) fn regions(ground: &Ground, side: i32) -> (BTreeMap<Cell, Cell>, BTreeMap<(Cell, Cell), u32>) {
    let square = |cell| {
        let pos = ground.pos(cell);
        (pos.x / side, pos.y / side)
    };
    let first = |cell: Cell| *flood(ground, cell, |to| square(to) == square(cell)).first().unwrap();
    let region: BTreeMap<Cell, Cell> = ground.free_cells().map(|cell| (cell, first(cell))).collect();
    let mut borders = BTreeMap::new();
    for cell in ground.free_cells() {
        for (direction, to) in ground.neighbours(cell) {
            if region[&cell] != region[&to] {
                *borders.entry((region[&cell], region[&to])).or_default() +=
                    u32::from(!direction.is_diagonal());
            }
        }
    }
    (region, borders)
}

/// Returns the number of components of a coarse graph without a region.
pub(super) fn components_without(graph: &CoarseGraph, removed: u32) -> usize {
    let mut seen = vec![false; graph.regions.len()];
    seen[removed as usize] = true;
    let mut count = 0;
    for start in 0..graph.regions.len() as u32 {
        if seen[start as usize] {
            continue;
        }
        count += 1;
        let mut stack = vec![start];
        seen[start as usize] = true;
        while let Some(region) = stack.pop() {
            for edge in &graph.edges[graph.edges_of(region)] {
                if !std::mem::replace(&mut seen[edge.to as usize], true) {
                    stack.push(edge.to);
                }
            }
        }
    }
    count
}
