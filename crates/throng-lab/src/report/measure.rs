//! The measures of a report: label, unit, decimals, direction, and how several runs are aggregated.

use super::runs::ReportRun;
use crate::columns::{self, Role};
use crate::format::decimal;
use crate::stats::Percentiles;

/// Whether higher or lower values are better.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Better {
    /// Higher values.
    High,
    /// Lower values.
    Low,
}

impl Better {
    /// Returns 1 if higher values are better and −1 otherwise.
    pub(crate) const fn sign(self) -> f64 {
        match self {
            Self::High => 1.0,
            Self::Low => -1.0,
        }
    }
}

/// How the values of several runs are aggregated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aggregation {
    /// The mean over runs.
    MeanOverRuns,
    /// The mean over the path queries of all runs.
    MeanOverQueries,
    /// A percentile over the path queries of all runs. The column stores all percentiles of a run.
    Percentile(usize),
    /// The lowest value of all runs.
    Lowest,
    /// The highest value of all runs.
    Highest,
}

impl Aggregation {
    /// Returns true if a run counts as often as it has path queries.
    pub(crate) const fn is_over_queries(self) -> bool {
        matches!(self, Self::MeanOverQueries | Self::Percentile(_))
    }
}

/// A measure and how it is shown.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Measure {
    /// The name in `report.toml`.
    pub name: &'static str,
    /// The column of the results.
    pub column: &'static str,
    /// How the values of several runs are aggregated.
    pub aggregation: Aggregation,
    /// The label in tables and figures.
    pub label: &'static str,
    /// The unit that follows a number.
    pub unit: &'static str,
    /// Factor from stored to shown values.
    pub factor: f64,
    /// Number of decimals.
    pub digits: usize,
    /// Whether higher or lower values are better.
    pub better: Better,
    /// The smallest possible stored value.
    pub min: f64,
    /// The largest possible stored value.
    pub max: f64,
}

/// The columns that hold a time series.
pub(crate) const TIME_SERIES: [&str; 1] = ["coherence_curve"];

/// Share of the instances on which a planner was the best choice. It is computed for the report and has no column.
pub const BEST_SHARE: &str = "best_share";

/// A measure of which lower values are better.
const fn lower(name: &'static str, label: &'static str, unit: &'static str, digits: usize) -> Measure {
    Measure {
        name,
        column: name,
        aggregation: Aggregation::MeanOverRuns,
        label,
        unit,
        factor: 1.0,
        digits,
        better: Better::Low,
        min: 0.0,
        max: f64::INFINITY,
    }
}

/// A measure between 0 and 1 of which higher values are better.
const fn higher(name: &'static str, label: &'static str, digits: usize) -> Measure {
    Measure { better: Better::High, max: 1.0, ..lower(name, label, "", digits) }
}

/// A share of which higher values are better, shown in percent.
const fn percentage(name: &'static str, label: &'static str) -> Measure {
    Measure { unit: "%", factor: 100.0, ..higher(name, label, 1) }
}

/// A share that may be negative and is better if higher, shown in percent.
const fn change(name: &'static str, label: &'static str) -> Measure {
    Measure { min: f64::NEG_INFINITY, max: f64::INFINITY, ..percentage(name, label) }
}

/// A time in microseconds, shown in milliseconds.
const fn milliseconds(name: &'static str, label: &'static str) -> Measure {
    Measure { factor: 1e-3, ..lower(name, label, "ms", 4) }
}

/// A percentile of the expansions of all path queries.
const fn pooled_expansions(percent: usize, name: &'static str, label: &'static str) -> Measure {
    let aggregation = Aggregation::Percentile(percent);
    Measure { column: "expanded_percentiles", aggregation, ..lower(name, label, "", 0) }
}

/// A percentile of the times of all path queries.
const fn pooled_times(percent: usize, name: &'static str, label: &'static str) -> Measure {
    let aggregation = Aggregation::Percentile(percent);
    Measure { column: "query_us_percentiles", aggregation, ..milliseconds(name, label) }
}

