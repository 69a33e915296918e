//! Steps that last several ticks: who holds which cell meanwhile, and what edits, snapshots and renderers make of them.

use throng_crowd::{
    AgentId, AgentSpec, Budget, Event, Fault, Input, Recording, Rule, Settings, Speed, StepTime, Unit, World,
    WorldError, check,
};
use throng_grid::{Direction, Grid, MoveRules, Pos, Profile, ProfileId, Tiles};

use crate::support::{script, tick};

const A: AgentId = AgentId::from_bits(0);
const B: AgentId = AgentId::from_bits(1);

/// A target of each agent by row, or none.
type Wanted = &'static [Option<(i32, i32)>];

/// Returns a recorded world whose agents are proposed to step to these positions in every tick.
fn world(picture: &str, settings: Settings, agents: &[AgentSpec], wanted: Wanted) -> World {
    let planner = script(move |view, moves| {
        for (&agent, to) in view.agents().iter().zip(wanted) {
            let cell = to.and_then(|(x, y)| view.grid().size().cell(Pos::new(x, y)));
            if let Some(cell) = cell {
                moves.go(agent, cell);
            }
        }
    });
    let mut grid = Grid::new(Tiles::picture(picture), MoveRules::default());
    grid.add_profile(Profile::from_halves([2, 0, 8, 0, 0, 0, 0]).unwrap());
    grid.add_profile(Profile::from_halves([0, 0, 2, 0, 0, 0, 0]).unwrap());
    let mut world = World::new(grid, planner, settings).unwrap();
    for &spec in agents {
        world.spawn(spec).unwrap();
    }
    world.start_recording();
    world
}

/// Returns the overruled agents of a tick, by row.
fn overruled(world: &mut World) -> Vec<(u32, Rule)> {
    let rule = |event: &Event| match event {
        Event::Overruled { agent, rule, .. } => Some((agent.row(), *rule)),
        _ => None,
    };
    tick(world).iter().filter_map(rule).collect()
}

/// Ends the recording, which must be one without a fault.
fn finish(world: &mut World) -> Recording {
    let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
    let report = check(&recording);
    assert!(report.is_clean(), "{:?}", report.violations);
    recording
}

fn pos(x: i32, y: i32) -> Pos {
    Pos::new(x, y)
}

const FOLLOW: Wanted = &[Some((2, 0)), Some((1, 0))];

/// A world whose first agent takes four ticks from 1,0 to 2,0, and whose second one stands behind it.
fn follow() -> World {
    let agents = [AgentSpec::at(1, 0).speed(4), AgentSpec::at(0, 0)];
    world("....\n....", Settings::default(), &agents, FOLLOW)
}

#[test]
fn the_cell_behind_is_free_in_the_last_tick() {
    let mut world = follow();
    for number in 1..=3 {
        assert_eq!(overruled(&mut world).last(), Some(&(1, Rule::SharedCell)), "tick {number}");
        let held = (number < 3).then_some(Unit::Agent(A));
        assert_eq!(world.occupant(pos(1, 0)), held, "tick {number}");
        assert_eq!(world.occupant(pos(2, 0)), Some(Unit::Agent(A)));
    }
    assert!(!overruled(&mut world).contains(&(1, Rule::SharedCell)));
    assert_eq!(world.position(B), Ok(pos(1, 0)));
    finish(&mut world);
}

#[test]
fn nobody_crosses_a_step_under_way() {
    let agents = [AgentSpec::at(0, 0).speed(3), AgentSpec::at(1, 0)];
    let mut world = world("..\n..", Settings::default(), &agents, &[Some((1, 1)), Some((0, 1))]);
    for number in 1..=3 {
        assert_eq!(overruled(&mut world).last(), Some(&(1, Rule::Crossing)), "tick {number}");
    }
    tick(&mut world);
    assert_eq!(world.position(B), Ok(pos(0, 1)));
    finish(&mut world);
}

#[test]
fn an_agent_arrives_when_it_is_across() {
    let mut world = world("....", Settings::default(), &[AgentSpec::at(0, 0).speed(3)], &[Some((1, 0))]);
    world.send(A, pos(1, 0)).unwrap();
    let arrives = |events: Vec<Event>| events.contains(&Event::Arrived { agent: A });
    let arrived = [(); 4].map(|()| arrives(tick(&mut world)));
    assert_eq!(arrived, [false, false, true, false]);
    finish(&mut world);
}

