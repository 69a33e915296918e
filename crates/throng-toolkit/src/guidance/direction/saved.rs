//! Direction maps as bytes: within what a planner saves, and as files that a game ships.
//!
//! A file begins with eight bytes that say what it is and a version, holds the map's size and every vector, and ends
//! with a checksum. What is read is checked: vectors are no longer than one, and cells are in order.

use throng_grid::{Cell, Size};

use super::map::DirectionMap;
use super::vector::Vector;
use throng_crowd::bytes::{Damaged, Reader, checksum, put, put_fixed, put_signed};

const MAGIC: &[u8; 8] = b"throng-d";
const VERSION: u64 = 1;

/// Why bytes are no direction map.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DirectionMapError {
    /// The bytes are something else.
    #[error("this is not a direction map")]
    NotADirectionMap,
    /// It was written by another version.
    #[error("the direction map has version {0}, and this program reads version {VERSION}")]
    Version(u64),
    /// It was cut short or altered.
    #[error("the direction map is cut short or altered: its checksum does not fit")]
    Checksum,
    /// The bytes are not what is written.
    #[error(transparent)]
    Damaged(#[from] Damaged),
}

impl Vector {
    pub(super) fn save(self, bytes: &mut Vec<u8>) {
        put_signed(bytes, i32::from(self.x));
        put_signed(bytes, i32::from(self.y));
    }

    pub(super) fn load(reader: &mut Reader<'_>) -> Result<Self, Damaged> {
        let (x, y) = (reader.signed("a vector")?, reader.signed("a vector")?);
        let (Ok(x), Ok(y)) = (i16::try_from(x), i16::try_from(y)) else {
            return Err(reader.damaged("a vector"));
        };
        let vector = Self { x, y };
        // Rounding may make a vector a trifle longer than one.
        let longest = u32::from(Self::ONE.unsigned_abs()) + 2;
        if vector.is_known() && vector.square() <= longest.pow(2) {
            Ok(vector)
        } else {
            Err(reader.damaged("a vector of at most length one"))
        }
    }
}

impl DirectionMap {
    /// Appends every vector.
    pub fn save(&self, bytes: &mut Vec<u8>) {
        put_cells(bytes, || self.known());
    }

    /// Reads what [`DirectionMap::save`] wrote, for a map of this size.
    ///
    /// # Errors
    /// When the bytes are not what it writes.
    pub fn load(reader: &mut Reader<'_>, size: Size) -> Result<Self, Damaged> {
        let mut map = Self::new(size);
        read_cells(reader, size, |cell, vector| map.set(cell, vector))?;
        Ok(map)
    }

    /// Appends what is different in another map of the same size.
    pub fn save_difference(&self, other: &Self, bytes: &mut Vec<u8>) {
        let cells = || self.size().cells().filter(|&cell| self.vector(cell) != other.vector(cell));
        put_cells(bytes, || cells().map(|cell| (cell, other.vector(cell).unwrap_or(Vector::UNKNOWN))));
    }

    /// The other map, from what [`DirectionMap::save_difference`] wrote.
    ///
    /// # Errors
    /// When the bytes are not what it writes.
    pub fn load_difference(&self, reader: &mut Reader<'_>) -> Result<Self, Damaged> {
        let mut map = self.clone();
        read_cells(reader, self.size(), |cell, vector| map.set(cell, vector))?;
        Ok(map)
    }

    /// The map as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        put(&mut bytes, VERSION);
        put(&mut bytes, u64::from(self.size().width()));
        put(&mut bytes, u64::from(self.size().height()));
        self.save(&mut bytes);
        let sum = checksum(0, &bytes);
        put_fixed(&mut bytes, sum);
        bytes
    }

    /// The map from a file. What it takes in memory is bounded by the size that the file names, at most that of the
    /// largest map there is.
    ///
    /// # Errors
    /// When the bytes are not what [`DirectionMap::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, DirectionMapError> {
        let Some(content) = bytes.strip_prefix(MAGIC) else {
            return Err(DirectionMapError::NotADirectionMap);
        };
        let version = Reader::new(content).number("a version")?;
        if version != VERSION {
            return Err(DirectionMapError::Version(version));
        }
        let Some((content, sum)) = bytes.split_last_chunk::<8>() else {
            return Err(DirectionMapError::Checksum);
        };
        if checksum(0, content) != u64::from_le_bytes(*sum) {
            return Err(DirectionMapError::Checksum);
        }
        let mut reader = Reader::new(&content[MAGIC.len()..]);
        reader.number("a version")?;
        let width = reader.number_to(u64::from(u32::MAX), "a width")? as u32;
        let height = reader.number_to(u64::from(u32::MAX), "a height")? as u32;
        let size = Size::new(width, height).ok_or(reader.damaged("the size of a map"))?;
        let map = Self::load(&mut reader, size)?;
        if reader.is_done() { Ok(map) } else { Err(reader.damaged("the end").into()) }
    }
}

/// Appends cells in order with their vectors.
fn put_cells<I: Iterator<Item = (Cell, Vector)>>(bytes: &mut Vec<u8>, cells: impl Fn() -> I) {
    put(bytes, cells().count() as u64);
    let mut next = 0;
    for (cell, vector) in cells() {
        put(bytes, u64::from(cell.0 - next) << 1 | u64::from(vector.is_known()));
        if vector.is_known() {
            vector.save(bytes);
        }
        next = cell.0 + 1;
    }
}

fn read_cells(
    reader: &mut Reader<'_>,
    size: Size,
    mut each: impl FnMut(Cell, Option<Vector>),
) -> Result<(), Damaged> {
    let mut next = 0;
    for _ in 0..reader.length("vectors")? {
        let left = (size.area() as u64).checked_sub(next + 1).ok_or(reader.damaged("cells of the map"))?;
        let gap = reader.number_to(left << 1 | 1, "a cell")?;
        let cell = next + (gap >> 1);
        let vector = if gap & 1 == 1 { Some(Vector::load(reader)?) } else { None };
        each(Cell(cell as u32), vector);
        next = cell + 1;
    }
    Ok(())
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
    fn a_file_holds_the_whole_map_and_nothing_else_is_taken_for_one() {
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
            // With a checksum that fits again it may be another map, but it does no harm.
            let (content, _) = altered.split_last_chunk::<8>().unwrap();
            let mut forged = content.to_vec();
            let sum = checksum(0, &forged);
            put_fixed(&mut forged, sum);
            if let Ok(other) = DirectionMap::from_bytes(&forged) {
                let longest = u32::from(Vector::ONE.unsigned_abs()) + 2;
                assert!(other.known().all(|(_, vector)| vector.square() <= longest.pow(2)));
            }
        }
        let mut later = bytes.clone();
        later[8] = 9;
        assert_eq!(DirectionMap::from_bytes(&later), Err(DirectionMapError::Version(9)));
        assert_eq!(DirectionMap::from_bytes(b"type octile"), Err(DirectionMapError::NotADirectionMap));
    }

    #[test]
    fn a_difference_leads_from_one_map_to_the_other() {
        let map = learned();
        let mut other = map.clone();
        other.set(Cell(3), None);
        other.set(Cell(252), Some(Vector::step(Direction::SouthWest)));
        let mut bytes = Vec::new();
        map.save_difference(&other, &mut bytes);
        assert!(bytes.len() < 20, "{}", bytes.len());
        let mut reader = Reader::new(&bytes);
        assert_eq!(map.load_difference(&mut reader), Ok(other));
        assert!(reader.is_done());
    }
}
