//! Batches over several devices.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arrayspan::bridge::{Array, SharedArray};
use arrayspan::devices::DeviceKind;
use arrayspan::operators::{LinearOperator as _, Operator};
use arrayspan::pipeline::batch::{
    Across as _, Assignment, BatchDeviceReport, BatchPlace, OnLost, Run,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator};

use crate::constructors::choice::{Choice, Named};
use crate::device::OnDevice;
use crate::error::{Class, Failure, Result, refuse};
use crate::integer::integer;
use crate::kind::Kind;
use crate::operator::PyOperator;
use crate::{create, incoming};

/// How often a wait looks whether the user wants it to end.
const LOOK: Duration = Duration::from_millis(100);

/// How batches are given to devices.
#[derive(Clone, Copy)]
pub(crate) enum Assigned {
    LeastLoaded,
    RoundRobin,
}

impl Named for Assigned {
    const WHAT: &str = "assign";
    const NAMES: &'static [(&'static str, Self)] =
        &[("least_loaded", Self::LeastLoaded), ("round_robin", Self::RoundRobin)];
}

impl Named for OnLost {
    const WHAT: &str = "on_lost";
    const NAMES: &'static [(&'static str, Self)] =
        &[("fail", Self::Fail), ("reassign", Self::Reassign)];
}

/// What was taken from the input: the kinds of the batches whose results are due, and why there are no more.
#[derive(Default)]
struct Taken {
    kinds: VecDeque<(Kind, DeviceKind)>,
    failure: Option<Failure>,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The batches that an iterator of Python has, taken on a thread of their own.
struct Batches {
    iterator: Py<PyIterator>,
    taken: Arc<Mutex<Taken>>,
}

impl Batches {
    fn pull(&self, py: Python<'_>) -> Result<Option<(SharedArray, Kind)>> {
        let Some(batch) = self.iterator.bind(py).clone().next().transpose()? else {
            return Ok(None);
        };
        Ok(Some((create::taken(&batch)?.0, Kind::of_any(&batch)?)))
    }
}

impl Iterator for Batches {
    type Item = SharedArray;

    fn next(&mut self) -> Option<SharedArray> {
        // Without an interpreter there are no more.
        match Python::try_attach(|py| self.pull(py))? {
            Ok(None) => None,
            Ok(Some((batch, kind))) => {
                locked(&self.taken).kinds.push_back((kind, batch.device().kind()));
                Some(batch)
            }
            Err(failure) => {
                locked(&self.taken).failure = Some(failure);
                None
            }
        }
    }
}

/// What is done to each batch.
enum Work {
    Operator(Operator),
    Function { function: Py<PyAny>, library: Kind },
}

impl Work {
    fn apply(&self, x: &Array, on: &BatchPlace) -> Result<Array> {
        match self {
            Self::Operator(operator) => Ok(operator.forward(x.view())?),
            Self::Function { function, library } => {
                // Nobody may keep what is only lent: the function is given an array of its own.
                let own = x.view().to_array()?;
                let call = |py: Python<'_>| -> Result<Array> {
                    let result = function.bind(py).call1((library.give(py, own)?,))?;
                    incoming::copied(&result, "across: what the function returned")
                };
                let Some(result) = Python::try_attach(call) else {
                    let why = "the interpreter has ended";
                    return Err(arrayspan::operators::Error::function(why).into());
                };
                let result = result?;
                if result.device() != on.device {
                    let (here, there) = (on.device, result.device());
                    let why = format!(
                        "across: the function returned an array on {there}, expected it on {here}"
                    );
                    return Ok(refuse(Class::WrongDevice, why)?);
                }
                Ok(result)
            }
        }
    }
}

/// A run under way. `arrayspan.across` wraps it.
#[pyclass(frozen, weakref, name = "_Run", module = "arrayspan")]
pub(crate) struct PyRun {
    run: Mutex<Option<Run<Failure>>>,
    taken: Arc<Mutex<Taken>>,
}

