//! Speeds and the time of steps: who supports what, that crowds arrive, and that no two sprites come too close.

use throng_crowd::{
    AgentId, AgentSpec, Budget, Event, Recording, Settings, SetupError, Speed, StepTime, World, check,
};
use throng_grid::builtin::builtin;
use throng_grid::{Grid, MoveRules, Pos, Profile, ProfileId};
use throng_planners::planner;

use crate::support::{ALL_RULES, every_spec_with_goals, random_grid, random_pairs, tick};

/// The planners that support both times of steps.
const BOTH: [&str; 6] = ["surge", "pibt", "lra", "bmaa-c", "far", "auto"];
/// The least distance of two sprites that may be drawn, in cells.
const MIN_DISTANCE: f32 = 0.44;

fn world(spec: &str, grid: Grid, step_time: StepTime) -> World {
    let planner = planner(spec, &grid).unwrap();
    World::new(grid, planner, Settings::default().seed(3).step_time(step_time)).unwrap()
}

/// Spawns agents with speeds of 1 to `slowest` ticks per step and, from 5 on, fractions, and sends them.
fn spawn(world: &mut World, pairs: &[(Pos, Pos)], slowest: usize, profile: ProfileId) -> Vec<AgentId> {
    let speeds = [(1, 1), (1, 2), (1, 3), (1, 4), (2, 3), (3, 4)].map(|(s, t)| Speed::new(s, t).unwrap());
    let spec = |i: usize, start: Pos| {
        AgentSpec::at(start.x, start.y).profile(profile).at_speed(speeds[i % slowest]).user(profile.0.into())
    };
    let mut agents = Vec::new();
    for (i, &(start, goal)) in pairs.iter().enumerate() {
        let agent = world.spawn(spec(i, start)).unwrap();
        world.send(agent, goal).unwrap();
        agents.push(agent);
    }
    agents
}

#[test]
fn planners_that_assume_uniform_steps_refuse_others_by_name() {
    let grid = random_grid(8, 0, MoveRules::default(), 1);
    for spec in every_spec_with_goals() {
        let planner = planner(&spec, &grid).unwrap();
        let (name, made) = (planner.name.clone(), planner.planner.step_time());
        let settings = Settings::default().step_time(StepTime::Cost);
        match World::new(grid.clone(), planner, settings) {
            Ok(_) => assert_eq!(made, StepTime::Cost, "{spec}"),
            Err(error) => {
                let step_time = StepTime::Cost;
                assert_eq!(error, SetupError::StepTime { planner: name, step_time }, "{spec}");
                assert!(["whca", "hca", "ca"].iter().any(|name| spec.starts_with(name)), "{spec}: {error}");
            }
        }
    }
    for spec in BOTH {
        assert_eq!(planner(spec, &grid).unwrap().planner.step_time(), StepTime::Cost, "{spec}");
    }
}

/// Returns the smallest distance of two agents during the last tick, in 16 samples.
fn min_distance(world: &World) -> f32 {
    let motions: Vec<_> = world.agents().iter().map(|&agent| world.motion(agent).unwrap()).collect();
    let mut least = f32::MAX;
    for (i, one) in motions.iter().enumerate() {
        for other in &motions[..i] {
            let (a, b) = (one.to, other.to);
            if (a.x - b.x).abs().max((a.y - b.y).abs()) > 3 {
                continue;
            }
            for sample in 0..=16 {
                let time = sample as f32 / 16.0;
                let (a, b) = (one.at(time), other.at(time));
                least = least.min(((a.0 - b.0).powi(2) + (a.1 - b.1).powi(2)).sqrt());
            }
        }
    }
    least
}

