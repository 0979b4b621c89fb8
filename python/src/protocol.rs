//! Arrays by the Python side of `DLPack`: `__dlpack__` and `__dlpack_device__`.

use std::mem::ManuallyDrop;

use arrayspan::bridge::dlpack::{Capsule, Legacy, Managed, Versioned};
use arrayspan::bridge::interop::cudarc::context;
use arrayspan::bridge::{Array, LentArray, SharedArray, Transfer};
use arrayspan::devices::{Access, Device, DeviceKind, Memory, Stream};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::capsule;
use crate::error::{Class, Result, found, refuse};
use crate::traced;

/// The version of the standard that is asked for.
const VERSION: (u32, u32) = (1, 3);

/// The standard's number for memory that CUDA moves between the host and its devices.
const MANAGED: i32 = 13;

/// Whether an object is an array by this protocol.
pub(crate) fn is_spoken_by(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = given.py();
    // Classes have the attribute, too, and are no arrays.
    let class = given.is_instance_of::<pyo3::types::PyType>();
    Ok(!class && found(py, given.hasattr(intern!(py, "__dlpack__")))?.unwrap_or(false))
}

/// Takes an array over without a copy, by the protocol; errors call it `what`.
pub(crate) fn import(given: &Bound<'_, PyAny>, what: &str) -> Result<SharedArray> {
    let py = given.py();
    let device = given.call_method0(intern!(py, "__dlpack_device__"));
    let (kind, number): (i32, i32) =
        device.map_err(|error| traced::instead_of(error.into(), given, what))?.extract()?;
    let managed = kind == MANAGED;
    let cuda = managed || kind == DeviceKind::Cuda.dlpack_type();
    let stream = if cuda {
        Some(Device::from_dlpack(DeviceKind::Cuda.dlpack_type(), number)?.stream()?)
    } else {
        None
    };
    let _current = if cuda { Current::enter(given, number)? } else { None };
    let capsule =
        exported(given, stream.as_ref()).map_err(|error| traced::instead_of(error, given, what))?;
    // Whose memory of that kind is only the driver tells, who is asked later: the host waits, and it is ready on all devices.
    let ready_on = match &stream {
        Some(stream) if managed => {
            py.detach(|| stream.synchronize())?;
            None
        }
        stream => stream.as_ref(),
    };
    // These count who has an array without a lock of their own.
    let immutable = is_immutable(given)?;
    let array = capsule::consume(&capsule, ready_on, (what, immutable))?;
    Ok(if immutable { array.read_only() } else { array })
}

/// Whether nobody may write the arrays of its library, which does not say so in capsules.
pub(crate) fn is_immutable(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    let module = given.get_type().module()?;
    let root = module.to_str()?.split('.').next().unwrap_or_default().to_owned();
    Ok(matches!(root.as_str(), "jax" | "jaxlib" | "tensorflow"))
}

/// The capsule of an array that is safe on a stream.
fn exported<'py>(given: &Bound<'py, PyAny>, stream: Option<&Stream>) -> Result<Bound<'py, PyAny>> {
    let py = given.py();
    let arguments = PyDict::new(py);
    if let Some(stream) = stream {
        // The protocol has no 0: the legacy default stream is 1.
        arguments.set_item(intern!(py, "stream"), stream.raw().max(1))?;
    }
    arguments.set_item(intern!(py, "max_version"), VERSION)?;
    let name = intern!(py, "__dlpack__");
    match given.call_method(name, (), Some(&arguments)) {
        // Producers from before version 1 do not know the argument.
        Err(error) if error.is_instance_of::<PyTypeError>(py) => {
            arguments.del_item(intern!(py, "max_version"))?;
            given.call_method(name, (), Some(&arguments)).map_err(|later| {
                // What the older call has against it says more, unless it does not know the other arguments either.
                if later.is_instance_of::<PyTypeError>(py) { error.into() } else { later.into() }
            })
        }
        capsule => Ok(capsule?),
    }
}

/// A device made current in the producer's library: torch hands tensors over on that one only.
struct Current<'py>(Bound<'py, PyAny>);

