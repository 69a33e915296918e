//! HPA*: find an abstract path over the entrances between clusters, and assemble the path from stored segments.
//!
//! A. Botea, M. Müller, J. Schaeffer, *Near Optimal Hierarchical Path-Finding*, Journal of Game Development 1(1), 2004.
//! The map is partitioned into square clusters. The transitions at the entrances between clusters are the nodes of an
//! abstract graph, and the shortest paths between the nodes of a cluster, computed once, are its edges. A query inserts
//! start and goal into the graph, finds an abstract path with A*, and refines it with the stored paths.
//!
//! Departures: diagonal steps between blocked cells are transitions too ([`transitions`]), so that a path is found
//! whenever one exists, under every corner rule. Clusters of a level are twice as wide as those of the level below. A
//! query uses the highest level on which start and goal lie in different clusters. Smoothing draws octile lines instead
//! of rays ([`smooth`]). An edit rebuilds only the clusters that it changes.

mod cluster_space;
mod hierarchy;
mod insertion;
mod level;
mod smooth;
mod transitions;

use throng_grid::{Cell, Cost, Ground};

use self::cluster_space::CellSpace;
use self::hierarchy::Hierarchy;
use self::insertion::Insertion;
use self::level::LevelGraph;
use self::smooth::Smoother;
use crate::best_first::{BestFirst, Status};
use crate::heuristic::{Heuristic, OctileDistance};
use crate::node_store::DenseStore;
use crate::open_list::Heap;
use crate::path_search::{PathSearch, SearchResult};
use crate::registry::{ANY_CORNERS, SearchInfo};
use crate::space::{Expansion, Space, Successor};
use crate::spec::{Kind, Parameter};

pub(crate) const INFO: SearchInfo = SearchInfo {
    name: "hpa",
    summary: "HPA*: an abstract path over the entrances between clusters, with stored paths between them",
    idea: "The map is partitioned into square clusters. The transitions between neighbouring clusters are the nodes of a \
           small graph whose edges store the shortest paths through a cluster. A path is found in that graph and smoothed \
           by straight lines where they are legal. An edit rebuilds only the clusters that it changes.",
    reference: "A. Botea, M. Müller, J. Schaeffer: Near Optimal Hierarchical Path-Finding. Journal of Game \
                Development 1(1), 2004",
    parameters: &[
        Parameter {
            name: "cluster",
            summary: "side of the clusters",
            kind: Kind::Integer { min: 2, max: 64, default: 10 },
        },
        Parameter {
            name: "levels",
            summary: "number of abstract levels, each with clusters twice as wide as the one below",
            kind: Kind::Integer { min: 1, max: 3, default: 1 },
        },
        Parameter {
            name: "smooth",
            summary: "whether detours are replaced by straight lines",
            kind: Kind::Choice(&["on", "off"]),
        },
    ],
    optimal: false,
    real_time: false,
    prepares: true,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |values| {
        let (cluster, levels) = (values.get("cluster") as u32, values.get("levels") as u32);
        Box::new(Hpa::new(cluster, levels, values.choice("smooth") == "on"))
    },
};

/// Hierarchical path-finding A*.
#[derive(Clone, Debug)]
struct Hpa {
    side: u32,
    hierarchy: Hierarchy,
    start: Insertion,
    goal: Insertion,
    search: BestFirst<DenseStore, Heap>,
    smoother: Option<Smoother>,
    route: Vec<Cell>,
}

impl Hpa {
    /// Returns a search with clusters of a side, 2 to 64, on the lowest of one to three levels.
    fn new(side: u32, levels: u32, smooth: bool) -> Self {
        Self {
            side,
            hierarchy: Hierarchy::new(side, levels),
            start: Insertion::new(levels),
            goal: Insertion::new(levels),
            search: BestFirst::default(),
            smoother: smooth.then(Smoother::default),
            route: Vec::new(),
        }
    }

