//! What Python programs do with an array.

use arrayspan::bridge::{Overflow, Rounding};
use arrayspan::devices::Device;
use arrayspan::kernels::Vector;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyComplex, PyDict, PyTuple};

use super::PyArray;
use crate::arithmetic::{self, Operation, Side};
use crate::as_numpy::to_numpy;
use crate::constructors::choice::Choice;
use crate::conversion::{Scaling, rules};
use crate::device::{OnDevice, PyDevice};
use crate::dtype::{self, Named};
use crate::error::{Class, Result, refuse};
use crate::protocol::{self, Asked};
use crate::shape;

#[pymethods]
impl PyArray {
    /// Extents along each axis.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        shape::tuple(py, self.shared.shape())
    }

    /// From one element to the next along each axis, in elements.
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.shared.layout().strides())
    }

    /// The type of the elements, by its name in the Python Array API.
    #[getter]
    fn dtype(&self) -> &'static str {
        dtype::name(self.shared.dtype())
    }

    /// Where it lives.
    #[getter]
    fn device(&self) -> PyDevice {
        PyDevice(self.shared.device())
    }

    /// How many axes it has.
    #[getter]
    fn ndim(&self) -> usize {
        self.shared.shape().len()
    }

    /// How many elements it has.
    #[getter]
    fn size(&self) -> usize {
        self.shared.layout().len()
    }

    /// How many bytes its elements take.
    #[getter]
    fn nbytes(&self) -> usize {
        self.bytes()
    }

    /// Whether it may be written. What a read-only array was taken from is never written.
    #[getter]
    fn writable(&self) -> bool {
        // SAFETY: dropped at once.
        unsafe { self.shared.alias() }.is_some()
    }

    /// The array on a device: itself if it is there, else a copy.
    fn to(slf: &Bound<'_, Self>, device: OnDevice) -> Result<Py<Self>> {
        let this = slf.get();
        if this.shared.device() == device.0 {
            return Ok(slf.clone().unbind());
        }
        Ok(Py::new(slf.py(), this.moved(slf.py(), device.0)?)?)
    }

    /// A row-major copy, on the same device.
    #[pyo3(name = "copy")]
    fn copy_of(&self, py: Python<'_>) -> Result<Self> {
        self.copy(py)
    }

    /// A copy with elements of another dtype, or of its own where none is said. ``overflow``, ``rounding`` and ``scale`` are as for ``arrayspan.convert``.
    #[pyo3(
        signature = (dtype=None, *, overflow=None, rounding=Choice(Rounding::NearestEven), scale=None),
        text_signature = "($self, dtype=None, *, overflow=None, rounding='nearest-even', scale=None)"
    )]
    fn astype(
        &self,
        py: Python<'_>,
        dtype: Option<Named>,
        overflow: Option<Choice<Overflow>>,
        rounding: Choice<Rounding>,
        scale: Option<Scaling>,
    ) -> Result<Self> {
        let dtype = dtype.map_or(self.shared.dtype(), |dtype| dtype.0);
        self.converted(py, dtype, &rules(overflow, rounding, scale))
    }

    /// What it is and how it came to be that, by names: ``device``, ``dtype``, ``shape``, ``strides``, ``bytes``, ``writable``, ``contiguous``; ``foreign``, whether
    /// its memory is that of another library; ``copies``, why and how many bytes were copied for it since it came here (none:
    /// it was handed over without a copy, or made here).
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let facts = PyDict::new(py);
        facts.set_item("device", self.device())?;
        facts.set_item("dtype", self.dtype())?;
        facts.set_item("shape", self.shape(py)?)?;
        facts.set_item("strides", self.strides(py)?)?;
        facts.set_item("bytes", self.nbytes())?;
        facts.set_item("writable", self.writable())?;
        facts.set_item("contiguous", self.shared.layout().is_contiguous())?;
        facts.set_item("foreign", self.shared.memory().is_foreign())?;
        let copies: Vec<String> = self.copies.iter().map(ToString::to_string).collect();
        facts.set_item("copies", copies)?;
        Ok(facts)
    }

    /// The array in memory of the host, as one of ``NumPy``: without a copy if it lives there.
    fn numpy<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        let here = if self.shared.device().is_cpu() {
            self.shared.clone()
        } else {
            py.detach(|| self.lent().view().to(Device::cpu()))?.0.into_shared()
        };
        to_numpy(py, here)
    }

    /// As ``NumPy`` asks for it. An array of another device has to be brought to the host by the caller (``to("cpu")``, or
    /// ``numpy()``), so that nothing is copied unseen.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> Result<Bound<'py, PyAny>> {
        if !self.shared.device().is_cpu() {
            let device = self.shared.device();
            let why = format!("the array is on {device}: x.numpy() copies it to the host");
            return Ok(refuse(Class::WrongDevice, why)?);
        }
        let array = to_numpy(py, self.shared.clone())?;
        if dtype.is_none() && copy != Some(true) {
            return Ok(array);
        }
        let options = PyDict::new(py);
        options.set_item("copy", copy.unwrap_or(false))?;
        let dtype = dtype.map_or_else(|| array.getattr("dtype"), Ok)?;
        let same = array.getattr("dtype")?.eq(&dtype)?;
        if copy == Some(false) && !same {
            let why = format!("an array of {dtype} would be a copy of one of {}", self.dtype());
            return Ok(refuse(Class::CopyRefused, why)?);
        }
        Ok(array.call_method("astype", (dtype,), Some(&options))?)
    }

    /// A capsule with the array, for other libraries.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<i64>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> Result<Bound<'py, PyAny>> {
        let consumer = self.consumer.clone();
        let asked = Asked { stream, max_version, device: dl_device, copy, consumer };
        protocol::export(py, &self.shared, &asked)
    }

    /// Where it lives, in the numbers of ``DLPack``.
    fn __dlpack_device__(&self) -> (i32, i32) {
        self.shared.device().dlpack()
    }

    /// The only element of an array that has one.
    fn item<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        Ok(self.numpy(py)?.call_method0("item")?)
    }

    /// The elements as nested lists.
    fn tolist<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        Ok(self.numpy(py)?.call_method0("tolist")?)
    }

    fn __add__<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        self.with(Operation::Add, other, Side::Left)
    }

    fn __radd__<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        self.with(Operation::Add, other, Side::Right)
    }

    fn __sub__<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        self.with(Operation::Subtract, other, Side::Left)
    }

    fn __rsub__<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        self.with(Operation::Subtract, other, Side::Right)
    }

    fn __mul__<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        self.with(Operation::Multiply, other, Side::Left)
    }

    fn __rmul__<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        self.with(Operation::Multiply, other, Side::Right)
    }

    fn __truediv__<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        self.with(Operation::Divide, other, Side::Left)
    }

    fn __rtruediv__<'py>(&self, other: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        self.with(Operation::Divide, other, Side::Right)
    }

    fn __neg__(&self, py: Python<'_>) -> Result<Self> {
        arithmetic::of_one(py, self, |value| (-value).compute())
    }

    fn __abs__(&self, py: Python<'_>) -> Result<Self> {
        arithmetic::absolute(py, self)
    }

    /// The complex conjugate of each element.
    fn conj(&self, py: Python<'_>) -> Result<Self> {
        arithmetic::of_one(py, self, |value| value.conj().compute())
    }

    /// The sum of all elements, as an array without axes on the same device.
    fn sum(&self, py: Python<'_>) -> Result<Self> {
        arithmetic::of_one(py, self, |value| value.sum())
    }

    /// The root of the sum of squared absolute values, as an array without axes on the same device, of the widest real dtype there.
    fn norm(&self, py: Python<'_>) -> Result<Self> {
        arithmetic::of_one(py, self, |value| value.norm())
    }

    /// ``Σ conj(self) · other`` of an array of the same shape, as an array without axes on the same device.
    fn dot(&self, other: &Bound<'_, PyAny>) -> Result<Self> {
        arithmetic::dot(self, other)
    }

    fn __bool__(&self, py: Python<'_>) -> Result<bool> {
        if self.size() != 1 {
            let why = format!("an array of {} elements is neither true nor false", self.size());
            return Ok(refuse(Class::Parameter, why)?);
        }
        Ok(self.item(py)?.is_truthy()?)
    }

    fn __float__(&self, py: Python<'_>) -> Result<f64> {
        Ok(self.item(py)?.extract()?)
    }

    fn __complex__<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        Ok(py.get_type::<PyComplex>().call1((self.item(py)?,))?)
    }

    fn __len__(&self) -> PyResult<usize> {
        match self.shared.shape() {
            [first, ..] => Ok(*first),
            [] => Err(PyTypeError::new_err("an array without axes has no length")),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        py.detach(|| self.lent().to_string())
    }
}

impl PyArray {
    /// What is made of it and something else; Python asks that where it is neither an array nor a number.
    fn with<'py>(
        &self,
        operation: Operation,
        other: &Bound<'py, PyAny>,
        side: Side,
    ) -> Result<Bound<'py, PyAny>> {
        Ok(match arithmetic::of_two(self, operation, other, side)? {
            Some(result) => Bound::new(other.py(), result)?.into_any(),
            None => other.py().NotImplemented().into_bound(other.py()),
        })
    }
}
