//! Runs one search over the queries of one map, for use under a profiler: `profile MAP SEARCH [ROUNDS]`.

use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, map, name, rest @ ..] = arguments.as_slice() else {
        eprintln!("usage: profile MAP SEARCH [ROUNDS]");
        std::process::exit(2);
    };
    let rounds = rest.first().map_or(1, |rounds| rounds.parse().expect("ROUNDS is a number"));
    let Some(case) = throng_bench::movingai(map, 200) else { std::process::exit(1) };
    let (mut search, mut path) = (throng::search(name).expect("the search is registered"), Vec::new());
    search.prepare(case.grid.ground()).expect("the search supports the map");
    for _ in 0..rounds {
        let begun = Instant::now();
        let expansions_of = |&(from, to): &(throng::Cell, throng::Cell)| {
            search
                .find(case.grid.ground(), from, to, &mut path)
                .expect("the search supports the map")
                .expansions
        };
        let expansions: u64 = case.queries.iter().map(expansions_of).sum();
        let seconds = begun.elapsed().as_secs_f64();
        println!(
            "{map} {name}: {:.1} µs per query, {:.0} expansions per query, {:.2} million expansions per second",
            seconds * 1e6 / case.queries.len() as f64,
            expansions as f64 / case.queries.len() as f64,
            expansions as f64 / seconds / 1e6
        );
    }
}
