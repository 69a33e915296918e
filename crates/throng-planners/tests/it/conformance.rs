//! Requirements that every planner meets, tested for every name in the registry. A new planner is covered as soon as it
//! is registered.

use std::path::Path;

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_crowd::{
    AgentId, AgentSpec, Budget, Event, NamedPlanner, Recording, Settings, SetupError, Sharing, World, check,
};
use throng_grid::{Grid, MoveRules, Tiles, scene};
use throng_planners::{ALIASES, PLANNERS, planner, planner_info, restore};
use throng_search::spec::SpecError;

use crate::support::{
    ALL_RULES, Threads, WithState, builtin_crowd, crowd, disturb, empty, every_name, every_spec,
    every_spec_with_goals, given, hashes, info, picture, populate, random_grid, random_pairs, restored_crowd,
    small_map, some_budget, tick, until_arrived, world_from_picture, world_from_scene,
};

/// Runs ticks with random inputs and budgets. Returns the state hash, the expansions and the events of each tick.
pub(crate) fn run_disturbed(world: &mut World, ticks: usize, seed: u64) -> Vec<(u64, u64, Vec<Event>)> {
    let mut random = Pcg32::seed_from_u64(seed);
    let mut after = Vec::new();
    for _ in 0..ticks {
        for _ in 0..random.next_u32() % 3 {
            disturb(world, &mut random);
        }
        let events = tick(world, some_budget(&mut random));
        after.push((world.state_hash(), world.totals().expansions, events));
    }
    after
}

#[test]
fn no_rule_is_broken_in_any_scene() {
    for spec in every_spec() {
        for (name, picture) in scene::all() {
            for rules in ALL_RULES {
                let mut world = crate::support::world_with_rules(&spec, picture, rules);
                world.start_recording();
                hashes(&mut world, 120);
                let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
                let report = check(&recording);
                assert!(report.is_clean(), "{spec} in {name}, {rules:?}: {:?}", report.violations);
            }
        }
    }
}

/// Inputs: edits, new goals, teleports, despawns, foreign units, slow agents, uncontrolled agents, any budget.
#[test]
fn no_rule_is_broken_under_random_inputs() {
    for spec in every_spec() {
        for seed in 0..8 {
            let mut world = crowd(&spec, small_map(seed), 40, seed);
            world.start_recording();
            run_disturbed(&mut world, 250, seed);
            let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
            let report = check(&recording);
            assert!(report.is_clean(), "{spec}, seed {seed}: {:?}", report.violations);
            assert!(report.steps > 200, "{spec}, seed {seed}: only {} steps", report.steps);
        }
    }
}

#[test]
fn agents_with_one_shared_goal_arrive_around_it() {
    for spec in every_spec_with_goals() {
        for seed in 0..2 {
            let mut world = crowd(&spec, random_grid(24, 10, ALL_RULES[0], seed), 30, seed);
            let place = world.goal(AgentId::from_bits(0)).unwrap().unwrap();
            world.start_recording();
            for &agent in &world.agents().to_vec() {
                world.send(agent, place).unwrap();
            }
            let mut arrived = 0;
            for _ in 0..150 {
                let events = tick(&mut world, Budget::Unlimited);
                arrived += events.iter().filter(|event| matches!(event, Event::Arrived { .. })).count();
            }
            let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
            let report = check(&recording);
            assert!(report.is_clean(), "{spec}, seed {seed}: {:?}", report.violations);
            assert!(arrived > 5, "{spec}, seed {seed}: {arrived}");
        }
    }
}

#[test]
fn equal_inputs_give_equal_runs_on_any_number_of_threads() {
    for spec in every_spec() {
        for seed in 10..12 {
            let run = |threads: Option<usize>| {
                let mut world = crowd(&spec, small_map(seed), 50, seed);
                if let Some(threads) = threads {
                    world.set_executor(Box::new(Threads(threads)));
                }
                run_disturbed(&mut world, 100, seed)
            };
            let expected = run(None);
            for threads in [1, 2, 3, 8] {
                assert!(run(Some(threads)) == expected, "{spec}, seed {seed}, {threads} threads");
            }
        }
    }
}

#[test]
fn a_saved_and_loaded_planner_continues_identically() {
    for spec in every_spec() {
        for seed in 30..34 {
            let expected = run_disturbed(&mut crowd(&spec, small_map(seed), 40, seed), 120, seed);
            let mut world = restored_crowd(&spec, small_map(seed), 40, seed, 1 + seed % 3);
            let found = run_disturbed(&mut world, 120, seed);
            let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
            assert_eq!(differs, None, "{spec}, seed {seed}: differs after loading");
        }
    }
}

