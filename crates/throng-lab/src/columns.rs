//! What is kept of a run: one table of columns, from which the stored files, their headers and the page about them
//! are made.
//!
//! A column is a setting, a measure that depends on the settings alone, a timing that depends on the machine, or
//! provenance. A new measure is one line here and one `row.set` where it is measured.

/// The version of the table below. It is raised when a column changes its name, kind or meaning, or goes; results of
/// another version are refused. A new column needs no new version: rows that lack it have nothing there.
pub const SCHEMA_VERSION: u32 = 1;

/// A column of the results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its name, the same everywhere.
    pub name: &'static str,
    /// What values it holds.
    pub kind: ColumnKind,
    /// What it depends on.
    pub role: Role,
    /// What it means, in a line.
    pub about: &'static str,
}

/// The values of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnKind {
    /// Words.
    Text,
    /// A whole number of 64 bits.
    Integer,
    /// A number of double precision.
    Float,
    /// Yes or no.
    Flag,
}

impl ColumnKind {
    /// What people call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Flag => "flag",
        }
    }
}

/// What a column depends on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Role {
    /// Chosen by the experiment, and what follows from the choice alone.
    Setting,
    /// The same on every machine for the same settings, unless the run was stopped by the clock.
    Measure,
    /// Different each time.
    Timing,
    /// Where and with what the run was made.
    Provenance,
}

impl Role {
    /// All of them, in the order of the columns.
    pub const ALL: [Self; 4] = [Self::Setting, Self::Measure, Self::Timing, Self::Provenance];

    /// What people call it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Setting => "setting",
            Self::Measure => "measure",
            Self::Timing => "timing",
            Self::Provenance => "provenance",
        }
    }
}

const fn column(name: &'static str, kind: ColumnKind, role: Role, about: &'static str) -> Column {
    Column { name, kind, role, about }
}

const fn setting(name: &'static str, kind: ColumnKind, about: &'static str) -> Column {
    column(name, kind, Role::Setting, about)
}

const fn measure(name: &'static str, kind: ColumnKind, about: &'static str) -> Column {
    column(name, kind, Role::Measure, about)
}

const fn timing(name: &'static str, kind: ColumnKind, about: &'static str) -> Column {
    column(name, kind, Role::Timing, about)
}

const fn provenance(name: &'static str, kind: ColumnKind, about: &'static str) -> Column {
    column(name, kind, Role::Provenance, about)
}

use ColumnKind::{Flag, Float, Integer, Text};

