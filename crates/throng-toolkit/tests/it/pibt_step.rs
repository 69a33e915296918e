//! Priority inheritance: rows are pushed along, who cannot be pushed is gone around, and nobody ever shares a cell.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng_crowd::{
    AgentRow, AgentSpec, Budget, Event, Moves, Occupant, Planner, Scripted, Settings, View, World,
};
use throng_grid::scene::Scene;
use throng_grid::{Cell, Corners, Grid, MoveRules, Pos, Size, Terrain, Tiles};
use throng_toolkit::{Candidates, PibtStep, PreferenceList, Preferences, Priorities};

/// Steps to the target, counted anew for every question.
struct Steps {
    swap: bool,
}

impl Steps {
    fn count(view: &View<'_>, agent: AgentRow, from: Cell) -> i64 {
        let ground = view.ground(agent);
        let Some(target) = view.target(agent) else { return i64::from(from != view.at(agent)) };
        let (mut seen, mut wave, mut steps) = (vec![from], vec![from], 0);
        while !wave.is_empty() && !wave.contains(&target) {
            let next = wave.iter().flat_map(|&cell| ground.neighbours(cell).map(|(_, to)| to));
            let mut next: Vec<Cell> = next.filter(|to| !seen.contains(to)).collect();
            next.sort_unstable();
            next.dedup();
            seen.extend(&next);
            (wave, steps) = (next, steps + 1);
        }
        if wave.is_empty() { 1_000 } else { steps }
    }
}

impl Preferences for Steps {
    fn candidates(&self, view: &View<'_>, agent: AgentRow) -> Candidates {
        let at = view.at(agent);
        let mut candidates = PreferenceList::new(view, agent);
        candidates.add(at, 8, Self::count(view, agent, at), false);
        for (direction, to) in view.ground(agent).neighbours(at) {
            if view.occupancy().at(to) != Occupant::Foreign {
                let held = !view.occupancy().is_free(to);
                candidates.add(to, u32::from(direction.number()), Self::count(view, agent, to), held);
            }
        }
        candidates.sorted()
    }

    fn distance(&self, view: &View<'_>, agent: AgentRow, cell: Cell) -> Option<i64> {
        Some(Self::count(view, agent, cell))
    }

    fn swaps(&self, _: &View<'_>, _: AgentRow) -> bool {
        self.swap
    }
}

fn pushing(swap: bool) -> Box<dyn Planner> {
    let (mut step, mut priorities) = (PibtStep::default(), Priorities::default());
    Box::new(Scripted(move |view: &View<'_>, moves: &mut Moves| {
        priorities.update(view);
        step.begin(view);
        step.decide_all(view, priorities.line(), &Steps { swap });
        for &agent in view.movers() {
            moves.go(agent, step.next(agent).expect("everyone decides"));
        }
    }))
}

fn pictured(picture: &str, swap: bool) -> World {
    let scene = Scene::parse(picture).unwrap();
    let grid = Grid::new(scene.tiles, MoveRules::default());
    let mut world = World::new(grid, pushing(swap), Settings::default()).unwrap();
    for agent in &scene.agents {
        let id = world.spawn(AgentSpec::at(agent.start.x, agent.start.y)).unwrap();
        if let Some(goal) = agent.goal {
            world.send(id, goal).unwrap();
        }
    }
    world
}

/// A tick in which the referee had nothing to say.
fn tick(world: &mut World) -> Vec<Event> {
    let mut events = Vec::new();
    world.tick(Budget::Unlimited, &mut events);
    assert_eq!(world.totals().overruled, 0, "{events:?}");
    events
}

fn places(world: &World) -> Vec<i32> {
    world.agents().iter().map(|&agent| world.position(agent).unwrap().x).collect()
}

#[test]
fn a_row_is_pushed_along() {
    let mut world = pictured("#########\n#abcd..A#\n#########", false);
    for first in [2, 3, 4] {
        tick(&mut world);
        assert_eq!(places(&world), [first, first + 1, first + 2, first + 3]);
    }
    tick(&mut world);
    assert_eq!(places(&world), [4, 5, 6, 7], "there is no more room");
}

#[test]
fn who_cannot_make_room_is_gone_around() {
    // The straight way leads through `b`, which stands in a dead end; the first of the other ways is as good as any.
    let picture = "
        #######
        #..#.A#
        #.ab###
        #....##
        #.....#
        #######";
    let mut world = pictured(picture, false);
    let goes = tick(&mut world);
    assert!(
        goes.iter().any(|event| matches!(event, Event::Moved { agent, .. } if agent.row() == 0)),
        "{goes:?}"
    );
}

#[test]
fn agents_that_meet_in_a_passage_change_places_in_its_pocket() {
    let picture = "
        ###########
        #####.#####
        #B.a...b.A#
        ###########";
    let home = |swap: bool| {
        let mut world = pictured(picture, swap);
        (1..=60).find(|_| {
            tick(&mut world);
            world.agents().iter().all(|&agent| world.has_arrived(agent).unwrap())
        })
    };
    let (with, without) = (home(true), home(false));
    assert!(with.is_some() && without.is_none(), "{with:?}, {without:?}");
}

/// Crowds of every density under every rule: the referee never has to step in.
#[test]
fn nobody_ever_shares_a_cell_or_changes_places() {
    let rules = Corners::ALL.map(MoveRules::eight_way).into_iter().chain([MoveRules::FOUR_WAY]);
    let mut moved = 0;
    for (rules, seed) in rules.flat_map(|rules| (0..30).map(move |seed| (rules, seed))) {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let size = Size::new(6, 6).unwrap();
        let terrain = |_| if random.next_u32() % 5 == 0 { Terrain::Wall } else { Terrain::Ground };
        let tiles = Tiles::from_terrain(size, size.cells().map(terrain).collect()).unwrap();
        let mut world =
            World::new(Grid::new(tiles, rules), pushing(seed % 2 == 0), Settings::default().seed(seed))
                .unwrap();
        for cell in size.cells() {
            let at = size.pos(cell);
            if u64::from(random.next_u32()) % 30 < seed {
                let _walls = world.spawn(AgentSpec::at(at.x, at.y).speed(1 + (random.next_u32() % 2) as u8));
            }
        }
        for number in 0..20 {
            for &agent in &world.agents().to_vec() {
                if number % 7 == 0 && random.next_u32() % 3 > 0 {
                    let to = Pos::new((random.next_u32() % 6) as i32, (random.next_u32() % 6) as i32);
                    let _refused = world.send(agent, to);
                }
            }
            let events = tick(&mut world);
            moved += events.iter().filter(|event| matches!(event, Event::Moved { .. })).count();
        }
    }
    assert!(moved > 5_000, "{moved}");
}
