//! One search over one map's questions, for a profiler: `profile MAP SEARCH [ROUNDS]`.

use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, map, name, rest @ ..] = arguments.as_slice() else {
        eprintln!("usage: profile MAP SEARCH [ROUNDS]");
        std::process::exit(2);
    };
    let rounds = rest.first().map_or(1, |rounds| rounds.parse().expect("a number of rounds"));
    let Some(case) = throng_bench::movingai(map, 200) else { std::process::exit(1) };
    let (mut finder, mut path) = (throng::search(name).expect("a registered search"), Vec::new());
    finder.prepare(case.grid.ground()).expect("a supported ground");
    for _ in 0..rounds {
        let begun = Instant::now();
        let ask = |&(from, to): &(throng::Cell, throng::Cell)| {
            finder.find(case.grid.ground(), from, to, &mut path).expect("supported").expansions
        };
        let expansions: u64 = case.questions.iter().map(ask).sum();
        let seconds = begun.elapsed().as_secs_f64();
        println!(
            "{map} {name}: {:.1} µs a question, {:.0} expansions a question, {:.2} million expansions a second",
            seconds * 1e6 / case.questions.len() as f64,
            expansions as f64 / case.questions.len() as f64,
            expansions as f64 / seconds / 1e6
        );
    }
}
