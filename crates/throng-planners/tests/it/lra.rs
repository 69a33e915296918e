//! Local repair A*.

use throng_crowd::{AgentSpec, Budget, Event};
use throng_grid::scene;
use throng_grid::{Grid, MoveRules, Pos, Tiles};

use crate::support::{empty, pictured, random, random_grid, run_home, survives_everything, tick_checked};

#[test]
fn scenes_without_narrow_places_are_solved() {
    for (name, picture) in scene::all() {
        let narrow = matches!(*name, "swap_without_room" | "corridor_head_on");
        for planner in ["lra", "lra:agitation=on"] {
            let mut world = pictured(planner, picture);
            let home = run_home(&mut world, 500);
            assert!(home.is_some() || narrow, "{planner} on {name}");
        }
    }
}

#[test]
fn what_is_out_of_sight_is_no_wall() {
    // Two ways, the lower one a little longer; a unit that nobody moves stands in the upper one.
    let picture = "a........
                   .#######.
                   .#######.
                   ........A";
    for (radius, waits) in [(3, true), (8, false)] {
        let mut world = pictured(&format!("lra:radius={radius}"), picture);
        world.send(world.agents()[0], Pos::new(8, 0)).unwrap();
        world.place_foreign(Pos::new(6, 0)).unwrap();
        let mut waited = false;
        let mut home = None;
        for tick in 0..40 {
            let events = tick_checked(&mut world, Budget::Unlimited);
            waited |= events.iter().any(|event| matches!(event, Event::Waited { by: None, .. }));
            home = home.or(world.is_home(world.agents()[0]).then_some(tick));
        }
        let turned_back = home.unwrap() > 14;
        assert_eq!((waited || turned_back, home.is_some()), (waits, true), "radius {radius}");
    }
}

#[test]
fn an_occupied_goal_is_walked_to_and_waited_for() {
    let mut world = empty("lra", Grid::new(Tiles::picture("......"), MoveRules::default()));
    let a = world.spawn(AgentSpec::at(0, 0)).unwrap();
    let b = world.spawn(AgentSpec::at(5, 0)).unwrap();
    world.send(a, Pos::new(5, 0)).unwrap();
    for _ in 0..8 {
        tick_checked(&mut world, Budget::Unlimited);
    }
    assert_eq!(world.position(a), Some(Pos::new(4, 0)));
    let events = tick_checked(&mut world, Budget::Unlimited);
    assert!(events.iter().any(|event| matches!(event, Event::Waited { by: Some(other), .. } if *other == b)));
    world.despawn(b).unwrap();
    assert!(run_home(&mut world, 40).is_some());
}

#[test]
fn crowds_on_random_maps_get_home() {
    for seed in 0..6 {
        for name in ["lra", "lra:agitation=on", "lra:radius=1.5"] {
            let grid = random_grid(32, seed);
            let planner = throng_planners::planner(name, &grid).unwrap();
            let mut world = random(planner, grid, 30, seed, false);
            run_home(&mut world, 400);
            let home = world.agents().iter().filter(|&&agent| world.is_home(agent)).count();
            assert!(home * 10 >= 30 * 8, "{name}, seed {seed}: {home} of 30");
        }
    }
}

#[test]
fn nothing_is_spent_beyond_the_budget() {
    for most in [0, 1, 100, 2_000] {
        let grid = random_grid(32, 3);
        let planner = throng_planners::planner("lra", &grid).unwrap();
        let mut world = random(planner, grid, 40, 3, false);
        for _ in 0..60 {
            let before = world.totals().expansions;
            tick_checked(&mut world, Budget::Expansions(most));
            assert!(world.totals().expansions - before <= most);
        }
    }
}

#[test]
fn lra_survives_everything() {
    survives_everything("lra", 0..5);
    survives_everything("lra:agitation=on,radius=2", 5..10);
}
