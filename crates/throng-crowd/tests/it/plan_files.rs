//! Plan files: plans as text, one configuration per tick.

use throng_crowd::plan_file::{PlanFile, PlanFileError};
use throng_crowd::{AgentSpec, Fault, Recording};
use throng_grid::{Grid, MoveRules, Pos, ProfileId, Tiles};

use crate::support::{greedy, random_world, tick, world_of};

#[test]
fn a_recording_is_written_as_a_plan_and_read_back() {
    let mut world = world_of("....\n....", greedy());
    world.start_recording();
    let a = world.spawn(AgentSpec::at(0, 0)).unwrap();
    let b = world.spawn(AgentSpec::at(3, 1)).unwrap();
    world.send(a, Pos::new(2, 0)).unwrap();
    world.send(b, Pos::new(0, 1)).unwrap();
    for _ in 0..3 {
        tick(&mut world);
    }
    let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
    let plan = PlanFile::of(&recording).unwrap();
    let text = plan.write();
    let expect = "agents=2\nmakespan=3\nsolution=\n\
        0:(0,0),(3,1),\n1:(1,0),(2,1),\n2:(2,0),(1,1),\n3:(2,0),(0,1),\n";
    assert_eq!(text, expect);
    assert_eq!(PlanFile::read(&text).unwrap(), plan);
    assert_eq!(plan.check(world.grid(), ProfileId(0)), []);
}

#[test]
fn plans_of_other_solvers_are_read() {
    let text = "instance=x.scen\nstarts=(5,16),(21,29),\nsolution=\n0:(5,16),(21,29),\n1:(5,17),(21,28),\n";
    let plan = PlanFile::read(text).unwrap();
    assert_eq!(plan.ticks[1], [Pos::new(5, 17), Pos::new(21, 28)]);
    let turning = PlanFile::read("0:(0,0,Y_MINUS),\n1:(0,0,X_PLUS),\n2:(1,0,X_PLUS),\n").unwrap();
    assert_eq!(turning.ticks[2], [Pos::new(1, 0)]);
}

#[test]
fn syntax_errors_name_line_and_column() {
    let position = |text: &str| match PlanFile::read(text).unwrap_err() {
        PlanFileError::Syntax { line, column, .. } => (line, column),
        other => panic!("{other}"),
    };
    assert_eq!(PlanFile::read(""), Err(PlanFileError::Empty));
    assert_eq!(PlanFile::read("solution=\n"), Err(PlanFileError::Empty));
    assert_eq!(position("0:(1,2),\n2:(1,2),\n"), (2, 1));
    assert_eq!(position("0:(1,2),\n1:(1;2),\n"), (2, 5));
    assert_eq!(position("0:(1,2)\n"), (1, 8));
    assert_eq!(position("0:(1,99999999999999999999),\n"), (1, 6));
    assert_eq!(position("0:(1,2),(3,4),\n1:(1,2),\n"), (2, 9));
    assert_eq!(position("0:(1,2),\nend=1\n"), (2, 1));
    assert_eq!(position("hello\n"), (1, 1));
    assert_eq!(position("0:(-1,2),\n"), (1, 4));
}

#[test]
fn a_recording_with_despawns_has_no_plan() {
    let (mut world, _) = random_world(1);
    world.start_recording();
    tick(&mut world);
    let agent = world.agents()[0];
    world.despawn(agent).unwrap();
    tick(&mut world);
    let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
    assert_eq!(PlanFile::of(&recording), Err(PlanFileError::AgentsChange { tick: 2 }));
}

#[test]
fn illegal_plans_are_detected() {
    let grid = Grid::new(Tiles::picture("....\n.#..\n...."), MoveRules::default());
    let faults = |text: &str| {
        let violations = PlanFile::read(text).unwrap().check(&grid, ProfileId(0));
        violations.iter().map(|violation| (violation.tick, violation.fault)).collect::<Vec<_>>()
    };
    let step = |from: (i32, i32), to: (i32, i32)| Fault::IllegalStep {
        from: Pos::new(from.0, from.1),
        to: Pos::new(to.0, to.1),
    };
    assert_eq!(faults("0:(0,0),\n1:(2,0),\n"), [(1, step((0, 0), (2, 0)))], "a jump");
    assert_eq!(faults("0:(0,1),\n1:(1,1),\n"), [(1, step((0, 1), (1, 1)))], "a wall");
    assert_eq!(faults("0:(1,0),\n1:(2,1),\n"), [(1, step((1, 0), (2, 1)))], "a corner");
    assert_eq!(faults("0:(9,9),\n"), [(0, step((9, 9), (9, 9)))], "outside");
    assert_eq!(faults("0:(0,0),(2,0),\n1:(1,0),(1,0),\n"), [(1, Fault::SharedCell)]);
    let swap = faults("0:(0,0),(1,0),\n1:(1,0),(0,0),\n");
    assert_eq!(swap, [(1, Fault::Swap(throng_crowd::AgentId::from_bits(0)))]);
}

/// Positions that a text cannot contain, but a program can pass.
#[test]
fn extreme_positions_are_violations() {
    let grid = Grid::new(Tiles::picture(".."), MoveRules::default());
    let extremes = [i32::MIN, i32::MIN + 1, -1, 1, i32::MAX - 1, i32::MAX];
    for x in extremes {
        for y in extremes {
            let far = Pos::new(x, y);
            let plan = PlanFile { ticks: vec![vec![Pos::new(0, 0), far], vec![far, Pos::new(0, 0)]] };
            assert!(!plan.check(&grid, ProfileId(0)).is_empty(), "{far:?}");
            let opposite = Pos::new(-x.max(-i32::MAX), -y.max(-i32::MAX));
            let plan = PlanFile { ticks: vec![vec![far], vec![opposite]] };
            assert!(!plan.check(&grid, ProfileId(0)).is_empty(), "{far:?} to {opposite:?}");
        }
    }
}
