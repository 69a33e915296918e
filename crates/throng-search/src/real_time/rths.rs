//! Parametrised real-time heuristic search: LRTA* with a lookahead of one and six control parameters.
//!
//! V. Bulitko, *Per-map Algorithm Selection in Real-time Heuristic Search*, AIIDE 2016; Algorithm 1 of D. Sigurdson,
//! *Automatic Algorithm Selection in Videogame Pathfinding*, master's thesis, University of Alberta, 2018. In each step the agent
//! raises the estimate of its cell from those of its neighbours, and moves to the neighbour with the smallest f.
//!
//! What the thesis leaves open: at least one neighbour is learned from, also with `b = 0`; neighbours are sorted by the f of
//! the move rule, without `w_c`; start and goal are never removed; if depression avoidance and removals leave no
//! neighbour, all legal moves remain; ties go to the lowest direction. Estimates are 64-bit floats, because
//! weighted updates grow without a bound, and are limited to 10³⁰⁰. Values are added in pairs, in the order of the directions.

use throng_grid::{Cell, Cost, Direction, DirectionSet, Ground, Pos, directions};

use super::estimates::Estimates;
use super::expendable::is_connected;
use super::lanes::{self, Lanes, first_smallest, largest, smallest, sum};
use super::{CAP, CappedWalks, REAL_TIME, Walk, WalkTrace, Walker};
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

    /// Returns the value of the first `count` lanes by rank, at least one.
    #[inline]
    fn apply(self, values: &Lanes, ranks: &[usize; 8], count: usize) -> f64 {
        let or = |neutral: f64| -> Lanes {
            std::array::from_fn(|at| if ranks[at] < count { values[at] } else { neutral })
        };
        match self {
            Self::Min => smallest(&or(f64::INFINITY)),
            Self::Max => largest(&or(f64::NEG_INFINITY)),
            Self::Avg => sum(&or(0.0)) / count as f64,
            Self::Median => {
                let (values, mut sorted) = (or(f64::INFINITY), [0.0; 8]);
                for (value, rank) in values.iter().zip(lanes::ranks(&values)) {
                    sorted[rank & 7] = *value;
                }
                f64::midpoint(sorted[((count - 1) / 2) & 7], sorted[(count / 2) & 7])
            }
        }
    }
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

/// The costs of the moves out of a cell by the set of legal moves, where all terrain costs the same. What is not in the set
/// is infinitely far.
#[derive(Clone, Debug)]
struct MoveCosts {
    straight_and_diagonal: [Cost; 2],
    by_set: Box<[Lanes; 256]>,
}

impl Default for MoveCosts {
    fn default() -> Self {
        Self { straight_and_diagonal: [0; 2], by_set: Box::new([[f64::INFINITY; 8]; 256]) }
    }
}

impl MoveCosts {
    fn begin(&mut self, ground: &Ground) {
        let costs = ground.profile().min_step_costs();
        if self.straight_and_diagonal == costs {
            return;
        }
        self.straight_and_diagonal = costs;
        for (set, lanes) in self.by_set.iter_mut().enumerate() {
            for direction in directions(set as DirectionSet) {
                lanes[direction as usize] = f64::from(costs[usize::from(direction.is_diagonal())]);
            }
        }
    }

    /// Returns the costs of the moves of a set.
    #[inline]
    fn of(&self, ground: &Ground, at: Cell, set: DirectionSet) -> Lanes {
        if ground.halves().is_empty() {
            return self.by_set[usize::from(set)];
        }
        let mut lanes = [f64::INFINITY; 8];
        for direction in directions(set) {
            lanes[direction as usize] = f64::from(ground.cost(at, direction));
        }
        lanes
    }
}

/// Algorithm 1. Keeps its buffers between walks.
#[derive(Clone, Debug, Default)]
pub struct Rths {
    parameters: RthsParameters,
    estimates: Estimates,
    costs: MoveCosts,
    trace: WalkTrace,
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

