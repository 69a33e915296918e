//! What can be known before the first run: that every map and scenario is there, that the agents find room, and what the
//! maps hold.
//!
//! The content of map and scenario becomes part of a run's settings and so of its id: when a file changes, its runs are
//! others, and no result of the old file passes for one of the new. On maps that are made for each problem only what is
//! true of all of them is checked.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use throng::crowd::bytes::checksum;

use crate::experiment::{Plan, identify};
use crate::maps::{MapName, Maps};
use crate::source::Source;
use crate::sweep::SweepError;
use crate::task::{TaskError, draws_own, scenario_file};
use crate::{Instance, ProblemError, Row, Value};

/// Checks a plan and completes the settings of its runs.
///
/// # Errors
/// When a map or scenario is missing or refused, or has not room for so many agents; with the place in the experiment.
pub(crate) fn ready(plan: &mut Plan, maps: &Maps) -> Result<(), SweepError> {
    let (mut contents, mut checked) = (BTreeMap::new(), BTreeSet::new());
    let mut hashes = Vec::with_capacity(plan.runs.len());
    for run in &plan.runs {
        let text = |name: &str| run.text(name).unwrap_or_default();
        let (map, kind) = (text("map"), text("type"));
        let refuse = |key, column, reason| refuse(plan, run, key, column, reason);
        let hash = match contents.entry((text("task"), map, kind)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let of_map = maps.content(map).map_err(|error| refuse("maps", "map", error.into()))?;
                let all = with_scenario(of_map, run, maps);
                place.insert(format!("{:016x}", all.map_err(|error| refuse("types", "type", error))?))
            }
        };
        hashes.push(hash.clone());
        if text("task") == "dynamic" {
            // Nobody stands anywhere.
            continue;
        }
        let agents = run.integer("agents").unwrap_or_default();
        if checked.insert((map, kind, text("corners"), text("terrain"), agents)) {
            check_room(run, maps).map_err(|error| refuse("agents", "agents", error))?;
        }
    }
    for (run, hash) in plan.runs.iter_mut().zip(hashes) {
        run.set("map_hash", hash);
        identify(run);
    }
    Ok(())
}

/// The content of a map, with that of its scenario where problems come from one.
fn with_scenario(of_map: u64, run: &Row, maps: &Maps) -> Result<u64, TaskError> {
    let text = |name: &str| run.text(name).unwrap_or_default();
    let map = text("map");
    match text("type").parse() {
        Ok(source) if text("task") == "dynamic" && draws_own(map.parse().ok().as_ref(), &source) => {
            Ok(of_map)
        }
        Ok(Source::Scenario(file)) => {
            let content = maps.scenario(&scenario_file(file, map))?.content;
            Ok(checksum(of_map, &content.to_le_bytes()))
        }
        _ => Ok(of_map),
    }
}

/// Whether a run's agents find room, as far as that can be known.
fn check_room(run: &Row, maps: &Maps) -> Result<(), TaskError> {
    let text = |name: &str| run.text(name).unwrap_or_default();
    let (map, agents) = (text("map"), run.integer("agents").unwrap_or_default() as usize);
    let refuse = |map: String| move |reason: ProblemError| TaskError::Problem { map, reason };
    if let Some(area) = MapName::fresh(map).map(throng::Size::area) {
        let fits = agents <= area;
        let reason = ProblemError::MoreThanArea { agents, area };
        return if fits { Ok(()) } else { Err(refuse(map.to_owned())(reason)) };
    }
    let grid = maps.grid(map, text("corners"), text("terrain"), 0)?;
    if let Ok(Source::Scenario(file)) = text("type").parse() {
        let file = maps.scenario(&scenario_file(file, map))?;
        let instance = Instance::from_scenario(grid.ground(), &file.scenario, agents);
        return instance.map(drop).map_err(refuse(file.path.display().to_string()));
    }
    Instance::check_room(grid.ground(), agents).map_err(refuse(map.to_owned()))
}

/// A refusal with the place of the value that is to blame.
fn refuse(plan: &Plan, run: &Row, key: &'static str, column: &str, reason: TaskError) -> SweepError {
    let place = run.value(column).and_then(|value: &Value| plan.place(key, value));
    SweepError::Refused {
        place: place.map_or_else(|| key.to_owned(), ToString::to_string),
        reason: Box::new(reason),
    }
}
