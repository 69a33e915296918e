//! Direction maps.

use throng_crowd::{AgentId, AgentSpec, Budget, Event, World};
use throng_grid::scene;
use throng_grid::{Grid, MoveRules, Pos, Size, Terrain, Tiles};
use throng_toolkit::DirectionMap;

use crate::support::{away, crowd, empty, pictured, populate, random_grid, tick, until_home};

/// Every way in which direction maps are learned and used.
const VARIANTS: [&str; 12] = [
    "dm",
    "dm:unknown=zero",
    "dm:weight=2",
    "dm:surround=0.1",
    "dm:window=5",
    "dm:local=5",
    "dm:sector=8",
    "dm:sector=8,refine=partial,weight=2",
    "dm:decay=0.01,predict=on",
    "dm:regions=on",
    "dm:sector=8,abstract=on",
    "dm:leader=on",
];

#[test]
fn scenes_without_narrow_places_are_solved() {
    for (name, picture) in scene::all() {
        // In the last one agents may go round and round each other.
        let narrow = matches!(*name, "swap_without_room" | "corridor_head_on" | "pillar_field");
        for planner in VARIANTS {
            let mut world = pictured(planner, picture);
            let home = until_home(&mut world, 500);
            assert!(home.is_some() || narrow, "{planner} on {name}");
        }
    }
}

#[test]
fn crowds_on_random_maps_get_home() {
    for seed in 0..4 {
        for name in VARIANTS {
            let mut world = crowd(name, random_grid(32, 20, MoveRules::default(), seed), 30, seed);
            until_home(&mut world, 400);
            let home = 30 - away(&world).len();
            assert!(home * 10 >= 30 * 8, "{name}, seed {seed}: {home} of 30");
        }
    }
}

/// Agents go to and fro between two ends of a hall: after a while they keep to lanes, and hardly ever meet head on.
#[test]
fn lanes_form() {
    let size = Size::new(40, 12).unwrap();
    let failed = |spec: &str| {
        let mut world = empty(spec, Grid::new(Tiles::filled(size, Terrain::Ground), MoveRules::default()));
        let ends = |i: i32| (Pos::new(i / 12 * 2, i % 12), Pos::new(39 - i / 12 * 2, i * 5 % 12));
        let pairs: Vec<_> = (0..36).map(ends).collect();
        populate(&mut world, &pairs);
        let mut failed = Vec::new();
        for _ in 0..1_500 {
            let events = tick(&mut world, Budget::Unlimited);
            failed.push(events.iter().filter(|event| matches!(event, Event::Waited { .. })).count());
            for event in events {
                let Event::Arrived { agent } = event else { continue };
                let (a, b) = pairs[agent.index()];
                let next = if world.position(agent) == Some(a) { b } else { a };
                world.send(agent, next).unwrap();
            }
        }
        failed[500..].iter().sum::<usize>()
    };
    let (without, with) = (failed("lra"), failed("dm"));
    eprintln!("failed moves: {without} without, {with} with directions");
    assert!(with * 2 < without, "{with} and {without}");
}

/// Two equally long corridors join two rooms. Somebody has gone through the upper one: with a vector a region, whoever comes
/// the other way pays on every cell of it as soon as the walker is in, and takes the lower one.
#[test]
fn a_corridor_is_learned_as_a_whole() {
    let picture = "..@@@@@@@@..
                   ............
                   ..@@@@@@@@..
                   ............
                   ..@@@@@@@@..";
    let taken = |spec: &str| {
        let mut world = empty(spec, Grid::new(Tiles::picture(picture), MoveRules::default()));
        populate(&mut world, &[(Pos::new(0, 1), Pos::new(11, 1))]);
        for _ in 0..4 {
            tick(&mut world, Budget::Unlimited);
        }
        let (map, size) =
            (DirectionMap::of_planner(world.planner(), world.grid().size()).unwrap(), world.grid().size());
        let along = |x| map.vector(size.cell(Pos::new(x, 1)).unwrap()).is_some_and(|vector| vector.x > 0);
        let learned = (2..10).filter(|&x| along(x)).count();
        let pairs = [(Pos::new(11, 2), Pos::new(0, 1))];
        populate(&mut world, &pairs);
        let other = *world.agents().last().unwrap();
        let mut rows = Vec::new();
        for _ in 0..40 {
            tick(&mut world, Budget::Unlimited);
            rows.extend(world.position(other).filter(|at| at.x == 5).map(|at| at.y));
        }
        (learned, rows)
    };
    let (learned, rows) = taken("dm:regions=on,unknown=zero,radius=1");
    assert_eq!((learned, rows), (8, vec![3]));
    let (learned, _) = taken("dm:unknown=zero,radius=1");
    assert!(learned < 4, "a cell at a time: {learned}");
}