impl<'py> Current<'py> {
    fn enter(given: &Bound<'py, PyAny>, number: i32) -> PyResult<Option<Self>> {
        let py = given.py();
        if !given.get_type().module()?.to_str()?.starts_with("torch") {
            return Ok(None);
        }
        let guard = py.import("torch")?.getattr("cuda")?.call_method1("device", (number,))?;
        guard.call_method0("__enter__")?;
        Ok(Some(Self(guard)))
    }
}

impl Drop for Current<'_> {
    fn drop(&mut self) {
        let none = self.0.py().None();
        if let Err(error) = self.0.call_method1("__exit__", (&none, &none, &none)) {
            error.write_unraisable(self.0.py(), Some(&self.0));
        }
    }
}

/// What a consumer asks of `__dlpack__`.
pub(crate) struct Asked {
    pub(crate) stream: Option<i64>,
    pub(crate) max_version: Option<(u32, u32)>,
    pub(crate) device: Option<(i32, i32)>,
    pub(crate) copy: Option<bool>,
    /// The stream that the consumer is known to use, if it is one that lives as long as the consumer's arrays.
    pub(crate) consumer: Option<Stream>,
}

/// Whether elements lie from high to low addresses along an axis, which ends the process in some libraries.
pub(crate) fn steps_backwards(array: &SharedArray) -> bool {
    let layout = array.layout();
    let mut axes = layout.shape().iter().zip(layout.strides());
    !layout.is_empty() && axes.any(|(&extent, &stride)| extent > 1 && stride < 0)
}

/// Hands an array over as a consumer wants it.
pub(crate) fn export<'py>(
    py: Python<'py>,
    array: &SharedArray,
    asked: &Asked,
) -> Result<Bound<'py, PyAny>> {
    let versioned = asked.max_version.is_some_and(|(major, _)| major >= 1);
    Ok(if versioned {
        let tensor = py.detach(|| tensor::<Versioned>(array, asked))?;
        capsule::wrap(py, tensor)?
    } else {
        let tensor = py.detach(|| tensor::<Legacy>(array, asked))?;
        capsule::wrap(py, tensor)?
    })
}

fn tensor<M: Managed>(array: &SharedArray, asked: &Asked) -> Result<Capsule<M>> {
    let here = array.device();
    let elsewhere = match asked.device {
        Some((kind, number)) => Some(Device::from_dlpack(kind, number)?),
        None => None,
    };
    if let Some(device) = elsewhere.filter(|device| *device != here) {
        if asked.copy == Some(false) {
            let why = format!("__dlpack__: the array is on {here}; on {device} it would be a copy");
            return Ok(refuse(Class::CopyRefused, why)?);
        }
        let order = Order::of(device, asked)?;
        let (copy, _) = lent(array).view().to(device)?;
        if here.is_cpu() {
            // Whoever else has the array may write it as soon as the call returns.
            array.memory().wait(Access::Write)?;
        }
        return order.hand(&copy.into_shared(), None);
    }
    let order = Order::of(here, asked)?;
    if asked.copy != Some(true) && steps_backwards(array) {
        if asked.copy == Some(false) {
            let why =
                "__dlpack__: strides below zero, which not every library bears: a copy is needed";
            return Ok(refuse(Class::CopyRefused, why)?);
        }
        return order.hand(array, Some(true));
    }
    order.hand(array, asked.copy)
}

/// The array as one that others may write.
fn lent(array: &SharedArray) -> LentArray {
    array.clone().into()
}

/// How a consumer's use of an array is ordered after ours, and before its end.
enum Order {
    /// The host waits until it is ready.
    Host,
    /// On a stream that lives as long as is needed: it waits, and is waited for.
    On(Stream),
    /// On a stream of which nobody tells how long it lives: it waits, and when the consumer has let go of the array, the device
    /// is waited for.
    Briefly(Stream),
}

