//! BMAA* and RTAA*: the pictures of the papers, and the promises of a planner that shares nothing.

use throng_crowd::{AgentId, AgentSpec, Budget, Event, Settings, StuckReason, World};
use throng_grid::{Grid, MoveRules, Pos, Tiles};
use throng_planners::planner;

use crate::support::{away, builtin_crowd, named, picture, pictured, tick, until_home};

const ALL: [&str; 10] = [
    "rtaa",
    "bmaa",
    "bmaa-c",
    "bmaa-f",
    "bmaa-f-c",
    "bmaa:push=own-goal",
    "bmaa:blocked=search",
    "bmaa:learning=monotone",
    "bmaa:order=random",
    "bmaa:expansions=7,moves=3,vision=5",
];

/// The dead end of figure 4 misleads a short search; learning leads out of it.
#[test]
fn one_agent_leaves_dead_ends_and_spirals() {
    for name in ["dead_end", "spiral"] {
        for spec in ALL {
            let mut world = named(spec, name);
            assert!(until_home(&mut world, 3_000).is_some(), "{spec} in {name}:\n{}", picture(&world));
        }
        // So does a search that sees one cell at a time.
        assert!(until_home(&mut named("rtaa:expansions=1", name), 20_000).is_some(), "{name}");
    }
}

/// With more expansions than cells the first path is a shortest one.
#[test]
fn a_search_without_a_bound_finds_the_shortest_way() {
    let mut world = named("rtaa:expansions=1000,moves=1000", "dead_end");
    let agent = AgentId(0);
    let (from, to) =
        (world.grid().cell(world.position(agent).unwrap()).unwrap(), world.target(agent).unwrap());
    let (mut path, mut search) = (Vec::new(), throng_search::search("astar").unwrap());
    search.find(world.grid().ground(), from, to, &mut path).unwrap();
    assert_eq!(until_home(&mut world, 100), Some(path.len() as u32 - 1));
}

#[test]
fn a_corridor_is_walked_in_file() {
    for spec in ALL {
        let mut world = pictured(
            spec,
            "############
             #cba.....CBA
             ############",
        );
        let ticks = until_home(&mut world, 200);
        assert!(ticks.is_some(), "{spec}:\n{}", picture(&world));
    }
}

/// `b` has arrived behind the only door, and there is room to step aside.
#[test]
fn pushing_frees_the_way_and_the_pushed_come_back() {
    let picture = "
        #########
        #...#...#
        #a...b.A#
        #...#...#
        #########";
    for spec in ["bmaa", "bmaa-f", "bmaa:push=own-goal"] {
        assert_eq!(until_home(&mut pictured(spec, picture), 500), None, "{spec}");
    }
    for spec in ["bmaa-c", "bmaa-f-c", "bmaa-c:learning=monotone"] {
        let mut world = pictured(spec, picture);
        let (mut pushed, mut left, mut arrived) = (0, 0, 0);
        for _ in 0..500 {
            for event in tick(&mut world, Budget::Unlimited) {
                match event {
                    Event::Pushed { agent, by } => {
                        assert_eq!((agent, by), (AgentId(1), AgentId(0)));
                        pushed += 1;
                    }
                    Event::LeftGoal { .. } => left += 1,
                    Event::Arrived { .. } => arrived += 1,
                    _ => {}
                }
            }
        }
        assert!(away(&world).is_empty(), "{spec}:\n{}", crate::support::picture(&world));
        assert!(pushed >= 1 && left == pushed && arrived == pushed + 2, "{pushed} {left} {arrived}");
    }
}

/// An agent without a goal comes to stand on the cell of another: both kinds of pushing ask it to go.
#[test]
fn an_idle_agent_is_pushed_off_a_goal() {
    for (spec, freed) in [("bmaa", false), ("bmaa-c", true), ("bmaa:push=own-goal", true)] {
        let grid = Grid::new(Tiles::picture("......"), MoveRules::default());
        let mut world = World::new(grid.clone(), planner(spec, &grid).unwrap(), Settings::default()).unwrap();
        let walker = world.spawn(AgentSpec::at(0, 0)).unwrap();
        world.send(walker, Pos::new(4, 0)).unwrap();
        let idler = world.spawn(AgentSpec::at(4, 0)).unwrap();
        for _ in 0..12 {
            tick(&mut world, Budget::Unlimited);
        }
        assert_eq!(world.has_arrived(walker), freed, "{spec}");
        assert_eq!(world.position(idler), Some(Pos::new(if freed { 5 } else { 4 }, 0)));
    }
}

