//! `cargo xtask deny`: what `deny.toml` demands of all dependencies.
//!
//! Licences, bans and sources are checked from the lock file and the downloaded crates. Advisories need a database that is
//! fetched from the network; where it cannot be had, they are reported as skipped.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::programs::DENY;

/// How long fetching the database of advisories may take.
const FETCH_LIMIT: Duration = Duration::from_secs(90);

/// Checks the dependencies.
pub(crate) fn run() -> Result<()> {
    let status =
        DENY.command()?.args(["--log-level", "error", "check", "licenses", "bans", "sources"]).status()?;
    ensure!(status.success(), "licences, bans or sources are not as deny.toml demands");
    println!("licences, bans and sources: ok");
    let mut fetch = DENY.command()?;
    fetch.args(["fetch", "db"]).stdout(Stdio::null()).stderr(Stdio::null());
    if !succeeds_in_time(&mut fetch, FETCH_LIMIT)? {
        println!("advisories: skipped, because their database cannot be fetched");
        return Ok(());
    }
    let status =
        DENY.command()?.args(["--log-level", "error", "check", "--disable-fetch", "advisories"]).status()?;
    ensure!(status.success(), "there are advisories about dependencies");
    println!("advisories: ok");
    Ok(())
}

/// Returns true if a command succeeds before the limit, after which it is stopped.
fn succeeds_in_time(command: &mut Command, limit: Duration) -> Result<bool> {
    let mut child = command.spawn().context("cannot start cargo-deny")?;
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_hangs_is_stopped() {
        let limit = Duration::from_millis(200);
        let start = Instant::now();
        assert!(!succeeds_in_time(Command::new("sleep").arg("60"), limit).unwrap());
        assert!(start.elapsed() < Duration::from_secs(30));
        assert!(succeeds_in_time(&mut Command::new("true"), Duration::from_secs(30)).unwrap());
        assert!(!succeeds_in_time(&mut Command::new("false"), Duration::from_secs(30)).unwrap());
    }
}
