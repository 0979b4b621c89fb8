//! `arrayspan.Operator`.

use arrayspan::operators::{
    Formula, Lift, LinearMap, Operator, Sampler, TraceMethod, adjoint, check_adjoint,
};
use num_complex::Complex64;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::apply;
use crate::constructors::choice::Choice;
use crate::device::{OnDevice, PyDevice};
use crate::direction::Direction;
use crate::error::Result;
use crate::integer::{Integer, integer};
use crate::matrix::{self, Estimate};
use crate::space::PySpace;

/// A linear operator from one space of arrays to another, and back by its adjoint.
///
/// Operators are made by the constructors in ``arrayspan.operators`` and combined as matrices are.
#[pyclass(frozen, weakref, name = "Operator", module = "arrayspan")]
pub(crate) struct PyOperator(pub(crate) Operator);

impl From<Operator> for PyOperator {
    fn from(operator: Operator) -> Self {
        Self(operator)
    }
}

impl PyOperator {
    pub(crate) fn built(formula: Formula) -> Result<Self> {
        Ok(Self(formula.build()?))
    }
}

#[pymethods]
impl PyOperator {
    /// `NumPy` leaves it to operators what ``array @ operator`` and ``number * operator`` mean.
    #[classattr]
    fn __array_ufunc__() -> Option<()> {
        None
    }

    /// Where models live.
    #[getter]
    fn domain(&self) -> PySpace {
        PySpace(self.0.domain().clone())
    }

    /// Where data live.
    #[getter]
    fn range(&self) -> PySpace {
        PySpace(self.0.range().clone())
    }

    /// What errors call it.
    #[getter]
    fn name(&self) -> String {
        self.0.name().to_owned()
    }

    /// The devices that models and data have to be on; ``None``: both on one, whichever it is.
    #[getter]
    fn devices(&self) -> Option<(PyDevice, PyDevice)> {
        self.0.devices().map(|devices| (PyDevice(devices.domain), PyDevice(devices.range)))
    }

