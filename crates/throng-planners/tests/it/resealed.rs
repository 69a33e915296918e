//! Altered snapshots with a fitting checksum and state hash: refused, or a world that works. No tick of it panics or takes
//! long, under any planner.

use std::collections::HashSet;
use std::fs::File;
use std::io::Write as _;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_crowd::{Budget, Crossings, Fog, Settings, StepTime, World, snapshot};
use throng_planners::{planner, restore};

use crate::soak_steps::{file_of, number};
use crate::support::{disturb, every_spec, info, populate, random_pairs, small_map};

/// The time that one tick with a small budget may take; an ordinary one takes less than a thousandth.
const LONGEST_TICK: Duration = Duration::from_secs(1);

/// Returns the number of altered snapshots per specification of a planner. `THRONG_RESEALED` sets the number of all.
fn mutants_per_spec(specs: usize) -> usize {
    let all: Option<usize> = std::env::var("THRONG_RESEALED").ok().and_then(|text| text.parse().ok());
    all.map_or(60, |all| all.div_ceil(specs))
}

/// Returns a snapshot in the middle of a run; the seed determines map and settings.
fn snapshot_of(spec: &str, seed: u64) -> Option<Vec<u8>> {
    let mut random = Pcg32::seed_from_u64(seed);
    let grid = small_map(seed);
    let pairs = random_pairs(&grid, 4 + random.next_u32() as usize % 20, seed);
    let planner = planner(spec, &grid).unwrap();
    let mut settings = Settings::default().seed(seed).stuck_after([0, 5, 50][random.next_u32() as usize % 3]);
    settings = settings.crossings(Crossings::ALL[random.next_u32() as usize % 2]);
    settings =
        settings.step_time(StepTime::ALL[random.next_u32() as usize % 2].min(planner.planner.step_time()));
    if random.next_u32() % 4 == 0 {
        settings.fog = "4:shared".parse::<Fog>().ok();
    }
    let mut world = World::new(grid, planner, settings).ok()?;
    populate(&mut world, &pairs);
    for _ in 0..5 + random.next_u32() % 20 {
        for _ in 0..random.next_u32() % 2 {
            disturb(&mut world, &mut random);
        }
        world.tick(Budget::expansions(20 + u64::from(random.next_u32() % 300)), &mut Vec::new());
    }
    Some(world.snapshot())
}

/// Replaces one integer of variable length, mostly in the planner's part, by another.
fn alter(bytes: &mut Vec<u8>, random: &mut Pcg32) {
    const EXTREMES: [u64; 16] = [
        0,
        1,
        7,
        127,
        128,
        255,
        400,
        65_535,
        65_536,
        1 << 20,
        1 << 26,
        1 << 31,
        u32::MAX as u64,
        1 << 53,
        1 << 60,
        u64::MAX,
    ];
    let length = bytes.len() as u32 - 8;
    let from = if random.next_u32().is_multiple_of(3) { 9 } else { length / 2 };
    let place = (from + random.next_u32() % (length - from)) as usize;
    match random.next_u32() % 3 {
        0 => bytes[place] = random.next_u32() as u8,
        1 => bytes[place] = bytes[place].wrapping_add([1, 2, 254, 255, 128][random.next_u32() as usize % 5]),
        _ => {
            let end = (place..bytes.len() - 8).find(|&at| bytes[at] < 128).map_or(place + 1, |at| at + 1);
            let mut value = EXTREMES[random.next_u32() as usize % EXTREMES.len()];
            let mut varint = Vec::new();
            while value >= 128 {
                varint.push(value as u8 | 128);
                value >>= 7;
            }
            varint.push(value as u8);
            bytes.splice(place..end, varint);
        }
    }
}

/// Restores an altered snapshot and plays some ticks of it. Returns whether it was accepted.
fn play(bytes: &[u8], seed: u64) -> bool {
    let Ok(mut world) = restore(bytes) else { return false };
    let mut random = Pcg32::seed_from_u64(seed);
    for tick in 0..50 {
        let begun = Instant::now();
        world.tick(Budget::expansions([20, 0, 300][tick % 3]), &mut Vec::new());
        assert!(begun.elapsed() < LONGEST_TICK, "tick {tick} takes {:?}", begun.elapsed());
        if tick % 4 == 3 {
            disturb(&mut world, &mut random);
        }
    }
    match restore(&world.snapshot()) {
        Ok(again) => assert_eq!(again.state_hash(), world.state_hash()),
        // A count that was altered to the highest possible one has been raised since.
        Err(error) => {
            assert!(error.to_string().contains("at most 1152921504606846976 is possible"), "{error}");
        }
    }
    true
}

