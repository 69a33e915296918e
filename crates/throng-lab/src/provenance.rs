//! The program and the machine of a run, as stored in every row.

use std::sync::OnceLock;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

pub use crate::columns::Provenance;

/// The share of a run's time that its thread may wait for a core before the run counts as loaded.
const MAX_WAITING_SHARE: f64 = 0.05;

/// The commit that the program was built from, once the program has said so.
static COMMIT: OnceLock<&str> = OnceLock::new();

impl Provenance {
    /// Sets the commit of the program, once, before any run. Without it the commit is `unknown`. The program says it, not
    /// this crate, so that a commit does not rebuild the laboratory.
    pub fn set_commit(commit: &'static str) {
        COMMIT.get_or_init(|| commit);
    }

    /// Returns the provenance of runs of this program on this machine, `jobs` at a time. The load is `unknown` until the
    /// run has been measured.
    pub fn here(jobs: usize) -> Self {
        Self {
            commit: COMMIT.get().unwrap_or(&"unknown").to_string(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            rustc: env!("THRONG_RUSTC").to_owned(),
            machine: processor().unwrap_or_else(|| "unknown".to_owned()),
            cores: available_parallelism().map_or(1, usize::from),
            os: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            jobs,
            load: "unknown".to_owned(),
        }
    }

    /// Returns the text that stands for the program in the keys of runs: the commit, or the version where the commit is
    /// unknown.
    pub fn program(&self) -> &str {
        if matches!(self.commit.as_str(), "" | "unknown") { &self.version } else { &self.commit }
    }
}

/// Measures how long the current thread waits for a core, where the system reports it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoadMeter {
    started: Instant,
    waited: Option<Duration>,
}

impl LoadMeter {
    /// Starts measuring on the current thread.
    pub(crate) fn start() -> Self {
        Self { started: Instant::now(), waited: waited() }
    }

    /// Returns the value of the column `load` since the start; call it on the same thread.
    pub(crate) fn load(&self) -> &'static str {
        let (Some(before), Some(now)) = (self.waited, waited()) else { return "unknown" };
        let waiting = now.saturating_sub(before).as_secs_f64();
        if waiting > MAX_WAITING_SHARE * self.started.elapsed().as_secs_f64() { "loaded" } else { "quiet" }
    }
}

/// Returns the time that the current thread has been runnable without a core: the second number of `schedstat`, in
/// nanoseconds.
fn waited() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

/// Returns the processor's name, where the system reports it.
fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_stands_in_for_an_unknown_commit() {
        let mut here = Provenance::here(1);
        here.commit = "0123456789ab".to_owned();
        assert_eq!(here.program(), "0123456789ab");
        here.commit = "unknown".to_owned();
        assert_eq!(here.program(), env!("CARGO_PKG_VERSION"));
    }

    #[test]
    fn a_thread_that_sleeps_does_not_wait_for_a_core() {
        let meter = LoadMeter { started: Instant::now(), waited: waited().map(|_| Duration::ZERO) };
        assert!(["quiet", "loaded", "unknown"].contains(&meter.load()));
        let unknown = LoadMeter { started: Instant::now(), waited: None };
        assert_eq!(unknown.load(), "unknown");
    }
}
