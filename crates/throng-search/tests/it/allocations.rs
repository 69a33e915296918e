//! A search that has run its queries once allocates nothing when they are repeated.

use throng_grid::{Cell, Grid, MoveRules, Profile};
use throng_search::{SEARCHES, search};

use crate::oracle::{random_grid, wide_grid};

#[test]
fn repeated_queries_allocate_nothing() {
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
    // The `rra` search keeps the searches of the last 32 goals; with more goals it would have to start again.
    let step = ground.free_count().div_ceil(30);
    let cells: Vec<Cell> = ground.free_cells().step_by(step).collect();
    for info in SEARCHES {
        let mut search = search(info.name).unwrap();
        let mut path = Vec::with_capacity(grid.size().area());
        let mut run_queries = || {
            for &from in &cells {
                for &to in &cells {
                    search.find(ground, from, to, &mut path).unwrap();
                }
            }
        };
        run_queries();
        let allocated = allocation_counter::measure(&mut run_queries);
        assert_eq!(allocated.count_total, 0, "{} allocates {} bytes", info.name, allocated.bytes_total);
    }
}
