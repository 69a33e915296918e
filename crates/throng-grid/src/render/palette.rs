//! Colours: earth and stone tones for the map, strong colours for the layers above it.

use crate::Terrain;

/// A colour: red, green, blue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    /// Colours that differ from each other and from every terrain colour.
    pub const STRONG: [Self; 8] = [
        Self(214, 40, 57),
        Self(52, 90, 217),
        Self(245, 133, 24),
        Self(143, 57, 201),
        Self(0, 150, 150),
        Self(232, 74, 158),
        Self(20, 120, 50),
        Self(120, 70, 30),
    ];

    /// Returns one of the strong colours; the number is taken modulo their count.
    pub const fn nth(number: usize) -> Self {
        Self::STRONG[number % Self::STRONG.len()]
    }

    /// Returns a muted version of the colour, for agents that have arrived.
    #[must_use]
    pub const fn muted(self) -> Self {
        self.mix(STONE, 165)
    }

    /// Mixes the colour with another; `share` / 255 is the weight of the other.
    pub(crate) const fn mix(self, other: Self, share: u8) -> Self {
        const fn one(a: u8, b: u8, share: u8) -> u8 {
            ((a as u32 * (255 - share as u32) + b as u32 * share as u32 + 127) / 255) as u8
        }
        Self(one(self.0, other.0, share), one(self.1, other.1, share), one(self.2, other.2, share))
    }

    /// Returns the colour lighter (positive) or darker (negative) by an amount per channel.
    pub(crate) const fn shifted(self, by: i8) -> Self {
        Self(
            self.0.saturating_add_signed(by),
            self.1.saturating_add_signed(by),
            self.2.saturating_add_signed(by),
        )
    }
}

/// Shadows and outlines.
pub(crate) const INK: Colour = Colour(24, 22, 30);
/// Highlights.
pub(crate) const PAPER: Colour = Colour(255, 253, 245);
/// The colour that muted colours are mixed with.
const STONE: Colour = Colour(168, 160, 150);
/// Cells that a search expanded.
pub(crate) const EXPANDED: Colour = Colour(92, 112, 240);
/// Stripes on blocked cells.
pub(crate) const BLOCKED: [Colour; 2] = [Colour(196, 74, 52), Colour(120, 38, 34)];

/// Returns the base colour of a terrain.
pub(crate) const fn terrain(terrain: Terrain) -> Colour {
    match terrain {
        Terrain::Ground => Colour(226, 212, 183),
        Terrain::Grass => Colour(171, 197, 116),
        Terrain::Swamp => Colour(132, 150, 104),
        Terrain::Water => Colour(84, 146, 190),
        Terrain::Trees => Colour(74, 118, 66),
        Terrain::Wall => Colour(92, 84, 86),
        Terrain::Outside => Colour(36, 34, 44),
    }
}

/// Returns the colour of a heat value, from violet over red and orange to pale yellow.
pub(crate) fn heat(value: u8) -> Colour {
    const RAMP: [Colour; 6] = [
        Colour(60, 22, 112),
        Colour(122, 28, 122),
        Colour(190, 42, 92),
        Colour(236, 92, 44),
        Colour(251, 166, 40),
        Colour(252, 246, 166),
    ];
    let scaled = value as usize * (RAMP.len() - 1);
    let step = (scaled / 255).min(RAMP.len() - 2);
    RAMP[step].mix(RAMP[step + 1], (scaled - step * 255) as u8)
}
