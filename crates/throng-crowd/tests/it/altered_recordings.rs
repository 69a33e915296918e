//! Altered recordings with valid checksums: the checker detects every alteration.

use rand_core::Rng;
use throng_crowd::{
    AgentId, AgentRow, AgentSpec, Crossings, Fault, ForeignId, Input, Recording, Settings, Stationary,
    TargetRecord, Violation, World, check,
};
use throng_grid::{Area, Cell, Direction, Grid, MoveRules, Pos, Tiles};

use crate::support::{idle, random_world, tick};

const A: AgentId = AgentId::from_bits(0);
const B: AgentId = AgentId::from_bits(1);

/// Returns a recording of two agents that stay at 1,0 and 2,0 for four ticks; the second may step every third tick.
fn idle_recording() -> Recording {
    let mut world = idle("....\n.#..\n....");
    world.spawn(AgentSpec::at(1, 0)).unwrap();
    world.spawn(AgentSpec::at(2, 0).speed(3)).unwrap();
    world.place_foreign(Pos::new(3, 1)).unwrap();
    world.start_recording();
    for _ in 0..4 {
        tick(&mut world);
    }
    Recording::read(&world.finish_recording().unwrap()).unwrap()
}

/// Returns the violations in an altered recording, except wrong state hashes, which most alterations cause as well.
fn violations(alter: impl Fn(&mut Recording)) -> Vec<(u64, Option<AgentId>, Fault)> {
    let mut recording = idle_recording();
    assert!(check(&recording).is_clean());
    alter(&mut recording);
    // Writing computes valid checksums.
    let report = check(&Recording::read(&recording.write()).unwrap());
    assert!(!report.is_clean());
    assert_eq!(report.violation_count, report.violations.len() as u64);
    let row = |violation: &Violation| (violation.tick, violation.agent, violation.fault);
    report.violations.iter().map(row).filter(|(.., fault)| !matches!(fault, Fault::Hash { .. })).collect()
}

fn moves(recording: &mut Recording, tick: usize, a: Option<Direction>, b: Option<Direction>) {
    recording.ticks[tick].moves = vec![a, b];
}

fn illegal(from: (i32, i32), to: (i32, i32)) -> Fault {
    Fault::IllegalStep { from: Pos::new(from.0, from.1), to: Pos::new(to.0, to.1) }
}

#[test]
fn illegal_steps_are_detected() {
    let step = |direction| violations(move |recording| moves(recording, 3, Some(direction), None));
    assert_eq!(step(Direction::South), [(4, Some(A), illegal((1, 0), (1, 1)))]);
    assert_eq!(step(Direction::SouthWest), [(4, Some(A), illegal((1, 0), (0, 1)))]);
    assert_eq!(step(Direction::North), [(4, Some(A), illegal((1, 0), (1, -1)))]);
}

/// In every combination of directions.
#[test]
fn crossings_are_detected_unless_they_are_allowed() {
    use Direction::{NorthEast, NorthWest, SouthEast, SouthWest};
    let falling = [((0, 0), SouthEast), ((1, 1), NorthWest)];
    let rising = [((0, 1), NorthEast), ((1, 0), SouthWest)];
    for (one, other) in falling.into_iter().flat_map(|one| rising.map(|other| (one, other))) {
        for crossings in Crossings::ALL {
            let grid = Grid::new(Tiles::picture("..\n.."), MoveRules::default());
            let settings = Settings::default().crossings(crossings);
            let mut world = World::new(grid, Box::new(Stationary), settings).unwrap();
            for ((x, y), _) in [one, other] {
                world.spawn(AgentSpec::at(x, y)).unwrap();
            }
            world.start_recording();
            tick(&mut world);
            let mut recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
            moves(&mut recording, 0, Some(one.1), Some(other.1));
            let report = check(&recording);
            let found = report.violations.iter().any(|violation| violation.fault == Fault::Crossing(A));
            assert_eq!(found, crossings == Crossings::Forbid, "{one:?} {other:?}: {:?}", report.violations);
        }
    }
}

#[test]
fn shared_cells_and_swaps_are_detected() {
    let (east, west) = (Some(Direction::East), Some(Direction::West));
    let shared = violations(|recording| moves(recording, 3, east, None));
    assert_eq!(shared, [(4, Some(B), Fault::SharedCell)]);
    let swap = violations(|recording| moves(recording, 3, east, west));
    // B takes three ticks, so that A enters its cell too early as well.
    assert_eq!(swap, [(4, Some(B), Fault::Swap(A)), (4, Some(A), Fault::SharedCell)]);
    let foreign = violations(|recording| moves(recording, 3, None, Some(Direction::SouthEast)));
    assert_eq!(foreign, [(4, Some(B), Fault::SharedCell)]);
}

#[test]
fn steps_out_of_turn_are_detected() {
    let south = Some(Direction::South);
    let too_early = violations(|recording| {
        moves(recording, 1, None, south);
        moves(recording, 3, None, south);
    });
    assert_eq!(too_early, [(4, Some(B), Fault::NotItsTurn)]);
    let uncontrolled = violations(|recording| {
        recording.ticks[1].inputs.push(Input::Control(B, false));
        moves(recording, 3, None, south);
    });
    assert_eq!(uncontrolled, [(4, Some(B), Fault::NotItsTurn)]);
}

