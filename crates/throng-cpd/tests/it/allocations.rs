//! Once warm, questions allocate nothing.

use std::sync::Arc;

use throng_cpd::{Cpd, SEARCHES, search};
use throng_grid::{Area, Corners, Grid, MoveRules, Pos, builtin::builtin, random_queries};

#[test]
fn questions_allocate_nothing_once_warm() {
    let mut grid = Grid::new(builtin("arena").unwrap(), MoveRules::eight_way(Corners::Mixed));
    let cpd = Arc::new(Cpd::build(grid.ground()));
    grid.block(Area::disc(Pos::new(24, 30), 4));
    let pairs = random_queries(grid.ground(), 100, 1);
    for entry in SEARCHES {
        let mut finder = search(entry.info.name, Some(Arc::clone(&cpd))).unwrap();
        let mut path = Vec::with_capacity(grid.size().area());
        let mut ask = || {
            let mut expansions = 0;
            for &(from, to) in &pairs {
                expansions += finder.find(grid.ground(), from, to, &mut path).unwrap().expansions;
            }
            expansions
        };
        assert!(ask() > 0, "{}: the disc is in the way of someone", entry.info.name);
        let counted = allocation_counter::measure(|| {
            ask();
        });
        assert_eq!(counted.count_total, 0, "{}", entry.info.name);
    }
}
