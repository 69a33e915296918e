//! What an experiment's file may say: one table of keys, from which files are read, refused and explained.
//!
//! A key of a column is an axis: a value or a list of them. Where several axes have several values, every combination is
//! run. The order of the table is that of the runs, the last axis changing fastest, so that all planners meet a problem
//! one after the other.

use throng::planners::planner;
use throng::{Corners, Grid, MoveRules, Tiles};

use crate::Value;
use crate::maps::MapName;
use crate::source::Source;
use crate::task::{PERTURBATIONS, TASKS, area};

/// A key of an experiment's file.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// As it is written.
    pub name: &'static str,
    /// The column of its values, for an axis.
    pub column: Option<&'static str>,
    /// What values it takes.
    pub kind: KeyKind,
    /// The only task that knows it, if there is one.
    pub task: Option<&'static str>,
    /// What it means, in a line.
    pub about: &'static str,
}

/// The values of a key.
#[derive(Clone, Copy, Debug)]
pub enum KeyKind {
    /// Any words.
    Text,
    /// The name of a task.
    Task,
    /// A map.
    Map,
    /// A corner rule.
    Corners,
    /// What terrain costs.
    Terrain,
    /// A problem type or a scenario file.
    Type,
    /// A planner with its parameters.
    Planner,
    /// A search with its parameters.
    Search,
    /// What happens to a map.
    Perturb,
    /// A whole number, at least so much.
    Integer(i64),
    /// A number from 0 to so much.
    Number(f64),
    /// A number above 0, up to so much.
    Positive(f64),
    /// Yes or no.
    Flag,
    /// A rectangle of cells.
    Area,
    /// How many problems, or a list of their numbers.
    Instances,
}

const fn key(name: &'static str, column: &'static str, kind: KeyKind, about: &'static str) -> Key {
    Key { name, column: Some(column), kind, task: None, about }
}

/// An axis that only the task `churn` knows.
const fn churn(name: &'static str, kind: KeyKind, about: &'static str) -> Key {
    Key { name, column: Some(name), kind, task: Some("churn"), about }
}

/// An axis that only the task `dynamic` knows.
const fn dynamic(name: &'static str, column: &'static str, kind: KeyKind, about: &'static str) -> Key {
    Key { name, column: Some(column), kind, task: Some("dynamic"), about }
}

/// An axis that only the task `patrol` knows.
const fn patrol(name: &'static str, kind: KeyKind, about: &'static str) -> Key {
    Key { name, column: Some(name), kind, task: Some("patrol"), about }
}

const fn option(name: &'static str, kind: KeyKind, about: &'static str) -> Key {
    Key { name, column: None, kind, task: None, about }
}

/// Every key.
pub const KEYS: &[Key] = &[
    option("title", KeyKind::Text, "what the experiment is, in a line"),
    option("about", KeyKind::Text, "what it is for, in a few sentences"),
    option("reference", KeyKind::Text, "the publication whose experiment it repeats"),
    option("check", KeyKind::Flag, "whether the independent checker follows every run"),
    option("series", KeyKind::Flag, "whether what each tick did is kept too"),
    option("jobs", KeyKind::Integer(1), "runs at a time, where the command line does not say"),
    key("task", "task", KeyKind::Task, "what is done: `crowd`, `churn`, `dynamic` or `patrol`"),
    key(
        "maps",
        "map",
        KeyKind::Map,
        "`builtin:NAME`, `generate:KIND@WxH#SEED` (without `#SEED` another map each run), a file, or `FILE@WxH+X+Y`",
    ),
    key("corners", "corners", KeyKind::Corners, "what a diagonal step needs: `forbid`, `allow`, `mixed`"),
    key("terrain", "terrain", KeyKind::Terrain, "what terrain costs: `uniform`, `wc3`"),
    key(
        "types",
        "type",
        KeyKind::Type,
        "problem types; `scen=FILE` for a scenario's first lines, `scen` for the map's own; dynamic: `random`, or lines \
         drawn of a scenario, and with `scen` on a part of a map questions spread over lengths as those of scenarios",
    ),
    key("agents", "agents", KeyKind::Integer(0), "how many agents, or questions at most (dynamic)"),
    churn(
        "retask_percent",
        KeyKind::Number(1_000.0),
        "churn: agents that get a new goal each second, in percent",
    ),
    churn(
        "foreign_percent",
        KeyKind::Number(1_000.0),
        "churn: walkers that the planner does not move, in percent of the agents",
    ),
    churn("walls", KeyKind::Flag, "churn: whether walls appear and go"),
    dynamic(
        "perturb",
        "perturb",
        KeyKind::Perturb,
        "dynamic: `exp1`, walls until no path of the old cost is left, or `exp2`, until the least cost is 15 % higher",
    ),
    dynamic(
        "one_in",
        "one_in",
        KeyKind::Integer(1),
        "dynamic: of a map's questions one in so many is asked, at least 20 if there are as many; 1 when not said",
    ),
    patrol(
        "loops",
        KeyKind::Integer(3),
        "patrol: how often each agent goes there and back; 20 when not said",
    ),
    patrol("places_move", KeyKind::Flag, "patrol: whether the places move halfway"),
    patrol("door", KeyKind::Area, "patrol: a wall that is opened halfway, such as `31,30,32,33`, or `none`"),
    key("max_ticks", "max_ticks", KeyKind::Integer(1), "a run stops after so many ticks"),
    key(
        "max_expansions",
        "max_expansions",
        KeyKind::Integer(1),
        "a run stops after so many expansions in all, or `none`",
    ),
    key(
        "wall_limit",
        "wall_limit",
        KeyKind::Positive(1e6),
        "a run stops after so many seconds of ticks, or `none`",
    ),
    key(
        "still_limit",
        "still_limit",
        KeyKind::Integer(1),
        "a run stops after so many ticks without a step, or `none`",
    ),
    key(
        "instances",
        "instance",
        KeyKind::Instances,
        "how many problems with these settings, or a list of their numbers",
    ),
    key("budgets", "budget", KeyKind::Integer(1), "expansions a tick may make, or `none` for any number"),
    key("planners", "planner", KeyKind::Planner, "planners with their parameters"),
    dynamic(
        "searches",
        "planner",
        KeyKind::Search,
        "dynamic: searches with their parameters, in place of planners",
    ),
];

