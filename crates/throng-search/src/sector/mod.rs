//! Sector abstraction: plan over the connected components of square sectors, then refine the plan on the map.
//!
//! M. R. Jansen, *Multi-Agent Pathfinding with Direction Maps*, master's thesis, 2008, section 3.5, after N. R.
//! Sturtevant, *Memory-Efficient Abstractions for Pathfinding*, AIIDE 2007. A* finds an abstract path over the
//! components. Searches on the map then lead to the nearest cell of a later component, without being confined to the
//! planned sectors. Full refinement searches to the next component. Partial refinement searches to the component after
//! the next and keeps only a share of each segment.
//!
//! Departures: there is no direction map, so costs are those of the ground. The abstract path is planned once, and
//! partial refinement continues along it instead of planning again. It terminates: after each segment, either the
//! reached cell lies in a later component of the abstract path, or its distance to the same target has shrunk.

mod sectors;

use throng_grid::{Cell, Cost, Ground};

pub use self::sectors::{CenterDistance, CenterMetric, SectorGraph, Sectors};
use crate::best_first::{BestFirst, Status};
use crate::heuristic::{Heuristic, OctileDistance};
use crate::node_store::DenseStore;
use crate::open_list::{Buckets, Heap};
use crate::path_search::{PathSearch, SearchResult};
use crate::point_to_point::{f_range, point_to_point};
use crate::registry::{ANY_CORNERS, SearchInfo};
use crate::space::GridSpace;
use crate::spec::{Kind, MILLION, Parameter};

pub(crate) const INFO: SearchInfo = SearchInfo {
    name: "sector",
    summary: "sector abstraction: an abstract path over square sectors, refined segment by segment",
    idea: "The map is partitioned into square sectors. Each connected component of a sector is a node of a small graph. A \
           path in that graph is found first; short searches on the map then lead from component to component. Paths \
           are somewhat longer than the shortest. An edit relabels only the sectors that it changes.",
    reference: "M. R. Jansen: Multi-Agent Pathfinding with Direction Maps. Master's thesis, \
                2008, section 3.5; N. R. Sturtevant: Memory-Efficient Abstractions for Pathfinding. AIIDE 2007",
    parameters: &[
        Parameter {
            name: "size",
            summary: "side of the sectors",
            kind: Kind::Integer { min: 2, max: 64, default: 12 },
        },
        Parameter {
            name: "refine",
            summary: "search to the next component, or to the one after it and keep a share of the segment",
            kind: Kind::Choice(&["full", "partial"]),
        },
        Parameter {
            name: "cut",
            summary: "share of each segment that partial refinement keeps",
            kind: Kind::Decimal { min: MILLION / 20, max: MILLION, default: 600_000 },
        },
    ],
    optimal: false,
    real_time: false,
    prepares: true,
    corners: ANY_CORNERS,
    four_way: true,
    weighted_terrain: true,
    build: |values| {
        let cut = (values.choice("refine") == "partial").then(|| values.get("cut"));
        Box::new(SectorSearch::new(values.get("size") as u32, cut))
    },
};

/// Search over a sector abstraction.
#[derive(Clone, Debug)]
struct SectorSearch {
    sectors: Sectors,
    abstract_search: BestFirst<DenseStore, Heap>,
    ground_search: BestFirst<DenseStore, Buckets>,
    /// The share of a segment that is kept, in millionths; `None` for full refinement.
    cut: Option<u64>,
    /// The nodes of the abstract path, then the segment being refined.
    route: Vec<Cell>,
    segment: Vec<Cell>,
    expanded: Vec<u32>,
}

impl SectorSearch {
    /// Returns a search with sectors of a side, 2 to 64. With a `cut`, refinement is partial and keeps that share of
    /// each segment, in millionths.
    fn new(side: u32, cut: Option<u64>) -> Self {
        Self {
            sectors: Sectors::new(side),
            abstract_search: BestFirst::default(),
            ground_search: BestFirst::default(),
            cut,
            route: Vec::new(),
            segment: Vec::new(),
            expanded: Vec::new(),
        }
    }

