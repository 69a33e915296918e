//! Sequences of calls of the C ABI: the bytes choose functions and arguments. Handles are those of live, freed and foreign
//! objects, numbers and entries are arbitrary, pointers and lengths fit. Functions and valid arguments are those of the tests of
//! the C ABI.

use std::sync::OnceLock;

use throng_capi::{ThrongStatus, throng_bytes_free, throng_map_free, throng_world_free};

use crate::buffer::Buffer;
use crate::fixture::{Argument, Fixture, last_error};
use crate::table::{Parameter, Symbol, table};

/// The largest number of calls in a sequence.
const MAX_CALLS: usize = 48;

/// Names for text arguments.
const TEXTS: [&str; 8] =
    ["pibt", "far:reserve=2", "whca:window=4", "surge:work=50", "bmaa-f-c", "lra", "maze", "caves:walls=50"];

/// The bytes of the fuzzer, then zeros.
struct Choices<'a>(&'a [u8]);

impl Choices<'_> {
    fn byte(&mut self) -> u8 {
        self.0.split_off_first().copied().unwrap_or(0)
    }

    fn below(&mut self, count: usize) -> usize {
        usize::from(self.byte()) % count
    }

    fn word(&mut self) -> u64 {
        let bytes = std::array::from_fn(|_| self.byte());
        // Mostly small numbers, which are ids and handles.
        u64::from_le_bytes(bytes) >> [0, 32, 56, 60][self.below(4)]
    }
}

/// Carries out a sequence of calls. No call panics, and none leaves an object that an earlier panic has damaged.
pub fn calls(data: &[u8]) {
    static TABLE: OnceLock<Vec<Symbol>> = OnceLock::new();
    let symbols = TABLE.get_or_init(table);
    let mut choices = Choices(data);
    let fixture = Fixture::new();
    let mut known = vec![fixture.world, fixture.map, fixture.removed, 0, u64::MAX];
    for _ in 0..MAX_CALLS {
        if choices.0.is_empty() {
            break;
        }
        let symbol = &symbols[choices.below(symbols.len())];
        let mut arguments = fixture.arguments(&symbol.parameters).all;
        for (parameter, argument) in symbol.parameters.iter().zip(&mut arguments) {
            if choices.byte() >= 128 {
                change(*parameter, argument, &mut choices, &known);
            }
        }
        // Every thread is one of the system.
        if symbol.name == "throng_world_set_threads" {
            arguments[1].word %= 4;
        }
        let words: Vec<u64> = arguments.iter().map(|argument| argument.word).collect();
        let status = (symbol.call)(&words);
        let is_sound = !matches!(status, ThrongStatus::Panic | ThrongStatus::Poisoned);
        assert!(is_sound, "{}: {status:?}: {}", symbol.name, last_error());
        for (parameter, argument) in symbol.parameters.iter().zip(&arguments) {
            if let (Parameter::Output(8, ..), Some(buffer)) = (parameter, &argument.buffer) {
                let written = u64::from_ne_bytes(*buffer.bytes().first_chunk().expect("eight bytes"));
                if known.len() < 64 && !known.contains(&written) {
                    known.push(written);
                }
            }
        }
    }
    for handle in known {
        // SAFETY: there is no pointer. A number that is no handle is refused.
        let _ = unsafe { throng_world_free(handle) };
        // SAFETY: as above.
        let _ = unsafe { throng_map_free(handle) };
        // SAFETY: as above.
        let _ = unsafe { throng_bytes_free(handle) };
    }
}

/// Replaces a valid argument by another one.
fn change(parameter: Parameter, argument: &mut Argument, choices: &mut Choices<'_>, known: &[u64]) {
    match parameter {
        Parameter::World | Parameter::OtherWorld | Parameter::Map | Parameter::Bytes | Parameter::Agent => {
            argument.word =
                if choices.byte() < 224 { known[choices.below(known.len())] } else { choices.word() };
        }
        Parameter::Text(_) => {
            let text = match TEXTS.get(choices.below(TEXTS.len() + 1)) {
                Some(text) => format!("{text}\0").into_bytes(),
                None => vec![choices.byte(), choices.byte(), 0],
            };
            replace(argument, &text);
        }
        Parameter::Input(_) => {
            let mut bytes = argument.buffer.as_ref().map_or_else(Vec::new, |buffer| buffer.bytes().to_vec());
            for _ in 0..=choices.below(4) {
                let place = usize::from(u16::from_le_bytes([choices.byte(), choices.byte()]));
                if let Some(byte) = place.checked_rem(bytes.len()).and_then(|place| bytes.get_mut(place)) {
                    *byte = choices.byte();
                }
            }
            // The size stays, because a count follows.
            replace(argument, &bytes);
        }
        Parameter::Output(..) => {}
        Parameter::Optional(..) => argument.word = 0,
        Parameter::Count(_) => argument.word = choices.below(argument.word as usize + 1) as u64,
        Parameter::Limited(_, refused) => {
            argument.word = match choices.below(refused.len() + 1) {
                at if at < refused.len() => refused[at],
                _ => u64::from(choices.byte()),
            }
        }
        Parameter::Number(_) => argument.word = choices.word(),
        Parameter::Coordinate(_) => argument.word = i64::from(choices.byte() as i8) as u64,
    }
}

/// Lets an argument point to a copy of other bytes.
fn replace(argument: &mut Argument, bytes: &[u8]) {
    let buffer = Buffer::copy_of(bytes);
    (argument.word, argument.buffer) = (buffer.address(), Some(buffer));
}
