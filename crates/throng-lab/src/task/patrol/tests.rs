use super::*;
use crate::Setup;
use crate::stats::TimeSeries;
use throng::grid::builtin::builtin;
use throng::{Grid, MoveRules};

fn settings(planner: &str, map: &str, agents: u64, loops: u64) -> RunRow {
    let mut row = RunRow::new();
    for (name, value) in [
        ("task", "patrol"),
        ("map", map),
        ("corners", "forbid"),
        ("terrain", "uniform"),
        ("type", "swap-sides"),
        ("planner", planner),
    ] {
        row.set(name, value);
    }
    row.set("agents", agents);
    row.set("loops", loops);
    row.set("seed", 5_u64);
    row.set("max_ticks", 20_000_u64);
    row
}

fn run(settings: &RunRow) -> RunRow {
    let context = RunContext::new(Maps::default(), true, false, std::sync::Arc::default());
    (TASK.run)(&context, settings).unwrap().unwrap().row
}

/// Without other agents every loop is twice the shortest path.
#[test]
fn a_single_agent_walks_shortest_paths() {
    let row = run(&settings("lra", "builtin:patrol-passages", 1, 5));
    assert_eq!((row.text("stopped"), row.integer("loops_done")), (Some("arrived"), Some(5)));
    let (distance, shortest) = (row.number("loop_distance").unwrap(), row.number("shortest_mean").unwrap());
    assert!((distance * 5.0 - shortest).abs() < 1e-9, "{distance}, {shortest}");
    assert!((row.number("travel_over_shortest").unwrap() - 1.0).abs() < 1e-9);
    assert_eq!(row.number("loop_failed_moves"), Some(0.0));
    let ticks = row.integer("ticks").unwrap();
    assert_eq!(row.number("simulation_time"), Some(ticks as f64 * 1.5));
    let (per_loop, expansions) = (row.number("loop_expansions").unwrap(), row.number("expansions").unwrap());
    assert!(per_loop > 0.0 && per_loop * 5.0 < expansions * 1.5, "{per_loop} of {expansions}");
}

/// Under every planner all agents finish, and the measures are consistent.
#[test]
fn all_agents_finish_their_loops() {
    for planner in ["lra", "whca:window=16", "pibt"] {
        let row = run(&settings(planner, "builtin:patrol-field", 30, 4));
        assert_eq!(row.text("stopped"), Some("arrived"), "{planner}");
        assert_eq!((row.integer("loops_done"), row.integer("collisions")), (Some(120), Some(0)), "{planner}");
        assert_eq!(row.number("loop_rate"), Some(1.0));
        let (distance, travel) = (row.number("loop_distance").unwrap(), row.number("travel_mean").unwrap());
        assert!((distance * 4.0 / travel - 1.0).abs() < 0.2, "{planner}: {distance} a loop of {travel}");
        let (all, back) = (row.number("loop_expansions").unwrap(), row.number("loop_backwards").unwrap());
        assert!(
            if planner == "lra" { back == 0.0 && all > 100.0 } else { back <= all },
            "{planner}: {back} of {all}"
        );
        for column in ["coherence_mean", "coherence_10", "coherence_50", "coherence_90"] {
            assert!((0.2..0.96).contains(&row.number(column).unwrap()), "{planner}, {column}");
        }
        assert_eq!(row.number("late_distance"), None, "nothing changed");
        // All loops together are the whole run.
        let all_loops = |of: &str| {
            let part = |which: &str| row.number(&format!("{which}_{of}")).unwrap();
            part("first") + 2.0 * part("loop") + part("last")
        };
        let expected = [("distance", travel), ("expansions", row.number("expansions").unwrap() / 30.0)];
        for (of, expected) in expected {
            assert!(
                (all_loops(of) / expected - 1.0).abs() < 1e-9,
                "{planner}: {of} {} of {expected}",
                all_loops(of)
            );
        }
        assert!(all_loops("duration") <= row.number("simulation_time").unwrap(), "{planner}");
        assert!(row.number("first_failed_moves") > row.number("last_failed_moves"), "{planner}");
        check_curve(&row);
    }
}

