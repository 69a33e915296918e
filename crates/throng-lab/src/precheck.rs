//! Checks before the first run of a sweep: every map and scenario exists, the agents find room, and the planners know enough
//! of the map.
//!
//! The hash of map and scenario becomes a setting of the run and so part of its key: when a file changes, its runs have
//! other keys, and no result of the old file is taken for one of the new. Of maps that are generated for each problem only
//! what holds for all of them is checked.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use crate::RunRow;
use crate::experiment::{RunPlan, axes, problem_files};
use crate::maps::Maps;
use crate::sweep::SweepError;
use crate::task::{Refusal, joined};

/// Checks a plan and completes the settings of its runs.
///
/// # Errors
/// If a run cannot succeed; the error names the place in the experiment file.
pub(crate) fn precheck(plan: &mut RunPlan, maps: &Maps) -> Result<(), SweepError> {
    let (mut contents, mut checked, mut solvers) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
    for run in plan.runs() {
        let run = &run;
        if let Entry::Vacant(entry) = contents.entry(problem_files(run)) {
            let hash = (plan.task.content_hash)(run, maps).map_err(|error| refused(plan, run, error))?;
            entry.insert(format!("{hash:016x}"));
        }
        if checked.insert(problem_settings(plan, run)) {
            (plan.task.check)(run, maps).map_err(|error| refused(plan, run, error))?;
        }
        if solvers.insert(joined(run, [plan.task.solver_column, "fog"])) {
            (plan.task.check_solver)(run).map_err(|error| refused(plan, run, error))?;
        }
    }
    plan.set_contents(contents);
    Ok(())
}

/// Returns the settings of a run's problem without the number of the instance, which no check depends on.
fn problem_settings(plan: &RunPlan, run: &RunRow) -> String {
    let columns = plan.task.seed_columns.iter().map(|(_, column)| *column);
    joined(run, columns.filter(|column| *column != "instance"))
}

/// Adds to a refusal the place of the value in the experiment file.
fn refused(plan: &RunPlan, run: &RunRow, Refusal { key, reason }: Refusal) -> SweepError {
    let column = axes(plan.task).find(|known| known.name == key).and_then(|known| known.column);
    let place = column.and_then(|column| run.value(column)).and_then(|value| plan.place(key, value));
    SweepError::Refused { place: place.map_or_else(|| key.to_owned(), ToString::to_string), reason }
}
