//! The battlefield: a river with a bridge and a ford, and a fortress with two gates.

use std::error::Error;

use throng::grid::{Size, Terrain};
use throng::prelude::*;

pub(crate) const WIDTH: i32 = 120;
pub(crate) const HEIGHT: i32 = 72;
/// The eastern end of the bridge.
pub(crate) const BRIDGE: Pos = Pos::new(63, 18);
/// The eastern end of the ford.
pub(crate) const FORD: Pos = Pos::new(63, 52);
/// The middle of the fortress.
pub(crate) const CENTRE: Pos = Pos::new(95, 36);
/// The western gate, from corner to corner.
const WEST_GATE: [Pos; 2] = [Pos::new(80, 34), Pos::new(80, 38)];
const SOUTH_GATE: [Pos; 2] = [Pos::new(93, 52), Pos::new(97, 52)];
/// Where the carts begin.
pub(crate) const CARTS: [Pos; 4] = [Pos::new(62, 62), Pos::new(72, 62), Pos::new(82, 62), Pos::new(92, 62)];

/// Returns the cells of the western gate.
pub(crate) fn west_gate() -> Area {
    Area::rect(WEST_GATE[0], WEST_GATE[1])
}

/// Returns the cells of the southern gate.
pub(crate) fn south_gate() -> Area {
    Area::rect(SOUTH_GATE[0], SOUTH_GATE[1])
}

/// Returns the cells at which archers shoot.
pub(crate) fn danger() -> Area {
    Area::rect(Pos::new(64, 28), Pos::new(76, 44))
}

/// The kinds of units.
#[derive(Clone, Copy)]
pub(crate) struct Profiles {
    pub(crate) red: throng::ProfileId,
    pub(crate) blue: throng::ProfileId,
    pub(crate) boat: throng::ProfileId,
}

/// Returns the map and the profiles of the units.
pub(crate) fn map() -> Result<(Grid, Profiles), Box<dyn Error>> {
    let size = Size::new(WIDTH as u32, HEIGHT as u32).ok_or("the map is too large")?;
    let tiles = Tiles::from_fn(size, |cell| terrain(size.pos(cell)));
    // Swamp and trees slow walkers down.
    let walker = Profile::builder().ground(1.0).grass(1.0).swamp(2.0).trees(1.5).build()?;
    let boat = Profile::builder().swamp(2.0).water(1.0).build()?;
    let mut grid = Grid::with_profile(tiles, MoveRules::default(), walker);
    let of_blue = |profile: Profile| profile.with_class(1).ok_or("there is no class 1");
    let profiles = Profiles {
        red: grid.add_profile(walker),
        blue: grid.add_profile(of_blue(walker)?),
        boat: grid.add_profile(of_blue(boat)?),
    };
    Ok((grid, profiles))
}

fn terrain(Pos { x, y }: Pos) -> Terrain {
    let is_gate = [WEST_GATE, SOUTH_GATE]
        .iter()
        .any(|[min, max]| (min.x..=max.x).contains(&x) && (min.y..=max.y).contains(&y));
    match (x, y) {
        (50..58, 16..20) => Terrain::Ground,
        (50..58, 50..56) => Terrain::Swamp,
        (50..58, _) => Terrain::Water,
        (80 | 110, 20..=52) | (80..=110, 20 | 52) if !is_gate => Terrain::Wall,
        _ if (x * 7 + y * 13) % 31 == 0 && x < 48 => Terrain::Trees,
        _ => Terrain::Grass,
    }
}
