//! Memory allocations of a tick.

use throng_crowd::{AgentSpec, Budget};
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
