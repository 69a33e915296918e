//! BMAA* and RTAA*: the examples of the papers, pushing, and work budgets.

use throng_crowd::{AgentId, AgentSpec, Budget, Event, Settings, StuckReason, World};
use throng_grid::generate::generate;
use throng_grid::scene::Scene;
use throng_grid::{Grid, MoveRules, Pos, Size, Tiles};
use throng_planners::planner;

use crate::support::{
    ALL_RULES, builtin_crowd, empty, not_arrived, picture, populate, tick, until_arrived, world_from_picture,
    world_from_scene,
};

const ALL: [&str; 24] = [
    "rtaa",
    "bmaa",
    "bmaa-c",
    "bmaa-f",
    "bmaa-f-c",
    "bmaa:flow=preferred",
    "bmaa:push=own-goal",
    "bmaa:blocked=search",
    "bmaa:learning=monotone",
    "bmaa:order=random",
    "bmaa:expansions=7,moves=3,vision=5",
    "rtaa:core=da-rtaa",
    "rtaa:core=lss-lrta",
    "bmaa:core=lss-lrta,prune=on",
    "rtaa:core=tba",
    "bmaa-f-c:core=tba,expansions=7,moves=3",
    "rtaa:prune=on",
    "rtaa:landmarks=4",
    "rtaa:abstraction=4",
    "rtaa:ties=last",
    "rtaa:ties=small-g",
    "rtaa:ties=random",
    "bmaa-f-c:core=da-rtaa,prune=on,landmarks=4",
    "bmaa-f-c:core=da-rtaa,prune=on,landmarks=4,abstraction=5,ties=random",
];

/// The dead end of figure 4 traps a search with a short lookahead until the learned heuristic leads out.
#[test]
fn one_agent_leaves_dead_ends_and_spirals() {
    for name in ["dead_end", "spiral"] {
        for spec in ALL {
            let mut world = world_from_scene(spec, name);
            assert!(until_arrived(&mut world, 3_000).is_some(), "{spec} in {name}:\n{}", picture(&world));
        }
        // A lookahead of one expansion succeeds too.
        assert!(until_arrived(&mut world_from_scene("rtaa:expansions=1", name), 20_000).is_some(), "{name}");
    }
}

/// Each technique leads out of a dead end sooner. With landmarks or exact distances the path is a shortest one.
#[test]
fn what_the_paper_names_as_future_work_shortens_the_way_out() {
    let ticks = |parameters: &str| {
        let spec = format!("rtaa:{parameters}");
        until_arrived(&mut world_from_scene(&spec, "dead_end"), 3_000).unwrap()
    };
    let plain = ticks("expansions=8");
    for better in ["core=da-rtaa", "core=lss-lrta", "core=tba", "prune=on", "landmarks=4", "abstraction=4"] {
        let found = ticks(&format!("expansions=8,{better}"));
        assert!(found < plain, "{better}: {found} ticks instead of {plain}");
    }
    let shortest = ticks("expansions=1000,moves=1000");
    assert_eq!(ticks("expansions=8,landmarks=4"), shortest);
    assert_eq!(ticks("expansions=8,abstraction=1"), shortest);
}

/// The heuristic of an abstraction is not admissible. Agents arrive all the same, also after an edit.
#[test]
fn an_agent_arrives_with_an_abstraction_of_any_size() {
    let size = Size::new(33, 33).unwrap();
    for (map, seed) in
        ["maze:corridor=1", "maze:corridor=2,loops=10", "rooms:room=5", "caves"].into_iter().zip(1..)
    {
        let tiles = generate(map, size, seed).unwrap();
        for (side, rules) in [(2, ALL_RULES[0]), (5, ALL_RULES[1]), (12, ALL_RULES[2]), (64, ALL_RULES[3])] {
            let spec = format!("rtaa:expansions=12,abstraction={side}");
            let mut world = empty(&spec, Grid::new(tiles.clone(), rules));
            let ground = world.grid().ground();
            let [from, .., to] = ground.free_cells().collect::<Vec<_>>()[..] else { panic!("no free cells") };
            let (from, to, middle) = (ground.pos(from), ground.pos(to), Pos::new(16, 16));
            populate(&mut world, &[(from, to)]);
            for _ in 0..20 {
                tick(&mut world, Budget::Unlimited);
            }
            world.unblock(middle);
            world.block(Pos::new(middle.x, middle.y + 1));
            if world
                .grid()
                .ground()
                .reachable(world.grid().cell(from).unwrap(), world.grid().cell(to).unwrap())
            {
                assert!(until_arrived(&mut world, 20_000).is_some(), "{spec} on {map}:\n{}", picture(&world));
            }
        }
    }
}

