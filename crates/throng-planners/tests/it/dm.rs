//! Direction maps: learning, lanes, regions, parts, sectors, leaders and prediction.

use throng_crowd::{Budget, Event, Settings, World};
use throng_grid::scene;
use throng_grid::{Direction, Grid, MoveRules, Pos, Size, Terrain, Tiles};
use throng_planners::{Resources, planner_with};
use throng_toolkit::{DirectionMap, Vector};

use crate::support::{
    crowd, empty, not_arrived, path_of, populate, random_grid, tick, until_arrived, world_from_picture,
};

/// The variants of learning and using direction maps.
const VARIANTS: [&str; 16] = [
    "dm",
    "dm:unknown=zero",
    "dm:weight=2",
    "dm:surround=0.1",
    "dm:surround=0.3,distance=3,falloff=linear",
    "dm:window=5",
    "dm:local=5",
    "dm:sector=8",
    "dm:sector=8,refine=partial,weight=2",
    "dm:sector=8,refine=partial,route=new,detour=off,piece_limit=off,held_up_weight=1",
    "dm:decay=0.01,predict=on",
    "dm:regions=on",
    "dm:parts=narrow,unknown=zero",
    "dm:parts=crowded,unknown=zero",
    "dm:sector=8,abstract=on",
    "dm:leader=on",
];

#[test]
fn scenes_without_chokepoints_are_solved() {
    for (name, picture) in scene::all() {
        // In the pillar field agents may circle around each other (a livelock).
        let narrow = matches!(*name, "swap_without_room" | "corridor_head_on" | "pillar_field");
        for planner in VARIANTS {
            let mut world = world_from_picture(planner, picture);
            let ticks = until_arrived(&mut world, 500);
            assert!(ticks.is_some() || narrow, "{planner} on {name}");
        }
    }
}

#[test]
fn most_agents_arrive_on_random_maps() {
    for seed in 0..4 {
        for name in VARIANTS {
            let mut world = crowd(name, random_grid(32, 20, MoveRules::default(), seed), 30, seed);
            until_arrived(&mut world, 400);
            let arrived = 30 - not_arrived(&world).len();
            assert!(arrived * 10 >= 30 * 8, "{name}, seed {seed}: {arrived} of 30");
        }
    }
}

/// Agents patrol between two ends of a hall. With direction maps they form lanes, and failed moves are rare.
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
                let next = if world.position(agent) == Ok(a) { b } else { a };
                world.send(agent, next).unwrap();
            }
        }
        failed[500..].iter().sum::<usize>()
    };
    let (without, with) = (failed("lra"), failed("dm"));
    eprintln!("failed moves: {without} without, {with} with directions");
    assert!(with * 2 < without, "{with} and {without}");
}

/// Two equally long corridors join two rooms, and one agent walks through the upper one. With one vector per region, an
/// agent in the opposite direction pays on every cell of that corridor, and takes the lower one.
#[test]
fn regions_learn_a_corridor_as_a_whole() {
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
        let (map, size) = (DirectionMap::of_world(&world).unwrap(), world.grid().size());
        let along = |x| map.vector(size.cell(Pos::new(x, 1)).unwrap()).is_some_and(|vector| vector.x > 0);
        let learned = (2..10).filter(|&x| along(x)).count();
        let pairs = [(Pos::new(11, 2), Pos::new(0, 1))];
        populate(&mut world, &pairs);
        let other = *world.agents().last().unwrap();
        let mut rows = Vec::new();
        for _ in 0..40 {
            tick(&mut world, Budget::Unlimited);
            rows.extend(world.position(other).ok().filter(|at| at.x == 5).map(|at| at.y));
        }
        (learned, rows)
    };
    let (learned, rows) = taken("dm:regions=on,unknown=zero,radius=1");
    assert_eq!((learned, rows), (8, vec![3]));
    let (learned, _) = taken("dm:unknown=zero,radius=1");
    assert!(learned < 4, "one vector per cell: {learned}");
}

/// Section 5.6 of the thesis: vectors in narrow passages only. Two agents pass the same door between two rooms.
#[test]
fn only_passages_have_vectors() {
    let picture = "......@@......
                   ......@@......
                   ..............
                   ......@@......
                   ......@@......
                   ......@@......";
    let vectors = |spec: &str| {
        let mut world = empty(spec, Grid::new(Tiles::picture(picture), MoveRules::default()));
        populate(&mut world, &[(Pos::new(0, 0), Pos::new(13, 5)), (Pos::new(0, 2), Pos::new(13, 0))]);
        assert!(until_arrived(&mut world, 100).is_some());
        let (map, size) = (DirectionMap::of_world(&world).unwrap(), world.grid().size());
        map.known().map(|(cell, _)| size.pos(cell)).collect::<Vec<_>>()
    };
    assert_eq!(vectors("dm:parts=narrow"), [Pos::new(6, 2), Pos::new(7, 2)]);
    let everywhere = vectors("dm").len();
    assert!(everywhere > 20, "{everywhere}");
    let crowded = vectors("dm:parts=crowded,crowd=1").len();
    assert!(0 < crowded && crowded < everywhere, "{crowded} of {everywhere}");
}

