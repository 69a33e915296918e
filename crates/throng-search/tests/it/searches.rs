//! Every registered search against the oracle, on thousands of random small maps with edits in between.

use rand_core::Rng;
use throng_grid::{Cell, Corners, MoveRules, Profile};
use throng_search::{
    BestFirst, EmptyMap, GridSpace, Heuristic, Policy, SEARCHES, SearchInfo, Status, frontier, search,
};

use crate::oracle::{check_path, distances, edit, random_grid};

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

fn check_search(text: &str, factor: Option<f64>, maps: u64) {
    let mut finder = search(text).unwrap();
    let mut path = Vec::new();
    let (mut found, mut refused) = (0, 0);
    for seed in 0..maps {
        let rules = RULES[seed as usize % RULES.len()];
        let profile = if seed / 4 % 4 == 3 { Profile::WC3 } else { Profile::WALKER };
        let (mut grid, mut random) = random_grid(seed, rules, profile);
        for _ in 0..3 {
            let area = grid.size().area() as u32;
            let from = Cell(random.next_u32() % area);
            let exact = distances(&grid, profile, from);
            for _ in 0..6 {
                let to = Cell(random.next_u32() % area);
                let Ok(answer) = finder.find(grid.ground(), from, to, &mut path) else {
                    refused += 1;
                    continue;
                };
                let context = format!("{text}, seed {seed}, {rules:?}, {from:?} to {to:?}");
                assert_eq!(answer.cost.is_some(), exact[to.index()].is_some(), "{context}");
                let (Some(cost), Some(least)) = (answer.cost, exact[to.index()]) else { continue };
                found += 1;
                assert_eq!((path.first(), path.last()), (Some(&from), Some(&to)), "{context}");
                check_path(&grid, profile, &path, cost);
                assert!(answer.lower_bound <= least, "{context}: lower bound");
                if let Some(factor) = factor {
                    assert!(
                        f64::from(cost) <= f64::from(least) * factor + 1e-6,
                        "{context}: {cost} of {least}"
                    );
                }
            }
            edit(&mut grid, &mut random);
        }
    }
    assert!(found > maps, "{text} found only {found} paths on {maps} maps and refused {refused}");
}

#[test]
fn every_search_agrees_with_the_oracle() {
    for info in SEARCHES {
        for (text, factor) in variants(info) {
            check_search(&text, factor, 2_000);
        }
    }
}

/// A search in slices expands the same nodes in the same order as in one go, with every open list.
#[test]
fn slices_expand_in_the_same_order() {
    fn check<F: throng_search::Frontier + Clone>(list: &F, reopen: bool) {
        for seed in 0..200 {
            let (grid, mut random) = random_grid(seed, RULES[seed as usize % 4], Profile::WALKER);
            let ground = grid.ground();
            let area = grid.size().area() as u32;
            let (from, to) = (Cell(random.next_u32() % area), Cell(random.next_u32() % area));
            let run = |slice: u64| {
                let mut heuristic = EmptyMap::to_cell(ground, to);
                let mut space = GridSpace::new(ground);
                let policy = Policy { reopen, ..Policy::default() };
                let mut search = BestFirst::new(throng_search::Arena::default(), list.clone(), policy);
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
    check(&frontier::Heap::default(), false);
    check(&frontier::Buckets::new(2 * 2308, 2), false);
    check(&frontier::Focal::new(1_500_000), true);
}

/// A heuristic that knows a way to the goal lets the loop stop as soon as that way is good enough.
#[test]
fn an_upper_bound_ends_the_search_early() {
    struct Known<'a> {
        lower: EmptyMap,
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
            let mut heuristic = Known { lower: EmptyMap::to_cell(grid.ground(), to), exact: &exact };
            let mut space = GridSpace::new(grid.ground());
            let policy = Policy { epsilon, ..Policy::default() };
            let mut search =
                BestFirst::new(throng_search::Arena::default(), frontier::Heap::default(), policy);
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
