//! Profiles by name: the terrain that an agent may enter, with a multiplier for each.

use crate::{Classes, Profile, Terrain};

/// Why a profile is refused.
#[derive(Clone, Copy, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// A multiplier is too low, too high, or not a multiple of one half.
    #[error(
        "the multiplier of {terrain:?} is {multiplier}: give a multiple of 0.5 from 0.5 to {max}, and do not name terrain that may not be \
         entered",
        max = f64::from(Profile::MAX_HALVES) / 2.0
    )]
    Multiplier {
        /// The terrain.
        terrain: Terrain,
        /// Its multiplier.
        multiplier: f64,
    },
    /// No terrain may be entered.
    #[error("the profile may enter no terrain: name at least one")]
    NoTerrain,
    /// The passage class is too high.
    #[error("passage class {class} does not exist: classes are 0 to {}", Classes::COUNT - 1)]
    Class {
        /// The class.
        class: u8,
    },
}

/// Describes a [`Profile`] terrain by terrain: [`Profile::builder`]. Terrain that is not named may not be entered.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[must_use = "a profile is made by `build`"]
pub struct ProfileBuilder {
    multipliers: [Option<f64>; Terrain::ALL.len()],
    class: u8,
}

impl Profile {
    /// Returns a builder for a profile, at first without terrain that it may enter.
    ///
    /// ```
    /// use throng_grid::{Profile, ProfileError, Terrain};
    ///
    /// # fn main() -> Result<(), ProfileError> {
    /// let infantry = Profile::builder().ground(1.0).grass(1.0).trees(1.5).swamp(2.0).build()?;
    /// let boat = Profile::builder().water(1.0).swamp(2.0).class(1).build()?;
    /// assert!(infantry.enters(Terrain::Trees) && !infantry.enters(Terrain::Water));
    /// assert_eq!((boat.multiplier(Terrain::Swamp), boat.multiplier(Terrain::Ground)), (Some(2.0), None));
    /// # Ok(())
    /// # }
    /// ```
    pub fn builder() -> ProfileBuilder {
        ProfileBuilder::default()
    }

    /// Returns the cost multiplier of a terrain, `None` if it may not be entered.
    pub fn multiplier(self, terrain: Terrain) -> Option<f64> {
        self.enters(terrain).then(|| f64::from(self.halves(terrain)) / 2.0)
    }
}

impl ProfileBuilder {
    /// Lets the agent enter ground (`.`) at a cost: 1 is that of plain ground, multiples of one half up to 8 are possible.
    pub fn ground(self, multiplier: f64) -> Self {
        self.terrain(Terrain::Ground, multiplier)
    }

    /// Lets the agent enter grass (`G`) at a cost, as for [`ProfileBuilder::ground`].
    pub fn grass(self, multiplier: f64) -> Self {
        self.terrain(Terrain::Grass, multiplier)
    }

    /// Lets the agent enter swamp or shallow water (`S`) at a cost, as for [`ProfileBuilder::ground`].
    pub fn swamp(self, multiplier: f64) -> Self {
        self.terrain(Terrain::Swamp, multiplier)
    }

    /// Lets the agent enter water (`W`) at a cost, as for [`ProfileBuilder::ground`].
    pub fn water(self, multiplier: f64) -> Self {
        self.terrain(Terrain::Water, multiplier)
    }

    /// Lets the agent enter trees (`T`) at a cost, as for [`ProfileBuilder::ground`].
    pub fn trees(self, multiplier: f64) -> Self {
        self.terrain(Terrain::Trees, multiplier)
    }

    /// Lets the agent enter a terrain at a cost, as for [`ProfileBuilder::ground`]; walls too, for those who pass through them.
    pub fn terrain(mut self, terrain: Terrain, multiplier: f64) -> Self {
        self.multipliers[terrain as usize] = Some(multiplier);
        self
    }

    /// Sets the passage class, for example that of a team: see [`Grid::set_door`](crate::Grid::set_door). It is 0 otherwise.
    pub fn class(mut self, class: u8) -> Self {
        self.class = class;
        self
    }

    /// Makes the profile.
    ///
    /// # Errors
    /// If a multiplier is not a multiple of one half from 0.5 to 8, no terrain may be entered, or the class is not below
    /// [`Classes::COUNT`].
    pub fn build(self) -> Result<Profile, ProfileError> {
        let mut halves = [0; Terrain::ALL.len()];
        for terrain in Terrain::ALL {
            let Some(multiplier) = self.multipliers[terrain as usize] else { continue };
            let possible = (1..=Profile::MAX_HALVES)
                .find(|&halves| f64::from(halves).total_cmp(&(2.0 * multiplier)).is_eq());
            halves[terrain as usize] = possible.ok_or(ProfileError::Multiplier { terrain, multiplier })?;
        }
        let profile = Profile::from_halves(halves).ok_or(ProfileError::NoTerrain)?;
        profile.with_class(self.class).ok_or(ProfileError::Class { class: self.class })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builders_give_the_profiles_of_their_halves() {
        let all = Profile::builder().ground(1.0).grass(0.5).swamp(2.5).water(8.0).trees(1.5);
        assert_eq!(all.build().ok(), Profile::from_halves([2, 1, 5, 16, 3, 0, 0]));
        let ghost = Profile::builder().ground(1.0).terrain(Terrain::Wall, 3.0).class(31).build();
        assert_eq!(ghost.ok(), Profile::from_halves([2, 0, 0, 0, 0, 6, 0]).unwrap().with_class(31));
        let walker = Profile::builder().ground(7.0).ground(1.0).grass(1.0).swamp(1.0).build();
        assert_eq!(walker, Ok(Profile::WALKER), "the last call counts");
        for terrain in Terrain::ALL {
            let halves = Profile::WC3.multiplier(terrain).map_or(0, |multiplier| (multiplier * 2.0) as u8);
            assert_eq!(halves, Profile::WC3.halves(terrain));
        }
    }

    #[test]
    fn impossible_profiles_are_refused_with_a_reason() {
        for multiplier in [0.0, -1.0, 0.25, 1.4, 8.5, f64::NAN, f64::INFINITY] {
            let error = Profile::builder().ground(1.0).swamp(multiplier).build().unwrap_err();
            assert!(error.to_string().starts_with("the multiplier of Swamp is"), "{error}");
        }
        assert_eq!(Profile::builder().class(1).build(), Err(ProfileError::NoTerrain));
        let class = Profile::builder().water(1.0).class(32).build();
        assert_eq!(class, Err(ProfileError::Class { class: 32 }));
    }
}
