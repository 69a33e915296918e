//! Unknown maps: which planners work when agents know only what they have seen, and that nothing else reaches their
//! decisions.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_crowd::{
    AgentId, Budget, Event, Fog, MapKnowledge, NamedPlanner, Recording, Settings, SetupError, World, check,
};
use throng_grid::scene::Scene;
use throng_grid::{Cell, Grid, MoveRules, Pos, Terrain, Tiles};
use throng_planners::{PLANNERS, planner, restore};

use crate::support::{
    ALL_RULES, Threads, disturb, every_spec, info, picture, populate, random_grid, random_pairs,
    random_terrain, run, small_map, some_budget, tick,
};

const OWN: Fog = Fog::radius(2);
const SHARED: Fog = Fog::radius(2).shared();

fn foggy(spec: &str, grid: Grid, fog: Fog) -> Result<World, SetupError> {
    let planner = planner(spec, &grid).unwrap();
    World::new(grid, planner, Settings::default().seed(7).fog(fog))
}

/// Returns the world of a picture in which agents know only what they have seen.
fn foggy_scene(spec: &str, text: &str, fog: Fog) -> World {
    let scene = Scene::parse(text).unwrap();
    let pairs: Vec<_> = scene.agents.iter().map(|agent| (agent.start, agent.goal.unwrap())).collect();
    let mut world = foggy(spec, Grid::new(scene.tiles, MoveRules::default()), fog).unwrap();
    populate(&mut world, &pairs);
    world
}

/// Returns every specification that works under a fog, with it.
fn every_foggy_spec() -> Vec<(String, Fog)> {
    let works = |(spec, fog): &(String, Fog)| {
        foggy(spec, Grid::new(Tiles::picture("."), MoveRules::default()), *fog).is_ok()
    };
    every_spec().into_iter().flat_map(|spec| [(spec.clone(), OWN), (spec, SHARED)]).filter(works).collect()
}

#[test]
fn planners_that_need_the_map_refuse() {
    let grid = || Grid::new(Tiles::picture("..."), MoveRules::default());
    let refused = |spec: &str, fog| foggy(spec, grid(), fog).err();
    for info in PLANNERS {
        assert_eq!(refused(info.name, OWN).is_none(), info.needs_map == MapKnowledge::Own, "{}", info.name);
    }
    let works: Vec<&str> =
        PLANNERS.iter().filter(|info| refused(info.name, OWN).is_none()).map(|i| i.name).collect();
    assert_eq!(works, ["bmaa", "lra", "dm", "rtaa", "auto"]);
    for spec in ["bmaa-c", "bmaa:directions=on", "lra:agitation=on", "dm:local=4"] {
        assert_eq!(refused(spec, OWN), None, "{spec}");
    }
    // One annotation or abstraction for all agents.
    for spec in ["bmaa-f", "bmaa-f-c", "bmaa:abstraction=4", "dm:sector=4", "dm:sector=4,refine=partial"] {
        let (required, granted) = (MapKnowledge::Shared, MapKnowledge::Own);
        assert_eq!(refused(spec, OWN), Some(SetupError::Map { planner: spec.to_owned(), required, granted }));
        assert_eq!(refused(spec, SHARED), None, "{spec}");
    }
    for spec in ["far", "astar-replan", "whca", "ca", "hca", "pibt", "surge", "dm-greedy"] {
        for (fog, granted) in [(OWN, MapKnowledge::Own), (SHARED, MapKnowledge::Shared)] {
            let required = MapKnowledge::Whole;
            assert_eq!(
                refused(spec, fog),
                Some(SetupError::Map { planner: spec.to_owned(), required, granted })
            );
        }
    }
}

/// The room is open to the west only. The straight line to the goal leads to its east wall.
const DEAD_END: &str = "
    ###############
    #.............#
    #.##########..#
    #..........#..#
    #.........a#.A#
    #..........#..#
    #.##########..#
    #.............#
    ###############";

