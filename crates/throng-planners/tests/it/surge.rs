//! Surge: deadlocks are resolved, edits take effect at once, and ticks without new fields allocate nothing.

use throng_crowd::{AgentId, Budget, Event, Unit, World};
use throng_grid::{Area, Grid, MoveRules, Pos, Tiles};

use crate::support::{
    builtin_crowd, crowd, empty, not_arrived, picture, populate, random_grid, restored_crowd, run, tick,
    world_from_picture,
};

/// `a` and `b` enter a dead end in the wrong order.
const WRONG_ORDER: &str = "
    ###########
    #######...#
    #BAab.....#
    #######...#
    ###########";

/// `a` has arrived and blocks the goal of `b`.
const ARRIVED_TOO_EARLY: &str = "
    ##########
    ######...#
    #B.a.b...#
    ######...#
    ##########";

#[test]
fn agents_in_a_dead_end_leave_it_and_change_their_order() {
    for scene in [WRONG_ORDER, ARRIVED_TOO_EARLY] {
        let mut world = world_from_picture("surge", scene);
        let arrived = run(&mut world, 200, &mut Vec::new());
        assert!(arrived.is_some(), "\n{}", picture(&world));
    }
    let mut world = world_from_picture("surge:joint=off,swap=off", WRONG_ORDER);
    assert_eq!(
        run(&mut world, 200, &mut Vec::new()),
        None,
        "the scene is no deadlock without joint searches"
    );
}

/// An unsolvable deadlock is reported with the blocking agent, and the agents stop moving.
#[test]
fn unsolvable_deadlocks_are_reported_and_not_retried_often() {
    let mut world = world_from_picture("surge", "#######\n#abc.A#\n#######");
    let mut events = Vec::new();
    assert_eq!(run(&mut world, 400, &mut events), None);
    let reported = |event: &Event| {
        let [stuck, blocker] = [0, 1].map(AgentId::from_bits);
        matches!(event, Event::Stuck { agent, by: Some(Unit::Agent(by)), .. } if (*agent, *by) == (stuck, blocker))
    };
    assert!(events.iter().any(reported));
    // Retries become rarer.
    let moves = |events: &[Event]| events.iter().filter(|event| matches!(event, Event::Moved { .. })).count();
    let mut later = Vec::new();
    assert_eq!(run(&mut world, 800, &mut later), None);
    let (before, after) = (moves(&events), moves(&later));
    assert!(before < 100 && after < 60, "{before} moves in 400 ticks, then {after} in 800");
}

/// Returns a world with a long wall, a door in its middle and a detour at its lower end.
fn wall_with_a_door(closed: bool) -> World {
    let row = |cell: char| format!("{}{cell}{}", ".".repeat(20), ".".repeat(20));
    let rows: Vec<String> =
        (0..61).map(|y| row(if (29..=31).contains(&y) || y == 60 { '.' } else { '#' })).collect();
    let mut world = empty("surge", Grid::new(Tiles::picture(&rows.join("\n")), MoveRules::default()));
    if closed {
        world.block(door());
    }
    populate(&mut world, &[(Pos::new(3, 10), Pos::new(37, 10))]);
    world
}

fn door() -> Area {
    Area::rect(Pos::new(20, 29), Pos::new(20, 31))
}

fn ticks_until_arrived(world: &mut World, edit_at: u32, edit: impl Fn(&mut World)) -> u32 {
    for number in 1..400 {
        if number == edit_at {
            edit(world);
        }
        tick(world, Budget::Unlimited);
        if not_arrived(world).is_empty() {
            return number;
        }
    }
    panic!("not arrived:\n{}", picture(world));
}

#[test]
fn a_new_wall_is_bypassed_at_once() {
    let nothing = |_: &mut World| {};
    let (open, shut) = (
        ticks_until_arrived(&mut wall_with_a_door(false), 0, nothing),
        ticks_until_arrived(&mut wall_with_a_door(true), 0, nothing),
    );
    assert!(open + 40 < shut, "{open} and {shut}");
    // The first twelve steps towards the door lie on the detour too.
    let found = ticks_until_arrived(&mut wall_with_a_door(false), 12, |world| {
        world.block(door());
    });
    assert!(found <= shut + 4, "{found} ticks, but {shut} if the door is closed from the start");
}

#[test]
fn a_door_that_opens_is_used() {
    let shut = ticks_until_arrived(&mut wall_with_a_door(true), 0, |_| {});
    for at in [2, 10, 20] {
        let found = ticks_until_arrived(&mut wall_with_a_door(true), at, |world| {
            world.unblock(door());
        });
        assert!(found + 30 < shut, "opened in tick {at}: {found} of {shut}");
    }
}