/// Every column, settings first.
pub const COLUMNS: &[Column] = &[
    setting("experiment", Text, "the experiment's name"),
    setting("scale", Text, "the scale at which it was run: smoke, quick, paper, or one of its own"),
    setting("run", Text, "the run's id: 16 hexadecimal digits, the hash of its settings"),
    setting("task", Text, "what was done: crowd, churn, dynamic, patrol"),
    setting("map", Text, "the map, as the experiment names it"),
    setting(
        "map_hash",
        Text,
        "16 hexadecimal digits, the hash of the map's terrain, and of the scenario where one is read",
    ),
    setting("corners", Text, "what a diagonal step needs: forbid, allow, mixed"),
    setting("terrain", Text, "what terrain costs: uniform, wc3"),
    setting(
        "type",
        Text,
        "the problem's type, or `scen` or `scen=FILE` for the first lines of a scenario; drawn ones of it (dynamic)",
    ),
    setting("agents", Integer, "how many agents, or questions at most (dynamic)"),
    setting(
        "instance",
        Integer,
        "which of the problems with these settings, counted from 0 or given as a list",
    ),
    setting("seed", Integer, "draws the problem; made from the problem's settings, equal for all planners"),
    setting("planner", Text, "the planner with its parameters, or the search (dynamic)"),
    setting("budget", Integer, "expansions a tick may make; nothing for any number"),
    setting("max_ticks", Integer, "the run stops after so many ticks"),
    setting(
        "max_expansions",
        Integer,
        "the run stops after so many expansions in all; nothing for any number",
    ),
    setting("wall_limit", Float, "the run stops after so many seconds of ticks; nothing for any time"),
    setting("still_limit", Integer, "the run stops after so many ticks without a step; nothing for never"),
    setting("retask_percent", Float, "share of the agents that get a new goal each second, in percent"),
    setting("foreign_percent", Float, "units that the planner does not move, in percent of the agents"),
    setting("walls", Flag, "whether walls appear and go"),
    setting(
        "one_in",
        Integer,
        "of the questions that there are, one in so many was asked; nothing for all (dynamic)",
    ),
    setting("perturb", Text, "what happens to the map before each question: exp1, exp2 (dynamic)"),
    setting("map_set", Text, "the set that the map is of: the folder of its file (dynamic)"),
    setting("loops", Integer, "how often each agent goes there and back (patrol)"),
    setting("places_move", Flag, "whether the places of the patrol move halfway"),
    setting("door", Text, "the wall that is opened halfway, from corner to corner (patrol)"),
    measure("stopped", Text, "why the run ended: home, ticks, expansions, wall, still"),
    measure("ticks", Integer, "ticks run"),
    measure(
        "completion_rate",
        Float,
        "share of the agents at home at the end, of the orders fulfilled (churn), of the loops walked (patrol)",
    ),
    measure(
        "completion_ticks_mean",
        Float,
        "mean tick of coming home; the limit, or the last tick where another limit came first, for agents that are not",
    ),
    measure("travel_mean", Float, "mean length walked"),
    measure(
        "shortest_mean",
        Float,
        "mean length of the agents' shortest paths, each alone on the map; of all its ways (patrol)",
    ),
    measure("travel_over_shortest", Float, "travel_mean over shortest_mean"),
    measure("expansions", Integer, "expansions of the planner"),
    measure(
        "failed_moves",
        Integer,
        "times an agent wanted a cell and stayed, because somebody held or took it",
    ),
    measure("overruled", Integer, "proposals that the referee refused"),
    measure("checked", Flag, "whether the independent checker followed the run"),
    measure("collisions", Integer, "what it found; nothing when it did not look"),
    measure("orders", Integer, "orders given, the first ones included (churn)"),
    measure("orders_fulfilled", Integer, "orders that ended with an arrival (churn)"),
    measure("first_move_ticks_mean", Float, "mean ticks from an order to the agent's first step (churn)"),
    measure(
        "expansions_discarded",
        Float,
        "expansions spent on orders that were taken back, estimated (churn)",
    ),
    measure("questions", Integer, "questions that have an answer on the perturbed map (dynamic)"),
    measure("dropped", Integer, "questions that have none any more (dynamic)"),
    measure(
        "bound_violations",
        Integer,
        "answers that break their promise, or paths that are none (dynamic)",
    ),
    measure("cost_over_optimal_mean", Float, "cost of the path over the least: the mean (dynamic)"),
    measure("cost_over_optimal_max", Float, "the highest (dynamic)"),
    measure("expanded_p25", Float, "nodes expanded for a question: the lower quartile (dynamic)"),
    measure("expanded_p50", Float, "the median (dynamic)"),
    measure("expanded_p75", Float, "the upper quartile (dynamic)"),
    measure("expanded_mean", Float, "the mean (dynamic)"),
    measure(
        "expanded_percentiles",
        Text,
        "the 1st, 2nd … 99th percentile, nearest ranks with a space between them (dynamic)",
    ),
    measure("loops_done", Integer, "loops that were walked, by all agents together (patrol)"),
    measure(
        "simulation_time",
        Float,
        "1.5 times the ticks, the thesis's time until the last agent is done (patrol)",
    ),
    measure("loop_time", Float, "simulation_time over the number of loops (patrol)"),
    measure(
        "loop_expansions",
        Float,
        "expansions an agent and loop, without the first and the last loop, as all of the following (patrol)",
    ),
    measure("loop_backwards", Float, "those among them that searched backwards from a target (patrol)"),
    measure("loop_distance", Float, "length walked, an agent and loop (patrol)"),
    measure("loop_failed_moves", Float, "failed moves, an agent and loop (patrol)"),
    measure(
        "coherence_mean",
        Float,
        "coherence of the direction map that an onlooker learns at the rate 0.5, mean over the loops (patrol)",
    ),
    measure("coherence_10", Float, "the same when a tenth of the loops was walked"),
    measure("coherence_25", Float, "when a quarter was"),
    measure("coherence_50", Float, "when half was"),
    measure("coherence_75", Float, "when three quarters were"),
    measure("coherence_90", Float, "when nine tenths were"),
    measure(
        "late_distance",
        Float,
        "loop_distance of the loops that began after the change halfway (patrol)",
    ),
    measure("late_failed_moves", Float, "loop_failed_moves of these loops (patrol)"),
    measure("late_expansions", Float, "loop_expansions of these loops (patrol)"),
    measure("state_hash", Text, "the world's hash at the end, 16 hexadecimal digits"),
    timing("wall_seconds", Float, "time of all ticks"),
    timing("completion_seconds_mean", Float, "completion_ticks_mean in seconds of the run"),
    timing(
        "tick_us_mean",
        Float,
        "time of a tick until the last arrival or the limit, in microseconds: the mean",
    ),
    timing("tick_us_p50", Float, "the median"),
    timing("tick_us_p99", Float, "99 of 100 ticks took no longer"),
    timing("tick_us_p999", Float, "999 of 1,000 ticks took no longer"),
    timing("tick_us_max", Float, "the longest"),
    timing(
        "query_us_p25",
        Float,
        "time of a question, in microseconds, the least of three: the lower quartile (dynamic)",
    ),
    timing("query_us_p50", Float, "the median (dynamic)"),
    timing("query_us_p75", Float, "the upper quartile (dynamic)"),
    timing("query_us_mean", Float, "the mean (dynamic)"),
    timing("query_us_percentiles", Text, "the 1st, 2nd … 99th percentile, as for expanded (dynamic)"),
    timing("query_us_first", Float, "the median of the first times alone (dynamic)"),
    timing(
        "prepare_seconds",
        Float,
        "everything before the first tick, except making the map and the problem; path database and \
         questions of a map, in the first run on it (dynamic)",
    ),
    timing("close_seconds", Float, "giving back the memory of world and planner"),
    timing("run_seconds", Float, "all that the run took, with map, problem, checks and measures"),
    timing("peak_bytes", Integer, "the most memory that the planner held"),
    provenance(
        "commit",
        Text,
        "the commit that was built, with + when there were changes; unknown outside of a repository",
    ),
    provenance("version", Text, "the version of throng"),
    provenance("rustc", Text, "the compiler"),
    provenance("machine", Text, "the processor"),
    provenance("cores", Integer, "how many cores"),
    provenance("os", Text, "the operating system"),
    provenance("jobs", Integer, "runs at a time"),
];

/// The place of a column in [`COLUMNS`].
pub fn index(name: &str) -> Option<usize> {
    COLUMNS.iter().position(|column| column.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_roles_in_order() {
        for (i, column) in COLUMNS.iter().enumerate() {
            assert_eq!(index(column.name), Some(i), "{}", column.name);
        }
        assert!(COLUMNS.is_sorted_by_key(|column| column.role));
    }
}
