//! Long runs of lifelong crowds: an agent that arrives gets a new goal, and about every fifth tick an input edits the map,
//! retasks, spawns or removes agents and foreign units. Crossings are forbidden.
//!
//! Three suites: every tick verified by the independent checker, the same run on several numbers of threads, and the same run
//! with snapshots that are restored at random ticks. Each suite appends one line per seed to a file below the target folder,
//! `soak/NAME.txt`: planner, seed, agent-steps, moves, faults. The next call continues after the highest seed of each planner.
//!
//! `THRONG_SOAK_SECONDS` limits one call, `THRONG_SOAK_PLANNERS` selects planners by specifications between blanks, and
//! `THRONG_SOAK_THREADS` sets the number of seeds that are played at the same time.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_crowd::{Budget, Crossings, Event, RunningCheck, Settings, World};
use throng_grid::generate::{GENERATORS, generate};
use throng_grid::{Grid, Pos, Size};
use throng_planners::{planner, restore};

use crate::support::{ALL_RULES, Threads, disturb, every_name, populate, random_pairs, random_terrain};

/// Ticks per seed.
const TICKS: u64 = 1_000;
/// Agent-steps of each planner, and of those below that need more time per step.
const STEPS: u64 = 100_000_000;
const SLOW: [&str; 3] = ["dm", "ca", "hca"];
const SLOW_STEPS: u64 = 10_000_000;
/// Agent-steps of all planners together.
const ALL_STEPS: u64 = 10_000_000_000;

/// What one or several seeds gave.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Found {
    /// Decisions: one per living agent and tick.
    steps: u64,
    /// The decisions that were steps to another cell.
    moves: u64,
    /// Violations of a rule, overruled proposals, panics, and hashes that differ.
    faults: u64,
}

impl Found {
    fn add(&mut self, other: Self) {
        self.steps += other.steps;
        self.moves += other.moves;
        self.faults += other.faults;
    }
}

/// A lifelong crowd; the seed determines map, rules, budget and inputs.
struct Game {
    world: World,
    random: Pcg32,
    /// Expansions per tick, `None` without a limit.
    budget: Option<u64>,
    events: Vec<Event>,
    moves: u64,
    steps: u64,
}

impl Game {
    fn new(spec: &str, seed: u64) -> Self {
        let mut random = Pcg32::seed_from_u64(seed);
        let grid = map(&mut random, seed);
        let room = grid.ground().free_cells().count() as u32;
        let agents = (200 + random.next_u32() % 301).min(room / 6) as usize;
        let pairs = random_pairs(&grid, agents, seed);
        let planner = planner(spec, &grid).unwrap();
        let settings = Settings::default().seed(seed).crossings(Crossings::Forbid);
        let mut world = World::new(grid, planner, settings).unwrap();
        populate(&mut world, &pairs);
        let budget = match random.next_u32() % 4 {
            0 => Some(5_000),
            1 => Some(20_000),
            _ => None,
        };
        Self { world, random, budget, events: Vec::new(), moves: 0, steps: 0 }
    }

    fn tick(&mut self) {
        let Self { world, random, budget, events, .. } = self;
        if random.next_u32().is_multiple_of(5) {
            disturb(world, random);
        }
        events.clear();
        world.tick(budget.map_or(Budget::Unlimited, Budget::Expansions), events);
        let size = world.grid().size();
        for event in events {
            self.moves += u64::from(matches!(event, Event::Moved { .. }));
            let (Event::Arrived { agent } | Event::SettledShort { agent, .. } | Event::Stuck { agent, .. }) =
                *event
            else {
                continue;
            };
            let [x, y] = [size.width(), size.height()].map(|side| (random.next_u32() % side) as i32);
            // An agent of a group or with an order may refuse.
            let _ignored = world.send(agent, Pos::new(x, y));
        }
        self.steps += world.agents().len() as u64;
    }
}

/// Returns a generated map of 64×64 to 127×127 cells, wide enough that a crowd can move.
fn map(random: &mut Pcg32, seed: u64) -> Grid {
    let rules = ALL_RULES[random.next_u32() as usize % ALL_RULES.len()];
    let side = 64 + random.next_u32() % 64;
    let kind = random.next_u32() as usize % (GENERATORS.len() + 1);
    let Some(generator) = GENERATORS.get(kind) else {
        return random_terrain(side, 5 + random.next_u32() % 20, rules, seed);
    };
    let name = match generator.name {
        "maze" => "maze:corridor=3,loops=40",
        "warehouse" => "warehouse:aisle=2",
        name => name,
    };
    Grid::new(generate(name, Size::new(side, side).unwrap(), seed).unwrap(), rules)
}

