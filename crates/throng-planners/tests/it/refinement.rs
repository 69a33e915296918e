//! Direction maps over sectors: partial refinement, and the parameters in which it departs from the thesis.

use throng_crowd::{AgentId, AgentSpec, Budget, Event, World};
use throng_grid::{Area, Grid, MoveRules, Pos, Size, Terrain, Tiles};

use crate::support::{empty, path_ends, populate, tick, until_arrived};

/// The procedure of the thesis, section 3.5.
const THESIS: &str = "dm:sector=8,refine=partial,route=new,detour=off,piece_limit=off,held_up_weight=1,\
                      abstract_heuristic=straight";

fn open_map(width: u32, height: u32) -> Tiles {
    Tiles::filled(Size::new(width, height).unwrap(), Terrain::Ground)
}

/// Returns a world with one agent that walks from one position to another.
fn walker_between(spec: &str, tiles: Tiles, from: (i32, i32), to: (i32, i32)) -> (World, AgentId) {
    let mut world = empty(spec, Grid::new(tiles, MoveRules::default()));
    populate(&mut world, &[(Pos::new(from.0, from.1), Pos::new(to.0, to.1))]);
    let walker = world.agents()[0];
    (world, walker)
}

/// Returns the expansions of one tick without a budget.
fn expansions_of_tick(world: &mut World) -> u64 {
    world.tick(Budget::Unlimited, &mut Vec::new()).expansions
}

/// Returns true if an agent arrives within a number of ticks.
fn arrives(world: &mut World, agent: AgentId, ticks: usize) -> bool {
    (0..ticks).any(|_| {
        tick(world, Budget::Unlimited);
        world.has_arrived(agent).unwrap()
    })
}

/// Returns a world in which an agent that refines its path sector by sector is blocked by another agent, and both
/// agents.
fn blocked_agent(spec: &str) -> (World, AgentId, AgentId) {
    let (mut world, walker) = walker_between(spec, open_map(64, 16), (2, 8), (60, 8));
    for _ in 0..3 {
        tick(&mut world, Budget::Unlimited);
    }
    assert_eq!(world.position(walker), Ok(Pos::new(5, 8)), "the path is straight");
    let other = world.spawn(AgentSpec::at(6, 8)).unwrap();
    let waits = |event: &Event| matches!(event, Event::Waited { agent, .. } if *agent == walker);
    assert!(tick(&mut world, Budget::Unlimited).iter().any(waits));
    (world, walker, other)
}

#[test]
fn a_blocked_agent_searches_a_short_detour() {
    let (mut world, walker, _) = blocked_agent("dm:sector=8,refine=partial");
    let expansions = expansions_of_tick(&mut world);
    assert!((1..=64).contains(&expansions), "{expansions} expansions");
    let at = world.position(walker).unwrap();
    assert!(at.x == 6 && at.y != 8, "no detour: {at:?}");
    assert_eq!(expansions_of_tick(&mut world), 0, "the rest of the path is reused");
    assert!(arrives(&mut world, walker, 60));
}

#[test]
fn a_blocker_that_leaves_causes_no_search_with_detours() {
    let after_leaving = |spec: &str| {
        let (mut world, walker, other) = blocked_agent(spec);
        world.despawn(other).unwrap();
        let expansions = expansions_of_tick(&mut world);
        assert_eq!(world.position(walker), Ok(Pos::new(6, 8)), "{spec}");
        expansions
    };
    assert_eq!(after_leaving("dm:sector=8,refine=partial"), 0);
    assert!(
        after_leaving("dm:sector=8,refine=partial,detour=off") > 0,
        "the thesis plans again after a collision"
    );
    assert!(after_leaving(THESIS) > 0);
}

#[test]
fn a_blocked_agent_without_detours_plans_the_piece_again() {
    let (mut world, walker, _) = blocked_agent("dm:sector=8,refine=partial,detour=off,held_up_weight=1");
    let expansions = expansions_of_tick(&mut world);
    assert!(expansions > 64, "{expansions} expansions are a detour");
    assert_eq!(world.position(walker).unwrap().x, 6, "the path leads around the other agent");
    assert!(arrives(&mut world, walker, 80));
}

#[test]
fn the_weight_of_held_up_agents_saves_expansions() {
    let after_block = |weight: &str| {
        let spec = format!("dm:sector=8,refine=partial,detour=off,held_up_weight={weight}");
        expansions_of_tick(&mut blocked_agent(&spec).0)
    };
    let [one, three, ten] = ["1", "3", "10"].map(after_block);
    assert!(one > three && three >= ten, "{one}, {three}, {ten}");
    let (mut default, ..) = blocked_agent("dm:sector=8,refine=partial,detour=off");
    assert_eq!(expansions_of_tick(&mut default), three);
}

