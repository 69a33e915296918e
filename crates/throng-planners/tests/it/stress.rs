//! Every planner on generated maps, with everything happening at once, through the independent checker.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_crowd::{Recording, World, check};
use throng_grid::generate::{GENERATORS, generate};
use throng_grid::{Grid, Pos, Size};

use crate::support::{crowd, disturb, every_spec, info, random_terrain, rules_of, some_budget};

/// Agent-steps to check for each planner; `THRONG_PLANNER_STEPS` asks for more.
fn wanted() -> u64 {
    std::env::var("THRONG_PLANNER_STEPS").ok().and_then(|text| text.parse().ok()).unwrap_or(50_000)
}

/// A crowd on a map of another kind and under other rules for each seed.
fn world(spec: &str, seed: u64) -> (World, Pcg32) {
    let mut random = Pcg32::seed_from_u64(seed);
    let rules = rules_of(spec);
    let rules = rules[random.next_u32() as usize % rules.len()];
    let kind = random.next_u32() as usize % (GENERATORS.len() + 1);
    let side = 12 + random.next_u32() % 40;
    let grid = match GENERATORS.get(kind) {
        Some(generator) => {
            let side = side.max(generator.min_side);
            let tiles = generate(generator.name, Size::new(side, side).unwrap(), seed);
            Grid::new(tiles.unwrap(), rules)
        }
        None if info(spec).weighted_terrain => random_terrain(side, 10 + random.next_u32() % 25, rules, seed),
        None => crate::support::random_grid(side, 10 + random.next_u32() % 25, rules, seed),
    };
    let room = grid.ground().free_cells().count() as u32;
    (crowd(spec, grid, (5 + random.next_u32() % 100).min(room / 4) as usize, seed), random)
}

/// Those who have arrived are sent elsewhere, most of the time.
fn send_on(world: &mut World, random: &mut Pcg32) {
    let size = world.grid().size();
    for &agent in &world.agents().to_vec() {
        let mut below = |n: u32| random.next_u32() % n;
        if world.has_arrived(agent) && below(8) > 0 {
            let place = Pos::new(below(size.width()) as i32, below(size.height()) as i32);
            world.send(agent, place).unwrap();
        }
    }
}

/// One run, with everything a game may do; gives the agent-steps that the checker saw, and how many went somewhere.
fn run(spec: &str, seed: u64) -> (u64, u64) {
    let (mut world, mut random) = world(spec, seed);
    world.start_recording();
    for _ in 0..200 {
        for _ in 0..random.next_u32() % 3 {
            disturb(&mut world, &mut random);
        }
        send_on(&mut world, &mut random);
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
        while steps < wanted() {
            seed += 1;
            let (more, gone) = run(&spec, seed);
            (steps, moved) = (steps + more, moved + gone);
        }
        eprintln!("{spec}: {steps} agent-steps, {moved} moves, seeds 1 to {seed}");
        assert!(moved > steps / 20, "{spec}: only {moved} of {steps} agent-steps moved anybody");
    }
}
