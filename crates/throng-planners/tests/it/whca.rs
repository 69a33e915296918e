//! WHCA*, HCA* and CA*: reservations, waiting, and distance tables.

use throng_crowd::{AgentSpec, Budget, Event, World};
use throng_grid::scene::Scene;
use throng_grid::{Grid, MoveRules, Pos, Tiles, scene};

use crate::support::{
    crowd, empty, not_arrived, path_ends, populate, random_grid, tick, until_arrived, world_from_picture,
};

#[test]
fn scenes_are_solved() {
    for (name, picture) in scene::all() {
        let solvable = *name != "swap_without_room";
        for planner in ["whca", "whca:window=16"] {
            let mut world = world_from_picture(planner, picture);
            let ticks = until_arrived(&mut world, 300);
            assert_eq!(ticks.is_some(), solvable, "{planner} on {name}");
        }
    }
}

#[test]
fn agents_in_a_corridor_use_the_passing_place() {
    let mut world = world_from_picture(
        "whca",
        "#############
         #######.#####
         #Ba.......bA#
         #############",
    );
    assert!(until_arrived(&mut world, 100).is_some());
}

#[test]
fn an_agent_at_its_goal_steps_aside_and_comes_back() {
    let mut world = world_from_picture(
        "whca",
        "#########
         ####.####
         #a..b.BA#
         #########",
    );
    let (a, b) = (world.agents()[0], world.agents()[1]);
    world.send(b, Pos::new(4, 2)).unwrap();
    let mut left = false;
    for _ in 0..60 {
        let events = tick(&mut world, Budget::Unlimited);
        left |= events.contains(&Event::LeftGoal { agent: b });
    }
    assert!(left && world.has_arrived(a).unwrap() && world.has_arrived(b).unwrap());
}

#[test]
fn agents_rotate_in_a_cycle() {
    // Each agent goes to the cell of the next one: possible in one tick if all move at once.
    let round = [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)].map(|(x, y)| Pos::new(x, y));
    let pairs: Vec<_> = round.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let mut world = empty("whca", Grid::new(Tiles::picture("..\n.."), MoveRules::default()));
    populate(&mut world, &pairs);
    assert!(until_arrived(&mut world, 20).is_some());
}

#[test]
fn most_agents_arrive_on_random_maps() {
    for seed in 0..6 {
        for (name, agents) in [("whca", 20), ("whca", 60), ("hca", 20), ("ca", 20)] {
            let mut world = crowd(name, random_grid(32, 20, MoveRules::default(), seed), agents, seed);
            until_arrived(&mut world, 300);
            let arrived = agents - not_arrived(&world).len();
            assert!(arrived * 10 >= agents * 9, "{name}, seed {seed}: {arrived} of {agents}");
        }
    }
}

const FAMILY: [&str; 4] = ["whca", "hca", "ca", "whca:heuristic=empty"];

#[test]
fn an_agent_rests_beside_a_permanently_occupied_goal() {
    for planner in FAMILY {
        for foreign in [true, false] {
            let grid = Grid::new(Tiles::picture(&["............"; 9].join("\n")), MoveRules::default());
            let mut world = empty(planner, grid);
            let walker = world.spawn(AgentSpec::at(1, 1)).unwrap();
            if foreign {
                world.place_foreign(Pos::new(8, 4)).unwrap();
            } else {
                let other = world.spawn(AgentSpec::at(8, 4)).unwrap();
                world.control(other, false).unwrap();
            }
            world.send(walker, Pos::new(8, 4)).unwrap();
            let mut events = Vec::new();
            for _ in 0..40 {
                events.extend(tick(&mut world, Budget::Unlimited));
            }
            let at = world.position(walker).unwrap();
            assert!((at.x - 8).abs().max((at.y - 4).abs()) == 1, "{planner}: {at:?}");
            for _ in 0..100 {
                let now = tick(&mut world, Budget::Unlimited);
                assert!(!now.iter().any(|event| matches!(event, Event::Moved { .. })), "{planner}: {now:?}");
                events.extend(now);
            }
            assert!(world.has_arrived(walker).unwrap(), "{planner}: the agent has a cell beside the goal");
            let reported = |event: &&Event| matches!(event, Event::Arrived { .. } | Event::Stuck { .. });
            let reported: Vec<_> = events.iter().filter(reported).collect();
            assert_eq!(reported, [&Event::Arrived { agent: walker }], "{planner}");
        }
    }
}

