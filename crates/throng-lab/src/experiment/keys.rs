//! The keys of experiment files, from which files are read, refused and explained.
//!
//! A key of a column is an axis: a value or a list of values. Where several axes have several values, every combination is
//! run. Options hold for the whole experiment. The shared keys are declared here, those of a task in the task's file; the
//! order of a task's keys is the order of its runs, the last key varying fastest, so that all planners or searches meet a
//! problem one after the other.

use throng::Corners;
use throng::grid::spec::SpecError;

use crate::Value;
use crate::maps::MapName;
use crate::source::ProblemSource;
use crate::task::{TASKS, Task, parse_area};

/// A key of an experiment file.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The name in the file.
    pub name: &'static str,
    /// The column of its values if the key is an axis, otherwise none.
    pub column: Option<&'static str>,
    /// The values it takes.
    pub kind: KeyKind,
    /// Whether an experiment must set it.
    pub required: bool,
    /// The word that stands for no value in the column, such as `none`.
    pub none: Option<&'static str>,
    /// What it means, in one line.
    pub about: &'static str,
}

/// The values of a key.
#[derive(Clone, Copy, Debug)]
pub enum KeyKind {
    /// Any text.
    Text,
    /// One of several names: what they name, and the names.
    Name(&'static str, fn() -> Vec<&'static str>),
    /// A text that a function accepts or refuses with a reason.
    Parsed(fn(&str) -> Result<(), String>),
    /// An integer that is at least the given one.
    Integer(i64),
    /// A number from 0 to the given one.
    Number(f64),
    /// A number above 0, at most the given one.
    Positive(f64),
    /// True or false.
    Flag,
    /// A rectangle of cells.
    Area,
    /// The number of problems, or a list of their numbers.
    Instances,
}

impl Key {
    /// Declares an axis with the name of its column.
    pub(crate) const fn axis(column: &'static str, kind: KeyKind, about: &'static str) -> Self {
        Self { column: Some(column), ..Self::option(column, kind, about) }
    }

    /// The same key with another name.
    pub(crate) const fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// Declares an option.
    const fn option(name: &'static str, kind: KeyKind, about: &'static str) -> Self {
        Self { name, column: None, kind, required: false, none: None, about }
    }

    /// The same key, which an experiment must set.
    pub(crate) const fn required(self) -> Self {
        Self { required: true, ..self }
    }

    /// The same key, which also takes `none`.
    pub(crate) const fn or_none(self) -> Self {
        self.or_none_as("none")
    }

    /// The same key, for which a word stands for no value in the column.
    pub(crate) const fn or_none_as(self, word: &'static str) -> Self {
        Self { none: Some(word), ..self }
    }
}

/// The options of every experiment.
pub(super) const OPTIONS: &[Key] = &[
    Key::option("title", KeyKind::Text, "title of the experiment, in one line"),
    Key::option("about", KeyKind::Text, "purpose of the experiment, in a few sentences"),
    Key::option("reference", KeyKind::Text, "publication whose experiment is repeated"),
    Key::option("check", KeyKind::Flag, "whether the independent checker verifies every run"),
    Key::option("series", KeyKind::Flag, "whether a row per tick is stored too"),
    Key::option("jobs", KeyKind::Integer(1), "number of runs at a time, unless the command line sets it"),
    Key::option(
        "task",
        KeyKind::Name("task", || TASKS.iter().map(|task| task.name).collect()),
        "task of all runs, such as `crowd`",
    ),
];

/// The axes of every task that choose the problem.
pub(crate) const PROBLEM_KEYS: &[Key] = &[
    Key::axis(
        "map",
        KeyKind::Parsed(|text| text.parse::<MapName>().map(drop).map_err(|error| error.to_string())),
        "maps: `builtin:NAME`, `generate:KIND@WxH#SEED` (without `#SEED` a different map for each problem), a file, or \
         `FILE@WxH+X+Y` for a rectangle of it",
    )
    .named("maps")
    .required(),
    Key::axis(
        "corners",
        KeyKind::Name("corner rule", || Corners::ALL.map(Corners::name).into()),
        "condition for diagonal moves: `forbid`, `allow`, `mixed`",
    ),
    Key::axis(
        "terrain",
        KeyKind::Name("terrain", || vec!["uniform", "wc3"]),
        "cost of terrain: `uniform`, `wc3`",
    ),
    Key::axis(
        "type",
        KeyKind::Parsed(|text| text.parse::<ProblemSource>().map(drop)),
        "problem types; `scen=FILE` for the problems of a scenario file, `scen` for the file beside the map",
    )
    .named("types"),
];

