//! `throng advise`: tries planners on a map and a crowd, and recommends one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::{Args, ValueEnum};
use serde::Serialize;
use throng_crowd::Sharing;
use throng_lab::advise::{TrialSummary, advise, candidates, trial_count};
use throng_lab::{RunResult, Setup, Shortest, Stopped};

use super::crowd::{CrowdArguments, Extras};
use crate::output::{bad_input, count, measure, print_either, progress, table, wrap};

/// The examples at the end of the help.
pub(crate) const EXAMPLE: &str = "\
Every planner that the sharing setting allows runs on a first problem, the better half on a second one, and so on. Ctrl-C
ends the trials and prints what is known.

Examples:
  throng advise builtin:town --agents 200
  throng advise builtin:rooms --agents 100 --type swap-sides --budget 2000 --sharing reservations";

/// The number of rounds, each with another problem.
const ROUNDS: usize = 3;

/// The arguments of `throng advise`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The instance and its limits.
    #[command(flatten)]
    crowd: CrowdArguments,
    /// How much agents may share: planners that need more are not tried
    #[arg(long, default_value = "everything")]
    sharing: SharingName,
    /// Time for all trials
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    seconds: u64,
}

/// The name of a sharing setting.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum SharingName {
    /// Nothing
    Nothing,
    /// Requests to move aside
    Moves,
    /// Reservations of cells
    Reservations,
    /// One planner plans for all
    Everything,
}

impl SharingName {
    const fn setting(self) -> Sharing {
        match self {
            Self::Nothing => Sharing::Nothing,
            Self::Moves => Sharing::MoveRequests,
            Self::Reservations => Sharing::Reservations,
            Self::Everything => Sharing::Everything,
        }
    }
}

/// What is recommended, and what the trials have shown.
#[derive(Debug, Serialize)]
struct Advice<'a> {
    map: &'a str,
    agents: usize,
    seed: u64,
    recommended: &'a str,
    planners: &'a [TrialSummary],
}

/// `throng advise`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let crowd = &arguments.crowd;
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    let planners = arguments.trials(&stop)?;
    let Some(best) = planners.first() else { return Err(bad_input("stopped before the first trial ended")) };
    let advice = Advice {
        map: &crowd.problem.map,
        agents: crowd.problem.agents,
        seed: crowd.problem.seed,
        recommended: &best.planner,
        planners: &planners,
    };
    print_either(json, &advice, || recommendation(crowd, &planners))
}

impl Arguments {
    /// Tries the planners until the time is over or `stop` is set.
    fn trials(&self, stop: &AtomicBool) -> Result<Vec<TrialSummary>> {
        let grid = self.crowd.problem.grid()?;
        let allowed = candidates(self.sharing.setting(), self.crowd.known_map());
        let total = trial_count(allowed.len(), ROUNDS);
        let bar = progress(Some(total as u64), "{spinner} {bar:30} {pos}/{len} {msg}", String::new());
        let (begun, time) = (Instant::now(), Duration::from_secs(self.seconds));
        let mut done = 0;
        let summaries = advise(&allowed, ROUNDS, |planner, round| -> Result<Option<RunResult>> {
            let left = time.saturating_sub(begun.elapsed());
            if stop.load(Ordering::Relaxed) || left.is_zero() {
                return Ok(None);
            }
            bar.set_message(planner.to_owned());
            let crowd = self.crowd.with_seed(self.crowd.problem.seed.wrapping_add(round as u64));
            let instance = crowd.problem.instance(&grid)?;
            // What fast planners leave goes to the slow ones.
            let share = left / (total - done) as u32;
            let outcome = crowd.run(&grid, &instance, planner, Extras::default(), |setup| {
                throng_lab::run(short(setup, share), |_, _| !stop.load(Ordering::Relaxed))
            })?;
            done += 1;
            bar.inc(1);
            Ok(Some(outcome.result).filter(|result| result.stopped != Stopped::Interrupted))
        });
        bar.finish_and_clear();
        summaries
    }
}

/// Returns the setup of a trial: without checks and pictures, within a time.
fn short(mut setup: Setup<'_>, time: Duration) -> Setup<'_> {
    (setup.check, setup.heat, setup.shortest) = (false, false, Shortest::Unwanted);
    setup.limits.wall = Some(setup.limits.wall.map_or(time, |limit| limit.min(time)));
    setup
}

/// Returns the advice in words, and the trials as a table.
fn recommendation(crowd: &CrowdArguments, planners: &[TrialSummary]) -> String {
    let percent = |summary: &TrialSummary| format!("{:.1} %", summary.completion_rate * 100.0);
    let best = &planners[0];
    let first = format!(
        "Use {} for {} on {}. In {} it brought {} of the agents to their goals, at tick {} on average; 99 % of its ticks \
         took at most {} µs.\n",
        best.planner,
        count(crowd.problem.agents, "agent", "agents"),
        crowd.problem.map,
        count(best.trials, "trial", "trials"),
        percent(best),
        measure(best.completion_ticks_mean),
        measure(best.tick_us_p99)
    );
    let second = planners.get(1).map_or_else(String::new, |next| {
        let arrival = measure(next.completion_ticks_mean);
        format!("Next is {}: {}, at tick {arrival} on average.", next.planner, percent(next))
    });
    let rows = planners.iter().map(|summary| {
        [
            summary.planner.clone(),
            summary.trials.to_string(),
            format!("{:.1}", summary.completion_rate * 100.0),
            if summary.cut_short > 0 {
                "cut short".to_owned()
            } else {
                measure(summary.completion_ticks_mean)
            },
            measure(summary.tick_us_p99),
        ]
    });
    let columns = ["planner", ">trials", ">arrived %", ">mean arrival tick", ">99 % of ticks, µs"];
    let mut text = wrap(&(first + &second)) + "\n\n" + &table(&columns, rows);
    if planners.iter().any(|summary| summary.cut_short > 0) {
        text += "\ncut short: the planner's share of the time was over; --seconds gives more\n";
    }
    text
}
