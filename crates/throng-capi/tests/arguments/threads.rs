//! Calls from two threads: every function that gets a world is refused while another thread changes it, and no call does
//! harm when two threads make it at the same time, or when one frees what the other uses.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use throng_capi::*;

use crate::fixture::{Arguments, Fixture};
use crate::table::{Parameter, Symbol, table};

/// The side of the map of the slow world.
const SIDE: i32 = 128;

/// Returns a world with a crowd of which every path has to be searched after an order, and its agents.
fn slow_world() -> (u64, Vec<u64>) {
    let (mut map, mut settings, mut world) = (0, ThrongSettings::default(), 0);
    let side = SIDE as u32;
    // SAFETY: all pointers are those of variables and of literals that end with zero.
    let status = unsafe { throng_map_generate(c"caves".as_ptr(), side, side, 1, 0, 0, &raw mut map) };
    assert_eq!(status, ThrongStatus::Ok);
    // SAFETY: as above.
    assert_eq!(unsafe { throng_settings_default(&raw mut settings) }, ThrongStatus::Ok);
    let planner = c"far";
    // SAFETY: as above.
    let status = unsafe { throng_world_create(map, planner.as_ptr(), &raw const settings, &raw mut world) };
    assert_eq!(status, ThrongStatus::Ok);
    // SAFETY: there is no pointer.
    assert_eq!(unsafe { throng_map_free(map) }, ThrongStatus::Ok);
    let specs: Vec<ThrongAgentSpec> = (0..SIDE * 24)
        .map(|i| ThrongAgentSpec { at: ThrongPos { x: i % SIDE, y: i / SIDE }, ..ThrongAgentSpec::default() })
        .collect();
    let mut agents = vec![0; specs.len()];
    let none = std::ptr::null_mut();
    // SAFETY: both arrays have this size.
    unsafe { throng_world_spawn(world, specs.as_ptr(), specs.len(), agents.as_mut_ptr(), none) };
    agents.retain(|agent| *agent != THRONG_NO_ID);
    (world, agents)
}

/// Sends the agents to the other side of the map, and has all their paths searched in one tick.
fn work(world: u64, agents: &[u64], number: i32) {
    let y = if number % 2 == 0 { SIDE - 1 } else { 0 };
    let order = |(i, &unit)| ThrongOrder { unit, to: ThrongPos { x: SIDE - 1 - i % SIDE, y } };
    let orders: Vec<ThrongOrder> = (0..).zip(agents).map(order).collect();
    let (none, mut report) = (std::ptr::null_mut(), ThrongTickReport::default());
    // SAFETY: the array has this size.
    unsafe { throng_world_send(world, orders.as_ptr(), orders.len(), std::ptr::null_mut(), none) };
    // SAFETY: the pointer is that of a variable.
    let status = unsafe { throng_world_tick(world, 0, 0, &raw mut report) };
    // It is refused itself while a query of the other thread runs.
    assert_ne!(status, ThrongStatus::Panic);
}

fn hash(world: u64) -> ThrongStatus {
    let mut hash = 0;
    // SAFETY: the pointer is that of a variable.
    unsafe { throng_world_state_hash(world, &raw mut hash) }
}

/// The functions that get a world, with valid arguments but for the world.
fn calls_on(world: u64, fixture: &Fixture) -> Vec<(Symbol, Arguments)> {
    let with_world =
        table().into_iter().filter(|symbol| matches!(symbol.parameters.first(), Some(Parameter::World)));
    let call = |symbol: Symbol| {
        let mut arguments = fixture.arguments(&symbol.parameters);
        arguments.all[0].word = world;
        (symbol, arguments)
    };
    with_world.map(call).collect()
}

#[test]
fn a_world_that_another_thread_changes_is_busy() {
    // A system under load may stop this thread between its look at the world and its call, which then ends the world.
    let refused = (0..5).find_map(|_| refused_calls());
    println!("{refused:?} functions are refused while another thread ticks");
    assert!(refused.is_some_and(|refused| refused > 40), "only {refused:?} functions are refused");
}

/// Makes every call that gets a world while another thread ticks it, until it is refused. Returns the number of calls, or
/// `None` if one of them was carried out after which the world is not the same.
fn refused_calls() -> Option<usize> {
    let fixture = Fixture::new();
    let (world, agents) = slow_world();
    let calls = calls_on(world, &fixture);
    let (is_done, start) = (AtomicBool::new(false), Instant::now());
    let is_whole = std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in (0..).take_while(|_| !is_done.load(Ordering::Relaxed)) {
                work(world, &agents, number);
            }
        });
        let is_whole = calls.iter().all(|(symbol, arguments)| {
            let words = arguments.words();
            loop {
                // While the world is busy, only the tick can be what uses it.
                let is_ticking = hash(world) == ThrongStatus::Busy;
                match is_ticking.then(|| (symbol.call)(&words)) {
                    Some(ThrongStatus::Busy) => return true,
                    Some(ThrongStatus::Ok) if ENDS.contains(&symbol.name) => return false,
                    _ => std::thread::yield_now(),
                }
                assert!(start.elapsed() < Duration::from_mins(1), "{} is never refused", symbol.name);
            }
        });
        is_done.store(true, Ordering::Relaxed);
        is_whole
    });
    // SAFETY: there is no pointer.
    let _ = unsafe { throng_world_free(world) };
    is_whole.then_some(calls.len())
}

/// The functions after which there is another world or none.
const ENDS: [&str; 2] = ["throng_world_free", "throng_world_copy_from"];

#[test]
fn two_threads_may_make_every_call_at_the_same_time() {
    let mut count = 0;
    for symbol in table() {
        let fixture = Fixture::new();
        let mut arguments = [fixture.arguments(&symbol.parameters), fixture.arguments(&symbol.parameters)];
        let both = arguments.each_ref().map(Arguments::words);
        let panics = both.map(|words| {
            let call = &symbol.call;
            move || (0..20).filter(|_| call(&words) == ThrongStatus::Panic).count()
        });
        let [first, second] = panics;
        let found = std::thread::scope(|scope| {
            let other = scope.spawn(second);
            first() + other.join().unwrap()
        });
        assert_eq!(found, 0, "{} panics", symbol.name);
        arguments.iter_mut().for_each(Arguments::release);
        count += 1;
    }
    assert_eq!(count, table().len());
}

#[test]
fn an_object_may_be_freed_while_another_thread_uses_it() {
    for symbol in table() {
        let handle = symbol.parameters.first().copied();
        if !matches!(handle, Some(Parameter::World | Parameter::Map | Parameter::Bytes)) {
            continue;
        }
        let fixture = Fixture::new();
        let mut arguments = fixture.arguments(&symbol.parameters);
        let words = arguments.words();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let free = match handle {
                    Some(Parameter::Map) => throng_map_free,
                    Some(Parameter::Bytes) => throng_bytes_free,
                    _ => throng_world_free,
                };
                // SAFETY: there is no pointer.
                while unsafe { free(words[0]) } == ThrongStatus::Busy {}
            });
            for _ in 0..20 {
                assert_ne!((symbol.call)(&words), ThrongStatus::Panic, "{}", symbol.name);
            }
        });
        assert_eq!((symbol.call)(&words), ThrongStatus::StaleHandle, "{}", symbol.name);
        arguments.release();
    }
}