/// Many paths are equally short, and the tie-break decides which of them an agent takes.
#[test]
fn tie_breaks_lead_to_different_paths_of_the_same_length() {
    let scene = "
        ..............
        ..............
        ......#.......
        ......#.......
        .a....#......A
        ......#.......
        ......#.......
        ..............
        ..............";
    let path = |spec: &str| {
        let mut world = world_from_picture(&format!("{spec},expansions=500"), scene);
        let mut path = Vec::new();
        while !world.has_arrived(AgentId::from_bits(0)).unwrap() {
            tick(&mut world, Budget::Unlimited);
            path.push(world.position(AgentId::from_bits(0)).unwrap());
        }
        assert_eq!(path.len(), 12, "{spec}");
        path
    };
    let paths = ["rtaa:moves=32", "rtaa:ties=last", "rtaa:ties=small-g", "rtaa:ties=random"].map(path);
    assert_eq!(paths[0], path("rtaa:ties=first"));
    for (i, path) in paths.iter().enumerate() {
        assert!(!paths[..i].contains(path), "path {i} is that of another tie-break: {path:?}");
    }
}

/// The agent has pruned a dead end when its only other path is closed and the dead end opens.
#[test]
fn pruned_cells_are_used_again_after_an_edit() {
    let picture = "
        ##############
        #............#
        #.##########.#
        #.#a.........#
        #.#.########.#
        #...########A#
        ##############";
    for spec in ["rtaa:prune=on,expansions=4", "bmaa-f:prune=on,expansions=4,landmarks=2"] {
        let mut world = world_from_picture(spec, picture);
        world.block(Pos::new(11, 3));
        let below = (0..200).find(|_| {
            tick(&mut world, Budget::Unlimited);
            world.position(AgentId::from_bits(0)).unwrap().y == 5
        });
        assert!(below.is_some(), "{spec}:\n{}", crate::support::picture(&world));
        world.block(Pos::new(1, 2));
        world.unblock(Pos::new(11, 3));
        assert!(until_arrived(&mut world, 500).is_some(), "{spec}:\n{}", crate::support::picture(&world));
    }
}

/// With more expansions than cells, the first path is a shortest one.
#[test]
fn an_unbounded_lookahead_finds_a_shortest_path() {
    let mut world = world_from_scene("rtaa:expansions=1000,moves=1000", "dead_end");
    let agent = AgentId::from_bits(0);
    let (from, to) = (
        world.grid().cell(world.position(agent).unwrap()).unwrap(),
        world.grid().cell(world.target(agent).unwrap().unwrap()).unwrap(),
    );
    let (mut path, mut search) = (Vec::new(), throng_search::search("astar").unwrap());
    search.find(world.grid().ground(), from, to, &mut path).unwrap();
    assert_eq!(until_arrived(&mut world, 100), Some(path.len() as u32 - 1));
}

#[test]
fn agents_follow_each_other_through_a_corridor() {
    for spec in ALL {
        let mut world = world_from_picture(
            spec,
            "############
             #cba.....CBA
             ############",
        );
        let ticks = until_arrived(&mut world, 200);
        assert!(ticks.is_some(), "{spec}:\n{}", picture(&world));
    }
}

/// With one-way streets an agent that has arrived at the door blocks the others.
#[test]
fn an_agent_leaves_a_preferred_street_that_is_blocked() {
    let scene = Scene::named("door").unwrap().draw();
    for (spec, arrives) in [("bmaa-f", false), ("bmaa:flow=preferred", true)] {
        let arrived = until_arrived(&mut world_from_picture(spec, &scene), 200);
        assert_eq!(arrived.is_some(), arrives, "{spec}");
    }
}

