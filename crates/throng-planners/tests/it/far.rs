//! FAR and A*-Replan.

use throng_crowd::{AgentSpec, Budget, Event, ForeignId, NamedPlanner, World};
use throng_grid::scene;
use throng_grid::{Corners, Grid, MoveRules, Pos, Tiles};

use throng_planners::planner;

use crate::support::{
    WithState, crowd, empty, given, is_reported, not_arrived, random_grid, run, tick, until_arrived,
    world_from_picture,
};

const NAMES: [&str; 2] = ["far", "astar-replan"];
const RULES: [MoveRules; 3] =
    [MoveRules::eight_way(Corners::Forbid), MoveRules::eight_way(Corners::Allow), MoveRules::FOUR_WAY];

#[test]
fn all_agents_arrive_in_every_solvable_scene() {
    for name in NAMES {
        for (scene_name, picture) in scene::all() {
            for rules in RULES {
                let mut world = crate::support::world_with_rules(name, picture, rules);
                let mut events = Vec::new();
                run(&mut world, 300, &mut events);
                let left = not_arrived(&world);
                if *scene_name == "swap_without_room" {
                    assert!(!left.is_empty(), "the scene is unsolvable");
                    assert!(left.iter().all(|&agent| is_reported(&events, agent)), "{name}, {events:?}");
                } else {
                    assert!(left.is_empty(), "{name} in {scene_name} with {rules:?}: {left:?}");
                }
            }
        }
    }
}

/// Most agents arrive. Nearly all others are reported stuck; a few are in a livelock, and the world reports only agents
/// that do not move.
#[test]
fn nearly_all_agents_arrive_or_are_reported_on_random_maps() {
    for name in NAMES {
        let (mut all, mut late, mut unreported) = (0, 0, 0);
        for seed in 0..80_u64 {
            let grid = random_grid(30, 5 + seed as u32 % 24, RULES[seed as usize % 3], seed);
            let mut world = crowd(name, grid, 20 + seed as usize % 21 * 2, seed);
            let mut events = Vec::new();
            run(&mut world, 1_500, &mut events);
            let left = not_arrived(&world);
            all += world.agents().len();
            late += left.len();
            unreported += left.iter().filter(|&&agent| !is_reported(&events, agent)).count();
        }
        assert!(late * 40 < all, "{name}: {late} of {all} did not arrive");
        assert!(unreported * 200 < all, "{name}: {unreported} of {all} neither arrived nor were reported");
    }
}

#[test]
fn a_budget_is_kept_and_agents_walk_known_paths_without_one() {
    let mut world = crowd("far", random_grid(40, 15, RULES[0], 5), 30, 6);
    for _ in 0..5 {
        let events = tick(&mut world, Budget::expansions(0));
        assert!(events.is_empty(), "no agent has a path yet");
    }
    let mut events = Vec::new();
    for limit in [1, 7, 100, 333] {
        for _ in 0..20 {
            let report = world.tick(Budget::expansions(limit), &mut events);
            assert!(report.expansions <= limit, "{report:?}");
        }
    }
    tick(&mut world, Budget::Unlimited);
    events.clear();
    for _ in 0..3 {
        let report = world.tick(Budget::expansions(0), &mut events);
        assert_eq!(report.expansions, 0);
    }
    assert!(events.iter().any(|event| matches!(event, Event::Moved { .. })));
    assert!(until_arrived(&mut world, 500).is_some());
}

#[test]
fn an_arrived_agent_makes_room_and_returns() {
    let picture = "#######\n.......\n###.###";
    for name in ["far", "far:deadlock=paper"] {
        let mut world = empty(name, Grid::new(Tiles::picture(picture), RULES[0]));
        let standing = world.spawn(AgentSpec::at(3, 1)).unwrap();
        world.send(standing, Pos::new(3, 1)).unwrap();
        let passing = world.spawn(AgentSpec::at(0, 1)).unwrap();
        world.send(passing, Pos::new(6, 1)).unwrap();
        let mut events = Vec::new();
        assert!(run(&mut world, 40, &mut events).is_some(), "{name}");
        assert!(events.contains(&Event::Pushed { agent: standing, by: passing }), "{name}");
        assert!(events.contains(&Event::LeftGoal { agent: standing }), "{name}");
    }
}

