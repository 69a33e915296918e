//! Features of single agents: what lies on the line to the goal, and the heuristic depressions on the way.
//!
//! A depression is a part of the map around a local minimum of the heuristic, from which every move leads away from the
//! goal (T. Ishida, *Moving Target Search with Intelligence*, AAAI 1992). A real-time search must fill it by learning
//! before it leaves. A probe measures depressions: it descends the heuristic to a local minimum, leaves by the shortest
//! path to a cell that is nearer to the goal, and repeats. A second probe runs LRTA* (R. Korf, *Real-Time Heuristic
//! Search*, Artificial Intelligence 42, 1990) on the coarse graph.

use throng_grid::{Cell, Direction, DirectionSet, Ground, Pos, directions};
use throng_search::open_list::Heap;
use throng_search::{BestFirst, GridSpace, Heuristic, OctileDistance, SparseStore, Status};

use super::coarse::CoarseGraph;
use super::{MapFeatures, features, ratio, sample, share};

/// Largest number of agents that are examined.
const SAMPLES: usize = 8;

/// Expansions of the probes of all agents together, per direction. They bound the time of the features.
const MAX_EXPANSIONS: u64 = 1_024;

/// Steps of LRTA* on the coarse graph of all agents together, per weight.
const MAX_STEPS: usize = 2_048;

features! {
    /// Features of single agents, means over sampled ones.
    PairFeatures {
        /// Share of the cells on the straight line to the goal that are blocked.
        line_blocked,
        /// Number of obstacles on the straight line, in 1/1,000.
        line_obstacles,
        /// Mean clearance of the free cells on the straight line, in 1/100 cells.
        line_clearance,
        /// Share of the distance that greedy descent covers before the first local minimum.
        first_descent,
        /// Number of local minima on the way to the goal, in 1/1,000.
        minima,
        /// Cells that A* expands to leave the local minima, in all.
        depression_cells,
        /// Cells that A* expands to leave the worst local minimum.
        depression_max,
        /// Length of descents and escapes over the octile distance, in 1/1,000.
        probe_length,
        /// Share of the probes that reached the goal within their limit.
        probe_arrived,
        /// Share of the distance that greedy descent from the goal to the start covers.
        back_first_descent,
        /// Number of local minima on the way from the goal to the start, in 1/1,000.
        back_minima,
        /// Cells that A* expands to leave the local minima on the way back.
        back_depression_cells,
        /// Cells that A* expands to leave the worst local minimum on the way back.
        back_depression_max,
        /// Length of descents and escapes on the way back over the octile distance, in 1/1,000.
        back_probe_length,
        /// Steps of LRTA* on the coarse graph per region of octile distance, in 1/1,000.
        coarse_lrta,
        /// Steps of LRTA* with weight 3 on the coarse graph per region of octile distance, in 1/1,000.
        coarse_lrta_3,
    }
}

/// What a straight line crosses.
#[derive(Default)]
struct Line {
    cells: u64,
    blocked: u64,
    obstacles: u64,
    clearance: u64,
}

impl Line {
    /// Adds the cells between two positions, both included.
    fn add(&mut self, map: &MapFeatures, ground: &Ground, from: Pos, to: Pos) {
        let steps = (to.x - from.x).abs().max((to.y - from.y).abs()).max(1);
        let along = |a: i32, b: i32, step: i32| a + (2 * (b - a) * step + steps).div_euclid(2 * steps);
        let mut inside = false;
        for step in 0..=steps {
            let Some(cell) = ground.cell(Pos::new(along(from.x, to.x, step), along(from.y, to.y, step)))
            else {
                continue;
            };
            let clearance = map.clearance[cell.index()];
            self.cells += 1;
            self.clearance += u64::from(clearance);
            self.blocked += u64::from(clearance == 0);
            self.obstacles += u64::from(clearance == 0 && !inside);
            inside = clearance == 0;
        }
    }
}

/// What a probe met on its way.
#[derive(Clone, Copy, Default)]
struct Probe {
    /// Share of the distance that the first descent covered, in 1/10,000.
    first_descent: u64,
    minima: u64,
    cells: u64,
    largest: u64,
    /// Length over octile distance, in 1/1,000.
    length: u64,
    arrived: bool,
}

