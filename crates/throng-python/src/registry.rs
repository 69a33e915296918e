//! Lists of what there is, from the registries, and the names of numbers in arrays.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use throng::grid::builtin::BUILTINS;
use throng::grid::generate::GENERATORS;
use throng::grid::spec::Parameter;
use throng::{PLANNERS, SearchInfo, Terrain};
use throng_lab::ProblemType;

use crate::crowd::ACTIONS;
use crate::world::{CERTAINTIES, DESTINATIONS, EVENT_KINDS, MOVE_RULES, STUCK_REASONS};

type Entry<'py> = Bound<'py, PyDict>;

/// Returns the description of something that has parameters.
fn described<'py>(
    py: Python<'py>,
    [name, summary, idea, reference]: [&str; 4],
    parameters: &[Parameter],
) -> PyResult<Entry<'py>> {
    let entry = named(py, name, summary)?;
    entry.set_item("idea", idea)?;
    entry.set_item("reference", reference)?;
    entry.set_item("parameters", all(parameters, |parameter| parameter_entry(py, parameter))?)?;
    Ok(entry)
}

fn named<'py>(py: Python<'py>, name: &str, summary: &str) -> PyResult<Entry<'py>> {
    let entry = PyDict::new(py);
    entry.set_item("name", name)?;
    entry.set_item("summary", summary)?;
    Ok(entry)
}

fn parameter_entry<'py>(py: Python<'py>, parameter: &Parameter) -> PyResult<Entry<'py>> {
    let entry = named(py, parameter.name, parameter.summary)?;
    entry.set_item("values", parameter.kind.to_string())?;
    entry.set_item("default", parameter.kind.default_text())?;
    Ok(entry)
}

fn all<'a, 'py, T: 'a>(
    items: impl IntoIterator<Item = &'a T>,
    entry: impl Fn(&T) -> PyResult<Entry<'py>>,
) -> PyResult<Vec<Entry<'py>>> {
    items.into_iter().map(entry).collect()
}

/// Returns the planners: name, summary, idea, reference and parameters of each.
///
/// >>> import throng
/// >>> "surge" in [planner["name"] for planner in throng.planners()]
/// True
#[pyfunction]
fn planners(py: Python<'_>) -> PyResult<Vec<Entry<'_>>> {
    all(PLANNERS, |info| described(py, [info.name, info.summary, info.idea, info.reference], info.parameters))
}

/// Returns the searches for single paths: name, summary, idea, reference and parameters of each.
#[pyfunction]
fn searches(py: Python<'_>) -> PyResult<Vec<Entry<'_>>> {
    let entry = |info: &SearchInfo| {
        described(py, [info.name, info.summary, info.idea, info.reference], info.parameters)
    };
    all(throng::SEARCHES.iter().chain(throng::database_searches()), entry)
}

/// Returns the generators of maps: name, summary and parameters of each.
#[pyfunction]
fn generators(py: Python<'_>) -> PyResult<Vec<Entry<'_>>> {
    all(GENERATORS, |kind| {
        let entry = named(py, kind.name, kind.summary)?;
        entry.set_item("parameters", all(kind.parameters, |parameter| parameter_entry(py, parameter))?)?;
        Ok(entry)
    })
}

/// Returns the maps that are part of the package: name and summary of each.
#[pyfunction]
fn builtin_maps(py: Python<'_>) -> PyResult<Vec<Entry<'_>>> {
    all(BUILTINS, |map| named(py, map.name, map.summary))
}

/// Returns the types of problems for crowds: name and summary of each.
#[pyfunction]
fn problem_types(py: Python<'_>) -> PyResult<Vec<Entry<'_>>> {
    all(&ProblemType::ALL, |kind| named(py, kind.name(), kind.summary()))
}

/// Adds the functions and names to the module.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(planners, module)?)?;
    module.add_function(wrap_pyfunction!(searches, module)?)?;
    module.add_function(wrap_pyfunction!(generators, module)?)?;
    module.add_function(wrap_pyfunction!(builtin_maps, module)?)?;
    module.add_function(wrap_pyfunction!(problem_types, module)?)?;
    module.add("EVENT_KINDS", EVENT_KINDS.to_vec())?;
    module.add("STUCK_REASONS", STUCK_REASONS.to_vec())?;
    module.add("MOVE_RULES", MOVE_RULES.to_vec())?;
    module.add("DESTINATIONS", DESTINATIONS.to_vec())?;
    module.add("CERTAINTIES", CERTAINTIES.to_vec())?;
    module.add("ACTIONS", ACTIONS.to_vec())?;
    let terrain = Terrain::ALL.map(|terrain| format!("{terrain:?}").to_lowercase());
    module.add("TERRAIN", terrain.to_vec())?;
    module.add("DIRECTIONS", throng::grid::Direction::ALL.map(|direction| format!("{direction:?}")).to_vec())
}
