//! Local repair A*.

use throng_crowd::{AgentSpec, Budget, Event};
use throng_grid::scene;
use throng_grid::{Grid, MoveRules, Pos, Tiles};

use crate::support::{away, crowd, empty, pictured, random_grid, tick, until_home};

#[test]
fn scenes_without_narrow_places_are_solved() {
    for (name, picture) in scene::all() {
        let narrow = matches!(*name, "swap_without_room" | "corridor_head_on");
        for planner in ["lra", "lra:agitation=on"] {
            let mut world = pictured(planner, picture);
            let home = until_home(&mut world, 500);
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
        for time in 0..40 {
            let events = tick(&mut world, Budget::Unlimited);
            waited |= events.iter().any(|event| matches!(event, Event::Waited { by: None, .. }));
            home = home.or(world.has_arrived(world.agents()[0]).then_some(time));
        }
        let turned_back = home.unwrap() > 14;
        assert_eq!((waited || turned_back, home.is_some()), (waits, true), "radius {radius}");
    }
}

#[test]
fn an_occupied_goal_is_walked_to_and_waited_for() {
    let mut world = empty("lra", Grid::new(Tiles::picture("......"), MoveRules::default()));
    let a = world.spawn(AgentSpec::at(0, 0)).unwrap();
    world.send(a, Pos::new(5, 0)).unwrap();
    let b = world.spawn(AgentSpec::at(5, 0)).unwrap();
    for _ in 0..8 {
        tick(&mut world, Budget::Unlimited);
    }
    assert_eq!(world.position(a), Some(Pos::new(4, 0)));
    let events = tick(&mut world, Budget::Unlimited);
    assert!(events.iter().any(|event| matches!(event, Event::Waited { by: Some(other), .. } if *other == b)));
    world.despawn(b).unwrap();
    assert!(until_home(&mut world, 40).is_some());
}

#[test]
fn two_on_each_others_targets_change_places() {
    for planner in ["lra", "dm"] {
        let tiles = Tiles::picture("...\n...\n...");
        let mut world = empty(planner, Grid::new(tiles, MoveRules::default()));
        for (from, to) in [(0, 1), (1, 0)] {
            let agent = world.spawn(AgentSpec::at(from, from)).unwrap();
            world.send(agent, Pos::new(to, to)).unwrap();
        }
        assert!(until_home(&mut world, 20).is_some(), "{planner}");
    }
}

#[test]
fn crowds_on_random_maps_get_home() {
    for seed in 0..6 {
        for name in ["lra", "lra:agitation=on", "lra:radius=1.5"] {
            let mut world = crowd(name, random_grid(32, 20, MoveRules::default(), seed), 30, seed);
            until_home(&mut world, 400);
            let home = 30 - away(&world).len();
            assert!(home * 10 >= 30 * 8, "{name}, seed {seed}: {home} of 30");
        }
    }
}
