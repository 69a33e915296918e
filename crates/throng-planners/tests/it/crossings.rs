//! Two agents that make the two diagonal steps of a square at once: no planner proposes it where it is forbidden.

use throng_crowd::{AgentSpec, Budget, Crossings, Recording, Settings, World, check};
use throng_grid::{Corners, Grid, MoveRules, Pos, Tiles};
use throng_planners::planner;

use crate::support::{every_spec, every_spec_with_goals, populate, random_grid, random_pairs, tick};

fn world(spec: &str, grid: Grid, crossings: Crossings) -> World {
    let planner = planner(spec, &grid).unwrap();
    World::new(grid, planner, Settings::default().seed(7).crossings(crossings)).unwrap()
}

/// Runs a recorded world. Returns the number of crossings.
fn crossings(mut world: World, ticks: usize, what: &str) -> u64 {
    world.start_recording();
    for _ in 0..ticks {
        tick(&mut world, Budget::Unlimited);
    }
    let recording = Recording::read(&world.finish_recording().unwrap()).unwrap();
    let report = check(&recording);
    assert!(report.is_clean(), "{what}: {:?}", report.violations);
    assert_eq!(world.totals().overruled, 0, "{what}");
    world.totals().crossings
}

/// The diagonals of the square in the middle of a room, each from both ends.
const FALLING: [((i32, i32), (i32, i32)); 2] = [((1, 1), (2, 2)), ((2, 2), (1, 1))];
const RISING: [((i32, i32), (i32, i32)); 2] = [((1, 2), (2, 1)), ((2, 1), (1, 2))];

#[test]
fn agents_cross_a_square_one_after_the_other() {
    let grid = Grid::new(Tiles::picture("....\n....\n....\n...."), MoveRules::default());
    let pos = |(x, y): (i32, i32)| Pos::new(x, y);
    for spec in every_spec_with_goals() {
        for (falling, rising) in FALLING.into_iter().flat_map(|one| RISING.map(|other| (one, other))) {
            for pair in [[falling, rising], [rising, falling]] {
                let run = |rule| {
                    let mut world = world(&spec, grid.clone(), rule);
                    populate(&mut world, &pair.map(|(start, goal)| (pos(start), pos(goal))));
                    crossings(world, 12, &format!("{spec}, {pair:?}"))
                };
                assert_eq!(run(Crossings::Forbid), 0);
                // Searches around other agents and reservations of several moves may find another path.
                let allowed = run(Crossings::Allow);
                assert!(allowed == 1 || !["pibt", "surge", "whca", "rtaa"].contains(&&*spec), "{spec}");
            }
        }
    }
}

/// Dense crowds on open ground and between obstacles.
#[test]
fn dense_crowds_do_not_cross() {
    for spec in every_spec() {
        let mut allowed = 0;
        for seed in 0..4 {
            let rules = MoveRules::eight_way([Corners::Forbid, Corners::Allow][seed as usize % 2]);
            let grid = random_grid(14, seed as u32 * 5, rules, seed);
            let pairs = random_pairs(&grid, 60, seed);
            let run = |rule| {
                let mut world = world(&spec, grid.clone(), rule);
                populate(&mut world, &pairs);
                let slow = (0..5).filter_map(|x| world.spawn(AgentSpec::at(x, 7).speed(3)).ok());
                for (agent, &(goal, _)) in slow.collect::<Vec<_>>().into_iter().zip(&pairs) {
                    world.send(agent, goal).unwrap();
                }
                crossings(world, 60, &format!("{spec}, seed {seed}"))
            };
            assert_eq!(run(Crossings::Forbid), 0, "{spec}, seed {seed}");
            allowed += run(Crossings::Allow);
        }
        // On one-way streets agents rarely meet.
        let has_streets = ["far", "bmaa-f", "bmaa:flow"].iter().any(|prefix| spec.starts_with(prefix));
        assert!(allowed > 0 || has_streets, "{spec}: the test needs agents that would cross");
    }
}
