//! Spaces.

use arrayspan::operators::Space;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::dtype::{self, Named};
use crate::error::Result;
use crate::shape::{self, Shape};

/// The arrays of one shape and one dtype: what an operator maps from and to.
#[pyclass(frozen, eq, hash, name = "Space", module = "arrayspan")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PySpace(pub(crate) Space);

#[pymethods]
impl PySpace {
    #[new]
    #[pyo3(signature = (shape, dtype=Named(arrayspan::bridge::DType::Float32)))]
    fn new(shape: Shape, dtype: Named) -> Result<Self> {
        Ok(Self(Space::new(shape.0, dtype.0)?))
    }

    /// Extents along each axis.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        shape::tuple(py, self.0.shape())
    }

    /// The type of the elements, by its name in the Python Array API.
    #[getter]
    fn dtype(&self) -> &'static str {
        dtype::name(self.0.dtype())
    }

    /// How many elements an array of it has.
    #[getter]
    fn size(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("Space({}, '{}')", self.shape(py)?.repr()?, self.dtype()))
    }
}