/// Altered bytes are rejected, or the planner continues with them without panicking or stalling.
#[test]
fn altered_bytes_do_no_harm() {
    let (mut rejected, mut accepted) = (0, 0);
    for spec in every_spec() {
        let mut world = crowd(&spec, small_map(50), 30, 50);
        run_disturbed(&mut world, 40, 50);
        let (mut bytes, mut random) = (Vec::new(), Pcg32::seed_from_u64(50));
        world.planner().save(&mut bytes);
        let snapshot = world.snapshot();
        for _ in 0..300 {
            let mut altered = bytes.clone();
            for _ in 0..=random.next_u32() % 3 {
                let place = random.next_u32() as usize % altered.len();
                altered[place] = random.next_u32() as u8;
            }
            let planner = planner(&spec, world.grid()).unwrap();
            let planner = NamedPlanner::new(
                planner.name,
                Box::new(WithState { inner: planner.planner, bytes: altered }),
            );
            let Ok(mut restored) = World::restore(&snapshot, given(planner)) else {
                rejected += 1;
                continue;
            };
            accepted += 1;
            for budget in [5_000, 50, 5_000, 500, 5_000, 5_000] {
                restored.tick(Budget::expansions(budget), &mut Vec::new());
            }
        }
    }
    assert!(rejected > 100 && accepted > 100, "{rejected} rejected, {accepted} accepted");
}

#[test]
fn a_world_restored_from_a_snapshot_continues_identically() {
    for spec in every_spec() {
        for seed in 40..43 {
            let mut random = Pcg32::seed_from_u64(seed);
            let mut world = crowd(&spec, small_map(seed), 40, seed);
            for part in 0..4 {
                run_disturbed(&mut world, 1 + random.next_u32() as usize % 30, seed + part);
                let mut again = restore(&world.snapshot()).unwrap();
                assert_eq!(again.snapshot(), world.snapshot(), "{spec}, seed {seed}");
                let (expected, found) =
                    (run_disturbed(&mut world, 40, part), run_disturbed(&mut again, 40, part));
                let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
                assert_eq!(differs, None, "{spec}, seed {seed}, part {part}");
            }
        }
    }
}

/// Plans a few steps ahead with a heuristic that ignores walls, and does not learn: a dead end deeper than its window
/// traps it.
const SHORT_SIGHTED: &str = "whca:heuristic=empty";

#[test]
fn a_single_agent_always_arrives() {
    assert_eq!(
        until_arrived(&mut world_from_scene(SHORT_SIGHTED, "dead_end"), 1_000),
        None,
        "the exception is no longer needed"
    );
    for spec in every_spec_with_goals().into_iter().filter(|spec| spec != SHORT_SIGHTED) {
        for seed in 0..24 {
            let grid = small_map(seed);
            let pairs = random_pairs(&grid, 1, seed);
            let mut world = empty(&spec, grid);
            populate(&mut world, &pairs);
            let ticks = until_arrived(&mut world, 2_000);
            assert!(ticks.is_some(), "{spec}, seed {seed}, {pairs:?}:\n{}", picture(&world));
        }
        for (name, picture) in scene::all() {
            let letters = picture.chars().filter(char::is_ascii_lowercase);
            for letter in letters.filter(|letter| picture.contains(letter.to_ascii_uppercase())) {
                let keep = |c: char| {
                    if c.is_ascii_alphabetic() && !c.eq_ignore_ascii_case(&letter) { '.' } else { c }
                };
                let alone: String = picture.chars().map(keep).collect();
                let ticks = until_arrived(&mut world_from_picture(&spec, &alone), 2_000);
                assert!(ticks.is_some(), "{spec}, {letter} alone in {name}");
            }
        }
    }
}

#[test]
fn planners_that_need_more_sharing_than_granted_are_rejected() {
    let levels = [Sharing::Nothing, Sharing::MoveRequests, Sharing::Reservations, Sharing::Everything];
    let grid = Grid::new(Tiles::picture("..."), MoveRules::default());
    for spec in every_spec() {
        let needs = planner(&spec, &grid).unwrap().planner.required_sharing();
        assert!(needs <= info(&spec).needs, "{spec} needs more sharing than its registry entry states");
        for grants in levels {
            let settings = Settings::default().sharing(grants);
            let made = World::new(grid.clone(), planner(&spec, &grid).unwrap(), settings);
            let expected =
                (needs > grants).then_some(SetupError::Sharing { required: needs, granted: grants });
            assert_eq!(made.err(), expected, "{spec}");
        }
    }
}

