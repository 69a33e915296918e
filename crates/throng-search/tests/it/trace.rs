//! Traces: a traced query gives the same result as another, and its trace agrees with it.

use throng_grid::{Cell, Grid, MoveRules, Pos, Tiles};
use throng_search::{RegisteredSearch, SEARCHES, search};

/// A pocket that a search towards the goal runs into.
fn map() -> (Grid, Cell, Cell) {
    let mut rows = vec![".".repeat(40); 24];
    for (y, row) in rows.iter_mut().enumerate() {
        if (4..20).contains(&y) {
            let wall = if y == 4 || y == 19 { "@".repeat(18) } else { format!("{}@", ".".repeat(17)) };
            row.replace_range(10..28, &wall);
        }
    }
    let grid = Grid::new(Tiles::picture(&rows.join("\n")), MoveRules::default());
    let cell = |x, y| grid.cell(Pos::new(x, y)).unwrap();
    let ends = (cell(12, 11), cell(37, 12));
    (grid, ends.0, ends.1)
}

fn traced(name: &str) -> RegisteredSearch {
    let mut found = search(name).unwrap();
    found.set_tracing(true);
    found
}

#[test]
fn a_walk_is_traced_turn_by_turn() {
    let (grid, from, to) = map();
    for info in SEARCHES.iter().filter(|info| info.real_time) {
        let name = info.name;
        let (mut plain, mut path) = (search(name).unwrap(), Vec::new());
        let expected = plain.find(grid.ground(), from, to, &mut path).unwrap();
        assert!(plain.trace().walk.unwrap().turns().is_empty(), "{name}");
        let (mut search, mut again) = (traced(name), Vec::new());
        for _ in 0..2 {
            assert_eq!(search.find(grid.ground(), from, to, &mut again).unwrap(), expected, "{name}");
            assert_eq!(again, path, "{name}");
            let walk = search.trace().walk.unwrap();
            assert_eq!(walk.visited(), path, "{name}");
            assert_eq!(search.expanded().len() as u64, expected.expansions, "{name}");
            assert_eq!(walk.expanded(), search.expanded(), "{name}");
            assert!(walk.turns().len() > 4 && !walk.is_cut(), "{name}");
            for pair in walk.turns().windows(2) {
                assert!(pair[0].visited <= pair[1].visited && pair[0].expanded <= pair[1].expanded, "{name}");
            }
            let last = *walk.turns().last().unwrap();
            assert_eq!(last.visited as usize, path.len(), "{name}");
            assert_eq!(u64::from(last.expanded), expected.expansions, "{name}");
            assert_eq!(last.raised as usize, walk.raised().len(), "{name}");
            // Leaving the pocket takes learning, except with TBA*, which searches once.
            assert_eq!(walk.raised().is_empty(), name == "tba", "{name}");
            assert!(walk.raised().iter().all(|&(_, increment)| increment > 0), "{name}");
        }
    }
}

#[test]
fn bounds_hold_at_every_expansion() {
    let (grid, from, to) = map();
    let shortest = search("astar").unwrap().find(grid.ground(), from, to, &mut Vec::new()).unwrap();
    let shortest = shortest.cost.unwrap();
    for name in ["astar", "dijkstra", "bfs", "jps", "wastar:weight=3", "focal:epsilon=1.5"] {
        let (mut search, mut path) = (traced(name), Vec::new());
        let result = search.find(grid.ground(), from, to, &mut path).unwrap();
        let bounds = search.trace().bounds;
        assert_eq!(bounds.len(), search.expanded().len(), "{name}");
        assert!(!bounds.is_empty() && bounds.iter().all(|bounds| bounds.lower <= shortest), "{name}");
        if name == "astar" || name == "jps" {
            assert!(bounds.is_sorted_by_key(|bounds| bounds.lower), "{name}");
            assert!(bounds[bounds.len() - 1].lower * 2 > shortest, "{name}");
        }
        let mut plain = throng_search::search(name).unwrap();
        assert_eq!(plain.find(grid.ground(), from, to, &mut path).unwrap(), result, "{name}");
        assert!(plain.trace().bounds.is_empty(), "{name}");
    }
}
