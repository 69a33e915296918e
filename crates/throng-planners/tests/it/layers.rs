//! Every planner with doors that only one team may pass, and with cost overlays that make another route cheaper.

use throng_crowd::{AgentId, AgentSpec, Budget, Event, Recording, Settings, World, check};
use throng_grid::{Area, Classes, Grid, MoveRules, Pos, Profile, ProfileId, Tiles};
use throng_planners::planner;

use crate::support::{empty, every_spec_with_goals, tick};

const RED: u8 = 1;

/// Returns a world with an agent of each team in the west, and their ids; the second agent is of team [`RED`].
fn two_teams(spec: &str, picture: &str) -> (World, [AgentId; 2]) {
    let mut grid = Grid::new(Tiles::picture(picture), MoveRules::default());
    let red = grid.add_profile(Profile::WALKER.with_class(RED).unwrap());
    let mut world = empty(spec, grid);
    let mut spawn = |y, profile: ProfileId| {
        world.spawn(AgentSpec::at(0, y).profile(profile).user(profile.0.into())).unwrap()
    };
    let agents = [spawn(0, ProfileId(0)), spawn(2, red)];
    (world, agents)
}

/// Runs ticks and returns their events.
fn run(world: &mut World, ticks: u32) -> Vec<Event> {
    (0..ticks).flat_map(|_| tick(world, Budget::Unlimited)).collect()
}

#[test]
fn a_door_lets_one_team_pass_and_holds_up_the_other() {
    let door = Pos::new(5, 1);
    for spec in every_spec_with_goals() {
        let (mut world, [blue, red]) = two_teams(&spec, ".....#.....\n...........\n.....#.....");
        world.start_recording();
        world.set_door(door, Classes::only(RED).except());
        let goals = [Pos::new(10, 0), Pos::new(10, 2)];
        world.send(blue, goals[0]).unwrap();
        world.send(red, goals[1]).unwrap();
        let events = run(&mut world, 60);
        assert_eq!(world.position(blue), Ok(goals[0]), "{spec}");
        assert!(world.position(red).unwrap().x < 5, "{spec}");
        let unreachable = |event: &Event| matches!(event, Event::Unreachable { agent, .. } if *agent == red);
        assert!(events.iter().any(unreachable), "{spec}: {events:?}");
        // The door is handed over while the first agent stands on it.
        world.teleport(blue, door).unwrap();
        world.set_door(door, Classes::only(RED));
        let events = run(&mut world, 60);
        let displaced = |event: &Event| matches!(event, Event::Displaced { agent, .. } if *agent == blue);
        assert!(events.iter().any(displaced), "{spec}: {events:?}");
        assert_eq!(world.position(red), Ok(goals[1]), "{spec}");
        let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
        assert!(check(&recording).is_clean(), "{spec}: {:?}", check(&recording).violations);
    }
}

/// Two corridors of equal length lead east.
const CORRIDORS: &str = "
    ...........
    .#########.
    .#########.
    .#########.
    ...........
";

/// Sends an agent from west to east and back. Returns how many of its steps entered each corridor.
fn steps_in_corridors(world: &mut World, agent: AgentId) -> [usize; 2] {
    let mut rows = [0; 2];
    let to = Pos::new(10 - world.position(agent).unwrap().x, 2);
    world.send(agent, to).unwrap();
    for event in run(world, 80) {
        if let Event::Moved { to, .. } = event
            && (2..9).contains(&to.x)
        {
            rows[usize::from(to.y > 2)] += 1;
        }
    }
    assert_eq!(world.position(agent), Ok(to), "{}", world.planner_name());
    rows
}

/// Paths of `dm:sector` follow a coarse graph, whose edges ignore what cells cost.
#[test]
fn an_overlay_sends_agents_the_other_way_until_it_is_cleared() {
    for spec in every_spec_with_goals().into_iter().filter(|spec| !spec.starts_with("dm:sector")) {
        let grid = Grid::new(Tiles::picture(CORRIDORS), MoveRules::default());
        let mut world = empty(&spec, grid);
        let agent = world.spawn(AgentSpec::at(0, 2)).unwrap();
        let corridor = |y| Area::rect(Pos::new(1, y), Pos::new(9, y));
        world.start_recording();
        for danger in [0, 1, 0, 1] {
            world.set_cost(corridor(4 * danger), Classes::ALL, 12).unwrap();
            world.set_cost(corridor(4 * (1 - danger)), Classes::ALL, 0).unwrap();
            let rows = steps_in_corridors(&mut world, agent);
            assert_eq!(rows[danger as usize], 0, "{spec} walks through the danger: {rows:?}");
        }
        let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
        assert!(check(&recording).is_clean(), "{spec}: {:?}", check(&recording).violations);
    }
}

/// Overlays come and go in a crowd, in slices of every planner's work. The run is continued from snapshots.
#[test]
fn overlays_and_doors_survive_snapshots() {
    for spec in every_spec_with_goals() {
        let grid = || {
            let mut grid = crate::support::random_grid(40, 12, MoveRules::default(), 3);
            grid.add_profile(Profile::WALKER.with_class(RED).unwrap());
            grid
        };
        let start = crate::support::crowd(&spec, grid(), 20, 3);
        let mut worlds = [World::restore(&start.snapshot(), planner).unwrap(), start];
        for number in 0..40_i32 {
            let place = Pos::new(number * 7 % 40, number * 11 % 40);
            for world in &mut worlds {
                match number % 4 {
                    0 => drop(world.set_cost(Area::disc(place, 5), Classes::ALL, 9).unwrap()),
                    1 => drop(world.set_door(Area::disc(place, 1), Classes::only(RED))),
                    2 => drop(world.set_cost(Area::disc(place, 30), Classes::ALL, 0).unwrap()),
                    _ => drop(world.set_door(Area::disc(place, 9), Classes::ALL)),
                }
                tick(world, Budget::expansions(400));
            }
            let bytes = worlds[0].snapshot();
            worlds[0] = World::restore(&bytes, planner).unwrap();
            assert_eq!(worlds[0].state_hash(), worlds[1].state_hash(), "{spec}, tick {number}");
        }
    }
}

/// Fog: an agent learns of doors and overlays when it sees them.
#[test]
fn unseen_overlays_are_unknown() {
    let settings = Settings::default().fog(throng_crowd::Fog::radius(3));
    let mut grid = Grid::new(Tiles::picture(CORRIDORS), MoveRules::default());
    grid.set_cost(Area::rect(Pos::new(1, 0), Pos::new(9, 0)), Classes::ALL, 12).unwrap();
    let mut world = World::new(grid.clone(), planner("bmaa", &grid).unwrap(), settings).unwrap();
    let agent = world.spawn(AgentSpec::at(0, 2)).unwrap();
    let halves = |world: &World, x| {
        let known = world.known_ground(agent).unwrap();
        known.cell_state(known.cell(Pos::new(x, 0)).unwrap()).halves()
    };
    assert_eq!([3, 9].map(|x| halves(&world, x)), [14, 2], "what lies beyond its sight is unknown");
    world.set_cost(Pos::new(3, 0), Classes::ALL, 1).unwrap();
    run(&mut world, 1);
    assert_eq!(halves(&world, 3), 3, "a change in sight is seen at once");
}
