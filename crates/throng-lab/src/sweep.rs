//! Running a plan: its runs on several threads, each kept as it finishes, none done twice.
//!
//! Runs are taken in the order of the plan by whichever thread is free, and each is in the journal before its thread
//! takes the next; so whatever ends the program, at most one run a thread is repeated.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::experiment::{Plan, cost};
use crate::maps::Maps;
use crate::provenance::Provenance;
use crate::ready::ready;
use crate::store::{Folder, Record};
use crate::task::{Bench, TaskError, task};
use crate::{Row, StoreError};

/// How a plan is run.
#[derive(Debug)]
pub struct Sweep {
    /// What to run.
    pub plan: Plan,
    /// Where results go.
    pub folder: PathBuf,
    /// Where maps come from.
    pub maps: Maps,
    /// Whether the folder may have results already, which are gone on with.
    pub resume: bool,
    /// Runs at a time; where it is not given the plan's choice, one where the clock stops runs, otherwise a run a core.
    pub jobs: Option<usize>,
    /// Set to have runs given up; those that are finished stay.
    pub stop: Arc<AtomicBool>,
}

/// How far a sweep has come.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Runs finished, those of earlier sweeps included.
    pub finished: usize,
    /// Runs in all.
    pub total: usize,
    /// The time that is left, if it goes on as so far.
    pub left: Option<Duration>,
}

/// What a sweep did.
#[derive(Clone, PartialEq, Debug)]
pub struct SweepReport {
    /// Runs of the plan.
    pub planned: usize,
    /// Those that were finished before.
    pub earlier: usize,
    /// Those that were made now.
    pub made: usize,
    /// Rows in the folder.
    pub rows: usize,
    /// Whether it was told to stop before the end.
    pub stopped: bool,
    /// Runs at a time.
    pub jobs: usize,
    /// The time it took.
    pub seconds: f64,
    /// Time of the planners in the runs made now, on all threads: everything before the first tick, all ticks, and giving
    /// back their memory.
    pub planner_seconds: f64,
    /// All other time of these threads: maps, problems, measures, checks, and keeping results.
    pub lab_seconds: f64,
}

/// Why a sweep ended early. What was finished before is kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SweepError {
    /// The results cannot be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The folder has results and nobody said to go on with them.
    #[error("{} has results already; --resume goes on with them", .0.display())]
    NotEmpty(PathBuf),
    /// Runs that the experiment asks for cannot be made; nothing was run.
    #[error("{place}: {reason}")]
    Refused {
        /// Where in the experiment's file.
        place: String,
        /// Why.
        reason: Box<TaskError>,
    },
    /// The end came when runs were finished already.
    #[error("{reason}; {} kept in {}, and --resume goes on", runs_are(*kept), folder.display())]
    Cut {
        /// Why.
        reason: Box<SweepError>,
        /// How many runs are finished.
        kept: usize,
        /// Where they are.
        folder: PathBuf,
    },
    /// A run cannot be made.
    #[error("{run}: {reason}")]
    Run {
        /// Which run.
        run: String,
        /// Why.
        reason: Box<TaskError>,
    },
}

fn runs_are(count: usize) -> String {
    if count == 1 { "1 finished run is".to_owned() } else { format!("{count} finished runs are") }
}

impl SweepError {
    /// Whether what was given is to blame, not the system.
    pub fn is_bad_input(&self) -> bool {
        match self {
            Self::Store(error) => !matches!(error, StoreError::Io { .. } | StoreError::Write { .. }),
            Self::Cut { reason, .. } => reason.is_bad_input(),
            Self::NotEmpty(_) | Self::Run { .. } | Self::Refused { .. } => true,
        }
    }
}

impl Sweep {
    /// Runs what is not finished. `watch` is told after each run.
    ///
    /// # Errors
    /// When a map is missing, a run cannot be made, or results cannot be kept. Whatever was finished is kept.
    pub fn run(self, watch: &(dyn Fn(Progress) + Sync)) -> Result<SweepReport, SweepError> {
        let begun = Instant::now();
        let jobs = self.jobs();
        let Self { mut plan, folder: path, maps, resume, stop, .. } = self;
        if !resume && Folder::has_results(&path) {
            return Err(SweepError::NotEmpty(path));
        }
        ready(&mut plan, &maps)?;
        let mut lab_seconds = begun.elapsed().as_secs_f64();
        let folder = Folder::open(&path)?;
        let is_left = |run: &&Row| !folder.finished().contains(run.text("run").unwrap_or_default());
        let left: Vec<&Row> = plan.runs.iter().filter(is_left).collect();
        let earlier = plan.runs.len() - left.len();
        let bench = Bench::new(maps, plan.check, plan.series, stop);
        let work = Work::new(folder, left, &bench, earlier, jobs);
        watch(work.progress(0));
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| work.go(watch));
            }
        });
        let made = work.finished.load(Ordering::Relaxed);
        let Desk { folder, failed, spent, planners: planner_seconds, .. } =
            work.desk.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(reason) = failed {
            let kept = folder.finished().len();
            let reason = Box::new(reason);
            return Err(if kept == 0 { *reason } else { SweepError::Cut { reason, kept, folder: path } });
        }
        let (planned, stopped) = (plan.runs.len(), bench.is_stopped());
        let ended = Instant::now();
        let rows = folder.compact()?;
        lab_seconds += spent - planner_seconds + ended.elapsed().as_secs_f64();
        Ok(SweepReport {
            planned,
            earlier,
            made,
            rows,
            stopped,
            jobs,
            seconds: begun.elapsed().as_secs_f64(),
            planner_seconds,
            lab_seconds,
        })
    }

    fn jobs(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let usual = || if self.plan.is_by_the_clock() { 1 } else { cores() };
        self.jobs.or(self.plan.jobs).unwrap_or_else(usual).max(1)
    }
}

