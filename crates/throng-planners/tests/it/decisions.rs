//! What every planner decides, compared with recorded hashes: a change that is meant to keep decisions must keep every
//! line of `decisions/*.txt`.
//!
//! A line names a planner and an instance, then gives the planner's expansions, the failed moves and a hash after 100,
//! 200 and 300 ticks. The hash covers the state hash of every tick and the agent and kind of every event. Instances
//! differ in map, move rules, terrain costs, speeds and budgets, and a seeded script edits the map, retasks, spawns and
//! removes agents and foreign units. Each run is also saved in the middle, restored and continued.
//!
//! `THRONG_WRITE_GOLDEN=1 cargo test -p throng-planners decisions` records new files; `-- --include-ignored` adds the
//! real maps of `THRONG_DATA`. `THRONG_GOLDEN_ONLY=surge` runs the planners whose names start so.
//! `DECISIONS_LARGE=FILE` with the ignored test runs 500 agents and compares with that file.

use std::path::{Path, PathBuf};

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_crowd::{AgentId, AgentSpec, Budget, Crossings, Event, ForeignId, Settings, Unit, World};
use throng_grid::{Area, Corners, Grid, MoveRules, Pos, Profile, ProfileId, Terrain};
use throng_planners::planner;

use crate::golden::{chain, check, is_selected, tiles, with_terrain};
use crate::support::{every_spec, given};

/// Parameters beyond those that [`every_spec`] lists.
const MORE: [&str; 26] = [
    "bmaa:abstraction=12,landmarks=2,ties=random,expansions=20",
    "bmaa:directions=on,alpha=0.2,w_max=3",
    "bmaa:expansions=7,moves=3,vision=5",
    "bmaa-f-c:order=random,blocked=search,learning=monotone",
    "dm:predict=on,leader=on",
    "dm:reward=on,decay=0.02",
    "dm:parts=crowded,crowd=1,reward=on,unknown=zero",
    "dm:regions=on,surround=0.2",
    "dm:surround=0.3,distance=3,falloff=linear",
    "dm:sector=16,refine=partial,weight=2",
    "dm:sector=8,refine=partial,abstract=on,predict=on",
    "dm:unknown=zero,w_max=2,alpha=0.9",
    "dm-greedy:learn=1",
    "far:reserve=1",
    "far:flow=off,directions=on,reserve=5",
    "hca:tables=plan",
    "lra:agitation=on,directions=on",
    "lra:radius=2",
    "rtaa:expansions=100,moves=5",
    "rtaa:expansions=6,learning=monotone",
    "surge:joint=off,swap=off",
    "surge:memory=1",
    "surge:work=300",
    "surge:flow=0.3,work=2000,memory=1",
    "whca:window=16,tables=plan",
    "whca:window=5,heuristic=empty",
];

/// Planners that run on large instances.
const LARGE: [&str; 22] = [
    "bmaa",
    "bmaa-c",
    "bmaa-f",
    "bmaa:directions=on",
    "bmaa:order=random,blocked=search",
    "far",
    "far:directions=on",
    "astar-replan",
    "whca",
    "whca:tables=plan",
    "hca",
    "lra",
    "lra:agitation=on",
    "dm",
    "dm:sector=16,refine=partial,weight=2",
    "dm:leader=on,predict=on",
    "rtaa",
    "pibt",
    "pibt:swap=on",
    "surge",
    "surge:flow=0.5",
    "surge:memory=1,work=5000",
];

const TICKS: u64 = 300;
/// Ticks after which a hash is written.
const MARK: u64 = 100;
/// The tick at which a run is saved.
const SAVE: u64 = 150;
/// The tick at which the restored run is compared.
const COMPARE: u64 = 200;
/// The ticks at which all agents get new goals.
const RETASK: [u64; 3] = [80, 170, 240];

#[derive(Clone, Copy)]
struct Instance {
    name: &'static str,
    /// `builtin:NAME`, `GENERATOR@WIDTHxHEIGHT`, or `SET/MAP` of the real maps.
    map: &'static str,
    rules: MoveRules,
    /// Whether there is terrain of several costs and a second profile.
    weighted: bool,
    agents: usize,
    /// Agents step every 1 to this many ticks.
    slowest: u32,
    /// The share of agents that get one shared goal when they get goals, in percent.
    shared: u32,
    /// The chance of an input before each tick, in percent.
    inputs: u32,
    budget: fn(u64) -> Budget<'static>,
    crossings: Crossings,
}

