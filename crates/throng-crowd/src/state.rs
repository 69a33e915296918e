//! Saved state: plain serde types in the postcard format, checked against the world before they are used.
//!
//! A planner keeps everything that its next decisions depend on in types that implement serde and [`Validate`]. Saving
//! is one [`encode`], loading one [`decode`]: it refuses bytes that are cut short or followed by others, and then has
//! every cell, agent, time and count compared with the [`Limits`] of the world. A checksum finds accidents only; these
//! checks are what keeps an altered snapshot from causing a panic or an endless loop in a later tick.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use throng_grid::limits::LimitError;
use throng_grid::{Cell, Grid, ProfileId, Size};
use throng_search::TouchedTiles;

use crate::AgentRow;

/// Why saved state is refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The bytes are not the encoding of the expected type.
    #[error("the saved state cannot be read: {0}")]
    Encoding(String),
    /// Bytes follow the state.
    #[error("{0} bytes follow the saved state")]
    Trailing(usize),
    /// The state stands for more than can be loaded.
    #[error(transparent)]
    TooLarge(#[from] LimitError),
    /// A value lies outside the world that it belongs to.
    #[error("the saved state is inconsistent: {0}")]
    Invalid(String),
}

impl StateError {
    /// A value is wrong, for the reason given.
    pub fn invalid(reason: impl Into<String>) -> Self {
        Self::Invalid(reason.into())
    }
}

/// The world that saved state belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The size of the map.
    pub size: Size,
    /// One more than the highest row of any agent so far.
    pub agents: usize,
    /// The number of ticks so far.
    pub tick: u64,
    /// The number of profiles.
    pub profiles: usize,
}

impl Limits {
    /// The limits of a world with this map.
    pub fn new(grid: &Grid, agents: usize, tick: u64) -> Self {
        Self { size: grid.size(), agents, tick, profiles: grid.grounds().len() }
    }

    /// Checks that a condition holds.
    ///
    /// # Errors
    /// When it does not.
    pub fn require(&self, condition: bool, what: &str) -> Result<(), StateError> {
        if condition { Ok(()) } else { Err(StateError::invalid(what)) }
    }

    /// Checks that a number does not exceed a limit.
    ///
    /// # Errors
    /// When it does.
    pub fn at_most(&self, value: impl Into<u64>, max: u64, what: &str) -> Result<(), StateError> {
        let value = value.into();
        if value <= max {
            Ok(())
        } else {
            Err(StateError::invalid(format!("{what} is {value}, at most {max} is possible")))
        }
    }

    /// Checks that a number counts things of which the map has at most one per cell, such as the expansions of a search
    /// that never expands a cell twice.
    ///
    /// # Errors
    /// When there are more than cells.
    pub fn at_most_cells(&self, value: impl Into<u64>, what: &str) -> Result<(), StateError> {
        self.at_most(value, self.size.area() as u64, what)
    }

    /// Checks that a time has passed or is the present tick.
    ///
    /// # Errors
    /// When it lies in the future.
    pub fn past_tick(&self, tick: u64) -> Result<(), StateError> {
        self.at_most(tick, self.tick, "a past tick")
    }

    /// Checks that a time lies at most `horizon` ticks ahead.
    ///
    /// # Errors
    /// When it lies further ahead.
    pub fn coming_tick(&self, tick: u64, horizon: u64) -> Result<(), StateError> {
        self.at_most(tick, self.tick.saturating_add(horizon), "a coming tick")
    }

    /// Checks that a list with one entry per agent is not longer than the agents are.
    ///
    /// # Errors
    /// When it is longer.
    pub fn per_agent<T: Validate>(&self, entries: &[T]) -> Result<(), StateError> {
        self.at_most(entries.len() as u64, self.agents as u64, "the number of agents")?;
        entries.iter().try_for_each(|entry| entry.validate(self))
    }
}

/// Saved state that can be compared with the world it belongs to.
///
/// Implementations take themselves apart with `let Self { a, b } = self;`, so that a new field cannot be forgotten.
pub trait Validate {
    /// Checks every cell, agent, time and count.
    ///
    /// # Errors
    /// When a value could not have been saved in this world.
    fn validate(&self, limits: &Limits) -> Result<(), StateError>;
}

impl Validate for Cell {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        limits.require(self.index() < limits.size.area(), "a cell lies outside the map")
    }
}

impl Validate for AgentRow {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        limits.require(self.index() < limits.agents, "an agent does not exist")
    }
}

impl Validate for ProfileId {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        limits.require(usize::from(self.0) < limits.profiles, "a profile does not exist")
    }
}

impl Validate for TouchedTiles {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        let words = limits.size.tile_count().div_ceil(64);
        let fits = self.tiles().is_empty() || self.tiles().len() == words;
        limits.require(fits, "the tiles are those of another map")
    }
}

impl Validate for () {
    fn validate(&self, _: &Limits) -> Result<(), StateError> {
        Ok(())
    }
}

impl<T: Validate> Validate for Option<T> {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        self.as_ref().map_or(Ok(()), |value| value.validate(limits))
    }
}

impl<T: Validate> Validate for [T] {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        self.iter().try_for_each(|value| value.validate(limits))
    }
}

impl<T: Validate> Validate for Vec<T> {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        self.as_slice().validate(limits)
    }
}

impl<T: Validate, const N: usize> Validate for [T; N] {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        self.as_slice().validate(limits)
    }
}

