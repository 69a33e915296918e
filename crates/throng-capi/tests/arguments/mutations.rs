//! The kinds of bad arguments: for each parameter of a function, what a program may pass by mistake.

use throng_capi::{ThrongStatus, throng_bytes_free, throng_map_free, throng_world_free};

use crate::buffer::Buffer;
use crate::fixture::{Arguments, Fixture, create_world};
use crate::table::{Entries, Parameter};

/// What a call with a bad argument returns.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expect {
    /// This status, and nothing has changed.
    Exactly(ThrongStatus),
    /// The object was freed, by the case itself.
    Stale,
    /// A status other than `Ok`.
    Failure,
    /// Any status: the value is unusual and valid for some functions.
    Anything,
}

use Expect::{Anything, Exactly, Failure, Stale};

/// Replaces valid arguments by bad ones.
type Change = Box<dyn Fn(&mut Arguments, &Fixture)>;

/// A call with a bad argument.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) expect: Expect,
    change: Change,
}

impl Case {
    /// Replaces valid arguments by bad ones.
    pub(crate) fn apply(&self, arguments: &mut Arguments, fixture: &Fixture) {
        (self.change)(arguments, fixture);
    }
}

/// Cases of one parameter.
struct Cases {
    /// The number of the parameter.
    i: usize,
    found: Vec<Case>,
}

impl Cases {
    fn add(
        &mut self,
        name: &str,
        expect: Expect,
        change: impl Fn(&mut Arguments, &Fixture, usize) + 'static,
    ) {
        let i = self.i;
        let name = format!("{name} as argument {i}");
        let change =
            Box::new(move |arguments: &mut Arguments, fixture: &Fixture| change(arguments, fixture, i));
        self.found.push(Case { name, expect, change });
    }

    /// Adds a case with another number.
    fn word(&mut self, name: &str, expect: Expect, word: u64) {
        self.add(name, expect, move |arguments, _, i| arguments.all[i].word = word);
    }

    /// Adds a case with other bytes behind the pointer.
    fn memory(&mut self, name: &str, expect: Expect, buffer: impl Fn(&Buffer) -> Buffer + 'static) {
        self.add(name, expect, move |arguments, _, i| {
            let old = arguments.all[i].buffer.as_ref().expect("the argument is a pointer");
            let new = buffer(old);
            (arguments.all[i].word, arguments.all[i].buffer) = (new.address(), Some(new));
        });
    }

    fn misaligned(&mut self) {
        self.add("a misaligned pointer", Exactly(ThrongStatus::Misaligned), |arguments, _, i| {
            let size = arguments.all[i].buffer.as_ref().map_or(1, Buffer::size);
            let buffer = Buffer::zeroed(size + 1);
            (arguments.all[i].word, arguments.all[i].buffer) = (buffer.address() + 1, Some(buffer));
        });
    }
}

/// Returns all cases of a function.
pub(crate) fn cases(parameters: &[Parameter]) -> Vec<Case> {
    let mut cases = Cases { i: 0, found: Vec::new() };
    for (i, parameter) in parameters.iter().enumerate() {
        cases.i = i;
        match *parameter {
            Parameter::World | Parameter::OtherWorld | Parameter::Map | Parameter::Bytes => {
                handles(&mut cases, *parameter);
            }
            Parameter::Agent => ids(&mut cases),
            Parameter::Text(_) => texts(&mut cases),
            Parameter::Input(entries) => inputs(&mut cases, entries),
            Parameter::Output(_, alignment, _) => {
                cases.word("null", Exactly(ThrongStatus::NullPointer), 0);
                if alignment > 1 {
                    cases.misaligned();
                }
            }
            Parameter::Optional(_, alignment, _) => {
                cases.word("null", Anything, 0);
                if alignment > 1 {
                    cases.misaligned();
                }
            }
            Parameter::Count(count) => counts(&mut cases, count, &parameters[..i]),
            Parameter::Limited(_, refused) => {
                for &word in refused {
                    cases.word(&format!("the number {word}"), Failure, word);
                }
            }
            Parameter::Number(_) => {
                cases.word("the least number", Anything, 0);
                cases.word("the greatest number", Anything, u64::MAX);
            }
            Parameter::Coordinate(_) => {
                for number in [i32::MIN, -1, i32::MAX] {
                    cases.word(&format!("the coordinate {number}"), Anything, number as u64);
                }
            }
        }
    }
    cases.found
}

