//! What came of runs, as text: one line by line, several side by side.

use throng_lab::RunResult;

use crate::output::{count, fields, measure, table, thousands};

/// Results side by side.
pub(crate) fn comparison(results: &[RunResult]) -> String {
    let header = [
        "planner",
        ">home %",
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
    let stragglers = results.iter().any(|result| result.completion_rate < 1.0);
    table(&header, rows) + if stragglers { STRAGGLERS } else { "" }
}

/// Why a mean may be lower than seems possible.
const STRAGGLERS: &str = "
Who is not home at the end counts with the last tick as its arrival, and with what it has walked so far.
";

/// One result, line by line.
pub(super) fn describe(result: &RunResult) -> String {
    let tick = &result.tick_us;
    let title = format!(
        "{} under {} on {}, problem {}, seed {}\n\n",
        count(result.agents, "agent", "agents"),
        result.planner,
        result.map,
        result.r#type,
        result.seed
    );
    title
        + &fields(&[
            ("home", format!("{:.2} %", result.completion_rate * 100.0)),
            ("ticks", format!("{} (stopped by {})", thousands(result.ticks), result.stopped)),
            (
                "mean arrival",
                format!(
                    "tick {}, {} s",
                    measure(result.completion_ticks_mean),
                    measure(result.completion_seconds_mean)
                ),
            ),
            (
                "mean travel",
                format!(
                    "{}, {:.3} times the shortest",
                    measure(result.travel_mean),
                    result.travel_over_shortest
                ),
            ),
            ("failed moves", thousands(result.failed_moves)),
            ("expansions", thousands(result.expansions)),
            (
                "a tick",
                format!(
                    "{} µs on average, half below {}, 99 % below {}, at most {}",
                    measure(tick.mean),
                    measure(tick.p50),
                    measure(tick.p99),
                    measure(tick.max)
                ),
            ),
            ("prepared in", format!("{} s", measure(result.prepare_seconds))),
            ("ran for", format!("{} s", measure(result.wall_seconds))),
            (
                "collisions",
                result.collisions.map_or_else(|| "not checked".to_owned(), |found| found.to_string()),
            ),
            ("overruled", result.overruled.to_string()),
            ("memory", format!("{} MiB at most", measure(result.peak_bytes as f64 / 1_048_576.0))),
            ("state hash", format!("{:016x}", result.state_hash)),
        ])
}
