//! Goals that several agents share: who heads for what from afar, who has which cell, and that they settle.

use throng_crowd::MoveDraft;
use throng_crowd::{AgentId, AgentSpec, Destination, Event, Occupant, Planner, Recording, World, check};
use throng_grid::moves::octile;
use throng_grid::{Area, Cell, Pos};

use crate::support::{idle, script, tick, world_of};

fn pos(x: i32, y: i32) -> Pos {
    Pos::new(x, y)
}

/// Everyone steps to the free cell beside it that is nearest to its target, if it is no farther than its own.
fn nimble() -> Box<dyn Planner> {
    let mut claims = MoveDraft::default();
    script(move |view, moves| {
        claims.begin(view);
        for &agent in view.movers() {
            let (ground, at) = (view.ground(agent), view.at(agent));
            let Some(target) = view.target(agent).filter(|&target| target != at) else { continue };
            let far = |cell: Cell| octile(ground.pos(cell), ground.pos(target));
            let free = |cell: &Cell| claims.at(view, *cell) == Occupant::Nobody && far(*cell) <= far(at);
            let cells = ground.neighbours(at).map(|(_, cell)| cell).filter(free);
            if let Some(to) = cells.min_by_key(|&cell| (far(cell), cell)) {
                claims.go(view, moves, agent, to);
            }
        }
    })
}

fn open(width: usize, height: usize) -> String {
    vec![".".repeat(width); height].join("\n")
}

/// A crowd at the left edge, sent to one place.
fn crowd(world: &mut World, count: i32, goal: Pos) -> Vec<AgentId> {
    let agents: Vec<_> = (0..count).map(|i| world.spawn(AgentSpec::at(i % 8, i / 8)).unwrap()).collect();
    for &agent in &agents {
        world.send(agent, goal).unwrap();
    }
    agents
}

/// The cells that agents head for.
fn targets(world: &World, agents: &[AgentId]) -> Vec<Cell> {
    agents.iter().map(|&agent| world.target(agent).unwrap()).collect()
}

#[test]
fn from_afar_all_head_for_the_goal() {
    let mut world = idle(&open(60, 12));
    let agents = crowd(&mut world, 40, pos(50, 5));
    assert!(targets(&world, &agents).iter().all(|&cell| cell == Cell(5 * 60 + 50)));
    tick(&mut world);
    assert!(targets(&world, &agents).iter().all(|&cell| cell == Cell(5 * 60 + 50)));
    assert!(agents.iter().all(|&agent| !world.has_arrived(agent)));
}

#[test]
fn who_comes_near_has_a_cell_of_its_own() {
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
        assert_eq!(cells.len(), count, "two have one cell");
        claimed = claimed.max(count);
    }
    assert_eq!(claimed, 40);
}

/// All come home, each is told so once, and then nobody stirs.
fn settles(mut world: World, agents: &[AgentId], ticks: usize) -> World {
    world.start_recording();
    let events: Vec<Event> = (0..ticks).flat_map(|_| tick(&mut world)).collect();
    for &agent in agents {
        assert!(world.has_arrived(agent), "{agent:?} at {:?}", world.position(agent));
        assert_eq!(events.iter().filter(|event| **event == Event::Arrived { agent }).count(), 1);
    }
    assert!(!events.iter().any(|event| matches!(event, Event::LeftGoal { .. })));
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
    let world = settles(world, &agents, 900);
    // As tight as the square that eighty fill, and a little more.
    let far = |&agent: &AgentId| {
        let at = world.position(agent).unwrap();
        (at.x - 40).abs().max((at.y - 10).abs())
    };
    assert!(agents.iter().map(far).max() <= Some(7));
    assert_eq!(agents.iter().filter(|agent| far(agent) <= 2).count(), 25, "the middle is full");
}

