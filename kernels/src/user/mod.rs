//! Kernels of the user's own, from one source for CUDA and `OpenCL`.
//!
//! [`ElementwiseKernel`] computes outputs of inputs that broadcast, element by element; [`ReductionKernel`] maps elements and
//! combines them; [`RawKernel`] is source as it stands, with its grid and shared memory. Each is declared once, by text, and
//! called as verbs are: calls are checked, counted by [`Trace`](crate::Trace), and recorded by [`Plan`](crate::Plan)s. A kernel
//! is compiled when it is first called with arrays of other dtypes or another form of layout, and kept.
//!
//! Declaring one is `unsafe`: the source is compiled as it stands, and source that uses a pointer of its own can do
//! anything. The guide [`docs/write-a-kernel.md`](https://github.com/arrayspan/arrayspan/blob/main/docs/write-a-kernel.md) shows what the source can name.

mod call;
mod declaration;
mod definition;
mod elementwise;
mod geometry;
mod input;
mod letters;
mod number;
mod raw;
mod reduction;
mod types;

use arrayspan_bridge::devices::{self, Device};

pub(crate) use definition::{Definition, Source};
pub use elementwise::ElementwiseKernel;
pub use geometry::Geometry;
pub use input::Input;
pub(crate) use letters::Letters;
pub use number::Number;
pub use raw::RawKernel;
pub use reduction::{ReductionKernel, ReductionSource};
pub(crate) use types::Type;

/// What source calls a dtype that user kernels have.
pub(crate) fn type_name(dtype: arrayspan_bridge::DType) -> &'static str {
    types::name(dtype).unwrap_or("void")
}

/// That a device has no compiler for kernels.
pub(crate) fn no_compiler(device: Device, kernel: &str) -> crate::Error {
    let why =
        "kernels of users run on CUDA and OpenCL devices; PoCL makes the CPU one of the latter";
    let what = format!("kernel '{kernel}' ({why})");
    devices::Error::Unsupported { device: device.to_string(), what }.into()
}
