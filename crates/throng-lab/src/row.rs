//! A row of the results: what is kept of one run, a value or nothing for each of the [`COLUMNS`].

use std::cmp::Ordering;

use crate::columns::{COLUMNS, Column, ColumnKind, Role, index};

/// A value of a column.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// Of a text column.
    Text(String),
    /// Of an integer column.
    Integer(i64),
    /// Of a float column.
    Float(f64),
    /// Of a flag column.
    Flag(bool),
}

impl Value {
    /// The kind of the columns that hold such values.
    pub const fn kind(&self) -> ColumnKind {
        match self {
            Self::Text(_) => ColumnKind::Text,
            Self::Integer(_) => ColumnKind::Integer,
            Self::Float(_) => ColumnKind::Float,
            Self::Flag(_) => ColumnKind::Flag,
        }
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

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<u64> for Value {
    /// Counts and limits; whatever is beyond 63 bits is as good as endless.
    fn from(number: u64) -> Self {
        Self::Integer(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::from(number as u64)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Float(number)
    }
}

impl From<bool> for Value {
    fn from(is: bool) -> Self {
        Self::Flag(is)
    }
}

/// What is kept of a run. Columns are asked for by name; a name that is not in [`COLUMNS`] is a mistake of the
/// calling code and panics. Names that come from elsewhere are looked up with [`index`] first.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    values: Vec<Option<Value>>,
}

impl Default for Row {
    fn default() -> Self {
        Self { values: vec![None; COLUMNS.len()] }
    }
}

impl Row {
    /// A row with nothing in it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a value.
    ///
    /// # Panics
    /// When there is no such column, or it holds values of another kind.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.set_at(place(name), Some(value.into()));
    }

    /// Sets a value if there is one, and removes it otherwise.
    ///
    /// # Panics
    /// When there is no such column, or it holds values of another kind.
    pub fn set_some(&mut self, name: &str, value: Option<impl Into<Value>>) {
        self.set_at(place(name), value.map(Into::into));
    }

    /// Sets the value of the column at a place of [`COLUMNS`].
    ///
    /// # Panics
    /// When there is no such column, or it holds values of another kind.
    pub fn set_at(&mut self, place: usize, value: Option<Value>) {
        if let Some(value) = &value {
            let Column { name, kind, .. } = COLUMNS[place];
            assert!(value.kind() == kind, "column `{name}` holds no {value:?}: a bug of the laboratory");
        }
        self.values[place] = value;
    }

    /// A value, if there is one.
    ///
    /// # Panics
    /// When there is no such column.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.at(place(name))
    }

    /// The value of the column at a place of [`COLUMNS`].
    ///
    /// # Panics
    /// When there is no such column.
    pub fn at(&self, place: usize) -> Option<&Value> {
        self.values[place].as_ref()
    }

    /// A text, if there is one.
    ///
    /// # Panics
    /// When there is no such column.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.value(name)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A number, whole or not, if there is one.
    ///
    /// # Panics
    /// When there is no such column.
    pub fn number(&self, name: &str) -> Option<f64> {
        match *self.value(name)? {
            Value::Float(number) => Some(number),
            Value::Integer(number) => Some(number as f64),
            _ => None,
        }
    }

    /// A whole number, if there is one.
    ///
    /// # Panics
    /// When there is no such column.
    pub fn integer(&self, name: &str) -> Option<i64> {
        match *self.value(name)? {
            Value::Integer(number) => Some(number),
            _ => None,
        }
    }

    /// A yes or no, if there is one.
    ///
    /// # Panics
    /// When there is no such column.
    pub fn flag(&self, name: &str) -> Option<bool> {
        match *self.value(name)? {
            Value::Flag(is) => Some(is),
            _ => None,
        }
    }

    /// The order of rows in results: by their settings, the first column that differs decides; nothing comes first.
    /// Values of other columns do not matter.
    pub fn compare_settings(&self, other: &Self) -> Ordering {
        let is_setting = |column: &Column| column.role == Role::Setting && column.name != "run";
        let places = (0..COLUMNS.len()).filter(|&place| is_setting(&COLUMNS[place]));
        let mut orders = places.map(|place| compare(self.at(place), other.at(place)));
        orders.find(|order| order.is_ne()).unwrap_or_else(|| self.text("run").cmp(&other.text("run")))
    }

    /// The columns and their values, in the order of [`COLUMNS`].
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
    fn values_are_found_under_their_names() {
        let mut row = Row::new();
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
    fn a_misspelt_column_is_a_bug() {
        Row::new().set("agent", 1_u64);
    }

    #[test]
    #[should_panic(expected = "column `agents` holds no Text")]
    fn a_value_of_another_kind_is_a_bug() {
        Row::new().set("agents", "many");
    }
}