#[test]
fn false_and_missed_arrivals_are_detected() {
    let claimed = violations(|recording| recording.ticks[2].arrived = rows([A, B, AgentId::from_bits(77)]));
    let expect = [A, B, AgentId::from_bits(77)].map(|agent| (3, Some(agent), Fault::FalseArrival));
    assert_eq!(claimed, expect);
    // An agent that is sent to its own cell arrives in the same tick; the recording omits the arrival or repeats it.
    let send = |recording: &mut Recording| {
        recording.ticks[2].inputs.push(Input::Send(A, Pos::new(1, 0)));
        recording.ticks[2].targets = vec![claim(A, 1)];
    };
    assert_eq!(violations(send), [(3, Some(A), Fault::MissedArrival)]);
    let twice = violations(|recording| {
        send(recording);
        recording.ticks[2].arrived = rows([A]);
        recording.ticks[3].arrived = rows([A]);
    });
    assert_eq!(twice, [(4, Some(A), Fault::FalseArrival)]);
}

fn claim(agent: AgentId, cell: u32) -> TargetRecord {
    TargetRecord { agent: AgentRow(agent.row()), target: Some(Cell(cell)), claimed: true, short: false }
}

fn rows<const N: usize>(agents: [AgentId; N]) -> Vec<AgentRow> {
    agents.map(|agent| AgentRow(agent.row())).to_vec()
}

#[test]
fn false_targets_are_detected() {
    // The violations after a target record, where A was sent to 3,2 in the corner or not sent at all.
    let check_target = |sent: bool, target: TargetRecord| {
        violations(|recording| {
            if sent {
                recording.ticks[1].inputs.push(Input::Send(A, Pos::new(3, 2)));
            }
            recording.ticks[1].targets = vec![target];
        })
    };
    let heads_for = |cell: u32| TargetRecord { claimed: false, ..claim(A, cell) };
    let nothing = TargetRecord { target: None, ..heads_for(0) };
    let id = |agent: AgentRow| AgentId::from_bits(agent.0.into());
    let rejected =
        |target: TargetRecord| vec![(2, Some(id(target.agent)), Fault::FalseTarget(target.target))];
    assert_eq!(check_target(true, heads_for(11)), [], "its goal");
    assert_eq!(check_target(true, claim(A, 10)), [], "a neighbour of its goal");
    assert_eq!(
        check_target(true, heads_for(10)),
        rejected(heads_for(10)),
        "not the nearest cell to its goal"
    );
    assert_eq!(check_target(true, claim(A, 5)), rejected(claim(A, 5)), "a wall");
    assert_eq!(check_target(true, claim(A, 12)).first(), Some(&rejected(claim(A, 12))[0]), "outside the map");
    assert_eq!(check_target(true, nothing), rejected(nothing), "a reachable cell exists");
    assert_eq!(check_target(false, claim(A, 10)), rejected(claim(A, 10)), "it has no goal");
    let unknown = claim(AgentId::from_bits(9), 10);
    assert_eq!(check_target(false, unknown), rejected(unknown));
}

#[test]
fn a_cell_is_claimed_by_one_agent() {
    let both = violations(|recording| {
        recording.ticks[1].inputs.extend([A, B].map(|agent| Input::Send(agent, Pos::new(3, 2))));
        recording.ticks[1].targets = vec![claim(A, 11), claim(B, 11)];
    });
    assert_eq!(both, [(2, Some(B), Fault::SharedClaim(A))]);
    // Two distant agents may head for one cell, and claims may be exchanged.
    let exchanged = violations(|recording| {
        recording.ticks[1].inputs.extend([A, B].map(|agent| Input::Send(agent, Pos::new(3, 2))));
        let heads_for = |agent| TargetRecord { claimed: false, ..claim(agent, 11) };
        recording.ticks[1].targets = vec![heads_for(A), heads_for(B)];
        recording.ticks[2].targets = vec![claim(A, 11), claim(B, 10)];
        recording.ticks[3].targets = vec![claim(A, 10), claim(B, 11)];
    });
    assert_eq!(exchanged, []);
}

#[test]
fn a_blocked_target_must_change() {
    let walled = violations(|recording| {
        recording.ticks[1].inputs.push(Input::Send(A, Pos::new(3, 2)));
        recording.ticks[1].targets = vec![claim(A, 11)];
        recording.ticks[2].inputs.push(Input::Block(Area::Cell(Pos::new(3, 2))));
    });
    assert_eq!(walled, [(3, Some(A), Fault::FalseTarget(Some(Cell(11))))]);
}