/// A run in words.
fn describe(run: &Row) -> String {
    let text = |name: &str| run.text(name).unwrap_or_default();
    let agents = run.integer("agents").unwrap_or_default();
    format!("{} {}, {agents} agents, {}, {}", text("experiment"), text("map"), text("type"), text("planner"))
}

/// What threads share.
struct Work<'a> {
    runs: Vec<&'a Row>,
    bench: &'a Bench,
    next: AtomicUsize,
    finished: AtomicUsize,
    earlier: usize,
    jobs: usize,
    /// The expected cost of all runs.
    cost: f64,
    begun: Instant,
    provenance: Provenance,
    desk: Mutex<Desk>,
}

/// What one thread at a time does.
struct Desk {
    folder: Folder,
    /// The expected cost of the runs that are finished.
    paid: f64,
    /// Seconds that finished runs took, and the planners' part of them.
    spent: f64,
    planners: f64,
    failed: Option<SweepError>,
}

impl<'a> Work<'a> {
    fn new(folder: Folder, runs: Vec<&'a Row>, bench: &'a Bench, earlier: usize, jobs: usize) -> Self {
        Self {
            cost: runs.iter().map(|run| cost(run)).sum(),
            runs,
            bench,
            next: AtomicUsize::new(0),
            finished: AtomicUsize::new(0),
            earlier,
            jobs,
            begun: Instant::now(),
            provenance: Provenance::here(),
            desk: Mutex::new(Desk { folder, paid: 0.0, spent: 0.0, planners: 0.0, failed: None }),
        }
    }

    /// Takes runs until there are none, or one fails.
    fn go(&self, watch: &(dyn Fn(Progress) + Sync)) {
        while let Some(run) = self.runs.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let paid = match self.one(run) {
                Ok(Some(paid)) => paid,
                Ok(None) => return,
                Err(error) => {
                    self.desk().failed.get_or_insert(error);
                    // The others give up: nothing more can be kept, or the plan is wrong.
                    self.bench.stop.store(true, Ordering::Relaxed);
                    return;
                }
            };
            let finished = 1 + self.finished.fetch_add(1, Ordering::Relaxed);
            watch(Progress { left: self.left(paid), ..self.progress(finished) });
        }
    }

    /// Makes a run and keeps it, and gives the expected cost of all that are finished; nothing when it was given up.
    fn one(&self, run: &Row) -> Result<Option<f64>, SweepError> {
        if self.bench.is_stopped() {
            return Ok(None);
        }
        let begun = Instant::now();
        self.desk().folder.begin(run.text("run").unwrap_or_default())?;
        let failed = |reason| SweepError::Run { run: describe(run), reason: Box::new(reason) };
        let Some(record) = self.make(run).map_err(failed)? else { return Ok(None) };
        let mut desk = self.desk();
        desk.folder.keep(&record)?;
        desk.paid += cost(run);
        let seconds = |column: &str| record.row.number(column).unwrap_or(0.0);
        desk.planners += seconds("wall_seconds") + seconds("prepare_seconds") + seconds("close_seconds");
        desk.spent += begun.elapsed().as_secs_f64();
        Ok(Some(desk.paid))
    }

    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn make(&self, run: &Row) -> Result<Option<Record>, TaskError> {
        let begun = Instant::now();
        let name = run.text("task").unwrap_or_default();
        let task = task(name).ok_or_else(|| TaskError::Again(format!("there is no task `{name}`")))?;
        let Some(mut record) = task.run(self.bench, run)? else { return Ok(None) };
        self.provenance.fill(&mut record.row);
        record.row.set("jobs", self.jobs);
        record.row.set("run_seconds", begun.elapsed().as_secs_f64());
        Ok(Some(record))
    }

    fn progress(&self, finished: usize) -> Progress {
        Progress { finished: self.earlier + finished, total: self.earlier + self.runs.len(), left: None }
    }

    fn left(&self, paid: f64) -> Option<Duration> {
        let rate = paid / self.begun.elapsed().as_secs_f64();
        Duration::try_from_secs_f64((self.cost - paid).max(0.0) / rate).ok()
    }
}
