//! Every planner on generated maps with random inputs and budgets, verified by the independent checker.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_crowd::{Recording, World, check};
use throng_grid::generate::{GENERATORS, generate};
use throng_grid::{Grid, Pos, Size};

use crate::support::{ALL_RULES, crowd, disturb, every_spec, random_terrain, some_budget};

/// Returns the number of agent-steps to check per planner; `THRONG_PLANNER_STEPS` overrides the default.
fn required_steps() -> u64 {
    std::env::var("THRONG_PLANNER_STEPS").ok().and_then(|text| text.parse().ok()).unwrap_or(50_000)
}

/// Returns a crowd; the seed determines the generator, the size and the movement rules.
fn world(spec: &str, seed: u64) -> (World, Pcg32) {
    let mut random = Pcg32::seed_from_u64(seed);
    let rules = ALL_RULES[random.next_u32() as usize % ALL_RULES.len()];
    let kind = random.next_u32() as usize % (GENERATORS.len() + 1);
    let side = 12 + random.next_u32() % 40;
    let grid = match GENERATORS.get(kind) {
        Some(generator) => {
            let side = side.max(generator.min_side);
            let tiles = generate(generator.name, Size::new(side, side).unwrap(), seed);
            Grid::new(tiles.unwrap(), rules)
        }
        None => random_terrain(side, 10 + random.next_u32() % 25, rules, seed),
    };
    let room = grid.ground().free_cells().count() as u32;
    (crowd(spec, grid, (5 + random.next_u32() % 100).min(room / 4) as usize, seed), random)
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

/// Runs 200 ticks with random inputs. Returns the number of agent-steps that the checker verified, and how many were
/// moves.
fn run(spec: &str, seed: u64) -> (u64, u64) {
    let (mut world, mut random) = world(spec, seed);
    world.start_recording();
    for _ in 0..200 {
        for _ in 0..random.next_u32() % 3 {
            disturb(&mut world, &mut random);
        }
        assign_new_goals(&mut world, &mut random);
        world.tick(some_budget(&mut random), &mut Vec::new());
    }
    let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
    let report = check(&recording);
    assert!(
        report.is_clean(),
        "{spec}, seed {seed}: {:?}",
        &report.violations[..report.violations.len().min(3)]
    );
    assert_eq!(world.totals().overruled, 0, "{spec}, seed {seed}");
    (report.agent_steps, report.steps)
}

#[test]
fn no_planner_breaks_a_rule_on_generated_maps() {
    for spec in every_spec() {
        let (mut steps, mut moved, mut seed) = (0, 0, 0);
        while steps < required_steps() {
            seed += 1;
            let (more_steps, more_moves) = run(&spec, seed);
            (steps, moved) = (steps + more_steps, moved + more_moves);
        }
        eprintln!("{spec}: {steps} agent-steps, {moved} moves, seeds 1 to {seed}");
        assert!(moved > steps / 20, "{spec}: only {moved} of {steps} agent-steps were moves");
    }
}
