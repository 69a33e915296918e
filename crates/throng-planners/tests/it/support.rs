//! Helpers shared by the planner tests: worlds from pictures and random maps, verified ticks, random inputs and
//! budgets, an executor with threads, and a planner that is saved and loaded repeatedly.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_crowd::{
    AgentChange, AgentId, AgentRow, AgentSpec, Budget, DebugLayer, DebugMark, Event, Executor, ForeignId,
    GroupId, Input, Limits, Moves, Planner, Settings, Sharing, Speed, StateError, Unit, View, Work, World,
};
use throng_grid::scene::{Scene, draw};
use throng_grid::{
    Area, Cell, Classes, Corners, Grid, MoveRules, Pos, Profile, ProfileId, Size, Terrain, Tiles, builtin,
};
use throng_planners::{ALIASES, PLANNERS, PlannerInfo, planner, planner_info};
use throng_search::spec::Kind;

use crate::golden::with_terrain;

/// Returns what makes the given planner for [`World::restore`].
pub(crate) fn given<P>(planner: P) -> impl FnOnce(&str, &Grid) -> Result<P, Infallible> {
    |_, _| Ok(planner)
}

/// Returns every name in the registry.
pub(crate) fn every_name() -> impl Iterator<Item = &'static str> {
    PLANNERS.iter().map(|info| info.name).chain(ALIASES.iter().map(|(alias, _)| *alias))
}

/// Specifications that combine several parameters.
const COMBINED: [&str; 11] = [
    "surge:flow=0.5",
    "dm:sector=6,refine=partial,weight=2",
    "dm:sector=5",
    "dm:sector=6,refine=partial,abstract=on,decay=0.01",
    "dm:window=9",
    "dm:sector=6,refine=partial,leader=on",
    "dm:sector=6,refine=partial,route=new,detour=off,piece_limit=off,held_up_weight=1,abstract_heuristic=straight",
    "dm:local=4",
    "dm:decay=0.01,surround=0.1,distance=2",
    "bmaa-f-c:core=da-rtaa,prune=on,landmarks=4",
    "bmaa-c:abstraction=5",
];

/// Returns every name, every planner with each non-default choice, and [`COMBINED`].
pub(crate) fn every_spec() -> Vec<String> {
    let mut specs: Vec<String> = every_name().map(str::to_owned).collect();
    for info in PLANNERS {
        for parameter in info.parameters {
            if let Kind::Choice(options) = parameter.kind {
                let chosen =
                    options.iter().skip(1).map(|option| format!("{}:{}={option}", info.name, parameter.name));
                specs.extend(chosen);
            }
        }
    }
    specs.extend(COMBINED.map(str::to_owned));
    specs
}

/// Returns the specifications of [`every_spec`] whose agents go to their targets.
pub(crate) fn every_spec_with_goals() -> Vec<String> {
    every_spec().into_iter().filter(|spec| info(spec).has_goals).collect()
}

/// Returns the registry entry of a planner specification.
pub(crate) fn info(spec: &str) -> &'static PlannerInfo {
    planner_info(spec.split(':').next().unwrap()).unwrap()
}

/// All movement rules.
pub(crate) const ALL_RULES: [MoveRules; 4] = [
    MoveRules::eight_way(Corners::Forbid),
    MoveRules::eight_way(Corners::Allow),
    MoveRules::eight_way(Corners::Mixed),
    MoveRules::FOUR_WAY,
];

/// Returns a world without agents.
pub(crate) fn empty(spec: &str, grid: Grid) -> World {
    let planner = planner(spec, &grid).unwrap();
    World::new(grid, planner, Settings::default().seed(7)).unwrap()
}

/// Spawns agents at the first position of each pair, then sends each to the second.
pub(crate) fn populate(world: &mut World, pairs: &[(Pos, Pos)]) {
    let spawn = |&(at, to): &(Pos, Pos)| (world.spawn(AgentSpec::at(at.x, at.y)).unwrap(), to);
    let agents: Vec<_> = pairs.iter().map(spawn).collect();
    for (agent, to) in agents {
        world.send(agent, to).unwrap();
    }
}

/// Returns the world of a picture. Agents are numbered by their letters; an agent without an uppercase letter is at its
/// goal.
pub(crate) fn world_with_rules(spec: &str, picture: &str, rules: MoveRules) -> World {
    let scene = Scene::parse(picture).unwrap();
    let pair = |agent: &throng_grid::scene::SceneAgent| (agent.start, agent.goal.unwrap_or(agent.start));
    let pairs: Vec<_> = scene.agents.iter().map(pair).collect();
    let mut world = empty(spec, Grid::new(scene.tiles, rules));
    populate(&mut world, &pairs);
    world
}

