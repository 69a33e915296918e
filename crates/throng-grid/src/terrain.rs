//! What a cell is made of, and which characters may walk on it at what cost.

use crate::moves::{Cost, DIAGONAL, STRAIGHT};

/// What a cell is made of: one class for each character of the MovingAI format, so that a map is written
/// as it was read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[repr(u8)]
pub enum Terrain {
    /// `.`, plain ground.
    #[default]
    Ground,
    /// `G`, plain ground too.
    Grass,
    /// `S`, swamp; shallow water in WarCraft III maps.
    Swamp,
    /// `W`, water.
    Water,
    /// `T`, trees.
    Trees,
    /// `@`, a wall.
    Wall,
    /// `O`, outside the level.
    Outside,
}

impl Terrain {
    /// Every class, in the order of its number.
    pub const ALL: [Self; 7] =
        [Self::Ground, Self::Grass, Self::Swamp, Self::Water, Self::Trees, Self::Wall, Self::Outside];

    /// The class that a map file's character stands for.
    pub const fn from_char(character: u8) -> Option<Self> {
        Some(match character {
            b'.' => Self::Ground,
            b'G' => Self::Grass,
            b'S' => Self::Swamp,
            b'W' => Self::Water,
            b'T' => Self::Trees,
            b'@' => Self::Wall,
            b'O' => Self::Outside,
            _ => return None,
        })
    }

    /// The character that stands for this class in a map file.
    pub const fn to_char(self) -> u8 {
        b".GSWT@O"[self as usize]
    }
}

/// A kind of character: which terrain it may enter, and what a step there costs.
///
/// Multipliers are counted in halves, so that the average over the two ends of a step is a whole number of
/// quarters and every cost is an integer: an edge between cells with multipliers `a` and `b` (in halves)
/// costs `(a + b) * 408` straight and `(a + b) * 577` diagonally.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Profile {
    halves: [u8; Terrain::ALL.len()],
}

impl Profile {
    /// Walks on ground, grass and swamp, all at the plain cost.
    pub const WALKER: Self = Self { halves: [2, 2, 2, 0, 0, 0, 0] };

    /// WarCraft III's terrain: ground 1.0, trees 1.5, shallow water (swamp) 2.0, water 2.5.
    pub const WC3: Self = Self { halves: [2, 2, 4, 5, 3, 0, 0] };

    /// The largest multiplier, in halves: eight times the plain cost.
    pub const MAX_HALVES: u8 = 16;

    /// A profile from multipliers in halves, in the order of [`Terrain::ALL`]; 0 means "may not enter".
    ///
    /// `None` when a multiplier is beyond [`Profile::MAX_HALVES`] or nothing may be entered.
    pub const fn from_halves(halves: [u8; Terrain::ALL.len()]) -> Option<Self> {
        let mut enterable = false;
        let mut i = 0;
        while i < halves.len() {
            if halves[i] > Self::MAX_HALVES {
                return None;
            }
            enterable |= halves[i] > 0;
            i += 1;
        }
        if enterable { Some(Self { halves }) } else { None }
    }

    /// Whether a character of this kind may stand on the terrain.
    pub const fn enters(self, terrain: Terrain) -> bool {
        self.halves[terrain as usize] > 0
    }

    /// The terrain's multiplier in halves, 0 when it may not be entered.
    pub const fn halves(self, terrain: Terrain) -> u8 {
        self.halves[terrain as usize]
    }

    /// The smallest multiplier in halves of what may be entered: heuristics are scaled by it.
    pub const fn min_halves(self) -> u8 {
        let mut least = u8::MAX;
        let mut i = 0;
        while i < self.halves.len() {
            if self.halves[i] > 0 && self.halves[i] < least {
                least = self.halves[i];
            }
            i += 1;
        }
        least
    }

    /// The largest multiplier in halves of what may be entered.
    pub const fn max_halves(self) -> u8 {
        let mut most = 0;
        let mut i = 0;
        while i < self.halves.len() {
            if self.halves[i] > most {
                most = self.halves[i];
            }
            i += 1;
        }
        most
    }

    /// Cost of a straight and of a diagonal step on the cheapest terrain that may be entered.
    pub const fn min_step_costs(self) -> [Cost; 2] {
        let least = self.min_halves() as Cost;
        [STRAIGHT / 2 * least, DIAGONAL / 2 * least]
    }

    /// Whether every terrain that may be entered costs the same.
    pub const fn is_uniform(self) -> bool {
        self.min_halves() == self.max_halves()
    }
}

impl Default for Profile {
    fn default() -> Self {
        Self::WALKER
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_its_own_character() {
        for terrain in Terrain::ALL {
            assert_eq!(Terrain::from_char(terrain.to_char()), Some(terrain));
        }
        assert_eq!((0..=255).filter(|&c| Terrain::from_char(c).is_some()).count(), Terrain::ALL.len());
    }

    #[test]
    fn profiles_know_their_extremes() {
        assert!(Profile::WALKER.is_uniform());
        assert!(!Profile::WC3.is_uniform());
        assert_eq!((Profile::WC3.min_halves(), Profile::WC3.max_halves()), (2, 5));
        assert_eq!(Profile::WC3.min_step_costs(), [STRAIGHT, DIAGONAL]);
        assert!(Profile::WC3.enters(Terrain::Trees) && !Profile::WALKER.enters(Terrain::Trees));
        assert_eq!(Profile::from_halves([0; 7]), None);
        assert_eq!(Profile::from_halves([17, 0, 0, 0, 0, 0, 0]), None);
    }
}
