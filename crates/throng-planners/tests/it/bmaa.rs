//! BMAA* and RTAA*: the pictures of the papers, and the promises of a planner that shares nothing.

use throng_crowd::bytes::Damaged;
use throng_crowd::{
    AgentId, AgentSpec, Budget, Change, Event, ForeignId, Input, Moves, Planner, Settings, Sharing,
    StuckReason, View, Work, World,
};
use throng_grid::{Area, Corners, Grid, MoveRules, Pos, Profile, Tiles, builtin};
use throng_planners::planner;

use crate::stage::{
    Threads, all_home, builtin_crowd, grid_crowd, hashes, named, picture, scene, tick, until_home, with,
};

const ALL: [&str; 10] = [
    "rtaa",
    "bmaa",
    "bmaa-c",
    "bmaa-f",
    "bmaa-f-c",
    "bmaa:push=own-goal",
    "bmaa:blocked=search",
    "bmaa:learning=monotone",
    "bmaa:order=random",
    "bmaa:expansions=7,moves=3,vision=5",
];

/// The dead end of figure 4 misleads a short search; learning leads out of it.
#[test]
fn one_agent_leaves_dead_ends_and_spirals() {
    for name in ["dead_end", "spiral"] {
        for spec in ALL {
            let mut world = named(name, spec);
            assert!(until_home(&mut world, 3_000).is_some(), "{spec} in {name}:\n{}", picture(&world));
        }
        // So does a search that sees one cell at a time.
        assert!(until_home(&mut named(name, "rtaa:expansions=1"), 20_000).is_some(), "{name}");
    }
}

/// With more expansions than cells the first path is a shortest one.
#[test]
fn a_search_without_a_bound_finds_the_shortest_way() {
    let mut world = named("dead_end", "rtaa:expansions=1000,moves=1000");
    let agent = AgentId(0);
    let (from, to) =
        (world.grid().cell(world.position(agent).unwrap()).unwrap(), world.target(agent).unwrap());
    let (mut path, mut search) = (Vec::new(), throng_search::search("astar").unwrap());
    search.find(world.grid().ground(), from, to, &mut path).unwrap();
    assert_eq!(until_home(&mut world, 100), Some(path.len() as u32 - 1));
}

#[test]
fn a_corridor_is_walked_in_file() {
    for spec in ALL {
        let mut world = scene(
            "############
             #cba.....CBA
             ############",
            spec,
        );
        let ticks = until_home(&mut world, 200);
        assert!(ticks.is_some(), "{spec}:\n{}", picture(&world));
    }
}

#[test]
fn head_on_in_a_corridor_nobody_collides() {
    for spec in ALL {
        for name in ["corridor_head_on", "swap_without_room"] {
            let mut world = named(name, spec);
            for _ in 0..300 {
                tick(&mut world, Budget::Unlimited);
            }
        }
    }
}

/// Figure 5: agents that have arrived in a one-cell-wide corridor and cannot make room. No version gets through, and
/// each says who is in the way.
#[test]
fn figure_five_is_stuck_and_says_behind_whom() {
    for spec in ALL {
        let mut world = scene(
            "#######
             #abc.A#
             #######",
            spec,
        );
        // `c` could step aside, but is not asked: only `b` is in the way of `a`.
        let mut stuck = Vec::new();
        for _ in 0..200 {
            let events = tick(&mut world, Budget::Unlimited);
            stuck.extend(events.into_iter().filter(|event| matches!(event, Event::Stuck { .. })));
        }
        let told =
            Event::Stuck { agent: AgentId(0), reason: StuckReason::BehindArrived, by: Some(AgentId(1)) };
        assert_eq!(stuck, [told], "{spec}:\n{}", picture(&world));
        assert!(!all_home(&world));
    }
}

