//! Memory allocations of a tick.

use throng_crowd::{AgentSpec, Budget, Event, Unit};
use throng_grid::Pos;

use crate::support::{greedy, world_of};

#[test]
fn a_warm_tick_allocates_nothing() {
    let row = ".".repeat(40);
    let mut world = world_of(&vec![row; 30].join("\n"), greedy());
    let agents: Vec<_> = (0..200).map(|i| world.spawn(AgentSpec::at(i % 40, i / 40)).unwrap()).collect();
    let mut events = Vec::with_capacity(10_000);
    let mut run = |from: usize| {
        for round in from..from + 6 {
            for (i, &agent) in agents.iter().enumerate() {
                let i = (i * 7 + round * 13) as i32;
                world.send(agent, Pos::new(i % 40, 29 - i % 7)).unwrap();
            }
            for _ in 0..10 {
                events.clear();
                world.tick(Budget::Unlimited, &mut events);
            }
        }
    };
    run(0);
    let allocated = allocation_counter::measure(|| run(6));
    assert_eq!(allocated.count_total, 0, "{} bytes", allocated.bytes_total);
}

/// Agents that go up and down a row each, and others that follow foreign units on the same rows.
#[test]
fn orders_allocate_nothing_when_they_are_carried_out() {
    let row = ".".repeat(40);
    let mut world = world_of(&vec![row; 30].join("\n"), greedy());
    let mut units = Vec::new();
    for y in (0..30).step_by(2) {
        let agent = world.spawn(AgentSpec::at(1, y)).unwrap();
        if y % 4 == 0 {
            world.patrol(agent, &[Pos::new(0, y), Pos::new(20, y), Pos::new(39, y)]).unwrap();
        } else {
            let unit = world.place_foreign(Pos::new(20, y)).unwrap();
            world.follow(agent, Unit::Foreign(unit), 2).unwrap();
            units.push((unit, y));
        }
    }
    let mut events = Vec::with_capacity(10_000);
    let mut run = |ticks: i32| {
        let mut counts = (0, 0);
        for _ in 0..ticks {
            events.clear();
            let there = (world.ticks() as i32 / 3 * 7) % 30;
            for &(unit, y) in &units {
                let _occupied = world.move_foreign(unit, Pos::new(5 + there, y));
            }
            world.tick(Budget::Unlimited, &mut events);
            for event in &events {
                counts.0 += u32::from(matches!(event, Event::Waypoint { .. }));
                counts.1 += u32::from(matches!(event, Event::Moved { .. }));
            }
        }
        counts
    };
    run(200);
    let mut counts = (0, 0);
    let allocated = allocation_counter::measure(|| counts = run(200));
    assert_eq!(allocated.count_total, 0, "{} bytes", allocated.bytes_total);
    assert!(counts.0 > 50 && counts.1 > 2_000, "{counts:?}");
}
