//! Measures what a rollback costs: a copy in memory, and a snapshot as bytes.
//!
//! `cargo run --release -p throng --example rollback [PLANNER [MAP]]` prints the least of several times. Without a file the map has
//! 512×512 cells, a tenth of them random walls.

use std::time::{Duration, Instant};

use throng::prelude::*;
use throng::restore_like;

/// Returns the least time that something takes.
fn least<T>(mut run: impl FnMut() -> T) -> Duration {
    let time = |_| {
        let start = Instant::now();
        let result = run();
        let time = start.elapsed();
        drop(result);
        time
    };
    (0..15).map(time).min().unwrap_or_default()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "surge".to_owned());
    let hash = |number: u32| number.wrapping_mul(2_654_435_761) >> 7;
    let terrain = |cell: throng::Cell| match hash(cell.0) % 10 {
        0 => Terrain::Wall,
        _ => Terrain::Ground,
    };
    let tiles = match std::env::args().nth(2) {
        Some(file) => throng::grid::movingai::read_map(&std::fs::read(file)?)?,
        None => Tiles::from_fn(throng::Size::new(512, 512).ok_or("too large")?, terrain),
    };
    let grid = Grid::new(tiles, MoveRules::default());
    let size = grid.size();
    let mut world = World::new(grid.clone(), planner(&name, &grid)?, Settings::default())?;
    let mut number = 0;
    while world.agents().len() < 2_000 {
        number += 1;
        let at = |number: u32| {
            Pos::new((hash(number) % size.width()) as i32, (hash(number + 7) / 512 % size.height()) as i32)
        };
        if let Ok(agent) = world.spawn(AgentSpec::at(at(number).x, at(number).y)) {
            world.send(agent, at(number + 1_000_000))?;
        }
    }
    let mut events = Vec::new();
    let mut tick = |world: &mut World| {
        events.clear();
        world.tick(Budget::Units(100_000), &mut events);
    };
    (0..100).for_each(|_| tick(&mut world));

    let mut saved = world.clone();
    println!("{name}: clone              {:?}", least(|| world.clone()));
    println!("{name}: clone_from         {:?}", least(|| saved.clone_from(&world)));
    let bytes = world.snapshot();
    println!("{name}: snapshot           {:?} ({} KB)", least(|| world.snapshot()), bytes.len() / 1024);
    println!("{name}: restore            {:?}", least(|| restore(&bytes)));
    println!("{name}: restore_like       {:?}", least(|| restore_like(&world, &bytes)));
    let first = || {
        let mut again = world.clone();
        let start = Instant::now();
        tick(&mut again);
        start.elapsed()
    };
    let after_clone = (0..10)
        .map({
            let mut first = first;
            move |_| first()
        })
        .min()
        .unwrap_or_default();
    println!("{name}: first tick of copy {after_clone:?}");
    let mut again = restore(&bytes)?;
    let start = Instant::now();
    events.clear();
    again.tick(Budget::Units(100_000), &mut events);
    println!("{name}: first tick of restored {:?}", start.elapsed());
    let ticks = least(|| {
        events.clear();
        world.tick(Budget::Units(100_000), &mut events)
    });
    println!("{name}: tick               {ticks:?}");
    Ok(())
}