impl Key {
    /// Whether `none` is a value.
    pub fn may_be_none(&self) -> bool {
        ["max_expansions", "wall_limit", "still_limit", "budgets", "door"].contains(&self.name)
    }

    /// A word as a value of this key, or why it is none.
    pub(super) fn word(&self, text: &str) -> Result<Option<Value>, String> {
        if self.may_be_none() && text == "none" {
            return Ok(None);
        }
        let one_of = |what: &'static str, names: &[&'static str]| {
            let known = names.contains(&text);
            let refused =
                || throng::grid::spec::SpecError::unknown(what, text, names.iter().copied()).to_string();
            if known { Ok(()) } else { Err(refused()) }
        };
        match self.kind {
            KeyKind::Text => Ok(()),
            KeyKind::Task => one_of("task", &TASKS.iter().map(|task| task.name()).collect::<Vec<_>>()),
            KeyKind::Map => text.parse::<MapName>().map(drop).map_err(|error| error.to_string()),
            KeyKind::Corners => one_of("corner rule", &Corners::ALL.map(Corners::name)),
            KeyKind::Terrain => one_of("terrain", &["uniform", "wc3"]),
            KeyKind::Type => text.parse::<Source>().map(drop),
            KeyKind::Area => area(text).map(drop).ok_or_else(|| self.expected()),
            KeyKind::Planner => {
                let grid = Grid::new(Tiles::picture("."), MoveRules::default());
                planner(text, &grid).map(drop).map_err(|error| error.to_string())
            }
            KeyKind::Search => {
                throng::cpd::any_search(text, None).map(drop).map_err(|error| error.to_string())
            }
            KeyKind::Perturb => one_of("perturbation", &PERTURBATIONS.map(|(name, _)| name)),
            KeyKind::Integer(_)
            | KeyKind::Number(_)
            | KeyKind::Positive(_)
            | KeyKind::Flag
            | KeyKind::Instances => Err(self.expected()),
        }?;
        Ok(Some(Value::from(text)))
    }

    /// A whole number as a value of this key, or why it is none.
    pub(super) fn integer(&self, number: i64) -> Result<Value, String> {
        match self.kind {
            KeyKind::Integer(least) if number >= least => Ok(Value::Integer(number)),
            KeyKind::Instances if number >= 0 => Ok(Value::Integer(number)),
            KeyKind::Number(_) | KeyKind::Positive(_) => self.number(number as f64),
            _ => Err(self.expected()),
        }
    }

    /// A number as a value of this key, or why it is none.
    pub(super) fn number(&self, number: f64) -> Result<Value, String> {
        match self.kind {
            KeyKind::Number(most) if (0.0..=most).contains(&number) => Ok(Value::Float(number)),
            KeyKind::Positive(most) if number > 0.0 && number <= most => Ok(Value::Float(number)),
            _ => Err(self.expected()),
        }
    }

    /// A yes or no as a value of this key, or why it is none.
    pub(super) fn flag(&self, is: bool) -> Result<Value, String> {
        if matches!(self.kind, KeyKind::Flag) { Ok(Value::Flag(is)) } else { Err(self.expected()) }
    }

    fn expected(&self) -> String {
        let expected = match self.kind {
            KeyKind::Integer(least) => format!("a whole number, at least {least}"),
            KeyKind::Number(most) => format!("a number from 0 to {most}"),
            KeyKind::Positive(most) => format!("a number above 0, at most {most}"),
            KeyKind::Flag => "true or false".to_owned(),
            KeyKind::Area => "two corners of an area, such as \"31,30,32,33\"".to_owned(),
            KeyKind::Instances => "a count, or a list of whole numbers from 0".to_owned(),
            _ => "a text".to_owned(),
        };
        let none = if self.may_be_none() { ", or \"none\"" } else { "" };
        format!("`{}` takes {expected}{none}", self.name)
    }
}
