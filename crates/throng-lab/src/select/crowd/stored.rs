//! The stored courses of crowd runs, in one Parquet file that is small enough for the repository.
//!
//! Marks follow from the limit of a run ([`course_marks`]), so only the states are stored: per mark the agents on their goals,
//! the mean distance in tenths of a cell, and the ticks. These columns have few different values and compress well. A run that
//! ended by itself also has the state at its end. Commit, version and machine of the runs are columns too.

use std::collections::BTreeSet;
use std::path::Path;

use super::{PRICE_SCALE, ProblemKey};
use crate::columns::ColumnKind;
use crate::files::Files;
use crate::store::{TableColumn, read_table, write_table};
use crate::{Course, CourseMark, Results, RunRow, StoreError, Value, course_marks};

/// The experiment whose runs are stored.
const EXPERIMENT: &str = "mapf-types";

/// Returns true if runs of a scale of `mapf-types` have courses to store.
pub fn is_stored_scale(experiment: &str, scale: &str) -> bool {
    experiment == EXPERIMENT && scale != PRICE_SCALE
}

/// The values of a mark: name of the column, and units per unit of the state.
const STATES: [(&str, f64); 3] = [("arrived", 1.0), ("travel", 10.0), ("ticks", 1.0)];

/// The columns of the program and the machine.
const PROVENANCE: [&str; 3] = ["commit", "version", "machine"];

/// The course of one planner on one problem.
#[derive(Clone, PartialEq, Debug)]
pub struct CrowdRun {
    /// The problem.
    pub key: ProblemKey,
    /// The planner.
    pub planner: String,
    /// The limit of expansions.
    pub limit: u64,
    /// Whether the limit ended the run.
    pub is_cut: bool,
    /// The expansions at the end. They exceed the limit by those of the last tick, up to which the last state lasts.
    pub expansions: u64,
    /// The states at the marks, and at the end if the limit did not end the run.
    pub course: Course,
    /// Commit, version and machine.
    pub provenance: [String; 3],
}

/// Stored courses.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CrowdRuns {
    /// The runs, in the order of the file.
    pub runs: Vec<CrowdRun>,
}

impl CrowdRuns {
    /// Takes the runs with a course from results.
    pub fn from_results(results: &Results) -> Self {
        let is_stored = |row: &&RunRow| {
            let text = |name| row.text(name).unwrap_or_default();
            is_stored_scale(text("experiment"), text("scale"))
        };
        Self { runs: results.rows.iter().filter(is_stored).filter_map(run_of).collect() }
    }

    /// Adds the runs that differ from those that are here in planner, problem or limit.
    pub fn add(&mut self, others: Self) {
        let key = |run: &CrowdRun| (run.key.clone(), run.planner.clone(), run.limit);
        let mut known: BTreeSet<_> = self.runs.iter().map(key).collect();
        self.runs.extend(others.runs.into_iter().filter(|run| known.insert(key(run))));
    }

    /// Writes the runs into a Parquet file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), StoreError> {
        let text = |name: &str, value: &dyn Fn(&CrowdRun) -> &str| {
            self.column(name, ColumnKind::Text, |run| Some(Value::from(value(run))))
        };
        let number = |name: &str, value: &dyn Fn(&CrowdRun) -> u64| {
            self.column(name, ColumnKind::Integer, |run| Some(Value::from(value(run))))
        };
        let mut columns = vec![
            text("game", &|run| &run.key.game),
            text("map", &|run| &run.key.map),
            text("type", &|run| &run.key.kind),
            number("instance", &|run| run.key.instance),
            number("agents", &|run| run.key.agents as u64),
            number("seed", &|run| run.key.seed),
            text("planner", &|run| &run.planner),
            number("limit", &|run| run.limit),
            self.column("cut", ColumnKind::Flag, |run| Some(Value::from(run.is_cut))),
        ];
        columns.extend((0..3).map(|at| text(PROVENANCE[at], &|run| &run.provenance[at])));
        let marks = self.runs.iter().map(|run| course_marks(run.limit).len()).max().unwrap_or_default();
        for mark in 0..marks {
            columns.extend((0..3).map(|state| {
                self.column(&column_name(state, Some(mark)), ColumnKind::Integer, |run| {
                    let expansions = *course_marks(run.limit).get(mark)?;
                    let found =
                        run.course.marks().get(mark).filter(|found| found.expansions == expansions)?;
                    Some(units(found, state))
                })
            }));
        }
        let end = |run: &CrowdRun| run.course.marks().last().copied().filter(|_| !run.is_cut);
        columns.push(number("end_expansions", &|run| run.expansions));
        columns.extend((0..3).map(|state| {
            self.column(&column_name(state, None), ColumnKind::Integer, |run| Some(units(&end(run)?, state)))
        }));
        write_table(&Files::default(), path, &columns)
    }

    fn column(
        &self,
        name: &str,
        kind: ColumnKind,
        value: impl Fn(&CrowdRun) -> Option<Value>,
    ) -> TableColumn {
        TableColumn { name: name.to_owned(), kind, values: self.runs.iter().map(value).collect() }
    }

    /// Reads runs from a Parquet file.
    ///
    /// # Errors
    /// If the file cannot be read, or a value is missing.
    pub fn read(path: &Path) -> Result<Self, StoreError> {
        let columns = read_table(path)?;
        let rows = columns.first().map_or(0, |column| column.values.len());
        let runs =
            (0..rows).map(|row| StoredRow { columns: &columns, row }.run()).collect::<Option<Vec<_>>>();
        let damaged = || StoreError::Damaged {
            path: path.to_owned(),
            reason: "a value of a crowd run is missing".to_owned(),
        };
        runs.map(|runs| Self { runs }).ok_or_else(damaged)
    }
}