/// `b` has arrived behind the only door, and there is room to step aside.
#[test]
fn pushing_frees_the_way_and_the_pushed_come_back() {
    let picture = "
        #########
        #...#...#
        #a...b.A#
        #...#...#
        #########";
    for spec in ["bmaa", "bmaa-f", "bmaa:push=own-goal"] {
        assert_eq!(until_home(&mut scene(picture, spec), 500), None, "{spec}");
    }
    for spec in ["bmaa-c", "bmaa-f-c", "bmaa-c:learning=monotone"] {
        let mut world = scene(picture, spec);
        let (mut pushed, mut left, mut arrived) = (0, 0, 0);
        for _ in 0..500 {
            for event in tick(&mut world, Budget::Unlimited) {
                match event {
                    Event::Pushed { agent, by } => {
                        assert_eq!((agent, by), (AgentId(1), AgentId(0)));
                        pushed += 1;
                    }
                    Event::LeftGoal { .. } => left += 1,
                    Event::Arrived { .. } => arrived += 1,
                    _ => {}
                }
            }
        }
        assert!(all_home(&world), "{spec}:\n{}", crate::stage::picture(&world));
        assert!(pushed >= 1 && left == pushed && arrived == pushed + 2, "{pushed} {left} {arrived}");
    }
}

/// An agent without a goal stands on the goal of another: both kinds of pushing ask it to go.
#[test]
fn an_idle_agent_is_pushed_off_a_goal() {
    for (spec, freed) in [("bmaa", false), ("bmaa-c", true), ("bmaa:push=own-goal", true)] {
        let grid = Grid::new(Tiles::picture("......"), MoveRules::default());
        let mut world = World::new(grid.clone(), planner(spec, &grid).unwrap(), Settings::default()).unwrap();
        let [walker, idler] = [0, 4].map(|x| world.spawn(AgentSpec::at(x, 0)).unwrap());
        world.send(walker, Pos::new(4, 0)).unwrap();
        for _ in 0..20 {
            tick(&mut world, Budget::Unlimited);
        }
        assert_eq!(world.is_home(walker), freed, "{spec}");
        assert_eq!(world.position(idler), Some(Pos::new(if freed { 5 } else { 4 }, 0)));
    }
}

/// Who may not step, or is not ours, is not pushed.
#[test]
fn slow_and_foreign_units_are_not_pushed() {
    let grid = Grid::new(Tiles::picture("......"), MoveRules::default());
    let mut world = World::new(grid.clone(), planner("bmaa-c", &grid).unwrap(), Settings::default()).unwrap();
    let walker = world.spawn(AgentSpec::at(0, 0)).unwrap();
    let other = world.spawn(AgentSpec::at(4, 0)).unwrap();
    world.control(other, false).unwrap();
    world.send(walker, Pos::new(4, 0)).unwrap();
    for _ in 0..60 {
        tick(&mut world, Budget::Unlimited);
    }
    assert_eq!(world.position(walker), Some(Pos::new(3, 0)));
    world.despawn(other).unwrap();
    let unit = world.place_foreign(Pos::new(4, 0)).unwrap();
    let mut reasons = Vec::new();
    for _ in 0..60 {
        tick(&mut world, Budget::Unlimited);
    }
    world.send(walker, Pos::new(5, 0)).unwrap();
    for _ in 0..60 {
        for event in tick(&mut world, Budget::Unlimited) {
            if let Event::Stuck { reason, .. } = event {
                reasons.push(reason);
            }
        }
    }
    world.remove_foreign(unit).unwrap();
    assert!(until_home(&mut world, 10).is_some());
    assert_eq!(reasons, [StuckReason::BehindForeign]);
}

#[test]
fn any_number_of_threads_gives_the_same_run() {
    for spec in ALL {
        let alone = hashes(&mut builtin_crowd("arena", spec, 120, 3), 150);
        for threads in [1, 2, 3, 8] {
            let mut world = builtin_crowd("arena", spec, 120, 3);
            world.set_executor(Box::new(Threads(threads)));
            assert_eq!(hashes(&mut world, 150), alone, "{spec} on {threads} threads");
        }
    }
}

#[test]
fn a_budget_bounds_the_work_and_starves_nobody() {
    let mut world = builtin_crowd("arena", "bmaa", 100, 5);
    for _ in 0..20 {
        assert!(
            !tick(&mut world, Budget::expansions(0)).iter().any(|event| matches!(event, Event::Moved { .. }))
        );
    }
    let mut moved = [false; 100];
    for _ in 0..400 {
        let mut events = Vec::new();
        let report = world.tick(Budget::expansions(100), &mut events);
        assert!(report.expansions <= 100);
        for event in events {
            if let Event::Moved { agent, .. } = event {
                moved[agent.index()] = true;
            }
        }
    }
    assert!(moved.iter().all(|&moved| moved));
}

