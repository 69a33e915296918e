//! The definitions, as slowly and plainly as they can be computed.

use super::chokepoints::Run;
use super::{MAX_CUT, MIN_SIDE_CELLS, WINDOW_RADIUS};
use crate::{Cell, Ground, Pos};

/// The cells reached from some cells by legal steps through cells that `may` be entered.
fn reached(ground: &Ground, from: &[Cell], may: impl Fn(Cell) -> bool) -> Vec<Cell> {
    let mut seen = vec![false; ground.size().area()];
    let mut found = Vec::new();
    let mut todo = from.to_vec();
    while let Some(cell) = todo.pop() {
        if may(cell) && !std::mem::replace(&mut seen[cell.index()], true) {
            found.push(cell);
            todo.extend(ground.neighbours(cell).map(|(_, to)| to));
        }
    }
    found
}

fn parts(ground: &Ground, without: Option<Cell>) -> usize {
    let mut seen = vec![false; ground.size().area()];
    let mut parts = 0;
    for cell in ground.free_cells().filter(|&cell| Some(cell) != without) {
        if !seen[cell.index()] {
            parts += 1;
            for cell in reached(ground, &[cell], |cell| Some(cell) != without) {
                seen[cell.index()] = true;
            }
        }
    }
    parts
}

/// More parts without the cell than with it; one fewer when the cell was a part of its own.
pub(super) fn is_articulation(ground: &Ground, cell: Cell) -> bool {
    ground.is_free(cell) && parts(ground, Some(cell)) > parts(ground, None)
}

/// Which cells are blind.
pub(super) fn blind(ground: &Ground) -> Vec<bool> {
    let mut gone = vec![false; ground.size().area()];
    loop {
        let degree = |cell: Cell| ground.neighbours(cell).filter(|(_, to)| !gone[to.index()]).count();
        let Some(cell) = ground.free_cells().find(|&cell| !gone[cell.index()] && degree(cell) <= 1) else {
            return gone;
        };
        gone[cell.index()] = true;
    }
}

/// Steps from each cell to the nearest one that is not blind; `None` where all it reaches are.
pub(super) fn depths(ground: &Ground, blind: &[bool]) -> Vec<Option<u16>> {
    let mut depths = vec![None; ground.size().area()];
    let mut ring: Vec<Cell> = ground.free_cells().filter(|cell| !blind[cell.index()]).collect();
    for steps in 0.. {
        ring.retain(|cell| depths[cell.index()].is_none());
        for cell in &ring {
            depths[cell.index()] = Some(steps);
        }
        ring = ring.iter().flat_map(|&cell| ground.neighbours(cell).map(|(_, to)| to)).collect();
        if ring.is_empty() {
            break;
        }
    }
    depths
}

/// The cells of all cuts.
pub(super) fn chokepoints(ground: &Ground) -> Vec<Cell> {
    [false, true].into_iter().flat_map(|upright| cuts(ground, upright)).collect()
}

fn cuts(ground: &Ground, upright: bool) -> Vec<Cell> {
    let runs: Vec<Run> = ground.free_cells().filter_map(|cell| run_from(ground, cell, upright)).collect();
    let beside =
        |a: Run, b: Run| [-1, 1].iter().any(|&side| a.side(side).any(|pos| b.places().any(|p| p == pos)));
    let is_narrowest = |run: Run| {
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
    found.flat_map(|run| run.places()).map(|pos| ground.cell(pos).unwrap()).collect()
}

/// The short run that starts at a cell.
fn run_from(ground: &Ground, cell: Cell, upright: bool) -> Option<Run> {
    let free = |pos: Pos| ground.cell(pos).is_some_and(|cell| ground.is_free(cell));
    let first = ground.pos(cell);
    let at = |along: i32| {
        if upright { Pos::new(first.x, first.y + along) } else { Pos::new(first.x + along, first.y) }
    };
    let length = (1..=MAX_CUT).find(|&along| !free(at(along)))?;
    (!free(at(-1))).then_some(Run { first, length, upright })
}

fn is_cut(ground: &Ground, run: Run) -> bool {
    let middle = run.middle();
    let may = |cell: Cell| {
        let pos = ground.pos(cell);
        let near = (pos.x - middle.x).abs() <= WINDOW_RADIUS && (pos.y - middle.y).abs() <= WINDOW_RADIUS;
        near && ground.is_free(cell) && !run.places().any(|place| place == pos)
    };
    let [one, other] = [-1, 1].map(|beside| {
        let start: Vec<Cell> = run.side(beside).filter_map(|pos| ground.cell(pos)).collect();
        reached(ground, &start, may)
    });
    one.len() >= MIN_SIDE_CELLS as usize
        && other.len() >= MIN_SIDE_CELLS as usize
        && !one.iter().any(|cell| other.contains(cell))
}
