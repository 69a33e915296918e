//! `throng lab run`: runs an experiment into a folder of results.

use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use serde::Serialize;
use throng_lab::{Experiment, Maps, Progress, Sweep, SweepReport};

use super::{Choice, refuse};
use crate::fetch::data_folder;
use crate::output::{bad_input, count, measure, print_either, progress};

/// What closes the help.
pub(crate) const EXAMPLE: &str = "\
Ctrl-C stops it, and so may a power cut: finished runs are kept, and --resume goes on.

Examples:
  throng lab run bmaa-completion --scale smoke -o out/bmaa
  throng lab run mine.toml -o out/mine --jobs 2
  throng lab run churn -o out/churn --resume
  throng lab run churn -o out/part1 --shard 1/2";

/// The arguments of `throng lab run`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What is run.
    #[command(flatten)]
    choice: Choice,
    /// The folder of the results
    #[arg(short = 'o', long = "out", value_name = "DIR")]
    out: PathBuf,
    /// Go on with the results that the folder has
    #[arg(long)]
    resume: bool,
    /// Only part I of N, to be run on N machines and reported together
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Runs at a time; a run a core where the experiment does not say, one where the clock stops runs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
}

/// A part of an experiment.
#[derive(Clone, Copy, Debug)]
struct Shard {
    index: usize,
    count: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = || {
            let (index, count) = text.split_once('/')?;
            Some(Self { index: index.parse().ok()?, count: count.parse().ok()? })
        };
        let fits = |shard: &Self| (1..=shard.count).contains(&shard.index);
        parts().filter(fits).ok_or_else(|| "a part is written I/N, for example 1/4 to 4/4".to_owned())
    }
}

/// What was done, as JSON.
#[derive(Debug, Serialize)]
struct Done<'a> {
    experiment: &'a str,
    scale: &'a str,
    folder: &'a PathBuf,
    planned: usize,
    earlier: usize,
    made: usize,
    rows: usize,
    jobs: usize,
    seconds: f64,
    /// Time of the planners, on all threads.
    planner_seconds: f64,
    /// All other time of these threads.
    lab_seconds: f64,
}

/// The maps that an experiment may name: beside its own file, in the data folder, here.
pub(super) fn maps(experiment: &Experiment) -> Maps {
    let folders = [experiment.folder.clone(), data_folder().ok(), Some(PathBuf::from("."))];
    Maps::new(folders.into_iter().flatten().collect())
}

/// `throng lab run`.
pub(crate) fn run(arguments: &Arguments, json: bool) -> Result<()> {
    let experiment = arguments.choice.open()?;
    let mut plan = experiment.plan(&arguments.choice.scale).map_err(refuse)?;
    if let Some(Shard { index, count }) = arguments.shard {
        plan.shard(index, count);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    // Without a handler Ctrl-C ends the program at once, which loses nothing that is finished either.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    let sweep = Sweep {
        plan,
        folder: arguments.out.clone(),
        maps: maps(&experiment),
        resume: arguments.resume,
        jobs: arguments.jobs.map(usize::from),
        stop,
    };
    let report = watched(sweep, &experiment.name)?;
    if report.stopped {
        let finished = report.earlier + report.made;
        let kept = count(finished, "run is", "runs are");
        bail!("stopped: {kept} kept in {}, and --resume goes on", arguments.out.display());
    }
    let done = Done {
        experiment: &experiment.name,
        scale: &arguments.choice.scale,
        folder: &arguments.out,
        planned: report.planned,
        earlier: report.earlier,
        made: report.made,
        rows: report.rows,
        jobs: report.jobs,
        seconds: report.seconds,
        planner_seconds: report.planner_seconds,
        lab_seconds: report.lab_seconds,
    };
    print_either(json, &done, || {
        format!(
            "{} made, {} were there already, in {} s with {} at a time\n\
             planners took {} s of it, the laboratory {} s\n\
             results  {}\nreport   throng lab report {}\n",
            count(report.made, "run", "runs"),
            report.earlier,
            measure(report.seconds),
            report.jobs,
            measure(report.planner_seconds),
            measure(report.lab_seconds),
            arguments.out.join(throng_lab::store::RESULTS_FILE).display(),
            arguments.out.display(),
        )
    })
}

/// Runs it with a progress bar.
fn watched(sweep: Sweep, name: &str) -> Result<SweepReport> {
    let bar = progress(
        Some(sweep.plan.runs.len() as u64),
        "{prefix} {bar:30} {pos} of {len} runs{msg}",
        String::new(),
    )
    .with_prefix(name.to_owned());
    let watch = |progress: Progress| {
        bar.set_position(progress.finished as u64);
        if let Some(left) = progress.left {
            bar.set_message(format!(", about {} left", duration(left)));
        }
    };
    let report = sweep.run(&watch);
    bar.finish_and_clear();
    report.map_err(|error| if error.is_bad_input() { bad_input(error) } else { error.into() })
}

/// A time as people say it.
pub(super) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    match seconds {
        long if long >= 7_200.0 => format!("{:.0} h", long / 3_600.0),
        long if long >= 120.0 => format!("{:.0} min", long / 60.0),
        short => format!("{:.0} s", short.max(1.0)),
    }
}
