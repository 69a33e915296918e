//! The cost of edits is local: a door that opens and closes does not make distant agents replan.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_crowd::{Budget, Event, World};
use throng_grid::generate::generate;
use throng_grid::{Area, Grid, MoveRules, Pos, Size};

use crate::support::{crowd, random_grid, restored_crowd, tick};

/// Returns a 512×512 map of rooms with doors.
fn rooms() -> Grid {
    let size = Size::new(512, 512).unwrap();
    Grid::new(generate("rooms", size, 4).unwrap(), MoveRules::default())
}

/// Runs ticks with a budget and an edit before each. Returns the number of steps.
fn run(world: &mut World, ticks: u64, budget: u64, mut edit: impl FnMut(&mut World, u64)) -> usize {
    let (mut events, mut steps) = (Vec::new(), 0);
    for number in 0..ticks {
        edit(world, number);
        events.clear();
        let report = world.tick(Budget::expansions(budget), &mut events);
        assert!(report.expansions <= budget, "{report:?}");
        steps += events.iter().filter(|event| matches!(event, Event::Moved { .. })).count();
    }
    assert_eq!(world.totals().overruled, 0);
    steps
}

/// Closes or opens a door of three cells in a corner of the map.
fn toggle(world: &mut World, closed: bool) {
    let door = Area::rect(Pos::new(500, 500), Pos::new(502, 500));
    if closed {
        world.block(door)
    } else {
        world.unblock(door)
    };
}

#[test]
fn a_distant_door_hardly_changes_the_steps() {
    for name in ["far", "whca"] {
        let mut quiet = crowd(name, rooms(), 500, 3);
        let expected = run(&mut quiet, 200, 20_000, |_, _| {});
        let mut busy = crowd(name, rooms(), 500, 3);
        let steps = run(&mut busy, 200, 20_000, |world, number| {
            if number % 5 == 0 {
                toggle(world, number % 10 == 0);
            }
        });
        let (spent, before) = (busy.totals().expansions, quiet.totals().expansions);
        eprintln!("{name}: {steps} steps of {expected}, {spent} expansions of {before}");
        assert!(expected > 5_000, "{name}: {expected} steps");
        assert!(steps * 10 >= expected * 9, "{name}: {steps} steps of {expected}");
        assert!(spent * 2 <= before * 3, "{name}: {spent} expansions of {before}");
    }
}

#[test]
fn a_distant_door_hardly_changes_the_expansions() {
    for name in ["far", "whca"] {
        let mut quiet = crowd(name, rooms(), 60, 5);
        run(&mut quiet, 60, u64::MAX, |_, _| {});
        let mut busy = crowd(name, rooms(), 60, 5);
        run(&mut busy, 60, u64::MAX, |world, number| toggle(world, number % 2 == 0));
        let (spent, before) = (busy.totals().expansions, quiet.totals().expansions);
        eprintln!("{name}: {spent} expansions of {before}");
        assert!(before > 100_000 && spent * 2 <= before * 3, "{name}: {spent} expansions of {before}");
    }
}

#[test]
fn agents_move_with_an_edit_every_tick_and_a_small_budget() {
    for name in ["far", "whca", "astar-replan"] {
        let mut random = Pcg32::seed_from_u64(9);
        let mut world = crowd(name, rooms(), 500, 3);
        let mut last = Pos::new(0, 0);
        let steps = run(&mut world, 200, 2_000, |world, _| {
            world.unblock(Area::disc(last, 1));
            last = Pos::new((random.next_u32() % 512) as i32, (random.next_u32() % 512) as i32);
            world.block(Area::disc(last, 1));
        });
        let mut quiet = crowd(name, rooms(), 500, 3);
        let expected = run(&mut quiet, 200, 2_000, |_, _| {});
        eprintln!("{name}: {steps} steps of {expected}");
        assert!(steps * 2 >= expected && steps > 200, "{name}: {steps} steps of {expected}");
    }
}

#[test]
fn paused_searches_are_restored_after_edits() {
    for name in ["far", "whca", "bmaa-f"] {
        for seed in 0..3 {
            let grid = || random_grid(100, 12, MoveRules::default(), seed);
            let mut worlds = [crowd(name, grid(), 40, seed), restored_crowd(name, grid(), 40, seed, 1)];
            let mut random = Pcg32::seed_from_u64(seed);
            for number in 0..60 {
                let mut place =
                    || Pos::new((random.next_u32() % 100) as i32, (random.next_u32() % 100) as i32);
                let (blocked, unblocked) = (place(), place());
                for world in &mut worlds {
                    world.unblock(Area::disc(unblocked, 9));
                    world.block(Area::disc(blocked, 1));
                    tick(world, Budget::expansions(300));
                }
                let [plain, restored] = &worlds;
                assert_eq!(plain.state_hash(), restored.state_hash(), "{name}, seed {seed}, tick {number}");
                assert_eq!(plain.totals().expansions, restored.totals().expansions, "{name}, seed {seed}");
            }
        }
    }
}
