//! A C interface to the bridge, so that Python's libraries can hand it arrays and take arrays from it.
//!
//! `run.py` beside this drives it. Every function returns 0 or the code of a [`Code`]; what went wrong is kept for
//! the thread ([`interop_error`](error::interop_error)). Devices and dtypes are named as in `DLPack`. Arrays are
//! behind handles that may be used from any thread, until [`interop_release`](held::interop_release).
//!
//! Tests forbid unsafe code; a C interface is made of it, so all of it is in this crate.

pub mod capsule;
pub mod error;
pub mod export;
pub mod held;
pub mod import;
pub mod make;
pub mod places;
pub mod read;
pub mod work;

pub use error::Code;
pub use held::Held;
