//! Operators of Python's functions.

use std::cell::Cell;
use std::fmt;

use arrayspan::bridge::{Array, Conversion, Relayout, View, ViewMut};
use arrayspan::kernels::Update;
use arrayspan::operators::{self as of, Context, Error, LinearMap, Operator, Properties, Space};
use pyo3::exceptions::PyRecursionError;
use pyo3::prelude::*;

use crate::error::{Class, Result, refuse};
use crate::incoming;
use crate::kind::Kind;
use crate::lock::Held;
use crate::operator::PyOperator;
use crate::space::PySpace;

/// The operator of two functions: ``forward(x)`` gives ``A x``, ``adjoint(y)`` gives ``Aᴴ y``.
///
/// They are given an array of their own, on the device where the operator is applied: of ``NumPy`` on the host, else
/// ``arrayspan.Array``; or, with ``library="torch"`` (or ``"cupy"``, ``"jax"``), the array of that library. What they return is an array of
/// the other space, of any library, or a flat one with as many elements; its elements become those of the space's dtype. Without ``adjoint`` the operator has none, unless it
/// is its own (``self_adjoint=True``). With ``complex_linear=False`` it is linear over the real numbers only. What the functions raise is
/// raised by whatever applies the operator.
#[pyfunction]
#[pyo3(signature = (domain, range, forward, adjoint=None, name="FunctionOperator", *, complex_linear=true, self_adjoint=false, library=None))]
#[allow(clippy::too_many_arguments, reason = "those of the function in Python")]
pub(crate) fn from_functions(
    py: Python<'_>,
    domain: &PySpace,
    range: &PySpace,
    forward: Py<PyAny>,
    adjoint: Option<Py<PyAny>>,
    name: &str,
    complex_linear: bool,
    self_adjoint: bool,
    library: Option<&str>,
) -> Result<PyOperator> {
    for function in std::iter::once(&forward).chain(&adjoint) {
        if !function.bind(py).is_callable() {
            let why = format!("{name}: {} is not a function", function.bind(py).repr()?);
            return Ok(refuse(Class::Parameter, why)?);
        }
    }
    let spaces = [domain.0.clone(), range.0.clone()];
    for space in &spaces {
        space.computable(name)?;
    }
    let symmetric = self_adjoint && spaces[0] == spaces[1];
    if self_adjoint && (!symmetric || adjoint.is_some()) {
        let why = format!("{name}: self-adjoint is an operator within one space, of one function");
        return Ok(refuse(Class::Parameter, why)?);
    }
    let library = library.map(|library| Kind::by_name(py, library)).transpose()?;
    let name = name.to_owned();
    let mut functions = Functions { spaces, forward, adjoint, name, library, properties: None };
    let mut properties = Properties::of(&functions);
    if self_adjoint {
        properties = properties.self_adjoint();
    }
    if !complex_linear {
        properties = properties.real_linear();
    }
    functions.properties = Some(properties);
    Ok(Operator::new(functions).into())
}

/// How many functions may be called within each other on a thread. An operator that applies itself would run out of the stack before Python
/// takes notice.
const NESTED: usize = 100;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// A call within as many others as there are.
struct Nested(());

impl Nested {
    fn enter(name: &str) -> PyResult<Self> {
        let depth = DEPTH.get();
        if depth == NESTED {
            let why = format!("{name}: {NESTED} functions of operators called within each other");
            return Err(PyRecursionError::new_err(why));
        }
        DEPTH.set(depth + 1);
        Ok(Self(()))
    }
}

