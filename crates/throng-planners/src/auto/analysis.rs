//! The features of the map, computed in pieces of equal size, so that a saved analysis can be repeated up to the same piece.

use serde::{Deserialize, Serialize};
use throng_crowd::{Limits, StateError, Validate, View, Work};
use throng_grid::Ground;
use throng_select::{MapFeatures, MapFeaturesBuilder};

use super::credit::Credit;

/// Visits of cells per piece.
const PIECE: usize = 4_096;

/// Expansions that a piece costs. A visit takes 0.1 to 0.2 times as long as an expansion of A*, as `cargo bench --bench select`
/// measures.
const PIECE_COST: u64 = PIECE as u64 / 8;

/// Most pieces per tick. They take about 3 ms; a map of 512×512 cells needs seven such ticks.
const MAX_PIECES: u32 = 64;

/// Ticks between two analyses of a map that changes.
const INTERVAL: u64 = 256;

/// The analysis of the map.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct MapAnalysis {
    /// The fingerprint of the map that is analysed.
    fingerprint: u64,
    /// The number of finished pieces.
    pieces: u32,
    is_complete: bool,
    /// The tick at which the analysis was started; 0 if it was not.
    started: u64,
    #[serde(skip)]
    stage: Stage,
}

/// What has been computed; nothing after loading, until it is needed.
#[derive(Clone, Debug, Default)]
enum Stage {
    #[default]
    Nothing,
    Building(Box<MapFeaturesBuilder>),
    Complete(Box<MapFeatures>),
}

impl MapAnalysis {
    /// Returns true if the map differs from the analysed one and the last analysis is old enough.
    pub(super) fn is_stale(&self, view: &View<'_>) -> bool {
        self.started == 0 || (!self.is_of(view) && view.tick() >= self.started.saturating_add(INTERVAL))
    }

    /// Returns true if the map is the analysed one.
    fn is_of(&self, view: &View<'_>) -> bool {
        self.fingerprint == view.grid().ground().fingerprint()
    }

    /// Starts again if the map has changed, and works on pieces as far as they are granted. While the map differs and the
    /// last analysis is not old enough, nothing is done.
    pub(super) fn advance(&mut self, view: &View<'_>, work: &mut Work<'_>, credit: &mut Credit) {
        let ground = view.grid().ground();
        if self.is_stale(view) {
            let (fingerprint, started) = (ground.fingerprint(), view.tick());
            *self = Self { fingerprint, started, ..Self::default() };
        }
        for _ in 0..MAX_PIECES {
            if self.is_complete || !self.is_of(view) || !credit.pay(work, PIECE_COST) {
                return;
            }
            let builder = self.builder(ground);
            builder.step(ground, PIECE);
            self.is_complete = builder.is_complete();
            self.pieces += 1;
            self.finish_stage();
        }
    }

    /// Returns the builder after all finished pieces.
    fn builder(&mut self, ground: &Ground) -> &mut MapFeaturesBuilder {
        if !matches!(self.stage, Stage::Building(_)) {
            let mut builder = Box::new(MapFeaturesBuilder::new(ground));
            for _ in 0..self.pieces {
                builder.step(ground, PIECE);
            }
            self.stage = Stage::Building(builder);
        }
        let Stage::Building(builder) = &mut self.stage else { unreachable!("the stage was set above") };
        builder
    }

    fn finish_stage(&mut self) {
        match std::mem::take(&mut self.stage) {
            Stage::Building(builder) if builder.is_complete() => {
                self.stage = Stage::Complete(Box::new(builder.finish()));
            }
            stage => self.stage = stage,
        }
    }

    /// Returns the features of the map; none if they are not complete, or the map has changed since.
    pub(super) fn features(&mut self, view: &View<'_>) -> Option<&MapFeatures> {
        if !self.is_complete || !self.is_of(view) {
            return None;
        }
        if !matches!(self.stage, Stage::Complete(_)) {
            self.stage = Stage::Complete(Box::new(MapFeatures::of(view.grid().ground())));
        }
        if let Stage::Complete(features) = &self.stage { Some(features) } else { None }
    }

    /// Returns what is saved: the analysis without its results.
    pub(super) fn saved(&self) -> Self {
        Self { stage: Stage::Nothing, ..*self }
    }
}

impl Validate for MapAnalysis {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let Self { fingerprint: _, pieces, is_complete: _, started, stage: _ } = self;
        limits.past_tick(*started)?;
        // An analysis visits a cell about eight times; a piece may stop at the end of each part of the analysis.
        let most = limits.size.area() as u64 * 64 / PIECE as u64 + 1_024;
        limits.at_most(*pieces, most, "the number of analysed pieces")
    }
}