#[test]
fn an_agent_walks_into_a_dead_end_and_gets_out() {
    for (spec, fog) in every_foggy_spec() {
        let mut world = foggy_scene(&spec, &DEAD_END.replace("#.........a#", "#a.........#"), fog);
        let (mut events, mut deepest) = (Vec::new(), 0);
        let arrived = (1..=1_500).find(|_| {
            events.extend(tick(&mut world, Budget::Unlimited));
            let at = world.position(AgentId::from_bits(0)).unwrap();
            deepest = deepest.max(if (3..=5).contains(&at.y) && at.x < 11 { at.x } else { 0 });
            world.has_arrived(AgentId::from_bits(0)).unwrap()
        });
        assert!(arrived.is_some(), "{spec}, {fog:?}:\n{}", picture(&world));
        // Penalties of a direction map may lead an agent along the wall instead, and short paths end before the wall.
        if ["bmaa", "bmaa-c", "rtaa", "lra"].contains(&spec.as_str()) {
            assert!(deepest >= 8, "{spec}: the agent knew of the wall at column {deepest}");
            assert!(events.iter().any(|event| matches!(event, Event::Discovered { .. })), "{spec}, {fog:?}");
        }
    }
}

/// One agent has explored the room when another sets out. It shares the map or does not.
#[test]
fn a_shared_map_saves_a_way() {
    let ticks = |spec: &str, fog: Fog| {
        let mut world = foggy_scene(spec, DEAD_END, fog);
        run(&mut world, 1_500, &mut Vec::new()).unwrap();
        let second = Scene::parse(DEAD_END).unwrap().agents[0];
        populate(&mut world, &[(second.start, Pos::new(13, 5))]);
        run(&mut world, 1_500, &mut Vec::new()).unwrap()
    };
    for spec in ["lra", "bmaa:expansions=200", "rtaa:expansions=200"] {
        let (own, shared) = (ticks(spec, Fog::radius(1)), ticks(spec, Fog::radius(1).shared()));
        assert!(shared < own, "{spec}: {shared} ticks with a shared map, {own} without");
    }
}

/// Returns the cells whose state differs between two maps.
fn differing(a: &Grid, b: &Grid) -> Vec<Pos> {
    let state =
        |grid: &Grid, cell: Cell| (grid.tiles().terrain()[cell.index()], grid.blocked()[cell.index()]);
    let size = a.size();
    size.cells().filter(|&cell| state(a, cell) != state(b, cell)).map(|cell| size.pos(cell)).collect()
}

/// Returns a map that differs in one of `one_in` cells that nobody sees at the beginning.
fn altered(grid: &Grid, pairs: &[(Pos, Pos)], radius: i32, one_in: u32, random: &mut Pcg32) -> Grid {
    let mut other = grid.clone();
    for cell in grid.size().cells() {
        let pos = grid.size().pos(cell);
        let is_seen = pairs.iter().any(|(at, _)| (at.x - pos.x).abs().max((at.y - pos.y).abs()) <= radius);
        if is_seen || !random.next_u32().is_multiple_of(one_in) {
            continue;
        }
        if random.next_u32().is_multiple_of(4) {
            other.block(pos);
        } else {
            other.set_terrain(pos, Terrain::ALL[random.next_u32() as usize % 7]);
        }
    }
    other
}

/// Two worlds differ only in cells that nobody has seen, some of which are edited while they run. All events and targets are equal until someone sees one of them.
/// Planners are created from the true map, so this also covers what they compute then.
#[test]
fn nothing_unseen_influences_a_decision() {
    for (spec, fog) in every_foggy_spec() {
        let mut compared = 0;
        for seed in 0..24_u64 {
            let mut random = Pcg32::seed_from_u64(seed);
            let rules = ALL_RULES[seed as usize % ALL_RULES.len()];
            let near = Fog::radius(1 + (seed % 4) as u16);
            let fog = if fog.shared { near.shared() } else { near };
            let grid = if seed % 3 == 0 {
                random_terrain(40, 10, rules, seed)
            } else {
                random_grid(40, 15 + seed as u32 % 15, rules, seed)
            };
            let pairs = random_pairs(&grid, 3, seed);
            let one_in = [3, 12, 100, 1_000][seed as usize / 2 % 4];
            let other = altered(&grid, &pairs, i32::from(fog.radius), one_in, &mut random);
            let mut worlds = [grid, other].map(|grid| foggy(&spec, grid, fog).unwrap());
            for world in &mut worlds {
                populate(world, &pairs);
            }
            compared += compare(&spec, &mut worlds, seed, &mut random);
        }
        assert!(compared > 100, "{spec}, {fog:?}: only {compared} ticks were compared");
    }
}

