//! Seeded map generators: the same name, size, seed and parameters give the same map on every platform.
//!
//! [`GENERATORS`] says what there is, with every parameter's range and default; [`generate`] makes a map. All
//! but `random` make maps whose walkable cells hang together, however diagonal steps are ruled.
//!
//! ```
//! use throng_grid::{Size, generate::generate};
//!
//! let size = Size::new(64, 48).unwrap();
//! let maze = generate("maze", size, 7, &[("corridor", 2)]).unwrap();
//! assert_eq!(maze.size(), size);
//! let error = generate("maez", size, 7, &[]).unwrap_err();
//! assert_eq!(error.to_string(), "unknown generator `maez`; the nearest is `maze`");
//! ```

mod building;
mod caves;
pub(crate) mod connect;
pub(crate) mod dice;
pub(crate) mod draw;
mod level;
mod noise;
mod random;
mod rooms;
mod town;
mod warehouse;

use dice::Dice;

use crate::suggest::nearest;
use crate::{Size, Tiles};

/// A kind of map that can be generated.
#[derive(Clone, Copy, Debug)]
pub struct Generator {
    /// What [`generate`] calls it.
    pub name: &'static str,
    /// What it makes, in a line.
    pub summary: &'static str,
    /// The shortest side it can fill.
    pub least_side: u32,
    /// What can be chosen.
    pub parameters: &'static [GeneratorParameter],
    run: fn(Size, &mut Dice, &Values) -> Tiles,
}

/// A whole number that a generator can be given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GeneratorParameter {
    /// What [`generate`] calls it.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// The least value.
    pub min: u32,
    /// The largest value.
    pub max: u32,
    /// The value when none is given.
    pub default: u32,
}

/// Why no map was generated.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// There is no generator of this name.
    #[error("unknown generator `{name}`; the nearest is `{nearest}`")]
    UnknownGenerator {
        /// The name that was asked for.
        name: String,
        /// The most similar name there is.
        nearest: &'static str,
    },
    /// The generator has no parameter of this name.
    #[error("generator `{generator}` has no parameter `{name}`; the nearest is `{nearest}`")]
    UnknownParameter {
        /// The generator.
        generator: &'static str,
        /// The name that was asked for.
        name: String,
        /// The most similar name there is.
        nearest: &'static str,
    },
    /// A parameter is outside its range.
    #[error("`{parameter}` of generator `{generator}` is {value}, but must lie between {min} and {max}")]
    OutOfRange {
        /// The generator.
        generator: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The value that was given.
        value: u32,
        /// The least value.
        min: u32,
        /// The largest value.
        max: u32,
    },
    /// The map would be too small.
    #[error("generator `{generator}` needs sides of at least {least} cells, not {width}×{height}")]
    TooSmall {
        /// The generator.
        generator: &'static str,
        /// The shortest side it can fill.
        least: u32,
        /// The width that was asked for.
        width: u32,
        /// The height that was asked for.
        height: u32,
    },
}

/// The parameters of one run, checked and complete.
struct Values {
    parameters: &'static [GeneratorParameter],
    values: Vec<u32>,
}

impl Values {
    fn of(&self, name: &str) -> u32 {
        let number = self.parameters.iter().position(|parameter| parameter.name == name);
        self.values[number.expect("a generator reads only parameters of its own table")]
    }
}

const fn parameter(
    name: &'static str,
    min: u32,
    max: u32,
    default: u32,
    summary: &'static str,
) -> GeneratorParameter {
    GeneratorParameter { name, summary, min, max, default }
}

/// Every generator.
pub const GENERATORS: &[Generator] = &[
    Generator {
        name: "random",
        summary: "independent walls, connected or not",
        least_side: 1,
        parameters: &[parameter("walls", 0, 100, 20, "walls in percent")],
        run: random::random,
    },
    Generator {
        name: "rooms",
        summary: "a lattice of rooms with doors of one cell",
        least_side: 3,
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
        least_side: 3,
        parameters: &[
            parameter("corridor", 1, 1_024, 1, "width of a corridor"),
            parameter("loops", 0, 100, 0, "walls opened in percent, beyond those that connect the maze"),
        ],
        run: rooms::maze,
    },
    Generator {
        name: "caves",
        summary: "organic caves joined by tunnels",
        least_side: 3,
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
        least_side: 3,
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
        least_side: 3,
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
        least_side: 32,
        parameters: &[
            parameter("district", 32, 1_024, 110, "side of a district, nearly"),
            parameter("wild", 0, 100, 55, "districts of fields and caves in percent; the others are built"),
            parameter("river", 0, 64, 0, "width of a river through the level, 0 for none"),
            parameter("castle", 0, 1_024, 0, "side of a moated castle in the middle, 0 for none"),
        ],
        run: level::level,
    },
];

/// Makes a map. Parameters that are not given have their defaults; of one that is given twice the last counts.
///
/// # Errors
/// When the generator or a parameter is unknown, a value lies outside its range, or the map would be too small.
pub fn generate(
    kind: &str,
    size: Size,
    seed: u64,
    parameters: &[(&str, u32)],
) -> Result<Tiles, GenerateError> {
    let Some(generator) = GENERATORS.iter().find(|generator| generator.name == kind) else {
        let nearest = nearest(kind, GENERATORS.iter().map(|generator| generator.name));
        return Err(GenerateError::UnknownGenerator { name: kind.to_owned(), nearest });
    };
    let values = generator.checked(parameters)?;
    let least = generator.least_side;
    if size.width() < least || size.height() < least {
        return Err(GenerateError::TooSmall {
            generator: generator.name,
            least,
            width: size.width(),
            height: size.height(),
        });
    }
    Ok((generator.run)(size, &mut Dice::new(seed), &values))
}

impl Generator {
    /// All parameters, those that are given checked.
    fn checked(&self, given: &[(&str, u32)]) -> Result<Values, GenerateError> {
        let mut values: Vec<u32> = self.parameters.iter().map(|parameter| parameter.default).collect();
        for &(name, value) in given {
            let Some(number) = self.parameters.iter().position(|parameter| parameter.name == name) else {
                let nearest = nearest(name, self.parameters.iter().map(|parameter| parameter.name));
                return Err(GenerateError::UnknownParameter {
                    generator: self.name,
                    name: name.to_owned(),
                    nearest,
                });
            };
            let GeneratorParameter { name: parameter, min, max, .. } = self.parameters[number];
            if !(min..=max).contains(&value) {
                return Err(GenerateError::OutOfRange { generator: self.name, parameter, value, min, max });
            }
            values[number] = value;
        }
        Ok(Values { parameters: self.parameters, values })
    }
}

#[cfg(test)]
mod tests;
