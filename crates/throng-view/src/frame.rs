//! Frames: what the crowds look like after a tick, and its encoding. All numbers are little-endian.
//!
//! A difference has one byte per agent: its step and its state. The whole state has nine. `assets/decode.js` is the reader.

use std::sync::Arc;

use throng::{Size, StuckReason};

/// The first byte of a binary message.
#[derive(Clone, Copy)]
#[repr(u8)]
pub(crate) enum Kind {
    Map = 1,
    State = 2,
    Difference = 3,
    Layer = 4,
    Recording = 5,
}

/// The step of an agent that stayed.
const STAYS: u8 = 8;
/// The step of an agent whose cell follows the steps, because it is no neighbour.
const JUMPS: u8 = 15;

/// Counts after a tick.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Stats {
    /// Time of the tick in microseconds.
    pub(crate) tick_us: u32,
    /// Units of work used by the tick.
    pub(crate) units: u32,
    pub(crate) arrived: u32,
    pub(crate) waiting: u32,
    pub(crate) stuck: u32,
    /// Waits of all agents so far.
    pub(crate) waits: u32,
    /// Expansions so far.
    pub(crate) expansions: u64,
}

/// The agents of a crowd after a tick, in the order of their rows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Agents {
    /// Shared by all frames between two changes of the crowd.
    pub(crate) rows: Arc<[u32]>,
    pub(crate) cells: Vec<u32>,
    pub(crate) states: Vec<u8>,
}

impl Agents {
    pub(crate) const IDLE: u8 = 0;
    pub(crate) const MOVING: u8 = 1;
    pub(crate) const WAITING: u8 = 2;
    pub(crate) const ARRIVED: u8 = 3;
    pub(crate) const STUCK: u8 = 4;

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the number of agents in a state.
    pub(crate) fn count(&self, state: u8) -> u32 {
        self.states.iter().map(|&other| u32::from(other == state)).sum()
    }
}

/// An event for the list on the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Note {
    pub(crate) kind: NoteKind,
    pub(crate) agent: u32,
    /// The agent in the way, or [`Note::NOBODY`].
    pub(crate) by: u32,
}

impl Note {
    pub(crate) const NOBODY: u32 = u32::MAX;
    /// The largest number of events of a tick that are sent.
    pub(crate) const MAX: usize = 64;
}

/// The kinds of events on the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum NoteKind {
    Arrived,
    LeftGoal,
    Unreachable,
    Displaced,
    Overruled,
    BehindArrived,
    Crowded,
    BehindForeign,
    Wandering,
    NoReachableCell,
    NoPathYet,
    Stuck,
}

impl NoteKind {
    pub(crate) fn stuck(reason: StuckReason) -> Self {
        match reason {
            StuckReason::BehindArrived => Self::BehindArrived,
            StuckReason::Crowded => Self::Crowded,
            StuckReason::BehindForeign => Self::BehindForeign,
            StuckReason::Wandering => Self::Wandering,
            StuckReason::NoReachableCell => Self::NoReachableCell,
            StuckReason::NoPathYet => Self::NoPathYet,
            _ => Self::Stuck,
        }
    }
}

/// One crowd after a tick.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Side {
    pub(crate) stats: Stats,
    pub(crate) agents: Agents,
    /// The cells of foreign units.
    pub(crate) units: Vec<u32>,
    pub(crate) notes: Vec<Note>,
}

/// The crowds that are shown, after the same tick.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Frame {
    pub(crate) tick: u32,
    pub(crate) sides: Vec<Side>,
}

/// A cell of the map and its new content.
pub(crate) type Edit = (u32, u8);

/// Encodes the map: run lengths of equal cells.
pub(crate) fn encode_map(size: Size, mut value: impl FnMut(throng::Cell) -> u8) -> Vec<u8> {
    let mut bytes = vec![Kind::Map as u8];
    put_u16(&mut bytes, size.width() as u16);
    put_u16(&mut bytes, size.height() as u16);
    let mut run: Option<(u8, u16)> = None;
    for cell in size.cells() {
        let value = value(cell);
        match &mut run {
            Some((of, length)) if *of == value && *length < u16::MAX => *length += 1,
            _ => {
                put_run(&mut bytes, run);
                run = Some((value, 1));
            }
        }
    }
    put_run(&mut bytes, run);
    bytes
}