#[test]
fn an_agent_without_a_goal_steps_aside() {
    let pictures = [
        "##########
         #a...b..A#
         #####.####
         ##########",
        "##########
         #a..b...A#
         #######.##
         ##########",
        "##########
         #a..b..A.#
         #######..#
         ##########",
    ];
    for planner in FAMILY {
        for picture in pictures {
            let scene = Scene::parse(picture).unwrap();
            let [walker, idler] = [0, 1].map(|i| scene.agents[i]);
            let mut world = empty(planner, Grid::new(scene.tiles, MoveRules::default()));
            let [a, b] = [walker, idler]
                .map(|agent| world.spawn(AgentSpec::at(agent.start.x, agent.start.y)).unwrap());
            world.send(a, walker.goal.unwrap()).unwrap();
            let mut stepped = false;
            let arrived = (0..80).any(|_| {
                let moved = |event: &Event| matches!(event, Event::Moved { agent, .. } if *agent == b);
                stepped |= tick(&mut world, Budget::Unlimited).iter().any(moved);
                world.has_arrived(a).unwrap()
            });
            assert!(arrived && stepped, "{planner}:\n{}", crate::support::picture(&world));
        }
        // The agent without a goal may stand on the other's target.
        let mut world = empty(planner, Grid::new(Tiles::picture(".......\n......."), MoveRules::default()));
        let [a, _] = [0, 5].map(|x| world.spawn(AgentSpec::at(x, 0)).unwrap());
        world.send(a, Pos::new(5, 0)).unwrap();
        let arrived = (0..80).any(|_| {
            tick(&mut world, Budget::Unlimited);
            world.has_arrived(a).unwrap()
        });
        assert!(arrived, "{planner}");
    }
}

/// Distance tables of a large map take many rounds. Agents plan meanwhile.
#[test]
fn building_distance_tables_does_not_stop_planning() {
    for planner in ["whca", "hca"] {
        for rounds in [1, 2, 5] {
            let mut world = crowd(planner, random_grid(160, 20, MoveRules::default(), 1), 100, 1);
            let mut planned = 0;
            for _ in 0..12 {
                tick(&mut world, Budget::Rounds(rounds));
                let (size, ends) = (world.grid().size(), path_ends(&world));
                planned += world
                    .agents()
                    .iter()
                    .filter(|&&agent| {
                        let at = world.position(agent).unwrap();
                        let end = ends[agent.index()].map_or(at, |end| size.pos(end));
                        (at.x - end.x).abs().max((at.y - end.y).abs()) > 1
                    })
                    .count();
            }
            assert!(planned >= 6, "{planner} with {rounds} rounds per tick");
        }
    }
}

/// An agent that patrols between two goals computes its distances once, or for each goal, or for each plan.
#[test]
fn distances_are_cached_as_configured() {
    let backwards = |planner: &str| {
        let mut world = empty(planner, random_grid(32, 10, MoveRules::default(), 4));
        let goals = [Pos::new(1, 1), Pos::new(30, 29)].map(|near| {
            let free =
                |pos: &Pos| world.grid().cell(*pos).is_some_and(|cell| world.grid().ground().is_free(cell));
            (0..5).map(|i| Pos::new(near.x, near.y - i.min(near.y))).find(free).unwrap()
        });
        let walker = world.spawn(AgentSpec::at(goals[0].x, goals[0].y)).unwrap();
        let legs = (1..=4).map(|leg| {
            world.send(walker, goals[leg % 2]).unwrap();
            let mut spent = 0;
            while !world.has_arrived(walker).unwrap() {
                let report = world.tick(Budget::Unlimited, &mut Vec::new());
                assert!(report.backwards <= report.expansions);
                spent += report.backwards;
            }
            spent
        });
        legs.collect::<Vec<_>>()
    };
    let (cached, per_target, per_plan) =
        (backwards("whca"), backwards("whca:tables=target"), backwards("whca:tables=plan"));
    assert_eq!(cached[..2], per_target[..2]);
    assert!(cached[0] > 20 && cached[2] == 0 && cached[3] == 0, "{cached:?}");
    assert_eq!(per_target[2..], per_target[..2], "{per_target:?}");
    assert!(per_plan.iter().zip(&per_target).all(|(plan, target)| *plan > target * 3 / 2), "{per_plan:?}");
}

/// Agents walk to their goals, back and there again. How long closed lists are kept changes what is expanded, not what is
/// decided.
#[test]
fn readings_of_the_distance_search_differ_in_expansions_only() {
    let run = |planner: &str| {
        let mut world = crowd(planner, random_grid(32, 15, MoveRules::default(), 3), 40, 3);
        let agents = world.agents().to_vec();
        let ends =
            |world: &World, agent| [world.position(agent).unwrap(), world.goal(agent).unwrap().unwrap()];
        let legs: Vec<_> = agents.iter().map(|&agent| ends(&world, agent)).collect();
        let (mut forwards, mut backwards, mut positions) = (0, 0, Vec::new());
        for now in 0..180 {
            if now == 60 || now == 120 {
                for (&agent, ends) in agents.iter().zip(&legs) {
                    world.send(agent, ends[now / 60 - 1]).unwrap();
                }
            }
            let report = world.tick(Budget::Unlimited, &mut Vec::new());
            backwards += report.backwards;
            forwards += report.expansions - report.backwards;
            positions.extend(agents.iter().map(|&agent| world.position(agent)));
        }
        (positions, forwards, backwards)
    };
    for window in ["window=8", "window=16"] {
        let [kept, target, plan] =
            ["kept", "target", "plan"].map(|tables| run(&format!("whca:{window},tables={tables}")));
        assert!(kept.0 == target.0 && kept.0 == plan.0, "{window}: the paths differ");
        assert_eq!((kept.1, kept.1), (target.1, plan.1), "{window}: expansions in space-time");
        assert!(kept.2 < target.2 && target.2 < plan.2, "{window}: {}, {}, {}", kept.2, target.2, plan.2);
    }
}