/// The axis of every task that numbers the problems.
pub(crate) const INSTANCES: Key = Key::axis(
    "instance",
    KeyKind::Instances,
    "number of problems with equal settings, or a list of their numbers",
)
.named("instances");

/// Returns the axes of a task in the order of its runs.
pub(crate) fn axes(task: &Task) -> impl Iterator<Item = &'static Key> {
    task.keys.iter().copied().flatten()
}

/// Returns every key: the options, then the axes of all tasks.
pub fn keys() -> Vec<&'static Key> {
    let mut all: Vec<&'static Key> = OPTIONS.iter().collect();
    for key in TASKS.iter().flat_map(axes) {
        if !all.iter().any(|known| known.name == key.name) {
            all.push(key);
        }
    }
    all
}

impl Key {
    /// Returns the names of the tasks that have this key; options belong to all.
    pub fn tasks(&self) -> Vec<&'static str> {
        let knows = |task: &&Task| self.column.is_none() || axes(task).any(|key| key.name == self.name);
        TASKS.iter().filter(knows).map(|task| task.name).collect()
    }

    /// Parses a text; none for the word that stands for no value.
    ///
    /// # Errors
    /// If the text is not a value of this key.
    pub(super) fn word(&self, text: &str) -> Result<Option<Value>, String> {
        if self.none == Some(text) {
            return Ok(None);
        }
        match self.kind {
            KeyKind::Text => Ok(()),
            KeyKind::Name(what, names) => match names() {
                known if known.contains(&text) => Ok(()),
                known => Err(SpecError::unknown(what, text, known).to_string()),
            },
            KeyKind::Parsed(parse) => parse(text),
            KeyKind::Area => parse_area(text).map(drop).ok_or_else(|| self.expected()),
            KeyKind::Integer(_)
            | KeyKind::Number(_)
            | KeyKind::Positive(_)
            | KeyKind::Flag
            | KeyKind::Instances => Err(self.expected()),
        }?;
        Ok(Some(Value::from(text)))
    }

    /// Checks an integer.
    ///
    /// # Errors
    /// If it is not a value of this key.
    pub(super) fn integer(&self, number: i64) -> Result<Value, String> {
        match self.kind {
            KeyKind::Integer(min) if number >= min => Ok(Value::Integer(number)),
            KeyKind::Instances if number >= 0 => Ok(Value::Integer(number)),
            KeyKind::Number(_) | KeyKind::Positive(_) => self.number(number as f64),
            _ => Err(self.expected()),
        }
    }

    /// Checks a number.
    ///
    /// # Errors
    /// If it is not a value of this key.
    pub(super) fn number(&self, number: f64) -> Result<Value, String> {
        match self.kind {
            KeyKind::Number(max) if (0.0..=max).contains(&number) => Ok(Value::Float(number)),
            KeyKind::Positive(max) if number > 0.0 && number <= max => Ok(Value::Float(number)),
            _ => Err(self.expected()),
        }
    }

    /// Checks a flag.
    ///
    /// # Errors
    /// If it is not a value of this key.
    pub(super) fn flag(&self, is: bool) -> Result<Value, String> {
        if matches!(self.kind, KeyKind::Flag) { Ok(Value::Flag(is)) } else { Err(self.expected()) }
    }

    fn expected(&self) -> String {
        let expected = match self.kind {
            KeyKind::Integer(min) => format!("an integer, at least {min}"),
            KeyKind::Number(max) => format!("a number from 0 to {max}"),
            KeyKind::Positive(max) => format!("a number above 0, at most {max}"),
            KeyKind::Flag => "true or false".to_owned(),
            KeyKind::Area => "two corners of a rectangle, such as \"31,30,32,33\"".to_owned(),
            KeyKind::Instances => "a count, or a list of integers from 0".to_owned(),
            _ => "a text".to_owned(),
        };
        let none = self.none.map_or_else(String::new, |word| format!(", or {word:?}"));
        format!("`{}` takes {expected}{none}", self.name)
    }
}
