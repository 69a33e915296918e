//! Ctrl-C: the first one lets a command end at the next good place and keep what it has; the second one ends the program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code of a program that was ended by Ctrl-C.
pub(crate) const EXIT_CODE: u8 = 130;

/// Returns a flag that Ctrl-C sets.
pub(crate) fn flag() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    // Without a handler Ctrl-C ends the program at once.
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(EXIT_CODE.into());
        }
    });
    stop
}