/// Plays a seed and verifies each tick with the independent checker.
fn checked(spec: &str, seed: u64, ticks: u64) -> Found {
    let mut game = Game::new(spec, seed);
    let mut check = RunningCheck::default();
    game.world.start_recording();
    for tick in 0..ticks {
        game.tick();
        if tick % 16 == 15 {
            check.advance(&game.world.drain_recording().unwrap()).unwrap();
        }
    }
    check.advance(&game.world.finish_recording().unwrap()).unwrap();
    let report = check.report();
    if let Some(first) = report.violations.first() {
        eprintln!("{spec}, seed {seed}: {first:?}");
    }
    assert_eq!((report.ticks, report.steps), (ticks, game.moves), "{spec}, seed {seed}");
    let faults = report.violation_count + game.world.totals().overruled;
    Found { steps: report.agent_steps, moves: report.steps, faults }
}

/// Plays a seed with 1, 2, 3 and 8 threads and compares the hashes of every tick. The steps are counted once.
fn on_threads(spec: &str, seed: u64, ticks: u64) -> Found {
    let mut games = [1, 2, 3, 8].map(|threads| {
        let mut game = Game::new(spec, seed);
        game.world.set_executor(Box::new(Threads(threads)));
        game
    });
    same_hashes(&mut games, ticks, &format!("{spec}, seed {seed}"), |_| {})
}

/// Plays a seed twice, the second time from snapshots that are restored at random ticks, and compares the hashes of every
/// tick. The steps are counted once.
fn with_saves(spec: &str, seed: u64, ticks: u64) -> Found {
    let mut games = [Game::new(spec, seed), Game::new(spec, seed)];
    let mut random = Pcg32::seed_from_u64(!seed);
    same_hashes(&mut games, ticks, &format!("{spec}, seed {seed}"), |games| {
        if random.next_u32().is_multiple_of(16) {
            games[1].world = restore(&games[1].world.snapshot()).unwrap();
        }
    })
}

/// Plays the same game several times and compares the state hashes after each tick. Stops at the first difference.
fn same_hashes<const N: usize>(
    games: &mut [Game; N],
    ticks: u64,
    name: &str,
    mut before: impl FnMut(&mut [Game; N]),
) -> Found {
    let mut faults = 0;
    for tick in 0..ticks {
        before(games);
        games.iter_mut().for_each(Game::tick);
        let hashes = games.each_ref().map(|game| game.world.state_hash());
        if hashes.iter().any(|&hash| hash != hashes[0]) {
            eprintln!("{name}: hashes differ after {} ticks: {hashes:x?}", tick + 1);
            faults = 1;
            break;
        }
    }
    Found { steps: games[0].steps, moves: games[0].moves, faults }
}

/// The number of agent-steps that a planner must reach.
fn required(spec: &str) -> u64 {
    if SLOW.contains(&spec) { SLOW_STEPS } else { STEPS }
}

/// What one planner has reached.
struct Progress {
    spec: String,
    next_seed: u64,
    found: Found,
    /// The number of its seeds that are being played.
    running: usize,
    /// The time that this call has spent on it.
    spent: Duration,
}

/// What a suite must reach.
#[derive(Clone, Copy)]
struct Goal {
    /// The agent-steps of a planner.
    each: fn(&str) -> u64,
    /// The agent-steps of all planners together.
    all: u64,
}

/// What all planners have reached, and the file with it.
struct Table {
    file: File,
    rows: Vec<Progress>,
}

impl Table {
    /// Opens a file of results, or creates it, for these planners. Lines of other planners stay in the file.
    fn open(path: &Path, specs: Vec<String>) -> Self {
        let mut rows: Vec<Progress> = specs
            .into_iter()
            .map(|spec| Progress {
                spec,
                next_seed: 0,
                found: Found::default(),
                running: 0,
                spent: Duration::ZERO,
            })
            .collect();
        let text = std::fs::read_to_string(path).unwrap_or_default();
        // A last line without an end was being written when the program was killed.
        for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            let mut words = line.split_whitespace();
            let spec = words.next().unwrap_or_default();
            let numbers: Vec<u64> = words.filter_map(|word| word.parse().ok()).collect();
            let (Some(row), &[seed, steps, moves, faults]) =
                (rows.iter_mut().find(|row| row.spec == spec), &numbers[..])
            else {
                continue;
            };
            row.next_seed = row.next_seed.max(seed + 1);
            row.found.add(Found { steps, moves, faults });
        }
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n").unwrap();
        }
        Self { file, rows }
    }

    /// Returns the sum over all planners.
    fn total(&self) -> Found {
        let mut total = Found::default();
        self.rows.iter().for_each(|row| total.add(row.found));
        total
    }

    /// Chooses the planner on which the least time was spent among those that have not reached their steps, and its next
    /// seed. Returns `None` when everything is reached.
    fn next(&mut self, goal: Goal) -> Option<(usize, String, u64)> {
        let lacks = |row: &Progress| row.found.steps < (goal.each)(&row.spec);
        let any_lacks = self.rows.iter().any(lacks);
        if !any_lacks && self.total().steps >= goal.all {
            return None;
        }
        let rows = self.rows.iter_mut().enumerate().filter(|(_, row)| !any_lacks || lacks(row));
        let (place, row) = rows.min_by_key(|(_, row)| (row.running, row.spent))?;
        row.running += 1;
        row.next_seed += 1;
        Some((place, row.spec.clone(), row.next_seed - 1))
    }

    /// Stores what a seed gave.
    fn store(&mut self, place: usize, seed: u64, found: Found, spent: Duration) {
        let row = &mut self.rows[place];
        let line = format!("{} {seed} {} {} {}\n", row.spec, found.steps, found.moves, found.faults);
        self.file.write_all(line.as_bytes()).unwrap();
        row.found.add(found);
        row.running -= 1;
        row.spent += spent;
    }

    fn print(&self) {
        let share = |found: Found| found.moves as f64 / (found.steps as f64).max(1.0);
        for row in &self.rows {
            let Found { steps, moves, faults } = row.found;
            println!(
                "{:<14} {:>6} seeds {steps:>14} agent-steps {moves:>14} moves {:>5.2} {faults} faults {:>8.1} s now",
                row.spec,
                row.next_seed,
                share(row.found),
                row.spent.as_secs_f64()
            );
        }
        let Found { steps, moves, faults } = self.total();
        println!("in all {steps} agent-steps, {moves} moves, {faults} faults");
    }
}

