//! The one-way streets keep every reachable pair reachable: on random maps, after edits, and on the paper's maps.

use std::path::PathBuf;

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;
use throng_grid::{
    Area, Cell, Corners, DirectionSet, Grid, Ground, MoveRules, Pos, Profile, Size, Terrain, Tiles,
    directions, movingai,
};
use throng_toolkit::Flow;

/// The cells that can be reached by a set of moves.
fn reached(ground: &Ground, from: Cell, moves: impl Fn(Cell) -> DirectionSet) -> Vec<bool> {
    let mut seen = vec![false; ground.size().area()];
    seen[from.index()] = true;
    let mut stack = vec![from];
    while let Some(cell) = stack.pop() {
        for direction in directions(moves(cell)) {
            let to = ground.step(cell, direction);
            if !std::mem::replace(&mut seen[to.index()], true) {
                stack.push(to);
            }
        }
    }
    seen
}

/// From one cell of each component everything can be reached, forwards and backwards; no street is illegal. A flow that
/// followed the ground's edits is the same as one made from it.
fn check(ground: &Ground, followed: &mut Option<Flow>, what: &str) {
    let fresh = Flow::of(ground);
    let flow = followed.get_or_insert_with(|| fresh.clone());
    flow.follow(ground);
    assert!(*flow == fresh, "{what}: followed");
    assert!(ground.size().cells().all(|cell| flow.moves(cell) & !ground.moves(cell) == 0), "{what}");
    let backwards = |cell: Cell| {
        ground.neighbours(cell).fold(0, |set, (direction, from)| {
            let leads_here = flow.moves(from) & direction.opposite().bit() != 0;
            if leads_here { set | direction.bit() } else { set }
        })
    };
    let mut done = vec![false; ground.size().area()];
    for start in ground.free_cells() {
        if done[start.index()] {
            continue;
        }
        let whole = reached(ground, start, |cell| ground.moves(cell));
        assert!(reached(ground, start, |cell| flow.moves(cell)) == whole, "{what}: forwards");
        assert!(reached(ground, start, backwards) == whole, "{what}: backwards");
        for cell in ground.size().cells().filter(|cell| whole[cell.index()]) {
            done[cell.index()] = true;
        }
    }
}

const RULES: [MoveRules; 4] = [
    MoveRules::eight_way(Corners::Forbid),
    MoveRules::eight_way(Corners::Allow),
    MoveRules::eight_way(Corners::Mixed),
    MoveRules::FOUR_WAY,
];

#[test]
fn every_pair_stays_reachable_on_random_maps_and_after_edits() {
    for seed in 0..300_u64 {
        let mut random = Pcg32::seed_from_u64(seed);
        let mut below = |n: u32| random.next_u32() % n;
        // Some of several tiles, the last of which may be a sliver.
        let most = if seed % 4 == 0 { [110, 80] } else { [30, 20] };
        let size = Size::new(1 + below(most[0]), 1 + below(most[1])).unwrap();
        let walls = below(60);
        let kinds = [Terrain::Ground, Terrain::Ground, Terrain::Water, Terrain::Trees];
        let terrain =
            size.cells().map(|_| if below(100) < walls { Terrain::Wall } else { kinds[below(4) as usize] });
        let tiles = Tiles::from_terrain(size, terrain.collect()).unwrap();
        let profile = if seed % 3 == 0 { Profile::WC3 } else { Profile::WALKER };
        for rules in RULES {
            let mut grid = Grid::with_profile(tiles.clone(), rules, profile);
            let mut flow = None;
            check(grid.ground(), &mut flow, &format!("seed {seed}, {rules:?}"));
            for edit in 0..4 {
                let at = Pos::new(below(size.width()) as i32, below(size.height()) as i32);
                let area = Area::disc(at, below(3) as i32);
                if edit % 2 == 0 {
                    grid.block(area)
                } else {
                    grid.unblock(area)
                };
                check(grid.ground(), &mut flow, &format!("seed {seed}, {rules:?}, edit {edit}"));
            }
        }
    }
}

#[test]
#[ignore = "needs THRONG_DATA: maps of the sets bg, bg512, wc3 and dao"]
fn every_pair_stays_reachable_on_the_papers_maps() {
    let data = PathBuf::from(std::env::var_os("THRONG_DATA").expect("THRONG_DATA is set"));
    for map in [
        "bg/AR0414SR",
        "bg512/AR0414SR",
        "bg512/AR0504SR",
        "bg512/AR0701SR",
        "wc3/blastedlands",
        "wc3/duskwood",
        "wc3/golemsinthemist",
        "dao/lak304d",
        "dao/lak307d",
        "dao/lgt300d",
    ] {
        let file = data.join(format!("{map}.map"));
        let bytes = std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let tiles = movingai::read_map(&bytes).unwrap();
        for rules in &RULES[..2] {
            let mut grid = Grid::new(tiles.clone(), *rules);
            let mut flow = None;
            check(grid.ground(), &mut flow, map);
            let opened_edges = flow.as_ref().map_or(0, Flow::opened_edges);
            println!("{map} {:?}: {opened_edges} opened edges", rules.corners);
            assert!(opened_edges * 50 < grid.ground().free_count(), "{map}: most streets stay one-way");
            let (width, height) = (grid.size().width() as i32, grid.size().height() as i32);
            for (edit, radius) in [9, 0, 1, 40].into_iter().enumerate() {
                let at = Pos::new(width / 2 + edit as i32 * 31, height / 2 - edit as i32 * 17);
                if edit == 2 {
                    grid.unblock(Area::disc(at, 30));
                }
                grid.block(Area::disc(at, radius));
                check(grid.ground(), &mut flow, &format!("{map} after edit {edit}"));
            }
        }
    }
}
