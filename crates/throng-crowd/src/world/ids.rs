//! Ids of agents and foreign units: a row, and the number of units that had the row before.
//!
//! A new unit takes the lowest free row, so that arrays with one entry per row stay as short as the largest number of
//! units at a time. Its generation tells it from the units that had the row before, so an id is never given twice: a row
//! whose generations are used up is not used again.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        ///
        /// It consists of a row and a generation. Rows are reused: a new unit takes the lowest row that no unit has, with a
        /// higher generation than all units that had the row before. So two units never have the same id, also after one of
        /// them was removed. It converts to and from `u64`, for example for a save of the game.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name {
            row: u32,
            generation: u32,
        }

        impl $name {
            pub(crate) const fn new(row: u32, generation: u32) -> Self {
                Self { row, generation }
            }

            /// Returns the row: a small number that no other unit of this kind has at the same time.
            pub const fn row(self) -> u32 {
                self.row
            }

            /// Returns the row as an array index.
            pub const fn index(self) -> usize {
                self.row as usize
            }

            /// Returns the generation: the number of units that had the row before.
            pub const fn generation(self) -> u32 {
                self.generation
            }

            /// Returns the id as a number: the generation in the upper half, the row in the lower half.
            pub const fn to_bits(self) -> u64 {
                (self.generation as u64) << 32 | self.row as u64
            }

            /// Returns the id of a number that [`Self::to_bits`] returned.
            pub const fn from_bits(bits: u64) -> Self {
                Self { row: bits as u32, generation: (bits >> 32) as u32 }
            }
        }

        impl From<$name> for u64 {
            fn from(id: $name) -> Self {
                id.to_bits()
            }
        }

        impl From<u64> for $name {
            fn from(bits: u64) -> Self {
                Self::from_bits(bits)
            }
        }

        /// Written as the row, with `v` and the generation if the row was reused: `3`, `3v1`.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.generation {
                    0 => write!(f, "{}", self.row),
                    generation => write!(f, "{}v{generation}", self.row),
                }
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }
    };
}

id! {
    /// An agent of one world.
    AgentId
}

id! {
    /// A foreign unit of one world: an obstacle of one cell that the game moves.
    ForeignId
}

/// A unit of one world.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Unit {
    /// An agent.
    Agent(AgentId),
    /// A foreign unit.
    Foreign(ForeignId),
}

impl Unit {
    /// Returns the agent, `None` for a foreign unit.
    pub const fn agent(self) -> Option<AgentId> {
        match self {
            Self::Agent(agent) => Some(agent),
            Self::Foreign(_) => None,
        }
    }
}

/// Which rows have a unit, and the generation of each row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    /// Per row, the generation of the unit that has it or had it last.
    generations: Vec<u32>,
    taken: Vec<bool>,
    /// The rows that a new unit may take.
    free: BinaryHeap<Reverse<u32>>,
}

/// What an id stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// A unit.
    Present,
    /// A unit that was removed.
    Removed,
    /// No unit has or had this id.
    Never,
}

impl Rows {
    /// Gives the lowest free row to a new unit. Returns the row and the generation.
    pub(crate) fn take(&mut self) -> (u32, u32) {
        let Some(Reverse(row)) = self.free.pop() else {
            self.push(0, true);
            return (self.generations.len() as u32 - 1, 0);
        };
        let i = row as usize;
        self.taken[i] = true;
        self.generations[i] += 1;
        (row, self.generations[i])
    }

    /// Adds a row, taken or free.
    pub(crate) fn push(&mut self, generation: u32, taken: bool) {
        self.generations.push(generation);
        self.taken.push(true);
        if !taken {
            self.free(self.taken.len() as u32 - 1);
        }
    }

    /// Frees a row.
    pub(crate) fn free(&mut self, row: u32) {
        let i = row as usize;
        if std::mem::take(&mut self.taken[i]) && self.generations[i] < u32::MAX {
            self.free.push(Reverse(row));
        }
    }

    pub(crate) fn is_taken(&self, row: u32) -> bool {
        self.taken.get(row as usize).is_some_and(|&taken| taken)
    }

    /// Returns the generation of a row, 0 if there is no such row.
    pub(crate) fn generation(&self, row: u32) -> u32 {
        self.generations.get(row as usize).copied().unwrap_or(0)
    }

    /// Returns what an id stands for.
    pub(crate) fn find(&self, row: u32, generation: u32) -> Found {
        match self.generations.get(row as usize) {
            Some(&present) if generation == present && self.is_taken(row) => Found::Present,
            Some(&present) if generation <= present => Found::Removed,
            _ => Found::Never,
        }
    }
}

impl PartialEq for Rows {
    fn eq(&self, other: &Self) -> bool {
        // The free rows follow from the others.
        (&self.generations, &self.taken) == (&other.generations, &other.taken)
    }
}

impl Eq for Rows {}

#[cfg(test)]
mod tests {
    use super::Found::{Never, Present, Removed};
    use super::*;

    #[test]
    fn the_lowest_free_row_is_taken_with_a_new_generation() {
        let mut rows = Rows::default();
        assert_eq!([rows.take(), rows.take(), rows.take()], [(0, 0), (1, 0), (2, 0)]);
        rows.free(2);
        rows.free(0);
        assert_eq!(rows.find(0, 0), Found::Removed);
        assert_eq!(rows.take(), (0, 1));
        let found = [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0), (3, 0)].map(|(row, age)| rows.find(row, age));
        assert_eq!(found, [Removed, Present, Never, Present, Removed, Never]);
        assert_eq!([rows.take(), rows.take()], [(2, 1), (3, 0)]);
    }

    #[test]
    fn a_row_without_another_generation_is_not_used_again() {
        let mut rows = Rows::default();
        rows.push(u32::MAX - 1, false);
        assert_eq!(rows.take(), (0, u32::MAX));
        rows.free(0);
        assert_eq!(rows.take(), (1, 0));
        assert_eq!(rows.find(0, u32::MAX), Found::Removed);
    }

    #[test]
    fn ids_convert_to_numbers_and_back() {
        for id in
            [AgentId::new(0, 0), AgentId::new(7, 0), AgentId::new(u32::MAX, 3), AgentId::new(1, u32::MAX)]
        {
            assert_eq!(AgentId::from(u64::from(id)), id);
        }
        assert_eq!(u64::from(ForeignId::new(2, 1)), 1 << 32 | 2);
        assert_eq!([AgentId::new(3, 0).to_string(), AgentId::new(3, 1).to_string()], ["3", "3v1"]);
        assert_eq!(format!("{:?}", AgentId::new(3, 1)), "AgentId(3v1)");
    }
}