/// New goals of agents out of sight change no move of an agent in the same tick. Tested for every planner whose agents
/// share nothing.
#[test]
fn agents_out_of_sight_have_no_influence() {
    let grid = Grid::new(Tiles::picture("..."), MoveRules::default());
    let shares = |spec: &str| planner(spec, &grid).unwrap().planner.required_sharing();
    let specs: Vec<String> =
        every_spec().into_iter().filter(|spec| shares(spec) == Sharing::Nothing).collect();
    assert!(["rtaa", "bmaa", "bmaa-f", "lra"].iter().all(|name| specs.iter().any(|spec| spec == name)));
    for spec in &specs {
        for ticks in [0, 1, 5, 40] {
            let (mut world, mut other) =
                (builtin_crowd(spec, "arena", 60, 9), builtin_crowd(spec, "arena", 60, 9));
            assert_eq!(hashes(&mut world, ticks), hashes(&mut other, ticks));
            let near = |world: &World, a: AgentId, b: AgentId| {
                let (a, b) = (world.position(a).unwrap(), world.position(b).unwrap());
                (a.x - b.x).abs().max((a.y - b.y).abs()) <= 2
            };
            // The agents that agent 0 sees, directly or through a chain of agents that see each other.
            let mut seen = vec![AgentId::from_bits(0)];
            let mut i = 0;
            while i < seen.len() {
                let fresh: Vec<_> =
                    world.agents().iter().copied().filter(|&b| near(&world, seen[i], b)).collect();
                seen.extend(fresh.into_iter().filter(|b| !seen.contains(b)).collect::<Vec<_>>());
                i += 1;
            }
            let unseen: Vec<_> =
                world.agents().iter().copied().filter(|agent| !seen.contains(agent)).collect();
            assert!(unseen.len() > 30);
            for &agent in &unseen {
                let goal = other.position(AgentId::from_bits(59 - u64::from(agent))).unwrap();
                other.send(agent, goal).unwrap();
            }
            tick(&mut world, Budget::Unlimited);
            tick(&mut other, Budget::Unlimited);
            for &agent in &seen {
                assert_eq!(world.position(agent), other.position(agent), "{spec} after {ticks} ticks");
            }
        }
    }
}

/// The row of a removed agent is used again. The new agents move as in a world that never had others, unless the planner
/// learns a direction map from the moves of all agents. What agents share stays, so `surge` gets enough work to build all
/// fields at once, and no plans, which agents make in turns.
#[test]
fn an_agent_in_the_row_of_another_inherits_nothing() {
    for mut spec in every_spec() {
        if spec.starts_with("surge") {
            spec += if spec.contains(':') { "," } else { ":" };
            spec += "work=1000000000,window=0";
        }
        let learns = ["dm", "flow=", "directions=on", "auto"].iter().any(|part| spec.contains(part))
            && !spec.contains("dm-greedy");
        for seed in 0..3 {
            let (mut old, mut new) = (crowd(&spec, small_map(seed), 30, seed), empty(&spec, small_map(seed)));
            // A scarce budget leaves searches unfinished.
            for _ in 0..25 {
                tick(&mut old, Budget::expansions(300));
                tick(&mut new, Budget::expansions(300));
            }
            for agent in old.agents().to_vec() {
                old.despawn(agent).unwrap();
            }
            for world in [&mut old, &mut new] {
                for (start, goal) in random_pairs(world.grid(), 30, seed + 100) {
                    let agent = world.spawn(AgentSpec::at(start.x, start.y)).unwrap();
                    world.send(agent, goal).unwrap();
                }
            }
            assert_eq!(old.view().id_limit(), 30, "{spec}: rows are used again");
            assert!(old.agents().iter().all(|agent| agent.generation() == 1));
            for _ in 0..50 {
                tick(&mut old, Budget::Unlimited);
                tick(&mut new, Budget::Unlimited);
                let positions = |world: &World| {
                    let at = world.agents().iter().map(|&agent| world.position(agent).unwrap());
                    at.collect::<Vec<_>>()
                };
                assert!(
                    learns || positions(&old) == positions(&new),
                    "{spec}, seed {seed}, tick {}",
                    old.ticks()
                );
            }
        }
    }
}