#[test]
fn invalid_inputs_are_detected() {
    let inputs = [
        Input::Spawn(AgentSpec::at(1, 0)),
        Input::Spawn(AgentSpec::at(1, 1)),
        Input::Spawn(AgentSpec::at(3, 1)),
        Input::Spawn(AgentSpec::at(4, 0)),
        Input::Spawn(AgentSpec::at(0, 0).profile(throng_grid::ProfileId(1))),
        Input::Despawn(AgentId::from_bits(2)),
        Input::Teleport(A, Pos::new(2, 0)),
        Input::Teleport(A, Pos::new(1, 1)),
        Input::Teleport(A, Pos::new(0, -1)),
        Input::Send(AgentId::from_bits(9), Pos::new(0, 0)),
        Input::Send(A, Pos::new(0, 7)),
        Input::Halt(AgentId::from_bits(2)),
        Input::Control(AgentId::from_bits(2), true),
        Input::PlaceForeign(Pos::new(2, 0)),
        Input::MoveForeign(ForeignId::from_bits(0), Pos::new(1, 0)),
        Input::MoveForeign(ForeignId::from_bits(1), Pos::new(0, 0)),
        Input::RemoveForeign(ForeignId::from_bits(3)),
    ];
    for input in inputs {
        assert_eq!(
            violations(|recording| recording.ticks[1].inputs.push(input)),
            [(2, None, Fault::Input(input))],
        );
    }
}

/// Valid inputs that were not applied are detected by the state hashes.
#[test]
fn added_inputs_are_detected() {
    let inputs = [
        Input::Teleport(A, Pos::new(0, 2)),
        Input::Block(Area::Cell(Pos::new(0, 2))),
        Input::SetTerrain(Area::Cell(Pos::new(1, 1)), throng_grid::Terrain::Ground),
        Input::PlaceForeign(Pos::new(0, 2)),
        Input::MoveForeign(ForeignId::from_bits(0), Pos::new(0, 2)),
        Input::RemoveForeign(ForeignId::from_bits(0)),
    ];
    for input in inputs {
        assert_eq!(violations(|recording| recording.ticks[1].inputs.push(input)), [], "{input:?}");
    }
    let sent = violations(|recording| recording.ticks[1].inputs.push(Input::Send(A, Pos::new(0, 2))));
    assert_eq!(sent, [(2, Some(A), Fault::FalseTarget(None))]);
    let spawned = violations(|recording| recording.ticks[1].inputs.push(Input::Spawn(AgentSpec::at(0, 2))));
    assert_eq!(spawned[0].2, Fault::Agents { recorded: 2, living: 3 });
}

#[test]
fn any_altered_move_is_detected() {
    let (mut world, _) = random_world(21);
    world.start_recording();
    for _ in 0..20 {
        tick(&mut world);
    }
    let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
    for tick in 0..20 {
        for agent in 0..recording.ticks[tick].moves.len() {
            let mut altered = recording.clone();
            let step = &mut altered.ticks[tick].moves[agent];
            *step = if step.is_none() { Some(Direction::East) } else { None };
            assert!(!check(&altered).is_clean(), "tick {tick}, agent {agent}");
        }
    }
}

/// Random records with valid checksums cause violations, never a panic.
#[test]
fn random_records_never_panic() {
    let extremes = [i32::MIN, -1, 0, 1, 5, 65_536, i32::MAX];
    for seed in 0..40 {
        let (mut world, mut random) = random_world(seed);
        world.start_recording();
        for _ in 0..10 {
            tick(&mut world);
        }
        let mut recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
        let mut below = |bound: usize| random.next_u32() as usize % bound;
        for _ in 0..30 {
            let (x, y) = (extremes[below(7)], extremes[below(7)]);
            let (pos, agent, unit) =
                (Pos::new(x, y), AgentId::from_bits(below(99) as u64), ForeignId::from_bits(below(4) as u64));
            let tick = &mut recording.ticks[below(10)];
            tick.inputs.push(match below(10) {
                0 => Input::Spawn(AgentSpec::at(below(20) as i32, y)),
                1 => Input::Teleport(agent, pos),
                2 => Input::Send(agent, pos),
                3 => Input::Block(Area::disc(pos, extremes[below(7)])),
                4 => Input::Unblock(Area::Rect { min: pos, max: Pos::new(y, x) }),
                5 => Input::Despawn(agent),
                6 => Input::PlaceForeign(Pos::new(below(9) as i32, below(9) as i32)),
                7 => Input::MoveForeign(unit, pos),
                8 => Input::SetTerrain(Area::Cell(pos), throng_grid::Terrain::Wall),
                _ => Input::Control(agent, false),
            });
            let direction = Some(Direction::from_number(below(8) as u8));
            match below(3) {
                0 => tick.moves.push(direction),
                1 => drop(tick.moves.pop()),
                _ => tick.moves.fill(direction),
            }
            let agent = AgentRow(agent.row());
            tick.arrived.push(agent);
            let target = [None, Some(Cell(below(500) as u32)), Some(Cell(u32::MAX - 1))][below(3)];
            let [claimed, short] = [below(2) == 0, below(2) == 0];
            tick.targets.push(TargetRecord { agent, target, claimed, short });
        }
        let recording = Recording::read(&recording.write()).unwrap();
        assert!(!check(&recording).is_clean());
        let mut playback = recording.play().unwrap();
        while playback.step() == Ok(true) {}
    }
}