#[test]
fn a_moved_event_and_a_motion_say_how_long_a_step_takes() {
    let mut world = follow();
    let events = tick(&mut world);
    assert!(events.contains(&Event::Moved { agent: A, from: pos(1, 0), to: pos(2, 0), ticks: 4 }));
    let motion = world.motion(A).unwrap();
    assert_eq!((motion.from, motion.to, motion.start, motion.ticks), (pos(1, 0), pos(2, 0), 1, 4));
    assert_eq!((motion.at(0.0), motion.at(1.0)), ((1.0, 0.0), (1.25, 0.0)));
    assert_eq!(world.motion(B).unwrap().at(0.5), (0.0, 0.0), "at rest");
    for _ in 0..3 {
        tick(&mut world);
    }
    assert_eq!(world.motion(A).unwrap().at(1.0), (2.0, 0.0));
    assert_eq!(world.motion(B).unwrap().at(0.5), (0.5, 0.0));
    tick(&mut world);
    assert_eq!(world.motion(A).unwrap().from, pos(2, 0), "at rest again");
}

#[test]
fn edits_end_a_step_or_let_it_finish() {
    // A wall behind the agent: it goes on and still holds the cell.
    let mut world = follow();
    tick(&mut world);
    assert_eq!(world.spawn(AgentSpec::at(1, 0)), Err(WorldError::Occupied(pos(1, 0))));
    assert_eq!(world.place_foreign(pos(1, 0)), Err(WorldError::Occupied(pos(1, 0))));
    world.block(pos(1, 0));
    tick(&mut world);
    assert_eq!((world.position(A), world.occupant(pos(1, 0))), (Ok(pos(2, 0)), Some(Unit::Agent(A))));
    finish(&mut world);
    // A wall where it goes: it is back, and may step in the same tick.
    let mut world = follow();
    tick(&mut world);
    world.block(pos(2, 0));
    let events = tick(&mut world);
    assert!(events.contains(&Event::Displaced { agent: A, from: pos(2, 0), to: pos(1, 0) }));
    assert!(
        events.iter().any(|event| matches!(event, Event::Overruled { agent: A, rule: Rule::Illegal, .. }))
    );
    finish(&mut world);
    // Teleported, also to the cell that it leaves; removed.
    for to in [pos(3, 1), pos(1, 0)] {
        let mut world = follow();
        tick(&mut world);
        world.teleport(A, to).unwrap();
        assert_eq!(world.occupant(pos(1, 0)).is_some(), to == pos(1, 0));
        assert_eq!(world.motion(A).unwrap().from, to);
        tick(&mut world);
        finish(&mut world);
    }
    let mut world = follow();
    tick(&mut world);
    world.despawn(A).unwrap();
    assert_eq!([pos(1, 0), pos(2, 0)].map(|at| world.occupant(at)), [None, None]);
    tick(&mut world);
    finish(&mut world);
}

#[test]
fn a_profile_is_refused_where_the_agent_may_not_be() {
    let settings = Settings::default();
    let agents = [AgentSpec::at(0, 0).speed(3).profile(ProfileId(1))];
    let mut world = world(".SS", settings, &agents, &[Some((1, 0))]);
    let water = ProfileId(2);
    assert_eq!(world.set_profile(A, water), Err(WorldError::Blocked(pos(0, 0))));
    assert_eq!(world.set_profile(A, ProfileId(9)), Err(WorldError::NoSuchProfile(ProfileId(9))));
    tick(&mut world);
    assert_eq!(world.set_profile(A, water), Err(WorldError::Blocked(pos(0, 0))), "in the middle of the step");
    tick(&mut world);
    tick(&mut world);
    world.set_profile(A, water).unwrap();
    assert_eq!((world.profile(A), world.profile(B).is_err()), (Ok(water), true));
    world.set_speed(A, Speed::new(2, 3).unwrap()).unwrap();
    assert_eq!(world.speed(A), Ok(Speed::new(2, 3).unwrap()));
    tick(&mut world);
    let recording = finish(&mut world);
    let inputs: Vec<_> = recording.ticks.iter().flat_map(|tick| tick.inputs.clone()).collect();
    assert_eq!(inputs, [Input::SetProfile(A, water), Input::SetSpeed(A, Speed::new(2, 3).unwrap())]);
}

#[test]
fn a_snapshot_in_the_middle_of_a_step_continues_it() {
    for ticks in 1..=5 {
        let mut one = follow();
        for _ in 0..ticks {
            tick(&mut one);
        }
        let snapshot = one.snapshot();
        let mut other = World::restore(&snapshot, |_, _| {
            let planner = script(move |view, moves| {
                for (&agent, to) in view.agents().iter().zip(FOLLOW) {
                    let cell = to.and_then(|(x, y)| view.grid().size().cell(Pos::new(x, y)));
                    if let Some(cell) = cell {
                        moves.go(agent, cell);
                    }
                }
            });
            Ok::<_, String>(planner)
        })
        .unwrap();
        assert_eq!(one.motion(A), other.motion(A), "{ticks} ticks");
        for _ in 0..5 {
            assert_eq!(tick(&mut one), tick(&mut other));
            assert_eq!(one.state_hash(), other.state_hash());
        }
    }
}