/// A run under a budget, played again with the number of rounds that each tick was granted.
#[test]
fn granting_the_same_rounds_gives_the_same_run() {
    let (mut world, mut again) =
        (builtin_crowd("arena", "bmaa-c", 150, 6), builtin_crowd("arena", "bmaa-c", 150, 6));
    for i in 0..200 {
        let budget = if i % 3 == 0 { Budget::Unlimited } else { Budget::expansions(700) };
        let report = world.tick(budget, &mut Vec::new());
        assert_eq!(again.tick(Budget::Rounds(report.rounds), &mut Vec::new()), report);
        assert_eq!(world.state_hash(), again.state_hash());
    }
}

/// Sending unseen agents elsewhere changes no move of an agent in this tick.
#[test]
fn nothing_is_shared_with_agents_out_of_sight() {
    for spec in ["rtaa", "bmaa", "bmaa-f", "bmaa:blocked=search,order=random"] {
        for ticks in [0, 1, 5, 40] {
            let (mut world, mut other) =
                (builtin_crowd("arena", spec, 60, 9), builtin_crowd("arena", spec, 60, 9));
            assert_eq!(hashes(&mut world, ticks), hashes(&mut other, ticks));
            let near = |world: &World, a: AgentId, b: AgentId| {
                let (a, b) = (world.position(a).unwrap(), world.position(b).unwrap());
                (a.x - b.x).abs().max((a.y - b.y).abs()) <= 2
            };
            // Whom the watched one sees, or meets through a chain of agents that act on each other in a tick.
            let mut seen = vec![AgentId(0)];
            let mut i = 0;
            while i < seen.len() {
                let fresh: Vec<_> =
                    world.agents().iter().copied().filter(|&b| near(&world, seen[i], b)).collect();
                seen.extend(fresh.into_iter().filter(|b| !seen.contains(b)).collect::<Vec<_>>());
                i += 1;
            }
            let unseen: Vec<_> =
                world.agents().iter().copied().filter(|agent| !seen.contains(agent)).collect();
            assert!(unseen.len() > 30);
            for &agent in &unseen {
                let goal = other.position(AgentId(59 - agent.0)).unwrap();
                other.send(agent, goal).unwrap();
            }
            tick(&mut world, Budget::Unlimited);
            tick(&mut other, Budget::Unlimited);
            for &agent in &seen {
                assert_eq!(world.position(agent), other.position(agent), "{spec} after {ticks} ticks");
            }
        }
    }
}

/// A planner that is saved, thrown away and made anew every few ticks.
struct Reborn {
    spec: &'static str,
    inner: Box<dyn Planner>,
}

impl Planner for Reborn {
    fn needs(&self) -> Sharing {
        self.inner.needs()
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        if view.tick().is_multiple_of(7) {
            let mut bytes = Vec::new();
            self.inner.save(&mut bytes);
            for end in (0..bytes.len()).step_by(97) {
                assert!(planner(self.spec, view.grid()).unwrap().load(&bytes[..end]).is_err());
            }
            self.inner = planner(self.spec, view.grid()).unwrap();
            self.inner.load(&bytes).unwrap();
            let mut again = Vec::new();
            self.inner.save(&mut again);
            assert_eq!(bytes, again);
        }
        self.inner.plan(view, work, moves);
    }

    fn notice(&mut self, agent: AgentId, change: Change) {
        self.inner.notice(agent, change);
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        self.inner.save(bytes);
    }

    fn load(&mut self, bytes: &[u8]) -> Result<(), Damaged> {
        self.inner.load(bytes)
    }
}

