//! What every planner promises about work: never more than was granted, in short rounds, and none of it is lost.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_crowd::{
    AgentId, Budget, Event, Limits, Moves, NamedPlanner, Planner, Recording, Settings, Sharing, StateError,
    View, Work, World, check,
};
use throng_grid::{Area, Pos};
use throng_planners::planner;

use crate::support::{
    Threads, crowd, empty, every_spec, every_spec_with_goals, populate, random_grid, random_pairs,
    restored_crowd, rules_of, small_map, tick,
};

#[test]
fn no_budget_is_exceeded() {
    for spec in every_spec() {
        for most in [0, 1, 7, 32, 100, 333, 2_000] {
            let mut world = crowd(&spec, small_map(&spec, most), 40, most);
            for _ in 0..25 {
                let before = world.totals().expansions;
                tick(&mut world, Budget::Expansions(most));
                let spent = world.totals().expansions - before;
                assert!(spent <= most, "{spec}: {spent} of {most}");
            }
        }
        let mut world = crowd(&spec, small_map(&spec, 1), 40, 1);
        tick(&mut world, Budget::Unlimited);
        let before = world.totals().expansions;
        tick(&mut world, Budget::Rounds(0));
        assert_eq!(world.totals().expansions, before, "{spec} works without a round");
    }
}

/// However little work a tick may do, it adds up: who is alone gets home, of a crowd some, and every rule is kept.
#[test]
fn any_budget_leads_somewhere() {
    for spec in every_spec_with_goals() {
        for most in [1, 7, 33] {
            for (seed, agents) in [(1, 1), (2, 1), (3, 1), (4, 16)] {
                let rules = rules_of(&spec)[seed as usize % rules_of(&spec).len()];
                let mut world = crowd(&spec, random_grid(36, 28, rules, seed), agents, seed);
                world.start_recording();
                let mut arrived = 0;
                for _ in 0..8_000 {
                    let mut events = Vec::new();
                    let report = world.tick(Budget::Expansions(most), &mut events);
                    assert!(report.expansions <= most, "{spec}: {} of {most}", report.expansions);
                    arrived += events.iter().filter(|event| matches!(event, Event::Arrived { .. })).count();
                    if arrived > agents / 4 {
                        break;
                    }
                }
                assert!(arrived > agents / 4, "{spec}, seed {seed}, {most} a tick: {arrived} of {agents}");
                let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
                let report = check(&recording);
                assert!(report.is_clean(), "{spec}, seed {seed}: {:?}", report.violations);
            }
        }
    }
}

/// The most expansions between two looks at the clock: a few milliseconds.
const LONGEST_ROUND: u64 = 32 << 10;

/// What one round costs is what a tick may overrun its clock by.
#[test]
fn no_round_is_long() {
    for spec in every_spec() {
        let grid = random_grid(160, 20, rules_of(&spec)[0], 3);
        let world = crowd(&spec, grid, 100, 3);
        let snapshot = world.snapshot();
        let after = |budget: Budget<'_>| {
            let fresh = planner(&spec, world.grid()).unwrap();
            let mut world = World::restore(&snapshot, fresh).unwrap();
            let report = world.tick(budget, &mut Vec::new());
            (report.rounds, world.totals().expansions)
        };
        let (rounds, all) = after(Budget::Until(&mut || false));
        assert!(rounds > 0 && all > 0, "{spec} does nothing");
        // The first and the last ones will do where there are many.
        let mut before = (0, after(Budget::Rounds(0)).1);
        for round in (0..rounds).filter(|round| *round < 8 || rounds - round <= 8) {
            if before.0 != round {
                before = (round, after(Budget::Rounds(round)).1);
            }
            let spent = after(Budget::Rounds(round + 1)).1;
            let cost = spent - before.1;
            before = (round + 1, spent);
            assert!(cost <= LONGEST_ROUND, "{spec}: round {round} of {rounds} costs {cost}");
        }
    }
}

