//! Work budgets, for every planner: no tick exceeds its budget, rounds are short, and no work is lost.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_crowd::{AgentId, Budget, Event, NamedPlanner, Recording, Settings, Stationary, World, check};
use throng_grid::{Area, Pos};
use throng_planners::{planner, restore};

use crate::support::{
    ALL_RULES, Threads, crowd, empty, every_spec, every_spec_with_goals, populate, random_grid, random_pairs,
    restored_crowd, small_map, tick,
};

#[test]
fn no_budget_is_exceeded() {
    for spec in every_spec() {
        for budget in [0, 1, 7, 32, 100, 333, 2_000] {
            let mut world = crowd(&spec, small_map(budget), 40, budget);
            for _ in 0..25 {
                let before = world.totals().expansions;
                tick(&mut world, Budget::Expansions(budget));
                let spent = world.totals().expansions - before;
                assert!(spent <= budget, "{spec}: {spent} of {budget}");
            }
        }
        for budget in [7, 100, 333, 2_000] {
            let mut world = crowd(&spec, small_map(budget), 40, budget);
            for _ in 0..25 {
                let report = world.tick(Budget::units(budget), &mut Vec::new());
                assert!(report.units <= budget, "{spec}: {} of {budget} units", report.units);
                assert!(report.units >= report.expansions, "{spec}: an expansion costs less than a unit");
            }
        }
        let mut world = crowd(&spec, small_map(1), 40, 1);
        tick(&mut world, Budget::Unlimited);
        let before = world.totals().expansions;
        tick(&mut world, Budget::Rounds(0));
        assert_eq!(world.totals().expansions, before, "{spec} works without a round");
    }
}

/// With any budget per tick a single agent arrives, some agents of a crowd arrive, and no rule is broken.
#[test]
fn any_budget_makes_progress() {
    for spec in every_spec_with_goals() {
        for budget in [1, 7, 33] {
            for (seed, agents) in [(1, 1), (2, 1), (3, 1), (4, 16)] {
                let rules = ALL_RULES[seed as usize % ALL_RULES.len()];
                let mut world = crowd(&spec, random_grid(36, 28, rules, seed), agents, seed);
                world.start_recording();
                let mut arrived = 0;
                for _ in 0..8_000 {
                    let mut events = Vec::new();
                    let report = world.tick(Budget::Expansions(budget), &mut events);
                    assert!(report.expansions <= budget, "{spec}: {} of {budget}", report.expansions);
                    arrived += events.iter().filter(|event| matches!(event, Event::Arrived { .. })).count();
                    if arrived > agents / 4 {
                        break;
                    }
                }
                assert!(
                    arrived > agents / 4,
                    "{spec}, seed {seed}, {budget} per tick: {arrived} of {agents}"
                );
                let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
                let report = check(&recording);
                assert!(report.is_clean(), "{spec}, seed {seed}: {:?}", report.violations);
            }
        }
    }
}

/// Maximum number of expansions between two checks of the clock: a few milliseconds.
const MAX_ROUND_EXPANSIONS: u64 = 32 << 10;

/// A tick overruns its deadline by at most one round.
#[test]
fn rounds_are_short() {
    for spec in every_spec() {
        let grid = random_grid(160, 20, ALL_RULES[0], 3);
        let world = crowd(&spec, grid, 100, 3);
        let snapshot = world.snapshot();
        let after = |budget: Budget<'_>| {
            let mut world = restore(&snapshot).unwrap();
            let report = world.tick(budget, &mut Vec::new());
            (report.rounds, world.totals().expansions)
        };
        let (rounds, all) = after(Budget::Until(&mut || false));
        assert!(rounds > 0 && all > 0, "{spec} does nothing");
        // Check the first and the last eight rounds.
        let mut before = (0, after(Budget::Rounds(0)).1);
        for round in (0..rounds).filter(|round| *round < 8 || rounds - round <= 8) {
            if before.0 != round {
                before = (round, after(Budget::Rounds(round)).1);
            }
            let spent = after(Budget::Rounds(round + 1)).1;
            let cost = spent - before.1;
            before = (round + 1, spent);
            assert!(cost <= MAX_ROUND_EXPANSIONS, "{spec}: round {round} of {rounds} costs {cost}");
        }
    }
}

#[test]
fn the_number_of_rounds_repeats_a_run_with_a_deadline() {
    for spec in every_spec() {
        for seed in 20..22 {
            let start = || crowd(&spec, small_map(seed), 40, seed);
            let (mut world, mut again) = (start(), start());
            let mut random = Pcg32::seed_from_u64(seed);
            for i in 0..120 {
                let mut left = random.next_u32() % 6;
                let mut stop = || {
                    left = left.saturating_sub(1);
                    left == 0
                };
                let report = world.tick(Budget::Until(&mut stop), &mut Vec::new());
                assert_eq!(
                    again.tick(Budget::Rounds(report.rounds), &mut Vec::new()),
                    report,
                    "{spec} at {i}"
                );
                assert_eq!(world.state_hash(), again.state_hash(), "{spec} at {i}");
            }
        }
    }
}