impl Probe {
    /// Walks from a cell to another: descends the heuristic, and leaves each local minimum by the shortest path.
    fn walk(
        search: &mut BestFirst<SparseStore, Heap>,
        ground: &Ground,
        (from, to): (Cell, Cell),
        limit: u64,
    ) -> Self {
        let mut heuristic = OctileDistance::to_cell(ground, to);
        let distance = heuristic.lower(from.0);
        let mut probe = Self { first_descent: 10_000, length: 1_000, arrived: true, ..Self::default() };
        let (mut at, mut length) = (from, 0_u64);
        while at != to {
            let (lowest, descended) = descend(ground, (at, to), heuristic);
            let least = heuristic.lower(lowest.0);
            length += descended;
            at = lowest;
            if probe.minima == 0 {
                probe.first_descent = share(u64::from(distance - least), u64::from(distance)) as u64;
            }
            if at == to {
                break;
            }
            probe.minima += 1;
            let mut space = GridSpace::new(ground);
            search.begin(&space);
            search.add_source(at.0, 0, &mut heuristic);
            let nearer = |node| { heuristic }.lower(node) < least;
            let left = limit.saturating_sub(probe.cells);
            let status = search.resume(&mut space, &mut { heuristic }, nearer, left, &mut ());
            probe.cells += search.expansions();
            probe.largest = probe.largest.max(search.expansions());
            let Status::Found(exit) = status else {
                probe.arrived = false;
                break;
            };
            length += search.node(exit).map_or(0, |node| u64::from(node.g));
            at = Cell(exit);
        }
        if distance > 0 {
            let rest = u64::from(heuristic.lower(at.0));
            probe.length = ratio(length + rest, u64::from(distance), 1_000) as u64;
        }
        probe
    }
}

/// Moves to the neighbour with the smallest heuristic until no neighbour's is smaller; of several such neighbours, to the one
/// of the first direction. Returns the cell and the cost.
fn descend(ground: &Ground, (from, to): (Cell, Cell), mut heuristic: OctileDistance) -> (Cell, u64) {
    let goal = ground.pos(to);
    let (mut at, mut pos, mut cost) = (from, ground.pos(from), 0);
    loop {
        // The step that brings every coordinate nearer lowers the octile distance more than any other step. If it is legal, no
        // other has to be compared.
        let step = Pos::new((goal.x - pos.x).signum(), (goal.y - pos.y).signum());
        let Some(direct) = Direction::between(Pos::new(0, 0), step) else { return (at, cost) };
        let direction = if ground.moves(at) & direct.bit() != 0 {
            direct
        } else {
            // Steps in other directions than these never lower the distance.
            let near = [-2, -1, 1, 2].into_iter().fold(0, |near, turn| near | direct.turned(turn).bit());
            match lowest_neighbour(ground, at, near, heuristic) {
                Some((direction, lowest)) if heuristic.lower(lowest.0) < heuristic.lower(at.0) => direction,
                _ => return (at, cost),
            }
        };
        cost += u64::from(ground.cost(at, direction));
        (at, pos) = (ground.step(at, direction), pos + direction);
    }
}

/// Returns the neighbour in some directions with the smallest heuristic, the first of several, and its direction.
fn lowest_neighbour(
    ground: &Ground,
    at: Cell,
    among: DirectionSet,
    mut heuristic: OctileDistance,
) -> Option<(Direction, Cell)> {
    let neighbour = |direction| (direction, ground.step(at, direction));
    directions(ground.moves(at) & among).map(neighbour).min_by_key(|&(_, to)| heuristic.lower(to.0))
}

/// The estimates of LRTA* on the coarse graph, reused between walks.
#[derive(Default)]
struct Estimates {
    /// Per region: the learned distance to the goal's region, at least that on an empty map; 0 before the first visit.
    learned: Vec<u32>,
    /// The regions with an estimate.
    visited: Vec<u32>,
}

impl Estimates {
    fn clear(&mut self, regions: usize) {
        for region in self.visited.drain(..) {
            self.learned[region as usize] = 0;
        }
        self.learned.resize(regions, 0);
    }

    fn of(&mut self, graph: &CoarseGraph, region: u32, goal: u32) -> u32 {
        let known = self.learned[region as usize];
        if known > 0 {
            return known;
        }
        let distance = graph.distance(region, goal);
        self.raise(region, distance);
        distance
    }

    fn raise(&mut self, region: u32, value: u32) {
        self.visited.push(region);
        self.learned[region as usize] = value;
    }
}

