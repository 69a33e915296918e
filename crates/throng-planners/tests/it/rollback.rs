//! Copies of a world, for every planner: a copy continues exactly, and a world goes back to one.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_crowd::{Fog, NamedPlanner, Settings, SetupError, World};
use throng_grid::{Profile, Terrain};
use throng_planners::planner;

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