/// Runs two worlds until an agent sees a cell that differs. Returns the number of ticks whose decisions were compared.
fn compare(spec: &str, worlds: &mut [World; 2], seed: u64, random: &mut Pcg32) -> u64 {
    let mut differing = differing(worlds[0].grid(), worlds[1].grid());
    let has_seen =
        |world: &World, pos: Pos| world.agents().iter().any(|&agent| world.has_seen(agent, pos).unwrap());
    for ticks in 0..40 {
        let edited = Pos::new((random.next_u32() % 40) as i32, (random.next_u32() % 40) as i32);
        if ticks % 4 == 3 && !has_seen(&worlds[0], edited) && worlds[1].block(edited) == 1 {
            differing.push(edited);
        }
        let budget = random.next_u32() % 200;
        let results = worlds.each_mut().map(|world| {
            let mut events = Vec::new();
            let budget = if budget < 100 { Budget::Expansions(budget.into()) } else { Budget::Unlimited };
            let report = world.tick(budget, &mut events);
            let moves: Vec<_> = events.iter().copied().filter(|e| matches!(e, Event::Moved { .. })).collect();
            let targets: Vec<_> = world.agents().iter().map(|&agent| world.target(agent).unwrap()).collect();
            (report, moves, (events, targets))
        });
        let [(report, moves, seen), (other_report, other_moves, other_seen)] = results;
        assert_eq!((report, moves), (other_report, other_moves), "{spec}, seed {seed}, tick {ticks}");
        // What was seen after the moves may have changed targets already.
        if differing.iter().any(|&pos| has_seen(&worlds[0], pos)) {
            return ticks + 1;
        }
        assert_eq!(seen, other_seen, "{spec}, seed {seed}, tick {ticks}");
    }
    40
}

/// Random inputs and budgets: the checker accepts the run, playback repeats it, and a restored run goes on as the original.
#[test]
fn runs_in_fog_are_checked_restored_and_repeated() {
    for (spec, fog) in every_foggy_spec() {
        for seed in 0..3 {
            let grid = small_map(seed);
            let pairs = random_pairs(&grid, 25, seed);
            let mut world = foggy(&spec, grid, fog).unwrap();
            populate(&mut world, &pairs);
            world.start_recording();
            let mut random = Pcg32::seed_from_u64(seed);
            let mut twin: Option<World> = None;
            for number in 0..120 {
                for _ in 0..random.next_u32() % 2 {
                    let mut same = random.clone();
                    disturb(&mut world, &mut random);
                    if let Some(twin) = &mut twin {
                        disturb(twin, &mut same);
                    }
                }
                let mut same = random.clone();
                let events = tick(&mut world, some_budget(&mut random));
                if let Some(twin) = &mut twin {
                    let repeated = tick(twin, some_budget(&mut same));
                    assert_eq!(
                        (events, world.state_hash()),
                        (repeated, twin.state_hash()),
                        "{spec}, {number}"
                    );
                }
                if number == 60 {
                    let snapshot = world.snapshot();
                    let restored = twin.insert(restore(&snapshot).unwrap());
                    assert_eq!(restored.snapshot(), snapshot, "{spec}");
                    restored.set_executor(Box::new(Threads(3)));
                }
            }
            let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
            let report = check(&recording);
            assert!(report.is_clean(), "{spec}, {fog:?}, seed {seed}: {:?}", report.violations);
            let mut playback = recording.play().unwrap();
            while playback.step().unwrap() {}
        }
    }
}

/// Agents find their goals on maps that they do not know.
#[test]
fn agents_arrive_on_unknown_maps() {
    for fog in [OWN, SHARED] {
        for name in ["bmaa-c", "lra", "dm"] {
            let grid = Grid::new(throng_grid::builtin::builtin("rooms").unwrap(), MoveRules::default());
            let pairs = random_pairs(&grid, 12, 3);
            let mut world = foggy(name, grid, fog).unwrap();
            populate(&mut world, &pairs);
            let mut events = Vec::new();
            assert!(run(&mut world, 4_000, &mut events).is_some(), "{name}, {fog:?}:\n{}", picture(&world));
        }
    }
}

/// A planner's name says what it needs.
#[test]
fn names_keep_their_planner() {
    let grid = Grid::new(Tiles::picture("..."), MoveRules::default());
    for spec in every_spec() {
        let NamedPlanner { planner, .. } = planner(&spec, &grid).unwrap();
        assert!(planner.required_map() >= info(&spec).needs_map, "{spec}");
    }
}
