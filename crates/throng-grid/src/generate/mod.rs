//! Seeded map generators: the same name, size, seed and parameters give the same map on every platform.
//!
//! [`GENERATORS`] lists the generators with the range and default of every parameter; [`generate`] makes a map. All
//! generators except `random` make maps whose walkable cells are connected under every corner rule.
//!
//! ```
//! use throng_grid::{Size, generate::generate};
//!
//! let size = Size::new(64, 48).unwrap();
//! let maze = generate("maze:corridor=2,loops=5", size, 7).unwrap();
//! assert_eq!(maze.size(), size);
//! let error = generate("maez", size, 7).unwrap_err();
//! assert_eq!(error.to_string(), "there is no generator `maez`: did you mean `maze`?");
//! ```

mod building;
mod caves;
pub(crate) mod connect;
pub(crate) mod draw;
mod level;
mod noise;
mod random;
mod rooms;
mod town;
mod warehouse;

use crate::spec::{self, Kind, Parameter, SpecError, Values};
use crate::{SeededRng, Size, Tiles};

/// A registered map generator.
#[derive(Clone, Copy, Debug)]
pub struct Generator {
    /// Its name for [`generate`].
    pub name: &'static str,
    /// What it makes, in one line.
    pub summary: &'static str,
    /// Minimum width and height of its maps, in cells.
    pub min_side: u32,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    run: fn(Size, &mut SeededRng, &Values) -> Tiles,
}

/// The reason why no map was generated.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// The generator or a parameter is unknown, or a value is invalid.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The requested size is too small for the generator.
    #[error("generator `{generator}` needs sides of at least {min_side} cells, not {width}×{height}")]
    TooSmall {
        /// The generator.
        generator: &'static str,
        /// The generator's minimum width and height.
        min_side: u32,
        /// The requested width.
        width: u32,
        /// The requested height.
        height: u32,
    },
}

/// Returns an integer parameter from `min` to `max`.
const fn parameter(name: &'static str, min: u64, max: u64, default: u64, summary: &'static str) -> Parameter {
    Parameter { name, summary, kind: Kind::Integer { min, max, default } }
}

/// All generators.
pub const GENERATORS: &[Generator] = &[
    Generator {
        name: "random",
        summary: "independent random walls; the map may be disconnected",
        min_side: 1,
        parameters: &[parameter("walls", 0, 100, 20, "percentage of wall cells")],
        run: random::random,
    },
    Generator {
        name: "rooms",
        summary: "a lattice of rooms with doors of one cell",
        min_side: 3,
        parameters: &[
            parameter("room", 1, 1_024, 8, "side of a room"),
            parameter("doors", 0, 100, 50, "percentage of walls beyond the spanning tree that get a door"),
        ],
        run: rooms::rooms,
    },
    Generator {
        name: "maze",
        summary: "winding corridors between walls of one cell",
        min_side: 3,
        parameters: &[
            parameter("corridor", 1, 1_024, 1, "width of a corridor"),
            parameter("loops", 0, 100, 0, "percentage of walls beyond the spanning tree that are opened"),
        ],
        run: rooms::maze,
    },
    Generator {
        name: "caves",
        summary: "organic caves joined by tunnels",
        min_side: 3,
        parameters: &[
            parameter("walls", 0, 100, 45, "initial percentage of wall cells"),
            parameter("steps", 0, 16, 5, "rounds of smoothing"),
            parameter("tunnel", 1, 16, 2, "width of a tunnel between two caves"),
        ],
        run: caves::caves,
    },
    Generator {
        name: "warehouse",
        summary: "blocks of shelves with aisles between them",
        min_side: 3,
        parameters: &[
            parameter("length", 1, 256, 10, "length of a block of shelves"),
            parameter("depth", 1, 256, 2, "depth of a block of shelves"),
            parameter("aisle", 1, 256, 1, "width of an aisle"),
            parameter("strip", 1, 256, 4, "width of the open strip on the left and right"),
            parameter("missing", 0, 100, 0, "percentage of blocks left out"),
        ],
        run: warehouse::warehouse,
    },
    Generator {
        name: "town",
        summary: "streets, houses with rooms and doors, gardens, squares",
        min_side: 3,
        parameters: &[
            parameter("street", 2, 16, 6, "width of the widest street"),
            parameter("lot", 6, 64, 13, "approximate minimum side of a lot"),
            parameter("green", 0, 100, 18, "percentage of lots that are gardens"),
        ],
        run: town::town,
    },
    Generator {
        name: "level",
        summary: "a whole game level: districts of caves, halls, towns and fields in an organic outline",
        min_side: 32,
        parameters: &[
            parameter("district", 32, 1_024, 110, "approximate side of a district"),
            parameter("wild", 0, 100, 55, "percentage of districts with fields or caves, not buildings"),
            parameter("river", 0, 64, 0, "width of a river through the level, 0 for none"),
            parameter("castle", 0, 1_024, 0, "side of a moated castle in the middle, 0 for none"),
        ],
        run: level::level,
    },
];

/// Generates the map that a text describes: `maze`, `maze:corridor=2,loops=5`. Parameters that are not given have their
/// default values.
///
/// # Errors
/// If the generator or a parameter is unknown, a value is out of range, or the size is too small.
pub fn generate(text: &str, size: Size, seed: u64) -> Result<Tiles, GenerateError> {
    let (name, parameters) = spec::split(text);
    let generator = GENERATORS.iter().find(|generator| generator.name == name).ok_or_else(|| {
        SpecError::unknown("generator", name, GENERATORS.iter().map(|generator| generator.name))
    })?;
    let values = Values::parse(generator.name, generator.parameters, parameters)?;
    let min_side = generator.min_side;
    if size.width() < min_side || size.height() < min_side {
        return Err(GenerateError::TooSmall {
            generator: generator.name,
            min_side,
            width: size.width(),
            height: size.height(),
        });
    }
    Ok((generator.run)(size, &mut SeededRng::new(seed), &values))
}

#[cfg(test)]
mod tests;
