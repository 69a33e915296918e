//! Which questions are asked about a map: lines of a scenario, pairs of cells drawn at random, or, on a part of a map,
//! pairs that are spread over lengths as those of scenario files are.
//!
//! Scenario files have ten problems for each class of lengths, a class being four straight steps wide, up to the longest.
//! Of their lines only short ones lie within a part of the map; so a part has questions of its own, as many a class.
//! They are drawn from a number of starts: a sweep from each gives the lengths to all cells, and each start offers cells of
//! each class.

use throng::grid::moves::STRAIGHT;
use throng::grid::{SeededRng, random_queries};
use throng::searches::Rra;
use throng::searches::spec::SpecError;
use throng::{Cell, Ground, Pos};

use super::{Bench, TaskError, scenario_file};
use crate::Row;
use crate::maps::MapName;
use crate::source::Source;

/// Questions that are asked although only one in so many is, if there are as many.
const FEWEST: usize = 20;

/// Problems a class of lengths.
const A_CLASS: usize = 10;

/// Starts of sweeps: several times as many as problems a class, as not every start is far from anything.
const STARTS: usize = 100;

/// The pairs of cells that are asked about on a ground, drawn by the seed.
pub(super) fn pairs(bench: &Bench, settings: &Row, ground: &Ground) -> Result<Vec<(Cell, Cell)>, TaskError> {
    let text = |name: &str| settings.text(name).unwrap_or_default();
    let count = settings.integer("agents").unwrap_or_default() as usize;
    let seed = settings.integer("seed").unwrap_or_default() as u64;
    let map = text("map").parse().ok();
    let mut pairs = match text("type").parse() {
        Ok(source) if draws_own(map.as_ref(), &source) => spread(ground, seed),
        Ok(Source::Scenario(file)) => {
            let scenario = bench.maps.scenario(&scenario_file(file, text("map")))?;
            let corner = match map {
                Some(MapName::Cut { corner, .. }) => corner,
                _ => Pos::new(0, 0),
            };
            let within = |pos: Pos| ground.cell(Pos::new(pos.x - corner.x, pos.y - corner.y));
            let ends = |problem: &throng::grid::movingai::Problem| {
                let (from, to) = (within(problem.start)?, within(problem.goal)?);
                (from != to && ground.reachable(from, to)).then_some((from, to))
            };
            let mut pairs: Vec<(Cell, Cell)> = scenario.scenario.problems.iter().filter_map(ends).collect();
            SeededRng::new(seed).shuffle(&mut pairs);
            pairs
        }
        Ok(Source::Type(crate::ProblemType::Random)) => random_queries(ground, count, seed),
        Ok(Source::Type(kind)) => {
            let unknown = SpecError::unknown("type of questions", kind.name(), ["random", "scen"]);
            return Err(TaskError::Again(unknown.to_string()));
        }
        Err(unknown) => return Err(TaskError::Again(unknown)),
    };
    let one_in = settings.integer("one_in").map_or(1, |number| number.max(1) as usize);
    pairs.truncate(pairs.len().div_ceil(one_in).max(FEWEST).min(count));
    Ok(pairs)
}

/// Whether questions are drawn where a map's own scenario would be read: on a part of the map.
pub(crate) fn draws_own(map: Option<&MapName>, source: &Source) -> bool {
    matches!((map, source), (Some(MapName::Cut { .. }), Source::Scenario(None)))
}

/// Pairs of different cells, as many in each class of lengths up to the longest found, in a drawn order. Of the longest
/// there may be fewer.
fn spread(ground: &Ground, seed: u64) -> Vec<(Cell, Cell)> {
    let cells: Vec<Cell> = ground.free_cells().collect();
    let mut rng = SeededRng::new(seed);
    // By class: a pair from each start, then more from starts that had one already, for classes that few starts reach.
    let mut pairs: Vec<Vec<(Cell, Cell)>> = Vec::new();
    let mut spare: Vec<Vec<(Cell, Cell)>> = Vec::new();
    for _ in 0..if cells.is_empty() { 0 } else { STARTS } {
        let start = cells[rng.below(cells.len() as u32) as usize];
        for (class, ends) in offered(ground, &cells, start, &mut rng).into_iter().enumerate() {
            pairs.resize(pairs.len().max(class + 1), Vec::new());
            spare.resize(pairs.len(), Vec::new());
            let mut ends = ends.into_iter().map(|end| (start, end));
            pairs[class].extend(ends.next());
            spare[class].extend(ends);
        }
    }
    for (pairs, spare) in pairs.iter_mut().zip(&mut spare) {
        rng.shuffle(pairs);
        rng.shuffle(spare);
        pairs.append(spare);
        pairs.truncate(A_CLASS);
    }
    let mut pairs = pairs.concat();
    rng.shuffle(&mut pairs);
    pairs
}

/// Some cells of each class of lengths from a start, in a drawn order.
fn offered(ground: &Ground, cells: &[Cell], start: Cell, rng: &mut SeededRng) -> Vec<Vec<Cell>> {
    let mut lengths = Rra::without_history(ground, start, start);
    lengths.advance(ground, u64::MAX);
    let mut classes: Vec<Vec<Cell>> = Vec::new();
    for &cell in cells.iter().filter(|&&cell| cell != start) {
        let Some(length) = lengths.known(cell) else { continue };
        let class = class_of(length);
        classes.resize(classes.len().max(class + 1), Vec::new());
        classes[class].push(cell);
    }
    for class in &mut classes {
        rng.shuffle(class);
        class.truncate(A_CLASS);
    }
    classes
}

/// The class of a length.
fn class_of(length: throng::Cost) -> usize {
    (length / (4 * STRAIGHT)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng::grid::builtin::builtin;
    use throng::{Corners, Grid, MoveRules};

    #[test]
    fn drawn_questions_are_spread_evenly_over_lengths() {
        let grid = Grid::new(builtin("rooms").unwrap(), MoveRules::eight_way(Corners::Mixed));
        let ground = grid.ground();
        let pairs = spread(ground, 5);
        let mut search = throng::search("astar").unwrap();
        let mut classes: Vec<usize> = Vec::new();
        for &(from, to) in &pairs {
            assert_ne!(from, to);
            let cost = search.find(ground, from, to, &mut Vec::new()).unwrap().cost.unwrap();
            classes.resize(classes.len().max(class_of(cost) + 1), 0);
            classes[class_of(cost)] += 1;
        }
        assert!(classes.len() > 12, "{classes:?}");
        let (longest, others) = classes.split_last().unwrap();
        assert!(others.iter().all(|&count| count == A_CLASS), "{classes:?}");
        assert!((1..=A_CLASS).contains(longest), "{classes:?}");
        assert_eq!(pairs, spread(ground, 5));
        assert_ne!(pairs, spread(ground, 6));
    }

    #[test]
    fn maps_without_room_have_no_questions() {
        for picture in ["#", "#.#"] {
            let grid = Grid::new(throng::Tiles::picture(picture), MoveRules::default());
            assert_eq!(spread(grid.ground(), 1), [], "{picture}");
        }
    }
}