/// Who may not step, or is not ours, is not pushed.
#[test]
fn slow_and_foreign_units_are_not_pushed() {
    let grid = Grid::new(Tiles::picture("......"), MoveRules::default());
    let mut world = World::new(grid.clone(), planner("bmaa-c", &grid).unwrap(), Settings::default()).unwrap();
    let walker = world.spawn(AgentSpec::at(0, 0)).unwrap();
    let other = world.spawn(AgentSpec::at(4, 0)).unwrap();
    world.control(other, false).unwrap();
    world.send(walker, Pos::new(4, 0)).unwrap();
    for _ in 0..60 {
        tick(&mut world, Budget::Unlimited);
    }
    assert_eq!(world.position(walker), Some(Pos::new(3, 0)));
    world.despawn(other).unwrap();
    let unit = world.place_foreign(Pos::new(4, 0)).unwrap();
    let mut reasons = Vec::new();
    for _ in 0..60 {
        tick(&mut world, Budget::Unlimited);
    }
    world.send(walker, Pos::new(5, 0)).unwrap();
    for _ in 0..60 {
        for event in tick(&mut world, Budget::Unlimited) {
            if let Event::Stuck { reason, .. } = event {
                reasons.push(reason);
            }
        }
    }
    world.remove_foreign(unit).unwrap();
    assert!(until_home(&mut world, 10).is_some());
    assert_eq!(reasons, [StuckReason::BehindForeign]);
}

#[test]
fn a_budget_bounds_the_work_and_starves_nobody() {
    let mut world = builtin_crowd("bmaa", "arena", 100, 5);
    for _ in 0..20 {
        assert!(
            !tick(&mut world, Budget::expansions(0)).iter().any(|event| matches!(event, Event::Moved { .. }))
        );
    }
    let mut moved = [false; 100];
    for _ in 0..400 {
        let mut events = Vec::new();
        let report = world.tick(Budget::expansions(100), &mut events);
        assert!(report.expansions <= 100);
        for event in events {
            if let Event::Moved { agent, .. } = event {
                moved[agent.index()] = true;
            }
        }
    }
    assert!(moved.iter().all(|&moved| moved));
}

/// Whatever the budget, searches are granted in the pieces that it allows, and nearly all of it is used while anybody
/// waits for a search.
#[test]
fn small_budgets_are_used_up() {
    for spec in ["rtaa", "bmaa", "bmaa-f-c", "bmaa:expansions=500"] {
        for most in [1, 7, 20, 33, 100, 1_000] {
            let mut world = builtin_crowd(spec, "arena", 100, 5);
            // As long as not everyone has searched once, somebody waits.
            let ticks = (1_500 / most).clamp(1, 600);
            let (mut spent, mut events) = (0, Vec::new());
            for _ in 0..ticks {
                spent += world.tick(Budget::expansions(most), &mut events).expansions;
            }
            let moved = events.iter().any(|event| matches!(event, Event::Moved { .. }));
            assert!(moved, "{spec}, {most}: nobody moves");
            assert!(spent * 10 >= most * ticks * 9, "{spec}: {spent} of {}", most * ticks);
        }
    }
}

/// A tick by expansions is repeated by as many of them, any other one by as many rounds.
#[test]
fn granting_the_same_again_gives_the_same_run() {
    let (mut world, mut again) =
        (builtin_crowd("bmaa-c", "arena", 150, 6), builtin_crowd("bmaa-c", "arena", 150, 6));
    for i in 0..200 {
        let unlimited = i % 3 == 0;
        let budget = if unlimited { Budget::Unlimited } else { Budget::expansions(700) };
        let report = world.tick(budget, &mut Vec::new());
        let same = if unlimited { Budget::Rounds(report.rounds) } else { Budget::expansions(700) };
        assert_eq!(again.tick(same, &mut Vec::new()), report);
        assert_eq!(world.state_hash(), again.state_hash());
    }
}

#[test]
fn a_warm_tick_allocates_nothing() {
    for spec in ALL {
        let mut world = builtin_crowd(spec, "arena", 60, 4);
        let places: Vec<_> = world.agents().iter().map(|&agent| world.goal(agent).unwrap()).collect();
        let mut events = Vec::with_capacity(10_000);
        let mut round = |world: &mut World| {
            let mut allocated = 0;
            for shift in 0..4 {
                for (i, &agent) in world.agents().to_vec().iter().enumerate() {
                    world.send(agent, places[(i + 17 * shift) % places.len()]).unwrap();
                }
                for _ in 0..200 {
                    events.clear();
                    allocated += allocation_counter::measure(|| {
                        world.tick(Budget::Unlimited, &mut events);
                    })
                    .count_total;
                }
            }
            allocated
        };
        let pages = |world: &World| world.planner().memory_bytes();
        for _ in 0..4 {
            round(&mut world);
        }
        let before = pages(&world);
        let allocated = round(&mut world);
        // New pages are the only reason to ask for memory; with doubling, a handful of times.
        let grown = pages(&world) - before;
        assert!(allocated == 0 || grown > 0 && allocated < 60, "{spec}: {allocated} times, {grown} bytes");
    }
}
