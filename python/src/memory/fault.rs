//! Failures on purpose.

use std::sync::{Mutex, PoisonError};

use arrayspan::devices::fault::{Class as How, Fault, FaultKind, Injection, Threads, inject};
use pyo3::prelude::*;

use crate::constructors::choice::{Choice, Named};
use crate::device::OnDevice;
use crate::integer::integer;

impl Named for FaultKind {
    const WHAT: &str = "kind";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("allocation", Self::Allocation),
        ("launch", Self::Launch),
        ("copy", Self::Copy),
        ("pinned", Self::Pinned),
        ("plan", Self::Plan),
        ("wait", Self::Wait),
        ("context", Self::Context),
    ];
}

impl Named for How {
    const WHAT: &str = "how";
    const NAMES: &'static [(&'static str, Self)] =
        &[("memory", Self::OutOfMemory), ("lost", Self::DeviceLost), ("driver", Self::Driver)];
}

impl Named for Threads {
    const WHAT: &str = "threads";
    const NAMES: &'static [(&'static str, Self)] =
        &[("this", Self::This), ("any", Self::Any), ("each", Self::Each)];
}

/// Lets calls of arrayspan fail as if memory had run out or a device were lost: ``with Faults("allocation", skip=3) as faults``.
///
/// Of the calls of a ``kind`` after the first ``skip``, every so many-th fails, ``count`` of them in all.
#[pyclass(frozen, name = "Faults", module = "arrayspan.memory")]
pub(crate) struct PyFaults {
    fault: Fault,
    injected: Mutex<(Option<Injection>, usize)>,
}

#[pymethods]
impl PyFaults {
    #[new]
    #[pyo3(signature = (kind, *, how=Choice(How::OutOfMemory), skip=0, count=1, every=1, threads=Choice(Threads::This), device=None, only_protected=false))]
    #[allow(clippy::too_many_arguments, reason = "those of the class in Python")]
    fn new(
        kind: Choice<FaultKind>,
        how: Choice<How>,
        #[pyo3(from_py_with = integer)] skip: usize,
        #[pyo3(from_py_with = integer)] count: usize,
        #[pyo3(from_py_with = integer)] every: usize,
        threads: Choice<Threads>,
        device: Option<OnDevice>,
        only_protected: bool,
    ) -> Self {
        let (class, threads) = (how.0, threads.0);
        let (every, device) = (every.max(1), device.map(|device| device.0));
        let fault = Fault {
            class,
            skip,
            count,
            every,
            threads,
            device,
            only_protected,
            ..Fault::new(kind.0)
        };
        Self { fault, injected: Mutex::default() }
    }

    /// How many calls have failed by it.
    #[getter]
    fn hits(&self) -> usize {
        let injected = self.injected.lock().unwrap_or_else(PoisonError::into_inner);
        injected.1 + injected.0.as_ref().map_or(0, Injection::hits)
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf.get().end();
        let injection = inject(slf.get().fault);
        slf.get().injected.lock().unwrap_or_else(PoisonError::into_inner).0 = Some(injection);
        slf
    }

    #[pyo3(signature = (*_raised))]
    fn __exit__(&self, _raised: &Bound<'_, pyo3::types::PyTuple>) {
        self.end();
    }
}

impl PyFaults {
    fn end(&self) {
        let mut injected = self.injected.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(injection) = injected.0.take() {
            injected.1 += injection.hits();
        }
    }
}
