//! The list of runs, filtered and in pages.

use serde::{Deserialize, Serialize};
use throng_lab::columns::index;
use throng_lab::{RunRow, can_repeat, task};

use super::Loaded;

/// The number of runs of a page.
const PAGE: usize = 100;

/// The longest filter.
const MAX_FILTER: usize = 500;

/// Which runs a browser asks for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Query {
    /// Words that all have to be part of a run's settings, or `SETTING=VALUE`; `planner` also names searches.
    filter: String,
    /// The number of runs that are skipped.
    from: usize,
}

/// A page of the list.
#[derive(Debug, Serialize)]
pub(crate) struct RunList {
    version: u32,
    /// The number of runs that match.
    total: usize,
    from: usize,
    runs: Vec<RunEntry>,
}

/// A run.
#[derive(Debug, Serialize)]
struct RunEntry {
    /// Its number among all runs.
    run: usize,
    planner: String,
    map: String,
    /// What else distinguishes it.
    settings: String,
    /// The share of its goals that it reached, 0 to 1.
    completion: Option<f64>,
    ticks: Option<i64>,
    seconds: Option<f64>,
    /// Whether it can be watched.
    moves: bool,
}

/// Returns the planner or search of a run.
pub(super) fn solver(row: &RunRow) -> &str {
    let column = row.text("task").and_then(task).map_or("planner", |task| task.solver_column);
    row.text(column).unwrap_or_default()
}

/// Returns the settings of a run that a person tells runs apart by, without planner and map.
pub(super) fn settings(row: &RunRow) -> String {
    let text = |name: &str| row.value(name).map(ToString::to_string);
    let agents = text("agents").map(|agents| format!("{agents} agents"));
    let number = text("instance").map(|number| format!("no. {number}"));
    let parts = [text("type"), agents, number, text("experiment"), text("scale")];
    parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

/// A word of a filter.
enum Word<'a> {
    Part(String),
    Setting(&'a str, &'a str),
}

impl Word<'_> {
    fn matches(&self, row: &RunRow) -> bool {
        match self {
            Self::Setting("planner", value) => solver(row) == *value,
            Self::Setting(name, value) => row.value(name).is_some_and(|known| known.to_string() == *value),
            Self::Part(word) => {
                let has = |text: &str| text.to_lowercase().contains(word);
                has(solver(row)) || has(row.text("map").unwrap_or_default()) || has(&settings(row))
            }
        }
    }
}

fn words(filter: &str) -> Vec<Word<'_>> {
    let word = |text| match str::split_once(text, '=') {
        // Planners have parameters with `=` too.
        Some((name, value)) if index(name).is_some() => Word::Setting(name, value),
        _ => Word::Part(text.to_lowercase()),
    };
    filter.split_whitespace().map(word).collect()
}

impl Loaded {
    /// Returns the runs that match.
    pub(crate) fn list(&self, query: &Query) -> Result<RunList, String> {
        if query.filter.len() > MAX_FILTER {
            return Err("the filter is too long".to_owned());
        }
        let words = words(&query.filter);
        let matching =
            || self.rows.iter().enumerate().filter(|(_, row)| words.iter().all(|it| it.matches(row)));
        let runs = matching().skip(query.from).take(PAGE).map(|(run, row)| entry(run, row)).collect();
        Ok(RunList { version: self.version, total: matching().count(), from: query.from, runs })
    }
}

fn entry(run: usize, row: &RunRow) -> RunEntry {
    let completion = row.text("task").and_then(task).map(|task| task.completion_column);
    RunEntry {
        run,
        planner: solver(row).to_owned(),
        map: row.text("map").unwrap_or_default().to_owned(),
        settings: settings(row),
        completion: completion.and_then(|column| row.number(column)),
        ticks: row.integer("ticks"),
        seconds: row.number("wall_seconds"),
        moves: can_repeat(row),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded() -> Loaded {
        let row = |number: usize| {
            let mut row = RunRow::new();
            row.set("task", "crowd");
            row.set("map", ["builtin:town", "dao/arena"][number % 2]);
            row.set("planner", ["far", "bmaa:flow=on", "far:reserve=2"][number % 3]);
            row.set("agents", number * 10);
            row
        };
        Loaded { version: 3, rows: (0..240).map(row).collect(), page: "".into() }
    }

    #[test]
    fn runs_are_filtered_and_paged() {
        let loaded = loaded();
        let list = |filter: &str, from| {
            let list = loaded.list(&Query { filter: filter.to_owned(), from }).unwrap();
            (list.total, list.runs.iter().map(|run| run.run).take(3).collect::<Vec<_>>())
        };
        assert_eq!(list("", 0), (240, vec![0, 1, 2]));
        assert_eq!(list("", 238), (240, vec![238, 239]));
        assert_eq!(list("", usize::MAX), (240, vec![]));
        assert_eq!(list("FAR town", 0), (80, vec![0, 2, 6]));
        assert_eq!(list("planner=far map=builtin:town", 0), (40, vec![0, 6, 12]));
        assert_eq!(list("planner=bmaa:flow=on", 1), (80, vec![4, 7, 10]));
        assert_eq!(list("flow=on agents=10", 0), (1, vec![1]));
        assert_eq!(list("agents=many", 0), (0, vec![]));
        assert!(loaded.list(&Query { filter: "a".repeat(501), from: 0 }).is_err());
    }
}
