//! Published scenarios: every optimal length is reproduced.
//!
//! `THRONG_DATA` names a folder of MovingAI sets. A sample runs with `--include-ignored`; with `THRONG_SCENARIOS=all`,
//! every problem of every file.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use throng_grid::movingai::{Problem, read_map, read_scenario};
use throng_grid::{Cell, Direction, Grid, MoveRules};
use throng_search::{RegisteredSearch, search};

/// The sets whose scenarios were made for these revisions of the maps.
const SETS: [&str; 7] = ["dao", "da2", "bg512", "sc1", "street", "rooms", "random"];

/// Returns the length of a path as the scenario files count it.
fn length(grid: &Grid, path: &[Cell]) -> f64 {
    let diagonals = path
        .windows(2)
        .filter(|pair| grid.ground().legal_step(pair[0], pair[1]).is_some_and(Direction::is_diagonal))
        .count();
    (path.len() - 1 - diagonals) as f64 + diagonals as f64 * std::f64::consts::SQRT_2
}

/// Returns the scenario files of a set, in order.
fn scenario_files(set: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(set).unwrap_or_else(|error| panic!("{}: {error}", set.display()));
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "scen"));
    files.sort();
    files
}

/// Runs both searches on every `step`-th problem of a file. Returns the numbers of problems solved and of problems
/// published without a path.
fn check_file(file: &Path, step: usize) -> (usize, usize) {
    let scenario = read_scenario(&std::fs::read(file).unwrap()).unwrap();
    let map = std::fs::read(file.with_extension("")).unwrap();
    let grid = Grid::new(read_map(&map).unwrap(), MoveRules::default());
    let mut searches: Vec<RegisteredSearch> = ["astar", "jps"].map(|name| search(name).unwrap()).into();
    let (mut path, mut solved, mut flawed) = (Vec::new(), 0, 0);
    for problem in scenario.problems.iter().step_by(step) {
        if let Some(flaw) = problem.flaw(grid.ground()) {
            assert!(problem.length == 0.0, "{}:{}: {flaw}", file.display(), problem.line);
            flawed += 1;
            continue;
        }
        solved += 1;
        for search in &mut searches {
            check_problem(file, &grid, problem, search, &mut path);
        }
    }
    (solved, flawed)
}

fn check_problem(
    file: &Path,
    grid: &Grid,
    problem: &Problem,
    search: &mut RegisteredSearch,
    path: &mut Vec<Cell>,
) {
    let (from, to) = (grid.cell(problem.start).unwrap(), grid.cell(problem.goal).unwrap());
    let result = search.find(grid.ground(), from, to, path).unwrap();
    let context = || format!("{}:{} by {}", file.display(), problem.line, search.info().name);
    assert_eq!(grid.ground().path_cost(path), result.cost, "{}", context());
    let found = length(grid, path);
    assert!((found - problem.length).abs() < 0.01, "{}: {found}, not {}", context(), problem.length);
}

#[test]
#[ignore = "needs THRONG_DATA: published scenarios"]
fn published_lengths_are_reproduced() {
    let data = PathBuf::from(std::env::var_os("THRONG_DATA").expect("THRONG_DATA is set"));
    let all = std::env::var_os("THRONG_SCENARIOS").is_some_and(|value| value == "all");
    let mut work = Vec::new();
    for set in SETS {
        let files = scenario_files(&data.join(set));
        let every = if all { 1 } else { files.len().div_ceil(4).max(1) };
        work.extend(files.into_iter().step_by(every));
    }
    let (next, solved, flawed) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(file) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (queries, without_path) = check_file(file, if all { 1 } else { 97 });
                    solved.fetch_add(queries, Ordering::Relaxed);
                    flawed.fetch_add(without_path, Ordering::Relaxed);
                }
            });
        }
    });
    let (solved, flawed) = (solved.into_inner(), flawed.into_inner());
    eprintln!("{} files, {solved} problems solved twice, {flawed} published without a path", work.len());
    assert!(solved > 100, "only {solved} problems in {}", data.display());
}
