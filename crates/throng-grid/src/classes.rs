//! Passage classes: whom doors let through, and for whom a cost overlay counts.
//!
//! Every profile has one of [`Classes::COUNT`] classes, class 0 unless it says otherwise. Two teams with the same terrain
//! costs are two profiles that differ in their class.

use serde::{Deserialize, Serialize};

/// A set of passage classes.
///
/// ```
/// use throng_grid::Classes;
///
/// let guards = Classes::NONE.with(1).with(4);
/// assert!(guards.contains(4) && !guards.contains(0));
/// assert!(guards.except().contains(0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Classes(u32);

impl Classes {
    /// The number of classes; they are numbered from 0.
    pub const COUNT: u8 = 32;
    /// No class.
    pub const NONE: Self = Self(0);
    /// All classes.
    pub const ALL: Self = Self(u32::MAX);

    /// Returns the set with one class more. A number of [`Classes::COUNT`] or more is not a class and changes nothing.
    #[must_use]
    pub const fn with(self, class: u8) -> Self {
        Self(self.0 | bit(class))
    }

    /// Returns the set of one class.
    pub const fn only(class: u8) -> Self {
        Self::NONE.with(class)
    }

    /// Returns the set of all other classes.
    #[must_use]
    pub const fn except(self) -> Self {
        Self(!self.0)
    }

    /// Returns true if the set has the class.
    #[inline]
    pub const fn contains(self, class: u8) -> bool {
        self.0 & bit(class) != 0
    }

    /// Returns one bit per class, that of class 0 lowest.
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// Returns the set with these bits.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
}

impl FromIterator<u8> for Classes {
    fn from_iter<I: IntoIterator<Item = u8>>(classes: I) -> Self {
        classes.into_iter().fold(Self::NONE, Self::with)
    }
}

#[inline]
const fn bit(class: u8) -> u32 {
    if class < Classes::COUNT { 1 << class } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_the_classes_they_were_made_of() {
        let set: Classes = [0, 31, 7].into_iter().collect();
        assert_eq!((0..Classes::COUNT).filter(|&class| set.contains(class)).collect::<Vec<_>>(), [0, 7, 31]);
        assert_eq!(set.except().with(0).with(7).with(31), Classes::ALL);
        assert_eq!(Classes::only(32), Classes::NONE);
        assert!(!Classes::ALL.contains(32));
    }
}
