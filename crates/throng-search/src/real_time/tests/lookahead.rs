//! RTAA*, daRTAA* and LSS-LRTA* with sorted lists instead of heaps and arrays.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use throng_grid::{Cell, Cost, Ground};

use super::for_each_query;
use crate::heuristic::{Heuristic, OctileDistance};
use crate::real_time::{LearningRule, LookaheadRules, LookaheadWalker, Walker};

/// A reached cell.
#[derive(Clone, Copy)]
struct Reached {
    g: Cost,
    parent: Cell,
    /// The number of the push that set `g`.
    pushed: u32,
    is_closed: bool,
}

/// One agent with what it has learned.
struct SlowAgent<'a> {
    ground: &'a Ground,
    initial: BTreeMap<Cell, Cost>,
    h: BTreeMap<Cell, Cost>,
    rules: LookaheadRules,
}

impl SlowAgent<'_> {
    /// Runs A* from a cell. Returns the reached cells, the expanded ones in order, and the one that would be expanded next.
    fn search(&self, at: Cell, to: Cell) -> (BTreeMap<Cell, Reached>, Vec<Cell>, Cell) {
        let start = Reached { g: 0, parent: at, pushed: 0, is_closed: false };
        let (mut reached, mut closed, mut pushes) = (BTreeMap::from([(at, start)]), Vec::new(), 0);
        loop {
            let open = reached.iter().filter(|(_, known)| !known.is_closed);
            let (&first, known) = open
                .min_by_key(|(cell, known)| (known.g + self.h[cell], Reverse(known.g), known.pushed))
                .unwrap();
            if first == to || closed.len() as u64 == self.rules.expansions {
                return (reached, closed, first);
            }
            let g = known.g;
            closed.push(first);
            reached.get_mut(&first).unwrap().is_closed = true;
            for (direction, next) in self.ground.neighbours(first) {
                let g = g + self.ground.cost(first, direction);
                if reached.get(&next).is_none_or(|known| !known.is_closed && g < known.g) {
                    pushes += 1;
                    reached.insert(next, Reached { g, parent: first, pushed: pushes, is_closed: false });
                }
            }
        }
    }

    /// Sets the estimates of the expanded cells.
    fn learn(&mut self, reached: &BTreeMap<Cell, Reached>, closed: &[Cell], first: Cell) {
        if self.rules.learning == LearningRule::Adaptive {
            let f = reached[&first].g + self.h[&first];
            for cell in closed {
                self.h.insert(*cell, f - reached[cell].g);
            }
            return;
        }
        for cell in closed {
            self.h.insert(*cell, Cost::MAX);
        }
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &cell in closed {
                let over =
                    |(direction, next)| self.h[&next].saturating_add(self.ground.cost(cell, direction));
                let least = self.ground.neighbours(cell).map(over).min().unwrap();
                changed |= least < self.h[&cell];
                let least = least.min(self.h[&cell]);
                self.h.insert(cell, least);
            }
        }
    }

    fn walk(&mut self, from: Cell, to: Cell) -> (Vec<Cell>, u64) {
        let (mut at, mut cells, mut expansions) = (from, vec![from], 0);
        while at != to {
            let (reached, closed, first) = self.search(at, to);
            expansions += closed.len() as u64;
            let raised = |cell: &Cell| self.h[cell] - self.initial[cell];
            let mut last = first;
            if self.rules.avoid_depressions && first != to {
                let open = reached.iter().filter(|(_, known)| !known.is_closed);
                let rank = |cell: &Cell| {
                    (raised(cell), reached[cell].g + self.h[cell], Reverse(reached[cell].g), *cell != first)
                };
                // The order of generation decides what is left: the first expanded cell, then the lowest direction.
                let generated = |cell: &Cell| {
                    let beside = closed.iter().enumerate().flat_map(|(place, &near)| {
                        self.ground
                            .neighbours(near)
                            .map(move |(direction, next)| (next, place, direction.number()))
                    });
                    beside.filter(|(next, ..)| next == cell).map(|(_, place, number)| (place, number)).min()
                };
                last = *open.map(|(cell, _)| cell).min_by_key(|cell| (rank(cell), generated(cell))).unwrap();
            }
            let mut path = vec![last];
            while path[path.len() - 1] != at {
                path.push(reached[&path[path.len() - 1]].parent);
            }
            path.pop();
            path.reverse();
            path.truncate(self.rules.moves);
            self.learn(&reached, &closed, first);
            at = path[path.len() - 1];
            cells.extend(path);
        }
        (cells, expansions)
    }
}

#[test]
fn walks_follow_the_slow_versions() {
    let all =
        [(LearningRule::Adaptive, false), (LearningRule::Adaptive, true), (LearningRule::Border, false)];
    let (mut queries, mut longer) = (0, 0);
    for (learning, avoid_depressions) in all {
        for (expansions, moves) in [(1, 1), (6, 3), (25, 32)] {
            let rules = LookaheadRules { expansions, moves, learning, avoid_depressions };
            let mut search = LookaheadWalker::new(rules);
            for_each_query(4, |ground, (from, to)| {
                let mut octile = OctileDistance::to_cell(ground, to);
                let initial: BTreeMap<Cell, Cost> =
                    ground.free_cells().map(|cell| (cell, octile.lower(cell.0))).collect();
                let mut slow = SlowAgent { ground, h: initial.clone(), initial, rules };
                let (expected, expansions) = slow.walk(from, to);
                let mut path = Vec::new();
                let walk = search.walk(ground, (from, to), u64::MAX, |cell| path.push(cell));
                assert_eq!(path, expected, "{rules:?}");
                assert_eq!((walk.arrived, walk.expansions), (true, expansions), "{rules:?}");
                assert_eq!(ground.path_cost(&path).map(u64::from), Some(walk.cost));
                queries += 1;
                longer += u32::from(walk.cost > u64::from(slow.initial[&from]));
            });
        }
    }
    assert!(longer * 3 > queries, "{longer} of {queries} walks go around walls");
}

/// In a depression LSS-LRTA* learns at least what RTAA* learns, so fewer steps lead out; avoiding depressions saves more.
#[test]
fn better_learning_shortens_walks_on_the_whole() {
    let total = |name: &str| {
        let (mut search, mut sum, mut path) = (crate::search(name).unwrap(), 0, Vec::new());
        for_each_query(25, |ground, (from, to)| {
            sum += u64::from(search.find(ground, from, to, &mut path).unwrap().cost.unwrap());
        });
        sum
    };
    let [rtaa, da_rtaa, lss_lrta] =
        ["rtaa", "da-rtaa", "lss-lrta"].map(|name| total(&format!("{name}:expansions=8,moves=8")));
    assert!(lss_lrta < rtaa && da_rtaa < rtaa, "rtaa {rtaa}, da-rtaa {da_rtaa}, lss-lrta {lss_lrta}");
}
