//! WHCA*, HCA* and CA*.

use throng_crowd::{Budget, Event};
use throng_grid::Pos;
use throng_grid::scene;

use crate::support::{pictured, random, random_grid, run_home, survives_everything, tick_checked};

#[test]
fn scenes_are_solved() {
    for (name, picture) in scene::all() {
        let solvable = *name != "swap_without_room";
        for planner in ["whca", "whca:window=16"] {
            let mut world = pictured(planner, picture);
            let home = run_home(&mut world, 300);
            assert_eq!(home.is_some(), solvable, "{planner} on {name}");
        }
    }
}

#[test]
fn agents_in_a_corridor_use_its_pocket() {
    let mut world = pictured(
        "whca",
        "#############
         #######.#####
         #Ba.......bA#
         #############",
    );
    assert!(run_home(&mut world, 100).is_some());
}

#[test]
fn an_agent_at_its_goal_steps_aside_and_comes_back() {
    let mut world = pictured(
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
        let events = tick_checked(&mut world, Budget::Unlimited);
        left |= events.contains(&Event::LeftGoal { agent: b });
    }
    assert!(left && world.is_home(a) && world.is_home(b));
}

#[test]
fn agents_follow_each_other_and_go_round() {
    // Everyone goes where the next one stands: possible in one tick, when all go at once.
    let mut world = pictured(
        "whca",
        "ab
         dc",
    );
    let agents = world.agents().to_vec();
    for (i, &agent) in agents.iter().enumerate() {
        let goal = world.position(agents[(i + 1) % 4]).unwrap();
        world.send(agent, goal).unwrap();
    }
    // Targets are given out one by one, so the first ones are sent again once the cells are free.
    for (i, &agent) in agents.iter().enumerate() {
        let goal = [Pos::new(1, 0), Pos::new(1, 1), Pos::new(0, 1), Pos::new(0, 0)][i];
        world.send(agent, goal).unwrap();
    }
    assert!(run_home(&mut world, 20).is_some());
}

#[test]
fn crowds_on_random_maps_get_home() {
    for seed in 0..6 {
        for (name, agents) in [("whca", 20), ("whca", 60), ("hca", 20), ("ca", 20)] {
            let grid = random_grid(32, seed);
            let planner = throng_planners::planner(name, &grid).unwrap();
            let mut world = random(planner, grid, agents, seed, false);
            run_home(&mut world, 300);
            let home = world.agents().iter().filter(|&&agent| world.is_home(agent)).count();
            assert!(home * 10 >= agents * 9, "{name}, seed {seed}: {home} of {agents}");
        }
    }
}

#[test]
fn nothing_is_spent_beyond_the_budget() {
    for most in [0, 1, 100, 2_000] {
        let grid = random_grid(32, 3);
        let planner = throng_planners::planner("whca", &grid).unwrap();
        let mut world = random(planner, grid, 40, 3, false);
        for _ in 0..60 {
            let before = world.totals().expansions;
            tick_checked(&mut world, Budget::Expansions(most));
            assert!(world.totals().expansions - before <= most);
        }
    }
}

#[test]
fn whca_survives_everything() {
    survives_everything("whca", 0..6);
    survives_everything("whca:window=3,heuristic=empty", 6..9);
}

#[test]
fn hca_and_ca_survive_everything() {
    survives_everything("hca", 0..3);
    survives_everything("ca", 3..6);
}
