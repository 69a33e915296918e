//! A stored run again: it is repeated on a thread of its own, recorded, and shown as a recording.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;

use serde::Serialize;
use throng_lab::{Provenance, RepeatLimits, RunContext, RunRow, repeat};

use super::list::{settings, solver};
use super::{Loaded, SharedResults};
use crate::replay::Replay;
use crate::session::Event;
use crate::setup::MAX_AGENTS;

/// What a repeated run may take.
const LIMITS: RepeatLimits =
    RepeatLimits { agents: MAX_AGENTS as u64, ticks: 100_000, seconds: 300.0, threads: 16 };

/// The run that is being repeated.
#[derive(Debug)]
struct Running {
    number: u32,
    name: String,
    stop: Arc<AtomicBool>,
}

/// Repeats one run at a time.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    started: u32,
    running: Option<Running>,
}

/// A stored run and how its repetition ended.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct RunFacts {
    run: usize,
    version: u32,
    planner: String,
    map: String,
    settings: String,
    /// Whether the repetition ended in the state that is stored.
    is_same: bool,
    /// Why it may not have.
    note: Option<&'static str>,
    /// Measures: their names, what is stored, and what the repetition has, where that differs.
    measures: Vec<(&'static str, String, Option<String>)>,
}

/// The end of a repetition: nothing if it was stopped.
pub(crate) type Repeated = Result<Option<Box<Replay>>, String>;

impl Repeats {
    /// Repeats a run and tells the session when it has ended.
    pub(crate) fn start(
        &mut self,
        (results, loaded): (&SharedResults, &Loaded),
        run: usize,
        done: SyncSender<Event>,
    ) -> Result<(), String> {
        if self.running.is_some() {
            return Err("another run is being repeated: wait for it, or stop it".to_owned());
        }
        let row = loaded.rows.get(run).ok_or("there is no such run")?.clone();
        self.started += 1;
        let (number, version, stop) = (self.started, loaded.version, Arc::new(AtomicBool::new(false)));
        let name = format!("{} on {}", solver(&row), row.text("map").unwrap_or_default());
        let context = RunContext::new(results.maps(), false, false, Arc::clone(&stop));
        let title = name.clone();
        let work = move || {
            let watch = || watch(context, &row, (run, version), title);
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(watch));
            let ended = ended.unwrap_or_else(|_| Err("the run failed: a bug of throng".to_owned()));
            let _ = done.send(Event::Repeated(number, ended));
        };
        std::thread::Builder::new()
            .name("view-repeat".into())
            .spawn(work)
            .map_err(|_| "no thread could be started")?;
        self.running = Some(Running { number, name, stop });
        Ok(())
    }

    /// Has the repetition end after its present tick.
    pub(crate) fn stop(&self) {
        if let Some(running) = &self.running {
            running.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the name of the run that is being repeated.
    pub(crate) fn running(&self) -> Option<&str> {
        self.running.as_ref().map(|running| running.name.as_str())
    }

    /// Returns the result of the present repetition, when it has ended.
    pub(crate) fn take(&mut self, number: u32, ended: Repeated) -> Repeated {
        if self.running.take_if(|running| running.number == number).is_some() { ended } else { Ok(None) }
    }
}

/// Repeats a run and describes it.
fn watch(context: RunContext, stored: &RunRow, (run, version): (usize, u32), name: String) -> Repeated {
    let repeated = repeat(context, stored, LIMITS).map_err(|error| error.to_string())?;
    let Some(repeated) = repeated else { return Ok(None) };
    let mut replay = Replay::read(name, &repeated.recording).map_err(|error| error.to_string())?;
    let is_same = stored.text("state_hash").is_some_and(|hash| repeated.row.text("state_hash") == Some(hash));
    let timed = |row: &RunRow| row.text("stopped") == Some("wall");
    let note = match is_same {
        true => None,
        false if timed(stored) || timed(&repeated.row) => Some("a time limit ended it"),
        false if stored.text("commit") != Some(&Provenance::here(1).commit) => {
            Some("it was made by another version of throng")
        }
        false => Some("the planner decides otherwise now"),
    };
    let text = |row: &RunRow, name: &str| row.value(name).map(|_| shown(row, name));
    let measure = |&(label, column): &(&'static str, &str)| {
        let (before, now) = (text(stored, column)?, text(&repeated.row, column)?);
        let differs = (before != now).then_some(now);
        Some((label, before, differs))
    };
    replay.run = Some(RunFacts {
        run,
        version,
        planner: solver(stored).to_owned(),
        map: stored.text("map").unwrap_or_default().to_owned(),
        settings: settings(stored),
        is_same,
        note,
        measures: MEASURES.iter().filter_map(measure).collect(),
    });
    Ok(Some(Box::new(replay)))
}

/// The measures that are shown: their labels and columns.
const MEASURES: [(&str, &str); 7] = [
    ("Arrived", "completion_rate"),
    ("Goals per tick", "throughput"),
    ("Ticks", "ticks"),
    ("Ended by", "stopped"),
    ("Mean travel", "travel_mean"),
    ("Expansions", "expansions"),
    ("Waits", "failed_moves"),
];

fn shown(row: &RunRow, column: &str) -> String {
    match (column, row.number(column)) {
        ("completion_rate", Some(share)) => format!("{:.1} %", share * 100.0),
        (_, Some(number)) if number.fract() != 0.0 => format!("{number:.2}"),
        (_, Some(number)) => throng_lab::format::thousands(number as u64),
        _ => row.text(column).unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measure_has_a_column() {
        for (label, column) in MEASURES {
            assert!(throng_lab::columns::index(column).is_some(), "{label}: {column}");
        }
    }
}
