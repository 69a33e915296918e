//! Databases against the oracle, and their files.

use rand_core::Rng;
use throng_cpd::{Cpd, CpdBuilder, CpdFileError, CpdInfo, sequential};
use throng_grid::{Cell, Corners, Grid, MoveRules, Profile, Tiles};

use crate::oracle::{check_path, distances, edit, random_grid, step_cost, wide_grid};

const RULES: [MoveRules; 4] = [
    MoveRules::eight_way(Corners::Forbid),
    MoveRules::eight_way(Corners::Allow),
    MoveRules::eight_way(Corners::Mixed),
    MoveRules::FOUR_WAY,
];

/// Checks all distances and paths from some sources.
fn check(grid: &Grid, profile: Profile, cpd: &Cpd, sources: impl Iterator<Item = Cell>) {
    let mut path = Vec::new();
    for from in sources {
        let exact = distances(grid, profile, from);
        for to in grid.size().cells() {
            let free = grid.ground().is_free(to);
            let expect = exact[to.index()].filter(|_| free);
            assert_eq!(cpd.distance(from, to), expect, "{from:?} to {to:?}");
            assert_eq!(cpd.path(from, to, &mut path), expect);
            if let Some(cost) = expect {
                assert_eq!((path.first(), path.last()), (Some(&from), Some(&to)));
                check_path(grid, profile, &path, cost);
            }
            let first = cpd.first_move(from, to);
            assert_eq!(first.is_some(), expect.is_some_and(|cost| cost > 0));
        }
    }
}

#[test]
fn distances_equal_those_of_the_oracle() {
    for seed in 0..240 {
        let rules = RULES[seed as usize % 4];
        let profile = if seed / 4 % 3 == 2 { Profile::WC3 } else { Profile::WALKER };
        let (mut grid, mut random) = random_grid(seed, rules, profile);
        if seed % 3 == 0 {
            edit(&mut grid, &mut random);
        }
        let cpd = Cpd::build(grid.ground());
        let area = grid.size().area() as u32;
        let sources: Vec<Cell> = (0..12).map(|_| Cell(random.next_u32() % area)).collect();
        check(&grid, profile, &cpd, sources.into_iter());
        let opened = Cpd::open(&cpd.to_bytes(), grid.ground()).unwrap();
        assert_eq!(opened.to_bytes(), cpd.to_bytes());
        assert_eq!(opened.info(), CpdInfo::check(&cpd.to_bytes()).unwrap());
    }
}

#[test]
fn distances_equal_those_of_the_oracle_on_larger_maps() {
    for seed in 0..6 {
        let (grid, mut random) = wide_grid(seed, RULES[seed as usize % 4], Profile::WALKER);
        let cpd = Cpd::build(grid.ground());
        let area = grid.size().area() as u32;
        check(&grid, Profile::WALKER, &cpd, (0..3).map(|_| Cell(random.next_u32() % area)));
    }
}

/// The first move is a step of some shortest path: the remaining distance is less by its cost.
#[test]
fn first_moves_begin_shortest_paths() {
    let (grid, _) = random_grid(7, RULES[0], Profile::WC3);
    let cpd = Cpd::build(grid.ground());
    let mut queries = 0;
    for to in grid.ground().free_cells() {
        let exact = distances(&grid, Profile::WC3, to);
        for from in grid.ground().free_cells() {
            let Some(direction) = cpd.first_move(from, to) else { continue };
            let next = grid.ground().step(from, direction);
            let pos = |cell| grid.size().pos(cell);
            let step = step_cost(&grid, Profile::WC3, pos(from), pos(next)).unwrap();
            assert_eq!(exact[from.index()], exact[next.index()].map(|left| left + step));
            queries += 1;
        }
    }
    assert!(queries > 1_000, "{queries}");
}

#[test]
fn an_interrupted_build_resumes_and_gives_the_same_file() {
    let fits = |(grid, _): &(Grid, _)| (600..3_000).contains(&grid.ground().free_count());
    let (grid, _) = (8..100).map(|seed| wide_grid(seed, RULES[0], Profile::WALKER)).find(fits).unwrap();
    let whole = Cpd::build(grid.ground()).to_bytes();
    let mut build = CpdBuilder::new(grid.ground());
    assert!(build.rows() > 600, "{} rows are more than two batches", build.rows());
    let mut records = build.first_record();
    // Backwards, because an executor may use any order.
    let backwards = |count: usize, piece: &(dyn Fn(usize) + Sync)| (0..count).rev().for_each(piece);
    for _ in 0..2 {
        records.extend(build.advance(&backwards).unwrap());
    }
    let done = build.done();
    for cut in [records.len(), records.len() - 1, records.len() / 2, 64] {
        let mut again = CpdBuilder::new(grid.ground());
        let kept = again.resume(&records[..cut]).unwrap();
        assert!(kept <= cut && again.done() <= done);
        assert_eq!(cut == records.len(), again.done() == done);
        while again.advance(&sequential).is_some() {}
        assert_eq!(again.finish().to_bytes(), whole, "cut at {cut}");
    }
    let other = Grid::new(Tiles::picture(".."), MoveRules::default());
    assert_eq!(CpdBuilder::new(other.ground()).resume(&records), Err(CpdFileError::OtherMap));
    assert_eq!(CpdBuilder::new(other.ground()).resume(b"nonsense"), Err(CpdFileError::NotADatabase));
}

#[test]
fn a_file_for_another_map_is_refused() {
    let picture = "....\n.#..\n....";
    let of = |picture: &str, rules| Grid::new(Tiles::picture(picture), rules);
    let grid = of(picture, RULES[0]);
    let file = Cpd::build(grid.ground()).to_bytes();
    assert!(Cpd::open(&file, grid.ground()).is_ok());
    // Nothing is blocked on the map, so the mixed rule allows the same moves.
    assert!(Cpd::open(&file, of(picture, RULES[2]).ground()).is_ok());
    for other in
        [of("....\n....\n....", RULES[0]), of("....", RULES[0]), of(picture, RULES[1]), of(picture, RULES[3])]
    {
        assert_eq!(Cpd::open(&file, other.ground()).unwrap_err(), CpdFileError::OtherMap);
    }
    let mut edited = grid.clone();
    edited.block(throng_grid::Pos::new(0, 0));
    assert_eq!(Cpd::open(&file, edited.ground()).unwrap_err(), CpdFileError::OtherMap);
    let slow = Grid::with_profile(Tiles::picture(picture), RULES[0], Profile::from_halves([4; 7]).unwrap());
    assert_eq!(Cpd::open(&file, slow.ground()).unwrap_err(), CpdFileError::OtherMap);
}
