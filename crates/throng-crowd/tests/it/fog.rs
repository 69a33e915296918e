//! Unknown maps: what agents know, when they learn it, and what `send` answers. The planners' part is tested with the
//! planners.

use throng_crowd::{
    AgentId, AgentSpec, Destination, Event, Fog, MapKnowledge, NamedPlanner, Recording, Settings, SetupError,
    Sharing, World, WorldError, check,
};
use throng_grid::{Grid, MoveRules, Pos, Tiles};

use crate::support::{Idle, greedy, script, tick};

fn pos(x: i32, y: i32) -> Pos {
    Pos::new(x, y)
}

/// Returns a world without agents in which agents know only what they have seen.
fn foggy(picture: &str, fog: Fog, planner: impl Into<NamedPlanner>) -> World {
    let grid = Grid::new(Tiles::picture(picture), MoveRules::default());
    World::new(grid, planner, Settings::default().fog(fog)).unwrap()
}

fn spawn(world: &mut World, x: i32, y: i32) -> AgentId {
    world.spawn(AgentSpec::at(x, y)).unwrap()
}

/// Draws what an agent knows: `?` for a cell that it has not seen, `#` for a cell that it takes for blocked.
fn known(world: &World, agent: AgentId) -> String {
    let ground = world.known_ground(agent).unwrap();
    let size = ground.size();
    let character = |cell| match (world.has_seen(agent, size.pos(cell)).unwrap(), ground.is_free(cell)) {
        (false, true) => '?',
        (true, true) => '.',
        (_, false) => '#',
    };
    let all: Vec<char> = size.cells().map(character).collect();
    all.chunks(size.width() as usize).map(|row| row.iter().collect::<String>()).collect::<Vec<_>>().join("\n")
}

const ROOM: &str = "
    .#......
    ..#.....
    .....#..
    ........";

#[test]
fn an_agent_knows_the_square_around_it() {
    let mut world = foggy(ROOM, Fog::radius(1), greedy());
    let agent = spawn(&mut world, 1, 1);
    assert_eq!(known(&world, agent), ".#.?????\n..#?????\n...?????\n????????");
    world.send(agent, pos(2, 3)).unwrap();
    tick(&mut world);
    assert_eq!(known(&world, agent), ".#.?????\n..#?????\n...?????\n...?????", "after a step to 1,2");
    world.teleport(agent, pos(6, 2)).unwrap();
    assert_eq!(known(&world, agent), ".#.?????\n..#??...\n...??#..\n...??...");
    let nobody = AgentId::from_bits(7);
    assert_eq!(world.has_seen(agent, pos(8, 1)), Ok(false), "outside the map");
    assert_eq!(world.has_seen(nobody, pos(0, 0)), Err(WorldError::NoSuchAgent(nobody)));
    assert!(world.known_ground(nobody).is_err());
    let mut clear = World::new(world.grid().clone(), greedy(), Settings::default()).unwrap();
    let agent = spawn(&mut clear, 1, 1);
    assert!(clear.has_seen(agent, pos(7, 3)).unwrap(), "without fog the whole map is known");
}

#[test]
fn agents_share_a_map_or_have_their_own() {
    let far = |world: &mut World| [spawn(world, 0, 0), spawn(world, 7, 3)];
    let mut world = foggy(ROOM, Fog::radius(2), script(|_, _| {}));
    let agents = far(&mut world);
    assert_eq!(known(&world, agents[0]), ".#.?????\n..#?????\n...?????\n????????");
    assert_eq!(known(&world, agents[1]), "????????\n?????...\n?????#..\n?????...");
    let mut world = foggy(ROOM, Fog::radius(2).shared(), script(|_, _| {}));
    for agent in far(&mut world) {
        assert_eq!(known(&world, agent), ".#.?????\n..#??...\n...??#..\n?????...");
    }
}

#[test]
fn a_change_is_known_when_it_is_seen() {
    let mut world = foggy("........", Fog::radius(2), script(|_, _| {}));
    let agent = spawn(&mut world, 0, 0);
    world.block(pos(2, 0));
    world.block(pos(5, 0));
    assert_eq!(known(&world, agent), "...?????", "an edit takes effect with the next tick");
    tick(&mut world);
    assert_eq!(known(&world, agent), "..#?????");
    world.teleport(agent, pos(7, 0)).unwrap();
    world.unblock(pos(2, 0));
    tick(&mut world);
    assert_eq!(known(&world, agent), "..#??#..", "the cell is known as it was");
    world.teleport(agent, pos(3, 0)).unwrap();
    assert_eq!(known(&world, agent), ".....#..");
}

