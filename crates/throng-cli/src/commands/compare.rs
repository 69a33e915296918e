//! `throng compare`: runs the same instance under several planners and prints the results side by side.

use std::sync::atomic::AtomicBool;

use anyhow::Result;
use clap::Args;
use throng_lab::RunResult;

use super::crowd::{CrowdArguments, Extras, Orders, run_with_progress};
use super::run_result::comparison;
use crate::output::{count, print_either};

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str =
    "Example: throng compare builtin:town --agents 200 --planner bmaa --planner far --planner whca";

/// The arguments of `throng compare`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The instance and its limits.
    #[command(flatten)]
    crowd: CrowdArguments,
    /// A planner with optional parameters; repeat the option for each planner
    #[arg(long = "planner", value_name = "NAME[:KEY=VALUE,..]", required = true)]
    planners: Vec<String>,
}

/// `throng compare`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let crowd = &arguments.crowd;
    let grid = crowd.problem.grid()?;
    let instance = crowd.problem.instance(&grid)?;
    let runs = arguments.planners.iter().map(|planner| {
        crowd.run(&grid, &instance, planner, Extras::default(), |setup| {
            run_with_progress(setup, Orders::Once, None, &AtomicBool::new(false), |_| ())
        })
    });
    let results = runs.map(|outcome| Ok(outcome?.result)).collect::<Result<Vec<RunResult>>>()?;
    print_either(json, &results, || {
        let title = format!(
            "{} on {}, problem type {}, seed {} ({})\n\n",
            count(crowd.problem.agents, "agent", "agents"),
            crowd.problem.map,
            results.first().map_or("", |result| &result.r#type),
            crowd.problem.seed,
            crowd.problem.rules
        );
        title + &comparison(&results)
    })
}