fn handles(cases: &mut Cases, parameter: Parameter) {
    cases.word("a null handle", Exactly(ThrongStatus::NullHandle), 0);
    cases.word("no handle", Exactly(ThrongStatus::BadHandle), u64::MAX);
    cases.word("a pointer instead of a handle", Exactly(ThrongStatus::BadHandle), 0x7fff_0000_1000);
    cases.add(
        "the handle of another type",
        Exactly(ThrongStatus::BadHandle),
        move |arguments, fixture, i| {
            arguments.all[i].word = if parameter_is_map(parameter) { fixture.world } else { fixture.map };
        },
    );
    cases.add("a handle that is not given yet", Exactly(ThrongStatus::BadHandle), |arguments, _, i| {
        arguments.all[i].word += 1 << 24;
    });
    cases.add("a freed handle", Stale, move |arguments, _, i| {
        assert_eq!(free(parameter, arguments.all[i].word), ThrongStatus::Ok);
    });
    cases.add("a freed handle whose place is taken", Stale, move |arguments, fixture, i| {
        assert_eq!(free(parameter, arguments.all[i].word), ThrongStatus::Ok);
        if !parameter_is_map(parameter) {
            let _ = create_world(fixture.map);
        }
    });
}

const fn parameter_is_map(parameter: Parameter) -> bool {
    matches!(parameter, Parameter::Map)
}

fn free(parameter: Parameter, handle: u64) -> ThrongStatus {
    match parameter {
        // SAFETY: there is no pointer.
        Parameter::Map => unsafe { throng_map_free(handle) },
        // SAFETY: there is no pointer.
        Parameter::Bytes => unsafe { throng_bytes_free(handle) },
        // SAFETY: there is no pointer.
        _ => unsafe { throng_world_free(handle) },
    }
}

fn ids(cases: &mut Cases) {
    cases.word("no id", Failure, u64::MAX);
    cases.word("an id that nobody has had", Failure, 99);
    cases.add("the id of a removed agent", Failure, |arguments, fixture, i| {
        arguments.all[i].word = fixture.removed;
    });
}

fn texts(cases: &mut Cases) {
    cases.word("null", Exactly(ThrongStatus::NullPointer), 0);
    cases.memory("an empty text", Failure, |_| Buffer::copy_of(b"\0"));
    cases.memory("an unknown name", Failure, |_| Buffer::copy_of("næme:of=nothing\0".as_bytes()));
    let invalid = Exactly(ThrongStatus::InvalidText);
    cases.memory("a text that is not UTF-8", invalid, |_| Buffer::copy_of(b"rooms\xff\0"));
    cases.memory("a text without an end", invalid, |_| Buffer::copy_of(&[b'a'; 4_096]));
}

fn inputs(cases: &mut Cases, entries: Entries) {
    cases.word("null", Exactly(ThrongStatus::NullPointer), 0);
    let is_bytes = matches!(
        entries,
        Entries::Terrain | Entries::MapFile | Entries::Snapshot | Entries::Recording | Entries::Profile
    );
    if !is_bytes {
        cases.misaligned();
    }
    cases.memory("entries of ones", Failure, |old| Buffer::copy_of(&vec![0xff; old.size()]));
    cases.memory("entries of zeros", Anything, |old| Buffer::zeroed(old.size()));
    if entries == Entries::Settings {
        for size in [0, 8, 47, 49, u32::MAX] {
            let name = format!("settings of {size} bytes");
            cases.memory(&name, Exactly(ThrongStatus::WrongSize), move |old| {
                let mut bytes = vec![0; old.size()];
                bytes[..4].copy_from_slice(&size.to_ne_bytes());
                Buffer::copy_of(&bytes)
            });
        }
    }
}

/// Sizes that are smaller than the arrays, or that cannot be.
fn counts(cases: &mut Cases, count: usize, before: &[Parameter]) {
    cases.word("a count beyond the address space", Exactly(ThrongStatus::WrongSize), u64::MAX);
    let is_of_bytes = matches!(
        before.iter().rev().find(|parameter| !matches!(parameter, Parameter::Optional(..))),
        Some(Parameter::Output(1, ..) | Parameter::Input(_))
    );
    if !is_of_bytes {
        cases.word("a count of more than half of it", Exactly(ThrongStatus::WrongSize), u64::MAX / 2);
    }
    cases.word("a count of 0", Anything, 0);
    cases.word("a count of 1", Anything, 1);
    if count > 2 {
        cases.word("a count of one less", Anything, count as u64 - 1);
    }
    cases.add("null and a count of 0", Anything, |arguments, _, i| {
        arguments.all[i].word = 0;
        arguments.all[i - 1].word = 0;
    });
    // An array that is as small as the count says.
    cases.add("an array of one entry", Anything, move |arguments, _, i| {
        let is_array = arguments.all[i - 1].buffer.is_some();
        if is_array && count > 1 {
            let all = arguments.all[i - 1].buffer.as_ref().map_or(0, Buffer::size);
            let buffer = Buffer::zeroed(all / count);
            (arguments.all[i - 1].word, arguments.all[i - 1].buffer) = (buffer.address(), Some(buffer));
            arguments.all[i].word = 1;
        }
    });
}
