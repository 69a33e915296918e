//! Goal assignment: agents with a shared goal head for it, claim distinct cells near it, and settle.

use throng_crowd::{
    AgentId, AgentSpec, Destination, Event, Occupant, Planner, Recording, Unit, World, check,
};
use throng_grid::moves::octile;
use throng_grid::{Area, Cell, Pos};

use crate::support::{idle, step_planner, tick, world_of};

fn pos(x: i32, y: i32) -> Pos {
    Pos::new(x, y)
}

/// Returns a planner whose agents step along a shortest path around agents at their targets and units that no planner
/// moves, or wait.
fn nimble() -> Box<dyn Planner> {
    step_planner(|view, draft, agent, target| {
        let (ground, at) = (view.ground(agent), view.at(agent));
        let free = |cell: Cell| match view.occupancy().at(cell) {
            Occupant::Nobody => true,
            Occupant::Agent(other) => {
                view.is_controlled(other) && view.target(other).is_some_and(|target| target != cell)
            }
            Occupant::Foreign => false,
        };
        let mut steps = vec![u32::MAX; ground.size().area()];
        steps[target.index()] = 0;
        let mut front = std::collections::VecDeque::from([target]);
        while let Some(cell) = front.pop_front() {
            for (_, next) in ground.neighbours(cell) {
                if steps[next.index()] == u32::MAX && (free(next) || next == at) {
                    steps[next.index()] = steps[cell.index()] + 1;
                    front.push_back(next);
                }
            }
        }
        let cells = ground.neighbours(at).map(|(_, cell)| cell);
        let open = |cell: &Cell| draft.at(view, *cell) == Occupant::Nobody;
        let distance = |cell: Cell| octile(ground.pos(cell), ground.pos(target));
        let nearer = |cell: &Cell| steps[cell.index()] <= steps[at.index()].min(u32::MAX - 1);
        cells.filter(open).filter(nearer).min_by_key(|&cell| (steps[cell.index()], distance(cell), cell))
    })
}

fn open(width: usize, height: usize) -> String {
    vec![".".repeat(width); height].join("\n")
}

/// Spawns agents at the left edge and sends them to one goal.
fn crowd(world: &mut World, count: i32, goal: Pos) -> Vec<AgentId> {
    let agents: Vec<_> = (0..count).map(|i| world.spawn(AgentSpec::at(i % 8, i / 8)).unwrap()).collect();
    for &agent in &agents {
        world.send(agent, goal).unwrap();
    }
    agents
}

/// Returns the targets of agents.
fn targets(world: &World, agents: &[AgentId]) -> Vec<Pos> {
    agents.iter().map(|&agent| world.target(agent).unwrap().unwrap()).collect()
}

#[test]
fn distant_agents_head_for_the_shared_goal() {
    let mut world = idle(&open(60, 12));
    let agents = crowd(&mut world, 40, pos(50, 5));
    assert!(targets(&world, &agents).iter().all(|&target| target == pos(50, 5)));
    tick(&mut world);
    assert!(targets(&world, &agents).iter().all(|&target| target == pos(50, 5)));
    assert!(agents.iter().all(|&agent| !world.has_arrived(agent).unwrap()));
}

#[test]
fn agents_near_the_goal_have_distinct_targets() {
    let mut world = world_of(&open(60, 12), nimble());
    let agents = crowd(&mut world, 40, pos(50, 5));
    let mut claimed = 0;
    for _ in 0..200 {
        tick(&mut world);
        let near = |&&agent: &&AgentId| world.position(agent).unwrap().x >= 50 - 8;
        let mut cells: Vec<_> =
            agents.iter().filter(near).map(|&agent| world.target(agent).unwrap()).collect();
        let count = cells.len();
        cells.sort_unstable();
        cells.dedup();
        assert_eq!(cells.len(), count, "two agents have the same target");
        claimed = claimed.max(count);
    }
    assert_eq!(claimed, 40);
}

/// Checks that every agent arrives, that few are disturbed in place, and that then no agent moves. Returns the world.
fn assert_settles(mut world: World, agents: &[AgentId], ticks: usize) -> World {
    world.start_recording();
    let events: Vec<Event> = (0..ticks).flat_map(|_| tick(&mut world)).collect();
    for &agent in agents {
        assert!(world.has_arrived(agent).unwrap(), "{agent:?} at {:?}", world.position(agent));
    }
    let left = events.iter().filter(|event| matches!(event, Event::LeftGoal { .. })).count();
    assert!(2 * left <= agents.len(), "{left} of {} agents in place were disturbed", agents.len());
    for _ in 0..100 {
        assert_eq!(tick(&mut world), []);
    }
    let report = check(&Recording::read(&world.finish_recording().unwrap()).unwrap());
    assert!(report.is_clean(), "{:?}", report.violations);
    world
}

