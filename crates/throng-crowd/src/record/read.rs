//! Reading a recording.

use throng_grid::{Cell, Direction};

use crate::bytes::{Damaged, Reader, checksum};
use crate::record::input::read_input;
use crate::record::{GrantedBudget, MAGIC, Recorder, STAYS, TargetRecord, TickRecord, VERSION};
use crate::snapshot::Parts;
use crate::{AgentId, RestoreError};

/// A recorded run.
///
/// It needs no planner: [`Recording::play`] plays it again, and [`check`](crate::check) verifies it.
#[derive(Clone, Debug)]
pub struct Recording {
    snapshot: Vec<u8>,
    pub(crate) start: Parts,
    /// The ticks, in order.
    pub ticks: Vec<TickRecord>,
}

/// Why a recording cannot be read. Where ticks are counted, so many at the beginning are whole, and
/// [`Recording::salvage`] reads those.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// The bytes are something else.
    #[error("this is not a recording")]
    NotARecording,
    /// It was written by another version.
    #[error("the recording has version {0}, and this program reads version {VERSION}")]
    Version(u64),
    /// Not even the beginning is whole.
    #[error("the beginning of the recording is cut short or altered")]
    NoBeginning,
    /// The snapshot that it begins with cannot be used.
    #[error("the recording begins with a snapshot that cannot be used: {0}")]
    Snapshot(#[from] RestoreError),
    /// The end is missing.
    #[error("the recording is cut short: {ticks} whole ticks are intact")]
    CutShort {
        /// How many ticks are whole.
        ticks: usize,
    },
    /// Something is not as it was written.
    #[error("the recording is altered: only its first {ticks} ticks are intact")]
    Altered {
        /// How many ticks are whole.
        ticks: usize,
    },
}

impl Recording {
    /// Reads a whole recording.
    ///
    /// # Errors
    /// When it is not one, or was cut short or altered.
    pub fn read(bytes: &[u8]) -> Result<Self, RecordingError> {
        let (recording, trouble) = Self::salvage(bytes)?;
        trouble.map_or(Ok(recording), Err)
    }

    /// Reads as many ticks as are intact, and says what is wrong with the rest, if anything is.
    ///
    /// # Errors
    /// When it is not a recording, or not even its beginning is whole.
    pub fn salvage(bytes: &[u8]) -> Result<(Self, Option<RecordingError>), RecordingError> {
        if !bytes.starts_with(MAGIC) {
            return Err(RecordingError::NotARecording);
        }
        let mut reader = Reader::new(bytes);
        let (snapshot, mut sum) = beginning(&mut reader, bytes)?;
        let start = Parts::read(snapshot)?;
        let mut recording = Self { snapshot: snapshot.to_vec(), start, ticks: Vec::new() };
        let trouble = loop {
            let ticks = recording.ticks.len();
            match frame(&mut reader, sum, ticks) {
                Ok(Frame::Tick(tick, next)) => {
                    recording.ticks.push(tick);
                    sum = next;
                }
                Ok(Frame::End) if reader.is_done() => break None,
                Ok(Frame::End | Frame::Altered) => break Some(RecordingError::Altered { ticks }),
                Err(_) => break Some(RecordingError::CutShort { ticks }),
            }
        };
        Ok((recording, trouble))
    }

    /// The recording as bytes, all of its checksums made anew.
    pub fn write(&self) -> Vec<u8> {
        let mut recorder = Recorder::new(&self.snapshot);
        for tick in &self.ticks {
            recorder.append(tick);
        }
        recorder.finish()
    }

    /// The snapshot that the recording begins with: [`World::restore`](crate::World::restore) continues from it.
    pub fn snapshot(&self) -> &[u8] {
        &self.snapshot
    }

    /// What the planner called itself.
    pub fn planner_name(&self) -> &str {
        &self.start.planner_name
    }
}

