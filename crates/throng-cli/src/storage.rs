//! Access to the file system. Tests of the debug build let one operation of a command fail: `THRONG_FAULT=fails:N:LOG` or
//! `aborts:N:LOG`, where N counts operations from 1, and the file LOG gets the description of the one that failed.

use throng_lab::files::Files;

/// Returns access for a command.
pub(crate) fn files() -> Files {
    #[cfg(debug_assertions)]
    if let Some(files) = std::env::var("THRONG_FAULT").ok().and_then(|text| with_fault(&text)) {
        return files;
    }
    Files::default()
}

#[cfg(debug_assertions)]
fn with_fault(text: &str) -> Option<Files> {
    use throng_lab::files::FaultKind;

    let (kind, rest) = text.split_once(':')?;
    let (nth, log) = rest.split_once(':')?;
    let kind = match kind {
        "fails" => FaultKind::Fails,
        "aborts" => FaultKind::Aborts,
        _ => return None,
    };
    Some(Files::with_fault(kind, nth.parse().ok()?, std::path::Path::new(log)))
}
