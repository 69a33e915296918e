//! The situations that the papers draw, and others as small: which planner brings everyone home in how many ticks,
//! and that one which does not says so.
//!
//! D. Sigurdson, V. Bulitko, W. Yeoh, C. Hernández, S. Koenig, *Multi-Agent Pathfinding with Real-Time Heuristic
//! Search*, CIG 2018, figures 3 to 5. A planner that is not named here is expected to succeed.

use throng_crowd::{AgentId, Event, StuckReason, World};
use throng_grid::scene::Scene;

use crate::support::{away, every_name, every_spec_with_goals, info, is_named, picture, pictured, run};

/// A stream through a corridor one cell wide.
const ONE_STREAM: &str = "
    #################
    #a...#######...A#
    #b...#######...B#
    #c.............C#
    #d...#######...D#
    #e...#######...E#
    #################";

/// Figure 3: two streams through a corridor one cell wide.
const TWO_STREAMS: &str = "
    #################
    #a..F#######f..A#
    #b..G#######g..B#
    #c..H.......h..C#
    #d..I#######i..D#
    #....#######....#
    #################";

/// Figure 3 with a way round.
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

/// `b` has arrived behind the door, and there is room beside it.
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

/// Nobody can pass.
const HEAD_ON_WITHOUT_ROOM: &str = "
    #######
    #aB.bA#
    #######";

/// Whether a planner that fails lets the game know: somebody is reported stuck, and whoever is not home is either
/// reported, or in the way of one that is, or still on the move.
fn says_so(world: &World, events: &[Event]) -> bool {
    let recent = &events[events.len().saturating_sub(60 * world.agents().len())..];
    let walks = |who: AgentId| {
        recent.iter().any(|event| matches!(event, Event::Moved { agent, .. } if *agent == who))
    };
    let told = events.iter().any(|event| matches!(event, Event::Stuck { .. } | Event::Waited { .. }));
    told && away(world).into_iter().all(|agent| is_named(events, agent) || walks(agent))
}

/// Everyone comes home within the ticks given under every planner but those named, which do not and say so.
fn plays(name: &str, scene: &str, ticks: u32, but: &[&str]) {
    assert!(but.iter().all(|known| every_name().any(|name| name == *known)), "{but:?}");
    for spec in every_name().filter(|name| info(name).has_goals) {
        let (mut world, mut events) = (pictured(spec, scene), Vec::new());
        let home = run(&mut world, ticks, &mut events);
        assert_eq!(home.is_none(), but.contains(&spec), "{spec}, {name}, {home:?}:\n{}", picture(&world));
        if home.is_none() {
            run(&mut world, 200, &mut events);
            assert!(says_so(&world, &events), "{spec}, {name}:\n{}", picture(&world));
        }
    }
}

fn named(name: &str) -> String {
    Scene::named(name).unwrap().draw()
}

/// Only RTAA*, which does not see others, never leaves the straight way.
#[test]
fn head_on_in_a_corridor_with_a_pocket() {
    plays("head on", &named("corridor_head_on"), 60, &["rtaa"]);
}

/// On one-way streets an agent that has arrived closes the street for good, unless it is pushed.
#[test]
fn doors_bridges_and_crossings() {
    plays("bridge", &named("bridge"), 40, &[]);
    plays("door", &named("door"), 60, &["bmaa-f"]);
    plays("two doors", &named("two_rooms_two_doors"), 60, &["bmaa-f"]);
    plays("crossing", &named("crossing_streams"), 40, &["bmaa-f"]);
    plays("one stream", ONE_STREAM, 80, &["bmaa-f"]);
}

/// FAR lets one stream through after the other, as those who wait for each other stand aside.
#[test]
fn figure_three_both_streams() {
    let but =
        ["bmaa", "bmaa-c", "bmaa-f", "bmaa-f-c", "rtaa", "whca", "hca", "ca", "lra", "dm", "astar-replan"];
    plays("figure 3", TWO_STREAMS, 100, &but);
}

/// Those who take others for walls, or plan all the way around them, find the way round; a window is too short.
#[test]
fn figure_three_with_a_way_round() {
    let but = ["bmaa-f", "rtaa", "whca", "lra", "dm", "astar-replan"];
    plays("figure 3 with a detour", TWO_STREAMS_AND_A_DETOUR, 500, &but);
}

/// What a short search learns leads it out.
#[test]
fn figure_four_dead_ends() {
    plays("figure 4", &named("dead_end"), 40, &[]);
    plays("spiral", &named("spiral"), 150, &[]);
}

/// Pushing helps, and so does planning for those who have arrived.
#[test]
fn an_arrived_agent_behind_a_door() {
    let but = ["bmaa", "bmaa-f", "rtaa", "lra", "dm", "hca", "ca"];
    plays("behind a door", ARRIVED_BEHIND_A_DOOR, 40, &but);
}

/// No planner gets through, for `c` could step aside but is not in the way of `a`; each says who is. Those who push
/// whole rows take `b` and `c` along to the end, where each is in the way of the next.
#[test]
fn figure_five_is_stuck_and_says_behind_whom() {
    let stuck = |agent: u32, reason: StuckReason, by: u32| Event::Stuck {
        agent: AgentId(agent),
        reason,
        by: Some(AgentId(by)),
    };
    let (behind, crowded) = (StuckReason::BehindArrived, StuckReason::Crowded);
    let pushers = ["pibt", "pibt:swap=on", "surge:knots=off"];
    assert!(pushers.iter().all(|spec| every_spec_with_goals().iter().any(|known| known == spec)));
    for spec in every_spec_with_goals() {
        let (mut world, mut events) = (pictured(&spec, ARRIVED_IN_A_CORRIDOR), Vec::new());
        assert_eq!(run(&mut world, 200, &mut events), None, "{spec}");
        events.retain(|event| matches!(event, Event::Stuck { .. }));
        if pushers.contains(&spec.as_str()) {
            let told = [stuck(0, crowded, 1), stuck(1, crowded, 0), stuck(2, crowded, 1)];
            assert_eq!(events, told, "{spec}:\n{}", picture(&world));
        } else {
            assert_eq!(events, [stuck(0, behind, 1)], "{spec}:\n{}", picture(&world));
        }
    }
}

#[test]
fn nobody_passes_where_there_is_no_room() {
    let everyone: Vec<_> = every_name().collect();
    plays("no room", &named("swap_without_room"), 200, &everyone);
    plays("no room, at a distance", HEAD_ON_WITHOUT_ROOM, 200, &everyone);
}
