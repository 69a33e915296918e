//! Run results as text: one result as a list of fields, several as a table.

use throng_lab::RunResult;

use crate::output::{count, fields, measure, table, thousands};

/// Explains the means of runs in which some agents did not arrive.
const NOT_ALL_ARRIVED: &str = "
An agent that has not arrived counts with the last tick as its arrival and with the distance it has walked.
";

/// Returns a table with one row per result.
pub(super) fn comparison(results: &[RunResult]) -> String {
    let header = [
        "planner",
        ">arrived %",
        ">ticks",
        ">mean arrival",
        ">travel/shortest",
        ">failed moves",
        ">tick µs",
        ">p99 µs",
        ">prepare s",
    ];
    let rows = results.iter().map(|result| {
        [
            result.planner.clone(),
            format!("{:.1}", result.completion_rate * 100.0),
            thousands(result.ticks),
            measure(result.completion_ticks_mean),
            format!("{:.3}", result.travel_over_shortest),
            thousands(result.failed_moves),
            measure(result.tick_us.mean),
            measure(result.tick_us.p99),
            measure(result.prepare_seconds),
        ]
    });
    let incomplete = results.iter().any(|result| result.completion_rate < 1.0);
    table(&header, rows) + if incomplete { NOT_ALL_ARRIVED } else { "" }
}

/// Returns one result as a title and a list of fields.
pub(super) fn describe(result: &RunResult) -> String {
    let title = format!(
        "{} under {} on {}, problem type {}, seed {}\n\n",
        count(result.agents, "agent", "agents"),
        result.planner,
        result.map,
        result.r#type,
        result.seed
    );
    let [mean, p50, p99, max] =
        [result.tick_us.mean, result.tick_us.p50, result.tick_us.p99, result.tick_us.max].map(measure);
    let arrival = measure(result.completion_ticks_mean);
    let arrival_seconds = measure(result.completion_seconds_mean);
    let travel = measure(result.travel_mean);
    let over_shortest = match result.shortest_agents {
        0 => String::new(),
        known => {
            let sample =
                if known < result.agents { format!(" ({known} agents sampled)") } else { String::new() };
            format!(", {:.3} times the shortest path{sample}", result.travel_over_shortest)
        }
    };
    let collisions = result.collisions.map_or_else(|| "not checked".to_owned(), |found| found.to_string());
    let discoveries = result.discoveries.map(|count| ("discoveries", thousands(count)));
    let lines = [
        ("arrived", format!("{:.2} %", result.completion_rate * 100.0)),
        ("ticks", format!("{} (stopped by: {})", thousands(result.ticks), result.stopped.name())),
        ("mean arrival", format!("tick {arrival}, after {arrival_seconds} s")),
        ("mean travel", format!("{travel}{over_shortest}")),
        ("failed moves", thousands(result.failed_moves)),
        ("expansions", thousands(result.expansions)),
        ("tick time", format!("mean {mean} µs, p50 {p50}, p99 {p99}, max {max}")),
        ("preparation", format!("{} s", measure(result.prepare_seconds))),
        ("wall time", format!("{} s", measure(result.wall_seconds))),
        ("collisions", collisions),
        ("overruled", result.overruled.to_string()),
        ("peak memory", format!("{} MiB", measure(result.peak_bytes as f64 / 1_048_576.0))),
        ("state hash", format!("{:016x}", result.state_hash)),
    ];
    let notices = result.notices.iter().map(|text| ("notice", text.clone()));
    title + &fields(&lines.into_iter().chain(discoveries).chain(notices).collect::<Vec<_>>())
}