/// The mean of a column over the path queries of all runs.
const fn pooled_mean(column: &'static str, measure: Measure) -> Measure {
    Measure { column, aggregation: Aggregation::MeanOverQueries, ..measure }
}

/// Every measure that a report can show.
pub const MEASURES: &[Measure] = &[
    percentage("completion_rate", "Completion rate"),
    percentage("order_rate", "Orders fulfilled"),
    Measure { better: Better::High, ..lower("throughput", "Throughput", "tasks per tick", 2) },
    percentage("served_rate", "Agents that finished a task"),
    lower("task_ticks_mean", "Time per task", "ticks", 1),
    percentage("loop_rate", "Loops done"),
    percentage("solved_rate", "Queries solved"),
    percentage("arrived_rate", "Walks that arrived"),
    lower("suboptimality_mean", "Cost over optimum", "", 2),
    percentage("accuracy", "Accuracy"),
    percentage("balanced_accuracy", "Balanced accuracy"),
    change("gap_closed", "Gap closed"),
    percentage("won", "Splits won"),
    change("improvement", "Better than the prior"),
    percentage("chosen_first", "First choice"),
    percentage("chosen_second", "Second choice"),
    percentage("chosen_third", "Third choice"),
    percentage("completion_random", "Random"),
    percentage("completion_cross_sides", "Cross sides"),
    percentage("completion_swap_sides", "Swap sides"),
    percentage("completion_inside_out", "Inside out"),
    percentage("completion_outside_in", "Outside in"),
    percentage("completion_tight_to_tight", "Tight to tight"),
    percentage("completion_tight_to_wide", "Tight to wide"),
    lower("work", "Limit of work", "expansions", 0),
    percentage("contact_rate", "Came to a vector"),
    lower("contact_ticks_mean", "Time until a vector", "ticks", 1),
    percentage("vector_cells", "Cells with a vector"),
    percentage("on_vectors", "Time on vectors"),
    percentage("along_by_chance", "Legal steps along vectors"),
    percentage("along_vectors", "Steps along vectors"),
    lower("step_expansions", "Expansions per agent and tick", "", 2),
    percentage(BEST_SHARE, "Best choice"),
    lower("completion_seconds_mean", "Completion time", "s", 2),
    lower("completion_ticks_mean", "Completion time", "ticks", 0),
    lower("delay_mean", "Delay", "ticks", 0),
    lower("shortest_steps_mean", "Steps of the shortest path", "", 0),
    lower("tick_limit", "Limit of ticks", "", 0),
    Measure { better: Better::High, ..lower("crowd_size", "Agents", "", 0) },
    lower("travel_mean", "Travel distance", "", 0),
    lower("travel_over_shortest", "Travel over shortest", "×", 2),
    lower("ticks", "Ticks", "", 0),
    lower("expansions", "Expansions", "", 0),
    lower("failed_moves", "Failed moves", "", 0),
    Measure { aggregation: Aggregation::Highest, ..lower("idle_ticks_max", "Longest idle time", "ticks", 0) },
    lower("discoveries", "Blocked paths discovered", "", 0),
    lower("overruled", "Overruled proposals", "", 0),
    lower("collisions", "Collisions", "", 0),
    lower("first_move_ticks_mean", "Order to first move", "ticks", 1),
    lower("expansions_discarded", "Expansions discarded", "", 0),
    lower("simulation_time", "Simulation time", "", 0),
    lower("loop_time", "Time per loop", "", 1),
    lower("loop_expansions", "Expansions per loop", "", 0),
    lower("loop_backwards", "Expansions backwards per loop", "", 0),
    lower("loop_distance", "Distance per loop", "", 1),
    lower("loop_failed_moves", "Failed moves per loop", "", 2),
    lower("loop_duration", "Time of an agent per loop", "", 1),
    lower("first_duration", "Time of an agent in the first loop", "", 1),
    lower("first_distance", "Distance in the first loop", "", 1),
    lower("first_failed_moves", "Failed moves in the first loop", "", 2),
    lower("first_expansions", "Expansions in the first loop", "", 0),
    lower("last_duration", "Time of an agent in the last loop", "", 1),
    lower("last_distance", "Distance in the last loop", "", 1),
    lower("last_failed_moves", "Failed moves in the last loop", "", 2),
    lower("last_expansions", "Expansions in the last loop", "", 0),
    higher("coherence_mean", "Coherence", 3),
    Measure { aggregation: Aggregation::Lowest, ..higher("coherence_low", "Lowest coherence", 3) },
    Measure { aggregation: Aggregation::Highest, ..higher("coherence_high", "Highest coherence", 3) },
    percentage("one_way_share", "Crossings in the main direction"),
    higher("coherence_10", "Coherence at 10 %", 3),
    higher("coherence_25", "Coherence at 25 %", 3),
    higher("coherence_50", "Coherence at 50 %", 3),
    higher("coherence_75", "Coherence at 75 %", 3),
    higher("coherence_90", "Coherence at 90 %", 3),
    lower("late_distance", "Distance per loop after the change", "", 1),
    lower("late_failed_moves", "Failed moves per loop after the change", "", 2),
    lower("late_expansions", "Expansions per loop after the change", "", 0),
    lower("wall_seconds", "Time of all ticks", "s", 2),
    lower("tick_us_mean", "Mean tick", "µs", 0),
    lower("tick_us_p50", "Median tick", "µs", 0),
    lower("tick_us_p99", "Tick, 99th percentile", "µs", 0),
    lower("tick_us_p999", "Tick, 99.9th percentile", "µs", 0),
    lower("tick_us_max", "Longest tick", "µs", 0),
    lower("cost_over_optimal_mean", "Cost over optimal", "×", 4),
    lower("bound_violations", "Bound violations", "", 0),
    lower("expanded_p25", "Nodes expanded, lower quartile", "", 0),
    lower("expanded_p50", "Nodes expanded, median", "", 0),
    lower("expanded_p75", "Nodes expanded, upper quartile", "", 0),
    lower("expanded_mean", "Nodes expanded, mean", "", 0),
    lower("re_expanded_mean", "Repeated expansions, mean", "", 1),
    milliseconds("query_us_p25", "Time, lower quartile"),
    milliseconds("query_us_p50", "Time, median"),
    milliseconds("query_us_p75", "Time, upper quartile"),
    milliseconds("query_us_mean", "Time, mean"),
    milliseconds("query_us_first", "Time of the first query, median"),
    pooled_expansions(25, "pooled_expanded_p25", "Nodes expanded, lower quartile"),
    pooled_expansions(50, "pooled_expanded_p50", "Nodes expanded, median"),
    pooled_expansions(75, "pooled_expanded_p75", "Nodes expanded, upper quartile"),
    pooled_mean("expanded_mean", lower("pooled_expanded_mean", "Nodes expanded, mean", "", 0)),
    pooled_times(25, "pooled_query_us_p25", "Time, lower quartile"),
    pooled_times(50, "pooled_query_us_p50", "Time, median"),
    pooled_times(75, "pooled_query_us_p75", "Time, upper quartile"),
    pooled_mean("query_us_mean", milliseconds("pooled_query_us_mean", "Time, mean")),
    lower("prepare_seconds", "Preparation", "s", 3),
    lower("peak_bytes", "Planner memory", "bytes", 0),
];

