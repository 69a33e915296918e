//! Costly terrain: with any multipliers every planner brings a lone agent to its goal, and `surge` and `pibt` on a good path.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_crowd::{Budget, World};
use throng_grid::{Cost, Grid, MoveRules, Pos, Profile, Size, Terrain, Tiles};

use crate::support::{
    ALL_RULES, crowd, empty, every_spec_with_goals, not_arrived, picture, populate, random_pairs, tick,
    until_arrived,
};

/// The terrain that a random profile enters.
const OPEN: [Terrain; 5] = [Terrain::Ground, Terrain::Grass, Terrain::Swamp, Terrain::Water, Terrain::Trees];

/// The planners that do not promise that a lone agent arrives: the first plans a few steps ahead by the empty map, and the second
/// sees the vectors that it has left behind only nearby, so that each of two paths seems better from the other one.
const SHORT_SIGHTED: [&str; 2] = ["whca:heuristic=empty", "dm:window=9"];

/// Returns a map with patches of terrain, and a profile with multipliers from the whole range, often the least or the greatest.
fn random_map(seed: u64, (width, height): (u32, u32)) -> Grid {
    let mut random = Pcg32::seed_from_u64(seed);
    let mut below = |n: u32| random.next_u32() % n;
    let mut halves = [0; 7];
    for place in &mut halves[..OPEN.len()] {
        *place = match below(3) {
            0 => 1 + below(2) as u8,
            1 => Profile::MAX_HALVES,
            _ => 1 + below(u32::from(Profile::MAX_HALVES)) as u8,
        };
    }
    let size = Size::new(width / 4 + below(width), height / 4 + below(height)).unwrap();
    let mut tiles = Tiles::filled(size, Terrain::Ground);
    for _ in 0..size.area() / 24 {
        let terrain = if below(4) == 0 { Terrain::Wall } else { OPEN[below(5) as usize] };
        let (x, y) = (below(size.width()) as i32, below(size.height()) as i32);
        let (width, height) = (1 + below(8) as i32, 1 + below(8) as i32);
        let height = if terrain == Terrain::Wall { 1 } else { height };
        for pos in (y..y + height).flat_map(|y| (x..x + width).map(move |x| Pos::new(x, y))) {
            if size.cell(pos).is_some() {
                tiles.set(pos, terrain);
            }
        }
    }
    Grid::with_profile(tiles, ALL_RULES[seed as usize % 4], Profile::from_halves(halves).unwrap())
}

/// Returns the least cost between two positions.
fn shortest(grid: &Grid, (from, to): (Pos, Pos)) -> Cost {
    let ground = grid.ground();
    let mut costs = vec![Cost::MAX; grid.size().area()];
    let mut queue = std::collections::BTreeSet::from([(0, ground.cell(from).unwrap())]);
    while let Some((cost, cell)) = queue.pop_first() {
        if cost >= costs[cell.index()] {
            continue;
        }
        costs[cell.index()] = cost;
        queue.extend(
            ground.neighbours(cell).map(|(direction, next)| (cost + ground.cost(cell, direction), next)),
        );
    }
    costs[ground.cell(to).unwrap().index()]
}

/// Lets a lone agent walk. Returns the cost of its steps.
fn walk(world: &mut World, pair: (Pos, Pos), ticks: u32) -> Cost {
    populate(world, &[pair]);
    let (mut cost, mut at) = (0, pair.0);
    for _ in 0..ticks {
        if not_arrived(world).is_empty() {
            return cost;
        }
        tick(world, Budget::Unlimited);
        let (ground, now) = (world.grid().ground(), world.position(world.agents()[0]).unwrap());
        let cells = [at, now].map(|pos| ground.cell(pos).unwrap());
        cost += ground.legal_step(cells[0], cells[1]).map_or(0, |step| ground.cost(cells[0], step));
        at = now;
    }
    panic!("{} {pair:?} not arrived after {ticks} ticks:\n{}", world.planner_name(), picture(world));
}

/// Returns the cost of the paths of lone agents and of the shortest ones on maps of about the given size, and the largest quotient in
/// percent.
fn compare(spec: &str, seeds: std::ops::Range<u64>, size: (u32, u32)) -> (u64, u64, u64) {
    let (mut walked, mut shortest_sum, mut worst) = (0, 0, 100);
    for seed in seeds {
        let grid = random_map(seed, size);
        let pair = random_pairs(&grid, 1, seed)[0];
        let best = u64::from(shortest(&grid, pair));
        // Agents that learn distances visit cells again for as long as a costly detour is worth.
        let cost = u64::from(walk(&mut empty(spec, grid), pair, 20_000));
        assert!(cost >= best, "{spec}, seed {seed}");
        (walked, shortest_sum) = (walked + cost, shortest_sum + best);
        worst = worst.max((cost * 100).checked_div(best).unwrap_or(100));
    }
    (walked, shortest_sum, worst)
}

#[test]
fn lone_agents_arrive_whatever_the_terrain_costs() {
    for spec in every_spec_with_goals().iter().filter(|spec| !SHORT_SIGHTED.contains(&spec.as_str())) {
        compare(spec, 0..40, (40, 40));
        let tiles = Tiles::picture("....SSSSSSSS....................");
        let profile = Profile::from_halves([2, 2, 16, 0, 0, 0, 0]).unwrap();
        let mut world = empty(spec, Grid::with_profile(tiles, MoveRules::default(), profile));
        walk(&mut world, (Pos::new(0, 0), Pos::new(31, 0)), 300);
    }
}

#[test]
fn paths_over_costly_terrain_are_short() {
    // Distances are exact, and the next step is part of the distance.
    let (walked, shortest, _) = compare("pibt", 0..120, (40, 40));
    assert_eq!(walked, shortest);
    for (spec, size, seeds) in
        [("surge", (40, 40), 0..240), ("surge", (160, 120), 0..24), ("surge:work=2000", (160, 120), 24..48)]
    {
        let (walked, shortest, worst) = compare(spec, seeds, size);
        assert!(
            walked * 100 <= shortest * 106 && worst <= 170,
            "{spec} {size:?}: {walked} for {shortest}, {worst}"
        );
    }
}

#[test]
fn small_crowds_arrive_over_costly_terrain() {
    for spec in ["surge", "surge:window=0", "pibt"] {
        for seed in 0..40 {
            let mut world = crowd(spec, random_map(seed, (30, 30)), 12, seed);
            let ticks = until_arrived(&mut world, 1_000);
            assert!(ticks.is_some(), "{spec}, seed {seed}:\n{}", picture(&world));
        }
    }
}