#[test]
fn a_restored_planner_goes_on_as_if_nothing_had_happened() {
    for spec in ALL {
        let mut world = builtin_crowd("arena", spec, 80, 2);
        let grid = Grid::new(builtin::builtin("arena").unwrap(), MoveRules::default());
        let pairs: Vec<_> = world
            .agents()
            .iter()
            .map(|&agent| (world.position(agent).unwrap(), world.goal(agent).unwrap()))
            .collect();
        let reborn = Reborn { spec, inner: planner(spec, &grid).unwrap() };
        let mut restored = with(grid, Box::new(reborn), &pairs);
        for i in 0..250 {
            if i == 60 {
                world.block(Area::disc(Pos::new(20, 20), 3));
                restored.block(Area::disc(Pos::new(20, 20), 3));
            }
            let budget = || if i % 2 == 0 { Budget::expansions(640) } else { Budget::Unlimited };
            tick(&mut world, budget());
            tick(&mut restored, budget());
            assert_eq!(world.state_hash(), restored.state_hash(), "{spec} at {i}");
            assert_eq!(world.totals(), restored.totals(), "{spec} at {i}");
        }
    }
}

#[test]
fn a_warm_tick_allocates_nothing() {
    for spec in ALL {
        let mut world = builtin_crowd("arena", spec, 60, 4);
        let places: Vec<_> = world.agents().iter().map(|&agent| world.goal(agent).unwrap()).collect();
        let mut events = Vec::with_capacity(10_000);
        let mut round = |world: &mut World| {
            let mut allocated = 0;
            for shift in 0..4 {
                for (i, &agent) in world.agents().to_vec().iter().enumerate() {
                    world.send(agent, places[(i + 17 * shift) % places.len()]).unwrap();
                }
                for _ in 0..200 {
                    events.clear();
                    allocated += allocation_counter::measure(|| {
                        world.tick(Budget::Unlimited, &mut events);
                    })
                    .count_total;
                }
            }
            allocated
        };
        let pages = |world: &World| world.planner().bytes();
        for _ in 0..4 {
            round(&mut world);
        }
        let before = pages(&world);
        let allocated = round(&mut world);
        // New pages are the only reason to ask for memory; with doubling, a handful of times.
        let grown = pages(&world) - before;
        assert!(allocated == 0 || grown > 0 && allocated < 60, "{spec}: {allocated} times, {grown} bytes");
    }
}

/// Every corner rule, four directions, and a swamp.
#[test]
fn it_keeps_to_the_rules_of_the_grid() {
    for spec in ALL {
        for rules in [
            MoveRules::eight_way(Corners::Allow),
            MoveRules::eight_way(Corners::Mixed),
            MoveRules::FOUR_WAY,
            MoveRules::default(),
        ] {
            let grid = Grid::with_profile(builtin::builtin("bridge").unwrap(), rules, Profile::WC3);
            let mut world = grid_crowd(grid, spec, 60, 8);
            for _ in 0..200 {
                tick(&mut world, Budget::Unlimited);
            }
            let home = world.agents().iter().filter(|&&agent| world.is_home(agent)).count();
            assert!(home >= 15, "{spec} {rules:?}: {home}");
        }
    }
}

/// Edits, retasking, teleports, despawns, foreign units and slow agents, at any tick.
#[test]
fn it_survives_whatever_a_game_does() {
    for spec in ALL {
        let mut world = builtin_crowd("arena", spec, 80, 11);
        let size = world.grid().size();
        let mut state = 5_u64;
        let mut die = |below: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % u64::from(below)) as u32
        };
        for _ in 0..600 {
            let place = Pos::new(die(size.width()) as i32, die(size.height()) as i32);
            let agent = world.agents()[die(world.agents().len() as u32) as usize];
            let input = match die(12) {
                0 => Input::Block(Area::disc(place, 2)),
                1 => Input::Unblock(Area::disc(place, 5)),
                2 => Input::Teleport(agent, place),
                3 if world.agents().len() > 40 => Input::Despawn(agent),
                4 => Input::PlaceForeign(place),
                5 => Input::MoveForeign(ForeignId(die(20)), place),
                6 => Input::Spawn(AgentSpec::at(place.x, place.y).speed(3)),
                7 => Input::Halt(agent),
                8 => Input::Control(agent, die(2) == 0),
                _ => Input::Send(agent, place),
            };
            let _refused = world.apply(input);
            tick(&mut world, if die(4) == 0 { Budget::expansions(200) } else { Budget::Unlimited });
        }
    }
}