/// A block with a way over it and a longer one below it. Many have gone over it eastwards: with vectors of sectors, whoever goes
/// west plans to go below from the beginning; without, the shorter way over sectors is taken, against all others.
#[test]
fn sectors_have_directions_of_their_own() {
    let mut tiles = Tiles::filled(Size::new(24, 32).unwrap(), Terrain::Ground);
    for (x, y) in (3..21).flat_map(|x| (6..24).map(move |y| (x, y))) {
        tiles.set(Pos::new(x, y), Terrain::Wall);
    }
    let lowest = |spec: &str| {
        let mut world = empty(spec, Grid::new(tiles.clone(), MoveRules::default()));
        for row in 0..6 {
            populate(&mut world, &[(Pos::new(0, row), Pos::new(23, row))]);
            assert!(until_home(&mut world, 200).is_some());
        }
        for agent in world.agents().to_vec() {
            world.despawn(agent).unwrap();
        }
        populate(&mut world, &[(Pos::new(23, 9), Pos::new(0, 9))]);
        let agent = world.agents()[0];
        let mut lowest = 0;
        for _ in 0..200 {
            tick(&mut world, Budget::Unlimited);
            lowest = lowest.max(world.position(agent).unwrap().y);
        }
        assert!(world.has_arrived(agent), "{spec}");
        lowest
    };
    assert!(lowest("dm:sector=8,w_max=2,unknown=zero") < 24, "over the block");
    assert!(lowest("dm:sector=8,w_max=2,unknown=zero,abstract=on") >= 24, "below it");
}

/// Figure 5.1 of the thesis: a group, spread over both sides of the middle, has two corridors before it. Each for itself, they
/// take both; behind a leader, one.
#[test]
fn a_group_goes_where_its_leader_goes() {
    let picture = ".....@@@@@@@@@@@@@@@@.....
                   ..........................
                   .....@@@@@@@@@@@@@@@@.....
                   .....@@@@@@@@@@@@@@@@.....
                   .....@@@@@@@@@@@@@@@@.....
                   ..........................
                   .....@@@@@@@@@@@@@@@@.....";
    let rows = |spec: &str| {
        let mut world = empty(spec, Grid::new(Tiles::picture(picture), MoveRules::default()));
        let pairs: Vec<_> = (0..6).map(|row| (Pos::new(1, row), Pos::new(24, row))).collect();
        populate(&mut world, &pairs);
        let mut rows = [0; 7];
        for _ in 0..100 {
            tick(&mut world, Budget::Unlimited);
            for &agent in world.agents() {
                let at = world.position(agent).unwrap();
                rows[at.y as usize] += usize::from(at.x == 13);
            }
        }
        assert!(away(&world).is_empty(), "{spec}");
        rows
    };
    let alone = rows("dm");
    assert!(alone[1] > 0 && alone[5] > 0, "{alone:?}");
    let together = rows("dm:leader=on");
    assert!(together[1] >= 6 && together[5] == 0, "{together:?}");
}

/// Somebody who walks piece by piece along a hall, when somebody else is set down before it in the middle of a piece.
fn held_up() -> (World, AgentId, AgentId) {
    let hall = Tiles::filled(Size::new(64, 16).unwrap(), Terrain::Ground);
    let mut world = empty("dm:sector=8,refine=partial", Grid::new(hall, MoveRules::default()));
    populate(&mut world, &[(Pos::new(2, 8), Pos::new(60, 8))]);
    let walker = world.agents()[0];
    for _ in 0..3 {
        tick(&mut world, Budget::Unlimited);
    }
    assert_eq!(world.position(walker), Some(Pos::new(5, 8)), "straight on");
    let other = world.spawn(AgentSpec::at(6, 8)).unwrap();
    let waits = |event: &Event| matches!(event, Event::Waited { agent, .. } if *agent == walker);
    assert!(tick(&mut world, Budget::Unlimited).iter().any(waits));
    (world, walker, other)
}

#[test]
fn whoever_is_held_up_in_a_piece_looks_for_a_short_way_round() {
    let (mut world, walker, _) = held_up();
    let report = world.tick(Budget::Unlimited, &mut Vec::new());
    assert!((1..=64).contains(&report.expansions), "{} expansions", report.expansions);
    let at = world.position(walker).unwrap();
    assert!(at.x == 6 && at.y != 8, "round the other: {at:?}");
    let next = world.tick(Budget::Unlimited, &mut Vec::new());
    assert_eq!(next.expansions, 0, "then along the path that it had");
    for _ in 0..60 {
        tick(&mut world, Budget::Unlimited);
    }
    assert!(world.has_arrived(walker));
}

#[test]
fn whoever_was_in_the_way_and_has_gone_on_costs_nothing() {
    let (mut world, walker, other) = held_up();
    world.despawn(other).unwrap();
    let report = world.tick(Budget::Unlimited, &mut Vec::new());
    assert_eq!(report.expansions, 0);
    assert_eq!(world.position(walker), Some(Pos::new(6, 8)));
}
