//! The workloads whose instructions `cargo xtask instructions` counts under callgrind.
//!
//! A workload prepares what it needs, and does its work in `measured`, where callgrind counts. Everything is generated from
//! seeds and nothing depends on a clock, a thread or a hasher, so a run always executes the same instructions, but for what the
//! allocator and the C library do with addresses.
//!
//! `cargo run --release -p throng --example instructions` lists the workloads, `… instructions NAME` runs one.

use std::error::Error;
use std::hint::black_box;

use throng::grid::SeededRng;
use throng::grid::generate::generate;
use throng::grid::movingai::{read_map, write_map};
use throng::prelude::*;
use throng::{Cell, Cpd, Recording, Size, any_search, check, search};

/// A function that prepares and runs a workload.
type Run = fn() -> Result<(), Box<dyn Error>>;

/// The workloads by name.
const WORKLOADS: &[(&str, Run)] = &[
    ("map-load", map_load),
    ("map-edit", map_edit),
    ("search-astar", || queries("astar")),
    ("search-jps", || queries("jps")),
    ("search-hpa", || queries("hpa")),
    ("cpd-build", cpd_build),
    ("cpd-search", || queries("cpd-search")),
    ("crowd-surge", || crowd("surge", 300, 60)),
    ("crowd-pibt", || crowd("pibt", 300, 60)),
    ("crowd-bmaa-c", || crowd("bmaa-c", 200, 40)),
    ("crowd-whca", || crowd("whca:window=8", 100, 30)),
    ("crowd-dm", || crowd("dm", 100, 30)),
    ("snapshot", snapshot),
    ("checker", checker),
];

fn main() -> Result<(), Box<dyn Error>> {
    let Some(name) = std::env::args().nth(1) else {
        for (name, _) in WORKLOADS {
            println!("{name}");
        }
        return Ok(());
    };
    let (_, run) = WORKLOADS.iter().find(|(known, _)| *known == name).ok_or("unknown workload")?;
    run()
}

/// Callgrind counts the instructions of this function and of what it calls.
#[inline(never)]
fn measured<R>(work: impl FnOnce() -> R) -> R {
    black_box(work())
}

/// Returns a generated map of rooms.
fn rooms(side: u32) -> Result<Tiles, Box<dyn Error>> {
    Ok(generate("rooms", Size::new(side, side).ok_or("the map is too large")?, 7)?)
}

fn map_load() -> Result<(), Box<dyn Error>> {
    let file = write_map(&rooms(256)?);
    measured(|| read_map(&file).map(|tiles| Grid::new(tiles, MoveRules::default())))?;
    Ok(())
}

fn map_edit() -> Result<(), Box<dyn Error>> {
    let mut grid = Grid::new(rooms(256)?, MoveRules::default());
    measured(|| {
        for step in 0..10 {
            let area = Area::disc(Pos::new(step * 37 % 256, step * 71 % 256), 3);
            grid.block(area);
            black_box(grid.ground().components().count());
            grid.unblock(area);
            black_box(grid.ground().components().count());
        }
    });
    Ok(())
}

/// Finds paths between random cells with a search.
fn queries(name: &str) -> Result<(), Box<dyn Error>> {
    let grid = Grid::new(rooms(if name.starts_with("cpd") { 48 } else { 192 })?, MoveRules::default());
    let ground = grid.ground();
    let mut search = search(name).or_else(|_| any_search(name, None))?;
    search.prepare(ground)?;
    let free: Vec<Cell> = grid.size().cells().filter(|&cell| ground.is_free(cell)).collect();
    let (mut rng, mut path) = (SeededRng::new(3), Vec::new());
    let pairs: Vec<_> =
        (0..30).map(|_| [0, 0].map(|_: i32| free[rng.below(free.len() as u32) as usize])).collect();
    measured(|| {
        pairs.iter().try_for_each(|&[from, to]| {
            search.find(ground, from, to, &mut path).map(|found| {
                black_box(found);
            })
        })
    })?;
    Ok(())
}

fn cpd_build() -> Result<(), Box<dyn Error>> {
    let grid = Grid::new(rooms(24)?, MoveRules::default());
    measured(|| Cpd::build(grid.ground()));
    Ok(())
}

/// Returns a world with agents that are sent to random cells.
fn world(name: &str, agents: usize) -> Result<World, Box<dyn Error>> {
    let grid = Grid::new(rooms(96)?, MoveRules::default());
    let mut world = World::new(grid.clone(), planner(name, &grid)?, Settings::default())?;
    let mut rng = SeededRng::new(5);
    let mut random = move || Pos::new(rng.below(96) as i32, rng.below(96) as i32);
    while world.agents().len() < agents {
        let (start, goal) = (random(), random());
        // The cell may be a wall or occupied already.
        if let Ok(agent) = world.spawn(AgentSpec::at(start.x, start.y)) {
            world.send(agent, goal)?;
        }
    }
    Ok(world)
}

fn run_ticks(world: &mut World, ticks: usize) {
    let mut events = Vec::new();
    for _ in 0..ticks {
        events.clear();
        world.tick(Budget::units(20_000), &mut events);
    }
}

/// Runs the ticks of a crowd.
fn crowd(name: &str, agents: usize, ticks: usize) -> Result<(), Box<dyn Error>> {
    let mut world = world(name, agents)?;
    measured(|| run_ticks(&mut world, ticks));
    Ok(())
}

fn snapshot() -> Result<(), Box<dyn Error>> {
    let mut world = world("surge", 300)?;
    run_ticks(&mut world, 10);
    measured(|| restore(&world.snapshot()))?;
    Ok(())
}

fn checker() -> Result<(), Box<dyn Error>> {
    let mut world = world("pibt", 300)?;
    world.start_recording();
    run_ticks(&mut world, 60);
    let recording = Recording::read(&world.finish_recording().ok_or("the world records")?)?;
    let report = measured(|| check(&recording));
    if report.violations.is_empty() { Ok(()) } else { Err("the recording is correct".into()) }
}

#[test]
fn every_workload_runs() {
    for (name, run) in WORKLOADS {
        run().unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}