/// The value of a measure in one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunValue {
    /// The value of the run alone.
    pub(crate) value: f64,
    /// Weight in aggregates: 1, or the number of path queries.
    pub(crate) weight: u64,
    /// All percentiles, if the measure is a percentile.
    pub(crate) percentiles: Option<Percentiles>,
}

impl Measure {
    /// Returns the measure with this name.
    ///
    /// # Panics
    /// Panics if there is none. Names in files are checked when the file is read.
    pub fn of(name: &str) -> &'static Self {
        let found = MEASURES.iter().find(|measure| measure.name == name);
        found.unwrap_or_else(|| panic!("there is no measure `{name}`: a bug of the laboratory"))
    }

    /// Returns the stored value of a run, or `None` if the run has none.
    pub(crate) fn value(&self, run: &ReportRun) -> Option<f64> {
        self.run_value(run).map(|value| value.value)
    }

    /// Returns the stored value of a run with its weight for aggregation.
    pub(crate) fn run_value(&self, run: &ReportRun) -> Option<RunValue> {
        let queries = || run.row.integer("queries").and_then(|count| u64::try_from(count).ok());
        let weight =
            if self.aggregation.is_over_queries() { queries().filter(|&count| count > 0)? } else { 1 };
        if let Aggregation::Percentile(percent) = self.aggregation {
            let percentiles = Percentiles::parse(run.row.text(self.column)?)?;
            return Some(RunValue { value: percentiles.at(percent), weight, percentiles: Some(percentiles) });
        }
        let value = if self.name == BEST_SHARE { run.best_share } else { run.row.number(self.column) };
        Some(RunValue { value: value?, weight, percentiles: None })
    }

    /// Returns true if the measure is a time, so that other work on the machine changes it. Memory is stored as a timing
    /// too, but does not depend on the load.
    pub(crate) fn is_time(&self) -> bool {
        let column = columns::index(self.column).map(|place| columns::COLUMNS[place]);
        column.is_some_and(|column| column.role == Role::Timing) && self.unit != "bytes"
    }

    /// Returns the label with the unit.
    pub fn title(&self) -> String {
        if self.unit.is_empty() { self.label.to_owned() } else { format!("{} ({})", self.label, self.unit) }
    }

    /// Formats a shown value.
    pub fn number(&self, shown: f64) -> String {
        decimal(shown, self.digits)
    }

    /// Formats a shown value with the unit.
    pub fn with_unit(&self, shown: f64) -> String {
        let space = if matches!(self.unit, "" | "%" | "×") { "" } else { "\u{a0}" };
        format!("{}{space}{}", self.number(shown), self.unit)
    }

    /// Returns the number of decimals for a paper's number: as many as the paper prints, but not more than ours, or one if
    /// ours have none.
    pub(crate) fn printed_decimals(&self, value: f64) -> usize {
        let text = format!("{value:.*}", self.digits.max(1));
        let fraction = text.split_once('.').map_or(0, |(_, digits)| digits.trim_end_matches('0').len());
        fraction.max(usize::from(self.digits >= 2))
    }

    /// Returns true if the first value is better than the second.
    pub fn is_better(&self, a: f64, b: f64) -> bool {
        (a - b) * self.better.sign() > 0.0
    }
}

