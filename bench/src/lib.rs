//! What the benchmarks share: the maps and questions they run on.

use std::path::PathBuf;

use throng::grid::movingai::{read_map, read_scenario};
use throng::{Cell, Grid, MoveRules};

/// A map and questions about it.
pub struct Case {
    /// What to print.
    pub name: String,
    /// The map.
    pub grid: Grid,
    /// Start and goal of each question.
    pub questions: Vec<(Cell, Cell)>,
}

/// The folder of MovingAI maps that `THRONG_DATA` names.
pub fn data() -> Option<PathBuf> {
    std::env::var_os("THRONG_DATA").map(PathBuf::from)
}

/// A MovingAI map with at most `most` of its scenario's questions, evenly spread; `None`, and a word on stderr,
/// when `THRONG_DATA` does not hold it.
pub fn movingai(name: &str, most: usize) -> Option<Case> {
    let map = data().map(|data| data.join(format!("{name}.map")));
    let Some(map) = map.filter(|map| map.exists()) else {
        eprintln!("skipped {name}: set THRONG_DATA to a folder of MovingAI maps");
        return None;
    };
    let tiles = read_map(&std::fs::read(&map).expect("a readable map")).expect("a valid map");
    let grid = Grid::new(tiles, MoveRules::default());
    let scenario = std::fs::read(map.with_extension("map.scen")).expect("a readable scenario");
    let scenario = read_scenario(&scenario).expect("a valid scenario");
    let usable: Vec<_> = scenario
        .usable(grid.ground())
        .map(|problem| (grid.cell(problem.start).unwrap(), grid.cell(problem.goal).unwrap()))
        .collect();
    let questions = usable.iter().step_by(usable.len().div_ceil(most).max(1)).copied().collect();
    Some(Case { name: name.to_owned(), grid, questions })
}