    /// Returns the directions with the least learning.
    #[inline]
    fn least_learned(&self, at: Cell, set: DirectionSet) -> DirectionSet {
        let raised = self.estimates.raised_around(at);
        let learning: Lanes =
            std::array::from_fn(|lane| if set >> lane & 1 == 1 { raised[lane] } else { f64::INFINITY });
        let least = smallest(&learning);
        (0..8).fold(0, |kept, lane| kept | u8::from(learning[lane] <= least) << lane)
    }

    /// Returns the value that the neighbours suggest for their common neighbour.
    #[inline]
    fn suggestion(&self, neighbours: &Neighbours, count: usize) -> f64 {
        let RthsParameters { cost_weight, operator, .. } = self.parameters;
        let Neighbours { costs, estimates, f, best } = neighbours;
        if count == 1 {
            return cost_weight * costs[*best] + estimates[*best];
        }
        let values: Lanes = std::array::from_fn(|at| cost_weight * costs[at] + estimates[at]);
        operator.apply(&values, &lanes::ranks(f), count)
    }
}

/// The neighbours of a cell that are considered. The others are infinitely far.
struct Neighbours {
    costs: Lanes,
    estimates: Lanes,
    f: Lanes,
    /// The first with the smallest f.
    best: usize,
}

impl Walker for Rths {
    fn walk(
        &mut self,
        ground: &Ground,
        (from, to): (Cell, Cell),
        max_cost: u64,
        mut visit: impl FnMut(Cell),
    ) -> Walk {
        self.estimates.begin(ground, to);
        self.costs.begin(ground);
        let RthsParameters { weight, beam, avoid_depressions, expendable, .. } = self.parameters;
        // How many neighbours are learned from, by the number of all.
        let counts: [usize; 9] =
            std::array::from_fn(|all| ((beam * all as f64) as usize).clamp(all.min(1), all));
        let (mut at, mut pos, mut walk) = (from, ground.pos(from), Walk::default());
        self.trace.begin(at);
        visit(at);
        while at != to {
            self.trace.expand(&[at.0]);
            self.estimates.enter(pos);
            let legal = ground.moves(at);
            let left = legal & !self.estimates.removed_around(at);
            // If everything around was removed, the agent takes any legal move.
            let mut set = if left == 0 { legal } else { left };
            if set == 0 {
                break;
            }
            if avoid_depressions {
                set = self.least_learned(at, set);
            }
            let (costs, estimates) = (self.costs.of(ground, at, set), self.estimates.around(at));
            let f: Lanes = std::array::from_fn(|lane| costs[lane] + estimates[lane]);
            let best = first_smallest(&f);
            let neighbours = Neighbours { costs, estimates, f, best };
            let count = counts[set.count_ones() as usize];
            let suggested = self.suggestion(&neighbours, count);
            let raised = (weight * suggested).min(MAX_ESTIMATE);
            if raised > self.estimates.get(at) {
                self.estimates.raise(at, raised);
                if self.trace.is_on() {
                    self.trace.raise(at, self.estimates.increment(at) as Cost);
                }
                if expendable && at != from && is_connected(ground, left) {
                    self.estimates.remove(ground, at);
                }
            }
            let direction = Direction::from_number(best as u8);
            at = ground.step(at, direction);
            pos = Pos::new(pos.x + direction.dx(), pos.y + direction.dy());
            walk.cost += costs[best] as u64;
            walk.steps += 1;
            self.trace.visit(at);
            self.trace.end_turn();
            visit(at);
            if walk.cost > max_cost {
                break;
            }
        }
        walk.arrived = at == to && walk.cost <= max_cost;
        walk.expansions = walk.steps;
        walk
    }

    fn trace(&self) -> &WalkTrace {
        &self.trace
    }

    fn set_tracing(&mut self, on: bool) {
        self.trace.set_on(on);
    }
}
