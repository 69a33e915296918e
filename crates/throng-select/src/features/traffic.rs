//! Features of sampled shortest paths over the coarse graph: the error of the heuristic, the work of A*, and the load on
//! regions and borders.
//!
//! Each sampled path stands for `agents / samples` agents. Load is the number of agents that pass a region per free
//! cell, or a border per cell of its width. Contraflow is what passes a border in the weaker of its two directions.

use throng_grid::Cell;
use throng_search::open_list::Heap;
use throng_search::{BestFirst, DenseStore, Status};

use super::coarse::CenterDistance;
use super::{MapFeatures, Summary, features, ratio, sample, share};

/// Largest number of agents whose paths are searched.
pub(super) const SAMPLES: usize = 32;

/// Largest number of expansions of all searches together. It bounds the time on maps where A* expands much.
const MAX_EXPANSIONS: u64 = 3_000;

features! {
    /// Features of sampled coarse paths.
    TrafficFeatures {
        /// Coarse path length, mean, in tenths of a cell.
        path_mean,
        /// Coarse path length, largest.
        path_max,
        /// Coarse path length over octile distance, mean, in 1/1,000: the error of the heuristic.
        error_mean,
        /// Coarse path length over octile distance, 90th percentile.
        error_p90,
        /// Coarse path length over octile distance, largest.
        error_max,
        /// Share of the sampled agents with an error above 1.5.
        detours,
        /// Regions that A* expands on the coarse graph, mean.
        expansions_mean,
        /// Regions that A* expands, 90th percentile.
        expansions_p90,
        /// Cells in the regions that A* expands, mean: an estimate of the work of A* on cells.
        expanded_cells,
        /// Cells in the regions that A* expands, for all agents, in thousands.
        expanded_total,
        /// Expanded regions per region of the path, in 1/1,000.
        expansion_ratio,
        /// Regions on the paths relative to all regions.
        used_regions,
        /// Agents that pass a region per free cell, in 1/1,000, mean over used regions.
        region_load,
        /// Agents that pass a region per free cell, 90th percentile.
        region_load_p90,
        /// Agents that pass a region per free cell, largest.
        region_load_max,
        /// Agents that pass a border per cell of its width, in 1/1,000, mean over used borders.
        border_load,
        /// Agents that pass a border per cell of its width, 90th percentile.
        border_load_p90,
        /// Agents that pass a border per cell of its width, largest.
        border_load_max,
        /// Share of the passages of borders in the weaker direction.
        contraflow,
        /// Passages in the weaker direction per cell of width, in 1/1,000, largest.
        contraflow_max,
        /// Width of the narrowest border on a path, mean over paths, in 1/1,000.
        narrowest_mean,
        /// Width of the narrowest border on any path.
        narrowest_min,
        /// Share of the paths that cross a border of width 1 or 2.
        narrow_paths,
        /// Share of the paths that cross a border of width 1 to 5.
        narrow_paths_5,
    }
}

/// Sampled paths and what was counted along them.
#[derive(Default)]
struct Traffic {
    lengths: Vec<u32>,
    errors: Vec<u32>,
    expansions: Vec<u32>,
    expanded_cells: u64,
    path_regions: u64,
    /// The regions on the paths, one entry per path through a region.
    passed: Vec<u32>,
    /// The borders on the paths, one entry per passage: the smaller and the larger number of the two regions, and whether the
    /// passage leads to the larger one.
    crossed: Vec<(u32, u32, bool)>,
    /// Per path: the width of its narrowest border, if it crosses any.
    narrowest: Vec<u32>,
}

impl Traffic {
    fn sample(map: &MapFeatures, agents: &[(Cell, Cell)]) -> Self {
        let graph = &map.graph;
        let mut traffic = Self::default();
        let mut search: BestFirst<DenseStore, Heap> = BestFirst::default();
        let mut left = MAX_EXPANSIONS;
        for (start, goal) in sample(agents, SAMPLES) {
            let (Some(from), Some(to)) = (graph.region_of(start), graph.region_of(goal)) else { continue };
            let (mut space, mut heuristic) = (graph, CenterDistance { graph, goal: to });
            search.begin(&space);
            search.add_source(from, 0, &mut heuristic);
            let status = search.resume(&mut space, &mut heuristic, |region| region == to, left, &mut ());
            left -= search.expansions();
            if matches!(status, Status::Found(_)) {
                traffic.add(map, &search, from, to);
            }
        }
        traffic.passed.sort_unstable();
        traffic.crossed.sort_unstable();
        traffic
    }

