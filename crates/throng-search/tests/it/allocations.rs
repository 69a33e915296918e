//! Once warm, a question allocates nothing.

use throng_grid::{Cell, MoveRules, Profile};
use throng_search::{SEARCHES, search};

use crate::oracle::random_grid;

#[test]
fn a_warm_search_allocates_nothing() {
    let (grid, _) = (0..1_000)
        .map(|seed| random_grid(seed, MoveRules::default(), Profile::WALKER))
        .find(|(grid, _)| grid.size().area() > 300 && grid.ground().free_count() > 250)
        .unwrap();
    let ground = grid.ground();
    let cells: Vec<Cell> = ground.free_cells().step_by(7).collect();
    for info in SEARCHES {
        // Reverse search keeps what it learns about a goal, in pages allocated on touch.
        if info.name == "rra" {
            continue;
        }
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