#[test]
fn a_crowd_settles_in_the_open() {
    let mut world = world_of(&open(60, 20), nimble());
    let agents = crowd(&mut world, 80, pos(40, 10));
    let world = assert_settles(world, &agents, 900);
    // The square that 80 agents fill.
    let distance = |&agent: &AgentId| {
        let at = world.position(agent).unwrap();
        (at.x - 40).abs().max((at.y - 10).abs())
    };
    assert_eq!(agents.iter().map(distance).max(), Some(4));
    assert_eq!(
        agents.iter().filter(|agent| distance(agent) <= 2).count(),
        25,
        "all cells near the goal are occupied"
    );
}

#[test]
fn a_crowd_settles_at_the_end_of_a_corridor() {
    let wide = ".".repeat(12) + &"#".repeat(20);
    let mut rows = vec![wide; 17];
    rows[8] = ".".repeat(32);
    let mut world = world_of(&rows.join("\n"), nimble());
    let agents = crowd(&mut world, 40, pos(31, 8));
    let world = assert_settles(world, &agents, 1_500);
    assert_eq!(
        world.occupant(pos(31, 8)),
        Some(Unit::Agent(agents[39])),
        "the goal cell is not reserved for the first agent that was sent"
    );
}

#[test]
fn two_crowds_settle_side_by_side() {
    let mut world = world_of(&open(60, 20), nimble());
    let agents = crowd(&mut world, 80, pos(40, 10));
    for agent in agents.iter().skip(1).step_by(2) {
        world.send(*agent, pos(42, 10)).unwrap();
    }
    assert_settles(world, &agents, 900);
}

#[test]
fn a_crowd_settles_around_idle_and_foreign_units() {
    let mut world = world_of(&open(60, 20), nimble());
    world.place_foreign(pos(40, 10)).unwrap();
    let idler = world.spawn(AgentSpec::at(39, 9)).unwrap();
    let parked = world.spawn(AgentSpec::at(41, 9)).unwrap();
    world.send(parked, pos(0, 0)).unwrap();
    world.control(parked, false).unwrap();
    let agents: Vec<_> = (0..40).map(|i| world.spawn(AgentSpec::at(i % 8, i / 8)).unwrap()).collect();
    for &agent in &agents {
        world.send(agent, pos(40, 10)).unwrap();
    }
    let world = assert_settles(world, &agents, 900);
    assert_eq!([idler, parked].map(|agent| world.position(agent)), [Ok(pos(39, 9)), Ok(pos(41, 9))]);
}

#[test]
fn a_single_agent_takes_the_nearest_cell_if_its_goal_is_occupied() {
    let mut world = world_of(&open(30, 5), nimble());
    let unit = world.place_foreign(pos(25, 2)).unwrap();
    let agent = world.spawn(AgentSpec::at(0, 2)).unwrap();
    assert_eq!(
        world.send(agent, pos(25, 2)),
        Ok(Destination::Goal),
        "the unit may leave before the agent arrives"
    );
    let world = assert_settles(world, &[agent], 60);
    assert_eq!(world.position(agent), Ok(pos(24, 1)), "the first neighbour of the goal");
    let mut world = world;
    world.remove_foreign(unit).unwrap();
    assert_eq!(tick(&mut world), [], "an arrived agent stays");
}

#[test]
fn a_claimed_cell_that_becomes_occupied_is_given_up() {
    let mut world = world_of(&open(10, 3), nimble());
    let agent = world.spawn(AgentSpec::at(0, 1)).unwrap();
    assert_eq!(world.send(agent, pos(7, 1)), Ok(Destination::Goal));
    world.place_foreign(pos(7, 1)).unwrap();
    let events: Vec<Event> = (0..60).flat_map(|_| tick(&mut world)).collect();
    assert!(events.contains(&Event::Arrived { agent }) && world.has_arrived(agent).unwrap());
    assert_ne!(world.position(agent), Ok(pos(7, 1)));
}

#[test]
fn an_agent_in_front_moves_on_to_the_goal() {
    // The agent behind was sent first and claimed the last cell of the dead end, but the other stands in front of it.
    let mut world = world_of("......", nimble());
    let [front, back] = [3, 1].map(|x| world.spawn(AgentSpec::at(x, 0)).unwrap());
    assert_eq!(world.send(back, pos(5, 0)), Ok(Destination::Goal));
    assert_eq!(world.send(front, pos(5, 0)), Ok(Destination::Goal));
    let world = assert_settles(world, &[front, back], 20);
    assert_eq!([front, back].map(|agent| world.position(agent)), [Ok(pos(5, 0)), Ok(pos(4, 0))]);
}