#[test]
fn names_are_unique_and_create_planners() {
    let grid = Grid::new(Tiles::picture("..."), MoveRules::default());
    for name in every_name() {
        assert_eq!(every_name().filter(|other| *other == name).count(), 1, "{name}");
    }
    for info in PLANNERS {
        for text in [info.summary, info.idea, info.reference] {
            assert!(!text.is_empty(), "{}", info.name);
        }
        let given =
            info.parameters.iter().map(|known| format!("{}={}", known.name, known.kind.default_text()));
        let spec = format!("{}:{}", info.name, given.collect::<Vec<_>>().join(","));
        assert!(planner(&spec, &grid).is_ok(), "{spec}");
    }
    for (alias, text) in ALIASES {
        assert!(planner(text, &grid).is_ok(), "{alias}");
        assert_eq!(planner_info(alias).unwrap().name, text.split(':').next().unwrap());
    }
}

#[test]
fn parameters_after_an_alias_override_it() {
    let grid = Grid::new(Tiles::picture("..."), MoveRules::default());
    let needs = |spec: &str| planner(spec, &grid).map(|made| made.planner.required_sharing());
    assert_eq!(needs("bmaa-c"), Ok(Sharing::MoveRequests));
    for spec in ["bmaa-c:push=off", "bmaa-f-c:push=off", "bmaa-f-c:vision=3,push=off"] {
        assert_eq!(needs(spec), Ok(Sharing::Nothing), "{spec}");
    }
    assert_eq!(needs("bmaa-f-c:flow=off"), Ok(Sharing::MoveRequests));
    let twice = SpecError::Repeated { of: "bmaa".to_owned(), name: "push".to_owned() };
    assert_eq!(needs("bmaa-c:push=off,push=on"), Err(twice));
    for (alias, _) in ALIASES {
        for parameter in info(alias).parameters {
            let spec = format!("{alias}:{}={}", parameter.name, parameter.kind.default_text());
            assert!(planner(&spec, &grid).is_ok(), "{spec}");
        }
    }
}

/// Equivalent specifications give the same planner name, and only a planner of that name restores a snapshot.
#[test]
fn planner_names_are_canonical() {
    let grid = Grid::new(Tiles::picture("..."), MoveRules::default());
    let name = |spec: &str| planner(spec, &grid).unwrap().name;
    for alias in every_name() {
        assert_eq!(name(alias), alias);
    }
    let same = [("bmaa:push=on", "bmaa-c"), ("bmaa-f-c:push=off", "bmaa-f"), ("far:reserve=3", "far")];
    let former = [("bmaa:depressions=avoid", "bmaa:core=da-rtaa"), ("rtaa:depressions=enter", "rtaa")];
    let same = same.into_iter().chain(former);
    let other =
        [("far:reserve=02", "far:reserve=2"), ("bmaa:vision=3.50,moves=8", "bmaa:moves=8,vision=3.5")];
    for (spec, expected) in same.chain(other) {
        assert_eq!(name(spec), expected);
        assert_eq!(name(expected), expected, "a canonical name is its own canonical name");
    }
    let snapshot = empty("far:reserve=2", grid.clone()).snapshot();
    let restore = |spec: &str| World::restore(&snapshot, |_, grid| planner(spec, grid));
    assert!(restore("far:reserve=2,flow=on").is_ok());
    let error = restore("far").unwrap_err().to_string();
    assert_eq!(error, r#"the snapshot was made by planner "far:reserve=2" and cannot be continued by "far""#);
}

#[test]
fn a_recorded_run_can_be_replanned() {
    for spec in every_spec() {
        let mut world = crowd(&spec, small_map(60), 40, 60);
        run_disturbed(&mut world, 20, 60);
        world.start_recording();
        run_disturbed(&mut world, 60, 61);
        let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
        let mut again = recording.replan(planner).unwrap();
        while again.step().unwrap_or_else(|error| panic!("{spec}: {error}")) {}
        assert_eq!(again.world().state_hash(), world.state_hash(), "{spec}");
        assert_eq!(again.world().totals(), world.totals(), "{spec}");
    }
}

#[test]
fn every_planner_description_is_registered() {
    fn count(folder: &Path) -> usize {
        let entries = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
        let each = |path: std::path::PathBuf| {
            if path.is_dir() {
                count(&path)
            } else {
                std::fs::read_to_string(path).unwrap().matches("const INFO: PlannerInfo").count()
            }
        };
        entries.map(each).sum()
    }
    assert_eq!(count(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")), PLANNERS.len());
}
