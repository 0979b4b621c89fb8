//! Arrays of `CuPy` and tensors of torch, read where they are and on the stream that their library works on.
//!
//! What the protocol of `DLPack` needs calls of Python and events of two streams for is read from attributes here, and nothing is
//! ordered by events: the argument is ready on the library's current stream, the work is queued there, and so is whatever comes
//! after it. Arguments that this is not enough for (of derived classes, on streams that nobody keeps alive) go by the protocol.

pub(crate) mod borrowed;
mod cupy;
pub(crate) mod objects;
pub(crate) mod streams;
pub(crate) mod torch;

use arrayspan::bridge::Array;
use arrayspan::devices::{Device, DeviceKind, Stream};
use arrayspan::kernels::Executor;
use arrayspan::operators::{LinearMap, Operator};
use pyo3::prelude::*;

use crate::direction::{self, Direction};
use crate::error::Result;
use borrowed::{Borrowed, applied};

/// Whose array it is.
enum Library {
    CuPy(&'static cupy::CuPy),
    Torch(&'static torch::Torch),
}

impl Library {
    /// `None` of all other arrays.
    fn of(given: &Bound<'_, PyAny>) -> Option<Self> {
        let cupy = cupy::of(given).map(Self::CuPy);
        cupy.or_else(|| torch::of(given).map(Self::Torch))
    }

    fn read(&self, given: &Bound<'_, PyAny>) -> Result<Option<Borrowed>> {
        match self {
            Self::CuPy(cupy) => cupy.read(given),
            Self::Torch(torch) => torch.read(given, false),
        }
    }

    fn give<'py>(
        &self,
        py: Python<'py>,
        array: Array,
        on: &dyn Executor,
    ) -> Result<Bound<'py, PyAny>> {
        match self {
            Self::CuPy(cupy) => cupy.give(py, array),
            Self::Torch(torch) => torch.give(py, array, on),
        }
    }
}

/// The stream that a library's work goes to now, if it tells, and the stream lives as long as it is used here.
pub(crate) fn current_stream(py: Python<'_>, name: &str, device: Device) -> Result<Option<Stream>> {
    if device.kind() != DeviceKind::Cuda {
        return Ok(None);
    }
    let on = match name {
        "torch" => torch::loaded(py).map_or(Ok(None), |torch| torch.executor(py, device))?,
        "cupy" => cupy::loaded(py).map_or(Ok(None), |cupy| cupy.current(py, device))?,
        _ => None,
    };
    Ok(on.map(|on| on.stream().clone()))
}

/// Applies an operator to an array of these libraries. `None`: it is none, or one for the protocol.
pub(crate) fn apply<'py>(
    operator: &Operator,
    direction: Direction,
    given: &Bound<'py, PyAny>,
) -> Result<Option<Bound<'py, PyAny>>> {
    if operator.devices().is_some() {
        return Ok(None);
    }
    let Some(library) = Library::of(given) else { return Ok(None) };
    let Some(borrowed) = library.read(given)? else { return Ok(None) };
    let result = direction::run(given.py(), operator, borrowed.on.device(), || {
        applied(operator, direction, borrowed.view(), &*borrowed.on)
    })?;
    Ok(Some(library.give(given.py(), result, &*borrowed.hand_back()?)?))
}
