//! Arrays from other libraries and to them.
//!
//! ndarray needs nothing from here: see `From` and `into_ndarray` of [`Array`](crate::Array), `as_ndarray`
//! of the views.

pub mod cudarc;
mod ndarray;
pub mod opencl;
#[cfg(feature = "torch")]
pub mod torch;

pub(crate) use ndarray::layout_of as ndarray_layout;
