//! How measures are shown: name, unit, digits, whether more or less of it is better, and what several runs come to.

use super::data::Run;
use crate::stats::Percentiles;

/// Which way is better.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Better {
    /// More.
    High,
    /// Less.
    Low,
}

/// What several runs come to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Over {
    /// The mean over runs.
    Runs,
    /// The mean over the questions of all runs.
    Questions,
    /// A percentile over the questions of all runs; the column has all percentiles of each.
    Percentile(usize),
}

/// How a measure is shown.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measure {
    /// What reports call it.
    pub name: &'static str,
    /// The column of the results.
    pub column: &'static str,
    /// What several runs come to.
    pub over: Over,
    /// What people call it.
    pub label: &'static str,
    /// Its unit, as it stands behind a number.
    pub unit: &'static str,
    /// Shown values are stored ones times this.
    pub factor: f64,
    /// Digits behind the point.
    pub digits: usize,
    /// Which way is better.
    pub better: Better,
    /// The largest value that is possible, as stored; the smallest is 0.
    pub most: f64,
}

/// Share of the instances on which a planner was the best choice: no column, but computed for the report.
pub const BEST_SHARE: &str = "best_share";

const fn less(name: &'static str, label: &'static str, unit: &'static str, digits: usize) -> Measure {
    let (better, most) = (Better::Low, f64::INFINITY);
    Measure { name, column: name, over: Over::Runs, label, unit, factor: 1.0, digits, better, most }
}

const fn more(name: &'static str, label: &'static str, digits: usize) -> Measure {
    Measure { better: Better::High, most: 1.0, ..less(name, label, "", digits) }
}

const fn share(name: &'static str, label: &'static str) -> Measure {
    Measure { unit: "%", factor: 100.0, ..more(name, label, 1) }
}

/// Microseconds, shown as milliseconds.
const fn milliseconds(name: &'static str, label: &'static str) -> Measure {
    Measure { factor: 1e-3, ..less(name, label, "ms", 4) }
}

/// A measure over the questions of all runs.
const fn pooled(column: &'static str, over: Over, measure: Measure) -> Measure {
    Measure { column, over, ..measure }
}

/// The columns with all percentiles of a run's questions.
const EXPANDED: &str = "expanded_percentiles";
const TIMES: &str = "query_us_percentiles";

/// Every measure that a report can show.
pub const MEASURES: &[Measure] = &[
    share("completion_rate", "Completion rate"),
    share(BEST_SHARE, "Best choice"),
    less("completion_seconds_mean", "Completion time", "s", 2),
    less("completion_ticks_mean", "Completion time", "ticks", 0),
    less("travel_mean", "Travel distance", "", 0),
    less("travel_over_shortest", "Travel over shortest", "×", 2),
    less("ticks", "Ticks", "", 0),
    less("expansions", "Expansions", "", 0),
    less("failed_moves", "Failed moves", "", 0),
    less("overruled", "Overruled proposals", "", 0),
    less("collisions", "Collisions", "", 0),
    less("first_move_ticks_mean", "Order to first move", "ticks", 1),
    less("expansions_discarded", "Expansions thrown away", "", 0),
    less("simulation_time", "Simulation time", "", 0),
    less("loop_time", "Time a loop", "", 1),
    less("loop_expansions", "Expansions a loop", "", 0),
    less("loop_backwards", "of which backwards", "", 0),
    less("loop_distance", "Distance a loop", "", 1),
    less("loop_failed_moves", "Failed moves a loop", "", 2),
    more("coherence_mean", "Coherence", 3),
    more("coherence_10", "Coherence at 10 %", 3),
    more("coherence_25", "Coherence at 25 %", 3),
    more("coherence_50", "Coherence at 50 %", 3),
    more("coherence_75", "Coherence at 75 %", 3),
    more("coherence_90", "Coherence at 90 %", 3),
    less("late_distance", "Distance a loop after the change", "", 1),
    less("late_failed_moves", "Failed moves a loop after the change", "", 2),
    less("late_expansions", "Expansions a loop after the change", "", 0),
    less("wall_seconds", "Time of all ticks", "s", 2),
    less("tick_us_mean", "Mean tick", "µs", 0),
    less("tick_us_p50", "Median tick", "µs", 0),
    less("tick_us_p99", "Tick, 99th percentile", "µs", 0),
    less("tick_us_p999", "Tick, 99.9th percentile", "µs", 0),
    less("tick_us_max", "Longest tick", "µs", 0),
    less("cost_over_optimal_mean", "Cost over the least", "×", 4),
    less("bound_violations", "Broken promises", "", 0),
    less("expanded_p25", "Nodes expanded, lower quartile", "", 0),
    less("expanded_p50", "Nodes expanded, median", "", 0),
    less("expanded_p75", "Nodes expanded, upper quartile", "", 0),
    less("expanded_mean", "Nodes expanded, mean", "", 0),
    milliseconds("query_us_p25", "Time, lower quartile"),
    milliseconds("query_us_p50", "Time, median"),
    milliseconds("query_us_p75", "Time, upper quartile"),
    milliseconds("query_us_mean", "Time, mean"),
    milliseconds("query_us_first", "Time when asked first, median"),
    pooled(
        EXPANDED,
        Over::Percentile(25),
        less("pooled_expanded_p25", "Nodes expanded, lower quartile", "", 0),
    ),
    pooled(EXPANDED, Over::Percentile(50), less("pooled_expanded_p50", "Nodes expanded, median", "", 0)),
    pooled(
        EXPANDED,
        Over::Percentile(75),
        less("pooled_expanded_p75", "Nodes expanded, upper quartile", "", 0),
    ),
    pooled("expanded_mean", Over::Questions, less("pooled_expanded_mean", "Nodes expanded, mean", "", 0)),
    pooled(TIMES, Over::Percentile(25), milliseconds("pooled_query_us_p25", "Time, lower quartile")),
    pooled(TIMES, Over::Percentile(50), milliseconds("pooled_query_us_p50", "Time, median")),
    pooled(TIMES, Over::Percentile(75), milliseconds("pooled_query_us_p75", "Time, upper quartile")),
    pooled("query_us_mean", Over::Questions, milliseconds("pooled_query_us_mean", "Time, mean")),
    less("prepare_seconds", "Preparation", "s", 3),
    less("peak_bytes", "Memory of the planner", "bytes", 0),
];