#[test]
fn an_unreachable_shared_goal_is_replaced_by_the_nearest_cell() {
    let mut world = idle(&open(40, 6));
    let agents = crowd(&mut world, 10, pos(30, 3));
    world.block(Area::rect(pos(20, 0), pos(20, 5)));
    let events = tick(&mut world);
    let instead = pos(19, 3);
    let unreachable =
        |event: &&Event| matches!(event, Event::Unreachable { instead: cell, .. } if *cell == instead);
    assert_eq!(events.iter().filter(unreachable).count(), 10);
    assert!(
        targets(&world, &agents).iter().all(|&cell| cell == instead),
        "all agents head for the nearest reachable cell"
    );
    world.unblock(pos(20, 0));
    assert_eq!(tick(&mut world), []);
    assert!(targets(&world, &agents).iter().all(|&target| target == pos(30, 3)));
}

/// All 2,000 agents that are sent to a cell inside a wall get a destination.
#[test]
fn many_agents_are_sent_into_a_wall() {
    let mut rows = vec![".".repeat(128); 128];
    for row in &mut rows[40..90] {
        row.replace_range(40..90, &"#".repeat(50));
    }
    let mut world = idle(&rows.join("\n"));
    let free = world.grid().ground().free_cells().take(2_000).collect::<Vec<_>>();
    for cell in free {
        let at = world.grid().size().pos(cell);
        let agent = world.spawn(AgentSpec::at(at.x, at.y)).unwrap();
        assert_ne!(world.send(agent, pos(64, 64)), Ok(Destination::Nowhere));
    }
}

#[test]
fn a_group_arrives_once_without_the_members_that_left_it() {
    let mut world = world_of(&open(30, 12), nimble());
    let agents: Vec<_> = (0..12).map(|i| world.spawn(AgentSpec::at(i % 8, i / 8)).unwrap()).collect();
    world.start_recording();
    let (group, destinations) = world.send_group(&agents, pos(20, 6)).unwrap();
    assert_eq!(destinations, vec![Destination::Goal; 12]);
    assert_eq!(world.group(agents[3]), Ok(Some(group)));
    let mut events: Vec<Event> = (0..3).flat_map(|_| tick(&mut world)).collect();
    world.send(agents[0], pos(0, 11)).unwrap();
    world.halt(agents[1]).unwrap();
    world.despawn(agents[2]).unwrap();
    assert_eq!([0, 1].map(|i| world.group(agents[i])), [Ok(None); 2]);
    let restored = world.snapshot();
    events.extend((0..120).flat_map(|_| tick(&mut world)));
    let arrivals = events.iter().filter(|event| matches!(event, Event::GroupArrived { .. }));
    assert_eq!(arrivals.collect::<Vec<_>>(), [&Event::GroupArrived { group, settled_short: 0 }]);
    let place = |event: &Event| events.iter().rposition(|other| other == event);
    let last = agents[3..].iter().map(|&agent| place(&Event::Arrived { agent })).max().flatten();
    assert!(last < place(&Event::GroupArrived { group, settled_short: 0 }), "after its last member");
    assert_eq!(world.group(agents[3]), Ok(None));
    // An order to agents in place is answered in the next tick, under a new id.
    let (again, _) = world.send_group(&agents[3..], pos(20, 6)).unwrap();
    assert_ne!(again, group);
    assert!(tick(&mut world).contains(&Event::GroupArrived { group: again, settled_short: 0 }));
    // A group that loses all members is dropped without an event.
    let (lost, _) = world.send_group(&agents[3..5], pos(2, 2)).unwrap();
    agents[3..5].iter().for_each(|&agent| world.halt(agent).unwrap());
    let events: Vec<Event> = (0..40).flat_map(|_| tick(&mut world)).collect();
    assert!(!events.contains(&Event::GroupArrived { group: lost, settled_short: 0 }));
    let recording = world.finish_recording().unwrap();
    let report = check(&Recording::read(&recording).unwrap());
    assert!(report.is_clean(), "{:?}", report.violations);
    drop(restored);
}

