//! Planners, worlds and random inputs shared by the tests.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use std::convert::Infallible;
use throng_crowd::MoveDraft;
use throng_crowd::state::{decode_unchecked, encode};
use throng_crowd::{
    AgentId, AgentRow, AgentSpec, Event, Fog, ForeignId, GroupId, Input, Limits, MapKnowledge, Moves,
    NamedPlanner, Occupant, Planner, Scripted, Settings, Sharing, Speed, StateError, StepTime, Unit, View,
    Work, World,
};
use throng_grid::hash::splitmix64;
use throng_grid::{
    Area, Cell, Classes, Corners, Grid, Ground, MoveRules, Pos, Profile, ProfileId, Size, Terrain, Tiles,
    directions,
};

/// Returns what makes the given planner for [`World::restore`].
pub(crate) fn given<P>(planner: P) -> impl FnOnce(&str, &Grid) -> Result<P, Infallible> {
    |_, _| Ok(planner)
}

/// Returns a planner that calls a function every tick.
pub(crate) fn script<F>(plan: F) -> Box<dyn Planner>
where
    F: FnMut(&View<'_>, &mut Moves) + Clone + Send + Sync + 'static,
{
    Box::new(Scripted(plan))
}

/// Returns a [`Wander`] planner with its name.
pub(crate) fn wander() -> NamedPlanner {
    NamedPlanner::new("wander", Box::new(Wander::default()))
}

/// A planner whose agents move at random, half of the time towards their targets. Its random values depend on all
/// earlier ones, so that a run continues identically only if its state is saved.
#[derive(Clone, Default)]
pub(crate) struct Wander {
    /// The last random value.
    random: u64,
    draft: MoveDraft,
}

impl Planner for Wander {
    fn clone_box(&self) -> Box<dyn Planner> {
        Box::new(self.clone())
    }

    fn required_sharing(&self) -> Sharing {
        Sharing::Nothing
    }

    fn required_map(&self) -> MapKnowledge {
        MapKnowledge::Own
    }

    fn step_time(&self) -> StepTime {
        StepTime::Cost
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        self.draft.begin(view);
        for &agent in view.movers() {
            if !work.round(1) {
                break;
            }
            work.spend(1);
            self.random = splitmix64(self.random ^ view.seed() ^ u64::from(agent.0) << 20 ^ view.tick());
            let (ground, at) = (view.ground(agent), view.at(agent));
            let count = ground.moves(at).count_ones();
            if count == 0 || view.is_at_target(agent) && !self.random.is_multiple_of(8) {
                continue;
            }
            let direction = directions(ground.moves(at)).nth((self.random >> 8) as usize % count as usize);
            let to = match view.target(agent) {
                Some(target) if self.random.is_multiple_of(2) => nearest_neighbour(ground, at, target),
                _ => direction.map(|direction| ground.step(at, direction)),
            };
            if let Some(to) = to {
                go_or_wait(&mut self.draft, view, moves, agent, to);
            }
        }
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        encode(&self.random, bytes);
    }

    fn load(&mut self, bytes: &[u8], _: &Limits) -> Result<(), StateError> {
        self.random = decode_unchecked(bytes)?;
        Ok(())
    }
}

/// Returns a world without agents on a picture's map.
pub(crate) fn world_of(picture: &str, planner: impl Into<NamedPlanner>) -> World {
    World::new(Grid::new(Tiles::picture(picture), MoveRules::default()), planner, Settings::default())
        .unwrap()
}

/// Returns a world whose planner moves no agent.
pub(crate) fn idle(picture: &str) -> World {
    world_of(picture, script(|_, _| {}))
}

/// Returns the neighbour of `at` nearest to `target` by Euclidean distance.
fn nearest_neighbour(ground: &Ground, at: Cell, target: Cell) -> Option<Cell> {
    let distance = |cell: Cell| {
        let (a, b) = (ground.pos(cell), ground.pos(target));
        ((a.x - b.x).pow(2) + (a.y - b.y).pow(2), cell)
    };
    ground.neighbours(at).map(|(_, cell)| cell).min_by_key(|&cell| distance(cell))
}

/// Moves an agent to a cell, or reports that it waits if the cell is taken.
fn go_or_wait(draft: &mut MoveDraft, view: &View<'_>, moves: &mut Moves, agent: AgentRow, to: Cell) {
    match draft.blocker(view, agent, to) {
        Occupant::Nobody => draft.go(view, moves, agent, to),
        Occupant::Agent(by) => moves.wait(agent, to, Some(by)),
        Occupant::Foreign => moves.wait(agent, to, None),
    }
}

/// Returns a planner that moves every agent away from its target to the cell that `choose` returns, given the view, the
/// moves so far, the agent and its target.
pub(crate) fn step_planner<F>(choose: F) -> Box<dyn Planner>
where
    F: Fn(&View<'_>, &MoveDraft, AgentRow, Cell) -> Option<Cell> + Clone + Send + Sync + 'static,
{
    let mut draft = MoveDraft::default();
    script(move |view, moves| {
        draft.begin(view);
        for &agent in view.movers() {
            let Some(target) = view.target(agent).filter(|&target| target != view.at(agent)) else {
                continue;
            };
            if let Some(to) = choose(view, &draft, agent, target) {
                go_or_wait(&mut draft, view, moves, agent, to);
            }
        }
    })
}

/// Returns a planner whose agents step to the neighbour nearest to the target, if it is free.
pub(crate) fn greedy() -> Box<dyn Planner> {
    step_planner(|view, _, agent, target| nearest_neighbour(view.ground(agent), view.at(agent), target))
}

/// A planner that moves no agent and requires the given sharing.
#[derive(Clone)]
pub(crate) struct Idle(pub(crate) Sharing);

impl Planner for Idle {
    fn clone_box(&self) -> Box<dyn Planner> {
        Box::new(self.clone())
    }

    fn required_sharing(&self) -> Sharing {
        self.0
    }

    fn plan(&mut self, _: &View<'_>, _: &mut Work<'_>, _: &mut Moves) {}

    fn save(&self, _: &mut Vec<u8>) {}

    fn load(&mut self, _: &[u8], _: &Limits) -> Result<(), StateError> {
        Ok(())
    }
}

/// Runs one tick without a budget and returns its events.
pub(crate) fn tick(world: &mut World) -> Vec<Event> {
    let mut events = Vec::new();
    world.tick(throng_crowd::Budget::Unlimited, &mut events);
    events
}

/// Returns a random map with random movement rules and three profiles.
pub(crate) fn random_grid(random: &mut Pcg64Mcg) -> Grid {
    let (width, height) = (6 + random.next_u32() % 30, 6 + random.next_u32() % 30);
    let size = Size::new(width, height).unwrap();
    let walls = random.next_u32() % 40;
    let terrain = size.cells().map(|_| match random.next_u32() % 100 {
        percent if percent < walls => Terrain::Wall,
        percent if percent >= 80 => Terrain::ALL[percent as usize % 5],
        _ => Terrain::Ground,
    });
    let tiles = Tiles::from_terrain(size, terrain.collect()).unwrap();
    let rules = match random.next_u32() % 4 {
        0 => MoveRules::FOUR_WAY,
        1 => MoveRules::eight_way(Corners::Allow),
        2 => MoveRules::eight_way(Corners::Mixed),
        _ => MoveRules::default(),
    };
    let mut grid = Grid::new(tiles, rules);
    grid.add_profile(Profile::WC3);
    grid.add_profile(Profile::from_halves([2, 0, 3, 2, 0, 0, 0]).unwrap().with_class(1).unwrap());
    grid
}

/// Returns a random input, valid or not.
pub(crate) fn random_input(random: &mut Pcg64Mcg, world: &World) -> Input {
    let size = world.grid().size();
    let mut below = |bound: u32| random.next_u32() % bound;
    let pos = Pos::new(below(size.width() + 1) as i32, below(size.height() + 1) as i32);
    let rect = Area::rect(pos, Pos::new(pos.x + below(4) as i32, pos.y + below(3) as i32));
    let area = if below(3) == 0 { Area::disc(pos, below(4) as i32) } else { rect };
    let agent = match world.agents() {
        [] => AgentId::from_bits(0),
        agents => {
            let agent = agents[below(agents.len() as u32) as usize];
            // In one of sixteen cases an agent that had the row before.
            let older = u64::from(agent.generation()).saturating_sub(u64::from(below(16) == 0));
            AgentId::from_bits(older << 32 | u64::from(agent.row()))
        }
    };
    let unit = match world.foreign_units().nth(below(6) as usize) {
        Some(unit) if below(6) > 0 => unit,
        // Mostly one that was removed or never existed.
        _ => ForeignId::from_bits(u64::from(below(6)) | u64::from(below(2)) << 32),
    };
    match below(41) {
        0..=2 => {
            let spec = AgentSpec::at(pos.x, pos.y).profile(ProfileId(below(4) as u8));
            Input::Spawn(spec.speed(below(4) as u8).user(u64::from(below(u32::MAX))))
        }
        3 => Input::Despawn(agent),
        4 | 5 => Input::Teleport(agent, pos),
        6..=14 => Input::Send(agent, pos),
        15 => Input::Halt(agent),
        16 | 17 => Input::Control(agent, below(3) > 0),
        18 => Input::Block(area),
        19..=21 => Input::Unblock(Area::rect(Pos::new(0, 0), pos)),
        22 => Input::SetTerrain(Area::Cell(pos), Terrain::ALL[below(7) as usize]),
        23 => Input::PlaceForeign(pos),
        24 => Input::MoveForeign(unit, pos),
        28..=30 => Input::Queue(agent, pos),
        31 => Input::Patrol(agent, pos),
        32 => Input::PatrolPoint(agent, pos),
        33 if below(2) == 0 => Input::Follow(agent, Unit::Foreign(unit), below(3) as u16),
        33 => {
            let others = world.agents();
            let other = others.get(below(others.len().max(1) as u32) as usize).copied().unwrap_or(agent);
            Input::Follow(agent, Unit::Agent(other), below(5) as u16)
        }
        25 => Input::SetDoor(area, [Classes::ALL, Classes::only(0), Classes::only(1)][below(3) as usize]),
        26 => {
            let classes = [Classes::ALL, Classes::only(0), Classes::NONE][below(3) as usize];
            Input::SetCost(area, classes, [0, 2, 7, 16, 17][below(5) as usize])
        }
        34 => Input::SetSpeed(agent, Speed::new(1 + below(3) as u16, 1 + below(5) as u16).unwrap()),
        35 => Input::SetProfile(agent, ProfileId(below(4) as u8)),
        36 => Input::Hold(agent, below(2) > 0),
        37 => Input::SetPriority(agent, below(5) as i8 - 2),
        38 => Input::FormGroup,
        // Mostly a group that exists.
        39 | 40 => Input::SendInGroup(GroupId::from_bits(below(8).into()), agent, pos),
        _ => Input::RemoveForeign(unit),
    }
}

/// Returns the settings of a random world. In two of four worlds agents know only what they have seen.
fn random_settings(seed: u64) -> Settings {
    let fog = Fog::radius(1 + (seed / 4 % 5) as u16);
    let step_time = if seed.is_multiple_of(3) { StepTime::Cost } else { StepTime::Uniform };
    let settings = Settings::default().seed(seed).step_time(step_time);
    match seed % 4 {
        2 => settings.fog(fog),
        3 => settings.fog(fog.shared()),
        _ => settings,
    }
}

/// Returns a world on a random map with up to 120 agents with goals, and the random number generator.
pub(crate) fn random_world(seed: u64) -> (World, Pcg64Mcg) {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let grid = random_grid(&mut random);
    let mut world = World::new(grid, wander(), random_settings(seed)).unwrap();
    for _ in 0..random.next_u32() % 120 {
        let (size, profile) = (world.grid().size(), ProfileId((random.next_u32() % 3) as u8));
        let (x, y) = (random.next_u32() % size.width(), random.next_u32() % size.height());
        let spec = AgentSpec::at(x as i32, y as i32).profile(profile).speed((random.next_u32() % 3) as u8);
        let Ok(agent) = world.spawn(spec) else { continue };
        let goal =
            Pos::new((random.next_u32() % size.width()) as i32, (random.next_u32() % size.height()) as i32);
        world.send(agent, goal).unwrap();
    }
    (world, random)
}

/// Applies up to three random inputs. Rejected inputs change nothing.
pub(crate) fn disturb(world: &mut World, random: &mut Pcg64Mcg) {
    for _ in 0..random.next_u32() % 4 {
        let input = random_input(random, world);
        let _ignored = world.apply(input);
    }
}
