//! Questions about maps that have changed since their path database was built: the experiments of the report on dynamic
//! pathfinding. A run is one search, in the place of a planner, and at most as many questions of one map as there are agents.
//!
//! The database of a map is built once for all searches. A file `MAP.cpd` beside the map saves that, if it is the
//! database of this map.

use std::sync::Arc;
use std::time::Instant;

use throng::Grid;
use throng::cpd::{Cpd, Perturbation};

use super::bench::Kept;
use super::pairs::pairs;
use super::{Bench, Task, TaskError};
use crate::dynamic::{Answers, Candidate, Questions, build};
use crate::store::Record;
use crate::{Row, Value};

/// What happens to maps, by name.
pub(crate) const PERTURBATIONS: [(&str, Perturbation); 2] =
    [("exp1", Perturbation::Exp1), ("exp2", Perturbation::Exp2)];

/// The factor of searches that take one and are not given another: the report's.
const EPSILON: &str = "1.1";

/// The task.
#[derive(Debug)]
pub(super) struct Dynamic;

/// What runs on one map share.
#[derive(Debug)]
pub(super) struct Asked {
    grid: Grid,
    cpd: Arc<Cpd>,
    questions: Questions,
}

/// Databases and questions that are kept: searches meet them one after the other.
#[derive(Debug, Default)]
pub(super) struct Desk {
    databases: Kept<Cpd, 2>,
    asked: Kept<Asked, 4>,
}

impl Task for Dynamic {
    fn name(&self) -> &'static str {
        "dynamic"
    }

    fn about(&self) -> &'static str {
        "searches are asked for paths on maps that have changed since their path database was built"
    }

    fn run(&self, bench: &Bench, settings: &Row) -> Result<Option<Record>, TaskError> {
        let start = Instant::now();
        let Some(asked) = asked(bench, settings)? else { return Ok(None) };
        let seconds = start.elapsed().as_secs_f64();
        let text = settings.text("planner").unwrap_or_default();
        let refused = |reason: String| TaskError::Again(reason);
        let mut candidate =
            Candidate::new(text, EPSILON, &asked.cpd).map_err(|error| refused(error.to_string()))?;
        let mut grid = asked.grid.clone();
        let answers = candidate
            .ask(&mut grid, &asked.questions.asked, || !bench.is_stopped())
            .map_err(|error| refused(error.to_string()))?;
        Ok(answers.map(|answers| {
            let mut row = settings.clone();
            fill(&mut row, &asked.questions, &answers);
            row.set("prepare_seconds", seconds);
            Record { row, series: Vec::new() }
        }))
    }
}

/// The questions of some settings, made once; nothing when the bench was told to stop.
fn asked(bench: &Bench, settings: &Row) -> Result<Option<Arc<Asked>>, TaskError> {
    let key = |names: &[&str]| {
        let value = |name: &&str| settings.value(name).map(ToString::to_string).unwrap_or_default();
        names.iter().map(value).collect::<Vec<_>>().join(" ")
    };
    let question_key = key(&["map", "corners", "terrain", "type", "agents", "one_in", "seed", "perturb"]);
    let desk = &bench.dynamic;
    let made = desk.asked.made(&question_key, || {
        let text = |name: &str| settings.text(name).unwrap_or_default();
        let seed = settings.integer("seed").unwrap_or_default() as u64;
        let mut grid = bench.maps.grid(text("map"), text("corners"), text("terrain"), seed)?.as_ref().clone();
        let pairs = pairs(bench, settings, grid.ground())?;
        let fingerprint = grid.ground().fingerprint().to_string();
        let cpd = desk.databases.made(&fingerprint, || database(bench, text("map"), &grid))?;
        let perturbation = PERTURBATIONS.iter().find(|(name, _)| *name == text("perturb"));
        let perturbation = perturbation.map_or(Perturbation::Exp1, |&(_, perturbation)| perturbation);
        let questions = Questions::new(&mut grid, &pairs, perturbation, || !bench.is_stopped())
            .map_err(|error| TaskError::Again(error.to_string()))?;
        Ok(Asked { grid, cpd, questions })
    });
    if bench.is_stopped() { Ok(None) } else { made.map(Some) }
}

/// The database of a map: from the file beside it, or built.
fn database(bench: &Bench, map: &str, grid: &Grid) -> Result<Cpd, TaskError> {
    let file = bench.maps.find(&format!("{}.cpd", map.trim_end_matches(".map"))).ok();
    let bytes = file.and_then(|file| std::fs::read(file).ok());
    if let Some(cpd) = bytes.and_then(|bytes| Cpd::open(&bytes, grid.ground()).ok()) {
        return Ok(cpd);
    }
    let built = build(grid.ground(), |_| !bench.is_stopped());
    let built = built.map_err(|error| TaskError::Again(error.to_string()))?;
    built.ok_or_else(|| TaskError::Again("the run was given up".to_owned()))
}

/// Fills in what was measured.
fn fill(row: &mut Row, Questions { asked, dropped }: &Questions, answers: &Answers) {
    let questions = asked.len();
    let (expanded, us) = (answers.expansions, answers.us_per_query);
    let (mean, most) = answers.cost_over_optimal;
    row.set("questions", questions);
    row.set("dropped", *dropped);
    if questions == 0 {
        // Nothing was measured.
        return;
    }
    let values: [(&str, Value); 15] = [
        ("completion_rate", (answers.solved as f64 / questions as f64).into()),
        ("expansions", ((expanded.mean * questions as f64).round() as u64).into()),
        ("bound_violations", answers.violations.into()),
        ("cost_over_optimal_mean", mean.into()),
        ("cost_over_optimal_max", most.into()),
        ("expanded_p25", expanded.p25.into()),
        ("expanded_p50", expanded.p50.into()),
        ("expanded_p75", expanded.p75.into()),
        ("expanded_mean", expanded.mean.into()),
        ("query_us_p25", us.p25.into()),
        ("query_us_p50", us.p50.into()),
        ("query_us_p75", us.p75.into()),
        ("query_us_mean", us.mean.into()),
        ("query_us_first", answers.us_first.into()),
        ("wall_seconds", (us.mean * questions as f64 / 1e6).into()),
    ];
    for (name, value) in values {
        row.set(name, value);
    }
    row.set_some("expanded_percentiles", answers.expansion_percentiles.map(|all| all.to_string()));
    row.set_some("query_us_percentiles", answers.us_percentiles.map(|all| all.to_string()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;
    use crate::maps::Maps;

    /// Runs are planned so that all searches meet a map one after the other.
    #[test]
    fn a_map_has_its_database_built_once_for_all_searches() {
        let bench = Bench::new(Maps::default(), false, false, Arc::default());
        let mut databases: Vec<Arc<Cpd>> = Vec::new();
        let plan = Experiment::open("dynamic-exp1").unwrap().plan("smoke").unwrap();
        for run in &plan.runs {
            let asked = asked(&bench, run).unwrap().unwrap();
            if databases.last().is_none_or(|last| !Arc::ptr_eq(last, &asked.cpd)) {
                databases.push(Arc::clone(&asked.cpd));
            }
        }
        let searches = plan.axes.iter().find(|(key, _)| *key == "searches").unwrap().1.len();
        assert_eq!(databases.len() * searches, plan.runs.len());
        // Another perturbation asks other questions with the same database.
        let mut other = plan.runs.last().unwrap().clone();
        other.set("perturb", "exp2");
        assert!(Arc::ptr_eq(&asked(&bench, &other).unwrap().unwrap().cpd, databases.last().unwrap()));
    }
}
