//! Edits that concern many agents at once: the only gate of a map closes and opens. New targets are chosen over several
//! ticks, within the budget, and are those of the slow scan of the whole map.

use throng_crowd::{AgentId, AgentSpec, Budget, Event, Recording, World, check};
use throng_grid::{Area, Cell, Pos};

use crate::support::{given, wander, world_of};

const COUNT: u32 = 90;
const GATE: Pos = Pos::new(20, 4);

/// Returns a world with agents left of a wall with one gate, each with a goal of its own on the other side.
fn gate_world() -> World {
    let row = format!("{}#{}", ".".repeat(20), ".".repeat(19));
    let mut rows = vec![row; 9];
    rows[4] = ".".repeat(40);
    let mut world = world_of(&rows.join("\n"), wander());
    for i in 0..COUNT as i32 {
        let agent = world.spawn(AgentSpec::at(i % 10, i / 10)).unwrap();
        world.send(agent, Pos::new(25 + i % 15, i / 15)).unwrap();
    }
    world
}

fn tick(world: &mut World) -> Vec<Event> {
    let mut events = Vec::new();
    world.tick(Budget::expansions(0), &mut events);
    events
}

/// Returns the number of agents whose target is the reachable cell nearest to their goal, and of those without a target.
fn targets(world: &World) -> (usize, usize) {
    let ground = world.grid().ground();
    let nearest = |&&agent: &&AgentId| {
        let at = ground.cell(world.position(agent).unwrap()).unwrap();
        let goal = world.goal(agent).unwrap().unwrap();
        let is_inside = |cell: Cell| ground.reachable(at, cell);
        let nearest = ground.nearest_where(goal, is_inside);
        world.target(agent) == Ok(nearest.map(|cell| ground.pos(cell)))
    };
    let without = world.agents().iter().filter(|&&agent| world.target(agent) == Ok(None)).count();
    (world.agents().iter().filter(nearest).count(), without)
}

#[test]
fn new_targets_are_chosen_over_several_ticks() {
    let mut world = gate_world();
    world.start_recording();
    tick(&mut world);
    assert_eq!(targets(&world), (COUNT as usize, 0));
    world.block(GATE);
    let mut unreachable = 0;
    let mut waiting = Vec::new();
    for _ in 0..6 {
        let events = tick(&mut world);
        unreachable += events.iter().filter(|event| matches!(event, Event::Unreachable { .. })).count();
        let (right, without) = targets(&world);
        assert_eq!(right + without, COUNT as usize, "a target is right or there is none");
        waiting.push(without);
    }
    assert!(waiting[0] > 0 && waiting[0] < COUNT as usize && waiting[5] == 0, "{waiting:?}");
    assert_eq!(unreachable, COUNT as usize, "each agent is reported once");
    world.unblock(GATE);
    let right: Vec<_> = (0..6).map(|_| (tick(&mut world), targets(&world).0).1).collect();
    assert!(right[0] < COUNT as usize && right[5] == COUNT as usize, "{right:?}");
    let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
    let report = check(&recording);
    assert!(report.is_clean(), "{:?}", report.violations);
    let mut playback = recording.play().unwrap();
    while playback.step().unwrap() {}
}

#[test]
fn reviews_under_way_are_saved() {
    let mut world = gate_world();
    tick(&mut world);
    world.block(Area::Cell(GATE));
    tick(&mut world);
    let mut twin = World::restore(&world.snapshot(), given(wander())).unwrap();
    for _ in 0..8 {
        assert_eq!(tick(&mut world), tick(&mut twin));
        assert_eq!(world.state_hash(), twin.state_hash());
        assert_eq!(world.snapshot(), twin.snapshot());
    }
    assert_eq!(targets(&world), (COUNT as usize, 0));
}

#[test]
fn an_agent_with_a_new_order_is_not_kept_waiting() {
    let mut world = gate_world();
    world.block(GATE);
    tick(&mut world);
    let last = world.agents()[COUNT as usize - 1];
    assert_eq!(world.target(last), Ok(None));
    world.send(last, Pos::new(0, 8)).unwrap();
    assert!(world.target(last).unwrap().is_some());
    for _ in 0..8 {
        tick(&mut world);
    }
    assert_eq!(world.goal(last), Ok(Some(Pos::new(0, 8))));
}
