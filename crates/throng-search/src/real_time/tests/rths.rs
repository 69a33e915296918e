//! Algorithm 1 of the thesis with maps instead of arrays.

use std::collections::{BTreeMap, BTreeSet};

use throng_grid::{Cell, Corners, Direction, Grid, Ground, MoveRules, Pos, Profile, Tiles, random_queries};

use super::for_each_query;
use crate::heuristic::{Heuristic, OctileDistance};
use crate::real_time::{LearningOperator, Rths, RthsParameters, Walker};

/// Algorithm 1, line by line, with maps instead of arrays.
fn slow_walk(
    ground: &Ground,
    parameters: RthsParameters,
    (from, to): (Cell, Cell),
    max_cost: u64,
) -> Vec<Cell> {
    let mut octile = OctileDistance::to_cell(ground, to);
    let mut h: BTreeMap<Cell, f64> =
        ground.free_cells().map(|cell| (cell, f64::from(octile.lower(cell.0)))).collect();
    let initial = h.clone();
    let mut removed = BTreeSet::new();
    let (mut at, mut path, mut cost) = (from, vec![from], 0);
    while at != to && cost <= max_cost {
        let all: Vec<(Direction, Cell)> = ground.neighbours(at).collect();
        let left: Vec<_> = all.iter().copied().filter(|(_, cell)| !removed.contains(cell)).collect();
        let set = left.iter().fold(0, |set, (direction, _)| set | direction.bit());
        let mut near = if left.is_empty() { all } else { left };
        let step = |direction: Direction| f64::from(ground.cost(at, direction));
        if parameters.avoid_depressions {
            let learning = |cell: &Cell| (h[cell] - initial[cell]).abs();
            let least = near.iter().map(|(_, cell)| learning(cell)).fold(f64::INFINITY, f64::min);
            near.retain(|(_, cell)| learning(cell) <= least);
        }
        let f = |&(direction, cell): &(Direction, Cell)| step(direction) + h[&cell];
        let mut sorted = near.clone();
        sorted.sort_by(|a, b| f(a).total_cmp(&f(b)));
        sorted.truncate(((parameters.beam * near.len() as f64) as usize).max(1));
        let mut values: Vec<f64> = sorted
            .iter()
            .map(|&(direction, cell)| parameters.cost_weight * step(direction) + h[&cell])
            .collect();
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        let value = match parameters.operator {
            LearningOperator::Min => values[0],
            LearningOperator::Max => *values.last().unwrap(),
            LearningOperator::Avg => mean_in_pairs(&sorted, |&(direction, cell)| {
                parameters.cost_weight * step(direction) + h[&cell]
            }),
            LearningOperator::Median if values.len() % 2 == 1 => values[middle],
            LearningOperator::Median => f64::midpoint(values[middle - 1], values[middle]),
        };
        let &(direction, next) =
            near.iter().reduce(|best, other| if f(other) < f(best) { other } else { best }).unwrap();
        let raised = parameters.weight * value;
        if raised > h[&at] {
            h.insert(at, raised);
            if parameters.expendable && at != from && neighbours_stay_connected(ground, at, set) {
                removed.insert(at);
                if removed.len() % 8 == 1 {
                    assert!(is_reachable(ground, (next, to), &removed), "{parameters:?}");
                }
            }
        }
        cost += u64::from(ground.cost(at, direction));
        at = next;
        path.push(at);
    }
    path
}

/// Returns the mean of the values, added in pairs in the order of the directions.
fn mean_in_pairs(near: &[(Direction, Cell)], value: impl Fn(&(Direction, Cell)) -> f64) -> f64 {
    let at = |number: usize| near.iter().find(|(d, _)| *d as usize == number).map_or(0.0, &value);
    let pair = |first: usize| at(first) + at(first + 1);
    ((pair(0) + pair(2)) + (pair(4) + pair(6))) / near.len() as f64
}

/// Returns true if a path leads from one cell to another around the removed ones.
fn is_reachable(ground: &Ground, (from, to): (Cell, Cell), removed: &BTreeSet<Cell>) -> bool {
    let mut seen = vec![false; ground.size().area()];
    let mut queue = std::collections::VecDeque::from([from]);
    while let Some(cell) = queue.pop_front() {
        if cell == to {
            return true;
        }
        for (_, next) in ground.neighbours(cell) {
            if !removed.contains(&next) && !std::mem::replace(&mut seen[next.index()], true) {
                queue.push_back(next);
            }
        }
    }
    false
}

/// Connects the neighbours of a cell by legal moves among them. A removed cell counts as a wall, also beside a diagonal move.
fn neighbours_stay_connected(ground: &Ground, at: Cell, set: u8) -> bool {
    let near: BTreeSet<Cell> =
        throng_grid::directions(set).map(|direction| ground.step(at, direction)).collect();
    let Some(&first) = near.first() else { return false };
    let (mut reached, mut open) = (BTreeSet::from([first]), vec![first]);
    while let Some(cell) = open.pop() {
        for (direction, next) in ground.neighbours(cell) {
            let passes = !direction.is_diagonal() || ground.rules().corners == Corners::Allow;
            if passes && near.contains(&next) && reached.insert(next) {
                open.push(next);
            }
        }
    }
    reached == near
}

