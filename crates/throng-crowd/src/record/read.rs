//! Reading a recording.

use throng_grid::limits::LimitError;

use crate::limits::{RECORDING_EDITS, RECORDING_FLOODS};
use crate::record::{MAGIC, Recorder, TickRecord, VERSION};
use crate::snapshot::world_state::WorldState;
use crate::snapshot::{checksum, read};
use crate::state::{StateError, decode_prefix, decode_unchecked};
use crate::{Input, RestoreError};

/// A recorded run.
///
/// [`Recording::play`] replays it without its planner, and [`check`](crate::check) verifies it.
#[derive(Clone, Debug)]
pub struct Recording {
    snapshot: Vec<u8>,
    pub(crate) start: WorldState,
    /// The ticks, in order.
    pub ticks: Vec<TickRecord>,
}

/// Why a recording cannot be read. If an error gives a number of ticks, that many ticks at the beginning are intact and
/// [`Recording::salvage`] reads them.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// The bytes do not begin like a recording.
    #[error("this is not a recording")]
    NotARecording,
    /// Another version of the program wrote it.
    #[error(
        "the recording has format version {0}, this program reads version {VERSION}: record the run again"
    )]
    Version(u64),
    /// The snapshot at the beginning is cut short or altered.
    #[error("the beginning of the recording is cut short or altered")]
    NoBeginning,
    /// The snapshot at the beginning cannot be used.
    #[error("the recording begins with a snapshot that cannot be used: {0}")]
    Snapshot(#[from] RestoreError),
    /// The end is missing.
    #[error("the recording is cut short: {ticks} whole ticks are intact")]
    CutShort {
        /// The number of intact ticks.
        ticks: usize,
    },
    /// The content does not match its checksum, or is not a tick.
    #[error("the recording is altered: only its first {ticks} ticks are intact")]
    Altered {
        /// The number of intact ticks.
        ticks: usize,
    },
}

impl Recording {
    /// Reads a whole recording.
    ///
    /// # Errors
    /// If the bytes are not a recording, or it was cut short or altered.
    pub fn read(bytes: &[u8]) -> Result<Self, RecordingError> {
        let (recording, error) = Self::salvage(bytes)?;
        error.map_or(Ok(recording), Err)
    }

    /// Reads all intact ticks, and returns what is wrong with the rest, if anything is.
    ///
    /// # Errors
    /// If the bytes are not a recording, or its beginning is not intact.
    pub fn salvage(bytes: &[u8]) -> Result<(Self, Option<RecordingError>), RecordingError> {
        let mut pieces = Pieces::default();
        let (start, mut rest) = pieces.begin(bytes)?;
        let (snapshot, ..) = beginning(bytes)?;
        let mut recording = Self { snapshot: snapshot.to_vec(), start, ticks: Vec::new() };
        let error = loop {
            match pieces.next_tick(&mut rest) {
                Ok(Some(tick)) => recording.ticks.push(tick),
                Ok(None) if pieces.has_ended => break None,
                Ok(None) => break Some(RecordingError::CutShort { ticks: pieces.ticks }),
                Err(error) => break Some(error),
            }
        };
        Ok((recording, error))
    }

    /// Refuses a recording that takes very long to play or check: its edits touch too many cells, or are spread over too many
    /// ticks of a large map. A file of unknown origin that is small can do so.
    ///
    /// # Errors
    /// If the recording exceeds [`RECORDING_EDITS`] or [`RECORDING_FLOODS`].
    pub fn within_limits(&self) -> Result<(), LimitError> {
        let (size, profiles) = (self.start.map.size, self.start.map.profiles.len() as u64);
        let cells = size.area() as u64;
        let (mut edited, mut flooded) = (0_u64, 0_u64);
        for tick in &self.ticks {
            let (mut edits, mut moves_change) = (0, false);
            for input in &tick.inputs {
                edits += match *input {
                    Input::Block(area) | Input::Unblock(area) | Input::SetTerrain(area, _) => {
                        moves_change = true;
                        area.bounding_cells(size)
                    }
                    // Doors and overlays are dropped with the last cell that has any, so all are looked at.
                    Input::SetDoor(..) => {
                        moves_change = true;
                        cells
                    }
                    Input::SetCost(..) => cells,
                    _ => 0,
                };
            }
            edited += edits;
            flooded += if moves_change { cells * profiles } else { 0 };
        }
        RECORDING_EDITS.check(edited)?;
        RECORDING_FLOODS.check(flooded)
    }

