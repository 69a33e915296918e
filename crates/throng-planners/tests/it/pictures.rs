//! The examples of the papers and other small scenes: which planners solve them within a number of ticks, and that a
//! planner that fails reports the stuck agents. A planner that a test does not list must succeed.
//!
//! Reference: D. Sigurdson, V. Bulitko, W. Yeoh, C. Hernández, S. Koenig, "Multi-Agent Pathfinding with Real-Time
//! Heuristic Search", IEEE Conference on Computational Intelligence and Games (CIG), 2018, figures 3 to 5.

use throng_crowd::{AgentId, Event, StuckReason, Unit, World};
use throng_grid::scene::Scene;

use crate::support::{
    every_name, every_spec_with_goals, info, is_reported, not_arrived, picture, run, world_from_picture,
};

/// A stream through a corridor one cell wide.
const ONE_STREAM: &str = "
    #################
    #a...#######...A#
    #b...#######...B#
    #c.............C#
    #d...#######...D#
    #e...#######...E#
    #################";

/// Two streams through a corridor one cell wide.
const TWO_STREAMS: &str = "
    #################
    #a..F#######f..A#
    #b..G#######g..B#
    #c..H.......h..C#
    #d..I#######i..D#
    #....#######....#
    #################";

/// Two streams and a detour one cell wide.
const TWO_STREAMS_AND_A_DETOUR: &str = "
    #################
    #a..F#######f..A#
    #b..G#######g..B#
    #c..H.......h..C#
    #d..I#######i..D#
    #....#######....#
    ##.###########.##
    ##.............##
    #################";

/// Figure 3: a choke point on the shortest paths of many agents, and a wide detour.
const FIGURE_THREE: &str = "
    #######################
    #......a#######f......#
    #..F.G.b#######g.A.B..#
    #......c.......h......#
    #..H.I.d#######i.C.D..#
    #.......#######.......#
    #.......#######.......#
    #..#################..#
    #..#################..#
    #.....................#
    #.....................#
    #######################";

/// `b` has arrived behind the door, and has room to step aside.
const ARRIVED_BEHIND_A_DOOR: &str = "
    #########
    #...#...#
    #a...b.A#
    #...#...#
    #########";

/// Figure 5: `b` and `c` have arrived in a corridor one cell wide and `b` cannot make room.
const ARRIVED_IN_A_CORRIDOR: &str = "
    #######
    #abc.A#
    #######";

/// Two agents head on in a corridor without room to pass.
const HEAD_ON_WITHOUT_ROOM: &str = "
    #######
    #aB.bA#
    #######";

/// Returns true if a failure is reported: an agent waits or is stuck, and every agent that has not arrived is reported,
/// blocks a reported agent, or still moves.
fn failure_is_reported(world: &World, events: &[Event]) -> bool {
    let recent = &events[events.len().saturating_sub(60 * world.agents().len())..];
    let moves =
        |id: AgentId| recent.iter().any(|event| matches!(event, Event::Moved { agent, .. } if *agent == id));
    let waits = events.iter().any(|event| matches!(event, Event::Stuck { .. } | Event::Waited { .. }));
    waits && not_arrived(world).into_iter().all(|agent| is_reported(events, agent) || moves(agent))
}

/// Checks that all agents arrive within `ticks` under every planner except those in `failing`, which report the
/// failure.
fn check_scene(name: &str, scene: &str, ticks: u32, failing: &[&str]) {
    assert!(failing.iter().all(|known| every_name().any(|name| name == *known)), "{failing:?}");
    for spec in every_name().filter(|name| info(name).has_goals) {
        let (mut world, mut events) = (world_from_picture(spec, scene), Vec::new());
        let arrived = run(&mut world, ticks, &mut events);
        assert_eq!(
            arrived.is_none(),
            failing.contains(&spec),
            "{spec}, {name}, {arrived:?}:\n{}",
            picture(&world)
        );
        if arrived.is_none() {
            run(&mut world, 200, &mut events);
            assert!(failure_is_reported(&world, &events), "{spec}, {name}:\n{}", picture(&world));
        }
    }
}

fn picture_of(name: &str) -> String {
    Scene::named(name).unwrap().draw()
}

/// RTAA* ignores other agents, so it never leaves its path.
#[test]
fn head_on_in_a_corridor_with_a_passing_place() {
    check_scene("head on", &picture_of("corridor_head_on"), 60, &["rtaa"]);
}

