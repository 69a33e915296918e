//! Once warm, a question allocates nothing.

use throng_grid::{Cell, Grid, MoveRules, Profile};
use throng_search::{SEARCHES, search};

use crate::oracle::{random_grid, wide_grid};

#[test]
fn a_warm_search_allocates_nothing() {
    for make in [random_grid, wide_grid] {
        let grid = (0..1_000)
            .map(|seed| make(seed, MoveRules::default(), Profile::WALKER).0)
            .find(|grid| grid.size().area() > 300 && grid.ground().free_count() > 250)
            .unwrap();
        check(&grid);
    }
}

fn check(grid: &Grid) {
    let ground = grid.ground();
    // Reverse search keeps what it learns about the last 32 goals: no more of them, or it would have to begin anew.
    let step = ground.free_count().div_ceil(30);
    let cells: Vec<Cell> = ground.free_cells().step_by(step).collect();
    for info in SEARCHES {
        let mut finder = search(info.name).unwrap();
        let mut path = Vec::with_capacity(grid.size().area());
        let mut ask_all = || {
            for &from in &cells {
                for &to in &cells {
                    finder.find(ground, from, to, &mut path).unwrap();
                }
            }
        };
        ask_all();
        let allocated = allocation_counter::measure(&mut ask_all);
        assert_eq!(allocated.count_total, 0, "{} allocates {} bytes", info.name, allocated.bytes_total);
    }
}