/// What one run has of a measure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// By itself.
    pub(crate) value: f64,
    /// How often it counts beside others.
    pub(crate) weight: u64,
    /// All percentiles, for a measure that is one.
    pub(crate) percentiles: Option<Percentiles>,
}

impl Measure {
    /// A measure by its name.
    ///
    /// # Panics
    /// When there is none: names from files are checked when they are read.
    pub fn of(name: &str) -> &'static Self {
        let found = MEASURES.iter().find(|measure| measure.name == name);
        found.unwrap_or_else(|| panic!("there is no measure `{name}`: a bug of the laboratory"))
    }

    /// What a run has of it, as stored.
    pub(crate) fn value(&self, run: &Run) -> Option<f64> {
        self.part(run).map(|part| part.value)
    }

    /// What a run adds to what several come to, as stored.
    pub(crate) fn part(&self, run: &Run) -> Option<Part> {
        let questions = || run.row.integer("questions").and_then(|count| u64::try_from(count).ok());
        let weight = if self.over == Over::Runs { 1 } else { questions().filter(|&count| count > 0)? };
        if let Over::Percentile(percent) = self.over {
            let percentiles: Percentiles = run.row.text(self.column)?.parse().ok()?;
            return Some(Part { value: percentiles.at(percent), weight, percentiles: Some(percentiles) });
        }
        let value = if self.name == BEST_SHARE { run.best_share } else { run.row.number(self.column) };
        Some(Part { value: value?, weight, percentiles: None })
    }

    /// The label with its unit.
    pub fn title(&self) -> String {
        if self.unit.is_empty() { self.label.to_owned() } else { format!("{} ({})", self.label, self.unit) }
    }

    /// A shown value with its digits, thousands apart.
    pub fn number(&self, shown: f64) -> String {
        thousands(shown, self.digits)
    }

    /// A shown value with its unit.
    pub fn with_unit(&self, shown: f64) -> String {
        let space = if matches!(self.unit, "" | "%" | "×") { "" } else { "\u{a0}" };
        format!("{}{space}{}", self.number(shown), self.unit)
    }

    /// Whether the first value is better than the second.
    pub fn is_better(&self, a: f64, b: f64) -> bool {
        match self.better {
            Better::High => a > b,
            Better::Low => a < b,
        }
    }
}

/// What people call a setting.
pub(crate) fn setting_label(column: &str) -> String {
    let known = [
        ("type", "problem type"),
        ("budget", "expansions a tick"),
        ("max_ticks", "ticks at most"),
        ("max_expansions", "expansions at most"),
        ("wall_limit", "seconds at most"),
        ("retask_percent", "retasked each second (%)"),
        ("foreign_percent", "foreign walkers (%)"),
        ("walls", "moving walls"),
    ];
    let found = known.iter().find(|(name, _)| *name == column);
    found.map_or_else(|| column.replace('_', " "), |(_, label)| (*label).to_owned())
}

/// A number with so many digits behind the point and thousands apart; minus as a minus.
pub(crate) fn thousands(value: f64, digits: usize) -> String {
    let text = format!("{:.digits$}", value.abs());
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let mut grouped = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let is_zero = text.bytes().all(|byte| byte == b'0' || byte == b'.');
    let sign = if value < 0.0 && !is_zero { "−" } else { "" };
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{grouped}{point}{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!(thousands(1_234_567.891, 1), "1,234,567.9");
        assert_eq!(thousands(-999.5, 0), "−1,000");
        assert_eq!(thousands(-0.001, 2), "0.00");
        assert_eq!(Measure::of("completion_rate").with_unit(71.25), "71.2%");
        assert_eq!(Measure::of("completion_seconds_mean").with_unit(3.0), "3.00\u{a0}s");
    }

    #[test]
    fn every_measure_is_a_column() {
        for measure in MEASURES.iter().filter(|measure| measure.name != BEST_SHARE) {
            assert!(crate::columns::index(measure.column).is_some(), "{}", measure.name);
        }
    }
}
