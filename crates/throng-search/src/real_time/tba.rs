//! TBA*, Time-Bounded A*: one A* search from start to goal, during which the agent already moves.
//!
//! Y. Björnsson, V. Bulitko, N. R. Sturtevant, *TBA\*: Time-Bounded A\**, IJCAI 2009. Before each step of the agent the search
//! makes a number of expansions, and a number of cells is traced back from the open node that would be expanded next towards
//! the start. A trace that meets the agent's cell or the start is the path to follow. An agent that is not on it goes back
//! along the parents in the search tree until it is. The expanded cells are those of A*, each once; nothing is learned.
//!
//! As in the paper, an agent at the end of its path goes back while the next trace is unfinished, and an agent at the start
//! without a path returns to its last cell. An agent that has not moved yet waits there.

use throng_grid::{Cell, Ground};

use super::{CAP, CappedWalks, REAL_TIME, Walk, WalkTrace, Walker};
use crate::best_first::{BestFirst, Policy, Status};
use crate::heuristic::OctileDistance;
use crate::node_store::DenseStore;
use crate::open_list::Buckets;
use crate::point_to_point::f_range;
use crate::registry::SearchInfo;
use crate::space::GridSpace;
use crate::spec::{Kind, Parameter};

pub(crate) const INFO: SearchInfo = SearchInfo {
    name: "tba",
    summary: "time-bounded A*: the agent moves along the best path so far while one A* search goes on",
    idea: "One A* search from start to goal is continued by some expansions before each step. A path is traced back from the \
           cell that would be expanded next until it meets the agent or the start. The agent follows the last complete trace, \
           and goes back along the search tree if it is not on it. In all it expands the same cells as A*.",
    reference: "Y. Björnsson, V. Bulitko, N. R. Sturtevant: TBA*: Time-Bounded A*. IJCAI 2009",
    parameters: &[
        Parameter {
            name: "expansions",
            summary: "expansions before each step",
            kind: Kind::Integer { min: 1, max: 1_000_000_000, default: 32 },
        },
        Parameter {
            name: "trace",
            summary: "cells that are traced back before each step",
            kind: Kind::Integer { min: 1, max: 1_000_000_000, default: 320 },
        },
        CAP,
    ],
    build: |values| {
        CappedWalks::boxed(Tba::new(values.get("expansions"), values.get("trace")), values.get("cap"))
    },
    ..REAL_TIME
};

/// TBA*. Keeps its buffers between walks.
#[derive(Clone, Debug)]
pub struct Tba {
    expansions: u64,
    /// The number of cells that are traced back per step.
    trace_cells: u64,
    search: BestFirst<DenseStore, Buckets>,
    /// The cells of the unfinished trace, from its open node towards the start.
    traced: Vec<Cell>,
    /// The path to follow, its last cell first.
    path: Vec<Cell>,
    /// For each cell the number of the path that it was last part of, and its place in that path.
    places: Vec<(u64, u32)>,
    /// The number of the path. It never falls, so `places` is never cleared.
    number: u64,
    trace: WalkTrace,
}

/// The progress of a walk.
#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    /// Whether the goal is first in the open list.
    found: bool,
    /// Whether the path to follow leads to the goal.
    leads_to_goal: bool,
}

impl Tba {
    /// Creates a search that makes this many expansions and traces this many cells per step.
    pub fn new(expansions: u64, trace_cells: u64) -> Self {
        Self {
            expansions,
            trace_cells,
            search: BestFirst::new(DenseStore::default(), Buckets::default(), Policy::default()),
            traced: Vec::new(),
            path: Vec::new(),
            places: Vec::new(),
            number: 0,
            trace: WalkTrace::default(),
        }
    }

    /// Makes room for the cells of a ground, and forgets the path.
    fn begin(&mut self, ground: &Ground, from: Cell, heuristic: &mut OctileDistance) {
        self.search.set_f_range(f_range(ground));
        self.search.begin(&GridSpace::new(ground));
        self.search.add_source(from.0, 0, heuristic);
        self.traced.clear();
        self.path.clear();
        self.number += 1;
        let cells = ground.size().area();
        if self.places.len() < cells {
            self.places.resize(cells, (0, 0));
        }
    }

    /// Traces cells back. A trace that meets the agent's cell or the start becomes the path. Returns false if there is nothing
    /// to trace.
    fn trace_back(&mut self, at: Cell, to: Cell, progress: &mut Progress) -> bool {
        if self.traced.is_empty() {
            let Some(first) = self.search.first() else { return false };
            self.traced.push(Cell(first.node));
        }
        for _ in 0..self.trace_cells {
            let last = self.traced[self.traced.len() - 1];
            let Some(parent) = self.search.parent(last.0).filter(|_| last != at) else {
                self.follow_trace();
                progress.leads_to_goal = self.path[0] == to;
                break;
            };
            self.traced.push(Cell(parent));
        }
        true
    }

    /// Makes the trace the path to follow.
    fn follow_trace(&mut self) {
        std::mem::swap(&mut self.path, &mut self.traced);
        self.traced.clear();
        self.number += 1;
        for (&cell, place) in self.path.iter().zip(0..) {
            self.places[cell.index()] = (self.number, place);
        }
    }

    /// Returns the next cell of the path, `None` if the agent is not on it or at its end.
    fn next_on_path(&self, at: Cell) -> Option<Cell> {
        let (number, place) = self.places[at.index()];
        (number == self.number && place > 0).then(|| self.path[place as usize - 1])
    }
}

impl Walker for Tba {
    fn walk(
        &mut self,
        ground: &Ground,
        (from, to): (Cell, Cell),
        max_cost: u64,
        mut visit: impl FnMut(Cell),
    ) -> Walk {
        let (mut space, mut heuristic) = (GridSpace::new(ground), OctileDistance::to_cell(ground, to));
        self.begin(ground, from, &mut heuristic);
        let (mut at, mut before, mut walk) = (from, from, Walk::default());
        let mut progress = Progress::default();
        self.trace.begin(at);
        visit(at);
        while at != to {
            if !progress.found {
                let is_goal = |node| node == to.0;
                let status =
                    self.search.resume(&mut space, &mut heuristic, is_goal, self.expansions, &mut ());
                progress.found = matches!(status, Status::Found(_));
                let before = std::mem::replace(&mut walk.expansions, self.search.expansions());
                self.trace.expand(&self.search.closed()[before as usize..]);
            }
            if !progress.leads_to_goal && !self.trace_back(at, to, &mut progress) {
                return walk;
            }
            let back = || self.search.parent(at.0).map_or(before, Cell);
            let next = self.next_on_path(at).unwrap_or_else(back);
            before = at;
            if next == at {
                self.trace.end_turn();
                continue;
            }
            walk.step(ground, (at, next));
            at = next;
            self.trace.visit(at);
            self.trace.end_turn();
            visit(at);
            if walk.cost > max_cost {
                return walk;
            }
        }
        walk.arrived = true;
        walk
    }

    fn expanded(&self) -> &[u32] {
        self.search.closed()
    }

    fn trace(&self) -> &WalkTrace {
        &self.trace
    }

    fn set_tracing(&mut self, on: bool) {
        self.trace.set_on(on);
    }
}