/// With flow annotations, an arrived agent blocks its one-way corridor unless it is pushed.
#[test]
fn doors_bridges_and_crossings() {
    check_scene("bridge", &picture_of("bridge"), 40, &[]);
    check_scene("door", &picture_of("door"), 60, &["bmaa-f"]);
    check_scene("two doors", &picture_of("two_rooms_two_doors"), 60, &["bmaa-f"]);
    check_scene("crossing", &picture_of("crossing_streams"), 40, &["bmaa-f"]);
    check_scene("one stream", ONE_STREAM, 80, &["bmaa-f"]);
}

/// The issue of FAR in section V.A: full paths lead every agent into the corridor, and nobody leaves it. By the published
/// rules the agents in it wait for ever; ours do not help either, because both streams push on. The agents of BMAA* see
/// the corridor occupied and take the detour.
#[test]
fn figure_three_one_cell_wide_corridor() {
    for (spec, arrives) in [
        ("far:deadlock=paper", false),
        ("astar-replan:deadlock=paper", false),
        ("far", false),
        ("astar-replan", false),
        ("bmaa", true),
        ("bmaa-c", true),
        ("bmaa-f", true),
        ("bmaa-f-c", true),
    ] {
        let (mut world, mut events) = (world_from_picture(spec, FIGURE_THREE), Vec::new());
        let arrived = run(&mut world, 400, &mut events);
        assert_eq!(arrived.is_some(), arrives, "{spec}, {arrived:?}:\n{}", picture(&world));
        assert!(arrives || failure_is_reported(&world, &events), "{spec}");
    }
}

/// With small rooms FAR lets one stream through after the other: agents in a deadlock step aside.
#[test]
fn two_streams_through_a_corridor() {
    let failing =
        ["bmaa", "bmaa-c", "bmaa-f", "bmaa-f-c", "rtaa", "whca", "hca", "ca", "lra", "dm", "astar-replan"];
    check_scene("two streams", TWO_STREAMS, 100, &failing);
}

/// Planners that treat agents as walls, or plan whole paths around them, find the detour; a window is too short.
#[test]
fn two_streams_and_a_detour() {
    let failing = ["bmaa-f", "rtaa", "whca", "lra", "dm", "astar-replan"];
    check_scene("two streams and a detour", TWO_STREAMS_AND_A_DETOUR, 500, &failing);
}

/// The learned heuristic leads out of dead ends.
#[test]
fn figure_four_dead_ends() {
    check_scene("figure 4", &picture_of("dead_end"), 40, &[]);
    check_scene("spiral", &picture_of("spiral"), 150, &[]);
}

/// Pushing solves the scene, and so does planning for arrived agents.
#[test]
fn an_arrived_agent_behind_a_door() {
    let failing = ["bmaa", "bmaa-f", "rtaa", "lra", "dm", "hca", "ca"];
    check_scene("behind a door", ARRIVED_BEHIND_A_DOOR, 40, &failing);
}

/// No planner solves it: `c` could step aside but does not block `a`. Each reports the blocking agent. Planners that
/// push several agents move `b` and `c` to the end, where each blocks the next.
#[test]
fn figure_five_reports_the_blocking_agents() {
    let stuck = |agent: u64, reason: StuckReason, by: u64| Event::Stuck {
        agent: AgentId::from_bits(agent),
        reason,
        by: Some(Unit::Agent(AgentId::from_bits(by))),
    };
    let (behind, crowded) = (StuckReason::BehindArrived, StuckReason::Crowded);
    let pushers = ["pibt", "pibt:swap=on", "surge:joint=off"];
    assert!(pushers.iter().all(|spec| every_spec_with_goals().iter().any(|known| known == spec)));
    for spec in every_spec_with_goals() {
        let (mut world, mut events) = (world_from_picture(&spec, ARRIVED_IN_A_CORRIDOR), Vec::new());
        assert_eq!(run(&mut world, 200, &mut events), None, "{spec}");
        events.retain(|event| matches!(event, Event::Stuck { .. }));
        if pushers.contains(&spec.as_str()) {
            let expected = [stuck(0, crowded, 1), stuck(1, crowded, 0), stuck(2, crowded, 1)];
            assert_eq!(events, expected, "{spec}:\n{}", picture(&world));
        } else {
            assert_eq!(events, [stuck(0, behind, 1)], "{spec}:\n{}", picture(&world));
        }
    }
}

#[test]
fn scenes_without_room_are_reported_as_failures() {
    let all: Vec<_> = every_name().collect();
    check_scene("no room", &picture_of("swap_without_room"), 200, &all);
    check_scene("no room, at a distance", HEAD_ON_WITHOUT_ROOM, 200, &all);
}