const FORBID: MoveRules = MoveRules::eight_way(Corners::Forbid);
const ALLOW: MoveRules = MoveRules::eight_way(Corners::Allow);
const MIXED: MoveRules = MoveRules::eight_way(Corners::Mixed);

const PLAIN: Instance = Instance {
    name: "",
    map: "",
    rules: FORBID,
    weighted: false,
    agents: 40,
    slowest: 1,
    shared: 10,
    inputs: 30,
    budget: |_| Budget::Unlimited,
    crossings: Crossings::Allow,
};

const BUILTIN: [Instance; 5] = [
    Instance { name: "arena", map: "builtin:arena", inputs: 0, agents: 60, ..PLAIN },
    Instance {
        name: "bridge",
        map: "builtin:bridge",
        rules: MIXED,
        weighted: true,
        slowest: 3,
        budget: |_| Budget::Expansions(5_000),
        ..PLAIN
    },
    Instance {
        name: "field",
        map: "builtin:patrol-field",
        rules: ALLOW,
        shared: 60,
        inputs: 10,
        budget: |_| Budget::Expansions(300),
        ..PLAIN
    },
    Instance {
        name: "barrier",
        map: "builtin:patrol-barrier",
        rules: MoveRules::FOUR_WAY,
        budget: |_| Budget::Rounds(3),
        ..PLAIN
    },
    Instance { name: "random", map: "builtin:random", rules: MIXED, inputs: 80, ..PLAIN },
];

const GENERATED: [Instance; 8] = [
    Instance {
        name: "square",
        map: "random:walls=5@18x18",
        agents: 70,
        inputs: 10,
        budget: |_| Budget::Expansions(2_000),
        crossings: Crossings::Forbid,
        ..PLAIN
    },
    Instance { name: "narrow", map: "maze:corridor=1,loops=30@33x33", agents: 30, inputs: 15, ..PLAIN },
    Instance {
        name: "dense",
        map: "random:walls=15@20x20",
        rules: ALLOW,
        agents: 80,
        shared: 40,
        inputs: 10,
        ..PLAIN
    },
    Instance {
        name: "rooms",
        map: "rooms:room=6,doors=60@50x50",
        slowest: 2,
        budget: |_| Budget::Expansions(300),
        ..PLAIN
    },
    Instance {
        name: "caves",
        map: "caves:walls=45,steps=4,tunnel=1@64x48",
        rules: MIXED,
        weighted: true,
        budget: |tick| match tick % 5 {
            0 => Budget::Expansions(0),
            1 => Budget::Expansions(17),
            2 => Budget::Rounds(2),
            3 => Budget::Expansions(1_000),
            _ => Budget::Unlimited,
        },
        ..PLAIN
    },
    Instance {
        name: "shelves",
        map: "warehouse:length=6,strip=3@44x30",
        rules: MoveRules::FOUR_WAY,
        inputs: 0,
        budget: |_| Budget::Expansions(5_000),
        ..PLAIN
    },
    Instance {
        name: "town",
        map: "town@128x128",
        rules: MIXED,
        agents: 60,
        slowest: 3,
        inputs: 20,
        budget: |_| Budget::Expansions(5_000),
        ..PLAIN
    },
    Instance {
        name: "swamp",
        map: "random:walls=25@40x40",
        weighted: true,
        shared: 30,
        inputs: 50,
        budget: |_| Budget::Rounds(20),
        ..PLAIN
    },
];

const REAL: [Instance; 7] = [
    Instance { name: "dao", map: "dao/arena2", ..PLAIN },
    Instance { name: "da2", map: "da2/ca_cave", rules: MIXED, slowest: 3, ..PLAIN },
    Instance { name: "bg512", map: "bg512/AR0504SR", budget: |_| Budget::Expansions(5_000), ..PLAIN },
    Instance {
        name: "wc3",
        map: "wc3/blastedlands",
        weighted: true,
        budget: |_| Budget::Expansions(20_000),
        ..PLAIN
    },
    Instance { name: "rooms", map: "rooms/32room_000", rules: ALLOW, budget: |_| Budget::Rounds(6), ..PLAIN },
    Instance { name: "mazes", map: "mazes/maze512-8-0", budget: |_| Budget::Expansions(10_000), ..PLAIN },
    Instance {
        name: "random",
        map: "random/random512-20-0",
        rules: MoveRules::FOUR_WAY,
        budget: |_| Budget::Expansions(300),
        ..PLAIN
    },
];