/// `b` has arrived behind the only door, and there is room to step aside.
#[test]
fn pushing_clears_the_path_and_pushed_agents_return() {
    let picture = "
        #########
        #...#...#
        #a...b.A#
        #...#...#
        #########";
    for spec in ["bmaa", "bmaa-f", "bmaa:push=own-goal"] {
        assert_eq!(until_arrived(&mut world_from_picture(spec, picture), 500), None, "{spec}");
    }
    for spec in ["bmaa-c", "bmaa-f-c", "bmaa-c:learning=monotone"] {
        let mut world = world_from_picture(spec, picture);
        let (mut pushed, mut left, mut arrived) = (0, 0, 0);
        for _ in 0..500 {
            for event in tick(&mut world, Budget::Unlimited) {
                match event {
                    Event::Pushed { agent, by } => {
                        assert_eq!((agent, by), (AgentId::from_bits(1), AgentId::from_bits(0)));
                        pushed += 1;
                    }
                    Event::LeftGoal { .. } => left += 1,
                    Event::Arrived { .. } => arrived += 1,
                    _ => {}
                }
            }
        }
        assert!(not_arrived(&world).is_empty(), "{spec}:\n{}", crate::support::picture(&world));
        assert!(pushed >= 1 && left == pushed && arrived == pushed + 2, "{pushed} {left} {arrived}");
    }
}

/// An agent without a goal stands on the goal of another; both kinds of pushing move it.
#[test]
fn an_idle_agent_is_pushed_off_a_goal() {
    for (spec, pushed) in [("bmaa", false), ("bmaa-c", true), ("bmaa:push=own-goal", true)] {
        let grid = Grid::new(Tiles::picture("......"), MoveRules::default());
        let mut world = World::new(grid.clone(), planner(spec, &grid).unwrap(), Settings::default()).unwrap();
        let walker = world.spawn(AgentSpec::at(0, 0)).unwrap();
        world.send(walker, Pos::new(4, 0)).unwrap();
        let idler = world.spawn(AgentSpec::at(4, 0)).unwrap();
        for _ in 0..12 {
            tick(&mut world, Budget::Unlimited);
        }
        assert_eq!(world.has_arrived(walker).unwrap(), pushed, "{spec}");
        assert_eq!(world.position(idler), Ok(Pos::new(if pushed { 5 } else { 4 }, 0)));
    }
}

/// Agents that the planner does not control and foreign units are not pushed.
#[test]
fn uncontrolled_and_foreign_units_are_not_pushed() {
    let grid = Grid::new(Tiles::picture("......"), MoveRules::default());
    let mut world = World::new(grid.clone(), planner("bmaa-c", &grid).unwrap(), Settings::default()).unwrap();
    let walker = world.spawn(AgentSpec::at(0, 0)).unwrap();
    let other = world.spawn(AgentSpec::at(4, 0)).unwrap();
    world.control(other, false).unwrap();
    world.send(walker, Pos::new(4, 0)).unwrap();
    for _ in 0..60 {
        tick(&mut world, Budget::Unlimited);
    }
    assert_eq!(world.position(walker), Ok(Pos::new(3, 0)));
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
    assert!(until_arrived(&mut world, 10).is_some());
    assert_eq!(reasons, [StuckReason::BehindForeign]);
}

#[test]
fn a_work_budget_is_kept_and_starves_no_agent() {
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

/// Searches use nearly the whole budget while an agent waits for a search, however small the budget is.
#[test]
fn small_budgets_are_used_up() {
    for spec in ["rtaa", "bmaa", "bmaa-f-c", "bmaa:expansions=500"] {
        for budget in [1, 7, 20, 33, 100, 1_000] {
            let mut world = builtin_crowd(spec, "arena", 100, 5);
            // Few enough ticks that some agent still waits for its first search.
            let ticks = (1_500 / budget).clamp(1, 600);
            let (mut spent, mut events) = (0, Vec::new());
            for _ in 0..ticks {
                spent += world.tick(Budget::expansions(budget), &mut events).expansions;
            }
            let moved = events.iter().any(|event| matches!(event, Event::Moved { .. }));
            assert!(moved, "{spec}, {budget}: no agent moves");
            assert!(spent * 10 >= budget * ticks * 9, "{spec}: {spent} of {}", budget * ticks);
        }
    }
}

/// A tick with an expansion budget is repeated with the same budget, any other tick with the same number of rounds.
#[test]
fn equal_budgets_repeat_a_run() {
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
        let goals: Vec<_> = world.agents().iter().map(|&agent| world.goal(agent).unwrap().unwrap()).collect();
        let mut events = Vec::with_capacity(10_000);
        let mut round = |world: &mut World| {
            let mut allocated = 0;
            for shift in 0..4 {
                for (i, &agent) in world.agents().to_vec().iter().enumerate() {
                    world.send(agent, goals[(i + 17 * shift) % goals.len()]).unwrap();
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
        // Only new pages allocate; capacities double, so they allocate a few times.
        let grown = pages(&world) - before;
        assert!(allocated == 0 || grown > 0 && allocated < 60, "{spec}: {allocated} times, {grown} bytes");
    }
}