#[pymethods]
impl PyRun {
    #[new]
    #[pyo3(signature = (devices, batches, work, *, library=None, assign=Choice(Assigned::LeastLoaded), in_flight=3, ahead=None, keep_on_device=false, overlap_compute=false, least_rows=None, on_lost=Choice(OnLost::Fail)))]
    #[allow(clippy::too_many_arguments, reason = "those of the function in Python")]
    fn new(
        py: Python<'_>,
        devices: Vec<OnDevice>,
        batches: &Bound<'_, PyAny>,
        work: &Bound<'_, PyAny>,
        library: Option<&str>,
        assign: Choice<Assigned>,
        #[pyo3(from_py_with = integer)] in_flight: usize,
        #[pyo3(from_py_with = integer)] ahead: Option<usize>,
        keep_on_device: bool,
        overlap_compute: bool,
        #[pyo3(from_py_with = integer)] least_rows: Option<usize>,
        on_lost: Choice<OnLost>,
    ) -> Result<Self> {
        let taken = Arc::new(Mutex::new(Taken::default()));
        let library = library.map_or(Ok(Kind::NumPy), |library| Kind::by_name(py, library))?;
        let work = match work.cast::<PyOperator>() {
            Ok(operator) => Work::Operator(operator.get().0.clone()),
            Err(_) if work.is_callable() => {
                Work::Function { function: work.clone().unbind(), library }
            }
            Err(_) => {
                let class = work.get_type().name()?;
                let why = format!("across: expected an operator or a function, not {class}");
                return Ok(refuse(Class::Parameter, why)?);
            }
        };
        let inputs = Batches { iterator: batches.try_iter()?.unbind(), taken: taken.clone() };
        let devices = devices.into_iter().map(|device| device.0);
        let assignment = match assign.0 {
            Assigned::LeastLoaded => Assignment::LeastLoaded,
            Assigned::RoundRobin => Assignment::RoundRobin,
        };
        let mut plan =
            inputs.across(devices).assign(assignment).in_flight(in_flight).on_lost(on_lost.0);
        if let Some(ahead) = ahead {
            plan = plan.ahead(ahead);
        }
        if keep_on_device {
            plan = plan.keep_on_device();
        }
        if overlap_compute {
            plan = plan.overlap_compute();
        }
        if let Some(rows) = least_rows {
            plan = plan.splittable(rows);
        }
        let run = py.detach(|| plan.map(move |x, on| work.apply(x, on)))?;
        Ok(Self { run: Mutex::new(Some(run)), taken })
    }

    /// The next result as a tuple of one, in the order of the batches; `None` after the last.
    fn next<'py>(&self, py: Python<'py>) -> Result<Option<(Bound<'py, PyAny>,)>> {
        let result = loop {
            // Never locked while another thread needs the interpreter to give it back.
            let waited = py.detach(|| {
                let mut run = locked(&self.run);
                match run.as_mut() {
                    Some(run) if !run.is_due_within(LOOK) => None,
                    Some(run) => Some(run.next()),
                    None => Some(None),
                }
            });
            match waited {
                Some(result) => break result,
                None => py.check_signals()?,
            }
        };
        match result {
            Some(Ok(array)) => {
                let due = locked(&self.taken).kinds.pop_front();
                let kind = match due {
                    Some((kind, device)) if device == array.device().kind() => kind,
                    _ => Kind::Ours,
                };
                Ok(Some((kind.give(py, array)?,)))
            }
            Some(Err(failure)) => Err(failure),
            None => match locked(&self.taken).failure.take() {
                Some(failure) => Err(failure),
                None => Ok(None),
            },
        }
    }

    /// What each device has done so far.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let report = py.detach(|| locked(&self.run).as_ref().map(Run::report));
        let devices = report.map_or_else(Vec::new, |report| report.devices);
        devices.iter().map(|device| facts(py, device)).collect()
    }

    /// Ends the run: what has started ends, nothing starts. What is waited for in the input meanwhile is given a second.
    fn close(&self, py: Python<'_>) {
        py.detach(|| drop(locked(&self.run).take()));
    }
}

fn facts<'py>(py: Python<'py>, report: &BatchDeviceReport) -> PyResult<Bound<'py, PyDict>> {
    let facts = PyDict::new(py);
    let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
    facts.set_item("device", report.device.to_string())?;
    facts.set_item("batches", report.batches)?;
    facts.set_item("bytes_in", report.bytes_in)?;
    facts.set_item("bytes_out", report.bytes_out)?;
    facts.set_item("retried", report.retried)?;
    facts.set_item("splits", report.splits)?;
    facts.set_item("lost", report.lost)?;
    facts.set_item("upload", seconds(report.upload))?;
    facts.set_item("compute", seconds(report.compute))?;
    facts.set_item("download", seconds(report.download))?;
    facts.set_item("utilisation", report.utilisation)?;
    Ok(facts)
}

impl Drop for PyRun {
    fn drop(&mut self) {
        // Its threads may wait for the interpreter, which whoever drops this has.
        let run = locked(&self.run).take();
        Python::try_attach(|py| py.detach(|| drop(run)));
    }
}
