//! What went wrong, for a caller who sees numbers only.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrayspan_bridge as bridge;

/// What a function returns.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// It is done.
    Done = 0,
    /// A copy would be needed and was not allowed.
    CopyRefused = 1,
    /// A foreign array cannot be trusted or used.
    Foreign = 2,
    /// The target has no way to say what the array is.
    Inexpressible = 3,
    /// The device, the driver, or any other refusal.
    Refused = 4,
    /// The array was handed over before.
    Gone = 5,
    /// An argument no caller should give.
    Misuse = 6,
    /// A bug: something panicked.
    Panicked = 7,
}

/// A failure by code and text.
#[derive(Debug)]
pub(crate) struct Failure(pub(crate) Code, pub(crate) String);

impl From<bridge::Error> for Failure {
    fn from(error: bridge::Error) -> Self {
        let code = match error {
            bridge::Error::CopyRefused { .. } => Code::CopyRefused,
            bridge::Error::Foreign { .. } => Code::Foreign,
            bridge::Error::Inexpressible { .. } => Code::Inexpressible,
            _ => Code::Refused,
        };
        Self(code, error.to_string())
    }
}

impl From<arrayspan_devices::Error> for Failure {
    fn from(error: arrayspan_devices::Error) -> Self {
        bridge::Error::from(error).into()
    }
}

impl From<arrayspan_kernels::Error> for Failure {
    fn from(error: arrayspan_kernels::Error) -> Self {
        Self(Code::Refused, error.to_string())
    }
}

/// A failure of the caller's making.
pub(crate) fn misuse<T>(what: impl Into<String>) -> Result<T, Failure> {
    Err(Failure(Code::Misuse, what.into()))
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Runs a function for C: no panic leaves it, and a failure is kept for the thread.
pub(crate) fn guarded(work: impl FnOnce() -> Result<(), Failure>) -> i32 {
    let done = catch_unwind(AssertUnwindSafe(work));
    let Failure(code, text) = match done {
        Ok(Ok(())) => return Code::Done as i32,
        Ok(Err(failure)) => failure,
        Err(_) => Failure(Code::Panicked, "a panic; its message is on standard error".into()),
    };
    LAST.set(CString::new(text).unwrap_or_default());
    code as i32
}

/// The text of this thread's last failure, valid until its next one.
#[unsafe(no_mangle)]
pub extern "C" fn interop_error() -> *const c_char {
    LAST.with_borrow(|text| text.as_ptr())
}
