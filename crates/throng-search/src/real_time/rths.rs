//! Parametrised real-time heuristic search: LRTA* with a lookahead of one and six control parameters.
//!
//! V. Bulitko, *Per-map Algorithm Selection in Real-time Heuristic Search*, AIIDE 2016; Algorithm 1 of D. Sigurdson,
//! *Automatic Algorithm Selection in Videogame Pathfinding*, master's thesis, University of Alberta, 2018. In each step the agent
//! raises the estimate of its cell from those of its neighbours, and moves to the neighbour with the smallest f.
//!
//! What the thesis leaves open: at least one neighbour is learned from, also with `b = 0`; neighbours are sorted by the f of
//! the move rule, without `w_c`; start and goal are never removed; if depression avoidance and removals leave no
//! neighbour, all legal moves remain; ties go to the lowest direction. Estimates are 64-bit floats, because
//! weighted updates grow without a bound, and are limited to 10³⁰⁰.

use throng_grid::{Cell, DirectionSet, Ground, directions};

use super::expendable::is_connected;
use super::{CAP, CappedWalks, REAL_TIME, Walk, Walker};
use crate::heuristic::{Heuristic, OctileDistance};
use crate::registry::SearchInfo;
use crate::spec::{Kind, MILLION, Parameter};

pub(crate) const INFO: SearchInfo = SearchInfo {
    name: "rths",
    summary: "real-time search with a lookahead of one: LRTA* with six control parameters",
    idea: "In each step the agent raises the estimate of its cell to w times the lop of w_c times the cost of the step plus \
           the estimate, over the share b of its neighbours with the smallest f, and moves to the neighbour with the smallest \
           f. With da only the neighbours with the least learning count; with expendable, cells that have been learned and \
           are not needed to connect their neighbours are removed. The defaults are LRTA*. The path is what the agent has \
           walked.",
    reference: "V. Bulitko: Per-map Algorithm Selection in Real-time Heuristic Search. AIIDE 2016; D. Sigurdson: Automatic \
                Algorithm Selection in Videogame Pathfinding. MSc thesis, University of Alberta, 2018, Algorithm 1",
    parameters: &[
        weight("w", "weight of the learned estimate"),
        weight("wc", "weight of the cost of a step in the learned estimate"),
        Parameter {
            name: "b",
            summary: "share of the neighbours that are learned from, at least one",
            kind: Kind::Decimal { min: 0, max: MILLION, default: MILLION },
        },
        Parameter {
            name: "lop",
            summary: "how the values of the neighbours become one",
            kind: Kind::Choice(LearningOperator::NAMES),
        },
        Parameter::switch("da", "avoid depressions: only neighbours with the least learning count"),
        Parameter::switch(
            "expendable",
            "remove learned cells that are not needed to connect their neighbours",
        ),
        CAP,
    ],
    build: |values| {
        let decimal = |name| values.get(name) as f64 / MILLION as f64;
        let named = LearningOperator::NAMES.iter().position(|&name| name == values.choice("lop"));
        let parameters = RthsParameters {
            weight: decimal("w"),
            cost_weight: decimal("wc"),
            beam: decimal("b"),
            operator: named.map_or(LearningOperator::Min, |at| LearningOperator::ALL[at]),
            avoid_depressions: values.is_on("da"),
            expendable: values.is_on("expendable"),
        };
        CappedWalks::boxed(Rths::new(parameters), values.get("cap"))
    },
    ..REAL_TIME
};

const fn weight(name: &'static str, summary: &'static str) -> Parameter {
    Parameter { name, summary, kind: Kind::Decimal { min: MILLION, max: 100 * MILLION, default: MILLION } }
}

/// The largest estimate.
const MAX_ESTIMATE: f64 = 1e300;

/// How the values of several neighbours become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LearningOperator {
    /// The smallest.
    #[default]
    Min,
    /// The mean.
    Avg,
    /// The median; of an even number the mean of the two in the middle.
    Median,
    /// The largest.
    Max,
}

impl LearningOperator {
    /// Their names, in the order of [`LearningOperator::ALL`].
    pub const NAMES: &'static [&'static str] = &["min", "avg", "median", "max"];

    /// All operators.
    pub const ALL: [Self; 4] = [Self::Min, Self::Avg, Self::Median, Self::Max];

    /// Returns the value of at least one value.
    #[inline]
    fn apply(self, values: &[f64]) -> f64 {
        match self {
            Self::Min => values.iter().copied().fold(f64::INFINITY, f64::min),
            Self::Max => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            Self::Avg => values.iter().sum::<f64>() / values.len() as f64,
            Self::Median => {
                let (mut sorted, middle) = ([0.0; 8], values.len() / 2);
                for (value, rank) in values.iter().zip(ranks(values)) {
                    sorted[rank & 7] = *value;
                }
                if values.len() % 2 == 1 {
                    sorted[middle]
                } else {
                    f64::midpoint(sorted[middle - 1], sorted[middle])
                }
            }
        }
    }
}

