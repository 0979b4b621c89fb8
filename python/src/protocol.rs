//! Arrays by the Python side of `DLPack`: `__dlpack__` and `__dlpack_device__`.

use arrayspan::bridge::dlpack::{Capsule, Legacy, Managed, Versioned};
use arrayspan::bridge::{LentArray, SharedArray, Transfer};
use arrayspan::devices::{Device, DeviceKind, Stream};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::capsule;
use crate::error::{Class, Result, found, refuse};

/// The version of the standard that is asked for.
const VERSION: (u32, u32) = (1, 3);

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
    let (kind, number): (i32, i32) =
        given.call_method0(intern!(py, "__dlpack_device__"))?.extract()?;
    let cuda = kind == DeviceKind::Cuda.dlpack_type();
    let stream = if cuda { Some(Device::from_dlpack(kind, number)?.stream()?) } else { None };
    let _current = if cuda { Current::enter(given, number)? } else { None };
    let capsule = exported(given, stream.as_ref())?;
    let array = capsule::consume(&capsule, stream.as_ref(), what)?;
    Ok(if is_immutable(given)? { array.read_only() } else { array })
}

/// Whether nobody may write the arrays of its library, which does not say so in capsules.
fn is_immutable(given: &Bound<'_, PyAny>) -> PyResult<bool> {
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
    let elsewhere = match asked.device {
        Some((kind, number)) => Some(Device::from_dlpack(kind, number)?),
        None => None,
    };
    if let Some(device) = elsewhere.filter(|device| *device != array.device()) {
        if asked.copy == Some(false) {
            let here = array.device();
            let why = format!("__dlpack__: the array is on {here}; on {device} it would be a copy");
            return Ok(refuse(Class::CopyRefused, why)?);
        }
        let (copy, _) = lent(array).view().to(device)?;
        return handed(device, asked.stream, |stream| Ok(copy.into_dlpack(stream)?));
    }
    let transfer =
        if asked.copy == Some(false) { Transfer::ZeroCopyOnly } else { Transfer::CopyIfNeeded };
    handed(array.device(), asked.stream, |stream| {
        if asked.copy == Some(true) {
            return Ok(lent(array).view().to_dlpack(stream)?.0);
        }
        // SAFETY: whoever takes the array shares it with those who have it, and orders reading and writing as Python programs do
        // with arrays that several names have.
        match unsafe { array.alias() } {
            Some(array) => Ok(array.into_dlpack(stream)?),
            None => Ok(array.to_dlpack(transfer, stream)?.0),
        }
    })
}

/// The array as one that others may write.
fn lent(array: &SharedArray) -> LentArray {
    array.clone().into()
}

/// Has an array handed over on the stream that a consumer's number means.
fn handed<T>(
    device: Device,
    number: Option<i64>,
    hand: impl FnOnce(Option<&Stream>) -> Result<T>,
) -> Result<T> {
    let raw = match number {
        // The consumer will use a stream that nobody names: the host waits, or, by the protocol, CUDA's legacy default stream.
        None if device.kind() != DeviceKind::Cuda => return hand(None),
        None => 1,
        // The consumer asks for no order: ours is kept, and it sees to the rest.
        Some(-1) => return hand(Some(&device.stream()?)),
        Some(number @ 1..) if device.kind() == DeviceKind::Cuda => number as usize,
        Some(number) => {
            let why = format!("__dlpack__: stream {number} names no stream of {device}");
            return Ok(refuse(Class::Parameter, why)?);
        }
    };
    // SAFETY: by the protocol a live stream of the device.
    let theirs = unsafe { Stream::from_foreign(device, raw, Box::new(()))? };
    // Default streams live as long as their device. How long others do nobody tells: they wait, and are not remembered. What
    // is queued on them has to be done before the consumer lets go of the array.
    if raw <= 2 {
        return hand(Some(&theirs));
    }
    let own = device.stream()?;
    let handed = hand(Some(&own))?;
    theirs.wait_for(&own)?;
    Ok(handed)
}
