//! Random games under every planner: everything that a game can do to a world, in any order, on generated maps, with
//! rollbacks, verified by the independent checker.

use std::collections::BTreeSet;

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_crowd::{
    AgentSpec, Crossings, Event, Fog, MapKnowledge, Recording, Settings, StepTime, World, check,
};
use throng_grid::generate::{GENERATORS, generate};
use throng_grid::{Grid, Pos, Profile, ProfileId, Size};
use throng_planners::{planner, restore};

use crate::golden::with_terrain;
use crate::support::{ALL_RULES, disturb, every_spec, random_pairs, random_terrain, some_budget, some_speed};

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
    let mut settings = settings(&mut random).step_time(step_time);
    let fog = Fog::radius(1 + (random.next_u32() % 4) as u16);
    match (planner.planner.required_map(), random.next_u32() % 4) {
        (MapKnowledge::Own, 0) => settings = settings.fog(fog),
        (MapKnowledge::Own | MapKnowledge::Shared, 1) => settings = settings.fog(fog.shared()),
        _ => {}
    }
    let mut world = World::new(grid, planner, settings).unwrap();
    for (at, to) in pairs {
        let profile = ProfileId((random.next_u32() as usize % world.grid().grounds().len()) as u8);
        let speed = some_speed(&mut random);
        // The terrain there may be closed to the profile.
        if let Ok(agent) = world.spawn(AgentSpec::at(at.x, at.y).profile(profile).at_speed(speed)) {
            world.send(agent, to).unwrap();
        }
    }
    (world, random)
}

/// Returns a map with two or three profiles of different passage classes. Two of three maps have terrain of all kinds.
fn map(random: &mut Pcg32, seed: u64) -> Grid {
    let rules = ALL_RULES[random.next_u32() as usize % ALL_RULES.len()];
    let kind = random.next_u32() as usize % (GENERATORS.len() + 1);
    let side = 12 + random.next_u32() % 40;
    let mut grid = match GENERATORS.get(kind) {
        None => random_terrain(side, 10 + random.next_u32() % 25, rules, seed),
        Some(generator) => {
            let side = side.max(generator.min_side);
            let tiles = generate(generator.name, Size::new(side, side).unwrap(), seed).unwrap();
            let tiles = if random.next_u32().is_multiple_of(3) { tiles } else { with_terrain(tiles, seed) };
            let mut grid = Grid::with_profile(tiles, rules, Profile::WC3);
            grid.add_profile(Profile::WALKER.with_class(1).unwrap());
            grid
        }
    };
    if random.next_u32().is_multiple_of(2) {
        let amphibian = Profile::from_halves([3, 4, 16, 2, 5, 0, 0]).unwrap();
        grid.add_profile(amphibian.with_class(2).unwrap());
    }
    grid
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

/// The kinds of events that must occur in a run of the suite: all but `Overruled`, which is a bug of a planner.
const KINDS: [&str; 16] = [
    "Arrived",
    "Discovered",
    "Displaced",
    "FollowEnded",
    "GroupArrived",
    "LeftGoal",
    "Moved",
    "Notice",
    "Pushed",
    "SettledShort",
    "Stuck",
    "Unreachable",
    "Waited",
    "Waypoint",
    "WaypointSkipped",
    "Overruled",
];

/// Returns the name of an event.
fn kind(event: &Event) -> &'static str {
    let text = format!("{event:?}");
    let name = text.split_once([' ', '(']).map_or(text.as_str(), |(name, _)| name);
    KINDS.into_iter().find(|kind| *kind == name).unwrap_or_else(|| panic!("{name} is missing in the list"))
}

/// Plays a game with rollbacks. Adds the kinds of events that occurred. Returns the number of agent-steps that the checker
/// verified, and how many were moves, or the first faults.
fn run(spec: &str, seed: u64, kinds: &mut BTreeSet<&'static str>) -> Result<(u64, u64), String> {
    let (mut world, mut random) = world(spec, seed);
    let mut overruled = Vec::new();
    world.start_recording();
    for stretch in 0..STRETCHES {
        let (before, mut same_inputs) = (world.clone(), random.clone());
        let played = play(&mut world, &mut random);
        kinds.extend(played.0.iter().map(kind));
        let is_overruled = |event: &Event| matches!(event, Event::Overruled { .. });
        overruled.extend(played.0.iter().copied().filter(is_overruled).map(|event| (stretch, event)));
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
        if played != replayed {
            return Err(format!("stretch {stretch} differs after a rollback"));
        }
    }
    let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
    let report = check(&recording);
    if !report.is_clean() {
        return Err(format!("{:?}", &report.violations[..report.violations.len().min(3)]));
    }
    assert_eq!(report.ticks, (STRETCHES * STRETCH) as u64, "{spec}, seed {seed}");
    match overruled.first() {
        Some((stretch, event)) => Err(format!("stretch {stretch}: {event:?}")),
        None => Ok((report.agent_steps, report.steps)),
    }
}

#[test]
fn random_games_break_no_rule_under_any_planner() {
    let specs = every_spec();
    let games = games_per_spec(specs.len());
    let (mut all_steps, mut all_moves) = (0, 0);
    let (mut kinds, mut faults) = (BTreeSet::new(), Vec::new());
    for (number, spec) in (0..).zip(&specs) {
        let (mut steps, mut moved) = (0, 0);
        for game in 0..games {
            let seed = number * 1_000_000 + game;
            match run(spec, seed, &mut kinds) {
                Ok((more_steps, more_moves)) => (steps, moved) = (steps + more_steps, moved + more_moves),
                Err(fault) => {
                    faults.push(format!("{spec}, seed {seed}: {fault}"));
                    eprintln!("{}", faults[faults.len() - 1]);
                }
            }
        }
        assert!(moved > steps / 25, "{spec}: only {moved} of {steps} agent-steps were moves");
        (all_steps, all_moves) = (all_steps + steps, all_moves + moved);
    }
    assert!(faults.is_empty(), "{} games failed:\n{}", faults.len(), faults.join("\n"));
    let missing: Vec<&str> = KINDS.into_iter().filter(|kind| !kinds.contains(kind)).collect();
    assert_eq!(missing, ["Overruled"], "kinds of events that did not occur");
    let count = games * specs.len() as u64;
    eprintln!("{count} games, {all_steps} agent-steps, {all_moves} moves");
}
