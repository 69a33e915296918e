//! Searches that have run their queries once allocate nothing when they are repeated.

use std::sync::Arc;

use throng_cpd::{Cpd, SEARCHES, any_search};
use throng_grid::{Area, Corners, Grid, MoveRules, Pos, builtin::builtin, random_queries};

#[test]
fn repeated_queries_allocate_nothing() {
    let mut grid = Grid::new(builtin("arena").unwrap(), MoveRules::eight_way(Corners::Mixed));
    let cpd = Arc::new(Cpd::build(grid.ground()));
    grid.block(Area::disc(Pos::new(24, 30), 4));
    let pairs = random_queries(grid.ground(), 100, 1);
    for entry in SEARCHES {
        let mut search = any_search(entry.info.name, Some(&cpd)).unwrap();
        let mut path = Vec::with_capacity(grid.size().area());
        let mut run_queries = || {
            let mut expansions = 0;
            for &(from, to) in &pairs {
                expansions += search.find(grid.ground(), from, to, &mut path).unwrap().expansions;
            }
            expansions
        };
        assert!(run_queries() > 0, "{}: the disc blocks a path", entry.info.name);
        let counted = allocation_counter::measure(|| {
            run_queries();
        });
        assert_eq!(counted.count_total, 0, "{}", entry.info.name);
    }
}