#[test]
fn decisions_on_builtin_maps_are_as_recorded() {
    let specs = everyday_specs();
    compare(&file("builtin"), &specs, &BUILTIN);
}

#[test]
fn decisions_on_generated_maps_are_as_recorded() {
    let specs = everyday_specs();
    compare(&file("generated"), &specs, &GENERATED);
}

#[test]
#[ignore = "needs THRONG_DATA: real maps"]
fn decisions_on_real_maps_are_as_recorded() {
    let specs = LARGE.map(str::to_owned);
    let Some(large) = std::env::var_os("DECISIONS_LARGE").map(PathBuf::from) else {
        return compare(&file("real"), &specs, &REAL);
    };
    compare(&large, &specs, &REAL.map(|instance| Instance { agents: 500, ..instance }));
}

/// The decisions of `auto` are those of the planner that it picks; they change with its models and are not recorded.
fn everyday_specs() -> Vec<String> {
    let recorded = every_spec().into_iter().filter(|spec| !spec.starts_with("auto"));
    recorded.chain(MORE.map(str::to_owned)).collect()
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/decisions/{name}.txt"))
}

/// Compares the runs of all planners on all instances with a file, then the restored runs with the others.
fn compare(file: &Path, specs: &[String], instances: &[Instance]) {
    let (mut lines, mut differing) = (Vec::new(), Vec::new());
    for instance in instances {
        let grid = grid(instance);
        let free: Vec<Pos> = grid.ground().free_cells().map(|cell| grid.ground().pos(cell)).collect();
        for spec in specs.iter().filter(|spec| is_selected(spec)) {
            let (line, is_same) = record(spec, instance, &grid, &free);
            if !is_same {
                differing.push(format!("{spec} on {}", instance.name));
            }
            lines.push(line);
        }
    }
    check(file, &lines);
    assert!(differing.is_empty(), "restored runs differ from the others: {differing:#?}");
}

/// Runs an instance and returns its line, and whether the run continued from a snapshot is the same.
fn record(spec: &str, instance: &Instance, grid: &Grid, free: &[Pos]) -> (String, bool) {
    let fresh = || planner(spec, grid).unwrap();
    let settings = Settings::default().seed(7).stuck_after(20).crossings(instance.crossings);
    let world = World::new(grid.clone(), fresh(), settings).unwrap();
    let mut run =
        Run { world, random: Pcg32::seed_from_u64(11), foreign: Vec::new(), events: Vec::new(), hash: 0 };
    run.populate(instance, free);
    let (mut saved, mut compared, mut marks) = (None, 0, Vec::new());
    for tick in 0..TICKS {
        if tick == SAVE {
            saved = Some((run.world.snapshot(), run.random.clone(), run.foreign.clone(), run.hash));
        }
        if tick == COMPARE {
            compared = run.hash;
        }
        run.step(tick, instance, free);
        if (tick + 1).is_multiple_of(MARK) {
            marks.push(format!("{:016x}", run.hash));
        }
    }
    let (snapshot, random, foreign, hash) = saved.unwrap();
    let world = World::restore(&snapshot, given(fresh())).unwrap();
    let mut again = Run { world, random, foreign, events: Vec::new(), hash };
    (SAVE..COMPARE).for_each(|tick| again.step(tick, instance, free));
    let totals = run.world.totals();
    let (expansions, failed, marks) = (totals.expansions, totals.failed_moves, marks.join(" "));
    (format!("{spec} {} {expansions} {failed} {marks}", instance.name), again.hash == compared)
}

/// A world and the state of its script.
struct Run {
    world: World,
    random: Pcg32,
    foreign: Vec<ForeignId>,
    events: Vec<Event>,
    hash: u64,
}

impl Run {
    fn below(&mut self, end: u32) -> u32 {
        self.random.next_u32() % end
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        let index = self.random.next_u32() as usize;
        (!items.is_empty()).then(|| items[index % items.len()])
    }

    fn populate(&mut self, instance: &Instance, free: &[Pos]) {
        for _ in 0..20 * instance.agents {
            if self.world.agents().len() < instance.agents {
                self.spawn(instance, free);
            }
        }
        self.retask(instance, free);
    }

    /// Spawns an agent somewhere, unless it finds the cell occupied or closed to its profile.
    fn spawn(&mut self, instance: &Instance, free: &[Pos]) -> Option<AgentId> {
        let at = self.pick(free).unwrap();
        let profile = ProfileId(u8::from(instance.weighted && self.below(3) == 0));
        let speed = 1 + self.below(instance.slowest) as u8;
        self.world.spawn(AgentSpec::at(at.x, at.y).profile(profile).speed(speed)).ok()
    }

