//! Colours: earth and stone for the map, strong ones for what is drawn on it.

use crate::Terrain;

/// Red, green, blue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    /// Strong colours that differ from each other and from every terrain.
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

    /// One of the strong colours, counted round and round.
    pub const fn nth(number: usize) -> Self {
        Self::STRONG[number % Self::STRONG.len()]
    }

    /// A calmer one of the same hue, for what needs no attention any more.
    #[must_use]
    pub const fn muted(self) -> Self {
        self.mix(STONE, 165)
    }

    /// This colour with `share` of 255 parts of another.
    pub(crate) const fn mix(self, other: Self, share: u8) -> Self {
        const fn one(a: u8, b: u8, share: u8) -> u8 {
            ((a as u32 * (255 - share as u32) + b as u32 * share as u32 + 127) / 255) as u8
        }
        Self(one(self.0, other.0, share), one(self.1, other.1, share), one(self.2, other.2, share))
    }

    /// Lighter or darker by an amount a channel.
    pub(crate) const fn shifted(self, by: i16) -> Self {
        const fn one(channel: u8, by: i16) -> u8 {
            let value = channel as i16 + by;
            if value < 0 {
                0
            } else if value > 255 {
                255
            } else {
                value as u8
            }
        }
        Self(one(self.0, by), one(self.1, by), one(self.2, by))
    }
}

/// Shadows and outlines.
pub(crate) const INK: Colour = Colour(24, 22, 30);
/// Highlights.
pub(crate) const PAPER: Colour = Colour(255, 253, 245);
/// What calm colours tend to.
const STONE: Colour = Colour(168, 160, 150);
/// Cells that a search expanded.
pub(crate) const EXPANDED: Colour = Colour(92, 112, 240);
/// Stripes on cells that were blocked later.
pub(crate) const BLOCKED: [Colour; 2] = [Colour(196, 74, 52), Colour(120, 38, 34)];

/// The plain colour of a terrain.
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

/// From violet over red and orange to pale yellow.
pub(crate) fn heat(value: u8) -> Colour {
    const RAMP: [Colour; 6] = [
        Colour(60, 22, 112),
        Colour(122, 28, 122),
        Colour(190, 42, 92),
        Colour(236, 92, 44),
        Colour(251, 166, 40),
        Colour(252, 246, 166),
    ];
    let place = value as usize * (RAMP.len() - 1);
    let step = (place / 255).min(RAMP.len() - 2);
    RAMP[step].mix(RAMP[step + 1], (place - step * 255) as u8)
}