/// Returns the value of an environment variable.
pub(crate) fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Returns the file of a suite, in the folder of the build.
pub(crate) fn file_of(suite: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("soak").join(format!("{suite}.txt"))
}

/// Plays seeds until all planners have reached their steps or the time is over.
fn soak(suite: &str, goal: Goal, play: fn(&str, u64, u64) -> Found) {
    let specs = match std::env::var("THRONG_SOAK_PLANNERS") {
        Ok(list) => list.split_whitespace().map(str::to_owned).collect(),
        Err(_) => every_name().map(str::to_owned).collect(),
    };
    let end = number("THRONG_SOAK_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let path = file_of(suite);
    let table = Mutex::new(Table::open(&path, specs));
    let work = || {
        while end.is_none_or(|end| Instant::now() < end) {
            let Some((place, spec, seed)) = table.lock().unwrap().next(goal) else { break };
            let begun = Instant::now();
            let found = catch_unwind(AssertUnwindSafe(|| play(&spec, seed, TICKS))).unwrap_or_else(|_| {
                eprintln!("{spec}, seed {seed}: a panic");
                Found { faults: 1, ..Found::default() }
            });
            table.lock().unwrap().store(place, seed, found, begun.elapsed());
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..number("THRONG_SOAK_THREADS").unwrap_or(2) {
            scope.spawn(work);
        }
    });
    let table = table.into_inner().unwrap();
    table.print();
    println!("stored in {}", path.display());
    assert_eq!(table.total().faults, 0);
    for row in &table.rows {
        let Found { steps, moves, .. } = row.found;
        assert!(moves * 8 >= steps, "{}: only {moves} of {steps} agent-steps were moves", row.spec);
    }
}

#[test]
#[ignore = "soak: ten thousand million agent-steps"]
fn soak_checked() {
    soak("steps", Goal { each: required, all: ALL_STEPS }, checked);
}

#[test]
#[ignore = "soak: a hundred million agent-steps on several numbers of threads"]
fn soak_threads() {
    soak("threads", Goal { each: |_| 0, all: STEPS }, on_threads);
}

#[test]
#[ignore = "soak: a hundred million agent-steps with restored snapshots"]
fn soak_saves() {
    soak("saves", Goal { each: |_| 0, all: STEPS }, with_saves);
}

#[test]
fn short_runs_have_no_fault() {
    for spec in ["pibt", "surge", "bmaa-f-c"] {
        for play in [checked, on_threads, with_saves] {
            let found = play(spec, 1, 60);
            assert_eq!(found.faults, 0, "{spec}");
            assert!(found.steps >= 200 * 60 && found.moves * 8 >= found.steps, "{spec}: {found:?}");
        }
    }
}

/// A suite goes on after the highest stored seed, and ignores a line that was cut off.
#[test]
fn a_suite_continues() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("soak-{}.txt", std::process::id()));
    std::fs::write(&path, "far 0 100 50 0\nfar 7 10 5 1\nother 9 1 1 0\nfar 8 1").unwrap();
    let goal = Goal { each: required, all: 0 };
    let mut table = Table::open(&path, vec!["far".into(), "lra".into()]);
    assert_eq!(table.total(), Found { steps: 110, moves: 55, faults: 1 });
    assert_eq!(table.next(goal), Some((0, "far".to_owned(), 8)));
    assert_eq!(table.next(goal), Some((1, "lra".to_owned(), 0)));
    table.store(1, 0, Found { steps: STEPS, moves: STEPS, faults: 0 }, Duration::from_secs(1));
    assert_eq!(table.next(goal), Some((0, "far".to_owned(), 9)), "the other one has its steps");
    table.store(0, 8, Found { steps: STEPS, moves: 0, faults: 0 }, Duration::from_secs(1));
    assert_eq!(table.next(goal), None);
    let table = Table::open(&path, vec!["far".into(), "lra".into()]);
    assert_eq!(table.total(), Found { steps: 2 * STEPS + 110, moves: STEPS + 55, faults: 1 });
    std::fs::remove_file(path).unwrap();
}
