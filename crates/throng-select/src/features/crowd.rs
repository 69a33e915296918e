//! Features of a crowd that need no search: its size, how starts and goals are spread, and how far agents travel.

use throng_grid::{Cell, Ground, Pos};

use super::coarse::octile;
use super::{MapFeatures, Summary, features, ratio, share};

features! {
    /// Features of the starts and goals of all agents.
    CrowdFeatures {
        /// Number of agents.
        agents,
        /// Number of agents relative to the number of free cells.
        agent_density,
        /// Spread of the starts: mean distance to their mean position, in tenths of a cell.
        start_spread,
        /// Spread of the goals.
        goal_spread,
        /// Spread of the starts relative to the longer side of the map.
        start_spread_share,
        /// Spread of the goals relative to the longer side of the map.
        goal_spread_share,
        /// Distance between the mean positions of starts and goals, in tenths of a cell.
        centre_distance,
        /// Area of the smallest rectangle around the starts, relative to the map.
        start_box,
        /// Area of the smallest rectangle around the goals, relative to the map.
        goal_box,
        /// Share of the goals inside of the rectangle around the starts.
        goals_among_starts,
        /// Share of the starts inside of the rectangle around the goals.
        starts_among_goals,
        /// Starts per free cell of their region, mean over agents.
        start_crowding,
        /// Starts per free cell of their region, largest.
        start_crowding_max,
        /// Goals per free cell of their region, mean over agents.
        goal_crowding,
        /// Goals per free cell of their region, largest.
        goal_crowding_max,
        /// Share of the regions with a start or a goal that have both.
        region_overlap,
        /// Octile distance from start to goal, mean, in tenths of a cell.
        octile_mean,
        /// Octile distance, largest.
        octile_max,
        /// Octile distance, 90th percentile.
        octile_p90,
        /// Mean absolute difference of octile distances from their mean, in tenths of a cell.
        octile_deviation,
        /// Sum of octile distances in cells, per free cell and 1/1,000: the load if nobody takes a detour.
        demand,
        /// How much agents travel in one direction: length of the mean of all displacements over the mean length.
        common_direction,
        /// Clearance of the starts, mean, in 1/100 cells.
        start_clearance,
        /// Clearance of the goals, mean, in 1/100 cells.
        goal_clearance,
    }
}

/// Mean position, spread and bounding box of a set of positions.
struct Cloud {
    /// In tenths of a cell.
    mean: Pos,
    /// Mean distance to the mean position, in tenths of a cell.
    spread: u64,
    min: Pos,
    max: Pos,
}

impl Cloud {
    fn of(positions: &[Pos]) -> Self {
        let count = positions.len() as i64;
        let mean = |sum: i64| (10 * sum / count) as i32;
        let at = Pos::new(
            mean(positions.iter().map(|pos| i64::from(pos.x)).sum()),
            mean(positions.iter().map(|pos| i64::from(pos.y)).sum()),
        );
        let distance = |pos: &Pos| Pos::new(10 * pos.x, 10 * pos.y).distance_squared(at).isqrt();
        let bounds = |pick: fn(i32, i32) -> i32| {
            positions
                .iter()
                .copied()
                .reduce(|a, b| Pos::new(pick(a.x, b.x), pick(a.y, b.y)))
                .unwrap_or_default()
        };
        Self {
            mean: at,
            spread: positions.iter().map(distance).sum::<u64>() / count as u64,
            min: bounds(i32::min),
            max: bounds(i32::max),
        }
    }

    fn area(&self) -> u64 {
        (self.max.x - self.min.x + 1) as u64 * (self.max.y - self.min.y + 1) as u64
    }

    fn contains(&self, pos: Pos) -> bool {
        (self.min.x..=self.max.x).contains(&pos.x) && (self.min.y..=self.max.y).contains(&pos.y)
    }
}

