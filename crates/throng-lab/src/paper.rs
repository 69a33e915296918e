//! The numbers that a paper prints, as data beside the experiment that repeats it: `experiments/NAME/paper.toml`.
//!
//! A table has either one measure and a column per planner, or a row per planner and a column per measure. Values are
//! written as printed, in the unit in which the report shows the measure (percent, seconds). The row and the column
//! `overall` are the paper's own averages. `nan` stands for a number that the paper does not print.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::strict::{self, FileError, Source};

/// The name of the row and the column of a paper's averages.
pub const OVERALL: &str = "overall";

/// The numbers of a paper.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// The citation.
    pub citation: String,
    /// The paper's machine and limits.
    #[serde(default)]
    pub setting: String,
    /// The paper's names of our planners, maps and problem types.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// The tables.
    #[serde(default, rename = "table")]
    pub tables: Vec<PaperTable>,
}

/// A table of a paper.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaperTable {
    /// The name in the paper.
    pub name: String,
    /// The measure of all cells; absent if each column is a measure.
    pub measure: Option<String>,
    /// The column of the results whose values are the rows.
    pub rows: String,
    /// The columns: planners or measures.
    pub columns: Vec<String>,
    /// One entry per row, with one value per column.
    pub cells: toml::Table,
    /// The numbers that the paper prints behind ±, if any.
    #[serde(default)]
    pub spread: toml::Table,
}

impl Paper {
    /// Parses the text of a file. `file` is its name in errors.
    ///
    /// # Errors
    /// Returns an error for malformed TOML, unknown or missing keys, and rows whose length is not that of the columns.
    pub fn parse(file: &str, text: &str) -> Result<Self, FileError> {
        let paper: Self = strict::read(file, text)?;
        for table in &paper.tables {
            for (row, values) in table.cells.iter().chain(&table.spread) {
                let all = values.as_array().is_some_and(|values| {
                    values.len() == table.columns.len() && values.iter().all(|value| number(value).is_some())
                });
                if !all {
                    let (name, columns) = (&table.name, table.columns.len());
                    let reason = format!("row `{row}` of `{name}` must be a list of {columns} numbers");
                    return Err(Source::new(file, text)
                        .place(text.find(row.as_str()).unwrap_or(0))
                        .refuse(reason));
                }
            }
        }
        Ok(paper)
    }

    /// Returns the table with this name.
    pub fn table(&self, name: &str) -> Option<&PaperTable> {
        self.tables.iter().find(|table| table.name == name)
    }

    /// Sorts rows or columns into the paper's order. Names that the paper does not have come last.
    #[must_use]
    pub fn ordered(&self, mut names: Vec<String>) -> Vec<String> {
        let place = |name: &String| {
            let headings = |table: &PaperTable| {
                table.cells.keys().chain(&table.columns).position(|heading| heading == name)
            };
            self.tables.iter().find_map(headings).unwrap_or(usize::MAX)
        };
        names.sort_by_key(place);
        names
    }

    /// Returns the paper's name of a planner, map or problem type, or our name if it has none.
    pub fn label<'a>(&'a self, name: &'a str) -> &'a str {
        self.labels.get(name).map_or(name, String::as_str)
    }
}

impl PaperTable {
    /// Returns a printed value.
    pub fn value(&self, row: &str, column: &str) -> Option<f64> {
        self.look_up(&self.cells, row, column)
    }

    /// Returns a printed value. An average is returned only if everything that it averages is among the names.
    pub fn comparable(&self, row: &str, column: &str, names: &[String]) -> Option<f64> {
        let known = |name: &String| name == OVERALL || names.contains(name);
        let whole = (row != OVERALL || self.cells.keys().all(known))
            && (column != OVERALL || self.columns.iter().all(known));
        self.value(row, column).filter(|_| whole)
    }

    /// Returns the number printed behind ±.
    pub fn spread(&self, row: &str, column: &str) -> Option<f64> {
        self.look_up(&self.spread, row, column)
    }

    fn look_up(&self, table: &toml::Table, row: &str, column: &str) -> Option<f64> {
        let place = self.columns.iter().position(|name| name == column)?;
        let value = table.get(row)?.as_array()?.get(place)?;
        number(value).filter(|value| !value.is_nan())
    }
}

