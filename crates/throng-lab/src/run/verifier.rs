//! Verifies every tick of a run with the independent checker.
//!
//! A long run is recorded and checked in segments, so that its recording does not fill the memory; each segment starts with
//! the state at the end of the one before. A recording that the caller wants is kept whole.

use throng::World;
use throng_crowd::{Recording, RecordingError, check};

/// Records a run, and checks the recording.
#[derive(Debug)]
pub(super) struct Verifier {
    check: bool,
    keep: bool,
    violations: u64,
}

impl Verifier {
    /// Ticks per segment.
    const SEGMENT: u64 = 8_192;

    pub(super) fn new(world: &mut World, check: bool, keep: bool) -> Self {
        if check || keep {
            world.start_recording();
        }
        Self { check, keep, violations: 0 }
    }

    /// Checks a segment if one is complete; called after each tick.
    pub(super) fn after_tick(&mut self, world: &mut World) -> Result<(), RecordingError> {
        if self.check && !self.keep && world.ticks().is_multiple_of(Self::SEGMENT) {
            self.finish_segment(world)?;
            world.start_recording();
        }
        Ok(())
    }

    fn finish_segment(&mut self, world: &mut World) -> Result<Vec<u8>, RecordingError> {
        let recording = world.finish_recording().unwrap_or_default();
        if self.check {
            self.violations += check(&Recording::read(&recording)?).violation_count;
        }
        Ok(recording)
    }

    /// Returns the number of violations, none if the run was not checked, and the whole recording if it was to be kept.
    pub(super) fn finish(mut self, world: &mut World) -> Result<(Option<u64>, Vec<u8>), RecordingError> {
        if !self.check && !self.keep {
            return Ok((None, Vec::new()));
        }
        let recording = self.finish_segment(world)?;
        Ok((self.check.then_some(self.violations), if self.keep { recording } else { Vec::new() }))
    }
}