/// Agents per free cell of a region, for the regions of all agents: mean over agents and largest, in 1/10,000.
fn crowding(map: &MapFeatures, regions: &[u32]) -> [i32; 2] {
    let mut values: Vec<u32> = Vec::new();
    let mut sum = 0;
    for group in regions.chunk_by(|a, b| a == b) {
        let cells = u64::from(map.graph.regions[group[0] as usize].cells);
        let value = share(group.len() as u64, cells) as u32;
        sum += u64::from(value) * group.len() as u64;
        values.push(value);
    }
    [ratio(sum, regions.len() as u64, 1), Summary::of(&mut values).max]
}

/// Returns the regions of cells in order, each as often as cells are in it.
fn regions(map: &MapFeatures, cells: impl Iterator<Item = Cell>) -> Vec<u32> {
    let mut regions: Vec<u32> = cells.filter_map(|cell| map.graph.region_of(cell)).collect();
    regions.sort_unstable();
    regions
}

/// Returns the share of the regions in either of two ordered lists that are in both.
fn overlap(starts: &[u32], goals: &[u32]) -> i32 {
    let [mut a, mut b] = [starts.to_vec(), goals.to_vec()];
    a.dedup();
    b.dedup();
    let both = a.iter().filter(|region| b.binary_search(region).is_ok()).count();
    share(both as u64, (a.len() + b.len() - both) as u64)
}

impl CrowdFeatures {
    /// Returns the features of a crowd of at least one agent.
    pub(super) fn of(map: &MapFeatures, ground: &Ground, agents: &[(Cell, Cell)]) -> Self {
        let count = agents.len() as u64;
        let (starts, goals): (Vec<Pos>, Vec<Pos>) =
            agents.iter().map(|&(start, goal)| (ground.pos(start), ground.pos(goal))).unzip();
        let clouds = [&starts, &goals].map(|positions| Cloud::of(positions));
        let [start, goal] = &clouds;
        let (size, free) = (ground.size(), map.shape.free_cells as u64);
        let side = u64::from(size.width().max(size.height())) * 10;
        let start_regions = regions(map, agents.iter().map(|agent| agent.0));
        let goal_regions = regions(map, agents.iter().map(|agent| agent.1));
        let [start_crowding, start_crowding_max] = crowding(map, &start_regions);
        let [goal_crowding, goal_crowding_max] = crowding(map, &goal_regions);
        let mut distances: Vec<u32> =
            agents.iter().map(|&(start, goal)| octile(ground, start, goal)).collect();
        let octile = Summary::of(&mut distances);
        let difference = |&distance: &u32| u64::from(distance.abs_diff(octile.mean as u32));
        let total: u64 = distances.iter().map(|&distance| u64::from(distance)).sum();
        let centre_distance = start.mean.distance_squared(goal.mean).isqrt();
        let lines: u64 = starts.iter().zip(&goals).map(|(a, b)| (100 * a.distance_squared(*b)).isqrt()).sum();
        let clearance = |cells: &mut dyn Iterator<Item = Cell>| {
            ratio(cells.map(|cell| u64::from(map.clearance[cell.index()])).sum(), count, 100)
        };
        Self {
            agents: agents.len() as i32,
            agent_density: share(count, free),
            start_spread: start.spread as i32,
            goal_spread: goal.spread as i32,
            start_spread_share: share(start.spread, side),
            goal_spread_share: share(goal.spread, side),
            centre_distance: centre_distance as i32,
            start_box: share(start.area(), size.area() as u64),
            goal_box: share(goal.area(), size.area() as u64),
            goals_among_starts: share(goals.iter().filter(|&&pos| start.contains(pos)).count() as u64, count),
            starts_among_goals: share(starts.iter().filter(|&&pos| goal.contains(pos)).count() as u64, count),
            start_crowding,
            start_crowding_max,
            goal_crowding,
            goal_crowding_max,
            region_overlap: overlap(&start_regions, &goal_regions),
            octile_mean: octile.mean,
            octile_max: octile.max,
            octile_p90: octile.p90,
            octile_deviation: ratio(distances.iter().map(difference).sum(), count, 1),
            demand: ratio(total / 10, free, 1_000),
            common_direction: share(centre_distance * count, lines),
            start_clearance: clearance(&mut agents.iter().map(|agent| agent.0)),
            goal_clearance: clearance(&mut agents.iter().map(|agent| agent.1)),
        }
    }
}