/// The snapshot, and the checksum up to there.
fn beginning<'a>(reader: &mut Reader<'a>, bytes: &[u8]) -> Result<(&'a [u8], u64), RecordingError> {
    let missing = |_: Damaged| RecordingError::NoBeginning;
    let _magic = reader.raw(MAGIC.len(), "the first bytes").map_err(missing)?;
    let version = reader.number("the version").map_err(missing)?;
    if version != VERSION {
        return Err(RecordingError::Version(version));
    }
    let snapshot = reader.bytes("the snapshot").map_err(missing)?;
    let sum = checksum(0, &bytes[..reader.position()]);
    if reader.fixed("the checksum").map_err(missing)? != sum {
        return Err(RecordingError::NoBeginning);
    }
    Ok((snapshot, sum))
}

enum Frame {
    Tick(TickRecord, u64),
    End,
    Altered,
}

/// The next tick, or the end. An error means that the bytes end too early.
fn frame(reader: &mut Reader<'_>, sum: u64, ticks: usize) -> Result<Frame, Damaged> {
    let content = reader.bytes("a tick")?;
    if content.is_empty() {
        let before = reader.position();
        let count = reader.number("the number of ticks")?;
        let mut written = Vec::new();
        crate::bytes::put(&mut written, count);
        let canonical = reader.position() - before == written.len();
        let whole = reader.fixed("the last checksum")? == checksum(sum, &written);
        let right = canonical && whole && count == ticks as u64;
        return Ok(if right { Frame::End } else { Frame::Altered });
    }
    let sum = checksum(sum, content);
    if reader.fixed("a tick's checksum")? != sum {
        return Ok(Frame::Altered);
    }
    Ok(tick(content).map_or(Frame::Altered, |tick| Frame::Tick(tick, sum)))
}

fn tick(content: &[u8]) -> Result<TickRecord, Damaged> {
    let mut reader = Reader::new(content);
    let reader = &mut reader;
    let count = reader.length("the number of inputs")?;
    let inputs = (0..count).map(|_| read_input(reader)).collect::<Result<_, _>>()?;
    let granted = granted(reader)?;
    let rounds = reader.number_to(u64::from(u32::MAX), "the rounds")? as u32;
    // Two moves are a byte, so that the bytes left bound how many there can be.
    let count = reader.number_to(2 * content.len() as u64, "the number of moves")? as usize;
    let halves = reader.raw(count.div_ceil(2), "the moves")?;
    let halves = halves.iter().flat_map(|&byte| [byte & 15, byte >> 4]).take(count);
    let step = |half: u8| match half {
        0..STAYS => Ok(Some(Direction::from_number(half))),
        STAYS => Ok(None),
        _ => Err(reader.damaged("a move")),
    };
    let moves = halves.map(step).collect::<Result<_, _>>()?;
    let count = reader.length("the number of targets")?;
    let targets = (0..count).map(|_| target(reader)).collect::<Result<_, _>>()?;
    let count = reader.length("the number of arrivals")?;
    let arrived = (0..count).map(|_| agent(reader)).collect::<Result<_, _>>()?;
    let hash = reader.fixed("the state's hash")?;
    if !reader.is_done() {
        return Err(reader.damaged("the end of a tick"));
    }
    Ok(TickRecord { inputs, granted, rounds, moves, targets, arrived, hash })
}

fn granted(reader: &mut Reader<'_>) -> Result<GrantedBudget, Damaged> {
    let kind = reader.number_to(2, "a budget")?;
    let most = [0, u64::MAX, u64::from(u32::MAX)][kind as usize];
    let limit = reader.number_to(most, "a budget")?;
    Ok(match kind {
        0 => GrantedBudget::Unlimited,
        1 => GrantedBudget::Expansions(limit),
        _ => GrantedBudget::Rounds(limit as u32),
    })
}

fn agent(reader: &mut Reader<'_>) -> Result<AgentId, Damaged> {
    Ok(AgentId(reader.number_to(u64::from(u32::MAX), "an agent")? as u32))
}

fn target(reader: &mut Reader<'_>) -> Result<TargetRecord, Damaged> {
    let agent = agent(reader)?;
    let number = reader.number_to(u64::from(u32::MAX) << 1 | 1, "a target")?;
    let target = (number >> 1).checked_sub(1).map(|cell| Cell(cell as u32));
    Ok(TargetRecord { agent, target, claimed: number & 1 == 1 })
}
