//! Tests of distance tables.

use super::*;
use throng_crowd::Stationary;
use throng_crowd::state::{decode, encode};
use throng_crowd::{AgentSpec, Budget, Settings, World};
use throng_grid::{Grid, MoveRules, Pos, Size, Terrain, Tiles};

fn world() -> World {
    let tiles = Tiles::filled(Size::new(64, 64).unwrap(), Terrain::Ground);
    let grid = Grid::new(tiles, MoveRules::default());
    let mut world = World::new(grid, Box::new(Stationary), Settings::default()).unwrap();
    for i in 0..6 {
        let agent = world.spawn(AgentSpec::at(i * 10, 0)).unwrap();
        world.send(agent, Pos::new(60 - i * 10, 63)).unwrap();
    }
    world
}

fn reach(tables: &mut DistanceTables, world: &World, budget: Budget<'_>, agents: &[u32]) -> u64 {
    let mut work = Work::new(budget);
    tables.reach(&world.view(), &mut work, agents.iter().copied().map(AgentRow));
    work.spent()
}

fn table(tables: &DistanceTables, agent: u32) -> Option<&Rra> {
    let target = Pos::new(60 - agent as i32 * 10, 63);
    let goal = Size::new(64, 64).unwrap().cell(target)?;
    match &tables.tables.get(&(0, goal))?.known {
        Known::Live(rra) => Some(rra),
        Known::Saved(_) => None,
    }
}

fn is_known(tables: &DistanceTables, world: &World, agent: u32) -> bool {
    let at = world.view().at(AgentRow(agent));
    table(tables, agent).is_some_and(|rra| rra.known(at).is_some() || rra.next(at).is_some())
}

#[test]
fn the_least_recently_used_goes_first() {
    let mut world = world();
    let mut tables = DistanceTables::new(usize::MAX);
    let all = reach(&mut tables, &world, Budget::Unlimited, &[0, 1, 2]);
    assert!(all > 0 && (0..3).all(|agent| is_known(&tables, &world, agent)));
    assert_eq!(reach(&mut tables, &world, Budget::Unlimited, &[0, 1, 2]), 0, "they know it already");
    world.tick(Budget::Unlimited, &mut Vec::new());
    reach(&mut tables, &world, Budget::Unlimited, &[0, 2]);
    world.tick(Budget::Unlimited, &mut Vec::new());
    tables.cap = tables.memory_bytes() - 1;
    reach(&mut tables, &world, Budget::Unlimited, &[3]);
    let left: Vec<u32> = (0..6).filter(|&agent| table(&tables, agent).is_some()).collect();
    assert!(!left.contains(&1) && left.contains(&2) && left.contains(&3), "{left:?}");
    let sum = (0..6).filter_map(|agent| table(&tables, agent)).map(Rra::memory_bytes).sum::<usize>();
    assert_eq!(tables.memory_bytes(), sum);
}

#[test]
fn work_and_memory_bound_what_is_known() {
    let world = world();
    let mut tables = DistanceTables::new(usize::MAX);
    assert!(reach(&mut tables, &world, Budget::Expansions(100), &[0, 1, 2]) <= 100);
    assert!((0..3).all(|agent| !is_known(&tables, &world, agent)));
    let mut full = DistanceTables::new(1);
    assert_eq!(reach(&mut full, &world, Budget::Unlimited, &[0, 1, 2]), 0);
    let mut idle = DistanceTables::new(usize::MAX);
    for budget in [Budget::Rounds(0), Budget::Expansions(0), Budget::Until(&mut || true)] {
        assert_eq!(reach(&mut idle, &world, budget, &[0, 1, 2]), 0);
        assert_eq!(idle.memory_bytes(), 0, "nothing is begun before work is granted");
    }
}

#[test]
fn an_edit_makes_a_table_stale_and_loading_brings_it_back() {
    let mut world = world();
    let mut tables = DistanceTables::new(usize::MAX);
    reach(&mut tables, &world, Budget::Unlimited, &[0, 1]);
    let mut bytes = Vec::new();
    encode(&tables.saved(), &mut bytes);
    let mut loaded = DistanceTables::new(usize::MAX);
    let limits = Limits::new(world.grid(), world.view().id_limit(), world.ticks());
    loaded.restore(decode(&bytes, &limits).unwrap());
    assert_eq!(loaded.memory_bytes(), tables.memory_bytes());
    for agent in [0, 1].map(AgentRow) {
        let expected = tables.current(&world.view(), agent).map(|rra| (rra.expansions(), rra.memory_bytes()));
        let found = loaded.current(&world.view(), agent).map(|rra| (rra.expansions(), rra.memory_bytes()));
        assert!(found.is_some() && found == expected);
    }
    // The first agent's way leads from one upper corner to the opposite lower one, the second's beside it.
    for tables in [&mut tables, &mut loaded] {
        world.block(Pos::new(5, 40));
        assert!(tables.current(&world.view(), AgentRow(0)).is_none());
        world.unblock(Pos::new(5, 40));
        assert!(tables.current(&world.view(), AgentRow(0)).is_some());
    }
}

#[test]
fn the_memory_of_unused_tables_is_returned_over_several_ticks() {
    let mut world = world();
    let mut tables = DistanceTables::new(usize::MAX);
    reach(&mut tables, &world, Budget::Unlimited, &[0, 1, 2, 3]);
    let mut held = vec![tables.memory_bytes()];
    while world.view().tick() < UNUSED + 2 * UNUSED_PERIOD {
        world.tick(Budget::Unlimited, &mut Vec::new());
        reach(&mut tables, &world, Budget::Unlimited, &[]);
        held.push(tables.memory_bytes());
    }
    held.dedup();
    assert!(tables.tables.is_empty() && held.is_sorted_by(|a, b| a > b));
    assert_eq!((held.len(), held.last()), (5, Some(&0)), "one table per tick");
    // Above the memory cap it is returned at once.
    reach(&mut tables, &world, Budget::Unlimited, &[0, 1, 2, 3]);
    tables.cap = tables.memory_bytes() - 1;
    (0..=UNUSED).for_each(|_| _ = world.tick(Budget::Unlimited, &mut Vec::new()));
    while !world.view().tick().is_multiple_of(UNUSED_PERIOD) {
        world.tick(Budget::Unlimited, &mut Vec::new());
    }
    reach(&mut tables, &world, Budget::Unlimited, &[]);
    assert_eq!(tables.memory_bytes(), 0);
}