/// A clock decides how much work is done, and granting as many rounds does the same.
#[test]
fn a_run_by_the_clock_is_repeated_by_counting_rounds() {
    for spec in every_spec() {
        for seed in 20..22 {
            let start = || crowd(&spec, small_map(&spec, seed), 40, seed);
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

/// Small budgets for some ticks, with edits and orders now and then; gives what there is to compare after each.
fn scarcity(world: &mut World, ticks: u32, seed: u64) -> Vec<(u64, u64)> {
    let mut random = Pcg32::seed_from_u64(seed);
    let mut below = |n: u32| random.next_u32() % n;
    let side = world.grid().size().width();
    let mut after = Vec::new();
    for i in 0..ticks {
        let place = Pos::new(below(side) as i32, below(side) as i32);
        match below(12) {
            0 => drop(world.block(Area::disc(place, 1))),
            1 => drop(world.unblock(Area::disc(place, 3))),
            2 => drop(world.send(AgentId(below(20)), place)),
            _ => {}
        }
        let most = if i % 40 < 20 { 1 + below(12) } else { 1 + below(1_500) };
        tick(world, Budget::Expansions(u64::from(most)));
        after.push((world.state_hash(), world.totals().expansions));
    }
    after
}

/// Searches that are half done are saved with the rest, and threads do not matter to them.
#[test]
fn half_done_searches_are_saved_and_run_on_any_number_of_threads() {
    for spec in every_spec() {
        for seed in 60..63 {
            let grid = || random_grid(40, 25, rules_of(&spec)[0], seed);
            let expected = scarcity(&mut crowd(&spec, grid(), 20, seed), 160, seed);
            let mut restored = restored_crowd(&spec, grid(), 20, seed, 1 + seed % 3);
            let mut threaded = crowd(&spec, grid(), 20, seed);
            threaded.set_executor(Box::new(Threads(3)));
            for (what, world) in [("loaded", &mut restored), ("threaded", &mut threaded)] {
                let found = scarcity(world, 160, seed);
                let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
                assert_eq!(differs, None, "{spec}, seed {seed}, {what}");
            }
        }
    }
}

/// Leaves everyone where they are, and holds nothing.
struct Nobody;

impl Planner for Nobody {
    fn required_sharing(&self) -> Sharing {
        Sharing::Nothing
    }

    fn plan(&mut self, _: &View<'_>, _: &mut Work<'_>, _: &mut Moves) {}

    fn save(&self, _: &mut Vec<u8>) {}

    fn load(&mut self, _: &[u8], _: &Limits) -> Result<(), StateError> {
        Ok(())
    }
}

/// What a planner says it holds is what the allocator says, by comparison with a world whose planner holds nothing.
#[test]
fn planners_count_all_their_memory() {
    for spec in every_spec() {
        for budget in [u64::MAX, 40] {
            let grid = random_grid(120, 15, rules_of(&spec)[0], 1);
            let pairs = random_pairs(&grid, 80, 1);
            let mut said = 0;
            let mut held = |spec: Option<&str>| {
                let mut kept = None;
                let info = allocation_counter::measure(|| {
                    let made: NamedPlanner =
                        spec.map_or_else(|| Box::new(Nobody).into(), |spec| planner(spec, &grid).unwrap());
                    let mut world = World::new(grid.clone(), made, Settings::default()).unwrap();
                    populate(&mut world, &pairs);
                    for _ in 0..25 {
                        world.tick(Budget::Expansions(budget), &mut Vec::new());
                    }
                    said = world.planner().memory_bytes();
                    kept = Some(world);
                });
                drop(kept);
                info.bytes_current
            };
            let without = held(None);
            let with = held(Some(&spec));
            let truth = (with - without).max(1) as usize;
            assert!(
                said * 10 >= truth * 8 && said * 10 <= truth * 11,
                "{spec}, {budget}: says {said}, holds {truth}"
            );
        }
    }
}

/// A search over many ticks is one search: it expands what it would have in one tick, edits elsewhere do not disturb it,
/// and only an edit where it has looked makes it begin again.
#[test]
fn half_done_searches_are_not_begun_again() {
    for spec in ["lra", "bmaa", "bmaa:expansions=900", "rtaa", "astar-replan"] {
        let spent = |most: u64, edit: Option<Pos>| {
            let grid = random_grid(160, 25, rules_of(spec)[0], 4);
            let inside =
                |&(a, b): &(Pos, Pos)| a.x < 50 && a.y < 50 && b.x < 50 && b.y < 50 && a.x + 15 < b.x;
            let pair = random_pairs(&grid, 2_000, 4).into_iter().find(inside).unwrap();
            let mut world = empty(spec, grid);
            populate(&mut world, &[pair]);
            for i in 0..1_500 {
                // There and gone again.
                match edit {
                    Some(place) if i % 2 == 0 => drop(world.block(place)),
                    Some(place) => drop(world.unblock(place)),
                    None => {}
                }
                world.tick(Budget::Expansions(most), &mut Vec::new());
                if world.has_arrived(AgentId(0)) {
                    return Some(world.totals().expansions);
                }
            }
            None
        };
        let whole = spent(u64::MAX, None);
        assert!(whole.is_some_and(|whole| whole > 20), "{spec}: {whole:?}");
        assert_eq!(spent(7, None), whole, "{spec} in pieces");
        if spec != "astar-replan" {
            assert_eq!(spent(7, Some(Pos::new(155, 155))), whole, "{spec}, with edits far away");
            assert_ne!(spent(7, Some(Pos::new(2, 2))), whole, "{spec}, with edits where it looks");
        }
    }
}