/// The curve has a sample every 20 ticks, and the extremes are its own.
fn check_curve(row: &RunRow) {
    let curve = TimeSeries::parse(row.text("coherence_curve").unwrap()).unwrap();
    assert_eq!(curve.values().len() as i64, row.integer("ticks").unwrap() / 20);
    assert!((curve.step() - 30.0).abs() < 1e-9);
    let ends = |from, fold: fn(f64, f64) -> f64| curve.values().iter().copied().fold(from, fold);
    for (column, end) in [("coherence_low", ends(1.0, f64::min)), ("coherence_high", ends(0.0, f64::max))] {
        assert!((row.number(column).unwrap() - end).abs() <= 5.1e-4, "{column}: {end}");
    }
    assert!(row.number("one_way_share").is_some_and(|share| (0.5..=1.0).contains(&share)));
}

/// Places in the outer thirds of the map are further apart than those in the strips.
#[test]
fn places_can_lie_in_the_outer_thirds() {
    let mut own = settings("lra", "builtin:patrol-words-d", 40, 3);
    let strips = run(&own);
    own.set("place_area", "thirds");
    let thirds = run(&own);
    assert_eq!((thirds.text("stopped"), thirds.integer("loops_done")), (Some("arrived"), Some(120)));
    assert_ne!(strips.number("shortest_mean"), thirds.number("shortest_mean"));
}

/// After the change loops have another length.
#[test]
fn places_move_and_a_door_opens_halfway() {
    let mut own = settings("lra", "builtin:patrol-passages", 20, 6);
    let calm = run(&own);
    own.set("places_move", true);
    own.set("door", "31,4,32,8");
    let moved = run(&own);
    assert_eq!((moved.text("stopped"), moved.integer("collisions")), (Some("arrived"), Some(0)));
    let (before, after) = (calm.number("loop_distance").unwrap(), moved.number("late_distance").unwrap());
    assert!((before - after).abs() > 2.0, "{before}, {after}");
    assert_ne!(calm.text("state_hash"), moved.text("state_hash"));
}

/// Agents that are done leave at once.
#[test]
fn agents_that_are_done_leave() {
    let grid = Grid::new(builtin("patrol-empty").unwrap(), MoveRules::default());
    let plan = PatrolPlan { agents: 3, loops: 3, places_move: false, door: None, area: PlaceArea::Strips };
    let mut patrol = Patrol::new(grid.ground(), crate::ProblemType::Random, plan, 2).unwrap();
    let instance = patrol.instance();
    let mut left = Vec::new();
    let outcome = run_script(
        Setup::new(&grid, &instance, "lra", 5_000),
        &mut patrol.watched(|world| {
            left.push(world.agents().len());
            true
        }),
    );
    let result = outcome.unwrap().result;
    assert_eq!(
        (result.stopped, result.completion_rate.to_bits()),
        (crate::Stopped::Arrived, 1.0_f64.to_bits())
    );
    assert!(left.is_sorted_by(|a, b| a >= b) && left[0] == 3 && left.ends_with(&[1]), "{left:?}");
    assert_eq!(patrol.loops_done(), 9);
}

#[test]
fn impossible_patrols_are_refused() {
    let context = RunContext::new(Maps::default(), false, false, std::sync::Arc::default());
    let mut own = settings("lra", "builtin:patrol-field", 600, 3);
    let refusal = |own: &RunRow| (TASK.run)(&context, own).unwrap_err().to_string();
    let crowded = "600 agents do not fit: there are 220 places for patrols, and 600 are needed";
    assert_eq!(refusal(&own), format!("builtin:patrol-field: {crowded}"));
    own.set("type", "inside-out");
    assert!(refusal(&own).ends_with("patrols are of type random or swap-sides, not inside-out"));
    own.set("type", "random");
    assert!((TASK.check)(&own, &Maps::default()).is_ok());
    own.set("place_area", "thirds");
    let refusal = (TASK.check)(&own, &Maps::default()).unwrap_err();
    assert_eq!(refusal.key, "place_area");
}
