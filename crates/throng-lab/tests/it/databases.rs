//! A path database does not change the moves of a crowd and saves expansions.

use std::sync::Arc;

use throng::grid::builtin::builtin;
use throng::grid::{Area, random_queries};
use throng::{AgentSpec, Budget, Grid, MoveRules, Pos, Settings, World};
use throng_cpd::Cpd;
use throng_crowd::NamedPlanner;
use throng_planners::{Resources, planner_with};

fn grid() -> Grid {
    Grid::new(builtin("arena").unwrap(), MoveRules::default())
}

fn planner(grid: &Grid, cpd: Option<&Arc<Cpd>>) -> NamedPlanner {
    let first_moves = cpd.map(|cpd| Arc::clone(cpd) as _);
    planner_with("pibt", grid, Resources { first_moves, ..Resources::default() }).unwrap()
}

/// Returns a world with sixty agents that cross the map.
fn world(cpd: Option<&Arc<Cpd>>) -> World {
    let grid = grid();
    let planner = planner(&grid, cpd);
    let pairs = random_queries(grid.ground(), 200, 7);
    let mut world = World::new(grid, planner, Settings::default().seed(3)).unwrap();
    for (from, to) in pairs {
        let (from, to) = (world.grid().size().pos(from), world.grid().size().pos(to));
        if world.agents().len() < 60
            && let Ok(agent) = world.spawn(AgentSpec::at(from.x, from.y))
        {
            world.send(agent, to).unwrap();
        }
    }
    world
}

#[test]
fn database_distances_equal_searched_distances() {
    let cpd = Arc::new(Cpd::build(grid().ground()));
    let (mut plain, mut with_database) = (world(None), world(Some(&cpd)));
    let mut events = Vec::new();
    for tick in 0..90 {
        for world in [&mut plain, &mut with_database] {
            // Between these ticks the map differs from the database's.
            let _ = match tick {
                20 => world.block(Area::disc(Pos::new(24, 24), 3)),
                50 => world.unblock(Area::disc(Pos::new(24, 24), 3)),
                _ => 0,
            };
            world.tick(Budget::Unlimited, &mut events);
        }
        assert_eq!(plain.state_hash(), with_database.state_hash(), "tick {tick}");
        if tick == 19 {
            let (with, without) = (with_database.totals().expansions, plain.totals().expansions);
            assert!(with > 0 && 2 * with < without, "{with} look-ups instead of {without} expansions");
        }
    }
}

/// The budget is small, so decisions depend on the state of the searches.
#[test]
fn restored_worlds_continue_with_their_database() {
    let cpd = Arc::new(Cpd::build(grid().ground()));
    let mut world = world(Some(&cpd));
    let mut events = Vec::new();
    for _ in 0..10 {
        world.tick(Budget::expansions(300), &mut events);
    }
    let mut restored =
        World::restore(&world.snapshot(), |_, grid| Ok::<_, String>(planner(grid, Some(&cpd)))).unwrap();
    for tick in 0..60 {
        let spent = world.tick(Budget::expansions(300), &mut events).expansions;
        assert_eq!(restored.tick(Budget::expansions(300), &mut events).expansions, spent, "tick {tick}");
        assert!(spent <= 300);
        assert_eq!(world.state_hash(), restored.state_hash(), "tick {tick}");
    }
}

#[test]
fn planners_without_database_support_refuse_one() {
    let grid = grid();
    let cpd = Arc::new(Cpd::build(grid.ground()));
    let resources = Resources { first_moves: Some(cpd), ..Resources::default() };
    assert!(planner_with("far", &grid, resources).is_err());
}
