//! Algorithm selection: what is computed about a map and an instance, and the trained model that picks a planner.
//!
//! [`MapFeatures`] describes a map and holds a coarse graph of it; [`instance_features`] adds what depends on starts and
//! goals. A [`Model`] has one forest of regression trees per planner of its portfolio and predicts the planner's
//! utility from the features. Features, thresholds and leaves are integers, so that a pick is the same everywhere.
//!
//! ```
//! use throng_grid::{Grid, MoveRules, Pos, Tiles};
//! use throng_select::{FEATURES, MapFeatures, instance_features};
//!
//! let grid = Grid::new(
//!     Tiles::picture(
//!         "....
//!          .##.
//!          ....",
//!     ),
//!     MoveRules::default(),
//! );
//! let (from, to) = (grid.cell(Pos::new(0, 0)).unwrap(), grid.cell(Pos::new(3, 2)).unwrap());
//! let map = MapFeatures::of(grid.ground());
//! let features = instance_features(&map, grid.ground(), &[(from, to)]);
//! assert_eq!(features.values().len(), FEATURES.len());
//! assert_eq!(features.get("free_cells"), Some(10));
//! assert_eq!(features.get("agents"), Some(1));
//! ```

mod features;
mod model;

use throng_grid::limits::Limit;

/// A model.
pub const MODEL_FILE: Limit = Limit {
    name: "model-file",
    max: 64 << 20,
    unit: "bytes",
    what: "a model",
    reason: "the models of the program have at most 200 kB",
};

/// The limits on models.
pub const LIMITS: &[Limit] = &[MODEL_FILE];

pub use features::{FEATURES, Feature, FeatureVector, MapFeatures, MapFeaturesBuilder, instance_features};
pub use model::{Explanation, Forest, Model, ModelError, Node, Reason};
