//! Functions that are run again after memory has run out.

use std::fmt;
use std::time::Duration;

use arrayspan::devices::retry::{OutOfMemory, RetryPolicy, Shortage, with_retry as run};
use pyo3::prelude::*;

use crate::device::OnDevice;
use crate::error::{Class, Result, refuse};
use crate::integer::integer;
use crate::shortage::shortage;

/// What a function raised, with what is known of a lack of memory.
struct Raised {
    error: PyErr,
    shortage: Option<Shortage>,
}

impl Raised {
    fn new(py: Python<'_>, error: PyErr) -> Self {
        let shortage = shortage(py, &error);
        Self { error, shortage }
    }
}

impl fmt::Display for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl OutOfMemory for Raised {
    fn shortage(&self) -> Option<Shortage> {
        self.shortage
    }
}

/// Calls a function without arguments, and again each time after it has run out of memory and some was looked for on the device: up to
/// ``attempts`` times, waiting for other threads that do the same for up to ``wait`` seconds, looking for up to ``patience`` seconds.
///
/// The function has to be able to run again after it has failed midway. ``MemoryError`` and torch's ``OutOfMemoryError`` count as a lack
/// of memory; other exceptions are raised at once.
#[pyfunction]
#[pyo3(signature = (function, *, device=None, attempts=3, wait=None, patience=60.0))]
pub(crate) fn with_retry(
    py: Python<'_>,
    function: Py<PyAny>,
    device: Option<OnDevice>,
    #[pyo3(from_py_with = integer)] attempts: usize,
    wait: Option<f64>,
    patience: f64,
) -> Result<Py<PyAny>> {
    let seconds = |seconds: f64| match Duration::try_from_secs_f64(seconds) {
        Ok(time) => Ok(time),
        Err(_) => refuse(Class::Parameter, format!("{seconds} is no number of seconds")),
    };
    let wait = wait.map(seconds).transpose()?;
    let policy = RetryPolicy { attempts, wait, patience: seconds(patience)? };
    let device = super::place(device);
    // What the last attempt has left in frames of its exception would hold the memory that is looked for.
    let call = || {
        Python::attach(|py| {
            function.call0(py).map_err(|error| {
                let raised = Raised::new(py, error);
                if raised.shortage.is_some() {
                    raised.error.set_traceback(py, None);
                }
                raised
            })
        })
    };
    py.detach(|| run(device, &policy, call)).map_err(|unrecovered| unrecovered.error.error.into())
}