    /// Sends all agents elsewhere, some of them to one shared goal.
    fn retask(&mut self, instance: &Instance, free: &[Pos]) {
        let shared = self.pick(free).unwrap();
        for agent in self.world.agents().to_vec() {
            let own = self.goal(free);
            let goal = if self.below(100) < instance.shared { shared } else { own };
            self.world.send(agent, goal).unwrap();
        }
    }

    /// A cell that was free at the start, sometimes any cell.
    fn goal(&mut self, free: &[Pos]) -> Pos {
        let size = self.world.grid().size();
        let any = Pos::new(self.below(size.width()) as i32, self.below(size.height()) as i32);
        let chosen = self.pick(free).unwrap();
        if self.below(12) == 0 { any } else { chosen }
    }

    fn step(&mut self, tick: u64, instance: &Instance, free: &[Pos]) {
        if RETASK.contains(&tick) {
            self.retask(instance, free);
        }
        if self.below(100) < instance.inputs {
            self.input(instance, free);
        }
        self.events.clear();
        self.world.tick((instance.budget)(tick), &mut self.events);
        let events = self.events.iter().map(code).fold(self.events.len() as u64, chain);
        self.hash = chain(chain(self.hash, self.world.state_hash()), events);
    }

    /// Does one random thing that a game may do; what the world refuses has no effect.
    fn input(&mut self, instance: &Instance, free: &[Pos]) {
        let (here, radius) = (self.pick(free).unwrap(), self.below(3) as i32);
        let agents = self.world.agents().to_vec();
        let (Some(agent), foreign, there) = (self.pick(&agents), self.foreign.clone(), self.goal(free))
        else {
            return;
        };
        let few = agents.len() < instance.agents * 3 / 4;
        let unit = self.pick(&foreign);
        match (self.below(20), unit) {
            (0..=2, _) => drop(self.world.block(Area::disc(here, radius))),
            (3..=5, _) => drop(self.world.unblock(Area::disc(here, 5))),
            (6, _) => {
                let terrain = Terrain::ALL[self.below(6) as usize];
                self.world.set_terrain(Area::disc(here, radius), terrain);
            }
            (7..=9, _) => drop(self.world.send(agent, there)),
            (10, _) => drop(self.world.teleport(agent, here)),
            (11, _) if !few => drop(self.world.despawn(agent)),
            (11 | 12, _) => {
                if let Some(agent) = self.spawn(instance, free) {
                    self.world.send(agent, there).unwrap();
                }
            }
            (13, _) => drop(self.world.control(agent, false)),
            (14 | 15, _) => agents.iter().take(8).for_each(|&agent| self.world.control(agent, true).unwrap()),
            (16, _) => drop(self.world.halt(agent)),
            (17, Some(unit)) => drop(self.world.move_foreign(unit, here)),
            (18, Some(unit)) => drop(self.world.remove_foreign(unit)),
            _ => self.foreign.extend(self.world.place_foreign(here)),
        }
    }
}

/// An event's kind and agents as a number.
fn code(event: &Event) -> u64 {
    let (kind, agent, by) = match *event {
        Event::Moved { agent, .. } => (1, agent, None),
        Event::Waited { agent, by, .. } => (2, agent, by.and_then(Unit::agent)),
        Event::Arrived { agent } => (3, agent, None),
        Event::LeftGoal { agent } => (4, agent, None),
        Event::Pushed { agent, by } => (5, agent, Some(by)),
        Event::Overruled { agent, .. } => (6, agent, None),
        Event::Unreachable { agent, .. } => (7, agent, None),
        Event::Displaced { agent, .. } => (8, agent, None),
        Event::Stuck { agent, by, .. } => (9, agent, by.and_then(Unit::agent)),
        _ => (0, AgentId::from_bits(0), None),
    };
    kind << 56 | u64::from(agent.row()) << 28 | by.map_or(0, |by| u64::from(by.row()) + 1)
}

fn grid(instance: &Instance) -> Grid {
    let tiles = tiles(instance.map);
    if !instance.weighted {
        return Grid::new(tiles, instance.rules);
    }
    let tiles = if instance.map.contains('/') { tiles } else { with_terrain(tiles, 5) };
    let mut grid = Grid::with_profile(tiles, instance.rules, Profile::WC3);
    grid.add_profile(Profile::WALKER);
    grid
}