    /// What is known of it.
    #[getter]
    fn properties<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let properties = self.0.properties();
        let facts = PyDict::new(py);
        facts.set_item("complex_linear", properties.complex_linear)?;
        facts.set_item("self_adjoint", properties.self_adjoint)?;
        facts.set_item("positive", properties.positive)?;
        Ok(facts)
    }

    /// ``A x``, as the kind of array that ``x`` is; or into ``out``.
    #[pyo3(signature = (x, out=None))]
    fn forward<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        apply::apply(&self.0, Direction::Forward, x, out)
    }

    /// ``Aᴴ y``, as the kind of array that ``y`` is; or into ``out``.
    #[pyo3(signature = (y, out=None))]
    fn adjoint<'py>(
        &self,
        y: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> Result<Bound<'py, PyAny>> {
        apply::apply(&self.0, Direction::Adjoint, y, out)
    }

    /// ``A`` of several models, stacked along a last axis.
    fn matmat<'py>(&self, x: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        apply::apply_to_columns(&self.0, Direction::Forward, x)
    }

    /// ``Aᴴ`` of several data, stacked along a last axis.
    fn rmatmat<'py>(&self, y: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        apply::apply_to_columns(&self.0, Direction::Adjoint, y)
    }

    fn __matmul__<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        if let Ok(inner) = other.cast::<Self>() {
            let product = Self::built(self.0.after(&inner.get().0))?;
            return Ok(Bound::new(other.py(), product)?.into_any());
        }
        apply::apply(&self.0, Direction::Forward, other, None)
    }

    fn __mul__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.scaled(other)
    }

    fn __rmul__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.scaled(other)
    }

    fn __truediv__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let Ok(number) = other.extract::<Complex64>() else {
            return Ok(not_implemented(other.py()));
        };
        // A division of real numbers that is one, not one of complex numbers.
        let inverse =
            if number.im == 0.0 { Complex64::from(1.0 / number.re) } else { number.inv() };
        let scaled = Self::built(inverse * &self.0)?;
        Ok(Bound::new(other.py(), scaled)?.into_any())
    }

    fn __add__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let Ok(other) = other.cast::<Self>() else { return Ok(not_implemented(other.py())) };
        let sum = Self::built(&self.0 + &other.get().0)?;
        Ok(Bound::new(other.py(), sum)?.into_any())
    }

    fn __sub__<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let Ok(other) = other.cast::<Self>() else { return Ok(not_implemented(other.py())) };
        let difference = Self::built(&self.0 - &other.get().0)?;
        Ok(Bound::new(other.py(), difference)?.into_any())
    }

    fn __neg__(&self) -> Self {
        Self(-&self.0)
    }

    fn __pow__(
        &self,
        exponent: &Bound<'_, PyAny>,
        modulo: Option<Bound<'_, PyAny>>,
    ) -> Result<Self> {
        if modulo.is_some() {
            return Err(PyTypeError::new_err("an operator has no powers modulo a number").into());
        }
        Self::built(self.0.pow(usize::read(exponent, "exponent")?))
    }

    /// The adjoint.
    #[getter(H)]
    fn hermitian(&self) -> Self {
        Self(adjoint(&self.0))
    }

    /// The transpose.
    #[getter(T)]
    fn transpose(&self) -> Self {
        Self(self.0.transpose())
    }

    /// The operator whose matrix is the conjugate.
    fn conj(&self) -> Self {
        Self(self.0.conj())
    }

    /// The operator of the real part of its matrix.
    fn to_real(&self) -> Result<Self> {
        Ok(Self(self.0.to_real()?))
    }

    /// The operator of the imaginary part of its matrix.
    fn to_imag(&self) -> Result<Self> {
        Ok(Self(self.0.to_imag()?))
    }

    /// The operator of some columns of its matrix.
    fn columns(&self, #[pyo3(from_py_with = integer)] columns: Vec<usize>) -> Result<Self> {
        Ok(Self(self.0.columns(columns)?))
    }

    /// The operator for each index of a further axis: a first one (``leading=count``), or a last one (``trailing=count``).
    #[pyo3(signature = (*, leading=None, trailing=None))]
    fn lifted(
        &self,
        #[pyo3(from_py_with = integer)] leading: Option<usize>,
        #[pyo3(from_py_with = integer)] trailing: Option<usize>,
    ) -> Result<Self> {
        let lift = match (leading, trailing) {
            (Some(count), None) => Lift::Leading(count),
            (None, Some(count)) => Lift::Trailing(count),
            _ => return Err(PyTypeError::new_err("lifted: either leading or trailing").into()),
        };
        Ok(Self(self.0.lifted(lift)?))
    }

    /// The operator computed on one device, with arrays on another.
    fn on(&self, device: OnDevice, arrays: OnDevice) -> Result<Self> {
        Ok(Self(self.0.on(device.0, arrays.0)?))
    }

    /// The same operator under another name.
    fn named(&self, name: String) -> Self {
        Self(self.0.clone().named(name))
    }

    /// What it is made of, and how it is run in both directions.
    fn describe(&self, py: Python<'_>) -> String {
        py.detach(|| self.0.describe())
    }

    /// Its matrix, as an array of ``NumPy``: it is applied to all unit vectors, many at once.
    fn to_dense<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        matrix::dense(py, &self.0)
    }

    /// Its matrix in compressed sparse rows: ``scipy.sparse.csr_array(*operator.to_sparse())`` is ``((values, indices, indptr), shape)``.
    fn to_sparse<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyTuple>> {
        matrix::sparse(py, &self.0)
    }

    /// The sum of the diagonal of its matrix: exact, or estimated by ``method`` (``"hutchinson"``, ``"hutch++"``, ``"na-hutch++"``) from
    /// some applications to random vectors.
    #[pyo3(signature = (method=None, *, evaluations=60, sampler=Choice(Sampler::Rademacher), seed=1))]
    fn trace<'py>(
        &self,
        py: Python<'py>,
        method: Option<Choice<TraceMethod>>,
        #[pyo3(from_py_with = integer)] evaluations: usize,
        sampler: Choice<Sampler>,
        #[pyo3(from_py_with = integer)] seed: u64,
    ) -> Result<Bound<'py, PyAny>> {
        matrix::trace(
            py,
            &self.0,
            method.map(|method| Estimate { method, sampler, evaluations, seed }),
        )
    }

    /// Whether products with random vectors agree: ``⟨A x, y⟩ = ⟨x, Aᴴ y⟩``. What was found is the text.
    fn check_adjoint(&self, py: Python<'_>) -> Result<(bool, String)> {
        let check = py.detach(|| check_adjoint(&self.0))?;
        Ok((check.holds(), check.to_string()))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        // The formula with the spaces.
        py.detach(|| format!("<{:?}>", self.0))
    }
}

impl PyOperator {
    fn scaled<'py>(&self, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let Ok(number) = other.extract::<Complex64>() else {
            return Ok(not_implemented(other.py()));
        };
        let scaled = Self::built(number * &self.0)?;
        Ok(Bound::new(other.py(), scaled)?.into_any())
    }
}

fn not_implemented(py: Python<'_>) -> Bound<'_, PyAny> {
    py.NotImplemented().into_bound(py)
}
