//! Ctrl-C: the first one ends the work at the next safe point.

use std::sync::atomic::{AtomicBool, Ordering};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Listens to Ctrl-C. A second one ends the program at once.
pub(crate) fn listen() -> anyhow::Result<()> {
    Ok(ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        eprintln!("stopping; press Ctrl-C again to stop at once");
    })?)
}

/// Returns true after Ctrl-C.
pub(crate) fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
