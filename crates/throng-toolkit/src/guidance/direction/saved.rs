//! Direction maps as saved state of a planner, and as files that a game ships.
//!
//! A file begins with eight bytes that identify it and a version, holds the size of the map and every vector, and ends
//! with a checksum. Vectors are checked to be no longer than one, and cells to be in order.

use serde::{Deserialize, Serialize};
use throng_crowd::StateError;
use throng_crowd::state::{decode_unchecked, encode};
use throng_grid::{Cell, Size};
use twox_hash::XxHash3_64;

use super::map::DirectionMap;
use super::vector::Vector;

const MAGIC: &[u8; 8] = b"throng-d";
const VERSION: u32 = 2;

/// Why bytes are not a valid direction map file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DirectionMapError {
    /// The bytes do not start with the identification of direction map files.
    #[error("this is not a direction map")]
    NotADirectionMap,
    /// The file has another format version.
    #[error(
        "the direction map has version {0}, and this program reads version {VERSION}: learn and save it again"
    )]
    Version(u32),
    /// The file was cut short or altered.
    #[error("the direction map is cut short or altered: its checksum does not match")]
    Checksum,
    /// The content is invalid.
    #[error(transparent)]
    State(#[from] StateError),
}

/// Vectors of some cells, in the order of the cells.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SavedVectors(Vec<(u32, Vector)>);

impl SavedVectors {
    /// Stores each cell as the number of cells left out before it, which takes one byte in most cases.
    fn new(vectors: impl Iterator<Item = (Cell, Vector)>) -> Self {
        let mut next = 0;
        let gap = |(cell, vector): (Cell, Vector)| {
            let gap = cell.0 - std::mem::replace(&mut next, cell.0 + 1);
            (gap, vector)
        };
        Self(vectors.map(gap).collect())
    }

    /// Returns the cells of a map of this size and their vectors, [`Vector::UNKNOWN`] included.
    pub(super) fn cells(&self, size: Size) -> impl Iterator<Item = Result<(Cell, Vector), StateError>> {
        let mut next = 0_usize;
        self.0.iter().map(move |&(gap, vector)| {
            let cell = next + gap as usize;
            next = cell + 1;
            if cell >= size.area() {
                Err(StateError::invalid("a vector lies outside the map"))
            } else if vector != Vector::UNKNOWN && !vector.is_valid() {
                Err(StateError::invalid("a vector is longer than one"))
            } else {
                Ok((Cell(cell as u32), vector))
            }
        })
    }
}

/// The content of a file.
#[derive(Clone, Serialize, Deserialize)]
struct FileContent {
    size: Size,
    vectors: SavedVectors,
}

impl DirectionMap {
    /// Returns every vector.
    pub fn saved(&self) -> SavedVectors {
        SavedVectors::new(self.known())
    }

    /// Restores a map of this size.
    ///
    /// # Errors
    /// When a cell lies outside the map or a vector is too long.
    pub fn restored(size: Size, saved: &SavedVectors) -> Result<Self, StateError> {
        Self::new(size).with_changes(saved)
    }

    /// Returns the vectors of another map of the same size that differ from this one.
    pub(super) fn difference(&self, other: &Self) -> SavedVectors {
        let differs = |cell: &Cell| self.vector(*cell) != other.vector(*cell);
        SavedVectors::new(self.size().cells().filter(differs).map(|cell| (cell, other.stored(cell))))
    }

    /// Returns the map with other vectors in some cells.
    pub(super) fn with_changes(mut self, changes: &SavedVectors) -> Result<Self, StateError> {
        for change in changes.cells(self.size()) {
            let (cell, vector) = change?;
            self.set(cell, Some(vector));
        }
        Ok(self)
    }

    /// Returns the map as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        encode(&FileContent { size: self.size(), vectors: self.saved() }, &mut bytes);
        bytes.extend_from_slice(&XxHash3_64::oneshot(&bytes).to_le_bytes());
        bytes
    }

    /// Reads a map from a file. The memory needed is bounded by the size that the file names.
    ///
    /// # Errors
    /// When the bytes are not what [`DirectionMap::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DirectionMapError> {
        let content = bytes.strip_prefix(MAGIC).ok_or(DirectionMapError::NotADirectionMap)?;
        let (version, _) = content.split_first_chunk().ok_or(DirectionMapError::Checksum)?;
        let version = u32::from_le_bytes(*version);
        if version != VERSION {
            return Err(DirectionMapError::Version(version));
        }
        let (checked, sum) = bytes.split_last_chunk().ok_or(DirectionMapError::Checksum)?;
        if XxHash3_64::oneshot(checked) != u64::from_le_bytes(*sum) {
            return Err(DirectionMapError::Checksum);
        }
        let content =
            checked.get(MAGIC.len() + size_of_val(&VERSION)..).ok_or(DirectionMapError::Checksum)?;
        let FileContent { size, vectors } = decode_unchecked(content)?;
        Ok(Self::restored(size, &vectors)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rate;
    use throng_grid::Direction;

    fn learned() -> DirectionMap {
        let mut map = DirectionMap::new(Size::new(23, 11).unwrap());
        for number in 0..200_u32 {
            let cell = Cell(number * 37 % 253);
            let direction = Direction::from_number((number % 8) as u8);
            map.turn(cell, direction, Rate::millionths(u64::from(number) * 5_000));
        }
        map
    }

    #[test]
    fn a_file_restores_the_map_and_damaged_files_are_rejected() {
        let map = learned();
        let bytes = map.to_bytes();
        assert_eq!(DirectionMap::from_bytes(&bytes).as_ref(), Ok(&map));
        for end in 0..bytes.len() {
            assert!(DirectionMap::from_bytes(&bytes[..end]).is_err(), "cut short at {end}");
        }
        for at in 0..bytes.len() {
            let mut altered = bytes.clone();
            altered[at] ^= 0x11;
            assert!(DirectionMap::from_bytes(&altered).is_err(), "altered at {at}");
            // With a matching checksum it may be another map, which must be valid.
            let (content, _) = altered.split_last_chunk::<8>().unwrap();
            let mut forged = content.to_vec();
            forged.extend_from_slice(&XxHash3_64::oneshot(&forged).to_le_bytes());
            if let Ok(other) = DirectionMap::from_bytes(&forged) {
                assert!(other.known().all(|(_, vector)| vector.is_valid()));
            }
        }
        let mut later = bytes.clone();
        later[8] = 9;
        assert_eq!(DirectionMap::from_bytes(&later), Err(DirectionMapError::Version(9)));
        assert_eq!(DirectionMap::from_bytes(b"type octile"), Err(DirectionMapError::NotADirectionMap));
    }

    #[test]
    fn a_difference_turns_one_map_into_the_other() {
        let map = learned();
        let mut other = map.clone();
        other.set(Cell(3), None);
        other.set(Cell(252), Some(Vector::step(Direction::SouthWest)));
        let difference = map.difference(&other);
        let mut bytes = Vec::new();
        encode(&difference, &mut bytes);
        assert!(bytes.len() < 20, "{}", bytes.len());
        assert_eq!(map.with_changes(&difference), Ok(other));
    }
}
