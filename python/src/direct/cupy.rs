//! `CuPy`'s arrays.

use std::ffi::CStr;
use std::sync::Arc;

use arrayspan::bridge::Array;
use arrayspan::devices::Device;
use arrayspan::kernels::Executor;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCapsule, PyTuple};

use super::borrowed::Borrowed;
use super::objects::{Extents, Strides, cuda, is_class, numbers};
use super::streams;
use crate::error::Result;
use crate::kind::Kind;
use crate::{as_numpy, numpy, shape};

/// What is needed of `CuPy`.
pub(super) struct CuPy {
    /// `cupy.ndarray`
    array: Py<PyAny>,
    current_device: Py<PyAny>,
    current_stream: Py<PyAny>,
    /// The class of streams that live as long as their objects.
    stream: Py<PyAny>,
    raw_stream: Option<RawStream>,
    memory: Py<PyAny>,
    pointer: Py<PyAny>,
}

/// The handle of this thread's current stream on the current device; or an exception of Python is set.
type RawStream = unsafe extern "C" fn() -> isize;

/// By which name Cython exports such a function.
const SIGNATURE: &CStr = c"intptr_t (void)";

static CUPY: PyOnceLock<Option<CuPy>> = PyOnceLock::new();

/// `CuPy`, which a kind of array is of.
pub(super) fn loaded(py: Python<'_>) -> Option<&'static CuPy> {
    CUPY.get_or_init(py, || CuPy::found(py).ok()).as_ref()
}

/// `CuPy`, if it is an array of it, of no derived class.
pub(super) fn of(given: &Bound<'_, PyAny>) -> Option<&'static CuPy> {
    let py = given.py();
    if CUPY.get(py).is_none() && is_class(given, &["cupy"], "ndarray") {
        CUPY.get_or_init(py, || CuPy::found(py).ok());
    }
    let cupy = CUPY.get(py)?.as_ref()?;
    given.get_type().is(&cupy.array).then_some(cupy)
}

impl CuPy {
    fn found(py: Python<'_>) -> PyResult<Self> {
        let cupy = py.import("cupy")?;
        let cuda = cupy.getattr("cuda")?;
        let found = |name| -> PyResult<Py<PyAny>> { Ok(cuda.getattr(name)?.unbind()) };
        Ok(Self {
            array: cupy.getattr("ndarray")?.unbind(),
            current_device: cuda.getattr("runtime")?.getattr("getDevice")?.unbind(),
            current_stream: found("get_current_stream")?,
            stream: found("Stream")?,
            raw_stream: raw_stream(&cuda),
            memory: found("UnownedMemory")?,
            pointer: found("MemoryPointer")?,
        })
    }

    /// An argument on this thread's current device and stream.
    pub(super) fn read(&self, given: &Bound<'_, PyAny>) -> Result<Option<Borrowed>> {
        let py = given.py();
        let data = given.getattr(intern!(py, "data"))?;
        let dtype = given.getattr(intern!(py, "dtype"))?;
        let Some(dtype) = numpy::plain_dtype_of(&dtype) else { return Ok(None) };
        let number: i32 = data.getattr(intern!(py, "device_id"))?.extract()?;
        let current: i32 = self.current_device.bind(py).call0()?.extract()?;
        let Some(device) = cuda(number).filter(|_| number == current) else { return Ok(None) };
        let first: usize = data.getattr(intern!(py, "ptr"))?.extract()?;
        let shape: Extents = numbers(&given.getattr(intern!(py, "shape"))?)?;
        let mut strides: Strides = numbers(&given.getattr(intern!(py, "strides"))?)?;
        let bytes = dtype.bytes();
        let step = bytes as isize;
        let odd = strides.iter().zip(&shape).any(|(stride, &n)| n > 1 && stride % step != 0);
        if odd || !first.is_multiple_of(bytes) || shape.contains(&0) {
            return Ok(None);
        }
        strides.iter_mut().for_each(|stride| *stride /= step);
        let Some(on) = self.executor(py, device)? else { return Ok(None) };
        // SAFETY: elements of an array that the caller has. What CuPy has queued on them is on its current stream, or
        // ordered before it by the program, as for CuPy's own functions.
        Ok(Some(unsafe { Borrowed::new(first, (&shape, &strides), dtype, on, given)? }))
    }

    /// What computes on the current stream, if the device is the current one.
    pub(super) fn current(
        &self,
        py: Python<'_>,
        device: Device,
    ) -> Result<Option<Arc<dyn Executor>>> {
        let current: usize = self.current_device.bind(py).call0()?.extract()?;
        if current == device.gpu_id() { self.executor(py, device) } else { Ok(None) }
    }

    /// What computes on the current stream; `None` where nothing tells how long that lives.
    fn executor(&self, py: Python<'_>, device: Device) -> Result<Option<Arc<dyn Executor>>> {
        let raw = match self.raw_stream {
            Some(function) => {
                // SAFETY: Cython's function of that signature, with the interpreter's lock.
                let raw = unsafe { function() };
                if let Some(error) = PyErr::take(py) {
                    return Err(error.into());
                }
                raw
            }
            None => self.current_stream.bind(py).call0()?.getattr(intern!(py, "ptr"))?.extract()?,
        };
        let Ok(raw) = usize::try_from(raw) else { return Ok(None) };
        if let Some(known) = streams::known(device, raw) {
            return Ok(Some(known));
        }
        if raw == streams::DEFAULT {
            // SAFETY: the default stream lives as long as the device.
            return Ok(Some(unsafe { streams::remember(py, device, raw, None)? }));
        }
        let stream = self.current_stream.bind(py).call0()?;
        let own = stream.get_type().is(&self.stream);
        // A default stream of a thread has a number as well, which means another queue on each thread.
        if !own || raw <= 2 || stream.getattr(intern!(py, "ptr"))?.extract::<usize>()? != raw {
            return Ok(None);
        }
        // SAFETY: CuPy destroys a stream of this class with the object, which is kept.
        Ok(Some(unsafe { streams::remember(py, device, raw, Some(stream.unbind()))? }))
    }

    /// A result, whose work is on the current stream, as an array.
    pub(super) fn give<'py>(&self, py: Python<'py>, array: Array) -> Result<Bound<'py, PyAny>> {
        let (layout, device) = (array.layout(), array.device());
        if layout.is_empty() || !layout.is_contiguous() {
            return Kind::by_name(py, "cupy")?.give(py, array);
        }
        let dtype = array.dtype();
        let first = array.memory().address() + layout.offset() * dtype.bytes();
        let bytes = layout.len() * dtype.bytes();
        let (extents, dtype) = (shape::tuple(py, layout.shape())?, numpy::dtype_object(py, dtype)?);
        let kept = as_numpy::kept(py, array.into_shared())?;
        // The number of the device spares CuPy a question to the driver.
        let memory = self.memory.bind(py).call1((first, bytes, kept, device.gpu_id()))?;
        let pointer = self.pointer.bind(py).call1((memory, 0))?;
        let arguments = PyTuple::new(py, [extents.as_any(), &dtype, &pointer])?;
        Ok(self.array.bind(py).call1(arguments)?)
    }
}

/// The function that Cython's modules call, if this version of `CuPy` has it.
fn raw_stream(cuda: &Bound<'_, PyAny>) -> Option<RawStream> {
    let exported = cuda.getattr("stream").ok()?.getattr("__pyx_capi__").ok()?;
    let capsule =
        exported.get_item("get_current_stream_ptr").ok()?.cast_into::<PyCapsule>().ok()?;
    let address = capsule.pointer_checked(Some(SIGNATURE)).ok()?;
    // SAFETY: by the convention of Cython a capsule of this name is the address of a function with this signature, in a module that is
    // never unloaded.
    Some(unsafe { std::mem::transmute::<*mut std::ffi::c_void, RawStream>(address.as_ptr()) })
}
