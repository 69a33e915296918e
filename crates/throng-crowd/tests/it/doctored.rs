//! Recordings that were altered by somebody who made the checksums fit: the checker finds every lie.

use rand_core::Rng;
use throng_crowd::{AgentId, AgentSpec, Fault, ForeignId, Input, Recording, TargetRecord, Violation, check};
use throng_grid::{Area, Cell, Direction, Pos};

use crate::support::{idle, random_world, tick};

const A: AgentId = AgentId(0);
const B: AgentId = AgentId(1);

/// Two agents who stay for some ticks at 1,0 and 2,0; the second steps every third tick at most.
fn peaceful() -> Recording {
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

/// What the checker finds after a recording was doctored, hashes aside; a lie about the state is found by its hash
/// too.
fn violations(doctor: impl Fn(&mut Recording)) -> Vec<(u64, Option<AgentId>, Fault)> {
    let mut recording = peaceful();
    assert!(check(&recording).is_clean());
    doctor(&mut recording);
    // The doctor is thorough: the checksums fit.
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
fn steps_into_walls_round_corners_and_off_the_map() {
    let step = |direction| violations(move |recording| moves(recording, 3, Some(direction), None));
    assert_eq!(step(Direction::South), [(4, Some(A), illegal((1, 0), (1, 1)))]);
    assert_eq!(step(Direction::SouthWest), [(4, Some(A), illegal((1, 0), (0, 1)))]);
    assert_eq!(step(Direction::North), [(4, Some(A), illegal((1, 0), (1, -1)))]);
}

#[test]
fn shared_cells_and_swaps() {
    let (east, west) = (Some(Direction::East), Some(Direction::West));
    let shared = violations(|recording| moves(recording, 3, east, None));
    assert_eq!(shared, [(4, Some(B), Fault::SharedCell)]);
    let swap = violations(|recording| moves(recording, 3, east, west));
    assert_eq!(swap, [(4, Some(B), Fault::Swap(A))]);
    let foreign = violations(|recording| moves(recording, 3, None, Some(Direction::SouthEast)));
    assert_eq!(foreign, [(4, Some(B), Fault::SharedCell)]);
}

#[test]
fn steps_out_of_turn() {
    let south = Some(Direction::South);
    let hurried = violations(|recording| {
        moves(recording, 1, None, south);
        moves(recording, 3, None, south);
    });
    assert_eq!(hurried, [(4, Some(B), Fault::NotItsTurn)]);
    let stolen = violations(|recording| {
        recording.ticks[1].inputs.push(Input::Control(B, false));
        moves(recording, 3, None, south);
    });
    assert_eq!(stolen, [(4, Some(B), Fault::NotItsTurn)]);
}

#[test]
fn false_and_missed_arrivals() {
    let claimed = violations(|recording| recording.ticks[2].arrived = vec![A, B, AgentId(77)]);
    let expect = [A, B, AgentId(77)].map(|agent| (3, Some(agent), Fault::FalseArrival));
    assert_eq!(claimed, expect);
    // Sent to where it stands, it arrives in that tick; the recording says nothing of it, or says it twice.
    let send = |recording: &mut Recording| {
        recording.ticks[2].inputs.push(Input::Send(A, Pos::new(1, 0)));
        recording.ticks[2].targets = vec![claim(A, 1)];
    };
    assert_eq!(violations(send), [(3, Some(A), Fault::MissedArrival)]);
    let twice = violations(|recording| {
        send(recording);
        recording.ticks[2].arrived = vec![A];
        recording.ticks[3].arrived = vec![A];
    });
    assert_eq!(twice, [(4, Some(A), Fault::FalseArrival)]);
}

fn claim(agent: AgentId, cell: u32) -> TargetRecord {
    TargetRecord { agent, target: Some(Cell(cell)), claimed: true }
}

#[test]
fn false_targets() {
    // What the checker says to a target after A was sent to 3,2 in the corner, or not sent at all.
    let told = |sent: bool, target: TargetRecord| {
        violations(|recording| {
            if sent {
                recording.ticks[1].inputs.push(Input::Send(A, Pos::new(3, 2)));
            }
            recording.ticks[1].targets = vec![target];
        })
    };
    let heads_for = |cell: u32| TargetRecord { claimed: false, ..claim(A, cell) };
    let nothing = TargetRecord { target: None, ..heads_for(0) };
    let refused = |target: TargetRecord| vec![(2, Some(target.agent), Fault::FalseTarget(target.target))];
    assert_eq!(told(true, heads_for(11)), [], "its goal");
    assert_eq!(told(true, claim(A, 10)), [], "a cell beside it");
    assert_eq!(told(true, heads_for(10)), refused(heads_for(10)), "not the nearest to its goal");
    assert_eq!(told(true, claim(A, 5)), refused(claim(A, 5)), "a wall");
    assert_eq!(told(true, claim(A, 12)).first(), Some(&refused(claim(A, 12))[0]), "off the map");
    assert_eq!(told(true, nothing), refused(nothing), "there is room");
    assert_eq!(told(false, claim(A, 10)), refused(claim(A, 10)), "it has no order");
    let nobody = claim(AgentId(9), 10);
    assert_eq!(told(false, nobody), refused(nobody));
}

#[test]
fn a_cell_is_claimed_by_one_agent() {
    let both = violations(|recording| {
        recording.ticks[1].inputs.extend([A, B].map(|agent| Input::Send(agent, Pos::new(3, 2))));
        recording.ticks[1].targets = vec![claim(A, 11), claim(B, 11)];
    });
    assert_eq!(both, [(2, Some(B), Fault::SharedClaim(A))]);
    // From afar two may head for one cell; and cells may change hands.
    let hands = violations(|recording| {
        recording.ticks[1].inputs.extend([A, B].map(|agent| Input::Send(agent, Pos::new(3, 2))));
        let heads_for = |agent| TargetRecord { claimed: false, ..claim(agent, 11) };
        recording.ticks[1].targets = vec![heads_for(A), heads_for(B)];
        recording.ticks[2].targets = vec![claim(A, 11), claim(B, 10)];
        recording.ticks[3].targets = vec![claim(A, 10), claim(B, 11)];
    });
    assert_eq!(hands, []);
}

#[test]
fn a_target_that_was_walled_off_has_to_change() {
    let walled = violations(|recording| {
        recording.ticks[1].inputs.push(Input::Send(A, Pos::new(3, 2)));
        recording.ticks[1].targets = vec![claim(A, 11)];
        recording.ticks[2].inputs.push(Input::Block(Area::Cell(Pos::new(3, 2))));
    });
    assert_eq!(walled, [(3, Some(A), Fault::FalseTarget(Some(Cell(11))))]);
}

#[test]
fn things_that_cannot_be_done() {
    let inputs = [
        Input::Spawn(AgentSpec::at(1, 0)),
        Input::Spawn(AgentSpec::at(1, 1)),
        Input::Spawn(AgentSpec::at(3, 1)),
        Input::Spawn(AgentSpec::at(4, 0)),
        Input::Spawn(AgentSpec::at(0, 0).profile(throng_grid::ProfileId(1))),
        Input::Despawn(AgentId(2)),
        Input::Teleport(A, Pos::new(2, 0)),
        Input::Teleport(A, Pos::new(1, 1)),
        Input::Teleport(A, Pos::new(0, -1)),
        Input::Send(AgentId(9), Pos::new(0, 0)),
        Input::Send(A, Pos::new(0, 7)),
        Input::Halt(AgentId(2)),
        Input::Control(AgentId(2), true),
        Input::PlaceForeign(Pos::new(2, 0)),
        Input::MoveForeign(ForeignId(0), Pos::new(1, 0)),
        Input::MoveForeign(ForeignId(1), Pos::new(0, 0)),
        Input::RemoveForeign(ForeignId(3)),
    ];
    for input in inputs {
        assert_eq!(
            violations(|recording| recording.ticks[1].inputs.push(input)),
            [(2, None, Fault::Input(input))],
        );
    }
}

/// What may be done and was not is found by the hashes.
#[test]
fn inputs_that_never_happened() {
    let inputs = [
        Input::Teleport(A, Pos::new(0, 2)),
        Input::Block(Area::Cell(Pos::new(0, 2))),
        Input::SetTerrain(Area::Cell(Pos::new(1, 1)), throng_grid::Terrain::Ground),
        Input::PlaceForeign(Pos::new(0, 2)),
        Input::MoveForeign(ForeignId(0), Pos::new(0, 2)),
        Input::RemoveForeign(ForeignId(0)),
    ];
    for input in inputs {
        assert_eq!(violations(|recording| recording.ticks[1].inputs.push(input)), [], "{input:?}");
    }
    let sent = violations(|recording| recording.ticks[1].inputs.push(Input::Send(A, Pos::new(0, 2))));
    assert_eq!(sent, [(2, Some(A), Fault::FalseTarget(None))]);
    let spawned = violations(|recording| recording.ticks[1].inputs.push(Input::Spawn(AgentSpec::at(0, 2))));
    assert_eq!(spawned[0].2, Fault::Agents { recorded: 2, living: 3 });
}

/// Whatever single move of a busy recording is changed, it is found out.
#[test]
fn any_altered_move_is_found() {
    let (mut world, _) = random_world(21);
    world.start_recording();
    for _ in 0..20 {
        tick(&mut world);
    }
    let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
    for tick in 0..20 {
        for agent in 0..recording.ticks[tick].moves.len() {
            let mut doctored = recording.clone();
            let step = &mut doctored.ticks[tick].moves[agent];
            *step = if step.is_none() { Some(Direction::East) } else { None };
            assert!(!check(&doctored).is_clean(), "tick {tick}, agent {agent}");
        }
    }
}

/// Nonsense with checksums that fit: violations, never a panic.
#[test]
fn hostile_recordings_do_no_harm() {
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
            let (place, agent, unit) =
                (Pos::new(x, y), AgentId(below(99) as u32), ForeignId(below(4) as u32));
            let tick = &mut recording.ticks[below(10)];
            tick.inputs.push(match below(10) {
                0 => Input::Spawn(AgentSpec::at(below(20) as i32, y)),
                1 => Input::Teleport(agent, place),
                2 => Input::Send(agent, place),
                3 => Input::Block(Area::disc(place, extremes[below(7)])),
                4 => Input::Unblock(Area::Rect { min: place, max: Pos::new(y, x) }),
                5 => Input::Despawn(agent),
                6 => Input::PlaceForeign(Pos::new(below(9) as i32, below(9) as i32)),
                7 => Input::MoveForeign(unit, place),
                8 => Input::SetTerrain(Area::Cell(place), throng_grid::Terrain::Wall),
                _ => Input::Control(agent, false),
            });
            let lot = Some(Direction::from_number(below(8) as u8));
            match below(3) {
                0 => tick.moves.push(lot),
                1 => drop(tick.moves.pop()),
                _ => tick.moves.fill(lot),
            }
            tick.arrived.push(agent);
            let target = [None, Some(Cell(below(500) as u32)), Some(Cell(u32::MAX - 1))][below(3)];
            tick.targets.push(TargetRecord { agent, target, claimed: below(2) == 0 });
        }
        let recording = Recording::read(&recording.write()).unwrap();
        assert!(!check(&recording).is_clean());
        let mut playback = recording.play().unwrap();
        while playback.step() == Ok(true) {}
    }
}