#[test]
fn a_goal_in_an_unknown_wall_is_found_out() {
    let mut world = foggy("......##", Fog::radius(2), greedy());
    let agent = spawn(&mut world, 0, 0);
    assert_eq!(world.send(agent, pos(7, 0)), Ok(Destination::Goal), "nobody has seen the wall");
    let events: Vec<Event> = (0..8).flat_map(|_| tick(&mut world)).collect();
    // At column 4 the agent sees the first wall, and that it ends the way.
    assert!(
        events.contains(&Event::Unreachable { agent, goal: pos(7, 0), instead: pos(5, 0) }),
        "{events:?}"
    );
    assert!(world.has_arrived(agent).unwrap() && world.target(agent).unwrap() == Some(pos(5, 0)));
    assert_eq!(world.send(agent, pos(6, 0)), Ok(Destination::Unreachable(pos(5, 0))), "it knows this wall");
}

#[test]
fn a_goal_is_reached_again_when_the_agent_sees_that_it_is_free() {
    let mut world = foggy(".....#", Fog::radius(1), greedy());
    let agent = spawn(&mut world, 0, 0);
    world.send(agent, pos(5, 0)).unwrap();
    (0..6).for_each(|_| drop(tick(&mut world)));
    assert_eq!(world.position(agent), Ok(pos(4, 0)));
    world.set_terrain(pos(5, 0), throng_grid::Terrain::Ground);
    (0..3).for_each(|_| drop(tick(&mut world)));
    assert_eq!(world.position(agent), Ok(pos(5, 0)));
    assert!(world.has_arrived(agent).unwrap());
}

/// A foreign unit holds the goal. The agent takes another cell, but only when it sees the unit.
#[test]
fn units_out_of_sight_do_not_hold_a_cell() {
    let goal = |radius: u16| {
        let mut world = foggy("...\n...\n...", Fog::radius(radius), script(|_, _| {}));
        let agent = spawn(&mut world, 0, 0);
        world.place_foreign(pos(2, 2)).unwrap();
        world.send(agent, pos(2, 2)).unwrap()
    };
    assert_eq!(goal(1), Destination::Goal);
    assert!(matches!(goal(2), Destination::Taken(_)));
}

#[test]
fn settings_that_contradict_each_other_are_refused() {
    let grid = || Grid::new(Tiles::picture("..."), MoveRules::default());
    let new = |planner: NamedPlanner, settings| World::new(grid(), planner, settings).err();
    let whole = || NamedPlanner::new("idle", Box::new(Idle(Sharing::Nothing)));
    let (required, granted) = (MapKnowledge::Whole, MapKnowledge::Own);
    let error = new(whole(), Settings::default().fog(Fog::radius(3))).unwrap();
    assert_eq!(error, SetupError::Map { planner: "idle".to_owned(), required, granted });
    assert_eq!(
        error.to_string(),
        "the planner `idle` requires the whole map and the settings grant what each agent has seen: choose a planner \
         for unknown maps, or no fog"
    );
    let any = || NamedPlanner::from(greedy());
    let fog = |fog| Settings::default().fog(fog);
    assert_eq!(new(any(), fog(Fog::radius(0))), Some(SetupError::NoSight));
    assert_eq!(
        new(any(), fog(Fog::radius(1).shared()).sharing(Sharing::Nothing)),
        Some(SetupError::SharedMap)
    );
    assert_eq!(new(any(), fog(Fog::radius(1).shared()).sharing(Sharing::MoveRequests)), None);
    assert_eq!(new(any(), fog(Fog::radius(1)).sharing(Sharing::Nothing)), None);
    assert_eq!(new(any(), fog(Fog::radius(u16::MAX))), None);
}

/// The checker follows what agents know: it finds a target that an agent could only have with knowledge that it lacks.
#[test]
fn the_checker_knows_what_agents_know() {
    let mut world = foggy("....#...", Fog::radius(1), greedy());
    let agent = spawn(&mut world, 0, 0);
    world.start_recording();
    world.send(agent, pos(7, 0)).unwrap();
    (0..6).for_each(|_| drop(tick(&mut world)));
    let mut recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
    assert!(check(&recording).is_clean(), "{:?}", check(&recording).violations);
    let chosen: Vec<_> = recording.ticks.iter().map(|tick| tick.targets.len()).collect();
    assert_eq!(chosen, [1, 0, 1, 0, 0, 0], "the goal, then the last cell before the wall");
    // As if the agent had known of the wall from the beginning.
    let late = recording.ticks[2].targets.clone();
    recording.ticks[0].targets = late;
    let report = check(&recording);
    assert!(!report.is_clean());
}

#[test]
fn a_fog_is_written_as_it_is_read() {
    for text in ["1", "8", "65535", "12:shared"] {
        assert_eq!(text.parse::<Fog>().map(|fog| fog.to_string()), Ok(text.to_owned()));
    }
    for text in ["", "0", "-1", "65536", "8:own", ":shared", "0:shared", "8 shared"] {
        let error = text.parse::<Fog>().unwrap_err().to_string();
        assert!(error.ends_with(&format!("not `{text}`")), "{error}");
    }
}