/// A block with a short path above it and a longer one below it. Several agents passed above it eastwards. With
/// direction vectors on the abstract graph, an agent that goes west plans the path below; without, it takes the shorter
/// path above.
#[test]
fn abstract_edges_have_direction_vectors() {
    let mut tiles = Tiles::filled(Size::new(24, 32).unwrap(), Terrain::Ground);
    for (x, y) in (3..21).flat_map(|x| (6..24).map(move |y| (x, y))) {
        tiles.set(Pos::new(x, y), Terrain::Wall);
    }
    let lowest = |spec: &str| {
        let mut world = empty(spec, Grid::new(tiles.clone(), MoveRules::default()));
        for row in 0..6 {
            populate(&mut world, &[(Pos::new(0, row), Pos::new(23, row))]);
            assert!(until_arrived(&mut world, 200).is_some());
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
        assert!(world.has_arrived(agent).unwrap(), "{spec}");
        lowest
    };
    assert!(lowest("dm:sector=8,w_max=2,unknown=zero") < 24, "above the block");
    assert!(lowest("dm:sector=8,w_max=2,unknown=zero,abstract=on") >= 24, "below the block");
}

/// Figure 5.1 of the thesis: a group in front of two corridors. Without a leader it takes both; with a leader, one.
#[test]
fn a_group_follows_its_leader() {
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
        assert!(not_arrived(&world).is_empty(), "{spec}");
        rows
    };
    let alone = rows("dm");
    assert!(alone[1] > 0 && alone[5] > 0, "{alone:?}");
    let together = rows("dm:leader=on");
    assert!(together[1] >= 6 && together[5] == 0, "{together:?}");
}

/// Returns a world whose direction map is drawn: `>`, `<`, `^` and `v` are vectors of length one, `.` is a free cell
/// without a vector. Agents go from the first to the second position of each pair.
fn world_with_arrows(spec: &str, arrows: &str, pairs: &[(Pos, Pos)]) -> World {
    let rows: Vec<&str> = arrows.lines().map(str::trim).collect();
    let size = Size::new(rows[0].len() as u32, rows.len() as u32).unwrap();
    let grid = Grid::new(Tiles::filled(size, Terrain::Ground), MoveRules::default());
    let mut map = DirectionMap::new(size);
    for (cell, arrow) in size.cells().zip(rows.concat().chars()) {
        let direction = match arrow {
            '>' => Direction::East,
            '<' => Direction::West,
            '^' => Direction::North,
            'v' => Direction::South,
            _ => continue,
        };
        map.set(cell, Some(Vector::step(direction)));
    }
    let resources = Resources { direction_map: Some(map), ..Resources::default() };
    let planner = planner_with(spec, &grid, resources).unwrap();
    let mut world = World::new(grid, planner, Settings::default()).unwrap();
    populate(&mut world, pairs);
    world
}

/// Figure 5.3 of the thesis: arrows lead around a corner. The white agent, the first one, wants to follow them, and sees
/// the black agent ahead on the same lane.
const LANE: &str = "............
                    >>>>>>>>>v..
                    .........v..
                    .........v..
                    .........v..
                    .........v..
                    ............";

#[test]
fn agents_that_move_on_are_no_obstacles() {
    let black = Pos::new(4, 1);
    let plan = |spec: &str| {
        let pairs = [(Pos::new(0, 1), Pos::new(9, 4)), (black, Pos::new(9, 5))];
        let mut world = world_with_arrows(spec, LANE, &pairs);
        let lane: Vec<Pos> = DirectionMap::of_world(&world)
            .unwrap()
            .known()
            .map(|(c, _)| world.grid().size().pos(c))
            .collect();
        tick(&mut world, Budget::Unlimited);
        let first = world.agents()[0];
        let path = path_of(&world, first);
        let (mut walked, mut ticks) = (vec![world.position(first).unwrap()], 1);
        while !not_arrived(&world).is_empty() && ticks < 100 {
            tick(&mut world, Budget::Unlimited);
            walked.push(world.position(first).unwrap());
            ticks += 1;
        }
        assert!(ticks < 100, "{spec}");
        let off_lane = walked.iter().filter(|at| !lane.contains(at)).count();
        (path.contains(&black), path.iter().all(|at| lane.contains(at)), off_lane, ticks)
    };
    let (through, on_lane, off_lane, ticks) = plan("dm:predict=on");
    assert!(through && on_lane && off_lane == 0, "figure 5.3 (a): {off_lane} steps beside the lane");
    let (through, on_lane, off_lane, longer) = plan("dm");
    assert!(!through && !on_lane && off_lane > 0, "figure 5.3 (b)");
    assert!(ticks <= longer, "{ticks} and {longer}");
}

/// Section 5.3: an agent is an obstacle if it is directly beside the planning agent, or likely to move towards it. The
/// penalty is so small that only obstacles make agents leave the straight line.
#[test]
fn agents_nearby_and_oncoming_agents_are_obstacles() {
    let goes_through = |arrows: &str, other: Pos| {
        let pairs = [(Pos::new(0, 1), Pos::new(9, 1)), (other, Pos::new(9, 2))];
        let mut world = world_with_arrows("dm:predict=on,w_max=0.1", arrows, &pairs);
        tick(&mut world, Budget::Unlimited);
        path_of(&world, world.agents()[0]).contains(&other) || world.position(world.agents()[0]) == Ok(other)
    };
    let along = "..........
                 >>>>>>>>>>
                 ..........";
    let against = "..........
                   >>><>>>>>>
                   ..........";
    let across = "..........
                  >>>^>>>>>>
                  ..........";
    assert!(goes_through(along, Pos::new(3, 1)));
    assert!(!goes_through(along, Pos::new(1, 1)), "directly beside it");
    assert!(!goes_through(against, Pos::new(3, 1)), "oncoming");
    assert!(!goes_through(across, Pos::new(3, 1)), "neither towards it nor away");
}