#[test]
fn a_group_is_sent_as_a_whole_or_not_at_all() {
    let mut world = idle("....");
    let agent = world.spawn(AgentSpec::at(0, 0)).unwrap();
    let stranger = AgentId::from_bits(7);
    assert!(world.send_group(&[agent, stranger], pos(3, 0)).is_err());
    assert!(world.send_group(&[agent], pos(4, 0)).is_err());
    assert_eq!((world.goal(agent), world.group(agent)), (Ok(None), Ok(None)));
}

/// Foreign units close a corridor: the agent behind them settles short, says how far it is, and goes on when they leave.
#[test]
fn an_agent_that_is_cut_off_settles_short_and_goes_on() {
    let mut world = world_of("............\n#####.######", nimble());
    let agents = [0, 1].map(|x| world.spawn(AgentSpec::at(x, 0)).unwrap());
    let (group, _) = world.send_group(&agents, pos(10, 0)).unwrap();
    let unit = world.place_foreign(pos(5, 0)).unwrap();
    world.start_recording();
    let events: Vec<Event> = (0..200).flat_map(|_| tick(&mut world)).collect();
    let steps = |world: &World, agent: AgentId| 10 - world.position(agent).unwrap().x as u32;
    let short = agents.map(|agent| Event::SettledShort { agent, distance: steps(&world, agent) });
    assert!(short.iter().all(|event| events.contains(event)), "{events:?}");
    assert!(agents.iter().all(|&agent| steps(&world, agent) <= 8), "beside the unit");
    assert!(events.contains(&Event::GroupArrived { group, settled_short: 2 }));
    assert!(!events.iter().any(|event| matches!(event, Event::Arrived { .. })));
    let distances = agents.map(|agent| Ok(Some(steps(&world, agent))));
    assert_eq!(agents.map(|agent| world.settled_short(agent)), distances);
    let distance = steps(&world, agents[0]);
    assert_eq!(world.state(agents[0]), Ok(throng_crowd::AgentState::SettledShort { distance }));
    assert_eq!(agents.map(|agent| world.has_arrived(agent)), [Ok(false); 2]);
    // An order is answered again.
    world.send(agents[0], pos(10, 0)).unwrap();
    assert!(tick(&mut world).contains(&short[0]));
    world.remove_foreign(unit).unwrap();
    let events: Vec<Event> = (0..200).flat_map(|_| tick(&mut world)).collect();
    for agent in agents {
        assert!(events.contains(&Event::LeftGoal { agent }) && events.contains(&Event::Arrived { agent }));
    }
    assert_eq!(agents.map(|agent| world.settled_short(agent)), [Ok(None); 2]);
    let report = check(&Recording::read(&world.finish_recording().unwrap()).unwrap());
    assert!(report.is_clean(), "{:?}", report.violations);
}

/// The goal is in the middle of a corridor that all enter from the west: the cells beyond it are filled first, and few
/// agents in place are disturbed.
#[test]
fn a_corridor_is_filled_from_the_back() {
    let mut rows = vec![".".repeat(12) + &"#".repeat(28); 9];
    rows[4] = ".".repeat(40);
    let mut world = world_of(&rows.join("\n"), nimble());
    let agents = crowd(&mut world, 20, pos(25, 4));
    let events: Vec<Event> = (0..300).flat_map(|_| tick(&mut world)).collect();
    let mut cells: Vec<i32> = agents.iter().map(|&agent| world.position(agent).unwrap().x).collect();
    cells.sort_unstable();
    // Of the two cells ten steps away, the one with the lower number belongs to the final cells.
    assert_eq!(cells, (15..35).collect::<Vec<_>>());
    let left = events.iter().filter(|event| matches!(event, Event::LeftGoal { .. })).count();
    assert!(left <= 5, "{left} agents in place were disturbed");
}

/// Dead ends on both sides of a street: an agent that comes to the mouth of one goes in as long as cells in it are to be
/// filled, also if they belong to agents that are still to come. So few in place have to shift for another.
#[test]
fn dead_ends_are_filled_before_their_mouths() {
    let mut rows: Vec<String> = (0..15).map(|_| ".".repeat(12) + &".#".repeat(14)).collect();
    rows[7] = ".".repeat(40);
    let mut disturbed = 0;
    for x in [24, 26, 28, 30] {
        let mut world = world_of(&rows.join("\n"), nimble());
        let agents = crowd(&mut world, 72, pos(x, 7));
        let events: Vec<Event> = (0..600).flat_map(|_| tick(&mut world)).collect();
        assert!(agents.iter().all(|&agent| world.has_arrived(agent) == Ok(true)), "{x}");
        disturbed += events.iter().filter(|event| matches!(event, Event::LeftGoal { .. })).count();
    }
    assert!(disturbed <= 96, "{disturbed} agents in place were disturbed");
}
