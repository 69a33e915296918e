//! What every planner promises, asked of every one in the registry under every name, so that a new one is covered as
//! soon as it has an entry.

use std::path::Path;

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_crowd::{AgentId, Budget, Event, Limits, Recording, Settings, SetupError, Sharing, World, check};
use throng_grid::{Grid, MoveRules, Tiles, scene};
use throng_planners::{ALIASES, PLANNERS, planner, planner_info};
use throng_search::spec::SpecError;

use crate::support::{
    Threads, builtin_crowd, crowd, disturb, empty, every_name, every_spec, every_spec_with_goals, hashes,
    info, named, picture, pictured, populate, random_grid, random_pairs, restored_crowd, rules_of, small_map,
    some_budget, tick, until_home,
};

/// Lets a game do its worst for some ticks, and gives the hash and the counts after each.
fn ordeal(world: &mut World, ticks: usize, seed: u64) -> Vec<(u64, u64, Vec<Event>)> {
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
fn every_scene_is_played_by_the_rules() {
    for spec in every_spec() {
        for (name, picture) in scene::all() {
            for rules in rules_of(&spec) {
                let mut world = crate::support::scene(&spec, picture, rules);
                world.start_recording();
                hashes(&mut world, 120);
                let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
                let report = check(&recording);
                assert!(report.is_clean(), "{spec} in {name}, {rules:?}: {:?}", report.violations);
            }
        }
    }
}

/// Edits, retasking, teleports, despawns, foreign units, slow agents, agents that are not ours, and any budget.
#[test]
fn whatever_a_game_does_every_rule_is_kept() {
    for spec in every_spec() {
        for seed in 0..8 {
            let mut world = crowd(&spec, small_map(&spec, seed), 40, seed);
            world.start_recording();
            ordeal(&mut world, 250, seed);
            let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
            let report = check(&recording);
            assert!(report.is_clean(), "{spec}, seed {seed}: {:?}", report.violations);
            assert!(report.steps > 200, "{spec}, seed {seed}: only {} steps", report.steps);
        }
    }
}

/// All are sent to one place, and whatever targets they have on the way, they settle around it.
#[test]
fn a_crowd_is_sent_to_one_place() {
    for spec in every_spec_with_goals() {
        for seed in 0..2 {
            let mut world = crowd(&spec, random_grid(24, 10, rules_of(&spec)[0], seed), 30, seed);
            let place = world.goal(AgentId(0)).unwrap();
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
                let mut world = crowd(&spec, small_map(&spec, seed), 50, seed);
                if let Some(threads) = threads {
                    world.set_executor(Box::new(Threads(threads)));
                }
                ordeal(&mut world, 100, seed)
            };
            let expected = run(None);
            for threads in [1, 2, 3, 8] {
                assert!(run(Some(threads)) == expected, "{spec}, seed {seed}, {threads} threads");
            }
        }
    }
}

#[test]
fn a_planner_that_is_saved_and_loaded_goes_on_as_it_would_have() {
    for spec in every_spec() {
        for seed in 30..34 {
            let expected = ordeal(&mut crowd(&spec, small_map(&spec, seed), 40, seed), 120, seed);
            let mut world = restored_crowd(&spec, small_map(&spec, seed), 40, seed, 1 + seed % 3);
            let found = ordeal(&mut world, 120, seed);
            let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
            assert_eq!(differs, None, "{spec}, seed {seed}: differs after loading");
        }
    }
}

/// What was altered is refused or taken for something else, and nothing worse.
#[test]
fn altered_bytes_do_no_harm() {
    for spec in every_spec() {
        let mut world = crowd(&spec, small_map(&spec, 50), 30, 50);
        ordeal(&mut world, 40, 50);
        let (mut bytes, mut random) = (Vec::new(), Pcg32::seed_from_u64(50));
        world.planner().save(&mut bytes);
        let limits = Limits::new(world.grid(), world.view().id_limit(), world.ticks());
        for _ in 0..200 {
            let mut altered = bytes.clone();
            for _ in 0..=random.next_u32() % 3 {
                let place = random.next_u32() as usize % altered.len();
                altered[place] = random.next_u32() as u8;
            }
            let _refused = planner(&spec, world.grid()).unwrap().planner.load(&altered, &limits);
        }
    }
}

#[test]
fn a_world_restored_from_a_snapshot_goes_on_as_it_would_have() {
    for spec in every_spec() {
        for seed in 40..43 {
            let mut random = Pcg32::seed_from_u64(seed);
            let mut world = crowd(&spec, small_map(&spec, seed), 40, seed);
            for part in 0..4 {
                ordeal(&mut world, 1 + random.next_u32() as usize % 30, seed + part);
                let fresh = planner(&spec, world.grid()).unwrap();
                let mut again = World::restore(&world.snapshot(), fresh).unwrap();
                assert_eq!(again.snapshot(), world.snapshot(), "{spec}, seed {seed}");
                let (expected, found) = (ordeal(&mut world, 40, part), ordeal(&mut again, 40, part));
                let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
                assert_eq!(differs, None, "{spec}, seed {seed}, part {part}");
            }
        }
    }
}

