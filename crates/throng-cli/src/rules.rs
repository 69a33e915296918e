//! The options that say who walks how: terrain, corners, directions; and places on the map.

use std::fmt;

use anyhow::Result;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use throng::{Cell, Corners, Grid, MoveRules, Pos, Profile, Terrain, Tiles};

use crate::output::bad_input;

/// What terrain costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum TerrainChoice {
    /// Ground, grass and swamp cost the same, all else is blocked
    Uniform,
    /// WarCraft III: trees cost 1.5, swamp 2, water 2.5 times as much as ground
    Wc3,
}

/// Who walks how.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Rules {
    /// What terrain costs
    #[arg(long, value_enum, default_value_t = TerrainChoice::Uniform)]
    pub(crate) terrain: TerrainChoice,
    /// What a diagonal step needs
    #[arg(long, value_parser = corners(), default_value_t)]
    pub(crate) corners: Corners,
    /// Only straight steps
    #[arg(long, conflicts_with = "corners")]
    pub(crate) four_way: bool,
}

impl Rules {
    /// A map under these rules.
    pub(crate) fn grid(self, tiles: Tiles) -> Grid {
        let profile = match self.terrain {
            TerrainChoice::Uniform => Profile::WALKER,
            TerrainChoice::Wc3 => Profile::WC3,
        };
        let rules = if self.four_way { MoveRules::FOUR_WAY } else { MoveRules::eight_way(self.corners) };
        Grid::with_profile(tiles, rules, profile)
    }

    /// Whether these are the rules under which scenario files state lengths.
    pub(crate) fn are_those_of_scenarios(self) -> bool {
        self.terrain == TerrainChoice::Uniform && self.corners == Corners::Forbid && !self.four_way
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terrain = name(&self.terrain);
        if self.four_way {
            write!(f, "terrain {terrain}, four directions")
        } else {
            write!(f, "terrain {terrain}, corners {}", self.corners)
        }
    }
}

/// What the user writes for a choice.
fn name(choice: &impl ValueEnum) -> String {
    choice.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// The corner rules, each with its help.
pub(crate) fn corners() -> impl TypedValueParser<Value = Corners> {
    let value = |corners: Corners| {
        PossibleValue::new(corners.name()).help(match corners {
            Corners::Forbid => "Both cells beside the step must be free",
            Corners::Allow => "Nothing beside the step matters",
            Corners::Mixed => "Walls of the map count, cells blocked later do not",
        })
    };
    PossibleValuesParser::new(Corners::ALL.map(value)).try_map(|name| name.parse())
}

/// What people call a terrain.
pub(crate) fn terrain_name(terrain: Terrain) -> String {
    format!("{terrain:?}").to_lowercase()
}

/// A place written as `X,Y`.
pub(crate) fn place(text: &str) -> Result<Pos, String> {
    let place = text
        .split_once(',')
        .and_then(|(x, y)| Some(Pos::new(x.trim().parse().ok()?, y.trim().parse().ok()?)));
    place.ok_or_else(|| "a place is written X,Y, for example 12,7".to_owned())
}

/// The cell at a place that must be on the map; `what` is there.
pub(crate) fn cell(grid: &Grid, what: &str, pos: Pos) -> Result<Cell> {
    grid.cell(pos).ok_or_else(|| {
        let (width, height) = (grid.size().width(), grid.size().height());
        bad_input(format_args!(
            "the {what} {},{} is outside of the map, which is {width}×{height}",
            pos.x, pos.y
        ))
    })
}
