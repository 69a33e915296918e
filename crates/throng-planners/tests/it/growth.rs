//! Agents come and go: what a world needs depends on how many agents it has, not on how many it has had.

use std::time::Instant;

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_crowd::{AgentId, AgentSpec, Budget, World};
use throng_grid::generate::generate;
use throng_grid::{Grid, MoveRules, Pos, Size};
use throng_planners::PLANNERS;

use crate::support::empty;

/// The number of living agents.
const ALIVE: usize = 200;
/// Agents removed and spawned per tick.
const PER_TICK: usize = 10;
/// Ticks whose time is measured.
const TIMED: usize = 2_000;

/// A world whose agents are replaced, and everything that may grow.
struct Turnover {
    world: World,
    rng: Pcg32,
    spawns: u64,
    last: Option<AgentId>,
    /// The times of the last [`TIMED`] ticks of a run, in nanoseconds.
    times: Vec<u64>,
}

impl Turnover {
    /// Returns a world without agents on a square map.
    fn new(spec: &str, side: u32) -> Self {
        let tiles = generate("random", Size::new(side, side).unwrap(), 3).unwrap();
        let world = empty(spec, Grid::new(tiles, MoveRules::default()));
        Self { world, rng: Pcg32::seed_from_u64(5), spawns: 0, last: None, times: Vec::with_capacity(TIMED) }
    }

    fn pos(&mut self) -> Pos {
        let side = self.world.grid().size().width();
        let [x, y] = [self.rng.next_u32(), self.rng.next_u32()].map(|value| (value % side) as i32);
        Pos::new(x, y)
    }

    /// Runs until this many agents have been spawned. Every id is a new one.
    fn run(&mut self, spawns: u64) {
        self.times.clear();
        let mut events = Vec::new();
        while self.spawns < spawns {
            for _ in 0..PER_TICK.min(self.world.agents().len()) {
                let place = self.rng.next_u32() as usize % self.world.agents().len();
                self.world.despawn(self.world.agents()[place]).unwrap();
            }
            while self.world.agents().len() < ALIVE {
                let (at, goal) = (self.pos(), self.pos());
                // The cell may be blocked or occupied.
                let Ok(agent) = self.world.spawn(AgentSpec::at(at.x, at.y)) else { continue };
                assert_ne!(Some(agent), self.last.replace(agent));
                self.spawns += 1;
                self.world.send(agent, goal).unwrap();
            }
            events.clear();
            let start = Instant::now();
            self.world.tick(Budget::expansions(20_000), &mut events);
            if spawns - self.spawns.min(spawns) < (TIMED * PER_TICK) as u64 && self.times.len() < TIMED {
                self.times.push(start.elapsed().as_nanos() as u64);
            }
        }
    }

    /// Returns the number of rows, and the bytes of the planner and of a snapshot.
    fn sizes(&self) -> [usize; 3] {
        [self.world.view().id_limit(), self.world.planner().memory_bytes(), self.world.snapshot().len()]
    }

    fn median_time(&mut self) -> u64 {
        self.times.sort_unstable();
        self.times[self.times.len() / 2]
    }
}

/// Returns true if a value has grown by at most this many thousandths.
fn is_within(now: usize, before: usize, thousandths: usize) -> bool {
    now * 1000 <= before * (1000 + thousandths)
}

#[test]
fn a_world_needs_memory_for_its_living_agents_only() {
    for info in PLANNERS {
        let mut turnover = Turnover::new(info.name, 64);
        // Tables of distances stay for some hundred ticks.
        turnover.run(5_000);
        let before = turnover.sizes();
        turnover.run(10_000);
        let now = turnover.sizes();
        assert_eq!([before[0], now[0]], [ALIVE; 2], "{}", info.name);
        // Caches and snapshots differ a little with the positions and paths of the moment.
        let fits = is_within(now[1], before[1], 250) && is_within(now[2], before[2], 250);
        assert!(fits, "{}: {before:?}, then {now:?}", info.name);
        assert!(turnover.world.agents().iter().any(|agent| agent.generation() > 5), "{}", info.name);
    }
}

/// Returns the memory of the process in pages, 0 where the system does not say.
fn resident_pages() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0)
}

/// The map has 256×256 cells. On 64×64 cells, where the crowd is dense, the memory of `surge` is not within the bound: it
/// rises once, from 2.8 to 3.1 MB between 200,000 and 400,000 spawns, and is the same after 3,000,000.
#[test]
#[ignore = "soak: a million agents per planner"]
fn soak_growth() {
    let names = std::env::var("THRONG_PLANNERS").unwrap_or_else(|_| "surge,bmaa".into());
    for name in names.split(',') {
        let mut turnover = Turnover::new(name, 256);
        turnover.run(100_000);
        let (sizes, time, pages) = (turnover.sizes(), turnover.median_time(), resident_pages());
        turnover.run(1_000_000);
        let (sizes_now, time_now, pages_now) = (turnover.sizes(), turnover.median_time(), resident_pages());
        println!(
            "{name}: rows, planner, snapshot {sizes:?} then {sizes_now:?}; resident pages {pages} then {pages_now}; \
             median tick {time} ns then {time_now} ns"
        );
        assert_eq!(sizes[0], sizes_now[0], "{name}: rows");
        assert!(is_within(pages_now, pages, 10), "{name}: resident memory");
        assert!(is_within(sizes_now[1], sizes[1], 10), "{name}: memory of the planner");
        assert!(is_within(time_now as usize, time as usize, 100), "{name}: time of a tick");
    }
}