/// Returns the label of a setting.
pub(crate) fn setting_label(column: &str) -> String {
    let known = [
        ("type", "problem type"),
        ("budget", "expansions per tick"),
        ("max_ticks", "tick limit"),
        ("max_expansions", "expansion limit"),
        ("wall_limit", "time limit (s)"),
        ("retask_percent", "retasked per second (%)"),
        ("foreign_percent", "foreign units (%)"),
        ("walls", "moving walls"),
    ];
    let found = known.iter().find(|(name, _)| *name == column);
    found.map_or_else(|| column.replace('_', " "), |(_, label)| (*label).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_decimals_and_units() {
        assert_eq!(Measure::of("completion_rate").with_unit(71.25), "71.2%");
        assert_eq!(Measure::of("completion_seconds_mean").with_unit(3.0), "3.00\u{a0}s");
    }

    #[test]
    fn all_measures_have_a_column() {
        for measure in MEASURES.iter().filter(|measure| measure.name != BEST_SHARE) {
            assert!(crate::columns::index(measure.column).is_some(), "{}", measure.name);
        }
    }

    #[test]
    fn paper_numbers_keep_their_decimals() {
        let decimals = |value, measure: &str| Measure::of(measure).printed_decimals(value);
        assert_eq!(decimals(1.0284, "pooled_query_us_p50"), 4);
        assert_eq!(decimals(4.06, "query_us_p50"), 2);
        assert_eq!(decimals(3.0, "completion_seconds_mean"), 1);
        assert_eq!((decimals(65.0, "completion_rate"), decimals(71.25, "completion_rate")), (0, 1));
        assert_eq!((decimals(3261.5, "expanded_p50"), decimals(5656.04, "expanded_mean")), (1, 0));
    }
}