/// Returns the position of each of at most eight values in their sorted order; equal values keep their order. Every pair is
/// compared once, without a branch that depends on the values.
#[inline]
fn ranks(values: &[f64]) -> [usize; 8] {
    let mut ranks = [0; 8];
    for at in 1..values.len().min(8) {
        let mut rank = 0;
        for before in 0..at {
            let is_after = usize::from(values[before] <= values[at]);
            rank += is_after;
            ranks[before] += 1 - is_after;
        }
        ranks[at] = rank;
    }
    ranks
}

/// The control parameters.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RthsParameters {
    /// Weight of the learned estimate, `w`.
    pub weight: f64,
    /// Weight of the cost of a step in the learned estimate, `w_c`.
    pub cost_weight: f64,
    /// Share of the neighbours that are learned from, `b`.
    pub beam: f64,
    /// How their values become one, `lop`.
    pub operator: LearningOperator,
    /// Whether only neighbours with the least learning are considered, `da`.
    pub avoid_depressions: bool,
    /// Whether cells that are not needed any more are removed, `expendable`.
    pub expendable: bool,
}

impl Default for RthsParameters {
    /// LRTA*.
    fn default() -> Self {
        Self {
            weight: 1.0,
            cost_weight: 1.0,
            beam: 1.0,
            operator: LearningOperator::Min,
            avoid_depressions: false,
            expendable: false,
        }
    }
}

/// What the agent has learned of a cell.
#[derive(Clone, Copy, Debug, Default)]
struct LearnedCell {
    estimate: f64,
    /// The number of the walk that learned it.
    stamp: u32,
    removed: bool,
}

/// The neighbours of a cell, in the order of their directions.
#[derive(Clone, Copy, Debug, Default)]
struct Neighbours {
    count: usize,
    cells: [u32; 8],
    costs: [f64; 8],
    estimates: [f64; 8],
}

impl Neighbours {
    fn f(&self, at: usize) -> f64 {
        self.costs[at] + self.estimates[at]
    }

    fn push(&mut self, cell: u32, cost: f64, estimate: f64) {
        let at = self.count;
        (self.cells[at], self.costs[at], self.estimates[at]) = (cell, cost, estimate);
        self.count += 1;
    }

    /// Keeps the neighbours with the least difference between their estimate and their initial one.
    fn keep_least_learned(&mut self, heuristic: &mut OctileDistance) {
        let learning: [f64; 8] = std::array::from_fn(|at| {
            if at < self.count {
                (self.estimates[at] - f64::from(heuristic.lower(self.cells[at]))).abs()
            } else {
                0.0
            }
        });
        let least = learning[..self.count].iter().copied().fold(f64::INFINITY, f64::min);
        let all = std::mem::take(self);
        for at in (0..all.count).filter(|&at| learning[at] <= least) {
            self.push(all.cells[at], all.costs[at], all.estimates[at]);
        }
    }

    /// Returns the neighbour with the smallest f; the first of several.
    fn best(&self) -> usize {
        (1..self.count).fold(0, |best, at| if self.f(at) < self.f(best) { at } else { best })
    }
}

/// Algorithm 1. Keeps its buffers between walks, which start in O(1).
#[derive(Clone, Debug, Default)]
pub struct Rths {
    parameters: RthsParameters,
    learned: Vec<LearnedCell>,
    stamp: u32,
}

impl Rths {
    /// Creates a search.
    pub fn new(parameters: RthsParameters) -> Self {
        Self { parameters, ..Self::default() }
    }

    /// Replaces the parameters for the next walks. The buffers stay, so that many configurations share them.
    pub fn set_parameters(&mut self, parameters: RthsParameters) {
        self.parameters = parameters;
    }

    /// Forgets what was learned and makes room for the cells of a ground.
    fn begin(&mut self, ground: &Ground) {
        let cells = ground.size().area();
        if self.learned.len() != cells || self.stamp == u32::MAX {
            self.learned.clear();
            self.learned.resize(cells, LearnedCell::default());
            self.stamp = 0;
        }
        self.stamp += 1;
    }

