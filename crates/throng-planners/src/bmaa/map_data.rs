//! What the searches of BMAA* use of the whole map: one-way streets, landmarks and abstract graphs, one of each per profile.

use throng_grid::{Cell, Grid, Ground};
use throng_search::OctileDistance;
use throng_toolkit::{Abstractions, Flow, Flows, InitialHeuristic, Landmarks};

use super::Options;
use super::options::FlowUse;

/// The data of all grounds, made when they are needed.
#[derive(Clone, Debug)]
pub(super) struct MapData {
    flows: Flows,
    landmarks: Landmarks,
    abstractions: Abstractions,
}

impl MapData {
    /// Returns what the options ask for, made for all grounds of a grid.
    pub(super) fn new(options: &Options, grid: &Grid) -> Self {
        let mut data = Self {
            flows: Flows::new(options.flow != FlowUse::Off),
            landmarks: Landmarks::new(options.landmarks),
            abstractions: Abstractions::new(options.abstraction),
        };
        for ground in grid.grounds() {
            data.flows.prepare(ground);
            data.landmarks.prepare(ground);
            data.abstractions.update(ground);
        }
        data
    }

    /// Frees memory before the searches of a round are prepared.
    pub(super) fn trim(&mut self) {
        self.abstractions.trim();
    }

    /// Makes what a search on a ground needs, if it is missing or out of date.
    pub(super) fn prepare(&mut self, ground: &Ground, target: Cell) {
        self.flows.prepare(ground);
        self.landmarks.prepare(ground);
        self.abstractions.prepare(ground, target);
    }

    /// Returns the one-way streets of a ground, if there are any.
    pub(super) fn flow(&self, ground: &Ground) -> Option<&Flow> {
        self.flows.of(ground)
    }

    /// Returns the initial heuristic of a search that has been prepared.
    pub(super) fn initial_heuristic<'a>(&'a self, ground: &'a Ground, target: Cell) -> InitialHeuristic<'a> {
        InitialHeuristic {
            empty: OctileDistance::to_cell(ground, target),
            landmarks: self.landmarks.bounds(ground, target),
            abstraction: self.abstractions.distance(ground, target),
        }
    }

    pub(super) fn memory_bytes(&self) -> usize {
        self.flows.memory_bytes() + self.landmarks.memory_bytes() + self.abstractions.memory_bytes()
    }
}