/// By the published rules an agent of a cycle steps aside, and nothing else happens: an agent behind a foreign unit keeps
/// its path, and a deadlock without a free cell stays.
#[test]
fn the_published_rules_break_cycles_only() {
    let head_on = "
        ##########
        #aB....Ab#
        #........#
        ##########";
    for name in ["astar-replan", "astar-replan:deadlock=paper"] {
        let mut events = Vec::new();
        assert!(run(&mut world_from_picture(name, head_on), 60, &mut events).is_some(), "{name}");
        assert!(events.iter().any(|event| matches!(event, Event::Pushed { .. })), "{name}");
    }
    let jam = "
        ###########
        ##.####.###
        #caB..bCA.#
        #.#########
        ###########";
    let behind_a_unit = |name: &str| {
        let mut world = empty(name, Grid::new(Tiles::picture(".......\n.......\n......."), RULES[0]));
        let agent = world.spawn(AgentSpec::at(0, 1)).unwrap();
        world.send(agent, Pos::new(6, 1)).unwrap();
        for x in 1..6 {
            world.place_foreign(Pos::new(x, 1)).unwrap();
        }
        world
    };
    for (name, arrives) in [("far", true), ("far:deadlock=paper", false)] {
        for mut world in [world_from_picture(name, jam), behind_a_unit(name)] {
            let mut events = Vec::new();
            let picture = crate::support::picture(&world);
            assert_eq!(run(&mut world, 300, &mut events).is_some(), arrives, "{name}:\n{picture}");
            assert!(arrives || not_arrived(&world).iter().any(|&agent| is_reported(&events, agent)));
        }
    }
}

#[test]
fn agents_wait_for_foreign_units_that_block_the_path() {
    let mut world = empty("far", Grid::new(Tiles::picture(".........\n.........\n........."), RULES[0]));
    let agent = world.spawn(AgentSpec::at(0, 1)).unwrap();
    world.send(agent, Pos::new(8, 1)).unwrap();
    for y in 0..3 {
        world.place_foreign(Pos::new(4, y)).unwrap();
    }
    let mut events = Vec::new();
    assert_eq!(run(&mut world, 80, &mut events), None);
    assert!(is_reported(&events, agent));
    world.remove_foreign(ForeignId::from_bits(2)).unwrap();
    assert!(until_arrived(&mut world, 80).is_some());
}

#[test]
fn slow_agents_arrive() {
    let mut world = crowd("far", random_grid(20, 10, RULES[0], 8), 10, 8);
    let size = world.grid().size();
    let free: Vec<Pos> = world.grid().ground().free_cells().map(|cell| size.pos(cell)).collect();
    let mut slow = 0;
    for (i, &at) in free.iter().enumerate().filter(|(i, _)| i % 37 == 0) {
        if let Ok(agent) = world.spawn(AgentSpec::at(at.x, at.y).speed(2 + (i % 2) as u8)) {
            world.send(agent, free[free.len() - 1 - i]).unwrap();
            slow += 1;
        }
    }
    assert!(slow > 4);
    assert!(until_arrived(&mut world, 600).is_some());
}

/// An altered snapshot may say that a paused search has made more expansions than the search needs until its end.
#[test]
fn a_search_that_repeats_more_expansions_than_there_are_ends() {
    // The goal is behind a wall with a gap at its far end, so that the search expands most of the cells.
    let row = |y: u32| format!("{}{}{}\n", ".".repeat(40), if y < 63 { "#" } else { "." }, ".".repeat(23));
    let grid = Grid::new(Tiles::picture(&(0..64).map(row).collect::<String>()), RULES[0]);
    for name in NAMES {
        let mut world = empty(name, grid.clone());
        let agent = world.spawn(AgentSpec::at(1, 1)).unwrap();
        world.send(agent, Pos::new(62, 1)).unwrap();
        tick(&mut world, Budget::expansions(333));
        let (snapshot, mut bytes) = (world.snapshot(), Vec::new());
        world.planner().save(&mut bytes);
        let mut accepted = 0;
        for place in 0..bytes.len() - 1 {
            // 333 as an integer of variable length. It becomes 4,096, the number of cells.
            if bytes[place..place + 2] != [0xCD, 0x02] {
                continue;
            }
            let mut altered = bytes.clone();
            altered[place..place + 2].copy_from_slice(&[0x80, 0x20]);
            let made = planner(name, world.grid()).unwrap();
            let inner = WithState { inner: made.planner, bytes: altered };
            let planner = NamedPlanner::new(made.name, Box::new(inner));
            let Ok(mut restored) = World::restore(&snapshot, given(planner)) else { continue };
            accepted += 1;
            assert!(until_arrived(&mut restored, 400).is_some(), "{name}");
        }
        assert!(accepted > 0, "{name}: no search was paused");
    }
}
