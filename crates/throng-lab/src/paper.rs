//! The numbers that a paper prints, as data beside the experiment that repeats it: `experiments/NAME/paper.toml`.
//!
//! A table has a measure for all its cells and planners for columns, or planners for rows and a measure a column.
//! Values are written as printed, in the unit in which the report shows the measure (percent, seconds). The row and
//! the column `overall` hold the paper's own averages; `nan` stands where it prints nothing.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::strict::{self, FileError};

/// The averages that a paper prints under this name.
pub const OVERALL: &str = "overall";

/// What a paper prints.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Paper {
    /// Who, what, where, when.
    pub citation: String,
    /// On what and for how long it was run.
    #[serde(default)]
    pub setting: String,
    /// What the paper calls our planners, maps and problem types.
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
    /// Its name in the paper.
    pub name: String,
    /// The measure of all cells; absent where each column is a measure.
    pub measure: Option<String>,
    /// What a row stands for: a column of the results.
    pub rows: String,
    /// Planners, or measures.
    pub columns: Vec<String>,
    /// A row each, a value a column.
    pub cells: toml::Table,
    /// What the paper prints behind ±, where it does.
    #[serde(default)]
    pub spread: toml::Table,
}

impl Paper {
    /// Reads a paper's file; `file` is its name in refusals.
    ///
    /// # Errors
    /// When it is no TOML, has unknown or missing keys, or a row does not fit its table's columns.
    pub fn parse(file: &str, text: &str) -> Result<Self, FileError> {
        let paper: Self = strict::read(file, text)?;
        for table in &paper.tables {
            for (row, values) in table.cells.iter().chain(&table.spread) {
                let all = values.as_array().is_some_and(|values| {
                    values.len() == table.columns.len() && values.iter().all(|value| number(value).is_some())
                });
                if !all {
                    let (name, columns) = (&table.name, table.columns.len());
                    let reason = format!("row `{row}` of `{name}` is no list of {columns} numbers");
                    let place = text.find(row.as_str()).unwrap_or(0);
                    return Err(strict::at(file, text, place, reason));
                }
            }
        }
        Ok(paper)
    }

    /// A table by its name.
    pub fn table(&self, name: &str) -> Option<&PaperTable> {
        self.tables.iter().find(|table| table.name == name)
    }

    /// Rows or columns in the paper's order; those that it does not have come last.
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

    /// What the paper calls something, or what we call it.
    pub fn label<'a>(&'a self, name: &'a str) -> &'a str {
        self.labels.get(name).map_or(name, String::as_str)
    }
}

impl PaperTable {
    /// A printed value.
    pub fn value(&self, row: &str, column: &str) -> Option<f64> {
        self.look_up(&self.cells, row, column)
    }

    /// A printed value, but an average only if everything that it is of is among the names.
    pub fn comparable(&self, row: &str, column: &str, names: &[String]) -> Option<f64> {
        let known = |name: &String| name == OVERALL || names.contains(name);
        let whole = (row != OVERALL || self.cells.keys().all(known))
            && (column != OVERALL || self.columns.iter().all(known));
        self.value(row, column).filter(|_| whole)
    }

    /// What is printed behind ±.
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

    /// The mean of a row or column as the paper prints it, and what it is of the other printed cells.
    fn averages(table: &PaperTable) -> Vec<(String, f64, f64)> {
        let rows: Vec<&str> = table.cells.keys().map(String::as_str).filter(|row| *row != OVERALL).collect();
        let columns: Vec<&str> =
            table.columns.iter().map(String::as_str).filter(|name| *name != OVERALL).collect();
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
    fn printed_averages_are_those_of_the_printed_cells() {
        for (name, text) in TABLES {
            let paper = Paper::parse(name, text).unwrap();
            let table = paper.table(name).unwrap();
            assert_eq!((table.cells.len(), table.columns.len()), (11, 7), "{name}");
            // Cells and averages are both rounded.
            let rounding = if name == "Table II" { 0.1 } else { 1.0 };
            let off: Vec<String> = averages(table)
                .into_iter()
                .filter(|(_, printed, computed)| (printed - computed).abs() > rounding)
                .map(|(key, ..)| key)
                .collect();
            // The one cell that the paper itself contradicts, as the file says.
            let expected: &[&str] = if name == "Table III" { &["bg512/AR0504SR", "far"] } else { &[] };
            assert_eq!(off, expected, "{name}");
        }
    }

    #[test]
    fn winners_by_problem_type_are_those_the_thesis_prints_in_bold() {
        let paper = Paper::parse("paper.toml", include_str!("../experiments/mapf-types/paper.toml")).unwrap();
        let table = paper.table("Table 5.2").unwrap();
        let winner = |row: &str| {
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
        let winners: Vec<&str> = table.cells.keys().map(|row| winner(row)).collect();
        assert_eq!(winners, ["bmaa", "far", "bmaa", "bmaa", "bmaa", "far", "far"]);
        // Table 5.1's means over all types are those of Table 5.2, within what ten random test sets differ by.
        let overall = paper.table("Table 5.1").unwrap();
        for column in &table.columns {
            let mean = table.cells.keys().map(|row| table.value(row, column).unwrap()).sum::<f64>() / 7.0;
            let printed = overall.value(column, "completion_rate").unwrap();
            let spread = overall.spread(column, "completion_rate").unwrap();
            assert!((printed - mean).abs() < 2.0 * spread, "{column}: {printed} and {mean}");
        }
    }

    #[test]
    fn bad_files_are_refused_by_name() {
        let refusal = |text: &str| Paper::parse("p.toml", text).unwrap_err().to_string();
        assert_eq!(
            refusal("citation = \"\"\nlabel = 1"),
            "p.toml:2:1: there is no key `label`: did you mean `labels`?"
        );
        assert!(refusal("citation = ").starts_with("p.toml:1:12: "));
        let table =
            "citation = \"\"\n[[table]]\nname = \"T\"\nrows = \"map\"\ncolumns = [\"far\"]\n[table.cells]\n";
        let message = "p.toml:7:1: row `map1` of `T` is no list of 1 numbers";
        assert_eq!(refusal(&format!("{table}map1 = [1, 2]")), message);
        assert_eq!(refusal(&format!("{table}map1 = [\"x\"]")), message);
        let hole = Paper::parse("p.toml", &format!("{table}a = [nan]")).unwrap();
        assert_eq!(hole.table("T").unwrap().value("a", "far"), None);
    }
}
