//! Features of the coarse graph: widths of borders, articulation regions, and distances from landmarks.
//!
//! Landmarks are regions far from each other. Their shortest-path trees over the coarse graph give the map's diameter,
//! the error of the heuristic on long paths, and how many cells each border leads to: a narrow border on the way to
//! many cells is where a crowd jams.

use throng_search::open_list::Heap;
use throng_search::{BestFirst, Blind, DenseStore};

use super::coarse::CoarseGraph;
use super::{Summary, features, ratio, share};

features! {
    /// Features of the coarse graph.
    CoarseFeatures {
        /// Number of regions of the coarse graph.
        regions,
        /// Mean number of borders per region, in 1/1,000.
        region_degree,
        /// Mean number of cells per region.
        region_cells,
        /// Mean width of borders, in 1/1,000 cells.
        border_width,
        /// Share of the borders that are 1 or 2 cells wide.
        borders_2,
        /// Share of the borders that are 3 to 5 cells wide.
        borders_5,
        /// Share of the free cells in regions whose removal splits the coarse graph.
        articulation_regions,
        /// Longest distance found between two landmarks, in tenths of a cell.
        diameter,
        /// Mean distance between a landmark and a free cell, in tenths of a cell.
        distance_mean,
        /// Coarse distance over octile distance between landmarks and free cells, mean, in 1/1,000.
        map_error_mean,
        /// Coarse distance over octile distance, 90th percentile over regions, in 1/1,000.
        map_error_p90,
        /// Cells beyond a border per cell of its width, mean over the borders of the shortest-path trees.
        bottleneck_mean,
        /// Cells beyond a border per cell of its width, 90th percentile.
        bottleneck_p90,
        /// Cells beyond a border per cell of its width, largest.
        bottleneck_max,
        /// Share of the cells that lie beyond the narrowest of the borders that a path from a landmark crosses, if that is 1 or 2 cells wide.
        behind_narrow,
    }
}

/// Number of landmarks.
const LANDMARKS: usize = 6;

/// Shortest-path trees from landmarks, one at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct Landmarks {
    search: BestFirst<DenseStore, Heap>,
    /// Number of trees; the first one only finds the first landmark.
    trees: usize,
    next: Option<u32>,
    /// Per region: the smallest distance to a landmark.
    nearest: Vec<u32>,
    diameter: u32,
    /// Sums over free cells: number, distance, and error in 1/1,000.
    sums: [u64; 3],
    /// Per landmark and region: the error in 1/1,000.
    errors: Vec<u32>,
    /// Per tree edge: the cells beyond it per cell of its width.
    bottlenecks: Vec<u32>,
    /// Number of cells beyond narrow borders.
    behind_narrow: u64,
    /// Per region: the number of cells of its subtree.
    beyond: Vec<u64>,
    /// Per region: the width of the narrowest border on the path from the root.
    narrowest: Vec<u32>,
    /// Per region except the root: the width of the border to its parent.
    widths: Vec<u32>,
}

impl Landmarks {
    /// Builds one tree. Returns the number of expansions, 0 if all are built.
    pub(super) fn step(&mut self, graph: &CoarseGraph) -> usize {
        if self.trees > LANDMARKS || graph.regions.is_empty() {
            return 0;
        }
        let root = match self.next {
            Some(root) => root,
            None => central_region(graph),
        };
        let mut space = graph;
        self.search.begin(&space);
        self.search.add_source(root, 0, &mut Blind);
        self.search.resume(&mut space, &mut Blind, |_| false, u64::MAX, &mut ());
        if self.trees == 0 {
            self.nearest = vec![u32::MAX; graph.regions.len()];
        } else {
            self.measure(graph, root);
        }
        self.choose_next();
        self.trees += 1;
        self.search.closed().len().max(1)
    }

    /// Selects the region farthest from all landmarks, or, for the first one, from the root of the search.
    fn choose_next(&mut self) {
        let mut farthest = None;
        for &region in self.search.closed() {
            let distance = self.search.node(region).map_or(0, |node| node.g);
            let nearest = &mut self.nearest[region as usize];
            let key = if self.trees == 0 {
                distance
            } else {
                *nearest = (*nearest).min(distance);
                *nearest
            };
            if farthest.is_none_or(|(largest, _)| key > largest) {
                farthest = Some((key, region));
            }
        }
        self.next = farthest.map(|(_, region)| region);
    }

