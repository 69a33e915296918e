//! Executes a plan on several threads and stores each run when it finishes.
//!
//! A free thread takes the next run of the plan, and the run is in the journal before the thread takes another. However the
//! program ends, at most one run per thread must be repeated.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::columns::RowPart;
use crate::experiment::RunPlan;
use crate::files::Files;
use crate::maps::Maps;
use crate::precheck::precheck;
use crate::provenance::LoadMeter;
use crate::run::available_threads;
use crate::store::{ResultFolder, Resume, StoredRun};
use crate::task::{RunContext, Task, TaskError};
use crate::{Provenance, RunRow, StoreError};

/// A plan and how to execute it.
#[derive(Debug)]
pub struct Sweep {
    /// The runs.
    pub plan: RunPlan,
    /// The folder of the results.
    pub folder: PathBuf,
    /// The source of maps.
    pub maps: Maps,
    /// Which results the folder may have; their runs are not repeated.
    pub resume: Resume,
    /// The number of runs at a time. By default the plan's; otherwise one if a time limit may end runs, and one per core if
    /// not.
    pub jobs: Option<usize>,
    /// Whether other sweeps use the other cores of the machine: then no run has more than one thread. Otherwise runs share the cores
    /// that `jobs` leaves idle.
    pub shares_machine: bool,
    /// Set to end the sweep early; finished runs are kept.
    pub stop: Arc<AtomicBool>,
    /// Access to the file system.
    pub files: Files,
}

/// The progress of a sweep.
#[derive(Clone, Copy, Debug)]
pub struct SweepProgress {
    /// The number of finished runs, those of earlier sweeps included.
    pub finished: usize,
    /// The number of runs.
    pub total: usize,
    /// The estimated remaining time.
    pub left: Option<Duration>,
}

/// The summary of a sweep.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct SweepTotals {
    /// The number of runs of the plan.
    pub planned: usize,
    /// The number of runs that were finished before.
    pub earlier: usize,
    /// The number of runs that were executed.
    pub made: usize,
    /// The number of rows in the folder.
    pub rows: usize,
    /// Whether the sweep was stopped early.
    #[serde(skip)]
    pub stopped: bool,
    /// The number of runs at a time.
    pub jobs: usize,
    /// The duration in seconds.
    pub seconds: f64,
    /// The time of the planners or searches in the executed runs, summed over all threads, in seconds.
    pub planner_seconds: f64,
    /// The other time of these threads, in seconds: maps, problems, measures, checks, and storing results.
    pub lab_seconds: f64,
    /// What the journal had lost before the sweep, in a sentence; none if it was intact.
    #[serde(skip)]
    pub warning: Option<String>,
}

/// Why a sweep ended early. Finished runs are kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// The results cannot be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A check before the first run failed.
    #[error("{place}: {reason}")]
    Refused {
        /// The place in the experiment file.
        place: String,
        /// Why.
        reason: Box<TaskError>,
    },
    /// The sweep failed after some runs had finished.
    #[error("{reason}; {} kept in {}, and --resume continues", runs_are(*kept), folder.display())]
    Interrupted {
        /// Why.
        reason: Box<SweepError>,
        /// The number of finished runs.
        kept: usize,
        /// The folder of the results.
        folder: PathBuf,
    },
    /// A run failed.
    #[error("{run}: {reason}")]
    Run {
        /// The run.
        run: String,
        /// Why.
        reason: Box<TaskError>,
    },
}

fn runs_are(count: usize) -> String {
    if count == 1 { "1 finished run is".to_owned() } else { format!("{count} finished runs are") }
}

impl SweepError {
    /// Returns true if the input is to blame, not the system.
    pub fn is_bad_input(&self) -> bool {
        match self {
            Self::Store(error) => !matches!(error, StoreError::Files(_) | StoreError::Write { .. }),
            Self::Interrupted { reason, .. } => reason.is_bad_input(),
            Self::Run { .. } | Self::Refused { .. } => true,
        }
    }
}

impl Sweep {
    /// Executes the runs that are not finished. `watch` is called after each run.
    ///
    /// # Errors
    /// If a map is missing, a run fails, or results cannot be stored. Finished runs are kept.
    pub fn run(self, watch: &(dyn Fn(SweepProgress) + Sync)) -> Result<SweepTotals, SweepError> {
        let begun = Instant::now();
        let jobs = self.jobs();
        let Self { mut plan, folder: path, maps, resume, shares_machine, stop, files, .. } = self;
        if resume == Resume::No && ResultFolder::has_results(&path) {
            return Err(StoreError::NotEmpty(path).into());
        }
        precheck(&mut plan, &maps)?;
        let mut lab_seconds = begun.elapsed().as_secs_f64();
        let provenance = Provenance::here(jobs);
        let folder = ResultFolder::open(&files, &path, resume, provenance.program())?;
        let warning = folder.warning().map(str::to_owned);
        let finished = folder.finished_runs(provenance.program());
        let is_left = |place: &usize| !finished.contains(plan.run(*place).text("run").unwrap_or_default());
        let left: Vec<usize> =
            (0..plan.len()).filter(|place| finished.is_empty() || is_left(place)).collect();
        let earlier = plan.len() - left.len();
        let mut context = RunContext::new(maps, plan.check, plan.series, stop);
        context.jobs = if shares_machine { available_threads() } else { jobs };
        let workers = Workers::new(folder, &plan, left, &context, earlier, provenance);
        watch(workers.progress(&workers.state()));
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| workers.work(watch));
            }
        });
        let SweepState { folder, failed, made, run_seconds, solver_seconds: planner_seconds, .. } =
            workers.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(reason) = failed {
            let kept = folder.finished();
            let reason = Box::new(reason);
            return Err(match kept {
                0 => *reason,
                kept => SweepError::Interrupted { reason, kept, folder: path },
            });
        }
        let (planned, stopped) = (plan.len(), context.is_stopped());
        let ended = Instant::now();
        let rows = folder.compact()?;
        lab_seconds += run_seconds - planner_seconds + ended.elapsed().as_secs_f64();
        let seconds = begun.elapsed().as_secs_f64();
        Ok(SweepTotals {
            planned,
            earlier,
            made,
            rows,
            stopped,
            jobs,
            seconds,
            planner_seconds,
            lab_seconds,
            warning,
        })
    }

    fn jobs(&self) -> usize {
        let usual = || if self.plan.has_time_limit() { 1 } else { available_threads() };
        self.jobs.or(self.plan.jobs).unwrap_or_else(usual).max(1)
    }
}

