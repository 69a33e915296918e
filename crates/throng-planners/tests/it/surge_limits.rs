//! The limits of surge: work per tick and memory.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_crowd::{Budget, World};
use throng_grid::generate::generate;
use throng_grid::{Area, Grid, MoveRules, Pos, Size, Tiles};

use crate::support::{
    crowd, empty, not_arrived, path_ends, populate, random_grid, restored_crowd, run, tick,
};

const BUDGET: u64 = 20_000;

/// Returns a world with 2,000 agents, which occupy a sixth of the map.
fn two_thousand(spec: &str) -> World {
    crowd(spec, random_grid(120, 10, MoveRules::default(), 3), 2_000, 3)
}

/// Runs one tick. Checks that it stays within the budget and that every agent has a proposed move.
fn tick_with_proposals_for_all(world: &mut World, budget: u64) {
    let report = world.tick(Budget::expansions(budget), &mut Vec::new());
    assert!(report.expansions <= budget, "{} of {budget}", report.expansions);
    let ends = path_ends(world);
    let missing = world.agents().iter().filter(|agent| ends[agent.index()].is_none()).count();
    assert_eq!(missing, 0, "agents without a proposal");
}

#[test]
fn two_thousand_new_goals_at_once_stay_within_the_budget() {
    let mut world = two_thousand("surge");
    let goals: Vec<Pos> = world.agents().iter().map(|&agent| world.goal(agent).unwrap().unwrap()).collect();
    for budget in [BUDGET, 500, 1] {
        for _ in 0..20 {
            tick_with_proposals_for_all(&mut world, budget);
        }
        for (i, &agent) in world.agents().to_vec().iter().enumerate() {
            world.send(agent, goals[(i * 7 + budget as usize) % goals.len()]).unwrap();
        }
        tick_with_proposals_for_all(&mut world, budget);
    }
    assert!(
        run(&mut world, 1_500, &mut Vec::new()).is_some(),
        "{} have not arrived",
        not_arrived(&world).len()
    );
}

/// A tick may spend all that its budget grants, which is more than the limit of the planner itself.
#[test]
fn a_large_budget_is_used() {
    let mut units = [Budget::units(200_000), Budget::Unlimited].map(|budget| {
        let mut world = two_thousand("surge");
        world.tick(budget, &mut Vec::new()).units
    });
    assert!((25_001..=200_000).contains(&units[0]), "{units:?}");
    assert!(units[1] <= 25_000, "{units:?}");
    let mut world = two_thousand("surge:work=200000");
    units[1] = world.tick(Budget::Unlimited, &mut Vec::new()).units;
    assert!(units[1] > 25_000, "{units:?}");
}

/// Walls appear and disappear on occupied cells. No tick exceeds the budget, and no move is overruled.
#[test]
fn edits_stay_within_the_budget() {
    let mut world = two_thousand("surge");
    for number in 0..60 {
        let x = number * 37 % 110;
        let wall = Area::rect(Pos::new(x, 10), Pos::new(x + 1, 100));
        if number % 3 == 0 {
            world.block(wall);
        } else if number % 3 == 2 {
            world.unblock(Area::rect(Pos::new(0, 0), Pos::new(119, 119)));
        }
        tick_with_proposals_for_all(&mut world, BUDGET);
    }
    assert_eq!(world.totals().overruled, 0);
}

/// A door closes in front of one of 2,000 agents on their way through it. The agent turns round at once, although the
/// budget of a tick is too small to check the paths of all agents.
#[test]
fn an_agent_at_a_new_wall_turns_round_at_once() {
    let row = |y: i32| {
        let gap = (58..=62).contains(&y) || y == 119;
        format!("{}{}{}", ".".repeat(60), if gap { '.' } else { '#' }, ".".repeat(60))
    };
    let rows: Vec<String> = (0..120).map(row).collect();
    let mut world =
        empty("surge:work=100000000", Grid::new(Tiles::picture(&rows.join("\n")), MoveRules::default()));
    let crowd = (0..2_000).map(|i| (Pos::new(i % 40, 10 + i / 40), Pos::new(120 - i % 40, 10 + i / 40)));
    let pairs: Vec<_> = crowd.chain([(Pos::new(50, 60), Pos::new(115, 60))]).collect();
    populate(&mut world, &pairs);
    for _ in 0..6 {
        tick(&mut world, Budget::Unlimited);
    }
    let probe = *world.agents().last().unwrap();
    let before = world.position(probe).unwrap();
    assert!(before.x == 56 && (58..=62).contains(&before.y), "{before:?}");
    world.block(Area::rect(Pos::new(60, 58), Pos::new(60, 62)));
    for _ in 0..6 {
        tick_with_proposals_for_all(&mut world, 12_000);
    }
    let now = world.position(probe).unwrap();
    assert!(now.y >= before.y + 5, "{now:?} after {before:?}");
}