fn put_run(bytes: &mut Vec<u8>, run: Option<(u8, u16)>) {
    if let Some((value, length)) = run {
        bytes.push(value);
        put_u16(bytes, length);
    }
}

/// Encodes a frame as a whole.
pub(crate) fn encode_state(frame: &Frame, epoch: u32) -> Vec<u8> {
    let agents: usize = frame.sides.iter().map(|side| side.agents.len()).sum();
    let mut bytes = Vec::with_capacity(128 + 9 * agents);
    put_head(&mut bytes, Kind::State, frame, epoch, &[]);
    for side in &frame.sides {
        put_stats(&mut bytes, side);
        put_agents(&mut bytes, &side.agents);
        put_cells(&mut bytes, &side.units);
        put_notes(&mut bytes, &side.notes);
    }
    bytes
}

/// Encodes a frame as the difference to the one before, which has as many sides.
pub(crate) fn encode_difference(
    before: &Frame,
    frame: &Frame,
    epoch: u32,
    width: u32,
    edits: &[Edit],
) -> Vec<u8> {
    let agents: usize = frame.sides.iter().map(|side| side.agents.len()).sum();
    let mut bytes = Vec::with_capacity(256 + agents + 5 * edits.len());
    put_head(&mut bytes, Kind::Difference, frame, epoch, edits);
    for (before, side) in before.sides.iter().zip(&frame.sides) {
        put_stats(&mut bytes, side);
        let is_same = before.agents.rows == side.agents.rows;
        bytes.push(u8::from(!is_same));
        if is_same {
            put_steps(&mut bytes, &before.agents, &side.agents, width as i32);
        } else {
            put_agents(&mut bytes, &side.agents);
        }
        let units_changed = before.units != side.units;
        bytes.push(u8::from(units_changed));
        if units_changed {
            put_cells(&mut bytes, &side.units);
        }
        put_notes(&mut bytes, &side.notes);
    }
    bytes
}

fn put_head(bytes: &mut Vec<u8>, kind: Kind, frame: &Frame, epoch: u32, edits: &[Edit]) {
    bytes.extend([kind as u8, frame.sides.len() as u8, 0, 0]);
    put_u32(bytes, epoch);
    put_u32(bytes, frame.tick);
    put_u32(bytes, edits.len() as u32);
    for &(cell, value) in edits {
        put_u32(bytes, cell);
        bytes.push(value);
    }
}

fn put_stats(bytes: &mut Vec<u8>, side: &Side) {
    let Stats { tick_us, units, arrived, waiting, stuck, waits, expansions } = side.stats;
    for number in [tick_us, units, arrived, waiting, stuck, waits, side.agents.len() as u32] {
        put_u32(bytes, number);
    }
    // Exact up to 2⁵³, which is far beyond any run.
    bytes.extend((expansions as f64).to_le_bytes());
}

fn put_agents(bytes: &mut Vec<u8>, agents: &Agents) {
    put_u32(bytes, agents.len() as u32);
    for ((&row, &cell), &state) in agents.rows.iter().zip(&agents.cells).zip(&agents.states) {
        put_u32(bytes, row);
        put_u32(bytes, cell);
        bytes.push(state);
    }
}

fn put_steps(bytes: &mut Vec<u8>, before: &Agents, after: &Agents, width: i32) {
    let mut jumps: Vec<(u32, u32)> = Vec::new();
    let cells = before.cells.iter().zip(&after.cells);
    bytes.extend(cells.zip(&after.states).zip(0..).map(|(((&from, &to), &state), index)| {
        let step = step(from, to, width).unwrap_or_else(|| {
            jumps.push((index, to));
            JUMPS
        });
        step | state << 4
    }));
    put_u32(bytes, jumps.len() as u32);
    for (index, cell) in jumps {
        put_u32(bytes, index);
        put_u32(bytes, cell);
    }
}

