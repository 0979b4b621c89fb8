//! Named parts of a program that memory is counted for.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use arrayspan::devices::{Entered, Scope, ScopeHandle};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::Bytes;
use crate::device::OnDevice;
use crate::error::{Class, Result, refuse};

thread_local! {
    /// The scopes that this thread has entered, by the objects that stand for them.
    static ENTERED: RefCell<HashMap<usize, Vec<Entered>>> = RefCell::default();
}

/// Counts what its thread allocates, and holds it to limits: ``with Scope("inversion", limit="2GiB") as scope``.
///
/// What is allocated in it counts until it is freed, wherever that happens. A limit holds on each device by itself; ``limits`` are those of devices.
#[pyclass(frozen, name = "Scope", module = "arrayspan.memory")]
pub(crate) struct PyScope {
    scope: Scope,
    name: String,
    handle: Mutex<Option<ScopeHandle>>,
}

impl PyScope {
    fn handle(&self) -> Option<ScopeHandle> {
        self.handle.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[pymethods]
impl PyScope {
    #[new]
    #[pyo3(signature = (name, *, limit=None, limits=None))]
    fn new(
        name: String,
        limit: Option<Bytes>,
        limits: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut scope = Scope::new(name.clone());
        if let Some(limit) = limit {
            scope = scope.limit(limit.0);
        }
        for (device, limit) in limits.into_iter().flatten() {
            scope = scope.limit_on(device.extract::<OnDevice>()?.0, limit.extract::<Bytes>()?.0);
        }
        Ok(Self { scope, name, handle: Mutex::default() })
    }

    /// The scope's name.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// What was allocated in it on a device.
    #[pyo3(signature = (device=None))]
    fn statistics<'py>(
        &self,
        py: Python<'py>,
        device: Option<OnDevice>,
    ) -> PyResult<Bound<'py, PyDict>> {
        match self.handle() {
            Some(handle) => super::named(py, &handle.statistics(super::place(device))),
            None => refuse(Class::Error, format!("scope '{}' was never entered", self.name)),
        }
    }

    fn __enter__(slf: Bound<'_, Self>) -> Result<Bound<'_, Self>> {
        let this = slf.get();
        let entered = match this.handle() {
            Some(handle) => handle.enter(),
            None => this.scope.clone().enter()?,
        };
        *this.handle.lock().unwrap_or_else(PoisonError::into_inner) = Some(entered.handle());
        let key = slf.as_ptr() as usize;
        ENTERED.with_borrow_mut(|all| all.entry(key).or_default().push(entered));
        Ok(slf)
    }

    #[pyo3(signature = (*_raised))]
    fn __exit__(slf: &Bound<'_, Self>, _raised: &Bound<'_, pyo3::types::PyTuple>) -> PyResult<()> {
        let key = slf.as_ptr() as usize;
        let left = ENTERED.with_borrow_mut(|all| {
            let stack = all.get_mut(&key)?;
            let left = stack.pop();
            if stack.is_empty() {
                all.remove(&key);
            }
            left
        });
        match left {
            Some(_) => Ok(()),
            None => {
                refuse(Class::Error, "the thread that leaves a scope is the one that entered it")
            }
        }
    }
}
