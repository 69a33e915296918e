//! Snapshots: a restored run continues identically, and damaged snapshots are rejected.

use throng_crowd::{
    AgentRow, AgentSpec, Budget, Fog, Limits, MapKnowledge, Moves, NamedPlanner, Planner, Recording,
    RestoreError, Settings, Sharing, Speed, StateError, StepTime, Unit, View, Work, World, check, snapshot,
};
use throng_grid::hash::splitmix64;
use throng_grid::{Area, Classes, Grid, MoveRules, Pos, Profile, ProfileId, Terrain, Tiles};

use crate::support::{Idle, Wander, disturb, given, random_input, random_world, tick, wander, world_of};

fn restored(bytes: &[u8]) -> Result<World, RestoreError> {
    World::restore(bytes, given(wander()))
}

#[test]
fn a_restored_run_continues_identically() {
    for seed in 0..40 {
        let (mut world, mut random) = random_world(seed);
        for _ in 0..seed % 30 {
            disturb(&mut world, &mut random);
            tick(&mut world);
        }
        // A snapshot includes inputs since the last tick.
        disturb(&mut world, &mut random);
        let bytes = world.snapshot();
        assert_eq!(snapshot::planner_name(&bytes).unwrap(), "wander");
        let mut twin = restored(&bytes).unwrap();
        assert_eq!(twin.snapshot(), bytes, "seed {seed}");
        for _ in 0..40 {
            for _ in 0..3 {
                let input = random_input(&mut random, &world);
                assert_eq!(world.apply(input), twin.apply(input));
            }
            assert_eq!(tick(&mut world), tick(&mut twin), "seed {seed}, tick {}", world.ticks());
            assert_eq!(world.state_hash(), twin.state_hash());
        }
        assert_eq!(world.snapshot(), twin.snapshot(), "seed {seed}");
        assert_eq!(world.totals(), twin.totals());
    }
}

/// A [`Wander`] planner that ignores its saved state.
#[derive(Clone, Default)]
struct Forgetful(Wander);

impl Planner for Forgetful {
    fn clone_box(&self) -> Box<dyn Planner> {
        Box::new(self.clone())
    }

    fn required_sharing(&self) -> Sharing {
        self.0.required_sharing()
    }

    fn required_map(&self) -> MapKnowledge {
        self.0.required_map()
    }

    fn step_time(&self) -> StepTime {
        self.0.step_time()
    }

    fn plan(&mut self, view: &View<'_>, work: &mut Work<'_>, moves: &mut Moves) {
        self.0.plan(view, work, moves);
    }

    fn save(&self, bytes: &mut Vec<u8>) {
        self.0.save(bytes);
    }

    fn load(&mut self, _: &[u8], _: &Limits) -> Result<(), StateError> {
        Ok(())
    }
}

#[test]
fn a_snapshot_includes_the_planner_state() {
    let (mut world, _) = random_world(3);
    for _ in 0..20 {
        tick(&mut world);
    }
    let mut twin =
        World::restore(&world.snapshot(), given(NamedPlanner::new("wander", Box::<Forgetful>::default())))
            .unwrap();
    assert_eq!(world.state_hash(), twin.state_hash());
    tick(&mut world);
    tick(&mut twin);
    assert_ne!(world.state_hash(), twin.state_hash());
}

#[test]
fn another_planner_and_insufficient_sharing_are_rejected() {
    let (world, _) = random_world(5);
    let bytes = world.snapshot();
    let error = World::restore(&bytes, given(NamedPlanner::new("idle", Box::new(Idle(Sharing::Everything)))))
        .unwrap_err();
    assert_eq!(error, RestoreError::OtherPlanner { saved: "wander".into(), given: "idle".into() });
    assert_eq!(
        error.to_string(),
        r#"the snapshot was made by planner "wander" and cannot be continued by "idle""#
    );
    let tight = Settings::default().sharing(Sharing::Nothing);
    let grid = world.grid().clone();
    let world = World::new(grid, NamedPlanner::new("idle", Box::new(Idle(Sharing::Nothing))), tight).unwrap();
    let error = World::restore(
        &world.snapshot(),
        given(NamedPlanner::new("idle", Box::new(Idle(Sharing::Everything)))),
    )
    .unwrap_err();
    assert!(matches!(error, RestoreError::Setup(_)), "{error}");
}

#[test]
fn damaged_snapshots_are_rejected_with_a_reason() {
    let (world, _) = random_world(7);
    let bytes = world.snapshot();
    assert_eq!(restored(b"").unwrap_err(), RestoreError::NotASnapshot);
    assert_eq!(restored(b"a longer text that is no snapshot").unwrap_err(), RestoreError::NotASnapshot);
    for length in 8..bytes.len() {
        restored(&bytes[..length]).unwrap_err();
    }
    for i in 8..bytes.len() {
        let mut altered = bytes.clone();
        altered[i] ^= 1 << (i % 8);
        assert!(
            matches!(restored(&altered), Err(RestoreError::Checksum | RestoreError::Version(_))),
            "byte {i}"
        );
    }
}

/// The beginnings of snapshots of released formats: each is refused with its version, and with what to do.
#[test]
fn snapshots_of_other_versions_are_refused() {
    let with_version =
        |version: u8| [b"throng-s".as_slice(), &[version], b"\x06wander\x10\x10 and so on"].concat();
    for version in [1, 5, 6, 7, 9, 127] {
        let error = restored(&with_version(version)).unwrap_err();
        assert_eq!(error, RestoreError::Version(version.into()));
        let text = error.to_string();
        assert!(
            text.contains(&format!("has format version {version}, this program reads version 8")),
            "{text}"
        );
        assert!(text.ends_with("continue it with the program that wrote it"), "{text}");
    }
    assert_eq!(random_world(1).0.snapshot()[..9], with_version(8)[..9]);
}

