//! Records a run, and verifies it with the independent checker.
//!
//! A run is checked and written piece by piece, so that its recording does not fill the memory, and so that the file of a
//! program that is killed has what happened up to a moment before.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use throng::World;
use throng_crowd::RunningCheck;

use super::RunError;
use crate::files::{Files, FilesError, Replacement};

/// Where the recording of a run goes, piece by piece while the run goes on.
#[derive(Debug)]
pub struct RecordingSink(Mutex<Target>);

#[derive(Debug)]
enum Target {
    Memory(Vec<u8>),
    /// A file beside the one that it replaces in the end.
    File(Replacement),
}

impl RecordingSink {
    /// Keeps the recording in memory.
    pub fn memory() -> Self {
        Self(Mutex::new(Target::Memory(Vec::new())))
    }

    /// Writes the recording beside a file that it replaces in the end.
    ///
    /// # Errors
    /// If the file beside `path` cannot be created.
    pub fn file(files: &Files, path: &Path) -> Result<Self, FilesError> {
        Ok(Self(Mutex::new(Target::File(files.replacement(path)?))))
    }

    fn write(&self, piece: &[u8]) -> Result<(), FilesError> {
        match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Target::Memory(bytes) => {
                bytes.extend_from_slice(piece);
                Ok(())
            }
            Target::File(file) => file.write(piece),
        }
    }

    /// Ends the recording. Gives a file its name, or returns the bytes of a recording in memory.
    ///
    /// # Errors
    /// If the system cannot; an older file stays as it was.
    pub fn finish(self) -> Result<Vec<u8>, FilesError> {
        match self.0.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Target::Memory(bytes) => Ok(bytes),
            Target::File(file) => file.commit().map(|()| Vec::new()),
        }
    }
}

/// Records a run, and checks the recording.
#[derive(Debug)]
pub(super) struct Verifier<'a> {
    check: Option<RunningCheck>,
    sink: Option<&'a RecordingSink>,
}

impl<'a> Verifier<'a> {
    /// Ticks per piece that is only checked.
    const CHECKED_PIECE: u64 = 8_192;
    /// Ticks per piece that is also written.
    const WRITTEN_PIECE: u64 = 16;

    pub(super) fn new(world: &mut World, check: bool, file: Option<&'a RecordingSink>) -> Self {
        if check || file.is_some() {
            world.start_recording();
        }
        Self { check: check.then(RunningCheck::default), sink: file }
    }

    /// Checks and writes a piece if one is complete; called after each tick.
    pub(super) fn after_tick(&mut self, world: &mut World) -> Result<(), RunError> {
        let ticks = if self.sink.is_some() { Self::WRITTEN_PIECE } else { Self::CHECKED_PIECE };
        if !world.ticks().is_multiple_of(ticks) {
            return Ok(());
        }
        world.drain_recording().map_or(Ok(()), |piece| self.take(&piece))
    }

    fn take(&mut self, piece: &[u8]) -> Result<(), RunError> {
        if let Some(sink) = self.sink {
            sink.write(piece)?;
        }
        if let Some(check) = &mut self.check {
            check.advance(piece)?;
        }
        Ok(())
    }

    /// Ends the recording and returns the number of violations, none if the run was not checked.
    pub(super) fn finish(mut self, world: &mut World) -> Result<Option<u64>, RunError> {
        if let Some(piece) = world.finish_recording() {
            self.take(&piece)?;
        }
        Ok(self.check.map(|check| check.report().violation_count))
    }
}
