//! The names of maps in experiments, and why a map cannot be opened.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use throng::grid::builtin::builtin;
use throng::grid::generate::{GenerateError, generate};
use throng::grid::movingai::ParseError;
use throng::grid::spec::SpecError;
use throng::{Pos, Size};

/// The name of a map in an experiment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MapName {
    /// `builtin:NAME`.
    Builtin(String),
    /// `generate:KIND@WxH#SEED`; without `#SEED` another map for each problem.
    Generated {
        /// The generator with its parameters.
        kind: String,
        /// The map's size.
        size: Size,
        /// The seed; none if each problem has another map.
        seed: Option<u64>,
    },
    /// A file.
    File(String),
    /// `FILE@WxH+X+Y`: a rectangle of a file.
    Cut {
        /// The file.
        file: String,
        /// The size of the rectangle.
        size: Size,
        /// The upper left corner of the rectangle.
        corner: Pos,
    },
}

/// Why a map or scenario cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MapError {
    /// There is no such built-in map.
    #[error(transparent)]
    Builtin(#[from] SpecError),
    /// The map cannot be generated.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// The name of a generated map is malformed.
    #[error(
        "`{0}` is malformed: write generate:KIND@WIDTHxHEIGHT, and add #SEED to get the same map for all problems"
    )]
    Form(String),
    /// The name of a rectangle of a map is malformed.
    #[error("`{0}` is malformed: write FILE@WIDTHxHEIGHT+X+Y for a rectangle of a map")]
    CutForm(String),
    /// The rectangle is not inside the map.
    #[error("`{0}` is not inside its map")]
    Beyond(String),
    /// There is no such file.
    #[error("there is no {what} {name} in {places}{hint}")]
    Missing {
        /// `map` or `scenario`.
        what: &'static str,
        /// The name in the experiment.
        name: String,
        /// The folders that were searched.
        places: String,
        /// How to get the file.
        hint: String,
    },
    /// The file cannot be read.
    #[error("cannot read {}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// The file is not a map or not a scenario.
    #[error("{}:{reason}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// The place and the reason.
        reason: ParseError,
    },
}

impl FromStr for MapName {
    type Err = MapError;

    fn from_str(text: &str) -> Result<Self, MapError> {
        let name = Self::read(text)?;
        match &name {
            Self::Builtin(name) => drop(builtin(name)?),
            Self::Generated { kind, .. } => {
                // A small map is enough to check the kind and its parameters.
                let small = Size::new(64, 64).ok_or_else(|| MapError::Form(text.to_owned()))?;
                generate(kind, small, 0)?;
            }
            Self::File(_) | Self::Cut { .. } => {}
        }
        Ok(name)
    }
}

impl MapName {
    /// Parses a name; the map need not exist.
    pub(crate) fn read(text: &str) -> Result<Self, MapError> {
        if text.starts_with("builtin:") {
            return Ok(Self::Builtin(text.to_owned()));
        }
        let Some(rest) = text.strip_prefix("generate:") else {
            let Some((file, part)) = text.split_once('@') else { return Ok(Self::File(text.to_owned())) };
            return Self::cut(file, part).ok_or_else(|| MapError::CutForm(text.to_owned()));
        };
        let parts = || {
            let (kind, rest) = rest.split_once('@')?;
            let (size, seed) = rest.split_once('#').map_or((rest, None), |(size, seed)| (size, Some(seed)));
            let (width, height) = size.split_once('x')?;
            let size = Size::new(width.parse().ok()?, height.parse().ok()?)?;
            let seed = seed.map(str::parse).transpose().ok()?;
            Some(Self::Generated { kind: kind.to_owned(), size, seed })
        };
        parts().ok_or_else(|| MapError::Form(text.to_owned()))
    }

    fn cut(file: &str, part: &str) -> Option<Self> {
        let mut numbers = part.split(['x', '+']).map(str::parse::<u32>);
        let mut next = || numbers.next()?.ok();
        let (width, height, x, y) = (next()?, next()?, next()?, next()?);
        let corner = Pos::new(i32::try_from(x).ok()?, i32::try_from(y).ok()?);
        let cut = Self::Cut { file: file.to_owned(), size: Size::new(width, height)?, corner };
        // Only the canonical form is accepted.
        (cut.to_string().strip_prefix(file)?.strip_prefix('@')? == part).then_some(cut)
    }

    /// Returns the size of a map that is generated for each problem; none for other maps.
    pub(crate) fn fresh(text: &str) -> Option<Size> {
        match Self::read(text) {
            Ok(Self::Generated { size, seed: None, .. }) => Some(size),
            _ => None,
        }
    }
}

impl fmt::Display for MapName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Builtin(name) | Self::File(name) => f.write_str(name),
            Self::Cut { file, size, corner } => {
                write!(f, "{file}@{}x{}+{}+{}", size.width(), size.height(), corner.x, corner.y)
            }
            Self::Generated { kind, size, seed } => {
                write!(f, "generate:{kind}@{}x{}", size.width(), size.height())?;
                seed.map_or(Ok(()), |seed| write!(f, "#{seed}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed_and_printed() {
        for name in [
            "builtin:arena",
            "generate:maze:corridor=2@128x64#7",
            "generate:town@96x96",
            "dao/arena.map",
            "a@8x9+1+0",
        ] {
            assert_eq!(name.parse::<MapName>().unwrap().to_string(), name);
        }
        for bad in ["generate:maze", "generate:maze@12", "generate:maze@9x9#x", "generate:maze@0x9"] {
            assert!(matches!(bad.parse::<MapName>(), Err(MapError::Form(_))), "{bad}");
        }
    }
}