/// Looks a few steps ahead, on distances that know no walls, and learns nothing: a dead end deeper than its window
/// holds it.
const SHORT_SIGHTED: &str = "whca:heuristic=empty";

#[test]
fn a_lone_agent_always_gets_home() {
    assert_eq!(until_home(&mut named(SHORT_SIGHTED, "dead_end"), 1_000), None, "no exception any more");
    for spec in every_spec_with_goals().into_iter().filter(|spec| spec != SHORT_SIGHTED) {
        for seed in 0..24 {
            let grid = small_map(&spec, seed);
            let pairs = random_pairs(&grid, 1, seed);
            let mut world = empty(&spec, grid);
            populate(&mut world, &pairs);
            let home = until_home(&mut world, 2_000);
            assert!(home.is_some(), "{spec}, seed {seed}, {pairs:?}:\n{}", picture(&world));
        }
        for (name, picture) in scene::all() {
            let letters = picture.chars().filter(char::is_ascii_lowercase);
            for letter in letters.filter(|letter| picture.contains(letter.to_ascii_uppercase())) {
                let keep = |c: char| {
                    if c.is_ascii_alphabetic() && !c.eq_ignore_ascii_case(&letter) { '.' } else { c }
                };
                let alone: String = picture.chars().map(keep).collect();
                let home = until_home(&mut pictured(&spec, &alone), 2_000);
                assert!(home.is_some(), "{spec}, {letter} alone in {name}");
            }
        }
    }
}

#[test]
fn nobody_shares_more_than_was_granted() {
    let levels = [Sharing::Nothing, Sharing::MoveRequests, Sharing::Reservations, Sharing::Everything];
    let grid = Grid::new(Tiles::picture("..."), MoveRules::default());
    for spec in every_spec() {
        let needs = planner(&spec, &grid).unwrap().planner.required_sharing();
        assert!(needs <= info(&spec).needs, "{spec} needs more than its entry says");
        for grants in levels {
            let settings = Settings::default().sharing(grants);
            let made = World::new(grid.clone(), planner(&spec, &grid).unwrap(), settings);
            let refusal =
                (needs > grants).then_some(SetupError::Sharing { required: needs, granted: grants });
            assert_eq!(made.err(), refusal, "{spec}");
        }
    }
}

/// Sending unseen agents elsewhere, so that they plan otherwise, changes no move of an agent in this tick: asked of
/// every planner that says that its agents share nothing.
#[test]
fn nothing_is_shared_with_agents_out_of_sight() {
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
            // A unit further away is seen where it stands, and that is the same in both worlds.
            let near = |world: &World, a: AgentId, b: AgentId| {
                let (a, b) = (world.position(a).unwrap(), world.position(b).unwrap());
                (a.x - b.x).abs().max((a.y - b.y).abs()) <= 2
            };
            // Whom the watched one sees, or meets through a chain of agents that act on each other in a tick.
            let mut seen = vec![AgentId(0)];
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
                let goal = other.position(AgentId(59 - agent.0)).unwrap();
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

#[test]
fn names_are_unique_and_lead_to_planners() {
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
fn what_is_given_after_an_alias_overrules_it() {
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

/// The same planner has the same name however it was asked for, and only that one continues a run.
#[test]
fn planners_know_what_they_are() {
    let grid = Grid::new(Tiles::picture("..."), MoveRules::default());
    let name = |spec: &str| planner(spec, &grid).unwrap().name;
    for alias in every_name() {
        assert_eq!(name(alias), alias);
    }
    let same = [("bmaa:push=on", "bmaa-c"), ("bmaa-f-c:push=off", "bmaa-f"), ("far:reserve=3", "far")];
    let other =
        [("far:reserve=02", "far:reserve=2"), ("bmaa:vision=3.50,moves=8", "bmaa:moves=8,vision=3.5")];
    for (spec, expected) in same.into_iter().chain(other) {
        assert_eq!(name(spec), expected);
        assert_eq!(name(expected), expected, "it leads to itself");
    }
    let snapshot = empty("far:reserve=2", grid.clone()).snapshot();
    let restore = |spec: &str| World::restore(&snapshot, planner(spec, &grid).unwrap());
    assert!(restore("far:reserve=2,flow=on").is_ok());
    let error = restore("far").unwrap_err().to_string();
    assert_eq!(error, r#"the snapshot's planner is "far:reserve=2", and "far" was to continue it"#);
}

/// What a recording keeps is enough for the planner to do it all again.
#[test]
fn a_recorded_run_can_be_planned_again() {
    for spec in every_spec() {
        let mut world = crowd(&spec, small_map(&spec, 60), 40, 60);
        ordeal(&mut world, 20, 60);
        world.start_recording();
        ordeal(&mut world, 60, 61);
        let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
        let mut again = recording.replan(planner(&spec, world.grid()).unwrap()).unwrap();
        while again.step().unwrap_or_else(|error| panic!("{spec}: {error}")) {}
        assert_eq!(again.world().state_hash(), world.state_hash(), "{spec}");
        assert_eq!(again.world().totals(), world.totals(), "{spec}");
    }
}

/// Every file that describes a planner is in the table.
#[test]
fn no_planner_is_forgotten() {
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
