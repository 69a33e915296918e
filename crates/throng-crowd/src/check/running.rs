//! Checks a recording while it is made, so that a long run needs no memory for it.

use super::{CheckReport, Checker};
use crate::RecordingError;
use crate::record::read::Pieces;

/// The check of a recording that is read piece by piece.
#[derive(Debug, Default)]
pub struct RunningCheck {
    pieces: Pieces,
    checker: Option<Checker>,
}

impl RunningCheck {
    /// Checks the next piece: what [`World::drain_recording`](crate::World::drain_recording) or
    /// [`World::finish_recording`](crate::World::finish_recording) has returned. No piece may be left out.
    ///
    /// # Errors
    /// If the piece is not the next part of a recording.
    pub fn advance(&mut self, piece: &[u8]) -> Result<(), RecordingError> {
        let mut rest = piece;
        if self.checker.is_none() {
            let (start, after) = self.pieces.begin(rest)?;
            (self.checker, rest) = (Some(Checker::new(&start)), after);
        }
        let Some(checker) = &mut self.checker else { return Ok(()) };
        while let Some(tick) = self.pieces.next_tick(&mut rest)? {
            checker.tick(&tick);
        }
        Ok(())
    }

    /// Returns what has been found so far.
    pub fn report(&self) -> CheckReport {
        self.checker.as_ref().map_or_else(CheckReport::default, |checker| checker.report.clone())
    }
}
