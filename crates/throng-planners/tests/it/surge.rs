//! Surge: the last few are untied, walls that are built and doors that open are noticed, and warm ticks allocate nothing.

use throng_crowd::{AgentId, Budget, Event, World};
use throng_grid::{Area, Grid, MoveRules, Pos, Tiles};

use crate::support::{
    away, builtin_crowd, crowd, empty, picture, pictured, populate, random_grid, run, tick,
};

/// `a` and `b` are on their way into a dead end in the wrong order.
const WRONG_ORDER: &str = "
    ###########
    #######...#
    #BAab.....#
    #######...#
    ###########";

/// `a` has arrived before `b`, whose place lies behind it.
const ARRIVED_TOO_EARLY: &str = "
    ##########
    ######...#
    #B.a.b...#
    ######...#
    ##########";

#[test]
fn two_in_a_dead_end_come_out_and_change_their_order() {
    for scene in [WRONG_ORDER, ARRIVED_TOO_EARLY] {
        let mut world = pictured("surge", scene);
        let home = run(&mut world, 200, &mut Vec::new());
        assert!(home.is_some(), "\n{}", picture(&world));
    }
    let mut world = pictured("surge:knots=off,swap=off", WRONG_ORDER);
    assert_eq!(run(&mut world, 200, &mut Vec::new()), None, "no knot any more");
}

/// Where there is no way, that is said, of whom and because of whom, and nobody jitters.
#[test]
fn what_cannot_be_untied_is_told_and_left_alone() {
    let mut world = pictured("surge", "#######\n#abc.A#\n#######");
    let mut events = Vec::new();
    assert_eq!(run(&mut world, 400, &mut events), None);
    let told = |event: &Event| matches!(event, Event::Stuck { agent: AgentId(0), by: Some(AgentId(1)), .. });
    assert!(events.iter().any(told));
    // They try a few times, and less and less often.
    let moves = |events: &[Event]| events.iter().filter(|event| matches!(event, Event::Moved { .. })).count();
    let mut later = Vec::new();
    assert_eq!(run(&mut world, 800, &mut later), None);
    let (before, after) = (moves(&events), moves(&later));
    assert!(before < 100 && after < 60, "{before} moves in 400 ticks, then {after} in 800");
}

/// A long wall with a door in the middle and a way round at its lower end.
fn wall_with_a_door(shut: bool) -> World {
    let row = |cell: char| format!("{}{cell}{}", ".".repeat(20), ".".repeat(20));
    let rows: Vec<String> =
        (0..61).map(|y| row(if (29..=31).contains(&y) || y == 60 { '.' } else { '#' })).collect();
    let mut world = empty("surge", Grid::new(Tiles::picture(&rows.join("\n")), MoveRules::default()));
    if shut {
        world.block(door());
    }
    populate(&mut world, &[(Pos::new(3, 10), Pos::new(37, 10))]);
    world
}

fn door() -> Area {
    Area::rect(Pos::new(20, 29), Pos::new(20, 31))
}

fn ticks_until_home(world: &mut World, edit_at: u32, edit: impl Fn(&mut World)) -> u32 {
    for number in 1..400 {
        if number == edit_at {
            edit(world);
        }
        tick(world, Budget::Unlimited);
        if away(world).is_empty() {
            return number;
        }
    }
    panic!("not home:\n{}", picture(world));
}

#[test]
fn a_wall_in_the_corridor_is_gone_around_at_once() {
    let nothing = |_: &mut World| {};
    let (open, shut) = (
        ticks_until_home(&mut wall_with_a_door(false), 0, nothing),
        ticks_until_home(&mut wall_with_a_door(true), 0, nothing),
    );
    assert!(open + 40 < shut, "{open} and {shut}");
    // Twelve steps towards the door are no loss: it lies on the way round.
    let found = ticks_until_home(&mut wall_with_a_door(false), 12, |world| {
        world.block(door());
    });
    assert!(found <= shut + 2, "{found}, and {shut} if it was shut before");
}

#[test]
fn a_door_that_opens_elsewhere_is_noticed() {
    let shut = ticks_until_home(&mut wall_with_a_door(true), 0, |_| {});
    for at in [2, 10, 20] {
        let found = ticks_until_home(&mut wall_with_a_door(true), at, |world| {
            world.unblock(door());
        });
        assert!(found + 30 < shut, "opened in tick {at}: {found} of {shut}");
    }
}

/// A door that opens and shuts every five ticks: nobody steps into it when it is shut, and most get home.
#[test]
fn a_door_that_never_rests() {
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
        let events = tick(&mut world, Budget::expansions(3_000));
        let refused = |event: &Event| matches!(event, Event::Overruled { .. });
        assert!(!events.iter().any(refused), "{events:?}");
    }
    assert!(away(&world).len() <= 1, "\n{}", picture(&world));
}

/// Agents that nobody disturbs, with their fields made.
#[test]
fn a_warm_tick_allocates_nothing() {
    let grid = random_grid(64, 8, MoveRules::default(), 5);
    let mut world = crowd("surge", grid, 60, 5);
    let mut events = Vec::with_capacity(10_000);
    let mut ticks = |world: &mut World, count: u32| {
        for _ in 0..count {
            events.clear();
            world.tick(Budget::Unlimited, &mut events);
        }
    };
    ticks(&mut world, 12);
    let before = world.totals().expansions;
    let allocated = allocation_counter::measure(|| ticks(&mut world, 12));
    assert_eq!(world.totals().expansions, before, "fields were made");
    assert!(!away(&world).is_empty());
    assert_eq!(allocated.count_total, 0, "{} bytes", allocated.bytes_total);
}

/// Sent elsewhere all at once, everyone moves on in the next tick, within the budget.
#[test]
fn many_are_sent_elsewhere_at_once() {
    let mut world = builtin_crowd("surge", "arena", 300, 4);
    let places: Vec<Pos> = world.agents().iter().map(|&agent| world.goal(agent).unwrap()).collect();
    for _ in 0..10 {
        tick(&mut world, Budget::expansions(2_000));
    }
    for (i, &agent) in world.agents().to_vec().iter().enumerate() {
        world.send(agent, places[(i * 7 + 100) % places.len()]).unwrap();
    }
    let mut events = Vec::new();
    let report = world.tick(Budget::expansions(2_000), &mut events);
    assert!(report.expansions <= 2_000);
    let steps = events.iter().filter(|event| matches!(event, Event::Moved { .. })).count();
    assert!(steps > 200, "{steps} of 300 move");
}