/// Returns a world in which every part of a snapshot has content: profiles, doors, overlays, foreign units, a removed agent,
/// orders, groups, fog, steps under way and targets.
fn world_of_everything() -> World {
    let map = "
        ..........
        .##..S....
        .#...SS...
        ......S..T
        ..........";
    let mut grid = Grid::new(Tiles::picture(map), MoveRules::default());
    let red = grid.add_profile(Profile::WC3.with_class(1).unwrap());
    let settings = Settings::default().seed(3).step_time(StepTime::Cost).fog(Fog::radius(3).shared());
    let mut world = World::new(grid, wander(), settings).unwrap();
    let pos = Pos::new;
    let spawn = |world: &mut World, x, speed: Speed| {
        world.spawn(AgentSpec::at(x, 0).at_speed(speed).profile(red).user(7)).unwrap()
    };
    let agents = [0, 1, 2, 3, 4, 5, 6, 7].map(|x| spawn(&mut world, x, Speed::new(2, 5).unwrap()));
    world.start_recording();
    let [a, b, c, d, e, f, g, h] = agents;
    let foreign = [pos(9, 0), pos(9, 4), pos(0, 4)].map(|at| world.place_foreign(at).unwrap());
    world.remove_foreign(foreign[0]).unwrap();
    world.move_foreign(foreign[1], pos(8, 4)).unwrap();
    world.set_door(Area::Cell(pos(7, 2)), Classes::only(1));
    world.set_cost(Area::disc(pos(4, 3), 1), Classes::only(1), 5).unwrap();
    world.block(Area::Cell(pos(5, 4)));
    world.set_terrain(Area::Cell(pos(0, 3)), Terrain::Grass);
    world.send_group(&[a, b, c], pos(6, 3)).unwrap();
    world.queue(a, pos(1, 4)).unwrap();
    world.patrol(d, &[pos(3, 4), pos(3, 0)]).unwrap();
    world.follow(e, Unit::Agent(d), 2).unwrap();
    world.follow(f, Unit::Foreign(foreign[1]), 1).unwrap();
    world.hold(g, true).unwrap();
    world.set_priority(b, -3).unwrap();
    world.set_speed(c, Speed::one_step_in(2)).unwrap();
    world.set_profile(c, ProfileId(0)).unwrap();
    world.control(g, false).unwrap();
    world.despawn(h).unwrap();
    for _ in 0..4 {
        tick(&mut world);
    }
    assert!(agents[..7].iter().any(|&agent| world.view().ready(AgentRow(agent.row())) > world.ticks() + 1));
    world
}

/// The encodings of snapshots and recordings, which programs of other versions read.
#[test]
fn the_encodings_are_those_of_their_versions() {
    let hash = |bytes: &[u8]| bytes.iter().fold(0, |hash, &byte| splitmix64(hash ^ u64::from(byte)));
    let mut world = world_of_everything();
    let snapshot = world.snapshot();
    let recording = world.finish_recording().unwrap();
    assert_eq!(restored(&snapshot).unwrap().snapshot(), snapshot);
    assert!(check(&Recording::read(&recording).unwrap()).is_clean());
    let found = (hash(&snapshot), hash(&recording));
    assert_eq!(
        (format!("{:x}", found.0).as_str(), format!("{:x}", found.1).as_str()),
        ("175da14ec756b73b", "d3612c1ebadb6f96"),
        "the bytes of a snapshot or a recording have changed. If their encoding has, raise VERSION in \
         src/snapshot/mod.rs or src/record/mod.rs and record the new hashes here; if what happens in the ticks has, record \
         the new hashes only"
    );
}

/// An altered snapshot with a valid checksum is rejected or gives a working world, never a panic.
#[test]
fn altered_snapshots_never_panic() {
    let mut random = random_world(0).1;
    let mut small = world_of("...\n.#.\n...", wander());
    let a = small.spawn(throng_crowd::AgentSpec::at(0, 0)).unwrap();
    small.spawn(throng_crowd::AgentSpec::at(2, 0)).unwrap();
    small.place_foreign(throng_grid::Pos::new(2, 2)).unwrap();
    small.send(a, throng_grid::Pos::new(1, 1)).unwrap();
    let (mut accepted, mut rejected) = (0, 0);
    for bytes in [small.snapshot(), random_world(11).0.snapshot()] {
        for i in 9..bytes.len() - 8 {
            for value in [0, 1, 0x7F, 0x80, 0xFF, bytes[i] ^ 1, bytes[i].wrapping_add(1)] {
                let mut altered = bytes.clone();
                altered[i] = value;
                match restored(&snapshot::reseal(&altered).unwrap()) {
                    Ok(mut world) => {
                        accepted += 1;
                        for expansions in [0, 3, 1_000, 7] {
                            world.tick(Budget::expansions(expansions), &mut Vec::new());
                        }
                        disturb(&mut world, &mut random);
                        tick(&mut world);
                    }
                    Err(_) => rejected += 1,
                }
            }
        }
    }
    assert!(accepted > 0 && rejected > accepted, "{accepted} accepted, {rejected} rejected");
}
