//! WHCA*, HCA* and CA*.

use throng_crowd::{Budget, Event};
use throng_grid::{Grid, MoveRules, Pos, Tiles, scene};

use crate::support::{away, crowd, empty, pictured, populate, random_grid, tick, until_home};

#[test]
fn scenes_are_solved() {
    for (name, picture) in scene::all() {
        let solvable = *name != "swap_without_room";
        for planner in ["whca", "whca:window=16"] {
            let mut world = pictured(planner, picture);
            let home = until_home(&mut world, 300);
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
    assert!(until_home(&mut world, 100).is_some());
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
        let events = tick(&mut world, Budget::Unlimited);
        left |= events.contains(&Event::LeftGoal { agent: b });
    }
    assert!(left && world.is_home(a) && world.is_home(b));
}

#[test]
fn agents_follow_each_other_and_go_round() {
    // Everyone goes where the next one stands: possible in one tick, when all go at once.
    let round = [(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)].map(|(x, y)| Pos::new(x, y));
    let pairs: Vec<_> = round.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let mut world = empty("whca", Grid::new(Tiles::picture("..\n.."), MoveRules::default()));
    populate(&mut world, &pairs);
    assert!(until_home(&mut world, 20).is_some());
}

#[test]
fn crowds_on_random_maps_get_home() {
    for seed in 0..6 {
        for (name, agents) in [("whca", 20), ("whca", 60), ("hca", 20), ("ca", 20)] {
            let mut world = crowd(name, random_grid(32, 20, MoveRules::default(), seed), agents, seed);
            until_home(&mut world, 300);
            let home = agents - away(&world).len();
            assert!(home * 10 >= agents * 9, "{name}, seed {seed}: {home} of {agents}");
        }
    }
}