/// Returns the world of a picture under the default rules.
pub(crate) fn world_from_picture(spec: &str, picture: &str) -> World {
    world_with_rules(spec, picture, MoveRules::default())
}

/// Returns the world of a named scene.
pub(crate) fn world_from_scene(spec: &str, name: &str) -> World {
    world_from_picture(spec, &Scene::named(name).unwrap().draw())
}

/// Returns a square map with the given percentage of walls.
pub(crate) fn random_grid(side: u32, walls: u32, rules: MoveRules, seed: u64) -> Grid {
    Grid::new(random_tiles(side, walls, seed), rules)
}

/// Returns a map as [`random_grid`] with swamp and trees of higher cost, and a second profile that cannot enter trees.
pub(crate) fn random_terrain(side: u32, walls: u32, rules: MoveRules, seed: u64) -> Grid {
    let tiles = with_terrain(random_tiles(side, walls, seed), !seed);
    let mut grid = Grid::with_profile(tiles, rules, Profile::WC3);
    grid.add_profile(Profile::WALKER.with_class(1).unwrap());
    grid
}

fn random_tiles(side: u32, walls: u32, seed: u64) -> Tiles {
    let mut random = Pcg32::seed_from_u64(seed);
    let size = Size::new(side, side).unwrap();
    let cell = |_| if random.next_u32() % 100 < walls { Terrain::Wall } else { Terrain::Ground };
    Tiles::from_terrain(size, size.cells().map(cell).collect()).unwrap()
}

/// Returns a small map; the seed determines rules, walls and terrain.
pub(crate) fn small_map(seed: u64) -> Grid {
    let rules = ALL_RULES[seed as usize % ALL_RULES.len()];
    let walls = 8 + seed as u32 * 7 % 20;
    if (seed / ALL_RULES.len() as u64).is_multiple_of(2) {
        random_terrain(20, walls, rules, seed)
    } else {
        random_grid(20, walls, rules, seed)
    }
}

/// Returns distinct starts and distinct goals in the largest component.
pub(crate) fn random_pairs(grid: &Grid, count: usize, seed: u64) -> Vec<(Pos, Pos)> {
    let (ground, components) = (grid.ground(), grid.ground().components());
    let inside = |cell: &Cell| components.label(ground, *cell) == components.largest();
    let mut cells: Vec<Cell> = ground.free_cells().filter(inside).collect();
    let mut random = Pcg32::seed_from_u64(seed);
    let mut draw = || {
        for i in 0..cells.len() {
            let j = i + random.next_u32() as usize % (cells.len() - i);
            cells.swap(i, j);
        }
        cells.iter().take(count).map(|&cell| ground.pos(cell)).collect::<Vec<_>>()
    };
    draw().into_iter().zip(draw()).collect()
}

/// Returns a world with agents at random starts with random goals.
pub(crate) fn crowd(spec: &str, grid: Grid, agents: usize, seed: u64) -> World {
    let pairs = random_pairs(&grid, agents, seed);
    let mut world = empty(spec, grid);
    populate(&mut world, &pairs);
    world
}

/// Returns a world as [`crowd`] on a built-in map.
pub(crate) fn builtin_crowd(spec: &str, map: &str, agents: usize, seed: u64) -> World {
    crowd(spec, Grid::new(builtin::builtin(map).unwrap(), MoveRules::default()), agents, seed)
}

/// Returns a world as [`crowd`] whose planner is saved and loaded every `every` ticks.
pub(crate) fn restored_crowd(spec: &str, grid: Grid, agents: usize, seed: u64, every: u64) -> World {
    let pairs = random_pairs(&grid, agents, seed);
    let inner = planner(spec, &grid).unwrap().planner;
    let planner = Box::new(Restored { spec: spec.to_owned(), inner, every });
    let mut world = World::new(grid, planner, Settings::default().seed(7)).unwrap();
    populate(&mut world, &pairs);
    world
}

/// Returns an agent's profile.
fn profile_of(world: &World, agent: AgentId) -> Profile {
    world.grid().ground_of(world.profile(agent).unwrap()).unwrap().profile()
}