    /// Adds the tree of a landmark to the sums.
    fn measure(&mut self, graph: &CoarseGraph, root: u32) {
        self.beyond.clear();
        self.beyond.resize(graph.regions.len(), 0);
        self.narrowest.clear();
        self.narrowest.resize(graph.regions.len(), u32::MAX);
        self.widths.resize(graph.regions.len(), 1);
        for &region in self.search.closed() {
            let Some(node) = self.search.node(region) else { continue };
            let cells = u64::from(graph.regions[region as usize].cells);
            self.beyond[region as usize] = cells;
            self.diameter = self.diameter.max(node.g);
            let Some(parent) = self.search.parent(region) else { continue };
            let error =
                (u64::from(node.g) * 1_000 / u64::from(graph.distance(root, region).max(1))).min(100_000);
            self.errors.push(error as u32);
            for (sum, value) in self.sums.iter_mut().zip([1, u64::from(node.g), error]) {
                *sum += cells * value;
            }
            let width = graph.edge_between(parent, region).map_or(1, |edge| graph.edges[edge].width);
            self.widths[region as usize] = width;
            let narrowest = width.min(self.narrowest[parent as usize]);
            self.narrowest[region as usize] = narrowest;
            self.behind_narrow += if narrowest <= 2 { cells } else { 0 };
        }
        // A region is expanded after its parent, so the reverse order adds up subtrees.
        for &region in self.search.closed().iter().rev() {
            let Some(parent) = self.search.parent(region) else { continue };
            let beyond = self.beyond[region as usize];
            self.beyond[parent as usize] += beyond;
            let width = self.widths[region as usize];
            self.bottlenecks.push((beyond / u64::from(width)) as u32);
        }
    }

    /// Returns the features. `articulation_cells` is the number of free cells in articulation regions.
    pub(super) fn finish(mut self, graph: &CoarseGraph) -> CoarseFeatures {
        let (regions, edges) = (graph.regions.len() as u64, graph.edges.len() as u64);
        let cells: u64 = graph.regions.iter().map(|region| u64::from(region.cells)).sum();
        let widths = |from: u32, to: u32| {
            graph.edges.iter().filter(|edge| (from..=to).contains(&edge.width)).count() as u64
        };
        let articulation_cells = articulation_regions(graph)
            .iter()
            .map(|&region| u64::from(graph.regions[region as usize].cells))
            .sum();
        let (errors, bottlenecks) = (Summary::of(&mut self.errors), Summary::of(&mut self.bottlenecks));
        let [seen, distance, error] = self.sums;
        CoarseFeatures {
            regions: regions as i32,
            region_degree: ratio(edges, regions, 1_000),
            region_cells: ratio(cells, regions, 1),
            border_width: ratio(graph.edges.iter().map(|edge| u64::from(edge.width)).sum(), edges, 1_000),
            borders_2: share(widths(1, 2), edges),
            borders_5: share(widths(3, 5), edges),
            articulation_regions: share(articulation_cells, cells),
            diameter: self.diameter as i32,
            distance_mean: ratio(distance, seen, 1),
            map_error_mean: ratio(error, seen, 1),
            map_error_p90: errors.p90,
            bottleneck_mean: bottlenecks.mean,
            bottleneck_p90: bottlenecks.p90,
            bottleneck_max: bottlenecks.max,
            behind_narrow: share(self.behind_narrow, seen),
        }
    }
}

/// Returns the region with the most cells of the component with the most cells.
fn central_region(graph: &CoarseGraph) -> u32 {
    let mut component = vec![u32::MAX; graph.regions.len()];
    let mut best = (0, 0);
    for start in 0..graph.regions.len() as u32 {
        if component[start as usize] != u32::MAX {
            continue;
        }
        let (mut cells, mut largest) = (0_u64, start);
        let mut stack = vec![start];
        component[start as usize] = start;
        while let Some(region) = stack.pop() {
            let size = |region: u32| graph.regions[region as usize].cells;
            cells += u64::from(size(region));
            if size(region) > size(largest) {
                largest = region;
            }
            for edge in &graph.edges[graph.edges_of(region)] {
                if component[edge.to as usize] == u32::MAX {
                    component[edge.to as usize] = start;
                    stack.push(edge.to);
                }
            }
        }
        if cells > best.0 {
            best = (cells, largest);
        }
    }
    best.1
}

/// Returns the regions whose removal splits their component, in order: depth-first search as on cells in `throng-grid`.
pub(super) fn articulation_regions(graph: &CoarseGraph) -> Vec<u32> {
    let count = graph.regions.len();
    let (mut order, mut low) = (vec![0_u32; count], vec![0_u32; count]);
    let mut is = vec![false; count];
    let mut visited = 0;
    for root in 0..count as u32 {
        if order[root as usize] != 0 {
            continue;
        }
        let mut subtrees = 0;
        let mut stack = vec![(root, graph.edges_of(root))];
        visited += 1;
        (order[root as usize], low[root as usize]) = (visited, visited);
        while let Some((region, edges)) = stack.last_mut() {
            let region = *region;
            if let Some(edge) = edges.next() {
                let to = graph.edges[edge].to;
                if order[to as usize] == 0 {
                    visited += 1;
                    (order[to as usize], low[to as usize]) = (visited, visited);
                    stack.push((to, graph.edges_of(to)));
                } else {
                    low[region as usize] = low[region as usize].min(order[to as usize]);
                }
                continue;
            }
            stack.pop();
            let Some(&(parent, _)) = stack.last() else { break };
            if stack.len() == 1 {
                subtrees += 1;
            } else if low[region as usize] >= order[parent as usize] {
                is[parent as usize] = true;
            }
            low[parent as usize] = low[parent as usize].min(low[region as usize]);
        }
        is[root as usize] |= subtrees > 1;
    }
    (0..count as u32).filter(|&region| is[region as usize]).collect()
}
