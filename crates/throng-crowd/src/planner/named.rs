//! A planner with its name and the map that it was made for.

use throng_grid::{Grid, Ground, MoveRules, Profile, Size};

use super::Planner;

/// A planner and its specification, such as `far:reserve=2`. A snapshot stores the name, and only a planner of the same
/// name may continue it.
#[derive(Clone)]
pub struct NamedPlanner {
    /// The specification; empty for a planner that is not in a registry.
    pub name: String,
    /// The planner.
    pub planner: Box<dyn Planner>,
    /// The map that it was made for; `None` if it works on any.
    pub map: Option<MapShape>,
}

/// What planners that are made for a map keep of it: its size, rules and profiles. Terrain and blocked cells may change.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MapShape {
    /// The width and height.
    pub size: Size,
    /// The rules of movement.
    pub rules: MoveRules,
    /// The profiles, by number.
    pub profiles: Vec<Profile>,
}

impl MapShape {
    /// Returns the shape of a grid.
    pub fn of(grid: &Grid) -> Self {
        let profiles = grid.grounds().iter().map(Ground::profile).collect();
        Self { size: grid.size(), rules: grid.rules(), profiles }
    }

    /// Returns in which respect a planner for this shape cannot work on another; `None` if it can.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        if self.size != other.size {
            let text = |size: Size| format!("{}×{} cells", size.width(), size.height());
            return Some(format!(
                "it has {}, the map of the world has {}",
                text(self.size),
                text(other.size)
            ));
        }
        if self.rules != other.rules {
            return Some("their rules of movement differ".to_owned());
        }
        let counts = (self.profiles.len(), other.profiles.len());
        if counts.0 != counts.1 {
            return Some(format!("it has {} profiles, the map of the world has {}", counts.0, counts.1));
        }
        let differs = (0..counts.0).find(|&i| self.profiles[i] != other.profiles[i])?;
        Some(format!("profile {differs} is another one"))
    }
}

impl NamedPlanner {
    /// Names a planner.
    pub fn new(name: impl Into<String>, planner: Box<dyn Planner>) -> Self {
        Self { name: name.into(), planner, map: None }
    }

    /// Sets the grid that the planner was made for. A world with a map of another shape refuses it.
    #[must_use]
    pub fn made_for(self, grid: &Grid) -> Self {
        Self { map: Some(MapShape::of(grid)), ..self }
    }
}

impl std::fmt::Debug for NamedPlanner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("NamedPlanner").field(&self.name).finish()
    }
}

impl From<Box<dyn Planner>> for NamedPlanner {
    fn from(planner: Box<dyn Planner>) -> Self {
        Self::new("", planner)
    }
}

impl<P: Planner + 'static> From<Box<P>> for NamedPlanner {
    fn from(planner: Box<P>) -> Self {
        Self::new("", planner)
    }
}