    /// Counts a path that was found.
    fn add(&mut self, map: &MapFeatures, search: &BestFirst<DenseStore, Heap>, from: u32, to: u32) {
        let graph = &map.graph;
        let length = search.node(to).map_or(0, |node| node.g);
        let straight = graph.distance(from, to);
        let error = if straight == 0 { 1_000 } else { ratio(u64::from(length), u64::from(straight), 1_000) };
        self.lengths.push(length);
        self.errors.push(error as u32);
        self.expansions.push(search.expansions() as u32);
        let cells = |&region: &u32| u64::from(graph.regions[region as usize].cells);
        self.expanded_cells += search.closed().iter().map(cells).sum::<u64>();
        let (mut at, mut narrowest) = (to, None);
        self.passed.push(at);
        self.path_regions += 1;
        while let Some(parent) = search.parent(at) {
            if let Some(edge) = graph.edge_between(parent, at) {
                self.crossed.push((parent.min(at), parent.max(at), parent < at));
                let width = graph.edges[edge].width;
                narrowest = Some(narrowest.map_or(width, |least: u32| least.min(width)));
            }
            at = parent;
            self.passed.push(at);
            self.path_regions += 1;
        }
        self.narrowest.extend(narrowest);
    }

    /// Returns the load of every used region, in 1/1,000 agents per cell. Each path stands for `agents / paths` agents.
    fn region_loads(&self, map: &MapFeatures, agents: u64, paths: u64) -> Vec<u32> {
        let load = |paths_through: &[u32]| {
            let cells = u64::from(map.graph.regions[paths_through[0] as usize].cells);
            ratio(paths_through.len() as u64 * agents, paths * cells, 1_000) as u32
        };
        self.passed.chunk_by(|a, b| a == b).map(load).collect()
    }

    /// Returns, for every used border, the load in both directions and in the weaker one, in 1/1,000 agents per cell of
    /// width; and the number of passages in all and in the weaker directions.
    fn border_loads(&self, map: &MapFeatures, agents: u64, paths: u64) -> (Vec<u32>, Vec<u32>, [u64; 2]) {
        let graph = &map.graph;
        let (mut loads, mut against, mut passages) = (Vec::new(), Vec::new(), [0, 0]);
        for passages_of_border in self.crossed.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let (smaller, larger, _) = passages_of_border[0];
            let Some(edge) = graph.edge_between(smaller, larger) else { continue };
            let forth = passages_of_border.iter().filter(|passage| passage.2).count() as u64;
            let back = passages_of_border.len() as u64 - forth;
            let width = u64::from(graph.edges[edge].width);
            let load = |passing: u64| ratio(passing * agents, paths * width, 1_000) as u32;
            loads.push(load(forth + back));
            against.push(load(forth.min(back)));
            passages[0] += forth + back;
            passages[1] += forth.min(back);
        }
        (loads, against, passages)
    }
}

impl TrafficFeatures {
    /// Returns the features of a crowd of at least one agent. All are 0 if no sampled agent can reach its goal.
    pub(super) fn of(map: &MapFeatures, agents: &[(Cell, Cell)]) -> Self {
        let mut traffic = Traffic::sample(map, agents);
        let paths = traffic.lengths.len() as u64;
        if paths == 0 {
            return Self::default();
        }
        let count = agents.len() as u64;
        let detours = traffic.errors.iter().filter(|&&error| error > 1_500).count() as u64;
        let expansions: u64 = traffic.expansions.iter().map(|&count| u64::from(count)).sum();
        let mut region_loads = traffic.region_loads(map, count, paths);
        let used = region_loads.len() as u64;
        let (mut border_loads, mut against, [passages, weaker]) = traffic.border_loads(map, count, paths);
        let lengths = Summary::of(&mut traffic.lengths);
        let errors = Summary::of(&mut traffic.errors);
        let expanded = Summary::of(&mut traffic.expansions);
        let [regions, borders] = [&mut region_loads, &mut border_loads].map(|loads| Summary::of(loads));
        let narrow = |width: u32| traffic.narrowest.iter().filter(|&&least| least <= width).count() as u64;
        let widths: u64 = traffic.narrowest.iter().map(|&least| u64::from(least)).sum();
        Self {
            path_mean: lengths.mean,
            path_max: lengths.max,
            error_mean: errors.mean,
            error_p90: errors.p90,
            error_max: errors.max,
            detours: share(detours, paths),
            expansions_mean: expanded.mean,
            expansions_p90: expanded.p90,
            expanded_cells: ratio(traffic.expanded_cells, paths, 1),
            expanded_total: ratio(traffic.expanded_cells * count, paths * 1_000, 1),
            expansion_ratio: ratio(expansions, traffic.path_regions, 1_000),
            used_regions: share(used, map.graph.regions.len() as u64),
            region_load: regions.mean,
            region_load_p90: regions.p90,
            region_load_max: regions.max,
            border_load: borders.mean,
            border_load_p90: borders.p90,
            border_load_max: borders.max,
            contraflow: share(weaker, passages),
            contraflow_max: Summary::of(&mut against).max,
            narrowest_mean: ratio(widths, traffic.narrowest.len() as u64, 1_000),
            narrowest_min: traffic.narrowest.iter().min().map_or(0, |&least| least as i32),
            narrow_paths: share(narrow(2), paths),
            narrow_paths_5: share(narrow(5), paths),
        }
    }
}
