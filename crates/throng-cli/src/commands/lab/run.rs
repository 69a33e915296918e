//! `throng lab run`: runs an experiment and stores the results in a folder.

use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use serde::Serialize;
use throng_lab::files::Files;
use throng_lab::{Experiment, Maps, Resume, Sweep, SweepProgress, SweepTotals};

use super::ExperimentChoice;
use crate::fetch::data_folder;
use crate::interrupt;
use crate::output::{bad_input, count, measure, note, print_either, progress};

/// The text at the end of the help.
pub(crate) const EXAMPLE: &str = "\
Ctrl-C stops the experiment. Finished runs are kept, also after a crash, and --resume continues.

Examples:
  throng lab run bmaa-completion --scale smoke -o out/bmaa
  throng lab run mine.toml -o out/mine --jobs 2
  throng lab run churn -o out/churn --resume
  throng lab run churn -o out/part1 --shard 1/2
  throng lab run churn -o out/more --instances 2..4";

/// The arguments of `throng lab run`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The experiment.
    #[command(flatten)]
    choice: ExperimentChoice,
    /// Folder of the results
    #[arg(short = 'o', long = "out", value_name = "DIR")]
    out: PathBuf,
    /// Continue the results in the folder
    #[arg(long)]
    resume: bool,
    /// With --resume: continue results of other versions of the program too; their runs are not repeated
    #[arg(long, requires = "resume")]
    mix_versions: bool,
    /// Run part I of N only, for N machines; their results are reported together
    #[arg(long, value_name = "I/N", value_parser = shard)]
    shard: Option<(usize, usize)>,
    /// Run instances A to B-1 only, counted from 0, for example to add instances to results that exist
    #[arg(long, value_name = "A..B", value_parser = instances)]
    instances: Option<Range<u64>>,
    /// Parallel runs; by default one per core, or what the experiment says, and one if runs have a time limit
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
}

impl Arguments {
    fn resume(&self) -> Resume {
        match (self.resume, self.mix_versions) {
            (false, _) => Resume::No,
            (true, false) => Resume::SameProgram,
            (true, true) => Resume::AnyProgram,
        }
    }
}

/// Parses a part written as `I/N`: its number, counted from 1, and the number of parts.
fn shard(text: &str) -> Result<(usize, usize), String> {
    let numbers = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    let part = numbers.filter(|&(index, count)| (1..=count).contains(&index));
    part.ok_or_else(|| "expected a part written as I/N, for example 1/4 to 4/4".to_owned())
}

/// Parses a range of instances written as `A..B`; B is not part of it.
fn instances(text: &str) -> Result<Range<u64>, String> {
    let numbers = text.split_once("..").and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?));
    let range = numbers.filter(|range: &Range<u64>| !range.is_empty());
    range.ok_or_else(|| "expected instances written as A..B, for example 0..5 for the first five".to_owned())
}

/// The summary of a finished experiment.
#[derive(Debug, Serialize)]
struct SweepSummary<'a> {
    experiment: &'a str,
    scale: &'a str,
    folder: &'a PathBuf,
    #[serde(flatten)]
    totals: SweepTotals,
}

/// Returns the maps available to an experiment: beside its file, in the data folder, and in the current folder.
pub(super) fn maps(experiment: &Experiment) -> Maps {
    let folders = [experiment.folder.clone(), data_folder().ok(), Some(PathBuf::from("."))];
    Maps::new(folders.into_iter().flatten().collect())
}

/// `throng lab run`.
pub(crate) fn run(arguments: &Arguments, json: bool, files: &Files) -> Result<()> {
    let experiment = arguments.choice.open()?;
    let mut plan = experiment.plan(&arguments.choice.scale).map_err(bad_input)?;
    if let Some(instances) = &arguments.instances {
        plan.keep_instances(instances);
        if plan.is_empty() {
            let Range { start, end } = instances;
            return Err(bad_input(format!("the experiment has no instance from {start} to {}", end - 1)));
        }
    }
    if let Some((index, count)) = arguments.shard {
        plan.shard(index, count);
    }
    // A second Ctrl-C ends the program at once, which loses no finished run either.
    let stop = interrupt::flag();
    let sweep = Sweep {
        plan,
        folder: arguments.out.clone(),
        maps: maps(&experiment),
        resume: arguments.resume(),
        jobs: arguments.jobs.map(usize::from),
        shares_machine: false,
        stop,
        files: files.clone(),
    };
    let totals = run_with_progress(sweep, &experiment.name)?;
    if let Some(warning) = &totals.warning {
        note(format_args!("warning: {warning}"));
    }
    if totals.stopped {
        let kept = count(totals.earlier + totals.made, "run is", "runs are");
        bail!("stopped: {kept} kept in {}; --resume continues", arguments.out.display());
    }
    let done = SweepSummary {
        experiment: &experiment.name,
        scale: &arguments.choice.scale,
        folder: &arguments.out,
        totals,
    };
    print_either(json, &done, || done.text())
}

impl SweepSummary<'_> {
    /// Returns the summary as text.
    fn text(&self) -> String {
        let SweepTotals { made, earlier, jobs, seconds, planner_seconds, lab_seconds, .. } = &self.totals;
        format!(
            "{} finished, {earlier} existed already; {} s with {jobs} in parallel\n\
             planners took {} s, everything else {} s\n\
             results  {}\nreport   throng lab report {}\n",
            count(*made, "run", "runs"),
            measure(*seconds),
            measure(*planner_seconds),
            measure(*lab_seconds),
            self.folder.join(throng_lab::store::RESULTS_FILE).display(),
            self.folder.display(),
        )
    }
}

/// Runs the experiment with a progress bar.
fn run_with_progress(sweep: Sweep, name: &str) -> Result<SweepTotals> {
    let bar =
        progress(Some(sweep.plan.len() as u64), "{prefix} {bar:30} {pos} of {len} runs{msg}", String::new())
            .with_prefix(name.to_owned());
    let watch = |progress: SweepProgress| {
        bar.set_position(progress.finished as u64);
        if let Some(left) = progress.left {
            bar.set_message(format!(", about {} left", duration(left)));
        }
    };
    let report = sweep.run(&watch);
    bar.finish_and_clear();
    report.map_err(|error| if error.is_bad_input() { bad_input(error) } else { error.into() })
}

/// Formats a duration in seconds, minutes or hours.
pub(super) fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    match seconds {
        long if long >= 7_200.0 => format!("{:.0} h", long / 3_600.0),
        long if long >= 120.0 => format!("{:.0} min", long / 60.0),
        short => format!("{:.0} s", short.max(1.0)),
    }
}
