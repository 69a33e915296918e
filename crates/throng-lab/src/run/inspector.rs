//! Has every tick of a run checked by code that shares nothing with the engine.
//!
//! A long run is recorded and checked in stretches, so that its recording does not fill the memory; each stretch begins
//! with the state in which the one before ended. A recording that is wanted is kept whole.

use throng::World;
use throng::crowd::{Recording, RecordingError, check};

/// What becomes of the recording.
#[derive(Debug)]
pub(super) struct Inspector {
    check: bool,
    keep: bool,
    found: u64,
}

impl Inspector {
    /// Ticks a stretch.
    const STRETCH: u64 = 8_192;

    pub(super) fn new(world: &mut World, check: bool, keep: bool) -> Self {
        if check || keep {
            world.start_recording();
        }
        Self { check, keep, found: 0 }
    }

    /// Between two ticks.
    pub(super) fn look(&mut self, world: &mut World) -> Result<(), RecordingError> {
        if self.check && !self.keep && world.ticks().is_multiple_of(Self::STRETCH) {
            self.finish_stretch(world)?;
            world.start_recording();
        }
        Ok(())
    }

    fn finish_stretch(&mut self, world: &mut World) -> Result<Vec<u8>, RecordingError> {
        let recording = world.finish_recording().unwrap_or_default();
        if self.check {
            self.found += check(&Recording::read(&recording)?).violation_count;
        }
        Ok(recording)
    }

    /// What was found in all, if it was looked for, and the whole recording if it was to be kept.
    pub(super) fn finish(mut self, world: &mut World) -> Result<(Option<u64>, Vec<u8>), RecordingError> {
        if !self.check && !self.keep {
            return Ok((None, Vec::new()));
        }
        let recording = self.finish_stretch(world)?;
        Ok((self.check.then_some(self.found), if self.keep { recording } else { Vec::new() }))
    }
}