#[test]
fn a_crowd_settles_at_the_end_of_a_corridor() {
    let wide = ".".repeat(12) + &"#".repeat(20);
    let mut rows = vec![wide; 17];
    rows[8] = ".".repeat(32);
    let mut world = world_of(&rows.join("\n"), nimble());
    let agents = crowd(&mut world, 40, pos(31, 8));
    let world = settles(world, &agents, 1_500);
    assert_eq!(world.occupant(Cell(8 * 32 + 31)), Occupant::Agent(agents[39]), "not the first who was sent");
}

#[test]
fn two_crowds_settle_side_by_side() {
    let mut world = world_of(&open(60, 20), nimble());
    let agents = crowd(&mut world, 80, pos(40, 10));
    for agent in agents.iter().skip(1).step_by(2) {
        world.send(*agent, pos(42, 10)).unwrap();
    }
    settles(world, &agents, 900);
}

#[test]
fn a_crowd_settles_around_those_who_stay() {
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
    let world = settles(world, &agents, 900);
    assert_eq!([idler, parked].map(|agent| world.position(agent)), [Some(pos(39, 9)), Some(pos(41, 9))]);
}

#[test]
fn a_lone_agent_takes_the_next_cell_when_its_goal_is_held() {
    let mut world = world_of(&open(30, 5), nimble());
    let unit = world.place_foreign(pos(25, 2)).unwrap();
    let agent = world.spawn(AgentSpec::at(0, 2)).unwrap();
    assert_eq!(world.send(agent, pos(25, 2)), Ok(Destination::Goal), "it may be gone until then");
    let world = settles(world, &[agent], 60);
    assert_eq!(world.position(agent), Some(pos(24, 1)), "the first beside it");
    let mut world = world;
    world.remove_foreign(unit).unwrap();
    assert_eq!(tick(&mut world), [], "home is home");
}

/// The cell is taken after the agent has claimed it.
#[test]
fn a_cell_that_somebody_parks_on_is_given_up() {
    let mut world = world_of(&open(10, 3), nimble());
    let agent = world.spawn(AgentSpec::at(0, 1)).unwrap();
    assert_eq!(world.send(agent, pos(7, 1)), Ok(Destination::Goal));
    world.place_foreign(pos(7, 1)).unwrap();
    let events: Vec<Event> = (0..60).flat_map(|_| tick(&mut world)).collect();
    assert!(events.contains(&Event::Arrived { agent }) && world.has_arrived(agent));
    assert_ne!(world.position(agent), Some(pos(7, 1)));
}

#[test]
fn who_arrives_walks_on_for_those_behind() {
    // The second is sent first and has the dead end's last cell, but the first stands before it.
    let mut world = world_of("......", nimble());
    let [front, back] = [3, 1].map(|x| world.spawn(AgentSpec::at(x, 0)).unwrap());
    assert_eq!(world.send(back, pos(5, 0)), Ok(Destination::Goal));
    assert_eq!(world.send(front, pos(5, 0)), Ok(Destination::Near(Cell(4))));
    let world = settles(world, &[front, back], 20);
    assert_eq!([front, back].map(|agent| world.position(agent)), [Some(pos(5, 0)), Some(pos(4, 0))]);
}

#[test]
fn walls_and_a_shared_goal() {
    let mut world = idle(&open(40, 6));
    let agents = crowd(&mut world, 10, pos(30, 3));
    world.block(Area::rect(pos(20, 0), pos(20, 5)));
    let events = tick(&mut world);
    let instead = Cell(3 * 40 + 19);
    let unreachable =
        |event: &&Event| matches!(event, Event::Unreachable { instead: cell, .. } if *cell == instead);
    assert_eq!(events.iter().filter(unreachable).count(), 10);
    assert!(targets(&world, &agents).iter().all(|&cell| cell == instead), "all approach the nearest cell");
    world.unblock(pos(20, 0));
    assert_eq!(tick(&mut world), []);
    assert!(targets(&world, &agents).iter().all(|&cell| cell == Cell(3 * 40 + 30)));
}

/// Two thousand orders to a cell inside a wall: the nearest free cell is looked for once, and all of them get cells.
#[test]
fn many_are_sent_into_a_wall() {
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
