//! Slow implementations that follow the definitions directly; the tests compare the fast ones with them.

use super::chokepoints::StraightRun;
use super::{MAX_CUT, MIN_SIDE_CELLS, WINDOW_RADIUS};
use crate::{Cell, Ground, Pos};

/// Returns the cells reached from some cells by legal moves through cells that pass the test.
fn flood_fill(ground: &Ground, from: &[Cell], test: impl Fn(Cell) -> bool) -> Vec<Cell> {
    let mut seen = vec![false; ground.size().area()];
    let mut found = Vec::new();
    let mut todo = from.to_vec();
    while let Some(cell) = todo.pop() {
        if test(cell) && !std::mem::replace(&mut seen[cell.index()], true) {
            found.push(cell);
            todo.extend(ground.neighbours(cell).map(|(_, to)| to));
        }
    }
    found
}

/// Returns the number of connected components, optionally without one cell.
fn component_count(ground: &Ground, without: Option<Cell>) -> usize {
    let mut seen = vec![false; ground.size().area()];
    let mut count = 0;
    for cell in ground.free_cells().filter(|&cell| Some(cell) != without) {
        if !seen[cell.index()] {
            count += 1;
            for cell in flood_fill(ground, &[cell], |cell| Some(cell) != without) {
                seen[cell.index()] = true;
            }
        }
    }
    count
}

/// Returns true if the map has more components without the cell. (It has one fewer if the cell is a component.)
pub(super) fn is_articulation(ground: &Ground, cell: Cell) -> bool {
    ground.is_free(cell) && component_count(ground, Some(cell)) > component_count(ground, None)
}

/// Returns, per cell, whether it is in a dead end.
pub(super) fn in_dead_end(ground: &Ground) -> Vec<bool> {
    let mut removed = vec![false; ground.size().area()];
    loop {
        let degree = |cell: Cell| ground.neighbours(cell).filter(|(_, to)| !removed[to.index()]).count();
        let Some(cell) = ground.free_cells().find(|&cell| !removed[cell.index()] && degree(cell) <= 1) else {
            return removed;
        };
        removed[cell.index()] = true;
    }
}

/// Returns the cells of all cuts.
pub(super) fn chokepoints(ground: &Ground) -> Vec<Cell> {
    [false, true].into_iter().flat_map(|vertical| cuts(ground, vertical)).collect()
}

fn cuts(ground: &Ground, vertical: bool) -> Vec<Cell> {
    let runs: Vec<StraightRun> =
        ground.free_cells().filter_map(|cell| run_from(ground, cell, vertical)).collect();
    let beside = |a: StraightRun, b: StraightRun| {
        [-1, 1].iter().any(|&side| a.side(side).any(|pos| b.positions().any(|p| p == pos)))
    };
    let is_narrowest = |run: StraightRun| {
        let mut stretch = vec![run];
        let mut next = 0;
        while next < stretch.len() {
            let here = stretch[next];
            for &other in runs.iter().filter(|&&other| beside(here, other)) {
                if other.length < run.length {
                    return false;
                }
                if other.length == run.length && !stretch.contains(&other) {
                    stretch.push(other);
                }
            }
            next += 1;
        }
        true
    };
    let found = runs.iter().filter(|&&run| is_cut(ground, run) && is_narrowest(run));
    found.flat_map(|run| run.positions()).map(|pos| ground.cell(pos).unwrap()).collect()
}

/// Returns the short run that starts at a cell.
fn run_from(ground: &Ground, cell: Cell, vertical: bool) -> Option<StraightRun> {
    let free = |pos: Pos| ground.cell(pos).is_some_and(|cell| ground.is_free(cell));
    let first = ground.pos(cell);
    let at = |along: i32| {
        if vertical { Pos::new(first.x, first.y + along) } else { Pos::new(first.x + along, first.y) }
    };
    let length = (1..=MAX_CUT).find(|&along| !free(at(along)))?;
    (!free(at(-1))).then_some(StraightRun { first, length, vertical })
}

fn is_cut(ground: &Ground, run: StraightRun) -> bool {
    let middle = run.middle();
    let test = |cell: Cell| {
        let pos = ground.pos(cell);
        let near = (pos.x - middle.x).abs() <= WINDOW_RADIUS && (pos.y - middle.y).abs() <= WINDOW_RADIUS;
        near && ground.is_free(cell) && !run.positions().any(|own| own == pos)
    };
    let [one, other] = [-1, 1].map(|beside| {
        let start: Vec<Cell> = run.side(beside).filter_map(|pos| ground.cell(pos)).collect();
        flood_fill(ground, &start, test)
    });
    one.len() >= MIN_SIDE_CELLS as usize
        && other.len() >= MIN_SIDE_CELLS as usize
        && !one.iter().any(|cell| other.contains(cell))
}
