//! The columns of stored results.
//!
//! Columns are declared as the fields of typed records with the macro `columns!`: the shared ones here, those of a task
//! in the task's file. A new column is a new field and the code that fills it. Stored files, their headers and the page
//! `docs/results.md` follow from the declarations.

use std::sync::LazyLock;

use crate::task::TASKS;
use crate::{RunRow, Value};

/// The version of the stored columns. It is raised when a column is renamed, removed, or changes its kind or meaning;
/// results of another version are refused. A new column needs no new version: rows without it have no value there.
pub const SCHEMA_VERSION: u32 = 2;

/// A column of the results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    /// The name in stored files, experiment files and reports.
    pub name: &'static str,
    /// The kind of its values.
    pub kind: ColumnKind,
    /// What its values depend on.
    pub role: Role,
    /// What a value means, in one line.
    pub about: &'static str,
}

/// The kind of a column's values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnKind {
    /// Text.
    Text,
    /// A signed integer of 64 bits.
    Integer,
    /// A floating-point number of 64 bits.
    Float,
    /// True or false.
    Flag,
}

/// What the values of a column depend on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Role {
    /// Set by the experiment, or derived from its settings.
    Setting,
    /// A result that is equal on every machine for equal settings, unless a time limit ended the run.
    Measure,
    /// A result that differs from run to run.
    Timing,
    /// The program, the machine and the conditions of the run.
    Provenance,
}

impl Role {
    /// All roles, in the order of the columns.
    pub const ALL: [Self; 4] = [Self::Setting, Self::Measure, Self::Timing, Self::Provenance];
}

/// A typed part of a row: a struct whose fields are columns. Declared with `columns!`.
pub trait RowPart: Sized {
    /// The columns, in the order of the fields.
    const COLUMNS: &'static [Column];

    /// Reads the fields from a row; a missing value becomes the default of its type.
    fn load(row: &RunRow) -> Self;

    /// Writes the fields into a row.
    fn store(&self, row: &mut RunRow);
}

/// The type of a field of a [`RowPart`].
pub trait ColumnType: Sized {
    /// The kind of the column.
    const KIND: ColumnKind;

    /// Reads a value; a missing one becomes the default.
    fn load(value: Option<&Value>) -> Self;

    /// Returns the value to store, or none.
    fn store(&self) -> Option<Value>;
}

/// Implements [`ColumnType`] for a type and its option.
macro_rules! column_type {
    ($type:ty, $kind:ident, $value:ident => $load:expr) => {
        impl ColumnType for $type {
            const KIND: ColumnKind = ColumnKind::$kind;

            fn load(value: Option<&Value>) -> Self {
                <Option<Self> as ColumnType>::load(value).unwrap_or_default()
            }

            fn store(&self) -> Option<Value> {
                Some(Value::from(self.clone()))
            }
        }

        impl ColumnType for Option<$type> {
            const KIND: ColumnKind = ColumnKind::$kind;

            fn load(value: Option<&Value>) -> Self {
                if let Some(Value::$kind($value)) = value { Some($load) } else { None }
            }

            fn store(&self) -> Option<Value> {
                self.clone().map(Value::from)
            }
        }
    };
}

column_type!(String, Text, text => text.clone());
column_type!(u64, Integer, number => u64::try_from(*number).unwrap_or_default());
column_type!(usize, Integer, number => usize::try_from(*number).unwrap_or_default());
column_type!(f64, Float, number => *number);
column_type!(bool, Flag, is => *is);

