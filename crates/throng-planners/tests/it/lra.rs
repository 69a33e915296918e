//! Local Repair A*.

use throng_crowd::{AgentSpec, Budget, Event, Unit};
use throng_grid::scene;
use throng_grid::{Grid, MoveRules, Pos, Tiles};

use crate::support::{crowd, empty, not_arrived, random_grid, tick, until_arrived, world_from_picture};

#[test]
fn scenes_without_chokepoints_are_solved() {
    for (name, picture) in scene::all() {
        let narrow = matches!(*name, "swap_without_room" | "corridor_head_on");
        for planner in ["lra", "lra:agitation=on"] {
            let mut world = world_from_picture(planner, picture);
            let ticks = until_arrived(&mut world, 500);
            assert!(ticks.is_some() || narrow, "{planner} on {name}");
        }
    }
}

#[test]
fn units_outside_the_radius_are_not_obstacles() {
    // Two paths, the lower one longer; a foreign unit blocks the upper one.
    let picture = "a........
                   .#######.
                   .#######.
                   ........A";
    for (radius, waits) in [(3, true), (8, false)] {
        let mut world = world_from_picture(&format!("lra:radius={radius}"), picture);
        world.send(world.agents()[0], Pos::new(8, 0)).unwrap();
        world.place_foreign(Pos::new(6, 0)).unwrap();
        let mut waited = false;
        let mut arrived = None;
        for time in 0..40 {
            let events = tick(&mut world, Budget::Unlimited);
            waited |= events.iter().any(|event| matches!(event, Event::Waited { by: None, .. }));
            arrived = arrived.or(world.has_arrived(world.agents()[0]).unwrap().then_some(time));
        }
        let turned_back = arrived.unwrap() > 14;
        assert_eq!((waited || turned_back, arrived.is_some()), (waits, true), "radius {radius}");
    }
}

#[test]
fn an_agent_waits_beside_its_occupied_goal() {
    let mut world = empty("lra", Grid::new(Tiles::picture("......"), MoveRules::default()));
    let a = world.spawn(AgentSpec::at(0, 0)).unwrap();
    world.send(a, Pos::new(5, 0)).unwrap();
    let b = world.spawn(AgentSpec::at(5, 0)).unwrap();
    for _ in 0..8 {
        tick(&mut world, Budget::Unlimited);
    }
    assert_eq!(world.position(a), Ok(Pos::new(4, 0)));
    let events = tick(&mut world, Budget::Unlimited);
    assert!(
        events
            .iter()
            .any(|event| matches!(event, Event::Waited { by: Some(other), .. } if *other == Unit::Agent(b)))
    );
    world.despawn(b).unwrap();
    assert!(until_arrived(&mut world, 40).is_some());
}

#[test]
fn two_agents_on_each_others_goals_swap() {
    for planner in ["lra", "dm"] {
        let tiles = Tiles::picture("...\n...\n...");
        let mut world = empty(planner, Grid::new(tiles, MoveRules::default()));
        for (from, to) in [(0, 1), (1, 0)] {
            let agent = world.spawn(AgentSpec::at(from, from)).unwrap();
            world.send(agent, Pos::new(to, to)).unwrap();
        }
        assert!(until_arrived(&mut world, 20).is_some(), "{planner}");
    }
}

#[test]
fn most_agents_arrive_on_random_maps() {
    for seed in 0..6 {
        for name in ["lra", "lra:agitation=on", "lra:radius=1.5"] {
            let mut world = crowd(name, random_grid(32, 20, MoveRules::default(), seed), 30, seed);
            until_arrived(&mut world, 400);
            let arrived = 30 - not_arrived(&world).len();
            assert!(arrived * 10 >= 30 * 8, "{name}, seed {seed}: {arrived} of 30");
        }
    }
}
