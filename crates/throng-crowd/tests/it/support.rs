//! Planners and worlds that the tests share.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng_crowd::MoveDraft;
use throng_crowd::bytes::{Reader, put};
use throng_crowd::{
    AgentId, AgentSpec, Event, ForeignId, Input, Limits, Moves, NamedPlanner, Occupant, Planner, Scripted,
    Settings, Sharing, StateError, View, Work, World,
};
use throng_grid::{
    Area, Cell, Corners, Grid, MoveRules, Pos, Profile, ProfileId, Size, Terrain, Tiles, directions,
};

pub(crate) fn script<F>(plan: F) -> Box<dyn Planner>
where
    F: FnMut(&View<'_>, &mut Moves) + Send + Sync + 'static,
{
    Box::new(Scripted(plan))
}

/// A [`Wander`] with its name.
pub(crate) fn wander() -> NamedPlanner {
    NamedPlanner::new("wander", Box::new(Wander::default()))
}

/// Wanders about, towards the target half of the time. Its lots depend on all it drew before, so that a run goes on
/// alike only when its state is saved.
#[derive(Default)]
pub(crate) struct Wander {
    drawn: u64,
    claims: MoveDraft,
}

fn mix(value: u64) -> u64 {
    let value = (value ^ value >> 31).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (value ^ value >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) ^ value >> 32
}

impl Planner for Wander {
    fn required_sharing(&self) -> Sharing {
        Sharing::Nothing
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        self.claims.begin(view);
        for &agent in view.movers() {
            if !work.round(1) {
                break;
            }
            work.spend(1);
            self.drawn = mix(self.drawn ^ view.seed() ^ u64::from(agent.0) << 20 ^ view.tick());
            let (ground, at) = (view.ground(agent), view.at(agent));
            let count = ground.moves(at).count_ones();
            if count == 0 || view.is_at_target(agent) && !self.drawn.is_multiple_of(8) {
                continue;
            }
            let far = |cell: Cell, target: Cell| {
                let (a, b) = (ground.pos(cell), ground.pos(target));
                ((a.x - b.x).pow(2) + (a.y - b.y).pow(2), cell)
            };
            let lot = directions(ground.moves(at)).nth((self.drawn >> 8) as usize % count as usize);
            let to = match view.target(agent) {
                Some(target) if self.drawn.is_multiple_of(2) => {
                    ground.neighbours(at).map(|(_, cell)| cell).min_by_key(|&cell| far(cell, target))
                }
                _ => lot.map(|direction| ground.step(at, direction)),
            };
            let Some(to) = to else { continue };
            match self.claims.at(view, to) {
                Occupant::Nobody => self.claims.go(view, moves, agent, to),
                Occupant::Agent(by) => moves.wait(agent, to, Some(by)),
                Occupant::Foreign => moves.wait(agent, to, None),
            }
        }
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        put(bytes, self.drawn);
    }

    fn load(&mut self, bytes: &[u8], _: &Limits) -> Result<(), StateError> {
        self.drawn = Reader::new(bytes).number("the lots drawn")?;
        Ok(())
    }
}

pub(crate) fn world_of(picture: &str, planner: impl Into<NamedPlanner>) -> World {
    World::new(Grid::new(Tiles::picture(picture), MoveRules::default()), planner, Settings::default())
        .unwrap()
}

pub(crate) fn idle(picture: &str) -> World {
    world_of(picture, script(|_, _| {}))
}

/// Everyone steps straight to its target, if the cell is free.
pub(crate) fn greedy() -> Box<dyn Planner> {
    let mut claims = MoveDraft::default();
    script(move |view, moves| {
        claims.begin(view);
        for &agent in view.movers() {
            let (ground, at) = (view.ground(agent), view.at(agent));
            let Some(target) = view.target(agent).filter(|&target| target != at) else { continue };
            let far = |cell: Cell| {
                let (a, b) = (ground.pos(cell), ground.pos(target));
                ((a.x - b.x).pow(2) + (a.y - b.y).pow(2), cell)
            };
            let best = ground.neighbours(at).map(|(_, cell)| cell).min_by_key(|&cell| far(cell));
            match best.map(|to| (to, claims.at(view, to))) {
                Some((to, Occupant::Nobody)) => claims.go(view, moves, agent, to),
                Some((to, Occupant::Agent(by))) => moves.wait(agent, to, Some(by)),
                Some((to, Occupant::Foreign)) => moves.wait(agent, to, None),
                None => {}
            }
        }
    })
}

pub(crate) fn tick(world: &mut World) -> Vec<Event> {
    let mut events = Vec::new();
    world.tick(throng_crowd::Budget::Unlimited, &mut events);
    events
}

/// A random map, random rules, three profiles.
pub(crate) fn random_grid(random: &mut Pcg64Mcg) -> Grid {
    let (width, height) = (6 + random.next_u32() % 30, 6 + random.next_u32() % 30);
    let size = Size::new(width, height).unwrap();
    let walls = random.next_u32() % 40;
    let terrain = size.cells().map(|_| match random.next_u32() % 100 {
        roll if roll < walls => Terrain::Wall,
        roll if roll >= 80 => Terrain::ALL[roll as usize % 5],
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
    grid.add_profile(Profile::from_halves([2, 0, 3, 2, 0, 0, 0]).unwrap());
    grid
}

/// Something that a game might do, sensible or not.
pub(crate) fn random_input(random: &mut Pcg64Mcg, world: &World) -> Input {
    let size = world.grid().size();
    let mut below = |bound: u32| random.next_u32() % bound;
    let place = Pos::new(below(size.width() + 1) as i32, below(size.height() + 1) as i32);
    let small = Area::rect(place, Pos::new(place.x + below(4) as i32, place.y + below(3) as i32));
    let area = if below(3) == 0 { Area::disc(place, below(4) as i32) } else { small };
    let agent = match world.agents() {
        [] => AgentId(0),
        agents => agents[below(agents.len() as u32) as usize],
    };
    let unit = ForeignId(below(6));
    match below(26) {
        0..=2 => {
            let spec = AgentSpec::at(place.x, place.y).profile(ProfileId(below(4) as u8));
            Input::Spawn(spec.speed(below(4) as u8).user(u64::from(below(u32::MAX))))
        }
        3 => Input::Despawn(agent),
        4 | 5 => Input::Teleport(agent, place),
        6..=14 => Input::Send(agent, place),
        15 => Input::Halt(agent),
        16 | 17 => Input::Control(agent, below(3) > 0),
        18 => Input::Block(area),
        19..=21 => Input::Unblock(Area::rect(Pos::new(0, 0), place)),
        22 => Input::SetTerrain(Area::Cell(place), Terrain::ALL[below(7) as usize]),
        23 => Input::PlaceForeign(place),
        24 => Input::MoveForeign(unit, place),
        _ => Input::RemoveForeign(unit),
    }
}

/// A world on a random map with some agents, each on its way.
pub(crate) fn random_world(seed: u64) -> (World, Pcg64Mcg) {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    let grid = random_grid(&mut random);
    let mut world = World::new(grid, wander(), Settings::default().seed(seed)).unwrap();
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

/// Does a few things at random, as far as they are allowed.
pub(crate) fn disturb(world: &mut World, random: &mut Pcg64Mcg) {
    for _ in 0..random.next_u32() % 4 {
        let input = random_input(random, world);
        let _refused = world.apply(input);
    }
}
