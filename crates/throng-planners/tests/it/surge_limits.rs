//! Surge within its limits: of work in a tick, of memory, and of what a snapshot may say.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_crowd::{Budget, Limits, Settings, World};
use throng_grid::{Area, Grid, MoveRules, Pos, Tiles};
use throng_planners::planner;

use crate::support::{
    away, crowd, empty, path_ends, picture, populate, random_grid, random_pairs, run, tick,
};

const BUDGET: u64 = 20_000;

/// Two thousand agents on a map of which they hold a sixth.
fn two_thousand(spec: &str) -> World {
    crowd(spec, random_grid(120, 10, MoveRules::default(), 3), 2_000, 3)
}

/// One tick within the budget, after which every agent has a proposal.
fn proposes_for_all(world: &mut World, budget: u64) {
    let report = world.tick(Budget::expansions(budget), &mut Vec::new());
    assert!(report.expansions <= budget, "{} of {budget}", report.expansions);
    let ends = path_ends(world);
    let silent = world.agents().iter().filter(|agent| ends[agent.index()].is_none()).count();
    assert_eq!(silent, 0, "agents without a proposal");
}

#[test]
fn two_thousand_are_retasked_at_once() {
    let mut world = two_thousand("surge");
    let places: Vec<Pos> = world.agents().iter().map(|&agent| world.goal(agent).unwrap()).collect();
    for budget in [BUDGET, 500, 1] {
        for _ in 0..20 {
            proposes_for_all(&mut world, budget);
        }
        for (i, &agent) in world.agents().to_vec().iter().enumerate() {
            world.send(agent, places[(i * 7 + budget as usize) % places.len()]).unwrap();
        }
        proposes_for_all(&mut world, budget);
    }
    assert!(run(&mut world, 1_500, &mut Vec::new()).is_some(), "{} are away", away(&world).len());
}

/// Walls are built and opened under everybody's feet: no tick above the budget, and nobody is overruled.
#[test]
fn walls_are_built_and_opened() {
    let mut world = two_thousand("surge");
    for number in 0..60 {
        let x = number * 37 % 110;
        let wall = Area::rect(Pos::new(x, 10), Pos::new(x + 1, 100));
        if number % 3 == 0 {
            world.block(wall);
        } else if number % 3 == 2 {
            world.unblock(Area::rect(Pos::new(0, 0), Pos::new(119, 119)));
        }
        proposes_for_all(&mut world, BUDGET);
    }
    assert_eq!(world.totals().overruled, 0);
}

/// A door is shut before one of 2,000 who are on their way through it: it turns round at once, though the work of a tick
/// does not suffice to look at the ways of all.
#[test]
fn whoever_is_at_a_new_wall_turns_round_at_once() {
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
    assert_eq!(world.position(probe), Some(Pos::new(56, 60)));
    world.block(Area::rect(Pos::new(60, 58), Pos::new(60, 62)));
    for _ in 0..6 {
        proposes_for_all(&mut world, 3_000);
    }
    let now = world.position(probe).unwrap();
    assert!(now.y >= 65, "{now:?}");
}

/// With little memory agents take turns to have fields, and get home; what is bounded are the distances, not the room for
/// joint plans, so the very last are not waited for.
#[test]
fn memory_is_capped() {
    let most = |spec: &str| {
        let mut world = crowd(spec, random_grid(160, 12, MoveRules::default(), 8), 3_000, 8);
        let mut most = 0;
        for _ in 0..2_000 {
            tick(&mut world, Budget::Unlimited);
            most = most.max(world.planner().memory_bytes());
            if away(&world).len() <= 2 {
                return most;
            }
        }
        panic!("{spec}: {} are away", away(&world).len());
    };
    let (plenty, little) = (most("surge:knots=off"), most("surge:knots=off,memory=1"));
    assert!(plenty > little + (2 << 20), "{plenty} and {little} bytes");
    let rest = plenty.min(5 << 20);
    assert!(little < (1 << 20) + rest, "{little} bytes");
}

/// Bytes that were altered on purpose are refused, or the planner goes on with them; it never fails.
#[test]
fn hostile_bytes_are_refused_or_harmless() {
    let grid = random_grid(48, 12, MoveRules::default(), 6);
    let pairs = random_pairs(&grid, 120, 6);
    let mut world = crowd("surge", grid.clone(), 120, 6);
    let mut random = Pcg32::seed_from_u64(6);
    let (mut refused, mut taken) = (0, 0);
    for _ in 0..12 {
        for _ in 0..4 {
            tick(&mut world, Budget::expansions(900));
        }
        let mut bytes = Vec::new();
        world.planner().save(&mut bytes);
        let limits = Limits::new(&grid, world.view().id_limit(), world.ticks());
        for _ in 0..40 {
            let mut altered = bytes.clone();
            for _ in 0..=random.next_u32() % 3 {
                let place = random.next_u32() as usize % altered.len();
                altered[place] = random.next_u32() as u8;
            }
            let mut loaded = planner("surge", &grid).unwrap();
            if loaded.planner.load(&altered, &limits).is_err() {
                refused += 1;
                continue;
            }
            taken += 1;
            // Fewer agents than the bytes speak of, every other time.
            let count = if taken % 2 == 0 { pairs.len() } else { pairs.len() / 2 };
            let mut other = World::new(grid.clone(), loaded, Settings::default().seed(7)).unwrap();
            populate(&mut other, &pairs[..count]);
            for _ in 0..6 {
                tick(&mut other, Budget::expansions(900));
            }
            assert_eq!(other.totals().overruled, 0, "\n{}", picture(&other));
        }
    }
    assert!(refused > 20 && taken > 20, "{refused} refused, {taken} taken");
}
