//! The starts and goals of path queries: problems of a scenario file, random pairs of cells, or, on a rectangle of a map,
//! pairs that are spread over path lengths like those of scenario files.
//!
//! Scenario files have ten problems per bucket of path lengths; a bucket is four straight moves wide. Within a rectangle of
//! the map only short problems of the file remain, so queries of the rectangle's own are drawn, ten per bucket. A
//! breadth-first sweep from each of 100 random starts gives the path lengths to all cells, and each start offers cells of
//! each bucket.

use throng::grid::moves::STRAIGHT;
use throng::grid::{SeededRng, random_queries};
use throng::{Cell, Ground, Pos};
use throng_search::Rra;
use throng_search::spec::SpecError;

use super::context::scenario_file;
use super::perturbed_queries::QuerySettings;
use super::{RunContext, TaskError};
use crate::RunRow;
use crate::columns::{RowPart, SharedSettings};
use crate::maps::MapName;
use crate::source::ProblemSource;

/// The number of queries that are kept whatever `one_in` says, if there are as many.
const MIN_QUERIES: usize = 20;

/// Problems per bucket of path lengths.
const PER_BUCKET: usize = 10;

/// The number of starts: several times [`PER_BUCKET`], as not every start has cells of the long buckets.
const STARTS: usize = 100;

/// Returns the starts and goals of the queries on a ground, drawn with the seed of the settings.
pub(super) fn query_pairs(
    context: &RunContext,
    settings: &RunRow,
    ground: &Ground,
) -> Result<Vec<(Cell, Cell)>, TaskError> {
    let QuerySettings { max_queries, one_in, .. } = QuerySettings::load(settings);
    let SharedSettings { map, r#type, seed, .. } = SharedSettings::load(settings);
    let map_name = map.parse().ok();
    let mut pairs = match r#type.parse() {
        Ok(source) if draws_own(map_name.as_ref(), &source) => spread_over_lengths(ground, seed),
        Ok(ProblemSource::Scenario(file)) => {
            let scenario = context.maps.scenario(&scenario_file(file, &map))?;
            let corner = match map_name {
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
        Ok(ProblemSource::Type(crate::ProblemType::Random)) => random_queries(ground, max_queries, seed),
        Ok(ProblemSource::Type(kind)) => {
            let unknown = SpecError::unknown("type of queries", kind.name(), ["random", "scen"]);
            return Err(TaskError::Other(unknown.to_string()));
        }
        Err(unknown) => return Err(TaskError::Other(unknown)),
    };
    pairs.truncate(pairs.len().div_ceil(one_in.unwrap_or(1).max(1)).max(MIN_QUERIES).min(max_queries));
    Ok(pairs)
}

/// Returns true if queries are drawn instead of read: for a rectangle of a map and the map's own scenario.
pub(super) fn draws_own(map: Option<&MapName>, source: &ProblemSource) -> bool {
    matches!((map, source), (Some(MapName::Cut { .. }), ProblemSource::Scenario(None)))
}

/// Returns pairs of different cells in random order, [`PER_BUCKET`] per bucket of path lengths; the bucket of the longest
/// paths may have fewer.
fn spread_over_lengths(ground: &Ground, seed: u64) -> Vec<(Cell, Cell)> {
    let cells: Vec<Cell> = ground.free_cells().collect();
    let mut rng = SeededRng::new(seed);
    // Per bucket: one pair from each start, and further pairs of the same starts for buckets that few starts reach.
    let mut pairs: Vec<Vec<(Cell, Cell)>> = Vec::new();
    let mut spare: Vec<Vec<(Cell, Cell)>> = Vec::new();
    for _ in 0..if cells.is_empty() { 0 } else { STARTS } {
        let start = cells[rng.below(cells.len() as u32) as usize];
        for (bucket, ends) in goals_by_bucket(ground, &cells, start, &mut rng).into_iter().enumerate() {
            pairs.resize(pairs.len().max(bucket + 1), Vec::new());
            spare.resize(pairs.len(), Vec::new());
            let mut ends = ends.into_iter().map(|end| (start, end));
            pairs[bucket].extend(ends.next());
            spare[bucket].extend(ends);
        }
    }
    for (pairs, spare) in pairs.iter_mut().zip(&mut spare) {
        rng.shuffle(pairs);
        rng.shuffle(spare);
        pairs.append(spare);
        pairs.truncate(PER_BUCKET);
    }
    let mut pairs = pairs.concat();
    rng.shuffle(&mut pairs);
    pairs
}

/// Returns up to [`PER_BUCKET`] cells per bucket of path lengths from a start, in random order.
fn goals_by_bucket(ground: &Ground, cells: &[Cell], start: Cell, rng: &mut SeededRng) -> Vec<Vec<Cell>> {
    let mut lengths = Rra::without_history(ground, start, start);
    lengths.advance(ground, u64::MAX);
    let mut buckets: Vec<Vec<Cell>> = Vec::new();
    for &cell in cells.iter().filter(|&&cell| cell != start) {
        let Some(length) = lengths.known(cell) else { continue };
        let bucket = bucket_of(length);
        buckets.resize(buckets.len().max(bucket + 1), Vec::new());
        buckets[bucket].push(cell);
    }
    for bucket in &mut buckets {
        rng.shuffle(bucket);
        bucket.truncate(PER_BUCKET);
    }
    buckets
}

/// Returns the bucket of a path length.
fn bucket_of(length: throng::Cost) -> usize {
    (length / (4 * STRAIGHT)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use throng::grid::builtin::builtin;
    use throng::{Corners, Grid, MoveRules};

    #[test]
    fn drawn_queries_are_spread_evenly_over_path_lengths() {
        let grid = Grid::new(builtin("rooms").unwrap(), MoveRules::eight_way(Corners::Mixed));
        let ground = grid.ground();
        let pairs = spread_over_lengths(ground, 5);
        let mut search = throng::search("astar").unwrap();
        let mut buckets: Vec<usize> = Vec::new();
        for &(from, to) in &pairs {
            assert_ne!(from, to);
            let cost = search.find(ground, from, to, &mut Vec::new()).unwrap().cost.unwrap();
            buckets.resize(buckets.len().max(bucket_of(cost) + 1), 0);
            buckets[bucket_of(cost)] += 1;
        }
        assert!(buckets.len() > 12, "{buckets:?}");
        let (longest, others) = buckets.split_last().unwrap();
        assert!(others.iter().all(|&count| count == PER_BUCKET), "{buckets:?}");
        assert!((1..=PER_BUCKET).contains(longest), "{buckets:?}");
        assert_eq!(pairs, spread_over_lengths(ground, 5));
        assert_ne!(pairs, spread_over_lengths(ground, 6));
    }

    #[test]
    fn a_map_without_two_free_cells_has_no_queries() {
        for picture in ["#", "#.#"] {
            let grid = Grid::new(throng::Tiles::picture(picture), MoveRules::default());
            assert_eq!(spread_over_lengths(grid.ground(), 1), [], "{picture}");
        }
    }
}
