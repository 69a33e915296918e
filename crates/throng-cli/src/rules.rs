//! The options for terrain costs and legal moves, and the parsing of positions.

use std::fmt;

use anyhow::Result;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use throng::{Cell, Corners, Crossings, Grid, MoveRules, Pos, Profile, StepTime, Terrain, Tiles};

use crate::output::bad_input;

/// Terrain costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum TerrainChoice {
    /// Ground, grass and swamp cost the same; all other terrain is blocked
    Uniform,
    /// WarCraft III: trees cost 1.5, swamp 2 and water 2.5 times as much as ground
    Wc3,
}

impl TerrainChoice {
    /// Returns the profile with these costs.
    pub(crate) fn profile(self) -> Profile {
        match self {
            Self::Uniform => Profile::WALKER,
            Self::Wc3 => Profile::WC3,
        }
    }
}

/// Terrain costs and legal moves.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Rules {
    /// Terrain costs
    #[arg(long, value_enum, default_value_t = TerrainChoice::Uniform)]
    pub(crate) terrain: TerrainChoice,
    /// When a diagonal step is legal; `forbid` by default, or the rule that a model was trained with
    #[arg(long, value_parser = corners())]
    pub(crate) corners: Option<Corners>,
    /// Allow straight steps only
    #[arg(long, conflicts_with = "corners")]
    pub(crate) four_way: bool,
}

impl Rules {
    /// Returns the map under these rules.
    pub(crate) fn grid(self, tiles: Tiles) -> Grid {
        Grid::with_profile(tiles, move_rules(self.corners(), self.four_way), self.terrain.profile())
    }

    /// Returns the rule for diagonal steps.
    pub(crate) fn corners(self) -> Corners {
        self.corners.unwrap_or_default()
    }

    /// Returns true if scenario files state their lengths under these rules.
    pub(crate) fn match_scenario_files(self) -> bool {
        self.terrain == TerrainChoice::Uniform && self.corners() == Corners::Forbid && !self.four_way
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terrain = name(&self.terrain);
        if self.four_way {
            write!(f, "terrain {terrain}, four directions")
        } else {
            write!(f, "terrain {terrain}, corners {}", self.corners())
        }
    }
}

/// Parses the option `--crossings`.
pub(crate) fn crossings() -> impl TypedValueParser<Value = Crossings> {
    let value = |crossings: Crossings| {
        PossibleValue::new(crossings.name()).help(match crossings {
            Crossings::Forbid => "The two diagonal steps of a square are a conflict, like a swap",
            Crossings::Allow => "They are not, as in the papers on grid maps",
        })
    };
    PossibleValuesParser::new(Crossings::ALL.map(value)).try_map(|name| name.parse())
}

/// Parses the option `--step-time`.
pub(crate) fn step_time() -> impl TypedValueParser<Value = StepTime> {
    let value = |time: StepTime| {
        PossibleValue::new(time.name()).help(match time {
            StepTime::Uniform => "All steps last one tick, as in the papers on grid maps",
            StepTime::Cost => {
                "A step lasts as long as it costs: diagonal steps and costly terrain take longer"
            }
        })
    };
    PossibleValuesParser::new(StepTime::ALL.map(value)).try_map(|name| name.parse())
}

/// Returns the legal moves that the options `--corners` and `--four-way` choose.
pub(crate) fn move_rules(corners: Corners, four_way: bool) -> MoveRules {
    if four_way { MoveRules::FOUR_WAY } else { MoveRules::eight_way(corners) }
}

/// Returns the name of a choice as written on the command line.
fn name(choice: &impl ValueEnum) -> String {
    choice.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// Returns the parser of corner rules, each with its help.
pub(crate) fn corners() -> impl TypedValueParser<Value = Corners> {
    let value = |corners: Corners| {
        PossibleValue::new(corners.name()).help(match corners {
            Corners::Forbid => "Both cells beside the step must be free",
            Corners::Allow => "The cells beside the step do not matter",
            Corners::Mixed => "Walls of the original map count, cells blocked later do not",
        })
    };
    PossibleValuesParser::new(Corners::ALL.map(value)).try_map(|name| name.parse())
}

/// Returns the name of a terrain in lower case.
pub(crate) fn terrain_name(terrain: Terrain) -> String {
    format!("{terrain:?}").to_lowercase()
}

/// Parses a position written as `X,Y`.
pub(crate) fn position(text: &str) -> Result<Pos, String> {
    let position = text
        .split_once(',')
        .and_then(|(x, y)| Some(Pos::new(x.trim().parse().ok()?, y.trim().parse().ok()?)));
    position.ok_or_else(|| "expected a position written as X,Y, for example 12,7".to_owned())
}

/// Returns the cell at a position. Refuses positions outside the map; `what` names the position in the message.
pub(crate) fn cell(grid: &Grid, what: &str, pos: Pos) -> Result<Cell> {
    grid.cell(pos).ok_or_else(|| {
        let (width, height) = (grid.size().width(), grid.size().height());
        bad_input(format_args!(
            "the {what} {},{} is outside the map, which is {width}×{height}",
            pos.x, pos.y
        ))
    })
}
