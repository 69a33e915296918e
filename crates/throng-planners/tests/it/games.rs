//! Random games under every planner: everything that a game can do to a world, in any order, on generated maps, with
//! rollbacks, verified by the independent checker.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_crowd::{Crossings, Event, Recording, Settings, StepTime, World, check};
use throng_grid::generate::{GENERATORS, generate};
use throng_grid::{Grid, Pos, Size};
use throng_planners::{planner, restore};

use crate::support::{ALL_RULES, disturb, every_spec, populate, random_pairs, random_terrain, some_budget};

/// The number of ticks that are played between two chances of a rollback.
const STRETCH: usize = 20;
/// The number of stretches in a game.
const STRETCHES: usize = 10;

/// Returns the number of games per specification of a planner. `THRONG_GAMES` sets the number of all games.
fn games_per_spec(specs: usize) -> u64 {
    let games: Option<u64> = std::env::var("THRONG_GAMES").ok().and_then(|text| text.parse().ok());
    games.map_or(4, |games| games.div_ceil(specs as u64))
}

/// Returns a crowd; the seed determines map, movement rules and settings.
fn world(spec: &str, seed: u64) -> (World, Pcg32) {
    let mut random = Pcg32::seed_from_u64(seed);
    let grid = map(&mut random, seed);
    let room = grid.ground().free_cells().count() as u32;
    let agents = (5 + random.next_u32() % 100).min(room / 4) as usize;
    let pairs = random_pairs(&grid, agents, seed);
    let planner = planner(spec, &grid).unwrap();
    let step_time = StepTime::ALL[random.next_u32() as usize % 2].min(planner.planner.step_time());
    let settings = settings(&mut random).step_time(step_time);
    let mut world = World::new(grid, planner, settings).unwrap();
    populate(&mut world, &pairs);
    (world, random)
}

fn map(random: &mut Pcg32, seed: u64) -> Grid {
    let rules = ALL_RULES[random.next_u32() as usize % ALL_RULES.len()];
    let kind = random.next_u32() as usize % (GENERATORS.len() + 1);
    let side = 12 + random.next_u32() % 40;
    let Some(generator) = GENERATORS.get(kind) else {
        return random_terrain(side, 10 + random.next_u32() % 25, rules, seed);
    };
    let side = side.max(generator.min_side);
    Grid::new(generate(generator.name, Size::new(side, side).unwrap(), seed).unwrap(), rules)
}

fn settings(random: &mut Pcg32) -> Settings {
    let settings = Settings::default().seed(7).stuck_after([0, 5, 50][random.next_u32() as usize % 3]);
    settings.crossings(Crossings::ALL[random.next_u32() as usize % 2])
}

/// Gives most arrived agents a new goal.
fn assign_new_goals(world: &mut World, random: &mut Pcg32) {
    let size = world.grid().size();
    for &agent in &world.agents().to_vec() {
        let mut below = |n: u32| random.next_u32() % n;
        if world.has_arrived(agent).unwrap() && below(8) > 0 {
            let place = Pos::new(below(size.width()) as i32, below(size.height()) as i32);
            world.send(agent, place).unwrap();
        }
    }
}

/// Plays some ticks. The inputs follow from the world and the random number generator. Returns the events, and the state
/// hash after each tick.
fn play(world: &mut World, random: &mut Pcg32) -> (Vec<Event>, Vec<u64>) {
    let (mut events, mut hashes) = (Vec::new(), Vec::new());
    for _ in 0..STRETCH {
        for _ in 0..random.next_u32() % 3 {
            disturb(world, random);
        }
        assign_new_goals(world, random);
        world.tick(some_budget(random), &mut events);
        hashes.push(world.state_hash());
    }
    (events, hashes)
}

/// Plays a game with rollbacks. Returns the number of agent-steps that the checker verified, and how many were moves.
fn run(spec: &str, seed: u64) -> (u64, u64) {
    let (mut world, mut random) = world(spec, seed);
    world.start_recording();
    for stretch in 0..STRETCHES {
        let (before, mut same_inputs) = (world.clone(), random.clone());
        let played = play(&mut world, &mut random);
        let mut again = match random.next_u32() % 8 {
            // Once more from the copy, or from a snapshot, with the same inputs.
            0 => before,
            1 => restore(&before.snapshot()).unwrap(),
            // Once more from the copy with other inputs, which the recording has instead.
            2 => {
                world.clone_from(&before);
                play(&mut world, &mut random);
                continue;
            }
            _ => continue,
        };
        let replayed = play(&mut again, &mut same_inputs);
        assert!(played == replayed, "{spec}, seed {seed}: stretch {stretch} differs after a rollback");
    }
    let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
    let report = check(&recording);
    let first = &report.violations[..report.violations.len().min(3)];
    assert!(report.is_clean(), "{spec}, seed {seed}: {first:?}");
    assert_eq!(report.ticks, (STRETCHES * STRETCH) as u64, "{spec}, seed {seed}");
    assert_eq!(world.totals().overruled, 0, "{spec}, seed {seed}");
    (report.agent_steps, report.steps)
}

#[test]
fn random_games_break_no_rule_under_any_planner() {
    let specs = every_spec();
    let games = games_per_spec(specs.len());
    let (mut all_steps, mut all_moves) = (0, 0);
    for (number, spec) in (0..).zip(&specs) {
        let (mut steps, mut moved) = (0, 0);
        for game in 0..games {
            let (more_steps, more_moves) = run(spec, number * 1_000_000 + game);
            (steps, moved) = (steps + more_steps, moved + more_moves);
        }
        assert!(moved > steps / 25, "{spec}: only {moved} of {steps} agent-steps were moves");
        (all_steps, all_moves) = (all_steps + steps, all_moves + moved);
    }
    let count = games * specs.len() as u64;
    eprintln!("{count} games, {all_steps} agent-steps, {all_moves} moves");
}
