//! Copies of a world, for every planner: a copy continues exactly, and a world goes back to one.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_crowd::{Fog, NamedPlanner, Settings, SetupError, World};
use throng_grid::{Profile, Terrain};
use throng_planners::{planner, restore, restore_like};

use crate::conformance::run_disturbed;
use crate::support::{ALL_RULES, Threads, crowd, every_spec, populate, random_grid, random_pairs, small_map};

#[test]
fn a_copy_continues_identically() {
    for spec in every_spec() {
        for seed in 70..72 {
            let mut random = Pcg32::seed_from_u64(seed);
            let mut world = crowd(&spec, small_map(seed), 40, seed);
            let mut saved = world.clone();
            for part in 0..4 {
                run_disturbed(&mut world, 1 + random.next_u32() as usize % 30, seed + part);
                saved.clone_from(&world);
                let mut copy = saved.clone();
                copy.set_executor(Box::new(Threads(3)));
                let expected = run_disturbed(&mut world, 40, part);
                let found = run_disturbed(&mut copy, 40, part);
                let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
                assert_eq!(differs, None, "{spec}, seed {seed}, part {part}");
                assert!(copy.snapshot() == world.snapshot(), "{spec}, seed {seed}, part {part}");
                world.clone_from(&saved);
                assert!(run_disturbed(&mut world, 40, part) == expected, "{spec}, seed {seed}, part {part}");
                assert!(copy.snapshot() == world.snapshot(), "{spec}, seed {seed}, part {part}");
            }
        }
    }
}

#[test]
fn a_copy_continues_identically_in_fog() {
    for spec in every_spec() {
        let fog = Fog::radius(4).shared();
        let settings = Settings::default().fog(fog).seed(3);
        let grid = random_grid(30, 20, ALL_RULES[0], 3);
        let planner = planner(&spec, &grid).unwrap();
        let Ok(mut world) = World::new(grid, planner, settings) else { continue };
        let pairs = random_pairs(world.grid(), 25, 3);
        populate(&mut world, &pairs);
        run_disturbed(&mut world, 20, 1);
        let mut copy = world.clone();
        let expected = run_disturbed(&mut world, 40, 2);
        assert!(run_disturbed(&mut copy, 40, 2) == expected, "{spec}");
        assert!(copy.snapshot() == world.snapshot(), "{spec}");
    }
}

/// A snapshot that is restored with the help of a world is the one that is restored alone: whether that world has gone on, has
/// another map by now, was just restored itself, or has another planner.
#[test]
fn a_snapshot_is_restored_like_another_world() {
    let mut unlike = crowd("pibt", small_map(90), 20, 9);
    run_disturbed(&mut unlike, 5, 1);
    for spec in every_spec() {
        let mut world = crowd(&spec, small_map(80), 40, 80);
        let mut snapshots = vec![world.snapshot()];
        for (number, ticks) in [25, 1, 40].into_iter().enumerate() {
            run_disturbed(&mut world, ticks, number as u64);
            snapshots.push(world.snapshot());
            for bytes in &snapshots {
                let mut alone = restore(bytes).unwrap();
                let mut like = restore_like(&world, bytes).unwrap();
                let mut again = restore_like(&like, bytes).unwrap();
                let mut other = restore_like(&unlike, bytes).unwrap();
                let expected = run_disturbed(&mut alone, 15, 7);
                for found in [&mut like, &mut again, &mut other] {
                    assert!(found.snapshot() == *bytes, "{spec}");
                    assert!(run_disturbed(found, 15, 7) == expected, "{spec}");
                    assert!(found.snapshot() == alone.snapshot(), "{spec}");
                }
            }
        }
    }
}

#[test]
fn a_planner_of_another_map_is_refused() {
    for spec in every_spec() {
        let grid = random_grid(30, 20, ALL_RULES[0], 3);
        let refused = |planner: NamedPlanner| match World::new(grid.clone(), planner, Settings::default()) {
            Err(error @ SetupError::OtherMap { .. }) => error.to_string(),
            other => panic!("{spec}: {other:?}"),
        };
        let made_for = |other| planner(&spec, &other).unwrap();
        let text = refused(made_for(random_grid(31, 20, ALL_RULES[0], 3)));
        assert!(text.contains("it has 31×31 cells, the map of the world has 30×30 cells"), "{text}");
        refused(made_for(random_grid(30, 20, ALL_RULES[3], 3)));
        let mut more = grid.clone();
        more.add_profile(Profile::WC3);
        assert!(refused(made_for(more)).contains("it has 2 profiles"));
        // Other walls are no other map.
        let mut edited = grid.clone();
        edited.set_terrain(throng_grid::Pos::new(1, 1), Terrain::Wall);
        World::new(grid.clone(), made_for(edited), Settings::default()).unwrap();
    }
}