#[test]
fn no_two_sprites_come_too_close() {
    let mut least = f32::MAX;
    for spec in BOTH.into_iter().chain(["whca"]) {
        for seed in 0..6 {
            let step_time = if seed % 2 == 0 || spec == "whca" { StepTime::Uniform } else { StepTime::Cost };
            let grid = random_grid(14, seed as u32 * 4, ALL_RULES[seed as usize % ALL_RULES.len()], seed);
            let pairs = random_pairs(&grid, 60, seed);
            let mut world = world(spec, grid, step_time);
            spawn(&mut world, &pairs, 6, ProfileId(0));
            world.start_recording();
            for _ in 0..80 {
                tick(&mut world, Budget::Unlimited);
                least = least.min(min_distance(&world));
                assert!(least >= MIN_DISTANCE, "{spec}, seed {seed}, tick {}: {least}", world.ticks());
            }
            let report = check(&Recording::read(&world.finish_recording().unwrap()).unwrap());
            assert!(report.is_clean(), "{spec}, seed {seed}: {:?}", report.violations);
            assert_eq!(world.totals().overruled, 0, "{spec}, seed {seed}");
        }
    }
    assert!(least < 0.5, "the test needs agents that come close: {least}");
}

/// Returns the number of agents that arrive within a number of ticks, of how many.
fn completion(spec: &str, map: &str, step_time: StepTime, slowest: usize, ticks: u64) -> (usize, usize) {
    let mut grid = Grid::new(builtin(map).unwrap(), MoveRules::default());
    let profile = grid.add_profile(Profile::from_halves([2, 3, 6, 8, 8, 0, 0]).unwrap());
    let pairs = random_pairs(&grid, 60, 5);
    let mut world = world(spec, grid, step_time);
    let agents = spawn(&mut world, &pairs, slowest, profile);
    let arrived = |world: &World| agents.iter().filter(|&&agent| world.has_arrived(agent).unwrap()).count();
    while world.ticks() < ticks && arrived(&world) < agents.len() {
        tick(&mut world, Budget::Unlimited);
    }
    (arrived(&world), agents.len())
}

#[test]
fn crowds_arrive_with_any_speed_and_time_of_steps() {
    for map in ["rooms", "town", "valley"] {
        for spec in BOTH {
            let (uniform, count) = completion(spec, map, StepTime::Uniform, 1, 600);
            for (step_time, slowest, ticks) in
                [(StepTime::Uniform, 4, 2_400), (StepTime::Cost, 1, 1_800), (StepTime::Cost, 6, 4_000)]
            {
                let (arrived, _) = completion(spec, map, step_time, slowest, ticks);
                let what = format!("{spec} on {map}, {step_time}, {slowest} speeds");
                eprintln!("{what}: {arrived} of {count}, uniform {uniform}");
                // Agents that plan by themselves are not complete, and a slow one in a doorway blocks it for longer.
                let (least, whole) = if matches!(spec, "lra" | "bmaa-c") { (4, 5) } else { (1, 1) };
                assert!(
                    arrived * whole >= uniform * least,
                    "{what}: {arrived} of {count}, uniform {uniform}"
                );
            }
        }
    }
}

/// Units of mixed speeds in an open hall arrive and then stay, except to let others pass.
#[test]
fn reservations_of_slow_agents_do_not_disturb_those_that_arrived() {
    for spec in ["whca", "hca", "ca"] {
        let grid = random_grid(24, 10, MoveRules::default(), 2);
        let pairs = random_pairs(&grid, 60, 2);
        let mut world = world(spec, grid, StepTime::Uniform);
        let agents = spawn(&mut world, &pairs, 3, ProfileId(0));
        let mut arrivals = vec![0; agents.len()];
        world.start_recording();
        for _ in 0..400 {
            for event in tick(&mut world, Budget::Unlimited) {
                if let Event::Arrived { agent } = event {
                    arrivals[agent.index()] += 1;
                }
            }
        }
        let report = check(&Recording::read(&world.finish_recording().unwrap()).unwrap());
        assert!(report.is_clean(), "{spec}: {:?}", report.violations);
        assert_eq!(world.totals().overruled, 0, "{spec}");
        let most = arrivals.iter().max();
        eprintln!("{spec}: at most {most:?} arrivals, {} in all", arrivals.iter().sum::<u32>());
        assert!(most <= Some(&8), "{spec}: {arrivals:?}");
        let arrived = agents.iter().filter(|&&agent| world.has_arrived(agent).unwrap()).count();
        assert!(arrived * 10 >= agents.len() * 9, "{spec}: {arrived} of {}", agents.len());
    }
}
