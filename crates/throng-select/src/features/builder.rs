//! Builds the features of a map in slices, so that a planner can spread the work over ticks.

use throng_grid::regions::ArticulationSearch;
use throng_grid::{BitGrid, DistanceTransform, Ground};

use super::MapFeatures;
use super::coarse::CoarseBuilder;
use super::landmarks::Landmarks;
use super::shape::{RowCounts, ShapeFeatures, edge_distances};

/// The analysis of a map, run in slices. The ground must not change between the steps: a caller compares
/// [`MapFeaturesBuilder::fingerprint`] and starts again.
#[derive(Clone, Debug)]
pub struct MapFeaturesBuilder {
    fingerprint: u64,
    stage: Stage,
    counts: RowCounts,
    clearance: DistanceTransform,
    articulation: ArticulationSearch,
    articulation_points: BitGrid,
    coarse: CoarseBuilder,
    landmarks: Landmarks,
    /// Valid once the work is complete.
    shape: ShapeFeatures,
}

/// The parts of the analysis, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Rows,
    Clearance,
    Articulation,
    Coarse,
    Landmarks,
    Complete,
}

impl MapFeaturesBuilder {
    /// Returns an analysis that has not started.
    pub fn new(ground: &Ground) -> Self {
        let size = ground.size();
        Self {
            fingerprint: ground.fingerprint(),
            stage: Stage::Rows,
            counts: RowCounts::default(),
            clearance: DistanceTransform::eight_way(size, edge_distances(ground)),
            articulation: ArticulationSearch::new(ground),
            articulation_points: BitGrid::new(size.width(), size.height()),
            coarse: CoarseBuilder::new(ground),
            landmarks: Landmarks::default(),
            shape: ShapeFeatures::default(),
        }
    }

    /// Returns the fingerprint of the ground that is analysed.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Returns true if all work is done.
    pub fn is_complete(&self) -> bool {
        self.stage == Stage::Complete
    }

    /// Works on about `cells` cells, at least one row, square or landmark. Returns the number of cells visited, 0 if
    /// all work was done before. A map needs about eight visits per cell.
    ///
    /// # Panics
    /// If the ground is not the one that the analysis was started with.
    pub fn step(&mut self, ground: &Ground, cells: usize) -> usize {
        assert_eq!(ground.fingerprint(), self.fingerprint, "the ground changed during its analysis");
        let mut done = 0;
        while done < cells && !self.is_complete() {
            done += self.advance(ground, cells - done);
        }
        done
    }

    /// Returns the features.
    ///
    /// # Panics
    /// If the work is not complete.
    pub fn finish(self) -> MapFeatures {
        assert!(self.is_complete(), "the analysis of the map is not complete");
        let graph = self.coarse.finish();
        MapFeatures {
            fingerprint: self.fingerprint,
            shape: self.shape,
            coarse: self.landmarks.finish(&graph),
            graph,
            clearance: self.clearance.finish(),
        }
    }

    /// Works on a part of the current stage, and moves on if it is complete. Returns the number of cells visited, at
    /// least 1.
    fn advance(&mut self, ground: &Ground, cells: usize) -> usize {
        let width = ground.size().width() as usize;
        let rows = (cells / width).clamp(1, 1 << 20) as u32;
        let (done, wanted, next) = match self.stage {
            Stage::Rows => {
                (self.counts.step(ground, rows) as usize * width, rows as usize * width, Stage::Clearance)
            }
            Stage::Clearance => {
                (self.clearance.step(rows) as usize * width, rows as usize * width, Stage::Articulation)
            }
            Stage::Articulation => {
                let points = &mut self.articulation_points;
                let found = |cell| points.set(ground.pos(cell), true);
                (self.articulation.step(ground, cells, found), cells, Stage::Coarse)
            }
            Stage::Coarse => (self.coarse.step(ground), 1, Stage::Landmarks),
            Stage::Landmarks => (self.landmarks.step(self.coarse.graph()), 1, Stage::Complete),
            Stage::Complete => (0, 0, Stage::Complete),
        };
        if done < wanted {
            self.stage = next;
        }
        if self.is_complete() {
            let points = self.articulation_points.count();
            self.shape = ShapeFeatures::new(ground, &self.counts, self.clearance.values(), points);
        }
        done.max(1)
    }
}
