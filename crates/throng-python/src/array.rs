//! Arrays of positions and agents from Python. An array of the engine's own type is read in place; another array of integers,
//! or a list, is converted first. Arrays of other numbers are refused: a position of 1.5 is a mistake.

use numpy::{
    AllowTypeChange, PyArray1, PyArray2, PyArrayLikeDyn, PyArrayMethods, PyReadonlyArray2, ToPyArray,
};
use numpy::{PyArrayDescrMethods, PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use throng::{AgentId, Pos};

/// Calls a function with each position of an array of shape `(n, 2)`, and its number.
pub(crate) fn each_position(
    given: &Bound<'_, PyAny>,
    mut call: impl FnMut(usize, Pos) -> PyResult<()>,
) -> PyResult<()> {
    if let Ok(array) = given.extract::<PyReadonlyArray2<'_, i32>>()
        && let Ok(values) = array.as_slice()
        && array.shape()[1] == 2
    {
        let pairs = values.chunks_exact(2).enumerate();
        return pairs.into_iter().try_for_each(|(number, pair)| call(number, Pos::new(pair[0], pair[1])));
    }
    let values = integers(given)?;
    let values = values.as_array();
    if values.is_empty() {
        return Ok(());
    }
    let &[count, 2] = values.shape() else {
        return Err(PyValueError::new_err(format!(
            "positions have the shape (n, 2), not {:?}",
            values.shape()
        )));
    };
    for number in 0..count {
        // A coordinate beyond 32 bits is outside of every map, as is the largest one.
        let [x, y] = [0, 1].map(|axis| i32::try_from(values[[number, axis].as_slice()]).unwrap_or(i32::MAX));
        call(number, Pos::new(x, y))?;
    }
    Ok(())
}

/// Returns the positions of an array of shape `(n, 2)`.
pub(crate) fn positions(given: &Bound<'_, PyAny>) -> PyResult<Vec<Pos>> {
    let mut found = Vec::new();
    each_position(given, |_, pos| {
        found.push(pos);
        Ok(())
    })?;
    Ok(found)
}

/// Returns the agents of an array of numbers.
pub(crate) fn agents(given: &Bound<'_, PyAny>) -> PyResult<Vec<AgentId>> {
    if let Ok(array) = given.extract::<PyReadonlyArray1<'_, u64>>() {
        return Ok(array.as_array().iter().map(|&bits| AgentId::from_bits(bits)).collect());
    }
    let values = integers(given)?;
    Ok(values.as_array().iter().map(|&bits| AgentId::from_bits(bits as u64)).collect())
}

/// Returns an array-like of integers as 64-bit integers.
pub(crate) fn integers<'py>(
    given: &Bound<'py, PyAny>,
) -> PyResult<PyArrayLikeDyn<'py, i64, AllowTypeChange>> {
    let array = given.py().import("numpy")?.call_method1("asarray", (given,))?;
    let array = array.cast_into::<PyUntypedArray>().map_err(PyErr::from)?;
    // An empty list has no type of its own.
    if array.len() > 0 && !matches!(array.dtype().kind(), b'i' | b'u') {
        return Err(PyTypeError::new_err(format!("expected integers, not an array of {}", array.dtype())));
    }
    array.extract()
}

/// Returns positions as an array of shape `(n, 2)`.
pub(crate) fn position_array(
    py: Python<'_>,
    positions: impl ExactSizeIterator<Item = Pos>,
) -> Bound<'_, PyArray2<i32>> {
    let count = positions.len();
    let values: Vec<i32> = positions.flat_map(|pos| [pos.x, pos.y]).collect();
    PyArray1::from_vec(py, values).reshape([count, 2]).expect("two numbers per position")
}

/// Returns agents as an array of numbers.
pub(crate) fn agent_array<'py>(py: Python<'py>, agents: &[AgentId]) -> Bound<'py, PyArray1<u64>> {
    let bits: Vec<u64> = agents.iter().map(|agent| agent.to_bits()).collect();
    bits.to_pyarray(py)
}