/// Declares a struct whose fields are columns of one role. The documentation of a field is the description of its
/// column.
macro_rules! columns {
    ($role:ident: $(#[doc = $summary:literal])+ $vis:vis struct $name:ident {
        $($(#[doc = $about:literal])+ $field:ident: $type:ty,)*
    }) => {
        $(#[doc = $summary])+
        #[derive(Clone, PartialEq, PartialOrd, Debug, Default)]
        $vis struct $name {
            $($(#[doc = $about])+ pub $field: $type,)*
        }

        const _: () = {
            use $crate::RunRow;
            use $crate::columns::{Column, ColumnType, Role, RowPart, plain_name};

            impl RowPart for $name {
                const COLUMNS: &'static [Column] = &[$(Column {
                    name: plain_name(stringify!($field)),
                    kind: <$type as ColumnType>::KIND,
                    role: Role::$role,
                    about: concat!($($about),+).trim_ascii(),
                }),*];

                fn load(row: &RunRow) -> Self {
                    Self { $($field: ColumnType::load(row.value(plain_name(stringify!($field)))),)* }
                }

                fn store(&self, row: &mut RunRow) {
                    $(row.set_some(plain_name(stringify!($field)), ColumnType::store(&self.$field));)*
                }
            }
        };
    };
}
pub(crate) use columns;

/// Returns a field's name without the prefix that Rust needs for keywords such as `type`.
pub(crate) const fn plain_name(field: &'static str) -> &'static str {
    match field.as_bytes() {
        [b'r', b'#', ..] => field.split_at(2).1,
        _ => field,
    }
}

columns! { Setting:
    /// The settings of every run.
    pub struct SharedSettings {
        /// name of the experiment
        experiment: String,
        /// scale of the experiment: smoke, quick, paper, or another one of its file
        scale: String,
        /// key of the run, 16 hexadecimal digits: the hash of its settings and of the program (`commit`, or `version`
        /// where the commit is unknown)
        run: String,
        /// task that was run
        task: String,
        /// name of the map, as the experiment writes it
        map: String,
        /// 16 hexadecimal digits: the hash of the map's terrain, and of the scenario file if the run reads one
        map_hash: Option<String>,
        /// condition for diagonal moves: forbid, allow, mixed
        corners: String,
        /// cost of terrain: uniform, wc3
        terrain: String,
        /// problem type, or `scen` or `scen=FILE` if the problems come from a scenario file
        r#type: String,
        /// number of the problem among those with the same settings
        instance: u64,
        /// seed of the problem, a hash of the problem's settings, equal for all planners or searches
        seed: u64,
    }
}

columns! { Timing:
    /// The timings of every run.
    pub struct SharedTimings {
        /// duration of the whole run in seconds: map, problem, checks and measures included
        run_seconds: f64,
    }
}

columns! { Provenance:
    /// The program, the machine and the conditions of a run.
    pub struct Provenance {
        /// commit of the program; `+` and a hash follow if it was built with changes that are not committed; `unknown`
        /// if it was built outside of a repository
        commit: String,
        /// version of throng
        version: String,
        /// version of the compiler
        rustc: String,
        /// name of the processor
        machine: String,
        /// number of cores
        cores: usize,
        /// operating system and architecture
        os: String,
        /// number of runs that were executed at the same time
        jobs: usize,
        /// other work on the machine: `quiet` if the run waited less than 5 % of its time for a core, `loaded` if it
        /// waited longer, so that its timings are too long, `unknown` if the system does not report it
        load: String,
    }
}

/// Every column: sorted by role, the shared ones first, then those of each task.
pub static COLUMNS: LazyLock<Vec<Column>> = LazyLock::new(|| {
    let shared = [SharedSettings::COLUMNS, SharedTimings::COLUMNS, Provenance::COLUMNS];
    let mut columns: Vec<Column> = Vec::new();
    for column in shared.iter().chain(TASKS.iter().flat_map(|task| task.columns)).copied().flatten() {
        if !columns.contains(column) {
            columns.push(*column);
        }
    }
    columns.sort_by_key(|column| column.role);
    columns
});

/// Returns the position of a column in [`COLUMNS`].
pub fn index(name: &str) -> Option<usize> {
    COLUMNS.iter().position(|column| column.name == name)
}

/// Returns the names of the tasks that have a column; all tasks have the shared columns.
pub fn tasks_with(column: &Column) -> Vec<&'static str> {
    let own = TASKS.iter().filter(|task| task.columns.iter().any(|columns| columns.contains(column)));
    own.map(|task| task.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_roles_in_order() {
        for (place, column) in COLUMNS.iter().enumerate() {
            assert_eq!(index(column.name), Some(place), "`{}` is declared twice", column.name);
        }
        assert!(COLUMNS.is_sorted_by_key(|column| column.role));
        assert!(index("type").is_some());
    }

    #[test]
    fn a_row_part_is_loaded_as_it_was_stored() {
        let part = SharedSettings {
            experiment: "mine".to_owned(),
            r#type: "random".to_owned(),
            seed: 7,
            ..SharedSettings::default()
        };
        let mut row = RunRow::new();
        part.store(&mut row);
        assert_eq!(
            (row.text("type"), row.integer("seed"), row.value("map_hash")),
            (Some("random"), Some(7), None)
        );
        assert_eq!(SharedSettings::load(&row), part);
    }
}
