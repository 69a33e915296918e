//! Results mode: the folders of an experiment as a page with its tables and curves, the list of their runs, and a run again
//! as a recording.
//!
//! Rows are read, and the report is computed, by the laboratory (`throng lab report` writes the same page), on a thread of
//! their own. Folders may come from anywhere, so that files, rows and repeated runs are limited.

mod list;
mod repeat;

use std::path::PathBuf;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use throng_lab::report::{Report, ReportConfig};
use throng_lab::store::ReadLimits;
use throng_lab::{Results, RunRow};

use crate::session::Event;

pub(crate) use list::Query;
pub(crate) use repeat::{Repeated, Repeats, RunFacts};

/// How much is read.
const LIMITS: ReadLimits = ReadLimits { bytes: 256 << 20, rows: 200_000 };

/// Folders of results, and where the maps of their runs are.
#[derive(Clone, Debug, Default)]
pub struct ResultFolders {
    /// The folders, or single files of results. They are reported together.
    pub folders: Vec<PathBuf>,
    /// The folders of map files, searched in order.
    pub maps: Vec<PathBuf>,
}

/// What is known about the results.
#[derive(Debug, Default)]
enum State {
    /// No folder was given.
    #[default]
    None,
    Reading,
    Failed(String),
    Ready(Arc<Loaded>),
}

/// Results that were read.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// Counts how often the folders were read, so that a browser knows which list it has.
    pub(crate) version: u32,
    pub(crate) rows: Vec<RunRow>,
    /// The report.
    pub(crate) page: Arc<str>,
}

impl Loaded {
    fn read(source: &ResultFolders, version: u32) -> Result<Self, String> {
        let results = Results::open_within(&source.folders, LIMITS).map_err(|error| error.to_string())?;
        let config = ReportConfig::of_folders(&source.folders).map_err(|error| error.to_string())?;
        // Heat maps need runs of their own.
        let report = Report::new(&results.rows, config, false).map_err(|error| error.to_string())?;
        Ok(Self { version, page: report.page().into(), rows: results.rows })
    }
}

/// What the page shows of the results beside the report.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct ResultsStatus {
    state: &'static str,
    /// The folders.
    names: Vec<String>,
    version: u32,
    runs: usize,
    /// Why they cannot be shown.
    error: Option<String>,
}

/// The results that the server shows; shared by the session and the connections.
#[derive(Debug, Default)]
pub(crate) struct SharedResults {
    source: ResultFolders,
    state: Mutex<(u32, State)>,
}

impl SharedResults {
    pub(crate) fn new(source: ResultFolders) -> Self {
        Self { source, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, (u32, State)> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the source of the maps of runs.
    pub(crate) fn maps(&self) -> throng_lab::Maps {
        throng_lab::Maps::new(self.source.maps.clone())
    }

    /// Reads the folders on a thread of its own, unless one does. Tells the session when it has.
    pub(crate) fn read(self: &Arc<Self>, done: SyncSender<Event>) {
        let version = {
            let mut state = self.lock();
            if self.source.folders.is_empty() || matches!(state.1, State::Reading) {
                return;
            }
            state.0 += 1;
            state.1 = State::Reading;
            state.0
        };
        let shared = Arc::clone(self);
        let work = move || {
            let read = || Loaded::read(&shared.source, version);
            let loaded = std::panic::catch_unwind(read).unwrap_or_else(|_| Err("a bug of throng".to_owned()));
            shared.lock().1 = match loaded {
                Ok(loaded) => State::Ready(Arc::new(loaded)),
                Err(reason) => State::Failed(reason),
            };
            let _ = done.send(Event::ResultsRead);
        };
        if std::thread::Builder::new().name("view-results".into()).spawn(work).is_err() {
            self.lock().1 = State::Failed("no thread could be started".to_owned());
        }
    }

    /// Returns the results, if they are ready.
    pub(crate) fn loaded(&self) -> Option<Arc<Loaded>> {
        match &self.lock().1 {
            State::Ready(loaded) => Some(Arc::clone(loaded)),
            _ => None,
        }
    }

    pub(crate) fn status(&self) -> ResultsStatus {
        let lock = self.lock();
        let (state, runs, error) = match &lock.1 {
            State::None => ("none", 0, None),
            State::Reading => ("reading", 0, None),
            State::Failed(reason) => ("failed", 0, Some(reason.clone())),
            State::Ready(loaded) => ("ready", loaded.rows.len(), None),
        };
        let names = self.source.folders.iter().map(|folder| folder.display().to_string()).collect();
        ResultsStatus { state, names, version: lock.0, runs, error }
    }

    /// Refuses folders that cannot be read.
    pub(crate) fn check(&self) -> Result<(), throng_lab::StoreError> {
        if self.source.folders.is_empty() {
            return Ok(());
        }
        Results::open_within(&self.source.folders, LIMITS).map(drop)
    }
}