/// What became of some mutants.
#[derive(Default)]
struct Outcome {
    accepted: u64,
    refused: u64,
    failures: Vec<String>,
}

/// Tries the mutants with these numbers. Twenty in a row are of one snapshot.
fn try_mutants(spec: &str, numbers: Range<u64>) -> Outcome {
    let mut outcome = Outcome::default();
    let (mut made, mut original) = (None, None);
    for number in numbers {
        let seed = number / 20;
        if made.replace(seed) != Some(seed) {
            original = snapshot_of(spec, seed);
        }
        let Some(mut bytes) = original.clone() else {
            assert!(!info(spec).needs_map.name().is_empty());
            continue;
        };
        let mut random = Pcg32::seed_from_u64(number);
        for _ in 0..=random.next_u32() % 2 {
            alter(&mut bytes, &mut random);
        }
        let begun = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| play(&snapshot::reseal(&bytes).unwrap(), number)));
        match result {
            Ok(true) => outcome.accepted += 1,
            Ok(false) => outcome.refused += 1,
            Err(_) => outcome.failures.push(format!("{spec}, mutant {number}")),
        }
        if begun.elapsed() > 3 * LONGEST_TICK {
            outcome.failures.push(format!("{spec}, mutant {number}: {:?}", begun.elapsed()));
        }
    }
    outcome
}

/// What was tried so far: in all, and the pieces, each a planner and the number of its first mutant.
#[derive(Default)]
struct Tried {
    all: Outcome,
    pieces: HashSet<(String, u64)>,
    /// The file with a line per piece; only a soak has one.
    file: Option<File>,
}

impl Tried {
    /// Reads the file of earlier calls.
    fn open(path: &Path) -> Self {
        let mut tried = Self::default();
        for line in std::fs::read_to_string(path).unwrap_or_default().lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let &[spec, first, accepted, refused, failures] = &words[..] else { continue };
            let numbers = [first, accepted, refused, failures].map(|word| word.parse::<u64>().ok());
            let [Some(first), Some(accepted), Some(refused), Some(failures)] = numbers else { continue };
            tried.all.accepted += accepted;
            tried.all.refused += refused;
            tried.all.failures.extend((0..failures).map(|_| format!("{spec}, from mutant {first} on")));
            tried.pieces.insert((spec.to_owned(), first));
        }
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        tried.file = Some(File::options().append(true).create(true).open(path).unwrap());
        tried
    }

    fn add(&mut self, spec: &str, first: u64, outcome: Outcome) {
        let Outcome { accepted, refused, failures } = outcome;
        if let Some(file) = &mut self.file {
            let line = format!("{spec} {first} {accepted} {refused} {}\n", failures.len());
            file.write_all(line.as_bytes()).unwrap();
        }
        self.all.accepted += accepted;
        self.all.refused += refused;
        self.all.failures.extend(failures);
    }
}

/// The mutants of one line of the file.
const PIECE: u64 = 500;

/// `THRONG_RESEALED` makes it a soak, which goes on where the last call has ended; `THRONG_SOAK_SECONDS` limits a call.
#[test]
fn resealed_snapshots_do_no_harm() {
    let specs = every_spec();
    let count = mutants_per_spec(specs.len()) as u64;
    let is_soak = std::env::var_os("THRONG_RESEALED").is_some();
    let tried = if is_soak { Tried::open(&file_of("resealed")) } else { Tried::default() };
    let pieces: Vec<(&String, u64)> = (0..count)
        .step_by(PIECE as usize)
        .flat_map(|first| specs.iter().map(move |spec| (spec, first)))
        .filter(|(spec, first)| !tried.pieces.contains(&((*spec).clone(), *first)))
        .collect();
    let end = number("THRONG_SOAK_SECONDS").map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let (next, tried) = (AtomicUsize::new(0), Mutex::new(tried));
    let work = || {
        while end.is_none_or(|end| Instant::now() < end) {
            let Some((spec, first)) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
            let outcome = try_mutants(spec, *first..count.min(first + PIECE));
            tried.lock().unwrap().add(spec, *first, outcome);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..number("THRONG_SOAK_THREADS").unwrap_or(if is_soak { 2 } else { 1 }) {
            scope.spawn(work);
        }
    });
    let Outcome { accepted, refused, failures } = tried.into_inner().unwrap().all;
    eprintln!("{accepted} accepted, {refused} refused");
    assert!(failures.is_empty(), "{} failures: {failures:#?}", failures.len());
    assert!(accepted > 100 && refused > 100, "{accepted} accepted, {refused} refused");
}
