//! Torch's tensors.

use std::sync::Arc;

use arrayspan::bridge::dlpack::Legacy;
use arrayspan::bridge::{Array, DType};
use arrayspan::devices::Device;
use arrayspan::kernels::{self, Executor};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use super::borrowed::Borrowed;
use super::objects::{Extents, Strides, cuda, is_class, numbers};
use super::streams;
use crate::capsule;
use crate::error::Result;

/// What is needed of torch.
pub(crate) struct Torch {
    tensor: Py<PyAny>,
    parameter: Py<PyAny>,
    strided: Py<PyAny>,
    from_dlpack: Py<PyAny>,
    /// The handle of this thread's current stream, where torch knows CUDA.
    raw_stream: Option<Py<PyAny>>,
    dtypes: Vec<(Py<PyAny>, DType)>,
}

const DTYPES: [DType; 6] = [
    DType::Float32,
    DType::Float64,
    DType::Complex64,
    DType::Complex128,
    DType::Float16,
    DType::BFloat16,
];

static TORCH: PyOnceLock<Option<Torch>> = PyOnceLock::new();

/// Torch, which a kind of array is of.
pub(super) fn loaded(py: Python<'_>) -> Option<&'static Torch> {
    TORCH.get_or_init(py, || Torch::found(py).ok()).as_ref()
}

/// Torch, if it is a tensor or a parameter, of no derived class.
pub(crate) fn of(given: &Bound<'_, PyAny>) -> Option<&'static Torch> {
    let py = given.py();
    if TORCH.get(py).is_none() {
        let tensor = is_class(given, &["torch"], "Tensor");
        if tensor || is_class(given, &["torch.nn.parameter"], "Parameter") {
            TORCH.get_or_init(py, || Torch::found(py).ok());
        }
    }
    let torch = TORCH.get(py)?.as_ref()?;
    let class = given.get_type();
    (class.is(&torch.tensor) || class.is(&torch.parameter)).then_some(torch)
}

impl Torch {
    fn found(py: Python<'_>) -> PyResult<Self> {
        let torch = py.import("torch")?;
        let inner = torch.getattr("_C")?;
        let dtypes = DTYPES.map(|dtype| {
            let found = torch.getattr(crate::dtype::name(dtype));
            found.map(|object| (object.unbind(), dtype))
        });
        Ok(Self {
            tensor: torch.getattr("Tensor")?.unbind(),
            parameter: torch.getattr("nn")?.getattr("Parameter")?.unbind(),
            strided: torch.getattr("strided")?.unbind(),
            from_dlpack: inner.getattr("_from_dlpack")?.unbind(),
            raw_stream: inner.getattr("_cuda_getCurrentRawStream").ok().map(Bound::unbind),
            dtypes: dtypes.into_iter().collect::<PyResult<_>>()?,
        })
    }

    /// An argument, which may be a part of a graph of torch's if that is seen to (`recorded`).
    pub(crate) fn read(
        &self,
        given: &Bound<'_, PyAny>,
        recorded: bool,
    ) -> Result<Option<Borrowed>> {
        let py = given.py();
        let yes = |name| -> PyResult<bool> { given.getattr(name)?.is_truthy() };
        if !recorded && yes(intern!(py, "requires_grad"))? {
            return Ok(None);
        }
        if !given.getattr(intern!(py, "layout"))?.is(&self.strided) {
            return Ok(None);
        }
        let dtype = given.getattr(intern!(py, "dtype"))?;
        let Some((_, dtype)) = self.dtypes.iter().find(|known| dtype.is(&known.0)) else {
            return Ok(None);
        };
        // Elements that are shown with another sign than they have in memory.
        let turned = |name| -> PyResult<bool> { given.call_method0(name)?.is_truthy() };
        if dtype.is_complex() && turned(intern!(py, "is_conj"))? || turned(intern!(py, "is_neg"))? {
            return Ok(None);
        }
        let on = if yes(intern!(py, "is_cpu"))? {
            kernels::on(Device::cpu())?
        } else if let Some(raw_stream) =
            self.raw_stream.as_ref().filter(|_| yes(intern!(py, "is_cuda")).unwrap_or(false))
        {
            let number = given.call_method0(intern!(py, "get_device"))?;
            let Some(device) = cuda(number.extract()?) else { return Ok(None) };
            Self::on(raw_stream.bind(py), &number, device)?
        } else {
            return Ok(None);
        };
        // Tensors without memory (of transformations, of compilers) have no address, and some no numbers either.
        let Ok(first) = given.call_method0(intern!(py, "data_ptr")) else { return Ok(None) };
        let first: usize = first.extract()?;
        let Ok(shape) = numbers(&given.getattr(intern!(py, "shape"))?) else { return Ok(None) };
        let Ok(strides) = numbers(&given.call_method0(intern!(py, "stride"))?) else {
            return Ok(None);
        };
        let (shape, strides): (Extents, Strides) = (shape, strides);
        if first == 0 || !first.is_multiple_of(dtype.bytes()) || shape.contains(&0) {
            return Ok(None);
        }
        // SAFETY: elements of a tensor that the caller has. What torch has queued on them is on its current stream, or ordered
        // before it by the program, as for torch's own functions.
        Ok(Some(unsafe { Borrowed::new(first, (&shape, &strides), *dtype, on, given)? }))
    }

    /// What computes on the current stream of a device.
    pub(super) fn executor(
        &self,
        py: Python<'_>,
        device: Device,
    ) -> Result<Option<Arc<dyn Executor>>> {
        let Some(raw_stream) = &self.raw_stream else { return Ok(None) };
        let number = pyo3::types::PyInt::new(py, device.gpu_id());
        Self::on(raw_stream.bind(py), &number, device).map(Some)
    }

    /// As [`executor`](Self::executor), of the device with a number.
    fn on(
        raw_stream: &Bound<'_, PyAny>,
        number: &Bound<'_, PyAny>,
        device: Device,
    ) -> Result<Arc<dyn Executor>> {
        let raw: usize = raw_stream.call1((number,))?.extract()?;
        match streams::known(device, raw) {
            Some(known) => Ok(known),
            // SAFETY: torch never destroys a stream. One that somebody else has made current has to live as long as torch and
            // those who ask torch use it.
            None => unsafe { streams::remember(raw_stream.py(), device, raw, None) },
        }
    }

    /// A result, whose work is on the current stream, as a tensor.
    pub(crate) fn give<'py>(
        &self,
        py: Python<'py>,
        array: Array,
        on: &dyn Executor,
    ) -> Result<Bound<'py, PyAny>> {
        let stream = (!array.device().is_cpu()).then(|| on.stream());
        let tensor = array.into_dlpack::<Legacy>(stream)?;
        Ok(self.from_dlpack.bind(py).call1((capsule::wrap(py, tensor)?,))?)
    }
}
