//! Operators as arguments.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::operator::PyOperator;

/// Reads an operator; with `#[pyo3(from_py_with = operator)]`. Of others it is said what takes them.
pub(crate) fn operator<'a>(given: &'a Bound<'_, PyAny>) -> PyResult<&'a PyOperator> {
    if let Ok(operator) = given.cast::<PyOperator>() {
        return Ok(operator.get());
    }
    let class = given.get_type();
    let class = class.name()?;
    let mut why =
        format!("expected an arrayspan.Operator, as arrayspan.operators makes them, not {class}");
    // What PyLops, SciPy and `arrayspan.pylops` call an operator.
    if given.hasattr("matvec")? && given.hasattr("shape")? {
        why += ": operators under PyLops's names are solved by the solvers of arrayspan.pylops, or by A / y";
    }
    Err(PyTypeError::new_err(why))
}

/// As [`operator`], where there may be none.
pub(crate) fn maybe<'a>(given: &'a Bound<'_, PyAny>) -> PyResult<Option<&'a PyOperator>> {
    if given.is_none() { Ok(None) } else { operator(given).map(Some) }
}