/// Returns the number of the direction of a step, [`STAYS`], or `None` for any other change of the cell. Directions are as good as
/// random, so nothing branches on them: mispredicted branches took most of the time of a frame.
fn step(from: u32, to: u32, width: i32) -> Option<u8> {
    /// By row, then by column.
    const STEPS: [u8; 9] = [7, 0, 1, 6, STAYS, 2, 5, 4, 3];
    let difference = to.wrapping_sub(from) as i32;
    let row = i32::from(difference > 1) - i32::from(difference < -1);
    let column = difference.wrapping_sub(row * width);
    let is_step = (-1..=1).contains(&column);
    is_step.then(|| STEPS[(row * 3 + column + 4) as usize])
}

fn put_cells(bytes: &mut Vec<u8>, cells: &[u32]) {
    put_u32(bytes, cells.len() as u32);
    for &cell in cells {
        put_u32(bytes, cell);
    }
}

fn put_notes(bytes: &mut Vec<u8>, notes: &[Note]) {
    put_u16(bytes, notes.len() as u16);
    for note in notes {
        bytes.push(note.kind as u8);
        put_u32(bytes, note.agent);
        put_u32(bytes, note.by);
    }
}

/// Encodes the marks of a debug layer: pairs of numbers.
pub(crate) fn encode_layer(side: usize, layer: u8, marks: &[(u32, u32)]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 + 8 * marks.len());
    bytes.extend([Kind::Layer as u8, side as u8, layer, 0]);
    for &(one, other) in marks {
        put_u32(&mut bytes, one);
        put_u32(&mut bytes, other);
    }
    bytes
}

fn put_u16(bytes: &mut Vec<u8>, number: u16) {
    bytes.extend(number.to_le_bytes());
}

fn put_u32(bytes: &mut Vec<u8>, number: u32) {
    bytes.extend(number.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(cells: &[u32]) -> Frame {
        let rows = (0..cells.len() as u32).collect();
        let agents = Agents { rows, cells: cells.to_vec(), states: vec![Agents::MOVING; cells.len()] };
        Frame { tick: 7, sides: vec![Side { agents, ..Side::default() }] }
    }

    #[test]
    fn a_difference_has_a_byte_per_agent() {
        let width = 10;
        let before = frame(&[55; 11]);
        let after = frame(&[45, 46, 56, 66, 65, 64, 54, 44, 55, 57, 0]);
        let bytes = encode_difference(&before, &after, 1, width, &[(3, 5)]);
        let steps = 16 + 5 + 36 + 1;
        let found: Vec<u8> = bytes[steps..steps + 11].iter().map(|byte| byte & 15).collect();
        assert_eq!(found, [0, 1, 2, 3, 4, 5, 6, 7, STAYS, JUMPS, JUMPS]);
        assert!(bytes[steps..steps + 11].iter().all(|byte| byte >> 4 == Agents::MOVING));
        let whole = encode_state(&after, 1);
        assert_eq!(whole.len(), 16 + 36 + 4 + 9 * 11 + 4 + 2);
    }

    #[test]
    fn other_agents_are_sent_whole() {
        let bytes = encode_difference(&frame(&[1, 2]), &frame(&[1]), 1, 10, &[]);
        assert_eq!(bytes[16 + 36], 1);
    }

    #[test]
    fn a_map_is_run_length_coded() {
        let size = Size::new(400, 200).unwrap();
        let bytes = encode_map(size, |cell| u8::from(cell.0 >= 70_000));
        let [first, second] = [65_535_u16.to_le_bytes(), 4_465_u16.to_le_bytes()];
        let third = 10_000_u16.to_le_bytes();
        let runs = [0, first[0], first[1], 0, second[0], second[1], 1, third[0], third[1]];
        assert_eq!(bytes, [&[1, 144, 1, 200, 0][..], &runs].concat());
    }
}
