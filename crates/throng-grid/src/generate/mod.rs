//! Seeded map generators: the same name, size, seed and parameters give the same map on every platform.
//!
//! [`GENERATORS`] says what there is, with every parameter's range and default; [`generate`] makes a map. All
//! but `random` make maps whose walkable cells hang together, however diagonal steps are ruled.
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

/// A kind of map that can be generated.
#[derive(Clone, Copy, Debug)]
pub struct Generator {
    /// What [`generate`] calls it.
    pub name: &'static str,
    /// What it makes, in a line.
    pub summary: &'static str,
    /// The shortest side it can fill.
    pub min_side: u32,
    /// What can be chosen.
    pub parameters: &'static [Parameter],
    run: fn(Size, &mut SeededRng, &Values) -> Tiles,
}

/// Why no map was generated.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// The generator or a parameter is unknown, or a value is none of the parameter's.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The map would be too small.
    #[error("generator `{generator}` needs sides of at least {min_side} cells, not {width}×{height}")]
    TooSmall {
        /// The generator.
        generator: &'static str,
        /// The shortest side it can fill.
        min_side: u32,
        /// The width that was asked for.
        width: u32,
        /// The height that was asked for.
        height: u32,
    },
}

/// A whole number from `min` to `max`.
const fn parameter(name: &'static str, min: u64, max: u64, default: u64, summary: &'static str) -> Parameter {
    Parameter { name, summary, kind: Kind::Integer { min, max, default } }
}

/// Every generator.
pub const GENERATORS: &[Generator] = &[
    Generator {
        name: "random",
        summary: "independent walls, connected or not",
        min_side: 1,
        parameters: &[parameter("walls", 0, 100, 20, "walls in percent")],
        run: random::random,
    },
    Generator {
        name: "rooms",
        summary: "a lattice of rooms with doors of one cell",
        min_side: 3,
        parameters: &[
            parameter("room", 1, 1_024, 8, "side of a room"),
            parameter(
                "doors",
                0,
                100,
                50,
                "walls with a door in percent, beyond those that connect the rooms",
            ),
        ],
        run: rooms::rooms,
    },
    Generator {
        name: "maze",
        summary: "winding corridors between walls of one cell",
        min_side: 3,
        parameters: &[
            parameter("corridor", 1, 1_024, 1, "width of a corridor"),
            parameter("loops", 0, 100, 0, "walls opened in percent, beyond those that connect the maze"),
        ],
        run: rooms::maze,
    },
    Generator {
        name: "caves",
        summary: "organic caves joined by tunnels",
        min_side: 3,
        parameters: &[
            parameter("walls", 0, 100, 45, "walls in percent at the start"),
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
            parameter("missing", 0, 100, 0, "blocks left out, in percent"),
        ],
        run: warehouse::warehouse,
    },
    Generator {
        name: "town",
        summary: "streets, houses with rooms and doors, gardens, squares",
        min_side: 3,
        parameters: &[
            parameter("street", 2, 16, 6, "width of the widest street"),
            parameter("lot", 6, 64, 13, "shortest side of a lot, nearly"),
            parameter("green", 0, 100, 18, "lots that are gardens, in percent"),
        ],
        run: town::town,
    },
    Generator {
        name: "level",
        summary: "a whole game level: districts of caves, halls, towns and fields in an organic outline",
        min_side: 32,
        parameters: &[
            parameter("district", 32, 1_024, 110, "side of a district, nearly"),
            parameter("wild", 0, 100, 55, "districts of fields and caves in percent; the others are built"),
            parameter("river", 0, 64, 0, "width of a river through the level, 0 for none"),
            parameter("castle", 0, 1_024, 0, "side of a moated castle in the middle, 0 for none"),
        ],
        run: level::level,
    },
];

/// Makes the map that a text names: `maze`, `maze:corridor=2,loops=5`. Parameters that are not given have their
/// defaults.
///
/// # Errors
/// When the generator or a parameter is unknown, a value lies outside its range, or the map would be too small.
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
