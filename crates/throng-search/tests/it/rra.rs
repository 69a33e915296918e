//! Reverse resumable A* stays valid after edits of tiles that it has not read, and its distances are exact.

use rand_core::Rng;
use throng_grid::{Cell, Corners, Grid, MoveRules, Profile};
use throng_search::Rra;

use crate::oracle::{distances, edit, wide_grid};

/// Checks that known distances are exact on the current map, and that the state is that of a search begun on it.
fn check(rra: &Rra, grid: &Grid, profile: Profile, what: &str) {
    let ground = grid.ground();
    let exact = distances(grid, profile, rra.goal());
    for cell in grid.size().cells() {
        if let Some(known) = rra.known(cell) {
            assert_eq!(Some(known), exact[cell.index()], "{what}: {}", ground.pos(cell));
        }
    }
    let mut fresh = Rra::new(ground, rra.goal(), rra.toward());
    fresh.advance(ground, rra.expansions());
    assert_eq!(fresh.expanded(), rra.expanded(), "{what}");
}

#[test]
fn searches_that_stay_current_after_an_edit_are_exact() {
    let rules = Corners::ALL.map(MoveRules::eight_way).into_iter().chain([MoveRules::FOUR_WAY]);
    let (mut survived, mut dropped) = (0, 0);
    for (seed, rules) in (0..60).zip(rules.cycle()) {
        let profile = if seed % 3 == 0 { Profile::WC3 } else { Profile::WALKER };
        let (mut grid, mut random) = wide_grid(seed, rules, profile);
        let place = |random: &mut dyn FnMut() -> u32, grid: &Grid| Cell(random() % grid.size().area() as u32);
        let mut any = || random.next_u32();
        let (goal, toward) = (place(&mut any, &grid), place(&mut any, &grid));
        let mut rra = Rra::new(grid.ground(), goal, toward);
        for round in 0..8 {
            rra.advance(grid.ground(), u64::from(random.next_u32() % 200));
            edit(&mut grid, &mut random);
            let whole = rra.is_current(grid.ground());
            if whole {
                check(&rra, &grid, profile, &format!("seed {seed}, round {round}"));
                survived += 1;
            } else {
                dropped += 1;
                rra = Rra::new(grid.ground(), goal, toward);
            }
        }
    }
    assert!(survived > 50 && dropped > 50, "{survived} survived, {dropped} did not");
}
