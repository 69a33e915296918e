//! Copies of a world, and worlds that a panic has poisoned.

use std::panic::{AssertUnwindSafe, catch_unwind};

use throng_crowd::{AgentSpec, Budget, Moves, Recording, View, check};
use throng_grid::{Area, Pos};

use crate::support::{disturb, random_world, script, tick, world_of};

#[test]
fn a_copy_continues_identically_and_apart() {
    for seed in 0..20 {
        let (mut world, mut random) = random_world(seed);
        let mut copy = world.clone();
        for round in 0..6 {
            for _ in 0..5 {
                disturb(&mut world, &mut random);
                tick(&mut world);
            }
            let (hash, bytes) = (world.state_hash(), world.snapshot());
            copy.clone_from(&world);
            let events: Vec<_> = (0..10).map(|_| tick(&mut world)).collect();
            assert_eq!((copy.state_hash(), copy.snapshot()), (hash, bytes), "seed {seed}, round {round}");
            assert_eq!((0..10).map(|_| tick(&mut copy)).collect::<Vec<_>>(), events);
            assert_eq!(copy.snapshot(), world.snapshot());
        }
    }
}

/// The map is shared until one of the worlds edits it.
#[test]
fn an_edit_does_not_reach_the_copy() {
    let mut world = world_of(".....", script(|_, _| ()));
    let copy = world.clone();
    world.block(Area::Cell(Pos::new(2, 0)));
    assert!(!world.grid().ground().is_free(throng_grid::Cell(2)));
    assert!(copy.grid().ground().is_free(throng_grid::Cell(2)));
}

#[test]
fn a_recording_goes_on_after_a_rollback() {
    let (mut world, mut random) = random_world(4);
    world.start_recording();
    let mut saved = world.clone();
    for _ in 0..4 {
        disturb(&mut world, &mut random);
        tick(&mut world);
    }
    world.clone_from(&saved);
    for _ in 0..6 {
        tick(&mut world);
    }
    saved.clone_from(&world);
    tick(&mut world);
    world.clone_from(&saved);
    let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
    assert_eq!(recording.ticks.len(), 6);
    assert!(check(&recording).is_clean());
}

/// Returns what a panic says.
fn message(run: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("it did not panic");
    panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref().map(|&text: &&str| text.into()))
        .unwrap()
}

#[test]
fn a_panic_in_a_tick_poisons_the_world() {
    let plan = |view: &View<'_>, _: &mut Moves| assert!(view.tick() != 3, "the planner broke");
    let mut world = world_of(".....", script(plan));
    world.spawn(AgentSpec::at(0, 0)).unwrap();
    tick(&mut world);
    let saved = world.clone();
    tick(&mut world);
    assert!(!world.is_poisoned());
    let mut run = || _ = world.tick(Budget::Unlimited, &mut Vec::new());
    assert_eq!(message(&mut run), "the planner broke");
    for _ in 0..2 {
        assert!(message(&mut run).starts_with("the world is poisoned: tick 3 panicked"));
    }
    assert!(message(|| _ = world.snapshot()).starts_with("the world is poisoned"));
    assert!(world.is_poisoned() && world.clone().is_poisoned());
    world.clone_from(&saved);
    assert!(!world.is_poisoned());
    tick(&mut world);
    assert_eq!(world.ticks(), 2);
}