/// Returns the name of the column of a state at a mark, or at the end.
fn column_name(state: usize, mark: Option<usize>) -> String {
    let name = STATES[state].0;
    mark.map_or_else(|| format!("end_{name}"), |mark| format!("{name}_{}", mark + 1))
}

/// Returns a value of a mark in the units of its column.
fn units(mark: &CourseMark, state: usize) -> Value {
    let value = [mark.arrived, mark.travel, mark.ticks][state];
    Value::Integer((value * STATES[state].1).round() as i64)
}

/// Returns the run of a row of results; none if it has no course.
fn run_of(row: &RunRow) -> Option<CrowdRun> {
    let text = |name| row.text(name).unwrap_or_default().to_owned();
    let number = |name| row.integer(name).and_then(|number| u64::try_from(number).ok());
    let map = text("map");
    let game = map.split_once('/').map_or_else(|| "generated".to_owned(), |(game, _)| game.to_owned());
    Some(CrowdRun {
        key: ProblemKey {
            game,
            map,
            kind: text("type"),
            instance: number("instance")?,
            agents: number("agents")? as usize,
            seed: number("seed")?,
        },
        planner: text("planner"),
        limit: number("max_expansions")?,
        is_cut: row.text("stopped") == Some("expansions"),
        expansions: number("expansions")?,
        course: Course::parse(row.text("course")?)?,
        provenance: PROVENANCE.map(text),
    })
}

/// One row of the file.
struct StoredRow<'a> {
    columns: &'a [TableColumn],
    row: usize,
}

impl StoredRow<'_> {
    fn value(&self, name: &str) -> Option<&Value> {
        self.columns.iter().find(|column| column.name == name)?.values[self.row].as_ref()
    }

    fn text(&self, name: &str) -> Option<String> {
        Some(self.value(name)?.text()?.to_owned())
    }

    fn number(&self, name: &str) -> Option<u64> {
        u64::try_from(self.value(name)?.integer()?).ok()
    }

    /// Returns the state at a mark or at the end; none if the run has none there.
    fn state(&self, mark: Option<usize>, expansions: u64) -> Option<CourseMark> {
        let state = |state: usize| Some(self.number(&column_name(state, mark))? as f64 / STATES[state].1);
        Some(CourseMark { expansions, arrived: state(0)?, travel: state(1)?, ticks: state(2)? })
    }

    fn run(&self) -> Option<CrowdRun> {
        let limit = self.number("limit")?;
        let at_marks = course_marks(limit);
        let marks = at_marks.iter().enumerate().map_while(|(mark, &at)| self.state(Some(mark), at));
        let expansions = self.number("end_expansions")?;
        let end = self.state(None, expansions);
        let mut states: Vec<CourseMark> = marks.collect();
        // The run may have ended at a mark.
        states.extend(end.filter(|end| states.last().is_none_or(|last| last.expansions < end.expansions)));
        Some(CrowdRun {
            key: ProblemKey {
                game: self.text("game")?,
                map: self.text("map")?,
                kind: self.text("type")?,
                instance: self.number("instance")?,
                agents: self.number("agents")? as usize,
                seed: self.number("seed")?,
            },
            planner: self.text("planner")?,
            limit,
            is_cut: self.value("cut")?.flag()?,
            expansions,
            course: Course::new(states)?,
            provenance: [self.text("commit")?, self.text("version")?, self.text("machine")?],
        })
    }
}