#[test]
fn the_state_hash_contains_steps_under_way() {
    let (mut moving, mut still) = (follow(), follow());
    tick(&mut moving);
    moving.despawn(B).unwrap();
    still.teleport(A, pos(3, 1)).unwrap();
    still.control(A, false).unwrap();
    tick(&mut still);
    still.despawn(B).unwrap();
    still.teleport(A, pos(2, 0)).unwrap();
    assert_eq!(moving.position(A), still.position(A));
    assert_ne!(moving.state_hash(), still.state_hash());
}

#[test]
fn the_cost_of_a_step_is_its_time() {
    let settings = Settings::default().step_time(StepTime::Cost);
    let mut sizes = Vec::new();
    for (from, to) in [((0, 0), (1, 0)), ((0, 0), (1, 1)), ((2, 0), (3, 0)), ((1, 0), (2, 0))] {
        let planner = script(move |view, moves| {
            moves.go(view.agents()[0], view.grid().size().cell(Pos::new(to.0, to.1)).unwrap());
        });
        let mut grid = Grid::new(Tiles::picture("..SS\n..SS"), MoveRules::default());
        let profile = grid.add_profile(Profile::from_halves([2, 0, 8, 0, 0, 0, 0]).unwrap());
        let mut world = World::new(grid, planner, settings).unwrap();
        let spec = AgentSpec::at(from.0, from.1).profile(profile).at_speed(Speed::new(2, 3).unwrap());
        world.spawn(spec).unwrap();
        world.start_recording();
        tick(&mut world);
        sizes.push(world.motion(A).unwrap().ticks);
        finish(&mut world);
    }
    // 1.5, 2.12, 6 and 3.75 ticks; the rest is carried.
    assert_eq!(sizes, [1, 2, 6, 3]);
}

#[test]
fn a_planner_that_does_not_support_the_time_of_steps_is_refused() {
    let grid = Grid::new(Tiles::picture("."), MoveRules::default());
    let planner: Box<dyn throng_crowd::Planner> =
        Box::new(crate::support::Idle(throng_crowd::Sharing::Nothing));
    let error = World::new(grid, planner, Settings::default().step_time(StepTime::Cost)).unwrap_err();
    assert!(error.to_string().contains("does not support steps whose time follows their cost"), "{error}");
}

/// Returns the faults of a recording of [`follow`] without proposals for the second agent, after its moves were replaced.
fn faults(moves: &[[Option<Direction>; 2]]) -> Vec<Fault> {
    let agents = [AgentSpec::at(1, 0).speed(4), AgentSpec::at(0, 0)];
    let mut world = world("....\n....", Settings::default(), &agents, &[None, None]);
    for _ in moves {
        world.tick(Budget::Unlimited, &mut Vec::new());
    }
    let mut recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
    for (tick, moves) in recording.ticks.iter_mut().zip(moves) {
        tick.moves = moves.to_vec();
    }
    let faults = check(&recording).violations.into_iter().map(|violation| violation.fault);
    faults.filter(|fault| !matches!(fault, Fault::Hash { .. })).collect()
}

#[test]
fn the_checker_finds_steps_into_held_cells_and_across_steps_under_way() {
    let east = Some(Direction::East);
    for late in 0..4 {
        let mut moves = vec![[None, None]; 4];
        moves[0][0] = east;
        moves[late][1] = east;
        let faults = faults(&moves);
        assert!(faults.iter().all(|&fault| fault == Fault::SharedCell), "{faults:?}");
        assert_eq!(faults.is_empty(), late == 3, "entered {late} ticks later");
    }
    let early = [[east, None], [None, None], [None, None], [east, None]];
    assert_eq!(faults(&early), [Fault::NotItsTurn]);
    let in_time = [[east, None], [None, None], [None, None], [None, None], [east, None]];
    assert_eq!(faults(&in_time), []);
}

#[test]
fn the_checker_finds_crossings_of_steps_under_way() {
    for late in 0..4 {
        let agents = [AgentSpec::at(0, 0).speed(3), AgentSpec::at(1, 0)];
        let mut world = world("..\n..", Settings::default(), &agents, &[None, None]);
        for _ in 0..4 {
            tick(&mut world);
        }
        let mut recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
        recording.ticks[0].moves[0] = Some(Direction::SouthEast);
        recording.ticks[late].moves[1] = Some(Direction::SouthWest);
        let mut faults = check(&recording).violations.into_iter().map(|violation| violation.fault);
        assert_eq!(faults.any(|fault| fault == Fault::Crossing(A)), late < 3, "{late} ticks later");
    }
}
