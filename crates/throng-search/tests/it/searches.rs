//! Every registered search against the oracle, on thousands of random small maps with edits in between.

use rand_core::Rng;
use throng_grid::{Cell, Corners, Grid, MoveRules, Profile, Terrain};
use throng_search::{
    BestFirst, GridSpace, Heuristic, OctileDistance, Policy, SEARCHES, SearchInfo, Status, open_list, search,
};

use crate::oracle::{check_path, distances, edit, random_grid, wide_grid};

const RULES: [MoveRules; 4] = [
    MoveRules::eight_way(Corners::Forbid),
    MoveRules::eight_way(Corners::Allow),
    MoveRules::eight_way(Corners::Mixed),
    MoveRules::FOUR_WAY,
];

/// The ways in which a search is put to the test; parameters at their defaults and beside them.
fn variants(info: &SearchInfo) -> Vec<(String, Option<f64>)> {
    let name = info.name;
    let bounded = |factors: &[&str], key: &str| {
        let variant = |factor: &&str| (format!("{name}:{key}={factor}"), factor.parse().ok());
        factors.iter().map(variant).collect()
    };
    let unbounded = |texts: &[&str]| texts.iter().map(|&text| (text.to_owned(), None)).collect();
    match name {
        "astar" => vec![("astar".into(), Some(1.0)), ("astar:ties=paper".into(), Some(1.0))],
        "wastar" => bounded(&["1", "1.5", "5"], "weight"),
        "focal" => bounded(&["1", "1.1", "3"], "epsilon"),
        "sector" => unbounded(&[
            "sector",
            "sector:size=2",
            "sector:size=5,refine=partial",
            "sector:size=3,refine=partial,cut=0.05",
            "sector:size=4,refine=partial,cut=1",
        ]),
        "hpa" => unbounded(&[
            "hpa",
            "hpa:cluster=4,smooth=off",
            "hpa:cluster=7",
            "hpa:cluster=4,levels=2",
            "hpa:cluster=2,levels=3",
            "hpa:cluster=3,levels=3,smooth=off",
        ]),
        _ => vec![(name.into(), info.optimal.then_some(1.0))],
    }
}

/// A search as it is put to the test: its name, what it promises, and how many paths it has found.
struct Candidate {
    text: String,
    factor: Option<f64>,
    finder: throng_search::RegisteredSearch,
    found: u64,
}

fn candidates() -> Vec<Candidate> {
    let all = SEARCHES.iter().flat_map(variants);
    all.map(|(text, factor)| Candidate { finder: search(&text).unwrap(), text, factor, found: 0 }).collect()
}

/// Asks every search the same questions about a map, with edits in between.
fn ask_all(candidates: &mut [Candidate], seed: u64, make: MakeGrid, questions: usize) {
    let rules = RULES[seed as usize % RULES.len()];
    let profile = if seed / 4 % 4 == 3 { Profile::WC3 } else { Profile::WALKER };
    let (mut grid, mut random) = make(seed, rules, profile);
    let mut path = Vec::new();
    for _ in 0..3 {
        let area = grid.size().area() as u32;
        let from = Cell(random.next_u32() % area);
        let exact = distances(&grid, profile, from);
        for _ in 0..questions {
            let to = Cell(random.next_u32() % area);
            for candidate in &mut *candidates {
                let context = format!("{}, seed {seed}, {rules:?}, {from:?} to {to:?}", candidate.text);
                // Searches refuse the rules and terrain that they do not support.
                let Ok(answer) = candidate.finder.find(grid.ground(), from, to, &mut path) else { continue };
                assert_eq!(answer.cost.is_some(), exact[to.index()].is_some(), "{context}");
                let (Some(cost), Some(least)) = (answer.cost, exact[to.index()]) else { continue };
                candidate.found += 1;
                assert_eq!((path.first(), path.last()), (Some(&from), Some(&to)), "{context}");
                check_path(&grid, profile, &path, cost);
                assert!(answer.lower_bound <= least, "{context}: lower bound");
                if let Some(factor) = candidate.factor {
                    let most = f64::from(least) * factor + 1e-6;
                    assert!(f64::from(cost) <= most, "{context}: {cost} of {least}");
                }
            }
        }
        edit(&mut grid, &mut random);
    }
}

type MakeGrid = fn(u64, MoveRules, Profile) -> (Grid, rand_pcg::Pcg64Mcg);

fn compare(seeds: std::ops::Range<u64>, make: MakeGrid, questions: usize) {
    let (mut candidates, maps) = (candidates(), seeds.end - seeds.start);
    for seed in seeds {
        ask_all(&mut candidates, seed, make, questions);
    }
    for Candidate { text, found, .. } in candidates {
        assert!(found > maps, "{text} found only {found} paths on {maps} maps");
    }
}

#[test]
fn every_search_agrees_with_the_oracle_on_small_maps() {
    compare(0..1_000, random_grid, 6);
}

#[test]
fn every_search_agrees_with_the_oracle_on_more_small_maps() {
    compare(1_000..2_000, random_grid, 6);
}

#[test]
fn every_search_agrees_with_the_oracle_across_words_and_tiles() {
    compare(0..160, wide_grid, 4);
}