    /// Finds the abstract path between two cells; `route` receives abstract nodes in place of cells.
    fn plan(&mut self, ground: &Ground, from: Cell, to: Cell) {
        let ends = [from, to].map(|cell| Cell(self.sectors.node_of(ground, cell)));
        let mut heuristic = CenterDistance::new(&self.sectors, ends[1].0, CenterMetric::Octile);
        let mut graph = SectorGraph(&self.sectors);
        point_to_point(
            &mut self.abstract_search,
            &mut graph,
            &mut heuristic,
            (ends[0], ends[1]),
            &mut self.route,
        );
    }

    /// Finds the path from a cell to the nearest cell of an abstract node, or to the goal if `target` is `None`, and
    /// returns its cost.
    fn refine(&mut self, ground: &Ground, from: Cell, target: Option<u32>, to: Cell) -> Option<Cost> {
        let (min, max) = match target {
            Some(node) => self.sectors.corners(node),
            None => (ground.pos(to), ground.pos(to)),
        };
        let sectors = &self.sectors;
        let (mut space, mut heuristic) = (GridSpace::new(ground), OctileDistance::to_rect(ground, min, max));
        self.ground_search.begin(&space);
        self.ground_search.add_source(from.0, 0, &mut heuristic);
        let is_goal = |cell| match target {
            Some(node) => sectors.is_child(ground, node, Cell(cell)),
            None => cell == to.0,
        };
        let status = self.ground_search.resume(&mut space, &mut heuristic, is_goal, u64::MAX, &mut ());
        let Status::Found(end) = status else { return None };
        self.expanded.extend_from_slice(self.ground_search.closed());
        self.ground_search.trace(&space, end, &mut self.segment);
        if let (Some(cut), Some(_)) = (self.cut, target) {
            let steps = (self.segment.len() - 1) as u64;
            let kept = (steps * cut).div_ceil(MILLION).max(1) as usize;
            self.segment.truncate(kept + 1);
        }
        self.segment.last().and_then(|&end| self.ground_search.node(end.0)).map(|node| node.g)
    }
}

impl PathSearch for SectorSearch {
    fn find(&mut self, ground: &Ground, from: Cell, to: Cell, path: &mut Vec<Cell>) -> SearchResult {
        self.expanded.clear();
        if !ground.reachable(from, to) {
            return SearchResult::default();
        }
        self.prepare(ground);
        self.plan(ground, from, to);
        self.ground_search.set_f_range(f_range(ground));
        let ahead = if self.cut.is_some() { 2 } else { 1 };
        let (mut at, mut here, mut cost) = (0, from, 0);
        path.push(from);
        loop {
            // The last component is entered at the goal itself.
            let target = self.route[..self.route.len().saturating_sub(1)].get(at + ahead).map(|node| node.0);
            // Connected components always have a path; it is missing only if its cost does not fit into `Cost`.
            let Some(sum) =
                self.refine(ground, here, target, to).and_then(|segment| segment.checked_add(cost))
            else {
                return SearchResult::default();
            };
            cost = sum;
            path.extend_from_slice(&self.segment[1..]);
            here = path[path.len() - 1];
            if target.is_none() {
                break;
            }
            let node = self.sectors.node_of(ground, here);
            let on_route = self.route[at..].iter().rposition(|on_route| on_route.0 == node);
            at += on_route.unwrap_or(0);
        }
        SearchResult {
            cost: Some(cost),
            lower_bound: OctileDistance::to_cell(ground, to).lower(from.0),
            expansions: self.abstract_search.expansions() + self.expanded.len() as u64,
        }
    }

    fn prepare(&mut self, ground: &Ground) {
        self.sectors.update(ground);
    }

    fn expanded(&self) -> &[u32] {
        &self.expanded
    }
}
