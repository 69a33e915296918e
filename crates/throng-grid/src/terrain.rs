//! Terrain classes, and agent profiles: which terrain an agent may enter and at what cost.

use serde::{Deserialize, Serialize};

use crate::Classes;
use crate::moves::{Cost, DIAGONAL, STRAIGHT};

/// The terrain class of a cell: one class per character of the MovingAI format, so that a map is written back
/// unchanged.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[repr(u8)]
pub enum Terrain {
    /// `.`, ground.
    #[default]
    Ground,
    /// `G`, grass.
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
    /// All classes, in the order of their numbers.
    pub const ALL: [Self; 7] =
        [Self::Ground, Self::Grass, Self::Swamp, Self::Water, Self::Trees, Self::Wall, Self::Outside];

    /// Returns the class of a map file's character, `None` if the character is unknown.
    #[inline]
    pub const fn from_char(character: u8) -> Option<Self> {
        FROM_CHAR[character as usize]
    }

    /// Returns the class's character in a map file.
    pub const fn to_char(self) -> u8 {
        b".GSWT@O"[self as usize]
    }
}

/// The terrain of each character of a map file.
static FROM_CHAR: [Option<Terrain>; 256] = {
    let mut table = [None; 256];
    let mut class = 0;
    while class < Terrain::ALL.len() {
        table[Terrain::ALL[class].to_char() as usize] = Some(Terrain::ALL[class]);
        class += 1;
    }
    table
};

/// A kind of agent: which terrain it may enter, the cost multiplier of each terrain, and a passage class, which decides
/// whether a door lets it through.
///
/// Cost multipliers are stored in halves (2 means 1.0), so that every step cost is an integer. A step costs its length
/// times the mean multiplier of its two cells: with multipliers `a` and `b` in halves, `(a + b) * 408` straight and
/// `(a + b) * 577` diagonally.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Profile {
    halves: [u8; Terrain::ALL.len()],
    class: u8,
}

impl Profile {
    /// Enters ground, grass and swamp, all at multiplier 1.0.
    pub const WALKER: Self = Self { halves: [2, 2, 2, 0, 0, 0, 0], class: 0 };

    /// The terrain costs of the WarCraft III maps: ground and grass 1.0, trees 1.5, shallow water (swamp) 2.0, water
    /// 2.5.
    pub const WC3: Self = Self { halves: [2, 2, 4, 5, 3, 0, 0], class: 0 };

    /// The maximum multiplier in halves: 8.0.
    pub const MAX_HALVES: u8 = 16;

    /// Returns a profile from multipliers in halves, in the order of [`Terrain::ALL`]. 0 marks terrain that the agent
    /// may not enter.
    ///
    /// Returns `None` if a multiplier exceeds [`Profile::MAX_HALVES`] or no terrain may be entered.
    pub fn from_halves(halves: [u8; Terrain::ALL.len()]) -> Option<Self> {
        let profile = Self { halves, class: 0 };
        (1..=Self::MAX_HALVES).contains(&profile.max_halves()).then_some(profile)
    }

    /// Returns the same profile with a passage class, for example that of a team: see [`Grid::set_door`](crate::Grid::set_door).
    /// Profiles of different classes are different profiles.
    ///
    /// Returns `None` if the class is not below [`Classes::COUNT`].
    #[must_use]
    pub const fn with_class(self, class: u8) -> Option<Self> {
        if class < Classes::COUNT { Some(Self { class, ..self }) } else { None }
    }

    /// Returns the passage class; 0 unless [`Profile::with_class`] set it.
    pub const fn class(self) -> u8 {
        self.class
    }

    /// Returns true if an agent with this profile may enter the terrain.
    pub const fn enters(self, terrain: Terrain) -> bool {
        self.halves[terrain as usize] > 0
    }

    /// Returns the terrain's multiplier in halves, 0 if it may not be entered.
    pub const fn halves(self, terrain: Terrain) -> u8 {
        self.halves[terrain as usize]
    }

    /// Returns the smallest multiplier, in halves, of the enterable terrain. Heuristics are scaled by it.
    pub fn min_halves(self) -> u8 {
        self.halves.into_iter().filter(|&halves| halves > 0).fold(u8::MAX, u8::min)
    }

    /// Returns the largest multiplier, in halves, of the enterable terrain.
    pub fn max_halves(self) -> u8 {
        self.halves.into_iter().fold(0, u8::max)
    }

    /// Returns the costs of a straight and of a diagonal step on the cheapest enterable terrain.
    pub fn min_step_costs(self) -> [Cost; 2] {
        let halves = Cost::from(self.min_halves());
        [STRAIGHT / 2 * halves, DIAGONAL / 2 * halves]
    }

    /// Returns true if all enterable terrain has the same multiplier.
    pub fn is_uniform(self) -> bool {
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
    fn terrain_characters_are_unique_and_parse_back() {
        for terrain in Terrain::ALL {
            assert_eq!(Terrain::from_char(terrain.to_char()), Some(terrain));
        }
        assert_eq!((0..=255).filter(|&c| Terrain::from_char(c).is_some()).count(), Terrain::ALL.len());
    }

    #[test]
    fn profiles_report_their_minimum_and_maximum_multipliers() {
        assert!(Profile::WALKER.is_uniform());
        assert!(!Profile::WC3.is_uniform());
        assert_eq!((Profile::WC3.min_halves(), Profile::WC3.max_halves()), (2, 5));
        assert_eq!(Profile::WC3.min_step_costs(), [STRAIGHT, DIAGONAL]);
        assert!(Profile::WC3.enters(Terrain::Trees) && !Profile::WALKER.enters(Terrain::Trees));
        assert_eq!(Profile::from_halves([0; 7]), None);
        assert_eq!(Profile::from_halves([17, 0, 0, 0, 0, 0, 0]), None);
        assert_eq!(Profile::WALKER.with_class(31).map(Profile::class), Some(31));
        assert_eq!(Profile::WALKER.with_class(32), None);
    }
}
