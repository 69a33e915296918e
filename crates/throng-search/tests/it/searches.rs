//! Every registered search against the oracle, on thousands of random small maps with edits between queries.

use rand_core::Rng;
use throng_grid::{Cell, Corners, Grid, MoveRules, Profile, Terrain};
use throng_search::{
    BestFirst, GridSpace, Heuristic, OctileDistance, Policy, SEARCHES, SearchInfo, Status, open_list, search,
};

use crate::oracle::{check_path, distances, edit, edit_layers, random_grid, wide_grid};

const RULES: [MoveRules; 4] = [
    MoveRules::eight_way(Corners::Forbid),
    MoveRules::eight_way(Corners::Allow),
    MoveRules::eight_way(Corners::Mixed),
    MoveRules::FOUR_WAY,
];

/// Returns the parameter variants of a search to test, each with the factor it guarantees.
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
        // Walks without a limit: every agent arrives.
        "rths" => unbounded(&[
            "rths:cap=1000000",
            "rths:w=3,b=0.5,lop=median,cap=1000000",
            "rths:w=2,wc=2,da=on,cap=1000000",
            "rths:lop=max,expendable=on,cap=1000000",
        ]),
        "tba" => {
            unbounded(&["tba:cap=1000000", "tba:expansions=1,trace=1,cap=1000000", "tba:trace=3,cap=1000000"])
        }
        "rtaa" | "da-rtaa" | "lss-lrta" => {
            let variant = |limits: &str| (format!("{name}:{limits},cap=1000000"), None);
            let mut all = ["expansions=1", "expansions=7,moves=2", "expansions=40"].map(variant).to_vec();
            // A lookahead over the whole map finds a shortest path.
            all.push((format!("{name}:expansions=100000000,moves=100000000"), Some(1.0)));
            all
        }
        _ => vec![(name.into(), info.optimal.then_some(1.0))],
    }
}

/// A search under test: its name and parameters, the factor it guarantees, and the number of paths it has found.
struct Candidate {
    text: String,
    factor: Option<f64>,
    search: throng_search::RegisteredSearch,
    found: u64,
}

fn candidates() -> Vec<Candidate> {
    let all = SEARCHES.iter().flat_map(variants);
    all.map(|(text, factor)| Candidate { search: search(&text).unwrap(), text, factor, found: 0 }).collect()
}

/// Runs the same queries with every search on a map, with edits between them.
fn run_queries(candidates: &mut [Candidate], seed: u64, make: MakeGrid, queries: usize) {
    let rules = RULES[seed as usize % RULES.len()];
    let profile = if seed / 4 % 4 == 3 { Profile::WC3 } else { Profile::WALKER };
    let (mut grid, mut random) = make(seed, rules, profile);
    let mut path = Vec::new();
    for _ in 0..3 {
        let area = grid.size().area() as u32;
        let from = Cell(random.next_u32() % area);
        let exact = distances(&grid, profile, from);
        for _ in 0..queries {
            let to = Cell(random.next_u32() % area);
            for candidate in &mut *candidates {
                let context = format!("{}, seed {seed}, {rules:?}, {from:?} to {to:?}", candidate.text);
                // Walks without a limit take long on large maps, so real-time searches run on some of them only.
                if candidate.search.info().real_time && area > 4_000 && !seed.is_multiple_of(5) {
                    continue;
                }
                // A search refuses rules and terrain that it does not support.
                let Ok(result) = candidate.search.find(grid.ground(), from, to, &mut path) else { continue };
                assert_eq!(result.cost.is_some(), exact[to.index()].is_some(), "{context}");
                let (Some(cost), Some(min_cost)) = (result.cost, exact[to.index()]) else { continue };
                candidate.found += 1;
                assert_eq!((path.first(), path.last()), (Some(&from), Some(&to)), "{context}");
                check_path(&grid, profile, &path, cost);
                assert!(result.lower_bound <= min_cost, "{context}: lower bound");
                if let Some(factor) = candidate.factor {
                    let max_cost = f64::from(min_cost) * factor + 1e-6;
                    assert!(f64::from(cost) <= max_cost, "{context}: {cost} of {min_cost}");
                }
            }
        }
        if random.next_u32().is_multiple_of(3) {
            edit_layers(&mut grid, &mut random);
        } else {
            edit(&mut grid, &mut random);
        }
    }
}

type MakeGrid = fn(u64, MoveRules, Profile) -> (Grid, rand_pcg::Pcg64Mcg);

fn compare(seeds: std::ops::Range<u64>, make: MakeGrid, queries: usize) {
    let (mut candidates, maps) = (candidates(), seeds.end - seeds.start);
    for seed in seeds {
        run_queries(&mut candidates, seed, make, queries);
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

/// If every path costs more than `Cost` can hold, every search returns no path, and none overflows.
#[test]
fn paths_whose_cost_overflows_are_not_found() {
    let (width, height) = (700, 999);
    let size = throng_grid::Size::new(width, height).unwrap();
    let door = |y: u32| if y % 4 == 1 { width - 1 } else { 0 };
    let terrain = size.cells().map(|cell| {
        let (x, y) = (cell.0 % width, cell.0 / width);
        if y % 2 == 0 || x == door(y) { Terrain::Ground } else { Terrain::Wall }
    });
    let tiles = throng_grid::Tiles::from_terrain(size, terrain.collect()).unwrap();
    // A step costs eight times the plain cost, so that a third of a million steps exceed `Cost`.
    let slow = Profile::from_halves([16, 0, 0, 0, 0, 0, 0]).unwrap();
    let grid = Grid::with_profile(tiles, MoveRules::default(), slow);
    let (near, far) = (Cell(5 * 2 * width), Cell((height - 1) * width));
    assert!(grid.ground().reachable(Cell(0), far));
    let mut path = Vec::new();
    for info in SEARCHES {
        let mut search = search(info.name).unwrap();
        let result = search.find(grid.ground(), Cell(0), far, &mut path).unwrap();
        assert_eq!((result.cost, path.len()), (None, 0), "{}", info.name);
        let result = search.find(grid.ground(), Cell(0), near, &mut path).unwrap();
        assert!(result.cost.is_some() && path.len() > 3_000, "{}", info.name);
    }
}

/// A time-sliced search expands the same nodes in the same order as an uninterrupted one, with every open list.
#[test]
fn time_sliced_searches_expand_in_the_same_order() {
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

/// A heuristic that knows a path to the goal lets the loop stop as soon as that path is good enough.
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
        let Some(min_cost) = exact[from.index()] else { continue };
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
                other => panic!("{other:?} although a path exists"),
            };
            reached += 1;
            assert!(u64::from(cost) * 1_000_000 <= u64::from(min_cost) * epsilon, "seed {seed}");
        }
    }
    assert!(early > 50 && reached > 150, "{early} of {reached} ended early");
}
