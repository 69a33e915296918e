//! Armies and their squads.

use std::error::Error;

use throng::grid::SeededRng;
use throng::prelude::*;
use throng::{GroupId, ProfileId};

use crate::field::Profiles;

/// Units per squad.
const UNITS: usize = 50;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Army {
    Red,
    Blue,
}

impl Army {
    /// Returns the class of the army's profiles, by which gates tell friend from enemy. Units have it as their user value.
    pub(crate) const fn class(self) -> u8 {
        self as u8
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Red => "red",
            Self::Blue => "blue",
        }
    }
}

/// Units that get orders together.
pub(crate) struct Squad {
    pub(crate) name: &'static str,
    pub(crate) army: Army,
    profile: ProfileId,
    speed: Speed,
    /// Where they are spawned: the upper left and the lower right cell.
    camp: (Pos, Pos),
    pub(crate) units: Vec<AgentId>,
    /// The order that the squad follows, until all have arrived.
    pub(crate) group: Option<GroupId>,
    pub(crate) goal: Option<Pos>,
    /// The number of orders that the squad has fulfilled.
    pub(crate) arrived: usize,
}

impl Squad {
    /// Sends all units to a place, as one group.
    pub(crate) fn send(&mut self, world: &mut World, place: Pos) -> Result<(), Box<dyn Error>> {
        self.goal = Some(place);
        if !self.units.is_empty() {
            self.group = Some(world.send_group(&self.units, place)?.0);
        }
        Ok(())
    }

    /// Spawns units in the camp of the squad and returns them.
    fn spawn(&mut self, world: &mut World, count: usize, rng: &mut SeededRng) -> Vec<AgentId> {
        let (min, max) = self.camp;
        let mut units = Vec::new();
        // Cells may be occupied, so not every try succeeds.
        for _ in 0..50 * count {
            let x = min.x + rng.below((max.x - min.x + 1) as u32) as i32;
            let y = min.y + rng.below((max.y - min.y + 1) as u32) as i32;
            if units.len() < count {
                let spec = AgentSpec::at(x, y).profile(self.profile).at_speed(self.speed);
                units.extend(world.spawn(spec.user(self.army.class().into())).ok());
            }
        }
        self.units.extend(&units);
        units
    }
}

/// Raises both armies.
pub(crate) fn muster(
    world: &mut World,
    profiles: Profiles,
    rng: &mut SeededRng,
) -> Result<Vec<Squad>, Box<dyn Error>> {
    let speed = |steps, ticks| Speed::new(steps, ticks).ok_or("a speed of zero");
    let (quick, normal, slow) = (speed(1, 1)?, speed(2, 3)?, speed(1, 2)?);
    let (red, blue, boat) = (profiles.red, profiles.blue, profiles.boat);
    let camp = |left, top, right, bottom| (Pos::new(left, top), Pos::new(right, bottom));
    let table = [
        ("riders", Army::Red, red, quick, camp(2, 4, 20, 20)),
        ("spears", Army::Red, red, normal, camp(22, 4, 40, 20)),
        ("swords", Army::Red, red, normal, camp(22, 44, 40, 66)),
        ("siege engines", Army::Red, red, slow, camp(2, 44, 20, 66)),
        ("gate guard", Army::Blue, blue, normal, camp(82, 30, 92, 42)),
        ("riders", Army::Blue, blue, quick, camp(82, 22, 108, 28)),
        ("reserve", Army::Blue, blue, normal, camp(96, 30, 108, 50)),
        ("boats", Army::Blue, boat, normal, camp(50, 20, 57, 49)),
    ];
    let mut squads = Vec::new();
    for (name, army, profile, speed, camp) in table {
        let (group, goal, arrived, units) = (None, None, 0, Vec::new());
        let mut squad = Squad { name, army, profile, speed, camp, units, group, goal, arrived };
        if squad.spawn(world, UNITS, rng).len() < UNITS {
            return Err(format!("the camp of the {name} is too small").into());
        }
        squads.push(squad);
    }
    Ok(squads)
}

/// Brings up to five new units to a squad that has lost some. They follow its last order.
pub(crate) fn reinforce(
    world: &mut World,
    squad: &mut Squad,
    rng: &mut SeededRng,
) -> Result<(), Box<dyn Error>> {
    let missing = (UNITS - squad.units.len().min(UNITS)).min(5);
    for unit in squad.spawn(world, missing, rng) {
        if let Some(goal) = squad.goal {
            world.send(unit, goal)?;
        }
    }
    Ok(())
}