/// On a winding way that is longer than costs can count every search says that there is none, and none overflows.
#[test]
fn ways_too_long_for_costs_are_no_ways() {
    let (width, height) = (700, 999);
    let size = throng_grid::Size::new(width, height).unwrap();
    let door = |y: u32| if y % 4 == 1 { width - 1 } else { 0 };
    let terrain = size.cells().map(|cell| {
        let (x, y) = (cell.0 % width, cell.0 / width);
        if y % 2 == 0 || x == door(y) { Terrain::Ground } else { Terrain::Wall }
    });
    let tiles = throng_grid::Tiles::from_terrain(size, terrain.collect()).unwrap();
    // Eight times the plain cost a step, so that a third of a million steps are too many.
    let slow = Profile::from_halves([16, 0, 0, 0, 0, 0, 0]).unwrap();
    let grid = Grid::with_profile(tiles, MoveRules::default(), slow);
    let (near, far) = (Cell(5 * 2 * width), Cell((height - 1) * width));
    assert!(grid.ground().reachable(Cell(0), far));
    let mut path = Vec::new();
    for info in SEARCHES {
        let mut finder = search(info.name).unwrap();
        let answer = finder.find(grid.ground(), Cell(0), far, &mut path).unwrap();
        assert_eq!((answer.cost, path.len()), (None, 0), "{}", info.name);
        let answer = finder.find(grid.ground(), Cell(0), near, &mut path).unwrap();
        assert!(answer.cost.is_some() && path.len() > 3_000, "{}", info.name);
    }
}

/// A search in slices expands the same nodes in the same order as in one go, with every open list.
#[test]
fn slices_expand_in_the_same_order() {
    fn check<F: throng_search::OpenList + Clone>(list: &F, reopen: bool) {
        for seed in 0..200 {
            let (grid, mut random) = random_grid(seed, RULES[seed as usize % 4], Profile::WALKER);
            let ground = grid.ground();
            let area = grid.size().area() as u32;
            let (from, to) = (Cell(random.next_u32() % area), Cell(random.next_u32() % area));
            let run = |slice: u64| {
                let mut heuristic = OctileDistance::to_cell(ground, to);
                let mut space = GridSpace::new(ground);
                let policy = Policy { reopen, ..Policy::default() };
                let mut search = BestFirst::new(throng_search::DenseStore::default(), list.clone(), policy);
                search.begin(&space);
                search.add_source(from.0, 0, &mut heuristic);
                loop {
                    let is_goal = |node| node == to.0;
                    match search.resume(&mut space, &mut heuristic, is_goal, slice, &mut ()) {
                        Status::Paused => search = search.clone(),
                        status => return (status, search.closed().to_vec()),
                    }
                }
            };
            let whole = run(u64::MAX);
            for slice in [1, 2, 7] {
                assert_eq!(run(slice), whole, "seed {seed}, slices of {slice}");
            }
        }
    }
    check(&open_list::Heap::default(), false);
    check(&open_list::Buckets::new(2 * 2308, 2), false);
    check(&open_list::Focal::new(1_500_000), true);
}

/// A heuristic that knows a way to the goal lets the loop stop as soon as that way is good enough.
#[test]
fn an_upper_bound_ends_the_search_early() {
    struct Known<'a> {
        lower: OctileDistance,
        exact: &'a [Option<u32>],
    }
    impl Heuristic for Known<'_> {
        const HAS_UPPER: bool = true;
        fn lower(&mut self, node: u32) -> u32 {
            self.lower.lower(node)
        }
        fn upper(&mut self, node: u32) -> Option<u32> {
            self.exact[node as usize].map(|cost| cost + cost / 20)
        }
    }
    let (mut early, mut reached) = (0, 0);
    for seed in 0..300 {
        let (grid, mut random) = random_grid(seed, RULES[0], Profile::WALKER);
        let area = grid.size().area() as u32;
        let (from, to) = (Cell(random.next_u32() % area), Cell(random.next_u32() % area));
        let exact = distances(&grid, Profile::WALKER, to);
        let Some(least) = exact[from.index()] else { continue };
        for epsilon in [1_000_000, 1_100_000] {
            let mut heuristic = Known { lower: OctileDistance::to_cell(grid.ground(), to), exact: &exact };
            let mut space = GridSpace::new(grid.ground());
            let policy = Policy { epsilon, ..Policy::default() };
            let mut search =
                BestFirst::new(throng_search::DenseStore::default(), open_list::Heap::default(), policy);
            search.begin(&space);
            search.add_source(from.0, 0, &mut heuristic);
            let status = search.resume(&mut space, &mut heuristic, |node| node == to.0, u64::MAX, &mut ());
            let cost = match status {
                Status::Found(node) => search.node(node).unwrap().g,
                Status::Incumbent(node) => {
                    early += u32::from(node != to.0);
                    let (cost, at) = search.incumbent().unwrap();
                    assert_eq!(at, node);
                    assert_eq!(cost, search.node(node).unwrap().g + exact[node as usize].unwrap() * 21 / 20);
                    cost
                }
                other => panic!("{other:?} although a way exists"),
            };
            reached += 1;
            assert!(u64::from(cost) * 1_000_000 <= u64::from(least) * epsilon, "seed {seed}");
        }
    }
    assert!(early > 50 && reached > 150, "{early} of {reached} ended early");
}
