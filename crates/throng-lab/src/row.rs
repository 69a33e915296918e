//! A row of the results: the values of one run, at most one per column of [`COLUMNS`].

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::columns::{COLUMNS, Column, ColumnKind, Role, index};

/// A value of a column.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Value {
    /// A value of a text column.
    Text(String),
    /// A value of an integer column.
    Integer(i64),
    /// A value of a float column.
    Float(f64),
    /// A value of a flag column.
    Flag(bool),
}

impl Value {
    /// Returns the kind of columns that hold such values.
    pub const fn kind(&self) -> ColumnKind {
        match self {
            Self::Text(_) => ColumnKind::Text,
            Self::Integer(_) => ColumnKind::Integer,
            Self::Float(_) => ColumnKind::Float,
            Self::Flag(_) => ColumnKind::Flag,
        }
    }

    /// Returns the text; none if it is a value of another kind.
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// Returns the integer; none if it is a value of another kind.
    pub fn integer(&self) -> Option<i64> {
        if let Self::Integer(number) = *self { Some(number) } else { None }
    }

    /// Returns the floating-point number; none if it is a value of another kind.
    pub fn float(&self) -> Option<f64> {
        if let Self::Float(number) = *self { Some(number) } else { None }
    }

    /// Returns the flag; none if it is a value of another kind.
    pub fn flag(&self) -> Option<bool> {
        if let Self::Flag(is) = *self { Some(is) } else { None }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Integer(number) => number.fmt(f),
            Self::Float(number) => number.fmt(f),
            Self::Flag(is) => is.fmt(f),
        }
    }
}

/// Implements `From` for the types whose values a kind of column holds.
macro_rules! value_from {
    ($($type:ty, $value:ident => $kind:ident($stored:expr);)*) => {$(
        impl From<$type> for Value {
            fn from($value: $type) -> Self {
                Self::$kind($stored)
            }
        }
    )*};
}

value_from! {
    &str, text => Text(text.to_owned());
    String, text => Text(text);
    i64, number => Integer(number);
    // Counts and limits above 63 bits become the largest integer.
    u64, number => Integer(i64::try_from(number).unwrap_or(i64::MAX));
    usize, number => Integer(i64::try_from(number).unwrap_or(i64::MAX));
    f64, number => Float(number);
    bool, is => Flag(is);
}

/// The values of one run. Columns are addressed by name; a name that is not in [`COLUMNS`] is a bug of the caller and
/// panics. Names from files must be looked up with [`index`] first.
#[derive(Clone, PartialEq, Debug)]
pub struct RunRow {
    values: Vec<Option<Value>>,
}

impl Default for RunRow {
    fn default() -> Self {
        Self { values: vec![None; COLUMNS.len()] }
    }
}

impl RunRow {
    /// Creates a row without values.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a value.
    ///
    /// # Panics
    /// If the column does not exist or holds values of another kind.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.set_at(place(name), Some(value.into()));
    }

    /// Sets a value, or removes it if there is none.
    ///
    /// # Panics
    /// If the column does not exist or holds values of another kind.
    pub fn set_some(&mut self, name: &str, value: Option<impl Into<Value>>) {
        self.set_at(place(name), value.map(Into::into));
    }

    /// Sets the value of the column at a position of [`COLUMNS`].
    ///
    /// # Panics
    /// If the column does not exist or holds values of another kind.
    pub fn set_at(&mut self, place: usize, value: Option<Value>) {
        if let Some(value) = &value {
            let Column { name, kind, .. } = COLUMNS[place];
            assert!(value.kind() == kind, "column `{name}` cannot hold {value:?}: a bug of the laboratory");
        }
        self.values[place] = value;
    }

    /// Returns the value of a column.
    ///
    /// # Panics
    /// If the column does not exist.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.at(place(name))
    }

    /// Returns the value of the column at a position of [`COLUMNS`].
    ///
    /// # Panics
    /// If the column does not exist.
    pub fn at(&self, place: usize) -> Option<&Value> {
        self.values[place].as_ref()
    }

    /// Returns the value of a text column.
    ///
    /// # Panics
    /// If the column does not exist.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.value(name)?.text()
    }

    /// Returns the value of a float or integer column.
    ///
    /// # Panics
    /// If the column does not exist.
    pub fn number(&self, name: &str) -> Option<f64> {
        let value = self.value(name)?;
        value.float().or_else(|| value.integer().map(|number| number as f64))
    }

    /// Returns the value of an integer column.
    ///
    /// # Panics
    /// If the column does not exist.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.value(name)?.integer()
    }

    /// Returns the value of a flag column.
    ///
    /// # Panics
    /// If the column does not exist.
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.value(name)?.flag()
    }

    /// Compares rows by their settings in the order of the columns; a missing value sorts first.
    pub fn compare_settings(&self, other: &Self) -> Ordering {
        let pairs = self.settings().map(|(_, value)| value).zip(other.settings().map(|(_, value)| value));
        let mut orders = pairs.map(|(own, other)| compare(own, other));
        orders.find(|order| order.is_ne()).unwrap_or_else(|| self.text("run").cmp(&other.text("run")))
    }

    /// Returns the names and values of the settings without the run's key, in the order of [`COLUMNS`].
    pub(crate) fn settings(&self) -> impl Iterator<Item = (&'static str, Option<&Value>)> {
        let is_setting = |column: &Column| column.role == Role::Setting && column.name != "run";
        self.columns()
            .filter(move |(column, _)| is_setting(column))
            .map(|(column, value)| (column.name, value))
    }

    /// Returns all columns and their values, in the order of [`COLUMNS`].
    pub fn columns(&self) -> impl Iterator<Item = (&'static Column, Option<&Value>)> {
        COLUMNS.iter().zip(self.values.iter().map(Option::as_ref))
    }
}

fn compare(a: Option<&Value>, b: Option<&Value>) -> Ordering {
    match (a, b) {
        (Some(Value::Text(a)), Some(Value::Text(b))) => a.cmp(b),
        (Some(Value::Integer(a)), Some(Value::Integer(b))) => a.cmp(b),
        (Some(Value::Float(a)), Some(Value::Float(b))) => a.total_cmp(b),
        (Some(Value::Flag(a)), Some(Value::Flag(b))) => a.cmp(b),
        _ => a.is_some().cmp(&b.is_some()),
    }
}

fn place(name: &str) -> usize {
    index(name).unwrap_or_else(|| panic!("there is no column `{name}`: a bug of the laboratory"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_name() {
        let mut row = RunRow::new();
        row.set("planner", "far");
        row.set("agents", 300_usize);
        row.set("completion_rate", 0.5);
        row.set("walls", true);
        row.set_some("budget", None::<u64>);
        assert_eq!(row.text("planner"), Some("far"));
        assert_eq!((row.integer("agents"), row.number("agents")), (Some(300), Some(300.0)));
        assert_eq!((row.number("completion_rate"), row.integer("completion_rate")), (Some(0.5), None));
        assert_eq!((row.flag("walls"), row.number("budget")), (Some(true), None));
        assert_eq!(row.columns().filter(|(_, value)| value.is_some()).count(), 4);
    }

    #[test]
    #[should_panic(expected = "there is no column `agent`")]
    fn an_unknown_column_panics() {
        RunRow::new().set("agent", 1_u64);
    }

    #[test]
    #[should_panic(expected = "column `agents` cannot hold Text")]
    fn a_value_of_another_kind_panics() {
        RunRow::new().set("agents", "many");
    }
}
