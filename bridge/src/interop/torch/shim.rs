//! Our functions in C++, as `shim.h` declares them, and their failures as errors.

use std::ffi::{CStr, c_char, c_void};
use std::mem::MaybeUninit;

use arrayspan_devices::Device;

use crate::{Error, Result};

/// What a function writes when it fails.
#[repr(C)]
pub(super) struct Failure {
    kind: i32,
    code: i32,
    message: [c_char; 1016],
}

impl Failure {
    /// What a function of Rust writes when it fails: as much of the message as there is room for.
    pub(super) fn of(message: &str) -> Self {
        let mut failure = Self { kind: OTHER, code: 0, message: [0; 1016] };
        // The last byte ends the text.
        let room = message.len().min(failure.message.len() - 1);
        let end = (0..=room).rev().find(|&end| message.is_char_boundary(end)).unwrap_or(0);
        for (to, byte) in failure.message.iter_mut().zip(message[..end].bytes()) {
            // A zero would end the text before its end.
            *to = (if byte == 0 { b' ' } else { byte }) as c_char;
        }
        failure
    }
}

const OTHER: i32 = 0;
const OUT_OF_MEMORY: i32 = 1;
const UNAVAILABLE: i32 = 3;
/// `CUDA_ERROR_OUT_OF_MEMORY`: torch throws its own type for this code, and leaves the code out.
const CUDA_OUT_OF_MEMORY: i32 = 2;

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Dtype {
    pub(super) code: u8,
    pub(super) bits: u8,
    pub(super) lanes: u16,
}

#[repr(C)]
pub(super) struct Description {
    pub(super) defined: bool,
    pub(super) strided: bool,
    pub(super) storage: bool,
    pub(super) quantised: bool,
    pub(super) gradients: bool,
    pub(super) device_type: i8,
    pub(super) device_index: i8,
    pub(super) layout: *const c_char,
    pub(super) scalar: *const c_char,
    pub(super) lazy: bool,
    pub(super) alone: bool,
    pub(super) dtype: Dtype,
    pub(super) ndim: usize,
    pub(super) sizes: *const i64,
    pub(super) strides: *const i64,
    pub(super) data: usize,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Statistics {
    pub(super) live: i64,
    pub(super) peak: i64,
    pub(super) reserved: i64,
    pub(super) refusals: i64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TorchStream {
    id: i64,
    index: i8,
}

/// What a node of torch's graph does with the gradient that arrives there.
#[repr(C)]
pub(super) struct Backward {
    pub(super) name: *const c_char,
    pub(super) name_bytes: usize,
    pub(super) context: *mut c_void,
    pub(super) apply: Apply,
    pub(super) release: Release,
}

pub(super) type Apply =
    unsafe extern "C" fn(*const c_void, *const c_void, *mut *mut c_void, *mut Failure) -> bool;

pub(super) type Release = unsafe extern "C" fn(*mut c_void);

unsafe extern "C" {
    pub(super) fn arrayspan_torch_describe(
        tensor: *const c_void,
        out: *mut Description,
        failure: *mut Failure,
    ) -> bool;
    pub(super) fn arrayspan_torch_device_name(device_type: i8) -> *const c_char;
    pub(super) fn arrayspan_torch_detach(tensor: *mut c_void, failure: *mut Failure) -> bool;
    pub(super) fn arrayspan_torch_copy(
        tensor: *const c_void,
        out: *mut *mut c_void,
        failure: *mut Failure,
    ) -> bool;
    pub(super) fn arrayspan_torch_wrap(
        data: usize,
        sizes: *const i64,
        strides: *const i64,
        ndim: usize,
        dtype: Dtype,
        cuda_index: i32,
        context: *mut c_void,
        release: Release,
        out: *mut *mut c_void,
        failure: *mut Failure,
    ) -> bool;
    pub(super) fn arrayspan_torch_context(tensor: *const c_void, release: Release) -> *mut c_void;
    pub(super) fn arrayspan_torch_is_recorded(tensor: *const c_void) -> bool;
    pub(super) fn arrayspan_torch_record_function(
        from: *const c_void,
        to: *const c_void,
        backward: Backward,
        failure: *mut Failure,
    ) -> bool;
    pub(super) fn arrayspan_torch_load_cuda(failure: *mut Failure) -> bool;
    pub(super) fn arrayspan_torch_current_stream(
        index: i8,
        raw: *mut usize,
        failure: *mut Failure,
    ) -> bool;
    pub(super) fn arrayspan_torch_exchange_stream(
        index: i8,
        raw: usize,
        before: *mut TorchStream,
        failure: *mut Failure,
    ) -> bool;
    pub(super) fn arrayspan_torch_restore_stream(
        before: TorchStream,
        failure: *mut Failure,
    ) -> bool;
    pub(super) fn arrayspan_torch_record_stream(
        tensor: *const c_void,
        index: i8,
        raw: usize,
        failure: *mut Failure,
    ) -> bool;
    pub(super) fn arrayspan_torch_empty_cache(failure: *mut Failure) -> bool;
    pub(super) fn arrayspan_torch_statistics(
        index: i8,
        known: *mut bool,
        out: *mut Statistics,
        failure: *mut Failure,
    ) -> bool;
}

/// Calls a function that asks for up to `bytes` bytes of `device`, and makes its failure an error.
pub(super) fn call(
    call: &'static str,
    device: Device,
    bytes: usize,
    function: impl FnOnce(*mut Failure) -> bool,
) -> Result<()> {
    let mut failure = MaybeUninit::<Failure>::uninit();
    if function(failure.as_mut_ptr()) {
        return Ok(());
    }
    // SAFETY: a function that fails has written it.
    let failure = unsafe { failure.assume_init_ref() };
    // SAFETY: the message ends with a zero.
    let message = unsafe { text(failure.message.as_ptr()) };
    Err(match failure.kind {
        OUT_OF_MEMORY => {
            let code = if device.is_cpu() { 0 } else { CUDA_OUT_OF_MEMORY };
            arrayspan_devices::Error::out_of_memory(device, bytes, code).into()
        }
        UNAVAILABLE => {
            let what = "libtorch_cuda".into();
            arrayspan_devices::Error::Unavailable { what, why: message }.into()
        }
        _ => Error::Library { library: "libtorch", call, code: failure.code, message },
    })
}

/// A C string; empty for null.
///
/// # Safety
/// `text` is null or ends with a zero.
pub(super) unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller's.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// The number by which torch knows a CUDA device.
pub(super) fn index(device: Device) -> i8 {
    i8::try_from(device.gpu_id()).unwrap_or(i8::MAX)
}
