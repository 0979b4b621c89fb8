//! What XLA asks of a handler, once it has been checked.

use std::ffi::{CStr, c_void};

use arrayspan::bridge::DType;

use super::abi::{
    Api, BUFFER, Buffers, DTYPES, ErrorDestroy, ErrorMessage, Frame, INT64, SCALAR, Scalar,
    StreamGet,
};

/// What is told to XLA of a call that fails.
pub(super) type Result<T> = std::result::Result<T, String>;

/// An array of XLA's, row-major.
pub(super) struct Given {
    pub(super) first: usize,
    pub(super) shape: Vec<usize>,
    pub(super) dtype: DType,
}

impl Given {
    pub(super) fn bytes(&self) -> usize {
        self.shape.iter().product::<usize>() * self.dtype.bytes()
    }

    /// Elements from one to the next along each axis.
    pub(super) fn strides(&self) -> Vec<isize> {
        let mut strides = vec![1; self.shape.len()];
        for axis in (1..self.shape.len()).rev() {
            strides[axis - 1] = strides[axis] * self.shape[axis] as isize;
        }
        strides
    }
}

/// The only one of arguments or results.
///
/// # Safety
/// They are XLA's, of a call that has not returned.
pub(super) unsafe fn only(buffers: &Buffers, what: &str) -> Result<Given> {
    // SAFETY: XLA has as many kinds and buffers as it says.
    let buffer = unsafe {
        if buffers.count != 1 || *buffers.kinds != BUFFER {
            return Err(format!("arrayspan: expected one array for {what}"));
        }
        &*(*buffers.all).cast::<super::abi::Buffer>()
    };
    let Some((_, dtype)) = DTYPES.into_iter().find(|(number, _)| *number == buffer.dtype) else {
        let why = format!("arrayspan: {what} has XLA's dtype {}", buffer.dtype);
        return Err(why);
    };
    let rank = usize::try_from(buffer.rank).unwrap_or(0);
    let extents = if rank == 0 {
        &[]
    } else {
        // SAFETY: XLA has as many extents as the rank says.
        unsafe { std::slice::from_raw_parts(buffer.extents, rank) }
    };
    let shape: std::result::Result<Vec<usize>, _> =
        extents.iter().map(|&n| usize::try_from(n)).collect();
    match shape {
        Ok(shape) => Ok(Given { first: buffer.data.addr(), shape, dtype }),
        Err(_) => Err(format!("arrayspan: {what} has extents {extents:?}")),
    }
}

/// A number that the call was compiled with.
///
/// # Safety
/// The frame is XLA's, of a call that has not returned.
pub(super) unsafe fn number(frame: &Frame, name: &str) -> Result<i64> {
    let attributes = &frame.attributes;
    let count = usize::try_from(attributes.count).unwrap_or(0);
    for at in 0..count {
        // SAFETY: XLA has as many kinds, names and values as it says; names have as many bytes as they say.
        let (kind, own, value) = unsafe {
            let text = &**attributes.names.add(at);
            let own = std::slice::from_raw_parts(text.first.cast::<u8>(), text.len);
            (*attributes.kinds.add(at), own, *attributes.values.add(at))
        };
        if own == name.as_bytes() && kind == SCALAR {
            // SAFETY: a value of this kind is such a number, of as many bytes as its dtype has.
            let value = unsafe { &*value.cast::<Scalar>() };
            if value.dtype == INT64 {
                // SAFETY: as above.
                return Ok(unsafe { value.value.cast::<i64>().read_unaligned() });
            }
        }
    }
    Err(format!("arrayspan: the call was compiled without `{name}`"))
}

/// The stream of CUDA that the call is on.
///
/// # Safety
/// The frame is XLA's, of a call that has not returned.
pub(super) unsafe fn stream(frame: &Frame) -> Result<usize> {
    // SAFETY: XLA's functions live as long as it does.
    let api = unsafe { &*frame.api };
    let mut asked = StreamGet {
        size: size_of::<StreamGet>(),
        extensions: std::ptr::null(),
        context: frame.context,
        stream: std::ptr::null_mut(),
    };
    let Some(get) = api.stream else {
        return Err("arrayspan: this XLA has no streams".to_owned());
    };
    // SAFETY: the structure is of the size that it says, and the context is the call's.
    let error = unsafe { get(&raw mut asked) };
    if error.is_null() {
        return Ok(asked.stream.addr());
    }
    // SAFETY: the error is XLA's, and nobody else has it.
    let why = unsafe { taken(api, error) };
    Err(format!("arrayspan: XLA has no stream for the call: {why}"))
}

/// The text of an error, which is gone then.
///
/// # Safety
/// The error is one of this XLA's, and nobody else has it.
unsafe fn taken(api: &Api, error: *mut c_void) -> String {
    let (size, extensions) = (size_of::<ErrorMessage>(), std::ptr::null());
    let mut asked = ErrorMessage { size, extensions, error, message: std::ptr::null() };
    let mut text = String::new();
    if let Some(message) = api.message {
        // SAFETY: the structure is of the size that it says; the text lives as long as the error.
        unsafe {
            message(&raw mut asked);
            if !asked.message.is_null() {
                text = CStr::from_ptr(asked.message).to_string_lossy().into_owned();
            }
        }
    }
    if let Some(destroy) = api.destroy_error {
        let size = size_of::<ErrorDestroy>();
        let mut gone = ErrorDestroy { size, extensions, error };
        // SAFETY: nobody else has the error.
        unsafe { destroy(&raw mut gone) };
    }
    text
}
