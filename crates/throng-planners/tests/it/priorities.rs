//! Priorities: an ambulance crosses a crowd in less time.

use throng_crowd::{AgentId, AgentSpec, Budget, World};
use throng_grid::{Area, Grid, MoveRules, Pos, Size, Terrain, Tiles};

use crate::support::{empty, every_spec_with_goals, hashes, random_pairs, tick};

/// Returns a world in which a crowd walks about in a hall, and an agent that is to cross it.
fn hall(spec: &str, seed: u64) -> (World, AgentId) {
    let tiles = Tiles::filled(Size::new(30, 16).unwrap(), Terrain::Ground);
    let mut grid = Grid::new(tiles, MoveRules::default());
    // Columns.
    for x in (3..28).step_by(4) {
        for y in (2..15).step_by(4) {
            grid.block(Area::rect(Pos::new(x, y), Pos::new(x + 1, y)));
        }
    }
    let ambulance = Pos::new(0, 8);
    let pairs = random_pairs(&grid, 220, seed);
    let mut world = empty(spec, grid);
    let id = world.spawn(AgentSpec::at(ambulance.x, ambulance.y)).unwrap();
    for (start, goal) in pairs.into_iter().filter(|&(start, _)| start != ambulance) {
        let agent = world.spawn(AgentSpec::at(start.x, start.y)).unwrap();
        world.patrol(agent, &[goal, start]).unwrap();
    }
    (world, id)
}

/// Returns the ticks until the agent with this priority has crossed the hall, over several seeds.
fn crossing_time(spec: &str, priority: i8) -> u64 {
    let time = |seed| {
        let (mut world, ambulance) = hall(spec, seed);
        world.set_priority(ambulance, priority).unwrap();
        // The crowd is under way for longer.
        hashes(&mut world, 5);
        world.send(ambulance, Pos::new(29, 8)).unwrap();
        let arrives = |_: &u64| {
            tick(&mut world, Budget::Unlimited);
            world.has_arrived(ambulance).unwrap()
        };
        (1..=300).find(arrives).unwrap_or(300)
    };
    (1..=6).map(time).sum()
}

#[test]
fn an_ambulance_crosses_a_crowd_in_less_time() {
    for spec in ["pibt", "surge"] {
        let (without, with) = (crossing_time(spec, 0), crossing_time(spec, 1));
        eprintln!("{spec}: {without} ticks, {with} with priority");
        assert!(with < without, "{spec}: {without} ticks, {with} with priority");
        let low = crossing_time(spec, -1);
        assert!(low > with, "{spec}: {low} ticks with a low priority");
    }
}

#[test]
fn equal_priorities_change_no_decision() {
    for spec in every_spec_with_goals() {
        let run = |priority| {
            let (mut world, _) = hall(&spec, 3);
            for agent in world.agents().to_vec() {
                world.set_priority(agent, priority).unwrap();
            }
            hashes(&mut world, 25)
        };
        assert_eq!(run(0), run(7), "{spec}");
    }
}