/// Returns true if a step is legal, computed from terrain and blocked cells independently of [`throng_grid::Ground`].
fn is_legal(grid: &Grid, profile: Profile, from: Pos, to: Pos) -> bool {
    let rules = grid.rules();
    let open = |pos| grid.tiles().at(pos).is_some_and(|terrain| profile.enters(terrain));
    let passes = |pos| {
        let allowed = grid.layers().doors.get(grid.cell(pos).unwrap().index());
        allowed.is_none_or(|allowed| allowed.contains(profile.class()))
    };
    let free = |pos| open(pos) && !grid.is_blocked(pos) && passes(pos);
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let sides = [Pos::new(to.x, from.y), Pos::new(from.x, to.y)];
    let corners = match rules.corners {
        Corners::Forbid => sides.into_iter().all(free),
        Corners::Allow => true,
        Corners::Mixed => sides.into_iter().all(open),
    };
    let diagonal = dx != 0 && dy != 0;
    dx.abs().max(dy.abs()) == 1 && free(from) && free(to) && (!diagonal || (corners && !rules.four_way))
}

/// Runs one tick and verifies it: every move is legal, no cell is shared, no two agents swap, every move has an event,
/// and the referee overruled no move.
pub(crate) fn tick(world: &mut World, budget: Budget<'_>) -> Vec<Event> {
    let positions = |world: &World| -> Vec<(AgentId, Pos)> {
        world.agents().iter().map(|&agent| (agent, world.position(agent).unwrap())).collect()
    };
    let mut expected = positions(world);
    let mut events = Vec::new();
    world.tick(budget, &mut events);
    assert_eq!(world.totals().overruled, 0, "{events:?}");
    let mut steps = BTreeSet::new();
    for event in &events {
        let (Event::Moved { agent, from, to, .. } | Event::Displaced { agent, from, to }) = *event else {
            continue;
        };
        let position = expected.iter_mut().find(|(other, _)| *other == agent).unwrap();
        assert_eq!(std::mem::replace(&mut position.1, to), from, "{event:?}");
        if matches!(event, Event::Moved { .. }) {
            let legal = is_legal(world.grid(), profile_of(world, agent), from, to);
            assert!(legal, "{event:?}:\n{}", picture(world));
            assert!(!steps.contains(&(to, from)), "swap conflict: {event:?}\n{}", picture(world));
            steps.insert((from, to));
        }
    }
    let now = positions(world);
    assert_eq!(now, expected, "an agent moved without an event");
    let cells: BTreeSet<Pos> = now.iter().map(|&(_, pos)| pos).collect();
    assert_eq!(cells.len(), now.len(), "two agents share a cell:\n{}", picture(world));
    assert!(cells.iter().all(|&pos| matches!(world.occupant(pos), Some(Unit::Agent(_)))));
    events
}

/// Runs until all agents have arrived. Returns the number of ticks, `None` if it exceeds `max_ticks`.
pub(crate) fn until_arrived(world: &mut World, max_ticks: u32) -> Option<u32> {
    run(world, max_ticks, &mut Vec::new())
}

/// Runs as [`until_arrived`] and appends the events.
pub(crate) fn run(world: &mut World, max_ticks: u32, events: &mut Vec<Event>) -> Option<u32> {
    (1..=max_ticks).find(|_| {
        events.extend(tick(world, Budget::Unlimited));
        not_arrived(world).is_empty()
    })
}

/// Returns the agents that have not arrived.
pub(crate) fn not_arrived(world: &World) -> Vec<AgentId> {
    world.agents().iter().copied().filter(|&agent| !world.has_arrived(agent).unwrap()).collect()
}

/// Returns true if an agent was reported stuck, or as the blocker of a stuck agent.
pub(crate) fn is_reported(events: &[Event], id: AgentId) -> bool {
    let reports = |event: &Event| matches!(event, Event::Stuck { agent, by, .. } if *agent == id || *by == Some(Unit::Agent(id)));
    events.iter().any(reports)
}

/// Draws the world, for failure messages.
pub(crate) fn picture(world: &World) -> String {
    let name = |agent: AgentId| (b'a' + (agent.row() % 26) as u8) as char;
    let labels = world.agents().iter().map(|&agent| (name(agent), world.position(agent).unwrap()));
    draw(world.grid().ground(), labels, &[])
}

/// Returns the state hash after each tick.
pub(crate) fn hashes(world: &mut World, ticks: usize) -> Vec<u64> {
    let mut hash = || {
        tick(world, Budget::Unlimited);
        world.state_hash()
    };
    (0..ticks).map(|_| hash()).collect()
}