    #[inline]
    fn learned(&self, cell: u32) -> Option<LearnedCell> {
        Some(self.learned[cell as usize]).filter(|learned| learned.stamp == self.stamp)
    }

    /// Returns the neighbours that were not removed, and the directions to them.
    #[inline]
    fn neighbours(
        &self,
        ground: &Ground,
        at: Cell,
        heuristic: &mut OctileDistance,
    ) -> (Neighbours, DirectionSet) {
        let (mut found, mut set) = (Neighbours::default(), 0);
        for direction in directions(ground.moves(at)) {
            let cell = ground.step(at, direction).0;
            let learned = self.learned(cell);
            if learned.is_some_and(|learned| learned.removed) {
                continue;
            }
            set |= direction.bit();
            let estimate =
                learned.map_or_else(|| f64::from(heuristic.lower(cell)), |learned| learned.estimate);
            found.push(cell, f64::from(ground.cost(at, direction)), estimate);
        }
        (found, set)
    }

    /// Returns the value that the neighbours suggest for their common neighbour.
    #[inline]
    fn suggestion(&self, neighbours: &Neighbours) -> f64 {
        let RthsParameters { cost_weight, beam, operator, .. } = self.parameters;
        let count = ((beam * neighbours.count as f64) as usize).clamp(1, neighbours.count);
        let value = |at: usize| cost_weight * neighbours.costs[at] + neighbours.estimates[at];
        if count == 1 {
            return value(neighbours.best());
        }
        let mut values = [0.0; 8];
        if count == neighbours.count {
            for (at, found) in values.iter_mut().enumerate().take(count) {
                *found = value(at);
            }
        } else {
            // In the order of their f, so that the first `count` are those with the smallest.
            let f: [f64; 8] = std::array::from_fn(|at| neighbours.f(at));
            for (at, rank) in ranks(&f[..neighbours.count]).into_iter().enumerate().take(neighbours.count) {
                values[rank & 7] = value(at);
            }
        }
        operator.apply(&values[..count])
    }

    /// Raises the estimate of a cell. Returns whether it rose.
    #[inline]
    fn learn(&mut self, cell: Cell, estimate: f64, neighbours: &Neighbours) -> bool {
        let raised = (self.parameters.weight * self.suggestion(neighbours)).min(MAX_ESTIMATE);
        if raised <= estimate {
            return false;
        }
        let removed = self.learned(cell.0).is_some_and(|learned| learned.removed);
        self.learned[cell.index()] = LearnedCell { estimate: raised, stamp: self.stamp, removed };
        true
    }
}

impl Walker for Rths {
    fn walk(
        &mut self,
        ground: &Ground,
        (from, to): (Cell, Cell),
        max_cost: u64,
        mut visit: impl FnMut(Cell),
    ) -> Walk {
        self.begin(ground);
        let mut heuristic = OctileDistance::to_cell(ground, to);
        let (mut at, mut walk) = (from, Walk::default());
        visit(at);
        while at != to {
            let (mut neighbours, set) = self.neighbours(ground, at, &mut heuristic);
            if neighbours.count == 0 {
                // Everything around was removed, so the agent takes any legal move.
                neighbours = all_neighbours(ground, at, |cell| {
                    self.learned(cell)
                        .map_or_else(|| f64::from(heuristic.lower(cell)), |learned| learned.estimate)
                });
            }
            if neighbours.count == 0 {
                return walk;
            }
            if self.parameters.avoid_depressions {
                neighbours.keep_least_learned(&mut heuristic);
            }
            let estimate = self
                .learned(at.0)
                .map_or_else(|| f64::from(heuristic.lower(at.0)), |learned| learned.estimate);
            let rose = self.learn(at, estimate, &neighbours);
            if self.parameters.expendable && rose && at != from && is_connected(ground, set) {
                self.learned[at.index()].removed = true;
            }
            let best = neighbours.best();
            at = Cell(neighbours.cells[best]);
            walk.cost += neighbours.costs[best] as u64;
            walk.steps += 1;
            walk.expansions += 1;
            visit(at);
            if walk.cost > max_cost {
                return walk;
            }
        }
        walk.arrived = true;
        walk
    }
}

/// Returns all neighbours of a cell.
fn all_neighbours(ground: &Ground, at: Cell, mut estimate: impl FnMut(u32) -> f64) -> Neighbours {
    let mut found = Neighbours::default();
    for (direction, cell) in ground.neighbours(at) {
        found.push(cell.0, f64::from(ground.cost(at, direction)), estimate(cell.0));
    }
    found
}
