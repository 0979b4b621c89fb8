//! Operators in functions that JAX compiles: XLA calls them where arrays are, without Python.

mod abi;
mod call;
mod handler;

use std::collections::{HashMap, VecDeque};
use std::ffi::{CStr, c_void};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use arrayspan::devices::DeviceKind;
use arrayspan::operators::LinearMap;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::batches::Batches;
use crate::error::Result;
use crate::operator::PyOperator;

/// The operators that compiled functions may call.
static NUMBERED: RwLock<Option<HashMap<i64, Arc<Batches>>>> = RwLock::new(None);

/// Those whose functions are gone, the oldest in front: what has been dispatched before may still have to run.
static GOING: Mutex<VecDeque<(i64, Instant)>> = Mutex::new(VecDeque::new());

/// How long they stay, and how many at most.
const STAY: Duration = Duration::from_secs(10);
const MOST: usize = 64;

/// The next number, which none has had.
static NEXT: AtomicI64 = AtomicI64::new(1);

fn numbered(number: i64) -> Option<Arc<Batches>> {
    let known = NUMBERED.read().unwrap_or_else(PoisonError::into_inner);
    known.as_ref()?.get(&number).cloned()
}

/// An operator that compiled functions call by its number, as long as this lives.
#[pyclass(frozen, name = "_Numbered", module = "arrayspan")]
pub(crate) struct Number {
    #[pyo3(get)]
    number: i64,
    /// The platforms of JAX on which XLA may call it.
    #[pyo3(get)]
    platforms: Vec<&'static str>,
}

#[pymethods]
impl Number {
    #[new]
    fn new(operator: &PyOperator) -> Self {
        let operator = &operator.0;
        let all = [(DeviceKind::Cpu, "cpu"), (DeviceKind::Cuda, "cuda")];
        let here = |kind: DeviceKind| {
            let bound = operator.devices();
            let fits = bound.is_none_or(|on| on.one().is_some_and(|device| device.kind() == kind));
            // What does more than to enqueue work, functions of Python among others, XLA waits for.
            fits && operator.only_enqueues() && operator.elsewhere().is_empty()
        };
        let platforms = all.into_iter().filter(|(kind, _)| here(*kind)).map(|(_, name)| name);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let batches = Arc::new(Batches::new(operator.clone()));
        let mut known = NUMBERED.write().unwrap_or_else(PoisonError::into_inner);
        known.get_or_insert_default().insert(number, batches);
        Self { number, platforms: platforms.collect() }
    }
}

impl Drop for Number {
    fn drop(&mut self) {
        let alone = {
            let mut going = GOING.lock().unwrap_or_else(PoisonError::into_inner);
            going.push_back((self.number, Instant::now()));
            going.len() == 1
        };
        leave(MOST);
        // Who finds nobody going sends one after it.
        if alone {
            let ends = || while leave(MOST).is_some_and(wait) {};
            // Without it they stay until others go.
            drop(std::thread::Builder::new().name("arrayspan.jax".into()).spawn(ends));
        }
    }
}

fn wait(next: Instant) -> bool {
    std::thread::sleep((next + STAY).saturating_duration_since(Instant::now()));
    true
}

/// Lets go of those whose time is over, and of the oldest of more than `most`; since when the next one is going, if any is.
fn leave(most: usize) -> Option<Instant> {
    loop {
        let mut going = GOING.lock().unwrap_or_else(PoisonError::into_inner);
        let (number, since) = *going.front()?;
        if going.len() <= most && since.elapsed() < STAY {
            return Some(since);
        }
        going.pop_front();
        drop(going);
        let mut known = NUMBERED.write().unwrap_or_else(PoisonError::into_inner);
        let gone = known.as_mut().and_then(|known| known.remove(&number));
        drop(known);
        // Under no lock: it frees memory.
        drop(gone);
    }
}

/// What XLA calls, by JAX's names of platforms, as `jax.ffi.register_ffi_target` takes it.
#[pyfunction(name = "_jax_handlers")]
pub(crate) fn handlers(py: Python<'_>) -> Result<Vec<(&'static str, Bound<'_, PyCapsule>)>> {
    const NAME: &CStr = c"xla._CUSTOM_CALL_TARGET";
    type Handler = unsafe extern "C" fn(*mut abi::Frame) -> *mut abi::Error;
    let all: [(&str, Handler); 2] = [("cpu", handler::on_host), ("CUDA", handler::on_cuda)];
    let capsule = |(platform, handler): (&'static str, Handler)| {
        let Some(pointer) = NonNull::new(handler as *mut c_void) else {
            unreachable!("a function")
        };
        // SAFETY: a function lives as long as the process; nothing is freed with the capsule.
        let capsule = unsafe { PyCapsule::new_with_pointer(py, pointer, NAME)? };
        Ok((platform, capsule))
    };
    all.into_iter().map(capsule).collect()
}
