//! The Python package of throng: the extension module `throng._throng`.
//!
//! Python code in `python/throng` adds what is easier there: the laboratory with Arrow tables, environments for learned
//! policies, sweeps on Ray. This crate converts arguments and results and releases the interpreter's lock during long calls;
//! it contains no algorithm. What Python users read about a class is the comment here, and `tests` runs its examples.

mod array;
mod crowd;
mod database;
mod error;
mod lab;
mod map;
mod problem;
mod registry;
mod rules;
mod search;
mod world;

use pyo3::prelude::*;

/// The engine of the package `throng`.
#[pymodule]
fn _throng(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("Refused", module.py().get_type::<error::Refused>())?;
    module.add_class::<map::Map>()?;
    module.add_class::<database::Database>()?;
    module.add_class::<search::Search>()?;
    module.add_class::<search::Path>()?;
    module.add_class::<world::World>()?;
    module.add_class::<world::TickReport>()?;
    module.add_class::<world::AgentDetails>()?;
    module.add_class::<world::AgentOrders>()?;
    module.add_class::<world::Remaining>()?;
    module.add_class::<world::CheckReport>()?;
    module.add_function(wrap_pyfunction!(world::check, module)?)?;
    module.add_class::<crowd::Crowd>()?;
    module.add_class::<problem::Problem>()?;
    module.add_class::<problem::RunResult>()?;
    registry::register(module)?;
    lab::register(module)
}