    /// Finds the cheapest abstract path and returns its cost; writes its nodes into `route`, the goal last.
    fn plan(&mut self, ground: &Ground, level: usize, to: Cell) -> Option<Cost> {
        let graph = self.hierarchy.graph(ground.size(), level);
        let mut space = WithGoal { graph, goal: &self.goal };
        let mut heuristic = ToGoal { graph, empty_map: OctileDistance::to_cell(ground, to) };
        let goal = graph.nodes() as u32;
        self.search.begin(&space);
        for (node, &cost) in graph.level.nodes_of(self.start.cluster).zip(&self.start.costs) {
            if cost != Cost::MAX {
                self.search.add_source(node, cost, &mut heuristic);
            }
        }
        if let Some(cost) = self.start.cost_nearby(ground, &self.hierarchy, to) {
            self.search.add_source(goal, cost, &mut heuristic);
        }
        let status = self.search.resume(&mut space, &mut heuristic, |node| node == goal, u64::MAX, &mut ());
        // The abstract graph is connected wherever the map is: if no path is found, its cost does not fit into `Cost`.
        let Status::Found(goal) = status else { return None };
        self.search.trace(&space, goal, &mut self.route);
        self.search.node(goal).map(|node| node.g)
    }

    /// Writes the path along `route`.
    fn refine(&mut self, ground: &Ground, level: usize, to: Cell, path: &mut Vec<Cell>) {
        let hierarchy = &self.hierarchy;
        self.route.pop();
        let graph = hierarchy.graph(ground.size(), level);
        for node in &mut self.route {
            *node = graph.cell_of(node.0);
        }
        // Without a node the path stays inside the start's cluster.
        let first = self.route.first().copied().unwrap_or(to);
        path.push(first);
        self.start.append_path(ground, hierarchy, first, path);
        path.reverse();
        for pair in self.route.windows(2) {
            hierarchy.refine(ground.size(), level, pair[0], pair[1], path);
        }
        if let Some(&last) = self.route.last() {
            self.goal.append_path(ground, hierarchy, last, path);
        }
    }
}

impl PathSearch for Hpa {
    fn find(&mut self, ground: &Ground, from: Cell, to: Cell, path: &mut Vec<Cell>) -> SearchResult {
        if !ground.reachable(from, to) {
            return SearchResult::default();
        }
        self.prepare(ground);
        let level = self.hierarchy.levels_apart(ground.size(), from, to).max(1);
        self.start.insert(ground, &self.hierarchy, level, from);
        self.goal.insert(ground, &self.hierarchy, level, to);
        let Some(mut cost) = self.plan(ground, level, to) else { return SearchResult::default() };
        self.refine(ground, level, to, path);
        if let Some(smoother) = &mut self.smoother {
            cost = smoother.smooth(ground, self.side, path);
        }
        SearchResult {
            cost: Some(cost),
            lower_bound: OctileDistance::to_cell(ground, to).lower(from.0),
            expansions: self.start.expansions() + self.goal.expansions() + self.search.expansions(),
        }
    }

    fn prepare(&mut self, ground: &Ground) {
        self.hierarchy.update(ground);
    }
}

/// An abstract graph with the goal as its last node.
struct WithGoal<'a> {
    graph: LevelGraph<'a>,
    goal: &'a Insertion,
}

impl Space for WithGoal<'_> {
    fn nodes(&self) -> usize {
        self.graph.nodes() + 1
    }

    #[inline]
    fn expand(&mut self, at: Expansion, mut propose: impl FnMut(Successor)) {
        let level = self.graph.level;
        if level.cluster_of(at.node) == self.goal.cluster {
            let cost = self.goal.costs[(at.node - level.nodes_of(self.goal.cluster).start) as usize];
            if cost != Cost::MAX {
                let node = self.graph.nodes() as u32;
                propose(Successor { node, g: at.known.g.saturating_add(cost), parent: at.node, tag: 0 });
            }
        }
        self.graph.expand(at, propose);
    }
}

/// Distance to the goal on an empty map, for the nodes of a graph with a goal. Consistent.
struct ToGoal<'a> {
    graph: LevelGraph<'a>,
    empty_map: OctileDistance,
}

impl Heuristic for ToGoal<'_> {
    #[inline]
    fn lower(&mut self, node: u32) -> Cost {
        if node as usize == self.graph.nodes() {
            return 0;
        }
        self.empty_map.lower(self.graph.cell_of(node).0)
    }
}
