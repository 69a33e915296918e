//! What the C ABI and the C# binding cost: the same game in plain Rust, in C and in C#, several times in turns.
//!
//! 2,000 agents walk on a map with random walls. In every tick the game reads all events, positions and motions, and sends
//! each agent that has arrived to the next random goal. The three games end with the same state hash.
//!
//! `cargo xtask capi overhead` compiles the other games and starts this program with them.

use std::error::Error;
use std::process::Command;
use std::time::Instant;

use throng::grid::generate::generate;
use throng::prelude::*;
use throng::{Motion, Size};

const SIDE: u32 = 256;
const AGENTS: usize = 2_000;
const BUDGET: u64 = 20_000;
/// Ticks before the clock starts: the first one prepares the map, and Mono compiles.
const WARM_UP: u32 = 50;
const TICKS: u32 = 400;
/// How often each game is played. One more round, which does not count, comes first.
const ROUNDS: usize = 9;

fn main() -> Result<(), Box<dyn Error>> {
    let programs: Vec<String> = std::env::args().skip(1).collect();
    if programs == ["rust"] {
        let (seconds, hash) = play()?;
        println!("{seconds} {hash:016x}");
        return Ok(());
    }
    let mut games = vec![("Rust", vec![std::env::args().next().ok_or("no name")?, "rust".to_owned()])];
    for program in programs {
        games.push(match program.strip_suffix(".exe") {
            None => ("C", vec![program]),
            Some(_) => ("C#", vec!["mono".to_owned(), program]),
        });
    }
    let mut times = vec![Vec::new(); games.len()];
    let mut hashes = Vec::new();
    for round in 0..=ROUNDS {
        // Each game comes first, in the middle and last equally often.
        for place in 0..games.len() {
            let game = (place + round) % games.len();
            let (seconds, hash) = run(&games[game].1)?;
            hashes.push(hash);
            if round > 0 {
                times[game].push(seconds / f64::from(TICKS) * 1e6);
            }
        }
    }
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "the games end differently: {hashes:?}");
    println!("{AGENTS} agents, {TICKS} ticks, {ROUNDS} rounds in turns, state {}", hashes[0]);
    println!("game  median of a tick   fastest   median of the ratios to Rust in each round");
    for ((name, _), of_game) in games.iter().zip(&times) {
        let ratios = of_game.iter().zip(&times[0]).map(|(time, rust)| time / rust).collect();
        let fastest = of_game.iter().copied().fold(f64::MAX, f64::min);
        let over = (median(ratios) - 1.0) * 100.0;
        println!("{name:<4}  {:>11.1} µs  {fastest:>9.1} µs  {over:>+7.2} %", median(of_game.clone()));
    }
    Ok(())
}

/// Plays a game in a process of its own. Returns its time in seconds and its state hash.
fn run(words: &[String]) -> Result<(f64, String), Box<dyn Error>> {
    let output = Command::new(&words[0]).args(&words[1..]).output()?;
    let text = String::from_utf8(output.stdout)?;
    let (seconds, hash) = text.trim().split_once(' ').ok_or_else(|| format!("{words:?} prints {text:?}"))?;
    Ok((seconds.parse()?, hash.to_owned()))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The random numbers of the conformance scenes.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> i32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(end)) as i32
    }

    fn pos(&mut self) -> Pos {
        let x = self.below(SIDE);
        Pos::new(x, self.below(SIDE))
    }
}

/// Plays the game in plain Rust.
fn play() -> Result<(f64, u64), Box<dyn Error>> {
    let tiles = generate("random", Size::new(SIDE, SIDE).ok_or("no size")?, 3)?;
    let grid = Grid::new(tiles, MoveRules::default());
    let planner = planner("surge", &grid)?;
    let mut world = World::new(grid, planner, Settings::default().seed(1))?;
    let mut random = Random(17);
    while world.agents().len() < AGENTS {
        let at = random.pos();
        // The cell may be blocked or occupied.
        let _ = world.spawn(AgentSpec::at(at.x, at.y));
    }
    for agent in world.agents().to_vec() {
        world.send(agent, random.pos())?;
    }
    let mut events = Vec::new();
    let (mut positions, mut motions): (Vec<Pos>, Vec<Motion>) = (Vec::new(), Vec::new());
    let (mut start, mut sum) = (Instant::now(), 0_i64);
    for tick in 0..WARM_UP + TICKS {
        if tick == WARM_UP {
            start = Instant::now();
        }
        events.clear();
        world.tick(Budget::Units(BUDGET), &mut events);
        positions.clear();
        motions.clear();
        for &agent in world.agents() {
            positions.push(world.position(agent)?);
            motions.push(world.motion(agent)?);
        }
        sum +=
            positions.iter().zip(&motions).map(|(at, motion)| i64::from(at.x + motion.from.y)).sum::<i64>();
        for event in &events {
            if let Event::Arrived { agent } = *event {
                world.send(agent, random.pos())?;
            }
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    Ok((seconds, world.state_hash() ^ sum as u64))
}