impl Drop for Nested {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

struct Functions {
    spaces: [Space; 2],
    forward: Py<PyAny>,
    adjoint: Option<Py<PyAny>>,
    name: String,
    library: Option<Kind>,
    properties: Option<Properties>,
}

impl Functions {
    /// `y ← alpha · f(x) + beta · y`
    fn run(
        &self,
        function: &Py<PyAny>,
        on: &Context<'_>,
        x: &View<'_>,
        y: ViewMut<'_>,
        update: Update<'_>,
    ) -> of::Result<()> {
        if on.records() {
            let why = "a function of Python cannot be recorded in a plan".to_owned();
            return Err(Error::Parameter { operator: self.name.clone(), why });
        }
        // Nobody may keep what is only lent: the function is given an array of its own.
        let own = x.to_array()?;
        let done = Python::try_attach(|py| {
            let _held = Held::set(true);
            self.call(py, function, on, own, y, update)
        });
        match done {
            Some(Ok(())) => Ok(()),
            Some(Err(failure)) => Err(Error::function(PyErr::from(failure))),
            None => Err(Error::function("the interpreter has ended")),
        }
    }

    fn call(
        &self,
        py: Python<'_>,
        function: &Py<PyAny>,
        on: &Context<'_>,
        x: Array,
        y: ViewMut<'_>,
        update: Update<'_>,
    ) -> Result<()> {
        let _nested = Nested::enter(&self.name)?;
        let kind = self.library.as_ref().unwrap_or(&Kind::NumPy);
        let x = kind.give(py, x)?;
        let result = function.bind(py).call1((x,))?;
        let what = format!("{}: what the function returned", self.name);
        let given = incoming::read(&result, &what)?;
        let mut found = given.view();
        if found.shape() != y.shape() {
            if found.layout().rank() != 1 || found.layout().len() != y.layout().len() {
                let (found, expected) = (found.shape(), y.shape());
                let why = format!("{what} has shape {found:?}, expected {expected:?}");
                return Err(Class::Shape.raise(py, why).into());
            }
            if !found.layout().is_contiguous() {
                return self.spread(py, &found, on, y, update);
            }
            found = found.reshaped(y.shape())?;
        }
        self.store(py, &found, on, y, update)?;
        py.detach(|| given.settle())
    }

    /// A flat result with gaps between its elements.
    fn spread(
        &self,
        py: Python<'_>,
        found: &View<'_>,
        on: &Context<'_>,
        y: ViewMut<'_>,
        update: Update<'_>,
    ) -> Result<()> {
        let packed = found.to_array()?;
        let shaped = packed.view().reshaped(y.shape())?;
        self.store(py, &shaped, on, y, update)
    }

    fn store(
        &self,
        py: Python<'_>,
        found: &View<'_>,
        on: &Context<'_>,
        y: ViewMut<'_>,
        update: Update<'_>,
    ) -> Result<()> {
        let (from, to) = (found.dtype(), y.dtype());
        if from == to {
            return Ok(on.copy(found.clone(), y, update)?);
        }
        if from.is_complex() && !to.is_complex() {
            let name = &self.name;
            let why = format!("{name}: the function returned {from}, which is no {to}");
            return Err(Class::DType.raise(py, why).into());
        }
        let converted = found.convert(to, &Conversion::WRAP, on.stream())?;
        Ok(on.copy(converted.view(), y, update)?)
    }
}

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl LinearMap for Functions {
    fn name(&self) -> &str {
        &self.name
    }

    fn domain(&self) -> &Space {
        &self.spaces[0]
    }

    fn range(&self) -> &Space {
        &self.spaces[1]
    }

    fn enqueue(
        &self,
        on: Context<'_>,
        x: View<'_>,
        y: ViewMut<'_>,
        update: Update<'_>,
    ) -> of::Result<()> {
        self.run(&self.forward, &on, &x, y, update)
    }

    fn enqueue_adjoint(
        &self,
        on: Context<'_>,
        y: View<'_>,
        x: ViewMut<'_>,
        update: Update<'_>,
    ) -> of::Result<()> {
        let own = self.properties().self_adjoint.then_some(&self.forward);
        match self.adjoint.as_ref().or(own) {
            Some(adjoint) => self.run(adjoint, &on, &y, x, update),
            None => Err(Error::NoAdjoint { operator: self.name.clone() }),
        }
    }

    fn properties(&self) -> Properties {
        self.properties.unwrap_or_else(|| Properties::of(self))
    }
}