/// With little memory, agents share the available fields in turns and still arrive. The limit covers distance fields,
/// not joint searches, so the test does not wait for the last two agents.
#[test]
fn memory_is_limited() {
    let max_bytes = |spec: &str| {
        let mut world = crowd(spec, random_grid(160, 12, MoveRules::default(), 8), 3_000, 8);
        let mut max = 0;
        for _ in 0..2_000 {
            tick(&mut world, Budget::Unlimited);
            max = max.max(world.planner().memory_bytes());
            if not_arrived(&world).len() <= 2 {
                return max;
            }
        }
        panic!("{spec}: {} have not arrived", not_arrived(&world).len());
    };
    let (plenty, little) = (max_bytes("surge:joint=off"), max_bytes("surge:joint=off,memory=1"));
    assert!(plenty > little + (2 << 20), "{plenty} and {little} bytes");
    let rest = plenty.min(5 << 20);
    assert!(little < (1 << 20) + rest, "{little} bytes");
}

/// So little memory that rows are restricted to windows on maps with more than some 360 sectors.
const RESTRICTED: &str = "surge:memory=1";

#[test]
fn agents_arrive_where_rows_exceed_the_memory() {
    let mut arrivals = Vec::new();
    for spec in ["surge", RESTRICTED] {
        let mut world = crowd(spec, random_grid(520, 25, MoveRules::default(), 5), 150, 5);
        let ticks = run(&mut world, 1_200, &mut Vec::new());
        arrivals
            .push(ticks.unwrap_or_else(|| panic!("{spec}: {} have not arrived", not_arrived(&world).len())));
    }
    assert!(arrivals[0] != arrivals[1], "the rows are not restricted");
    assert!(arrivals[1] * 10 <= arrivals[0] * 11, "{arrivals:?}");
}

/// A path that leaves the window around the target: walls across the map with gaps at alternate ends.
#[test]
fn agents_arrive_where_no_window_has_a_path() {
    let row = |y: usize| match (y % 24, y / 24 % 2) {
        (23, 0) => format!("{}..", "#".repeat(518)),
        (23, _) => format!("..{}", "#".repeat(518)),
        _ => ".".repeat(520),
    };
    let picture: Vec<String> = (0..520).map(row).collect();
    let grid = Grid::new(Tiles::picture(&picture.join("\n")), MoveRules::default());
    let mut world = empty(RESTRICTED, grid);
    populate(
        &mut world,
        &[(Pos::new(260, 250), Pos::new(255, 300)), (Pos::new(10, 500), Pos::new(500, 510))],
    );
    let ticks = run(&mut world, 1_600, &mut Vec::new());
    assert!(ticks.is_some(), "{:?}", not_arrived(&world));
}

/// The way to a waypoint leaves the window around the target for a few cells. An agent that followed the row of the region again there walked in
/// a circle.
#[test]
fn an_agent_beside_a_window_stays_on_its_path() {
    let tiles = generate("town", Size::new(512, 512).unwrap(), 2).unwrap();
    let mut world = empty(RESTRICTED, Grid::new(tiles, MoveRules::default()));
    populate(&mut world, &[(Pos::new(256, 118), Pos::new(91, 126))]);
    let ticks = run(&mut world, 400, &mut Vec::new());
    assert!(ticks.is_some(), "{:?}", path_ends(&world));
}

/// Edits, saving and loading with restricted rows.
#[test]
fn restricted_rows_follow_edits_and_are_saved() {
    let grid = || random_grid(420, 20, MoveRules::default(), 9);
    let play = |mut world: World| {
        let mut random = Pcg32::seed_from_u64(3);
        let mut hashes = Vec::new();
        for number in 0..240 {
            if number % 3 == 0 && number < 120 {
                let [x, y] = [0; 2].map(|_| (random.next_u32() % 420) as i32);
                let area = Area::rect(Pos::new(x, y), Pos::new(x + 30, y));
                if number % 2 == 0 {
                    world.block(area)
                } else {
                    world.unblock(area)
                };
            }
            tick(&mut world, Budget::Unlimited);
            hashes.push(world.state_hash());
        }
        hashes
    };
    let expected = play(crowd(RESTRICTED, grid(), 80, 9));
    let found = play(restored_crowd(RESTRICTED, grid(), 80, 9, 7));
    assert_eq!(found.iter().zip(&expected).position(|(a, b)| a != b), None, "differs after loading");
}