impl<A: Validate, B: Validate> Validate for (A, B) {
    fn validate(&self, limits: &Limits) -> Result<(), StateError> {
        self.0.validate(limits)?;
        self.1.validate(limits)
    }
}

/// Appends the encoding of a value.
///
/// # Panics
/// When a `Serialize` implementation fails, which those of plain types do not.
pub fn encode<T: Serialize + ?Sized>(value: &T, bytes: &mut Vec<u8>) {
    *bytes = postcard::to_extend(value, std::mem::take(bytes))
        .expect("plain types can be encoded: a bug of throng");
}

/// Reads what [`encode`] wrote, all of it, and checks it.
///
/// # Errors
/// When the bytes are not the encoding of such a value, others follow, or the value does not fit the world.
pub fn decode<T: DeserializeOwned + Validate>(bytes: &[u8], limits: &Limits) -> Result<T, StateError> {
    let value: T = decode_unchecked(bytes)?;
    value.validate(limits)?;
    Ok(value)
}

/// Reads what [`encode`] wrote, all of it, without comparing it with a world.
///
/// # Errors
/// When the bytes are not the encoding of such a value, or others follow.
pub fn decode_unchecked<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, StateError> {
    let (value, rest) = decode_prefix(bytes)?;
    if rest.is_empty() { Ok(value) } else { Err(StateError::Trailing(rest.len())) }
}

/// Reads what [`encode`] wrote and returns it with the bytes that follow, without comparing it with a world.
///
/// # Errors
/// When the bytes do not begin with the encoding of such a value.
pub fn decode_prefix<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<(T, &'a [u8]), StateError> {
    postcard::take_from_bytes(bytes).map_err(|error| StateError::Encoding(error.to_string()))
}

/// Lists of integers as little-endian bytes, for `#[serde(with = "…")]`: smaller than variable-length integers where
/// most values are large, such as hashes.
pub mod le_bytes {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    /// An integer of fixed size.
    pub trait LittleEndian: Sized {
        /// Returns the bytes of a list, those of each integer lowest first.
        fn to_bytes(list: &[Self]) -> Vec<u8>;
        /// Returns the list of such bytes, `None` if they are not a whole number of integers.
        fn from_bytes(bytes: &[u8]) -> Option<Vec<Self>>;
    }

    macro_rules! little_endian {
        ($integer:ty) => {
            impl LittleEndian for $integer {
                fn to_bytes(list: &[Self]) -> Vec<u8> {
                    list.iter().map(|value| value.to_le_bytes()).collect::<Vec<_>>().into_flattened()
                }

                fn from_bytes(bytes: &[u8]) -> Option<Vec<Self>> {
                    let (values, rest) = bytes.as_chunks();
                    rest.is_empty().then(|| values.iter().map(|&value| Self::from_le_bytes(value)).collect())
                }
            }
        };
    }

    little_endian!(u16);
    little_endian!(u32);
    little_endian!(u64);

    /// Writes a list.
    ///
    /// # Errors
    /// When the serializer fails.
    pub fn serialize<T: LittleEndian, S: Serializer>(list: &[T], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&T::to_bytes(list))
    }

    /// Reads a list.
    ///
    /// # Errors
    /// When the bytes are not a whole number of integers.
    pub fn deserialize<'de, T: LittleEndian, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<T>, D::Error> {
        let bytes = <&[u8]>::deserialize(deserializer)?;
        let wrong = || D::Error::invalid_length(bytes.len(), &"bytes of whole integers");
        T::from_bytes(bytes).ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng_grid::{MoveRules, Terrain, Tiles};

    fn limits() -> Limits {
        let tiles = Tiles::filled(Size::new(5, 4).unwrap(), Terrain::Ground);
        Limits::new(&Grid::new(tiles, MoveRules::default()), 3, 10)
    }

    fn bytes<T: Serialize>(value: &T) -> Vec<u8> {
        let mut bytes = Vec::new();
        encode(value, &mut bytes);
        bytes
    }

    #[test]
    fn values_come_back_and_other_bytes_are_refused() {
        let value = (vec![Cell(0), Cell(19)], Some(AgentRow(2)));
        let saved = bytes(&value);
        assert_eq!(decode::<(Vec<Cell>, Option<AgentRow>)>(&saved, &limits()), Ok(value));
        for end in 0..saved.len() {
            decode::<(Vec<Cell>, Option<AgentRow>)>(&saved[..end], &limits()).unwrap_err();
        }
        let longer = [saved, vec![0]].concat();
        assert_eq!(decode::<(Vec<Cell>, Option<AgentRow>)>(&longer, &limits()), Err(StateError::Trailing(1)));
    }

    #[test]
    fn values_outside_the_world_are_refused() {
        decode::<Vec<Cell>>(&bytes(&[Cell(20)].as_slice()), &limits()).unwrap_err();
        decode::<[AgentRow; 1]>(&bytes(&[AgentRow(3)]), &limits()).unwrap_err();
        decode::<ProfileId>(&bytes(&ProfileId(1)), &limits()).unwrap_err();
        limits().past_tick(11).unwrap_err();
        limits().coming_tick(u64::MAX, 5).unwrap_err();
        limits().coming_tick(15, 5).unwrap();
        assert_eq!(
            limits().at_most(7_u32, 6, "a count").unwrap_err().to_string(),
            "the saved state is inconsistent: a count is 7, at most 6 is possible"
        );
    }
}
