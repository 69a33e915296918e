//! Random worlds with random inputs, verified by the checker.

use std::collections::BTreeSet;

use throng_crowd::{Event, Recording, check};

use crate::support::{disturb, random_world, tick};

/// Returns the number of agent-steps to check; `THRONG_STEPS` overrides the default.
fn required_steps() -> u64 {
    std::env::var("THRONG_STEPS").ok().and_then(|text| text.parse().ok()).unwrap_or(300_000)
}

#[test]
fn random_crowds_break_no_rule() {
    let (mut steps, mut moved, mut seed) = (0, 0, 0);
    let mut kinds = BTreeSet::new();
    while steps < required_steps() {
        seed += 1;
        let (mut world, mut random) = random_world(seed);
        world.start_recording();
        for _ in 0..200 {
            disturb(&mut world, &mut random);
            kinds.extend(tick(&mut world).iter().map(kind));
        }
        let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
        let report = check(&recording);
        assert!(report.is_clean(), "seed {seed}: {:?}", &report.violations[..report.violations.len().min(3)]);
        assert_eq!(world.totals().overruled, 0, "seed {seed}");
        assert_eq!(report.ticks, 200);
        steps += report.agent_steps;
        moved += report.steps;
    }
    let all = [
        "Arrived",
        "Displaced",
        "FollowEnded",
        "GroupArrived",
        "LeftGoal",
        "Moved",
        "SettledShort",
        "Stuck",
        "Unreachable",
        "Waited",
        "Waypoint",
        "WaypointSkipped",
    ];
    assert!(kinds.iter().eq(all.iter()), "{kinds:?}");
    assert!(moved > steps / 8, "only {moved} of {steps} agent-steps were moves");
}

fn kind(event: &Event) -> &'static str {
    match event {
        Event::Moved { .. } => "Moved",
        Event::Waited { .. } => "Waited",
        Event::Arrived { .. } => "Arrived",
        Event::LeftGoal { .. } => "LeftGoal",
        Event::SettledShort { .. } => "SettledShort",
        Event::Unreachable { .. } => "Unreachable",
        Event::Displaced { .. } => "Displaced",
        Event::Stuck { .. } => "Stuck",
        Event::Waypoint { .. } => "Waypoint",
        Event::WaypointSkipped { .. } => "WaypointSkipped",
        Event::FollowEnded { .. } => "FollowEnded",
        Event::GroupArrived { .. } => "GroupArrived",
        _ => "other",
    }
}
