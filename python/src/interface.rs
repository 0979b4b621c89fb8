//! Arrays by `__cuda_array_interface__`, of libraries that do not speak `DLPack`: Numba's, `PyCUDA`'s.

use arrayspan::bridge::interop::cudarc::device_of;
use arrayspan::bridge::{Array, DType, SharedArray};
use arrayspan::devices::{Memory, Stream};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use smallvec::SmallVec;

use crate::error::{Class, Result, found, refuse};
use crate::placed::placed;

type Numbers<T> = SmallVec<[T; 4]>;

/// Takes an array over without a copy; errors call it `what`. `None` of what has no such attribute.
pub(crate) fn import(given: &Bound<'_, PyAny>, what: &str) -> Result<Option<SharedArray>> {
    let py = given.py();
    if given.is_instance_of::<PyType>() {
        return Ok(None);
    }
    let told = found(py, given.getattr(intern!(py, "__cuda_array_interface__")))?;
    let Some(told) = told else { return Ok(None) };
    let Ok(told) = told.cast_into::<PyDict>() else {
        return refused(what, "it is no dictionary");
    };
    let entry = |name: &str| -> Result<Option<Bound<'_, PyAny>>> {
        Ok(told.get_item(name)?.filter(|value| !value.is_none()))
    };
    let needed = |name: &str| -> Result<Bound<'_, PyAny>> {
        match entry(name)? {
            Some(value) => Ok(value),
            None => refused(what, &format!("it has no '{name}'")),
        }
    };
    if entry("mask")?.is_some() {
        return Ok(refuse(Class::DType, format!("{what}: an array whose mask would be lost"))?);
    }
    let text: String = needed("typestr")?.extract()?;
    let Some(dtype) = of_text(&text) else {
        return Ok(refuse(
            Class::DType,
            format!("{what}: elements of type {text} cannot be used"),
        )?);
    };
    let shape: Numbers<usize> = needed("shape")?.extract::<Vec<usize>>()?.into();
    let (first, read_only): (usize, bool) = needed("data")?.extract()?;
    let bytes = dtype.bytes();
    let strides: Numbers<isize> = match entry("strides")? {
        None => row_major(&shape),
        Some(given) => {
            let steps: Vec<isize> = given.extract()?;
            let odd = |(&step, &n): (&isize, &usize)| n > 1 && step % bytes as isize != 0;
            if steps.len() != shape.len() || steps.iter().zip(&shape).any(odd) {
                return refused(what, "strides that elements cannot lie in");
            }
            steps.iter().map(|step| step / bytes as isize).collect()
        }
    };
    if shape.contains(&0) {
        return refused(what, "no elements, which are on no device");
    }
    if first == 0 || first % bytes != 0 {
        return refused(what, "an address that is none, or not aligned");
    }
    let reach = shape.iter().zip(&strides).try_fold(0_usize, |sum, (&extent, &stride)| {
        sum.checked_add(stride.unsigned_abs().checked_mul(extent - 1)?)
    });
    let size = reach.and_then(|last| last.checked_add(1)?.checked_mul(bytes));
    if size.and_then(|size| first.checked_add(size)).is_none() {
        return refused(what, "more bytes than there can be");
    }
    let (address, size, layout) = placed(first, &shape, &strides, dtype)?;
    let device = device_of(address, size)?;
    let stream: Option<usize> = entry("stream")?.map(|stream| stream.extract()).transpose()?;
    if stream == Some(0) {
        return refused(what, "stream 0, which the protocol does not have");
    }
    let keep = given.clone().unbind();
    let release = Box::new(move || drop(keep));
    // SAFETY: memory that the driver knows as that of the device, whose owner is kept until the last work is done; ready at the
    // present end of the stream that the owner names, or at once. That nobody else writes it meanwhile is what Python programs see to.
    let array = unsafe {
        let memory = match stream {
            Some(raw) => {
                let theirs = Stream::from_foreign(device, raw, Box::new(given.clone().unbind()))?;
                let own = device.stream()?;
                own.wait_for(&theirs)?;
                Memory::from_foreign_on(&own, address, size, release)
            }
            None => Memory::from_foreign(device, address, size, release),
        };
        if read_only || layout.may_overlap_itself() {
            SharedArray::from_memory(memory, layout, dtype)?
        } else {
            Array::from_memory(memory, layout, dtype)?.into_shared()
        }
    };
    Ok(Some(array))
}

fn refused<T>(what: &str, why: &str) -> Result<T> {
    Ok(refuse(Class::Foreign, format!("{what}: __cuda_array_interface__: {why}"))?)
}

fn row_major(shape: &[usize]) -> Numbers<isize> {
    let mut strides: Numbers<isize> = SmallVec::from_elem(1, shape.len());
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis].saturating_mul(shape[axis] as isize);
    }
    strides
}

/// What a text of `NumPy`'s array interface says of elements in this machine's order of bytes.
fn of_text(text: &str) -> Option<DType> {
    let native = if cfg!(target_endian = "little") { '<' } else { '>' };
    let (order, rest) = (text.chars().next()?, text.get(1..)?);
    let dtype = match rest {
        "b1" => DType::Bool,
        "i1" => DType::Int8,
        "i2" => DType::Int16,
        "i4" => DType::Int32,
        "i8" => DType::Int64,
        "u1" => DType::UInt8,
        "u2" => DType::UInt16,
        "u4" => DType::UInt32,
        "u8" => DType::UInt64,
        "f2" => DType::Float16,
        "f4" => DType::Float32,
        "f8" => DType::Float64,
        "c8" => DType::Complex64,
        "c16" => DType::Complex128,
        _ => return None,
    };
    (order == native || order == '|' && dtype.bytes() == 1).then_some(dtype)
}