/// Returns a random speed: one step in up to three ticks, or two steps in three to five.
pub(crate) fn some_speed(random: &mut Pcg32) -> Speed {
    let mut below = |n: u32| (random.next_u32() % n) as u16;
    match below(4) {
        0 => Speed::new(2, 3 + below(3)).unwrap(),
        _ => Speed::one_step_in(1 + below(3)),
    }
}

/// Applies a random input. A rejected input changes nothing.
pub(crate) fn disturb(world: &mut World, random: &mut Pcg32) {
    let speed = some_speed(random);
    let mut below = |n: u32| random.next_u32() % n;
    let size = world.grid().size();
    let mut place = || Pos::new(below(size.width()) as i32, below(size.height()) as i32);
    let (here, there) = (place(), place());
    let agents = world.agents();
    let Some(&agent) = agents.get(below(agents.len().max(1) as u32) as usize) else { return };
    let other = agents[below(agents.len() as u32) as usize];
    let few = agents.len() < 10;
    let none = ForeignId::from_bits(u64::MAX);
    let unit = world.foreign_units().nth(below(8) as usize).unwrap_or(none);
    let profile = ProfileId(below(world.grid().grounds().len() as u32) as u8);
    let input = match below(33) {
        0 => Input::Block(Area::disc(here, 1)),
        1 | 2 => Input::Unblock(Area::disc(here, 4)),
        3 | 4 => Input::Send(agent, here),
        5 => Input::Teleport(agent, here),
        6 if !few => Input::Despawn(agent),
        6..=8 => {
            if let Ok(agent) = world.spawn(AgentSpec::at(here.x, here.y).profile(profile).at_speed(speed)) {
                world.send(agent, there).unwrap();
            }
            return;
        }
        9 | 10 => Input::PlaceForeign(here),
        11 | 12 => Input::MoveForeign(unit, here),
        13 => Input::RemoveForeign(unit),
        14 => Input::Control(agent, below(3) > 0),
        15 => Input::Halt(agent),
        16 => Input::Queue(agent, here),
        17 => Input::Patrol(agent, here),
        18 => Input::PatrolPoint(agent, there),
        19 => Input::Follow(agent, Unit::Agent(other), below(4) as u16),
        20 => Input::Follow(agent, Unit::Foreign(unit), below(4) as u16),
        21 => Input::SetDoor(Area::disc(here, 1), some_classes(&mut below)),
        22 => Input::SetDoor(Area::disc(here, 12), Classes::ALL),
        23 => Input::SetCost(Area::disc(here, 2), some_classes(&mut below), 1 + below(16) as u8),
        24 => Input::SetCost(Area::disc(here, 12), some_classes(&mut below), 0),
        25 => Input::SetSpeed(agent, speed),
        26 => Input::SetProfile(agent, profile),
        27 => Input::Hold(agent, below(2) > 0),
        28 => Input::SetPriority(agent, below(5) as i8 - 2),
        29 | 30 => {
            let squad: Vec<AgentId> = agents.iter().copied().filter(|_| below(8) == 0).collect();
            world.send_group(&squad, here).unwrap();
            return;
        }
        // Joins an earlier group if the largest number of groups has been formed.
        31 => Input::SendInGroup(GroupId::from_bits(below(10).into()), agent, here),
        _ => Input::SetTerrain(Area::disc(here, 1), Terrain::ALL[below(5) as usize]),
    };
    let _ignored = world.apply(input);
}

/// Returns a set of passage classes.
fn some_classes(below: &mut impl FnMut(u32) -> u32) -> Classes {
    let sets = [Classes::ALL, Classes::only(0), Classes::only(1), Classes::only(1).with(2), Classes::NONE];
    sets[below(sets.len() as u32) as usize]
}

/// Returns a random budget.
pub(crate) fn some_budget(random: &mut Pcg32) -> Budget<'static> {
    match random.next_u32() % 6 {
        0 => Budget::Expansions(0),
        1 => Budget::Expansions(u64::from(random.next_u32() % 50)),
        2 => Budget::Expansions(u64::from(random.next_u32() % 1_000)),
        3 => Budget::Rounds(random.next_u32() % 4),
        _ => Budget::Unlimited,
    }
}

/// An executor whose threads take the next piece when they are free.
pub(crate) struct Threads(pub(crate) usize);