/// Runs ticks with small budgets and random edits and goals. Returns the state hash and the expansions after each tick.
fn run_with_small_budgets(world: &mut World, ticks: u32, seed: u64) -> Vec<(u64, u64)> {
    let mut random = Pcg32::seed_from_u64(seed);
    let mut below = |n: u32| random.next_u32() % n;
    let side = world.grid().size().width();
    let mut after = Vec::new();
    for i in 0..ticks {
        let place = Pos::new(below(side) as i32, below(side) as i32);
        match below(12) {
            0 => drop(world.block(Area::disc(place, 1))),
            1 => drop(world.unblock(Area::disc(place, 3))),
            2 => drop(world.send(AgentId::from_bits(below(20).into()), place)),
            _ => {}
        }
        let budget = if i % 40 < 20 { 1 + below(12) } else { 1 + below(1_500) };
        tick(world, Budget::Expansions(u64::from(budget)));
        after.push((world.state_hash(), world.totals().expansions));
    }
    after
}

#[test]
fn paused_searches_survive_saving_and_any_number_of_threads() {
    for spec in every_spec() {
        for seed in 60..63 {
            let grid = || random_grid(40, 25, ALL_RULES[0], seed);
            let expected = run_with_small_budgets(&mut crowd(&spec, grid(), 20, seed), 160, seed);
            let mut restored = restored_crowd(&spec, grid(), 20, seed, 1 + seed % 3);
            let mut threaded = crowd(&spec, grid(), 20, seed);
            threaded.set_executor(Box::new(Threads(3)));
            for (variant, world) in [("loaded", &mut restored), ("threaded", &mut threaded)] {
                let found = run_with_small_budgets(world, 160, seed);
                let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
                assert_eq!(differs, None, "{spec}, seed {seed}, {variant}");
            }
        }
    }
}

/// So many agents that those of `surge` are split among threads.
#[test]
fn a_large_crowd_of_surge_moves_alike_on_any_number_of_threads() {
    let run = |threads: usize| {
        let grid = random_grid(120, 15, ALL_RULES[0], 5);
        let mut world = crowd("surge", grid, 1_600, 5);
        world.set_executor(Box::new(Threads(threads)));
        let mut after = Vec::new();
        for _ in 0..40 {
            tick(&mut world, Budget::Unlimited);
            after.push(world.state_hash());
        }
        after
    };
    let expected = run(1);
    assert_eq!(run(2), expected);
    assert_eq!(run(3), expected);
}

/// The memory that a planner reports matches the allocator, compared with a world whose planner allocates nothing.
#[test]
fn planners_report_their_memory() {
    for spec in every_spec() {
        for budget in [u64::MAX, 40] {
            let grid = random_grid(120, 15, ALL_RULES[0], 1);
            let pairs = random_pairs(&grid, 80, 1);
            let mut reported = 0;
            let mut allocated = |spec: Option<&str>| {
                let mut result = None;
                let info = allocation_counter::measure(|| {
                    let made: NamedPlanner = spec
                        .map_or_else(|| Box::new(Stationary).into(), |spec| planner(spec, &grid).unwrap());
                    let mut world = World::new(grid.clone(), made, Settings::default()).unwrap();
                    populate(&mut world, &pairs);
                    for _ in 0..25 {
                        world.tick(Budget::Expansions(budget), &mut Vec::new());
                    }
                    reported = world.planner().memory_bytes();
                    result = Some(world);
                });
                drop(result);
                info.bytes_current
            };
            let without = allocated(None);
            let with = allocated(Some(&spec));
            let actual = (with - without).max(1) as usize;
            assert!(
                reported * 10 >= actual * 8 && reported * 10 <= actual * 11,
                "{spec}, {budget}: reports {reported}, allocates {actual}"
            );
        }
    }
}

/// A time-sliced search over many ticks expands as many nodes as in one tick. Edits elsewhere do not affect it; an edit
/// of a tile that it read restarts it.
#[test]
fn paused_searches_are_resumed() {
    for spec in ["lra", "bmaa", "bmaa:expansions=900", "rtaa", "astar-replan"] {
        let spent = |budget: u64, edit: Option<Pos>| {
            let grid = random_grid(160, 25, ALL_RULES[0], 4);
            let inside =
                |&(a, b): &(Pos, Pos)| a.x < 50 && a.y < 50 && b.x < 50 && b.y < 50 && a.x + 15 < b.x;
            let pair = random_pairs(&grid, 2_000, 4).into_iter().find(inside).unwrap();
            let mut world = empty(spec, grid);
            populate(&mut world, &[pair]);
            for i in 0..1_500 {
                match edit {
                    Some(place) if i % 2 == 0 => drop(world.block(place)),
                    Some(place) => drop(world.unblock(place)),
                    None => {}
                }
                world.tick(Budget::Expansions(budget), &mut Vec::new());
                if world.has_arrived(AgentId::from_bits(0)).unwrap() {
                    return Some(world.totals().expansions);
                }
            }
            None
        };
        let whole = spent(u64::MAX, None);
        assert!(whole.is_some_and(|whole| whole > 20), "{spec}: {whole:?}");
        assert_eq!(spent(7, None), whole, "{spec}, time-sliced");
        if spec != "astar-replan" {
            assert_eq!(spent(7, Some(Pos::new(155, 155))), whole, "{spec}, with distant edits");
            assert_ne!(spent(7, Some(Pos::new(2, 2))), whole, "{spec}, with edits in the searched area");
        }
    }
}
