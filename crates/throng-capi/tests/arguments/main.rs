//! Every exported function with every kind of bad argument: null, misaligned and stale values, wrong sizes, wrong texts and
//! ids, and calls from two threads. Each returns a status, and a call that is refused changes nothing.
//!
//! `cargo xtask capi` runs these tests under `AddressSanitizer` too: every array is allocated with exactly its size. A canary,
//! which passes a capacity beyond its array, must be caught there.

mod buffer;
mod fixture;
mod mutations;
mod table;
mod threads;

use std::collections::BTreeSet;

use throng_capi::ThrongStatus;

use fixture::Fixture;
use mutations::{Expect, cases};
use table::table;

#[test]
fn the_table_has_every_symbol_of_the_header() {
    let header = include_str!("../../include/throng.h");
    let declared = header.lines().filter_map(|line| line.strip_prefix("ThrongStatus ")?.split('(').next());
    let declared: BTreeSet<&str> = declared.collect();
    let listed: BTreeSet<&str> = table().iter().map(|symbol| symbol.name).collect();
    assert!(declared.len() > 50, "the header declares {} functions", declared.len());
    assert_eq!(listed, declared);
}

#[test]
fn valid_arguments_are_accepted() {
    for symbol in table() {
        let fixture = Fixture::new();
        let mut arguments = fixture.arguments(&symbol.parameters);
        let status = (symbol.call)(&arguments.words());
        assert_eq!(status, symbol.valid, "{}: {}", symbol.name, fixture::last_error());
        arguments.release();
    }
}

#[test]
fn bad_arguments_return_a_status() {
    let (mut count, mut wrong) = (0, Vec::new());
    for symbol in table() {
        for case in cases(&symbol.parameters) {
            let fixture = Fixture::new();
            let before = fixture.state_hash();
            let mut arguments = fixture.arguments(&symbol.parameters);
            case.apply(&mut arguments, &fixture);
            let status = (symbol.call)(&arguments.words());
            let is_expected = match case.expect {
                Expect::Exactly(expected) => status == expected,
                Expect::Stale => status == ThrongStatus::StaleHandle,
                Expect::Failure => status != ThrongStatus::Ok,
                Expect::Anything => true,
            };
            // A batch carries out what it can; a call that is refused as a whole changes nothing.
            let is_untouched = !matches!(case.expect, Expect::Exactly(_)) || fixture.state_hash() == before;
            if !is_expected || !is_untouched || status == ThrongStatus::Panic {
                wrong.push(format!("{}, {}: {status:?}, untouched: {is_untouched}", symbol.name, case.name));
            }
            count += 1;
            arguments.release();
        }
    }
    println!("{count} cases of {} symbols", table().len());
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(count >= 600, "only {count} cases");
}

#[test]
fn buffers_have_what_was_copied() {
    let order = throng_capi::ThrongOrder { unit: 1 << 40, to: throng_capi::ThrongPos { x: 3, y: -1 } };
    let buffer = buffer::Buffer::of(&[order]);
    assert_eq!(buffer.bytes(), [1_u64 << 40, 3 | 0xffff_ffff << 32].map(u64::to_le_bytes).concat());
    assert_eq!(buffer::Buffer::zeroed(3).bytes(), [0; 3]);
}

/// Writes beyond an array, as a program with a bug would.
#[test]
fn canary() {
    if std::env::var_os("THRONG_CANARY").is_some() {
        let fixture = Fixture::new();
        fixture.overflow();
    }
}

#[test]
fn the_sanitizer_catches_the_canary() {
    if std::env::var_os("THRONG_SANITIZER").is_none() {
        println!("without a sanitizer, nothing can catch the canary");
        return;
    }
    let mut program = std::process::Command::new(std::env::current_exe().unwrap());
    let output = program.args(["--exact", "canary"]).env("THRONG_CANARY", "1").output().unwrap();
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "the canary lives");
    assert!(report.contains("AddressSanitizer: heap-buffer-overflow"), "{report}");
    assert!(report.contains("throng_world_agents"), "{report}");
}
