//! Devices.

use arrayspan::devices::{Device, DeviceKind, Error};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::error::{Class, Result, refuse};

/// Where arrays live and work runs: ``Device("cpu")``, ``Device("cuda:0")``, ``Device("opencl:1")``.
#[pyclass(frozen, eq, hash, name = "Device", module = "arrayspan")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PyDevice(pub(crate) Device);

#[pymethods]
impl PyDevice {
    #[new]
    fn new(name: OnDevice) -> Self {
        Self(name.0)
    }

    /// The kind: ``"cpu"``, ``"cuda"``, ``"opencl"``.
    #[getter]
    fn kind(&self) -> &'static str {
        self.0.kind().name()
    }

    /// The number among the devices of its kind.
    #[getter]
    fn gpu_id(&self) -> usize {
        self.0.gpu_id()
    }

    /// The vendor's name.
    #[getter]
    fn name(&self) -> &'static str {
        &self.0.info().name
    }

    /// Bytes that could be allocated now, where the driver tells.
    #[getter]
    fn free_bytes(&self, py: Python<'_>) -> Option<usize> {
        let device = self.0;
        py.detach(|| device.free_bytes())
    }

    /// What is known of it, by names.
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let info = self.0.info();
        let facts = PyDict::new(py);
        facts.set_item("name", &info.name)?;
        facts.set_item("platform", &info.platform)?;
        facts.set_item("memory_bytes", info.memory_bytes)?;
        facts.set_item("capability", &info.capability)?;
        facts.set_item("compute_units", info.compute_units)?;
        facts.set_item("group_threads", info.group_threads)?;
        facts.set_item("local_bytes", info.local_bytes)?;
        facts.set_item("float64", info.float64)?;
        facts.set_item("accelerator", info.accelerator)?;
        Ok(facts)
    }

    /// Waits for all work that was enqueued on it.
    fn synchronize(&self, py: Python<'_>) -> Result<()> {
        let device = self.0;
        Ok(py.detach(|| device.synchronize())?)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Device('{}')", self.0)
    }
}

/// A device that the caller names: by its name, or as a `Device`, or by torch's or `CuPy`'s objects.
#[derive(Clone, Copy)]
pub(crate) struct OnDevice(pub(crate) Device);

impl<'py> FromPyObject<'_, 'py> for OnDevice {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(device) = given.cast::<PyDevice>() {
            return Ok(Self(device.get().0));
        }
        if let Ok(name) = given.cast::<PyString>() {
            return parsed(name.to_str()?);
        }
        // `torch.device` is written as ours are; `cupy.cuda.Device` has a number.
        let class = given.get_type().module()?;
        match class.to_str()?.split('.').next() {
            Some("torch") => parsed(given.str()?.to_str()?),
            Some("cupy") => {
                let number: usize = given.getattr("id")?.extract()?;
                Ok(Self(Device::new(DeviceKind::Cuda, number).map_err(failed)?))
            }
            _ => refuse(Class::Parameter, format!("{} is not a device", given.repr()?)),
        }
    }
}

fn parsed(name: &str) -> PyResult<OnDevice> {
    name.parse().map(OnDevice).map_err(failed)
}

fn failed(error: Error) -> PyErr {
    crate::error::Failure::from(error).into()
}

/// All devices of this machine.
#[pyfunction]
pub(crate) fn devices(py: Python<'_>) -> Vec<PyDevice> {
    py.detach(Device::all).into_iter().map(PyDevice).collect()
}

/// The best device of this machine: a GPU, if there is one.
#[pyfunction]
pub(crate) fn best_device(py: Python<'_>) -> PyDevice {
    PyDevice(py.detach(Device::best))
}