fn number(value: &toml::Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|number| number as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLES: [(&str, &str); 3] = [
        ("Table I", include_str!("../experiments/bmaa-completion/paper.toml")),
        ("Table II", include_str!("../experiments/bmaa-time/paper.toml")),
        ("Table III", include_str!("../experiments/bmaa-travel/paper.toml")),
    ];

    /// Returns true for a column of the paper other than the mean. The columns of planners that are run with two rules for
    /// deadlocks are repeated.
    fn is_printed(column: &str) -> bool {
        column != OVERALL && !column.ends_with("deadlock=paper")
    }

    /// Returns each row and column with its printed mean and the mean of its printed cells.
    fn averages(table: &PaperTable) -> Vec<(String, f64, f64)> {
        let rows: Vec<&str> = table.cells.keys().map(String::as_str).filter(|row| *row != OVERALL).collect();
        let columns: Vec<&str> =
            table.columns.iter().map(String::as_str).filter(|name| is_printed(name)).collect();
        let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
        let of_row = |row: &&str| {
            let values = columns.iter().map(|column| table.value(row, column).unwrap()).collect();
            ((*row).to_owned(), table.value(row, OVERALL).unwrap(), mean(values))
        };
        let of_column = |column: &&str| {
            let values = rows.iter().map(|row| table.value(row, column).unwrap()).collect();
            ((*column).to_owned(), table.value(OVERALL, column).unwrap(), mean(values))
        };
        rows.iter().map(of_row).chain(columns.iter().map(of_column)).collect()
    }

    #[test]
    fn printed_averages_match_the_printed_cells() {
        for (name, text) in TABLES {
            let paper = Paper::parse(name, text).unwrap();
            let table = paper.table(name).unwrap();
            let printed = table.columns.iter().filter(|column| is_printed(column)).count();
            assert_eq!((table.cells.len(), printed), (11, 6), "{name}");
            // Cells and averages are both rounded.
            let rounding = if name == "Table II" { 0.1 } else { 1.0 };
            let off: Vec<String> = averages(table)
                .into_iter()
                .filter(|(_, printed, computed)| (printed - computed).abs() > rounding)
                .map(|(key, ..)| key)
                .collect();
            // The paper contradicts itself in one cell, as the file notes.
            let expected: &[&str] = if name == "Table III" { &["bg512/AR0504SR", "far"] } else { &[] };
            assert_eq!(off, expected, "{name}");
        }
    }

    #[test]
    fn best_planners_by_problem_type_match_the_thesis() {
        let paper = Paper::parse("paper.toml", include_str!("../experiments/mapf-types/paper.toml")).unwrap();
        let table = paper.table("Table 5.2").unwrap();
        let best_of = |row: &str| {
            let value = |column: &&String| table.value(row, column).unwrap();
            table
                .columns
                .iter()
                .max_by(|a, b| value(a).total_cmp(&value(b)))
                .unwrap()
                .split(':')
                .next()
                .unwrap()
        };
        let best: Vec<&str> = table.cells.keys().map(|row| best_of(row)).collect();
        assert_eq!(best, ["bmaa", "far", "bmaa", "bmaa", "bmaa", "far", "far"]);
        // The means of Table 5.1 over all types match Table 5.2 up to the spread over ten random test sets.
        let overall = paper.table("Table 5.1").unwrap();
        for column in &table.columns {
            let mean = table.cells.keys().map(|row| table.value(row, column).unwrap()).sum::<f64>() / 7.0;
            let printed = overall.value(column, "completion_rate").unwrap();
            let spread = overall.spread(column, "completion_rate").unwrap();
            assert!((printed - mean).abs() < 2.0 * spread, "{column}: {printed} and {mean}");
        }
    }

    #[test]
    fn malformed_files_are_refused_with_line_and_column() {
        let refusal = |text: &str| Paper::parse("p.toml", text).unwrap_err().to_string();
        assert_eq!(
            refusal("citation = \"\"\nlabel = 1"),
            "p.toml:2:1: there is no key `label`: did you mean `labels`?"
        );
        assert!(refusal("citation = ").starts_with("p.toml:1:12: "));
        let table =
            "citation = \"\"\n[[table]]\nname = \"T\"\nrows = \"map\"\ncolumns = [\"far\"]\n[table.cells]\n";
        let message = "p.toml:7:1: row `map1` of `T` must be a list of 1 numbers";
        assert_eq!(refusal(&format!("{table}map1 = [1, 2]")), message);
        assert_eq!(refusal(&format!("{table}map1 = [\"x\"]")), message);
        let hole = Paper::parse("p.toml", &format!("{table}a = [nan]")).unwrap();
        assert_eq!(hole.table("T").unwrap().value("a", "far"), None);
    }
}