/// Describes a run in an error.
fn describe(task: &Task, run: &RunRow) -> String {
    let text = |name: &str| run.text(name).unwrap_or_default();
    format!("{} {}, {}, {}", text("experiment"), text("map"), text("type"), text(task.solver_column))
}

/// What the threads of a sweep share.
struct Workers<'a> {
    plan: &'a RunPlan,
    /// The places of the runs in the plan.
    runs: Vec<usize>,
    context: &'a RunContext,
    next: AtomicUsize,
    earlier: usize,
    /// The estimated time of all runs, in seconds.
    estimated: f64,
    begun: Instant,
    provenance: Provenance,
    state: Mutex<SweepState>,
}

/// What one thread at a time may use.
struct SweepState {
    folder: ResultFolder,
    /// The number of finished runs.
    made: usize,
    /// The estimated time of the finished runs, in seconds.
    estimated_done: f64,
    /// The time of the finished runs, in seconds.
    run_seconds: f64,
    /// The time of their planners or searches, in seconds.
    solver_seconds: f64,
    failed: Option<SweepError>,
}

impl<'a> Workers<'a> {
    fn new(
        folder: ResultFolder,
        plan: &'a RunPlan,
        runs: Vec<usize>,
        context: &'a RunContext,
        earlier: usize,
        provenance: Provenance,
    ) -> Self {
        let state = SweepState {
            folder,
            made: 0,
            estimated_done: 0.0,
            run_seconds: 0.0,
            solver_seconds: 0.0,
            failed: None,
        };
        Self {
            estimated: plan.estimate_of(&runs),
            plan,
            runs,
            context,
            next: AtomicUsize::new(0),
            earlier,
            begun: Instant::now(),
            provenance,
            state: Mutex::new(state),
        }
    }

    /// Takes runs until none is left or one fails.
    fn work(&self, watch: &(dyn Fn(SweepProgress) + Sync)) {
        while let Some(&place) = self.runs.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            match self.execute(&self.plan.run(place)) {
                Ok(Some(progress)) => watch(progress),
                Ok(None) => return,
                Err(error) => {
                    self.state().failed.get_or_insert(error);
                    // The plan is wrong or nothing more can be stored: the other threads stop too.
                    self.context.stop.store(true, Ordering::Relaxed);
                    return;
                }
            }
        }
    }

    /// Executes a run and stores it. Returns the progress of the sweep; none if it was stopped.
    fn execute(&self, run: &RunRow) -> Result<Option<SweepProgress>, SweepError> {
        if self.context.is_stopped() {
            return Ok(None);
        }
        let begun = Instant::now();
        self.state().folder.begin(run.text("run").unwrap_or_default())?;
        let failed =
            |reason| SweepError::Run { run: describe(self.plan.task, run), reason: Box::new(reason) };
        let Some(stored) = self.measure(run).map_err(failed)? else { return Ok(None) };
        let mut state = self.state();
        state.folder.append(&stored)?;
        state.estimated_done += (self.plan.task.estimated_seconds)(run);
        state.solver_seconds += (self.plan.task.solver_seconds)(&stored.row);
        state.run_seconds += begun.elapsed().as_secs_f64();
        state.made += 1;
        Ok(Some(self.progress(&state)))
    }

    fn state(&self) -> MutexGuard<'_, SweepState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Executes a run and adds its duration and provenance.
    fn measure(&self, run: &RunRow) -> Result<Option<StoredRun>, TaskError> {
        let (begun, meter) = (Instant::now(), LoadMeter::start());
        let Some(mut stored) = (self.plan.task.run)(self.context, run)? else { return Ok(None) };
        let load = meter.load().to_owned();
        Provenance { load, ..self.provenance.clone() }.store(&mut stored.row);
        stored.row.set("run_seconds", begun.elapsed().as_secs_f64());
        Ok(Some(stored))
    }

    fn progress(&self, state: &SweepState) -> SweepProgress {
        let rate = state.estimated_done / self.begun.elapsed().as_secs_f64();
        let left = (self.estimated - state.estimated_done).max(0.0) / rate;
        SweepProgress {
            finished: self.earlier + state.made,
            total: self.earlier + self.runs.len(),
            left: Duration::try_from_secs_f64(left).ok(),
        }
    }
}
