//! Recordings: reading, playback without the planner, and replanning with it.

use throng_crowd::{Budget, GrantedBudget, PlaybackError, Recording, RecordingError, World};

use crate::support::{disturb, given, random_world, tick, wander};

/// Runs a random world and returns it with its recording.
fn recorded(seed: u64, ticks: usize) -> (World, Vec<u8>) {
    let (mut world, mut random) = random_world(seed);
    world.start_recording();
    for _ in 0..ticks {
        disturb(&mut world, &mut random);
        tick(&mut world);
    }
    let bytes = world.finish_recording().unwrap();
    (world, bytes)
}

#[test]
fn playback_repeats_the_run() {
    for seed in 0..20 {
        let (mut world, mut random) = random_world(seed);
        world.start_recording();
        let mut states = Vec::new();
        for _ in 0..60 {
            disturb(&mut world, &mut random);
            tick(&mut world);
            let positions: Vec<_> =
                world.agents().iter().map(|&agent| (agent, world.position(agent))).collect();
            states.push((world.state_hash(), positions));
        }
        let bytes = world.finish_recording().unwrap();
        assert!(world.finish_recording().is_none());
        let recording = Recording::read(&bytes).unwrap();
        assert_eq!(recording.write(), bytes);
        assert_eq!(recording.planner_name(), "wander");
        let mut playback = recording.play().unwrap();
        for (hash, positions) in states {
            assert!(playback.step().unwrap());
            let world = playback.world();
            assert_eq!(world.state_hash(), hash);
            assert!(positions.iter().all(|&(agent, position)| world.position(agent) == position));
        }
        assert!(!playback.step().unwrap());
    }
}

#[test]
fn replanning_with_recorded_rounds_repeats_a_run_with_deadlines() {
    let (mut world, mut random) = random_world(8);
    for _ in 0..10 {
        tick(&mut world);
    }
    world.start_recording();
    for _ in 0..30 {
        disturb(&mut world, &mut random);
        let mut rounds_left = world.ticks() % 9;
        let mut stop = || {
            rounds_left = rounds_left.saturating_sub(1);
            rounds_left == 0
        };
        world.tick(Budget::Until(&mut stop), &mut Vec::new());
    }
    let mut recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
    let mut again = recording.replan(given(wander())).unwrap();
    for record in &recording.ticks {
        assert_eq!(record.granted, GrantedBudget::Rounds(record.rounds));
        assert_eq!(again.step(), Ok(true));
    }
    assert_eq!(again.step(), Ok(false));
    assert_eq!(again.world().snapshot(), world.snapshot(), "the planner's state differs");
    recording.ticks[12].granted = GrantedBudget::Rounds(0);
    let mut different = recording.replan(given(wander())).unwrap();
    let end = std::iter::repeat_with(|| different.step()).find(|step| *step != Ok(true));
    assert!(matches!(end, Some(Err(PlaybackError::Differs { .. }))), "{end:?}");
}

#[test]
fn replanning_repeats_a_run_with_expansion_budgets() {
    let (mut world, mut random) = random_world(8);
    world.start_recording();
    for i in 0..40 {
        disturb(&mut world, &mut random);
        let budget = if i % 5 == 0 { Budget::Unlimited } else { Budget::expansions(i % 7 * 3) };
        world.tick(budget, &mut Vec::new());
    }
    let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
    assert_eq!(recording.ticks[6].granted, GrantedBudget::Expansions(18));
    let mut again = recording.replan(given(wander())).unwrap();
    while again.step().unwrap() {}
    assert_eq!(again.world().snapshot(), world.snapshot());
}

#[test]
fn drained_parts_concatenate_to_the_whole_recording() {
    let (_, whole) = recorded(4, 30);
    let (mut world, mut random) = random_world(4);
    world.start_recording();
    let mut parts = Vec::new();
    for i in 0..30 {
        disturb(&mut world, &mut random);
        tick(&mut world);
        if i % 7 == 0 {
            parts.extend(world.drain_recording().unwrap());
        }
    }
    parts.extend(world.finish_recording().unwrap());
    assert_eq!(parts, whole);
    assert!(world.drain_recording().is_none());
}

#[test]
fn a_truncated_recording_reports_its_intact_ticks() {
    let (_, bytes) = recorded(2, 12);
    let mut whole = Vec::new();
    for length in 0..bytes.len() {
        match Recording::read(&bytes[..length]).unwrap_err() {
            RecordingError::CutShort { ticks } => {
                let (intact, error) = Recording::salvage(&bytes[..length]).unwrap();
                assert_eq!(intact.ticks.len(), ticks);
                assert_eq!(error, Some(RecordingError::CutShort { ticks }));
                assert!(throng_crowd::check(&intact).is_clean());
                whole.push(ticks);
            }
            RecordingError::NotARecording => assert!(length < 8),
            RecordingError::NoBeginning => assert!(whole.is_empty()),
            other => panic!("{other} at {length}"),
        }
    }
    assert!(whole.is_sorted());
    assert_eq!((whole.first(), whole.last()), (Some(&0), Some(&12)));
    let error = Recording::read(&bytes[..bytes.len() - 1]).unwrap_err();
    assert_eq!(error.to_string(), "the recording is cut short: 12 whole ticks are intact");
}

#[test]
fn an_altered_recording_is_rejected() {
    let (_, bytes) = recorded(2, 12);
    for i in 0..bytes.len() {
        let mut altered = bytes.clone();
        altered[i] ^= 1 << (i % 8);
        Recording::read(&altered).unwrap_err();
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert_eq!(Recording::read(&longer).unwrap_err(), RecordingError::Altered { ticks: 12 });
}

#[test]
fn playback_stops_at_a_wrong_state_hash() {
    let (_, bytes) = recorded(2, 12);
    let mut recording = Recording::read(&bytes).unwrap();
    recording.ticks[7].hash ^= 1;
    let mut playback = recording.play().unwrap();
    let end = std::iter::repeat_with(|| playback.step()).find(|step| *step != Ok(true));
    assert_eq!(end, Some(Err(PlaybackError::Differs { tick: 8 })));
}
