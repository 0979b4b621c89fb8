//! The base of classes whose instances are applied to arrays of `NumPy` without passing through Python.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};

use arrayspan::bridge::DType;
use arrayspan::operators::{LinearMap, Operator};
use pyo3::intern;
use pyo3::prelude::*;

use crate::apply;
use crate::direction::Direction;
use crate::error::{Class, Result, refuse};
use crate::numpy;
use crate::operator::PyOperator;
use crate::shape::Shape;

/// The base of a class of operators that decides in Python what an operator of the library stands for it, and keeps that for each dtype.
///
/// ``A @ x``, ``A * x``, ``A.matvec(x)`` and ``A.rmatvec(y)`` of a vector of ``NumPy`` that one is kept for are computed at once, and count. ``A @ x`` and
/// ``A * x`` take an array with the shape of models, too. All else goes to the methods ``_slow_matmul``, ``dot``, ``_slow_matvec``
/// and ``_slow_rmatvec``, which a class has to have.
#[pyclass(frozen, subclass, weakref, dict, name = "Applied", module = "arrayspan")]
pub(crate) struct PyApplied {
    kept: RwLock<Vec<Arc<Kept>>>,
    counts: [AtomicUsize; 2],
}

/// What is applied to arrays of its dtype.
struct Kept {
    operator: Operator,
    direction: Direction,
    /// The shapes of arguments and of results, as the class has them.
    shapes: [Vec<usize>; 2],
    /// Results are vectors, also of arguments that are none.
    flat: bool,
}

/// Whether arguments that are no vectors are taken at all.
static SHAPED: AtomicBool = AtomicBool::new(true);

impl Kept {
    fn dtype(&self) -> DType {
        match self.direction {
            Direction::Forward => self.operator.domain().dtype(),
            Direction::Adjoint => self.operator.range().dtype(),
        }
    }
}

#[pymethods]
impl PyApplied {
    #[new]
    #[pyo3(signature = (*_arguments, **_options))]
    fn new(
        _arguments: &Bound<'_, pyo3::types::PyTuple>,
        _options: Option<&Bound<'_, pyo3::types::PyDict>>,
    ) -> Self {
        Self { kept: RwLock::default(), counts: Default::default() }
    }

    /// Keeps an operator for models of its dtype and of the shape ``dims``, and its adjoint for data of theirs and of the shape ``dimsd``: as many
    /// elements as its spaces have. With ``flat`` the result for an array of the shape ``dims`` is a vector, too.
    #[pyo3(signature = (operator, dims, dimsd, *, flat=false))]
    fn _keep(&self, operator: &PyOperator, dims: Shape, dimsd: Shape, flat: bool) -> PyResult<()> {
        let spaces = [operator.0.domain(), operator.0.range()];
        let shapes = [dims.0, dimsd.0];
        for (space, shape) in spaces.into_iter().zip(&shapes) {
            if shape.iter().try_fold(1, |n: usize, &extent| n.checked_mul(extent))
                != Some(space.len())
            {
                return refuse(
                    Class::Shape,
                    format!("{shape:?} has not as many elements as {space}"),
                );
            }
        }
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        for direction in [Direction::Forward, Direction::Adjoint] {
            let mut shapes = shapes.clone();
            if direction == Direction::Adjoint {
                shapes.reverse();
            }
            let new = Kept { operator: operator.0.clone(), direction, shapes, flat };
            kept.retain(|old| old.direction != direction || old.dtype() != new.dtype());
            kept.push(Arc::new(new));
        }
        Ok(())
    }

    /// Whether ``A @ x`` of an array that is no vector is computed at once, wherever it is kept.
    #[staticmethod]
    fn _take_shaped(shaped: bool) {
        SHAPED.store(shaped, Relaxed);
    }

    /// Forgets all that is kept.
    fn _forget(&self) {
        self.kept.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn __matmul__<'py>(slf: &Bound<'py, Self>, x: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        match slf.get().quick(x, Direction::Forward, true)? {
            Some(y) => Ok(y),
            None => Ok(slf.call_method1(intern!(slf.py(), "_slow_matmul"), (x,))?),
        }
    }

    fn __mul__<'py>(slf: &Bound<'py, Self>, x: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        match slf.get().quick(x, Direction::Forward, true)? {
            Some(y) => Ok(y),
            None => Ok(slf.call_method1(intern!(slf.py(), "dot"), (x,))?),
        }
    }

    /// ``A x`` of a vector.
    fn matvec<'py>(slf: &Bound<'py, Self>, x: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        match slf.get().quick(x, Direction::Forward, false)? {
            Some(y) => Ok(y),
            None => Ok(slf.call_method1(intern!(slf.py(), "_slow_matvec"), (x,))?),
        }
    }

    /// ``Aᴴ y`` of a vector.
    fn rmatvec<'py>(slf: &Bound<'py, Self>, y: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        match slf.get().quick(y, Direction::Adjoint, false)? {
            Some(x) => Ok(x),
            None => Ok(slf.call_method1(intern!(slf.py(), "_slow_rmatvec"), (y,))?),
        }
    }

    /// How often it was applied to a vector.
    #[getter]
    fn matvec_count(&self) -> usize {
        self.counts[0].load(Relaxed)
    }

    #[setter]
    fn set_matvec_count(&self, count: usize) {
        self.counts[0].store(count, Relaxed);
    }

    /// How often its adjoint was applied to a vector.
    #[getter]
    fn rmatvec_count(&self) -> usize {
        self.counts[1].load(Relaxed)
    }

    #[setter]
    fn set_rmatvec_count(&self, count: usize) {
        self.counts[1].store(count, Relaxed);
    }
}

impl PyApplied {
    /// The result, if an operator is kept for such an array: a vector, or, if it may be `shaped`, one with the shape of the space.
    fn quick<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        direction: Direction,
        shaped: bool,
    ) -> Result<Option<Bound<'py, PyAny>>> {
        if !numpy::is_exactly_array(x) {
            return Ok(None);
        }
        let Some(dtype) = numpy::plain_dtype(x) else { return Ok(None) };
        let kept = {
            let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
            let fits = |kept: &&Arc<Kept>| kept.direction == direction && kept.dtype() == dtype;
            let Some(kept) = kept.iter().find(fits) else { return Ok(None) };
            kept.clone()
        };
        let [from, to] = &kept.shapes;
        let own = if shaped && SHAPED.load(Relaxed) { Some(from.as_slice()) } else { None };
        let to = if kept.flat { &[] } else { to.as_slice() };
        let done = apply::quick(&kept.operator, direction, x, own, to)?;
        if done.is_some() {
            self.counts[usize::from(direction == Direction::Adjoint)].fetch_add(1, Relaxed);
        }
        Ok(done)
    }
}