/// The only door is held by another agent, so that a search for the target beyond it expands the whole room, unless its
/// expansions are limited.
#[test]
fn a_piece_has_a_limit_of_expansions() {
    let mut tiles = open_map(80, 60);
    for y in (0..60).filter(|&y| y != 30) {
        tiles.set(Pos::new(71, y), Terrain::Wall);
    }
    let first_search = |parameters: &str| {
        let spec = format!("dm:sector=8,refine=partial,radius=20{parameters}");
        let (mut world, walker) = walker_between(&spec, tiles.clone(), (66, 30), (78, 30));
        world.spawn(AgentSpec::at(71, 30)).unwrap();
        let expansions = expansions_of_tick(&mut world);
        assert_eq!(world.position(walker), Ok(Pos::new(66, 30)), "{spec}");
        expansions
    };
    let (limited, unlimited) = (first_search(""), first_search(",piece_limit=off"));
    assert!((2_048..2_100).contains(&limited), "{limited}");
    assert!(unlimited >= 71 * 60, "{unlimited}");
}

/// Two corridors beside each other, joined at one end. A shorter connection opens after the first piece was planned. An
/// agent that keeps its abstract path does not use it.
#[test]
fn a_new_abstract_path_is_planned_with_each_piece() {
    let mut tiles = open_map(8, 40);
    for y in (0..40).filter(|&y| y != 38) {
        tiles.set(Pos::new(4, y), Terrain::Wall);
    }
    let lowest_row = |route: &str| {
        let spec = format!("dm:sector=4,refine=partial,unknown=zero,route={route}");
        let (mut world, walker) = walker_between(&spec, tiles.clone(), (1, 2), (6, 2));
        tick(&mut world, Budget::Unlimited);
        world.set_terrain(Area::disc(Pos::new(4, 12), 0), Terrain::Ground);
        let rows = (0..150).map(|_| {
            tick(&mut world, Budget::Unlimited);
            world.position(walker).unwrap().y
        });
        let lowest = rows.max().unwrap();
        assert!(world.has_arrived(walker).unwrap(), "{spec}");
        lowest
    };
    let (kept, new) = (lowest_row("kept"), lowest_row("new"));
    assert!(kept >= 36 && new < 20, "{kept}, {new}");
}

#[test]
fn an_agent_walks_a_share_of_each_piece() {
    let planned = |cut: &str| {
        let spec = format!("dm:sector=8,refine=partial,cut={cut}");
        let (mut world, walker) = walker_between(&spec, open_map(64, 16), (2, 8), (60, 8));
        tick(&mut world, Budget::Unlimited);
        let end = path_ends(&world)[walker.index()].unwrap();
        world.grid().size().pos(end).x - 2
    };
    let whole = planned("1");
    assert_eq!(whole, 14, "the piece ends in the node after the next");
    assert_eq!([planned("0.6"), planned("0.25")], [9, 4]);
}

/// Over an open map the octile distance is exact, and the straight line is not.
#[test]
fn the_straight_line_as_abstract_heuristic_expands_more() {
    let first_search = |parameters: &str| {
        let spec = format!("dm:sector=4,unknown=zero{parameters}");
        let (mut world, _) = walker_between(&spec, open_map(64, 64), (2, 2), (61, 30));
        let expansions = expansions_of_tick(&mut world);
        (expansions, until_arrived(&mut world, 100).unwrap())
    };
    let (octile, straight) = (first_search(""), first_search(",abstract_heuristic=straight"));
    assert!(straight.0 > octile.0 + 10, "{straight:?}, {octile:?}");
    assert_eq!(first_search(",abstract_heuristic=octile"), octile);
}

/// Six agents meet head-on with the procedure of the thesis, and all arrive.
#[test]
fn the_procedure_of_the_thesis_solves_a_crossing() {
    let mut world = empty(THESIS, Grid::new(open_map(40, 12), MoveRules::default()));
    let ends = |y| [Pos::new(1, y), Pos::new(38, y)];
    let pairs: Vec<_> = [2, 5, 8].map(ends).into_iter().flat_map(|[a, b]| [(a, b), (b, a)]).collect();
    populate(&mut world, &pairs);
    assert!(until_arrived(&mut world, 300).is_some());
}