impl Executor for Threads {
    fn run(&self, count: usize, piece: &(dyn Fn(usize) + Sync)) {
        let next = AtomicUsize::new(0);
        let take =
            || std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed)).take_while(|&i| i < count);
        std::thread::scope(|scope| {
            for _ in 0..self.0 {
                scope.spawn(|| take().for_each(piece));
            }
        });
    }

    fn width(&self) -> usize {
        self.0
    }
}

/// The last cell that each agent intends to enter, by the agent's number; `None` for an agent without a path.
pub(crate) fn path_ends(world: &World) -> Vec<Option<Cell>> {
    let mut ends = vec![None; world.view().id_limit()];
    let shown = world.inspect(DebugLayer::Paths, &mut |mark| {
        if let DebugMark::Path { agent, cell } = mark {
            ends[agent.index()] = Some(cell);
        }
    });
    shown.unwrap();
    ends
}

/// The cells that an agent intends to enter.
pub(crate) fn path_of(world: &World, of: AgentId) -> Vec<Pos> {
    let mut path = Vec::new();
    let shown = world.inspect(DebugLayer::Paths, &mut |mark| {
        if let DebugMark::Path { agent, cell } = mark
            && agent == of
        {
            path.push(world.grid().size().pos(cell));
        }
    });
    shown.unwrap();
    path
}

/// A planner that loads other bytes than those of the snapshot.
#[derive(Clone)]
pub(crate) struct WithState {
    pub(crate) inner: Box<dyn Planner>,
    pub(crate) bytes: Vec<u8>,
}

impl Planner for WithState {
    fn clone_box(&self) -> Box<dyn Planner> {
        Box::new(self.clone())
    }

    fn required_sharing(&self) -> Sharing {
        self.inner.required_sharing()
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        self.inner.plan(view, work, moves);
    }

    fn on_change(&mut self, agent: AgentRow, change: AgentChange) {
        self.inner.on_change(agent, change);
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        self.inner.save(bytes);
    }

    fn load(&mut self, _: &[u8], limits: &Limits) -> Result<(), StateError> {
        self.inner.load(&self.bytes, limits)
    }
}

/// A planner that is saved and replaced by a loaded one every `every` ticks.
#[derive(Clone)]
struct Restored {
    spec: String,
    inner: Box<dyn Planner>,
    every: u64,
}

impl Restored {
    fn restore(&mut self, grid: &Grid, limits: Limits) {
        let fresh = || planner(&self.spec, grid).unwrap().planner;
        let (mut bytes, mut again, mut inner) = (Vec::new(), Vec::new(), fresh());
        self.inner.save(&mut bytes);
        for cut in (0..bytes.len()).step_by(1 + bytes.len() / 5).chain(bytes.len().checked_sub(1)) {
            assert!(fresh().load(&bytes[..cut], &limits).is_err(), "{} cut to {cut} bytes", self.spec);
        }
        inner.load(&bytes, &limits).unwrap();
        inner.save(&mut again);
        assert!(bytes == again, "{}: the loaded state differs from the saved one", self.spec);
        self.inner = inner;
    }
}

impl Planner for Restored {
    fn clone_box(&self) -> Box<dyn Planner> {
        Box::new(self.clone())
    }

    fn required_sharing(&self) -> Sharing {
        self.inner.required_sharing()
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        if view.tick().is_multiple_of(self.every) {
            self.restore(view.grid(), Limits::new(view.grid(), view.id_limit(), view.tick() - 1));
        }
        self.inner.plan(view, work, moves);
    }

    fn on_change(&mut self, agent: AgentRow, change: AgentChange) {
        self.inner.on_change(agent, change);
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        self.inner.save(bytes);
    }

    fn load(&mut self, bytes: &[u8], limits: &Limits) -> Result<(), StateError> {
        self.inner.load(bytes, limits)
    }
}

#[test]
fn the_independent_legality_check_matches_the_grid() {
    for rules in Corners::ALL.map(MoveRules::eight_way).into_iter().chain([MoveRules::FOUR_WAY]) {
        let mut grid = random_terrain(12, 25, rules, 1);
        grid.block(Area::disc(Pos::new(6, 6), 2));
        for ground in grid.grounds() {
            let pairs = grid.size().cells().flat_map(|from| grid.size().cells().map(move |to| (from, to)));
            for (from, to) in pairs.filter(|(from, to)| from != to) {
                let legal = ground.legal_step(from, to).is_some();
                assert_eq!(is_legal(&grid, ground.profile(), ground.pos(from), ground.pos(to)), legal);
            }
        }
    }
}