    /// Returns the recording as bytes, with new checksums.
    pub fn write(&self) -> Vec<u8> {
        let mut recorder = Recorder::new(&self.snapshot);
        for tick in &self.ticks {
            recorder.append(tick);
        }
        recorder.finish()
    }

    /// Returns the snapshot at the beginning. [`World::restore`](crate::World::restore) continues from it.
    pub fn snapshot(&self) -> &[u8] {
        &self.snapshot
    }

    /// Returns the specification of the planner that made the run.
    pub fn planner_name(&self) -> &str {
        &self.start.planner_name
    }
}

/// The position in a recording that is read piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    /// The checksum of everything so far.
    sum: u64,
    /// The number of ticks so far.
    ticks: usize,
    has_ended: bool,
}

impl Pieces {
    /// Reads the beginning. Returns the state and the bytes that follow.
    pub(crate) fn begin<'a>(&mut self, bytes: &'a [u8]) -> Result<(WorldState, &'a [u8]), RecordingError> {
        if !bytes.starts_with(MAGIC) {
            return Err(RecordingError::NotARecording);
        }
        let (snapshot, sum, rest) = beginning(bytes)?;
        *self = Self { sum, ..Self::default() };
        Ok((read(snapshot)?.0, rest))
    }

    /// Reads the next tick and moves `rest` on; returns none at the end of the bytes.
    pub(crate) fn next_tick(&mut self, rest: &mut &[u8]) -> Result<Option<TickRecord>, RecordingError> {
        let ticks = self.ticks;
        if rest.is_empty() {
            return Ok(None);
        }
        match frame(rest, &mut self.sum, ticks) {
            Ok(Frame::Tick(tick)) if !self.has_ended => {
                self.ticks += 1;
                Ok(Some(tick))
            }
            Ok(Frame::End) if rest.is_empty() => {
                self.has_ended = true;
                Ok(None)
            }
            Ok(_) => Err(RecordingError::Altered { ticks }),
            Err(_) => Err(RecordingError::CutShort { ticks }),
        }
    }
}

/// Returns the snapshot, the checksum up to its end, and the bytes that follow.
fn beginning(bytes: &[u8]) -> Result<(&[u8], u64, &[u8]), RecordingError> {
    let damaged = |_: StateError| RecordingError::NoBeginning;
    let (version, rest) = decode_prefix::<u64>(&bytes[MAGIC.len()..]).map_err(damaged)?;
    if version != VERSION {
        return Err(RecordingError::Version(version));
    }
    let (snapshot, rest) = decode_prefix::<&[u8]>(rest).map_err(damaged)?;
    let sum = checksum(0, &bytes[..bytes.len() - rest.len()]);
    match rest.split_first_chunk::<8>() {
        Some((stored, rest)) if u64::from_le_bytes(*stored) == sum => Ok((snapshot, sum, rest)),
        _ => Err(RecordingError::NoBeginning),
    }
}

enum Frame {
    Tick(TickRecord),
    End,
    Altered,
}

/// Reads the next tick, or the end, and moves `rest` and `sum` on. An error means that bytes are missing.
fn frame(rest: &mut &[u8], sum: &mut u64, ticks: usize) -> Result<Frame, StateError> {
    let (mut content, mut after) = decode_prefix::<&[u8]>(rest)?;
    let is_end = content.is_empty();
    if is_end {
        let (_, after_count) = decode_prefix::<u64>(after)?;
        (content, after) = after.split_at(after.len() - after_count.len());
    }
    let cut_short = StateError::invalid("the checksum is missing");
    let (stored, after) = after.split_first_chunk::<8>().ok_or(cut_short)?;
    *rest = after;
    *sum = checksum(*sum, content);
    if u64::from_le_bytes(*stored) != *sum {
        return Ok(Frame::Altered);
    }
    Ok(if is_end {
        if decode_unchecked::<u64>(content) == Ok(ticks as u64) { Frame::End } else { Frame::Altered }
    } else {
        decode_unchecked(content).map_or(Frame::Altered, Frame::Tick)
    })
}