/// Returns the number of steps of LRTA* with lookahead 1 between two regions, at most `limit`. The learning rule weights the
/// costs of moves.
fn lrta_steps(
    graph: &CoarseGraph,
    estimates: &mut Estimates,
    (from, to): (u32, u32),
    weight: u32,
    limit: usize,
) -> usize {
    estimates.clear(graph.regions.len());
    let mut at = from;
    for step in 0..limit {
        if at == to {
            return step;
        }
        // Moves minimise the unweighted sum, learning the weighted one.
        let (mut next, mut least) = (None, u32::MAX);
        for edge in &graph.edges[graph.edges_of(at)] {
            let beyond = estimates.of(graph, edge.to, to);
            let sum = beyond.saturating_add(edge.length);
            if next.is_none_or(|(smallest, _)| sum < smallest) {
                next = Some((sum, edge.to));
            }
            least = least.min(beyond.saturating_add(weight.saturating_mul(edge.length)));
        }
        let Some((_, next)) = next else { break };
        let raised = estimates.of(graph, at, to).max(least);
        estimates.raise(at, raised);
        at = next;
    }
    limit
}

impl PairFeatures {
    /// Returns the features of a crowd of at least one agent.
    pub(super) fn of(map: &MapFeatures, ground: &Ground, agents: &[(Cell, Cell)]) -> Self {
        let samples = agents.len().min(SAMPLES);
        let limit = MAX_EXPANSIONS / samples as u64;
        let mut line = Line::default();
        let mut search = BestFirst::default();
        let mut estimates = Estimates::default();
        let mut probes = [Vec::new(), Vec::new()];
        let mut lrta = [0, 0];
        for (start, goal) in sample(agents, samples) {
            line.add(map, ground, ground.pos(start), ground.pos(goal));
            for (list, ends) in probes.iter_mut().zip([(start, goal), (goal, start)]) {
                list.push(Probe::walk(&mut search, ground, ends, limit));
            }
            let (Some(from), Some(to)) = (map.graph.region_of(start), map.graph.region_of(goal)) else {
                continue;
            };
            // The side of a square in tenths of a cell.
            let regions = u64::from(map.graph.distance(from, to) / 160).max(1);
            for (sum, weight) in lrta.iter_mut().zip([1, 3]) {
                let steps = lrta_steps(&map.graph, &mut estimates, (from, to), weight, MAX_STEPS / samples);
                *sum += steps as u64 * 1_000 / regions;
            }
        }
        let count = samples as u64;
        let mean =
            |list: &[Probe], value: fn(&Probe) -> u64, unit| ratio(list.iter().map(value).sum(), count, unit);
        let [forth, back] = &probes;
        Self {
            line_blocked: share(line.blocked, line.cells),
            line_obstacles: ratio(line.obstacles, count, 1_000),
            line_clearance: ratio(line.clearance, line.cells - line.blocked, 100),
            first_descent: mean(forth, |probe| probe.first_descent, 1),
            minima: mean(forth, |probe| probe.minima, 1_000),
            depression_cells: mean(forth, |probe| probe.cells, 1),
            depression_max: mean(forth, |probe| probe.largest, 1),
            probe_length: mean(forth, |probe| probe.length, 1),
            probe_arrived: share(forth.iter().filter(|probe| probe.arrived).count() as u64, count),
            back_first_descent: mean(back, |probe| probe.first_descent, 1),
            back_minima: mean(back, |probe| probe.minima, 1_000),
            back_depression_cells: mean(back, |probe| probe.cells, 1),
            back_depression_max: mean(back, |probe| probe.largest, 1),
            back_probe_length: mean(back, |probe| probe.length, 1),
            coarse_lrta: ratio(lrta[0], count, 1),
            coarse_lrta_3: ratio(lrta[1], count, 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::tests::random_grids;

    /// Compares every neighbour at every step.
    fn slow_descent(ground: &Ground, from: Cell, mut heuristic: OctileDistance) -> (Cell, u64) {
        let (mut at, mut cost) = (from, 0);
        while let Some((direction, to)) = lowest_neighbour(ground, at, DirectionSet::MAX, heuristic) {
            if heuristic.lower(to.0) >= heuristic.lower(at.0) {
                break;
            }
            (at, cost) = (to, cost + u64::from(ground.cost(at, direction)));
        }
        (at, cost)
    }

    #[test]
    fn descents_compare_no_more_than_they_must() {
        for (name, grid) in random_grids() {
            let ground = grid.ground();
            let cells: Vec<Cell> = ground.free_cells().collect();
            for (i, &from) in cells.iter().enumerate().step_by(7) {
                let to = cells[i * 31 % cells.len()];
                let heuristic = OctileDistance::to_cell(ground, to);
                let found = descend(ground, (from, to), heuristic);
                assert_eq!(found, slow_descent(ground, from, heuristic), "{name}: {from:?} to {to:?}");
            }
        }
    }
}
