//! Arrays by the buffer protocol: `memoryview`, `array.array`, `bytearray`, `mmap`, and what else has no better one.

use std::ffi::CStr;

use arrayspan::bridge::{Array, DType, SharedArray};
use arrayspan::devices::{Device, Memory};
use pyo3::buffer::PyUntypedBuffer;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView, PyString};
use smallvec::SmallVec;

use crate::error::{Class, Result, found, refuse};
use crate::placed::placed;

/// Takes an array over without a copy; errors call it `what`. `None` of what has no buffer, and of bytes, which are text more often
/// than numbers.
pub(crate) fn import(given: &Bound<'_, PyAny>, what: &str) -> Result<Option<SharedArray>> {
    if given.is_instance_of::<PyBytes>() || given.is_instance_of::<PyString>() {
        return Ok(None);
    }
    // Producers may leave strides out (`ctypes` does), which a view of them has.
    let viewed = || PyUntypedBuffer::get(PyMemoryView::from(given)?.as_any());
    let py = given.py();
    let direct = found(py, PyUntypedBuffer::get(given))?;
    let Some(buffer) = direct.map_or_else(|| found(py, viewed()), |buffer| Ok(Some(buffer)))?
    else {
        return Ok(None);
    };
    let dtype = dtype(&buffer, what)?;
    let shape = buffer.shape();
    let bytes = dtype.bytes();
    let indirect = buffer.suboffsets().is_some_and(|offsets| offsets.iter().any(|&n| n >= 0));
    let mut strides = SmallVec::<[isize; 4]>::new();
    for (&step, &extent) in buffer.strides().iter().zip(shape) {
        if indirect || step % bytes as isize != 0 && extent > 1 {
            let why = format!(
                "{what}: elements of a buffer that do not lie as in an array: copy it first"
            );
            return Ok(refuse(Class::Foreign, why)?);
        }
        strides.push(step / bytes as isize);
    }
    let first = buffer.buf_ptr() as usize;
    if !first.is_multiple_of(bytes) && !shape.contains(&0) {
        let why = format!("{what}: elements are not aligned: copy it first");
        return Ok(refuse(Class::Foreign, why)?);
    }
    let (address, size, layout) = placed(first, shape, &strides, dtype)?;
    let writable = !buffer.readonly() && !layout.may_overlap_itself();
    if dtype == DType::Bool {
        // SAFETY: as many bytes of a buffer that is not released, with the interpreter's lock.
        let bytes = unsafe { std::slice::from_raw_parts(first as *const u8, buffer.len_bytes()) };
        if !buffer.is_c_contiguous() || bytes.iter().any(|&byte| byte > 1) {
            let why = format!(
                "{what}: truth values of a buffer that are not in a row, or neither 0 nor 1"
            );
            return Ok(refuse(Class::Foreign, why)?);
        }
    }
    // SAFETY: a buffer stays where it is until it is released, which the release function does. That nobody writes it meanwhile is what
    // Python programs see to, as with every library that shares memory by this protocol.
    let array = unsafe {
        let release = Box::new(move || drop(buffer));
        let memory = Memory::from_foreign(Device::cpu(), address, size, release);
        if writable {
            Array::from_memory(memory, layout, dtype)?.into_shared()
        } else {
            SharedArray::from_memory(memory, layout, dtype)?
        }
    };
    Ok(Some(array))
}

/// The mark of bytes in the order of another kind of machine.
const OTHER_ORDER: &[u8] = if cfg!(target_endian = "little") { b">!" } else { b"<" };

fn dtype(buffer: &PyUntypedBuffer, what: &str) -> Result<DType> {
    let format = buffer.format();
    let bytes = buffer.item_size();
    let known = of_format(format).filter(|dtype| dtype.bytes() == bytes);
    let text = format.to_string_lossy();
    match known {
        _ if text.as_bytes().first().is_some_and(|mark| OTHER_ORDER.contains(mark))
            && bytes > 1 =>
        {
            let why = format!(
                "{what}: elements of a buffer ({text}) are in the byte order of another machine"
            );
            Ok(refuse(Class::DType, why)?)
        }
        Some(dtype) => Ok(dtype),
        None => {
            let why = format!("{what}: elements of a buffer ({text}) cannot be used");
            Ok(refuse(Class::DType, why)?)
        }
    }
}

/// What a format of `struct`, with complex numbers as PEP 3118 has them, is for one number.
fn of_format(format: &CStr) -> Option<DType> {
    let format = format.to_bytes();
    let (native, letters) = match format {
        [b'=' | b'<' | b'>' | b'!', rest @ ..] => (false, rest),
        [b'@', rest @ ..] | rest => (true, rest),
    };
    let long = if native { size_of::<std::ffi::c_long>() } else { 4 };
    Some(match letters {
        b"?" => DType::Bool,
        b"b" => DType::Int8,
        b"B" | b"c" => DType::UInt8,
        b"h" => DType::Int16,
        b"H" => DType::UInt16,
        b"q" => DType::Int64,
        b"Q" => DType::UInt64,
        b"l" | b"n" if long == 8 => DType::Int64,
        b"L" | b"N" if long == 8 => DType::UInt64,
        b"i" | b"l" => DType::Int32,
        b"I" | b"L" => DType::UInt32,
        b"e" => DType::Float16,
        b"f" => DType::Float32,
        b"d" => DType::Float64,
        b"Zf" => DType::Complex64,
        b"Zd" => DType::Complex128,
        _ => return None,
    })
}