fn configurations() -> Vec<RthsParameters> {
    let mut all = Vec::new();
    for (number, operator) in LearningOperator::ALL.into_iter().enumerate() {
        for (avoid_depressions, expendable) in [(false, false), (true, false), (false, true), (true, true)] {
            for (weight, cost_weight, beam) in
                [(1.0, 1.0, 1.0), (2.5, 1.0, 0.0), (1.0, 4.0, 0.5), (7.0, 2.0, 0.3)]
            {
                let beam = if number == 0 { 1.0 } else { beam };
                all.push(RthsParameters {
                    weight,
                    cost_weight,
                    beam,
                    operator,
                    avoid_depressions,
                    expendable,
                });
            }
        }
    }
    all
}

/// Compares a walk with that of the slow version.
fn check(search: &mut Rths, parameters: RthsParameters, ground: &Ground, (from, to): (Cell, Cell)) {
    let mut path = Vec::new();
    let walk = search.walk(ground, (from, to), 300_000, |cell| path.push(cell));
    assert_eq!(path, slow_walk(ground, parameters, (from, to), 300_000), "{parameters:?}");
    assert_eq!(walk.steps as usize, path.len() - 1);
    assert_eq!(ground.path_cost(&path).map(u64::from), Some(walk.cost));
    assert_eq!(walk.arrived, path.last() == Some(&to) && walk.cost <= 300_000);
}

#[test]
fn walks_follow_algorithm_1() {
    for parameters in configurations() {
        let mut search = Rths::new(parameters);
        for_each_query(4, |ground, ends| check(&mut search, parameters, ground, ends));
    }
}

#[test]
fn walks_follow_algorithm_1_with_four_directions_and_costly_terrain() {
    let four_way = MoveRules { four_way: true, ..MoveRules::default() };
    let costly = Profile::from_halves([2, 2, 7, 0, 0, 0, 0]).unwrap();
    let swamps = "...SSS..
                  .@.SS@..
                  .@....SS
                  ...SS@..";
    let grids = [
        Grid::new(throng_grid::builtin::builtin("rooms").unwrap(), four_way),
        Grid::with_profile(Tiles::picture(swamps), MoveRules::default(), costly),
        Grid::with_profile(Tiles::picture(swamps), four_way, costly),
    ];
    for parameters in configurations() {
        let mut search = Rths::new(parameters);
        for grid in &grids {
            for ends in random_queries(grid.ground(), 4, 5) {
                check(&mut search, parameters, grid.ground(), ends);
            }
        }
    }
}

/// LRTA* on a corridor with a dead end: the first walk goes into the dead end and comes back.
#[test]
fn an_agent_leaves_a_dead_end_by_learning() {
    let grid = Grid::new(
        Tiles::picture(
            "......
             .@@@@.
             .....@
             .@@@@.
             ......",
        ),
        MoveRules::default(),
    );
    let ground = grid.ground();
    let (from, to) = (grid.cell(Pos::new(0, 2)).unwrap(), grid.cell(Pos::new(5, 3)).unwrap());
    let mut path = Vec::new();
    let walk = Rths::default().walk(ground, (from, to), 1_000_000, |cell| path.push(cell));
    assert!(walk.arrived);
    let dead_end = grid.cell(Pos::new(4, 2)).unwrap();
    assert!(path.contains(&dead_end), "the dead end looks nearer");
    let mut weighted = Rths::new(RthsParameters { weight: 5.0, ..RthsParameters::default() });
    assert!(
        weighted.walk(ground, (from, to), 1_000_000, |_| {}).cost <= walk.cost,
        "a large weight leaves it sooner"
    );
}

#[test]
fn what_one_walk_learned_does_not_change_the_next() {
    let grid = Grid::new(throng_grid::builtin::builtin("rooms").unwrap(), MoveRules::default());
    let mut kept = Rths::default();
    for &ends in &random_queries(grid.ground(), 5, 9) {
        // Walks to the same goal share estimates, also those of other configurations.
        for parameters in configurations() {
            kept.set_parameters(parameters);
            let mut paths = [Vec::new(), Vec::new()];
            kept.walk(grid.ground(), ends, 500_000, |cell| paths[0].push(cell));
            Rths::new(parameters).walk(grid.ground(), ends, 500_000, |cell| paths[1].push(cell));
            assert_eq!(paths[0], paths[1], "{parameters:?}");
        }
    }
}

#[test]
fn a_walk_beyond_its_cap_is_no_path() {
    let grid = Grid::new(throng_grid::builtin::builtin("rooms").unwrap(), MoveRules::default());
    let mut capped = crate::search("rths:cap=1").unwrap();
    let mut found = 0;
    for (from, to) in random_queries(grid.ground(), 20, 2) {
        let mut path = Vec::new();
        let result = capped.find(grid.ground(), from, to, &mut path).unwrap();
        assert_eq!(result.cost.is_none(), capped.caveat().is_some());
        found += usize::from(result.cost.is_some());
    }
    assert!((1..20).contains(&found), "{found} of 20 walks are shortest paths");
}
