//! Sector abstraction: plan over the connected parts of square sectors, then refine on the map.
//!
//! M. R. Jansen, *Multi-Agent Pathfinding with Direction Maps*, master's thesis, 2008, section
//! 3.5, after N. R. Sturtevant, *Memory-Efficient Abstractions for Pathfinding*, AIIDE 2007. A* finds a way over the
//! parts; map-level searches then lead from cell to cell, each to whichever cell of a coming part is nearest, and
//! are not confined to the sectors planned. Refinement is full, part after part, or partial: towards the part after
//! the next, of which way only a share is kept before the next search.
//!
//! Where we depart: there is no direction map, so costs are the ground's own; the abstract way is planned once, and
//! a partial refinement goes on along it instead of planning again. Either the cell reached lies on a later part of
//! that way, or its distance to the same target has shrunk: that is why it ends.

mod sectors;

use throng_grid::{Cell, Cost, Ground};

pub use self::sectors::{CenterDistance, SectorGraph, Sectors};
use crate::best_first::{BestFirst, Policy, Status};
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
    summary: "sector abstraction: a way over the parts of square sectors, refined piece by piece",
    idea: "The map is cut into squares, and each connected part of a square is a node of a small graph. A way \
           in that graph is found first; short searches on the map then lead from part to part. Paths are \
           somewhat longer than the shortest; an edit relabels only the squares it touches.",
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
            summary: "search to the next part, or to the one after it and keep a share of the way",
            kind: Kind::Choice(&["full", "partial"]),
        },
        Parameter {
            name: "cut",
            summary: "share of each piece that a partial refinement keeps",
            kind: Kind::Decimal { min: MILLION / 20, max: MILLION, default: 600_000 },
        },
    ],
    optimal: false,
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
pub struct SectorSearch {
    sectors: Sectors,
    above: BestFirst<DenseStore, Heap>,
    below: BestFirst<DenseStore, Buckets>,
    /// The share of a piece that is kept, in millionths; `None` for full refinement.
    cut: Option<u64>,
    /// The abstract way, and the piece of the path being refined.
    route: Vec<Cell>,
    piece: Vec<Cell>,
    expanded: Vec<u32>,
}

impl SectorSearch {
    /// With sectors of a side, 2 to 64. With a `cut` refinement is partial, and keeps that share of each piece, in
    /// millionths.
    pub fn new(side: u32, cut: Option<u64>) -> Self {
        Self {
            sectors: Sectors::new(side),
            above: BestFirst::new(DenseStore::default(), Heap::default(), Policy::default()),
            below: BestFirst::new(DenseStore::default(), Buckets::default(), Policy::default()),
            cut,
            route: Vec::new(),
            piece: Vec::new(),
            expanded: Vec::new(),
        }
    }

    /// Finds the abstract way between two cells; the cells of [`SectorSearch::route`] are abstract nodes.
    fn plan(&mut self, ground: &Ground, from: Cell, to: Cell) {
        let ends = [from, to].map(|cell| Cell(self.sectors.node_of(ground, cell)));
        let mut heuristic = CenterDistance::new(&self.sectors, ends[1].0);
        let mut graph = SectorGraph(&self.sectors);
        point_to_point(&mut self.above, &mut graph, &mut heuristic, (ends[0], ends[1]), &mut self.route);
    }

    /// Finds the way from a cell to the nearest child of an abstract node, or to the goal when there is none, and
    /// says what it costs.
    fn refine(&mut self, ground: &Ground, from: Cell, target: Option<u32>, to: Cell) -> Option<Cost> {
        let (min, max) = match target {
            Some(node) => self.sectors.corners(node),
            None => (ground.pos(to), ground.pos(to)),
        };
        let sectors = &self.sectors;
        let (mut space, mut heuristic) = (GridSpace::new(ground), OctileDistance::to_rect(ground, min, max));
        self.below.begin(&space);
        self.below.add_source(from.0, 0, &mut heuristic);
        let is_goal = |cell| match target {
            Some(node) => sectors.is_child(ground, node, Cell(cell)),
            None => cell == to.0,
        };
        let status = self.below.resume(&mut space, &mut heuristic, is_goal, u64::MAX, &mut ());
        let Status::Found(end) = status else { return None };
        self.expanded.extend_from_slice(self.below.closed());
        self.below.trace(&space, end, &mut self.piece);
        if let (Some(cut), Some(_)) = (self.cut, target) {
            let steps = (self.piece.len() - 1) as u64;
            let kept = (steps * cut).div_ceil(MILLION).max(1) as usize;
            self.piece.truncate(kept + 1);
        }
        self.piece.last().and_then(|&end| self.below.node(end.0)).map(|node| node.g)
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
        self.below.set_f_range(f_range(ground));
        let ahead = if self.cut.is_some() { 2 } else { 1 };
        let (mut at, mut here, mut cost) = (0, from, 0);
        path.push(from);
        loop {
            // The last part is entered at the goal itself.
            let target = self.route[..self.route.len().saturating_sub(1)].get(at + ahead).map(|node| node.0);
            // Only a way that costs cannot count is not found between parts that are connected.
            let Some(sum) = self.refine(ground, here, target, to).and_then(|piece| piece.checked_add(cost))
            else {
                return SearchResult::default();
            };
            cost = sum;
            path.extend_from_slice(&self.piece[1..]);
            here = path[path.len() - 1];
            if target.is_none() {
                break;
            }
            let node = self.sectors.node_of(ground, here);
            let on_route = self.route[at..].iter().rposition(|part| part.0 == node);
            at += on_route.unwrap_or(0);
        }
        SearchResult {
            cost: Some(cost),
            lower_bound: OctileDistance::to_cell(ground, to).lower(from.0),
            expansions: self.above.expansions() + self.expanded.len() as u64,
        }
    }

    fn prepare(&mut self, ground: &Ground) {
        self.sectors.update(ground);
    }

    fn expanded(&self) -> &[u32] {
        &self.expanded
    }
}