/// A door opens and closes every five ticks. No agent steps into the closed door, and most agents arrive.
#[test]
fn a_door_that_toggles_causes_no_illegal_move() {
    let mut world = wall_with_a_door(false);
    let pairs: Vec<_> =
        (0..20).map(|i| (Pos::new(5 + i % 4, 20 + i), Pos::new(35 - i % 4, 20 + i))).collect();
    populate(&mut world, &pairs);
    for number in 0..500 {
        if number % 5 == 0 {
            if number % 10 == 0 {
                world.block(door());
            } else {
                world.unblock(door());
            }
        }
        let events = tick(&mut world, Budget::expansions(6_000));
        let overruled = |event: &Event| matches!(event, Event::Overruled { .. });
        assert!(!events.iter().any(overruled), "{events:?}");
    }
    assert!(not_arrived(&world).len() <= 2, "\n{}", picture(&world));
}

#[test]
fn a_warm_tick_allocates_nothing() {
    for (spec, has_plans) in [("surge:window=0", false), ("surge", true)] {
        let grid = random_grid(96, 8, MoveRules::default(), 5);
        let mut world = crowd(spec, grid, 30, 5);
        let (mut events, mut measured) = (Vec::with_capacity(10_000), 0);
        for number in 0..40 {
            events.clear();
            let before = world.totals().expansions;
            let allocated = allocation_counter::measure(|| {
                world.tick(Budget::Unlimited, &mut events);
            });
            let is_working = world.totals().expansions != before;
            if number < 12 || not_arrived(&world).is_empty() {
                continue;
            }
            // Ticks that compute the fields of targets keep them. Without plans all work is for these fields.
            if !has_plans && !is_working {
                assert_eq!(allocated.count_total, 0, "{} bytes in tick {number}", allocated.bytes_total);
            }
            measured += u32::from(allocated.count_total == 0 && is_working == has_plans);
        }
        assert!(measured >= 10, "{spec}: {measured}");
    }
}

/// When all agents get new goals at once, most move in the next tick, within the budget.
#[test]
fn many_new_goals_at_once_stay_within_the_budget() {
    let mut world = builtin_crowd("surge", "arena", 300, 4);
    let goals: Vec<Pos> = world.agents().iter().map(|&agent| world.goal(agent).unwrap().unwrap()).collect();
    for _ in 0..10 {
        tick(&mut world, Budget::expansions(2_000));
    }
    for (i, &agent) in world.agents().to_vec().iter().enumerate() {
        world.send(agent, goals[(i * 7 + 100) % goals.len()]).unwrap();
    }
    let mut events = Vec::new();
    let report = world.tick(Budget::expansions(2_000), &mut events);
    assert!(report.expansions <= 2_000);
    let steps = events.iter().filter(|event| matches!(event, Event::Moved { .. })).count();
    assert!(steps > 200, "{steps} of 300 move");
}

/// Runs a crowd whose agents get the next goal when they arrive. Returns the number of arrivals and the last state.
fn run_lifelong(mut world: World, ticks: u32) -> (usize, u64) {
    let free: Vec<Pos> = {
        let ground = world.grid().ground();
        let largest = ground.components().largest();
        let is_inside = |&cell: &throng_grid::Cell| ground.components().label(ground, cell) == largest;
        ground.free_cells().filter(is_inside).map(|cell| ground.pos(cell)).collect()
    };
    let (mut rng, mut arrivals) = (throng_grid::SeededRng::new(5), 0);
    for _ in 0..ticks {
        for event in tick(&mut world, Budget::Unlimited) {
            if let Event::Arrived { agent } = event {
                arrivals += 1;
                world.send(agent, rng.pick(&free)).unwrap();
            }
        }
    }
    (arrivals, world.state_hash())
}

/// Prices of steps belong to the state of the planner, and raise the throughput among random obstacles.
#[test]
fn prices_of_steps_are_saved_and_raise_the_throughput() {
    let grid = || random_grid(32, 20, MoveRules::default(), 3);
    let found = run_lifelong(crowd("surge", grid(), 200, 3), 400);
    for every in [1, 7] {
        assert_eq!(run_lifelong(restored_crowd("surge", grid(), 200, 3, every), 400), found);
    }
    let exact = run_lifelong(crowd("pibt", grid(), 200, 3), 400);
    assert!(found.0 * 100 > exact.0 * 105, "{} arrivals, with exact distances {}", found.0, exact.0);
}
