//! XLA's interface for foreign functions, as far as it is used here: version 0, of which later ones add to the end of its structures.

use std::ffi::{c_char, c_int, c_void};

/// What XLA may have put behind a structure.
#[repr(C)]
pub(super) struct Extension {
    pub(super) size: usize,
    pub(super) kind: c_int,
    pub(super) next: *const Extension,
}

/// The kind of extension that asks what a handler is.
pub(super) const METADATA: c_int = 1;

/// The version of the interface: `(0, n)`.
#[repr(C)]
pub(super) struct Version {
    pub(super) size: usize,
    pub(super) extensions: *const Extension,
    pub(super) major: c_int,
    pub(super) minor: c_int,
}

/// What a handler says of itself.
#[repr(C)]
pub(super) struct Metadata {
    pub(super) size: usize,
    pub(super) version: Version,
    pub(super) traits: u32,
}

#[repr(C)]
pub(super) struct MetadataExtension {
    pub(super) base: Extension,
    pub(super) metadata: *mut Metadata,
}

/// An array, row-major.
#[repr(C)]
pub(super) struct Buffer {
    pub(super) size: usize,
    pub(super) extensions: *const Extension,
    pub(super) dtype: c_int,
    pub(super) data: *mut c_void,
    pub(super) rank: i64,
    pub(super) extents: *const i64,
}

/// The kind of arguments and results that are buffers.
pub(super) const BUFFER: c_int = 1;

/// Arguments, or results.
#[repr(C)]
pub(super) struct Buffers {
    pub(super) size: usize,
    pub(super) extensions: *const Extension,
    pub(super) count: i64,
    pub(super) kinds: *const c_int,
    pub(super) all: *const *const c_void,
}

#[repr(C)]
pub(super) struct Text {
    pub(super) first: *const c_char,
    pub(super) len: usize,
}

/// A number among attributes.
#[repr(C)]
pub(super) struct Scalar {
    pub(super) dtype: c_int,
    pub(super) value: *const c_void,
}

/// The kind of attributes that are numbers.
pub(super) const SCALAR: c_int = 3;

#[repr(C)]
pub(super) struct Attributes {
    pub(super) size: usize,
    pub(super) extensions: *const Extension,
    pub(super) count: i64,
    pub(super) kinds: *const c_int,
    pub(super) names: *const *const Text,
    pub(super) values: *const *const c_void,
}

/// A call of a handler.
#[repr(C)]
pub(super) struct Frame {
    pub(super) size: usize,
    pub(super) extensions: *const Extension,
    pub(super) api: *const Api,
    pub(super) context: *mut c_void,
    pub(super) stage: c_int,
    pub(super) arguments: Buffers,
    pub(super) results: Buffers,
    pub(super) attributes: Attributes,
}

/// The stage at which a call computes.
pub(super) const EXECUTE: c_int = 3;

/// An error, which XLA has made.
pub(super) type Error = c_void;

#[repr(C)]
pub(super) struct ErrorCreate {
    pub(super) size: usize,
    pub(super) extensions: *const Extension,
    pub(super) message: *const c_char,
    pub(super) code: c_int,
}

/// The code of errors that only a text tells of.
pub(super) const UNKNOWN: c_int = 2;

#[repr(C)]
pub(super) struct ErrorMessage {
    pub(super) size: usize,
    pub(super) extensions: *const Extension,
    pub(super) error: *mut Error,
    pub(super) message: *const c_char,
}

#[repr(C)]
pub(super) struct ErrorDestroy {
    pub(super) size: usize,
    pub(super) extensions: *const Extension,
    pub(super) error: *mut Error,
}

#[repr(C)]
pub(super) struct StreamGet {
    pub(super) size: usize,
    pub(super) extensions: *const Extension,
    pub(super) context: *mut c_void,
    pub(super) stream: *mut c_void,
}

/// XLA's functions, the first of them.
#[repr(C)]
pub(super) struct Api {
    pub(super) size: usize,
    pub(super) extensions: *const Extension,
    pub(super) version: Version,
    pub(super) internal: *const c_void,
    pub(super) create_error: Option<unsafe extern "C" fn(*mut ErrorCreate) -> *mut Error>,
    pub(super) message: Option<unsafe extern "C" fn(*mut ErrorMessage)>,
    pub(super) destroy_error: Option<unsafe extern "C" fn(*mut ErrorDestroy)>,
    pub(super) register: *const c_void,
    pub(super) stream: Option<unsafe extern "C" fn(*mut StreamGet) -> *mut Error>,
}

/// The dtypes of buffers and numbers, by XLA's numbers.
pub(super) const DTYPES: [(c_int, arrayspan::bridge::DType); 6] = {
    use arrayspan::bridge::DType;
    [
        (10, DType::Float16),
        (11, DType::Float32),
        (12, DType::Float64),
        (15, DType::Complex64),
        (16, DType::BFloat16),
        (18, DType::Complex128),
    ]
};

/// The dtype of integers of 64 bits.
pub(super) const INT64: c_int = 5;