impl Order {
    /// That which a consumer's number for a stream means.
    fn of(device: Device, asked: &Asked) -> Result<Self> {
        let raw = match asked.stream {
            // The consumer will use a stream that nobody names: the host waits, or, by the protocol, CUDA's legacy default stream.
            None if device.kind() != DeviceKind::Cuda => return Ok(Self::Host),
            None => 1,
            // The consumer asks for no order: ours is kept, and it sees to the rest.
            Some(-1) => return Ok(Self::On(device.process_stream()?)),
            Some(number @ 1..) if device.kind() == DeviceKind::Cuda => number as usize,
            Some(number) => {
                let why = format!("__dlpack__: stream {number} names no stream of {device}");
                return Ok(refuse(Class::Parameter, why)?);
            }
        };
        let known = |known: &&Stream| known.device() == device && known.raw() == raw;
        if let Some(known) = asked.consumer.as_ref().filter(known) {
            return Ok(Self::On(known.clone()));
        }
        // SAFETY: by the protocol a live stream of the device. Default streams live as long as that; others are used during
        // this call only.
        let theirs = unsafe { Stream::from_foreign(device, raw, Box::new(()))? };
        Ok(if raw <= 2 { Self::On(theirs) } else { Self::Briefly(theirs) })
    }

    fn hand<M: Managed>(&self, array: &SharedArray, copy: Option<bool>) -> Result<Capsule<M>> {
        let theirs = match self {
            Self::Host => return shared(array, copy, None),
            Self::On(theirs) => return shared(array, copy, Some(theirs)),
            Self::Briefly(theirs) => theirs,
        };
        let own = array.device().process_stream()?;
        let capsule = if array.layout().is_empty() {
            shared(array, copy, Some(&own))?
        } else if copy == Some(true) {
            let copy = lent(array).view().to_array()?.into_shared();
            shared(&guarded(copy, &own)?, None, Some(&own))?
        } else {
            shared(&guarded(array.clone(), &own)?, copy, Some(&own))?
        };
        theirs.wait_for(&own)?;
        Ok(capsule)
    }
}

/// An array, or a copy of it, in a capsule for a consumer that uses it on a stream.
fn shared<M: Managed>(
    array: &SharedArray,
    copy: Option<bool>,
    stream: Option<&Stream>,
) -> Result<Capsule<M>> {
    if copy == Some(true) {
        return Ok(lent(array).view().to_dlpack(stream)?.0);
    }
    let transfer =
        if copy == Some(false) { Transfer::ZeroCopyOnly } else { Transfer::CopyIfNeeded };
    // SAFETY: whoever takes the array shares it with those who have it, and orders reading and writing as Python programs do
    // with arrays that several names have.
    match unsafe { array.alias() } {
        Some(array) => Ok(array.into_dlpack(stream)?),
        None => Ok(array.to_dlpack(transfer, stream)?.0),
    }
}

/// The same array, whose memory stays as it is until all is done that was on the device when the last who has it let go of it.
fn guarded(array: SharedArray, own: &Stream) -> Result<SharedArray> {
    // SAFETY: dropped at once.
    let writable = unsafe { array.alias() }.is_some();
    // From here on `own` comes after our work on the memory, and our later work on it, and its end, after `own`.
    array.memory().lend_to(own, if writable { Access::Write } else { Access::Read })?;
    let (address, bytes) = (array.memory().address(), array.memory().bytes());
    let (layout, dtype, device) = (array.layout().clone(), array.dtype(), array.device());
    let kept = ManuallyDrop::new(array);
    // SAFETY: memory that `kept` keeps until the release function has run, ready at the present end of `own`. Its elements were an array of
    // this layout and dtype, which those who have it share with whoever takes it, as Python programs do.
    unsafe {
        let release = Box::new(move || end_after_all(device, kept));
        let memory = Memory::from_foreign_on(own, address, bytes, release);
        Ok(if writable {
            Array::from_memory(memory, layout, dtype)?.into_shared()
        } else {
            SharedArray::from_memory(memory, layout, dtype)?
        })
    }
}

/// Drops an array once the device has done all that is queued on it now, on streams of whomever; on another thread, because this one may
/// have the interpreter's lock. Where that cannot be waited for, the memory is never used again, which harms nobody.
fn end_after_all(device: Device, array: ManuallyDrop<SharedArray>) {
    let wait = move || {
        let waited = context(device).is_ok_and(|context| context.synchronize().is_ok());
        if waited {
            drop(ManuallyDrop::into_inner(array));
        }
    };
    let thread = std::thread::Builder::new().name("arrayspan-consumers".into());
    // Without a thread the array is kept for good, as above.
    drop(thread.spawn(wait));
}
