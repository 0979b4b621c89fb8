//! Arrays from other libraries and to them.
//!
//! ndarray needs nothing from here: see `From` and `into_ndarray` of [`Array`](crate::Array), `as_ndarray`
//! of the views.

#[cfg(feature = "cuda")]
pub mod cudarc;
#[cfg(not(feature = "cuda"))]
#[path = "left_out/cudarc.rs"]
pub(crate) mod cudarc;
mod ndarray;
#[cfg(feature = "opencl")]
pub mod opencl;
#[cfg(not(feature = "opencl"))]
#[path = "left_out/opencl.rs"]
pub(crate) mod opencl;
#[cfg(feature = "torch")]
pub mod torch;

pub(crate) use ndarray::layout_of as ndarray_layout;
