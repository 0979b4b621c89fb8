//! What arrays can be converted to: the values that [`convert`](super::convert) takes as its target.

pub use super::kinds::arrays::{ToArray, ToShared};
#[cfg(feature = "cuda")]
pub use super::kinds::cudarc::{ToCudaSlice, ToCudarc};
pub use super::kinds::dlpack::ToDlpack;
pub use super::kinds::ndarray::ToNdarray;
#[cfg(feature = "opencl")]
pub use super::kinds::opencl::{ToOpenCl, ToOpenClBuffer};
#[cfg(feature = "torch")]
pub use super::kinds::torch::ToTorch;
pub use crate::dlpack::{Legacy, Versioned};

/// An [`Array`](crate::Array) of one's own, on the device it is on or the one set by
/// [`on`](ToArray::on).
#[must_use]
pub fn array() -> ToArray {
    ToArray::default()
}

/// A read-only [`SharedArray`](crate::SharedArray), on the device it is on or the one set by
/// [`on`](ToShared::on).
#[must_use]
pub fn shared() -> ToShared {
    ToShared::default()
}

/// An [`ndarray::Array`] of that element and dimension type. The host waits until it is there.
#[must_use]
pub fn ndarray<T, D>() -> ToNdarray<T, D> {
    ToNdarray::default()
}

/// A [`CudaArray`](crate::interop::cudarc::CudaArray), which cudarc's functions take like a slice; on a
/// CUDA device.
#[cfg(feature = "cuda")]
#[must_use]
pub fn cudarc<T>() -> ToCudarc<T> {
    ToCudarc::default()
}

/// A `cudarc::driver::CudaSlice`: the one the array came from, else a copy, because cudarc frees only
/// what it allocated. On a CUDA device; the host waits for work on the array.
#[cfg(feature = "cuda")]
#[must_use]
pub fn cuda_slice<T>() -> ToCudaSlice<T> {
    ToCudaSlice::default()
}

/// An [`OpenClArray`](crate::interop::opencl::OpenClArray), which holds an `opencl3` buffer; on an
/// `OpenCL` device.
#[cfg(feature = "opencl")]
#[must_use]
pub fn opencl<T>() -> ToOpenCl<T> {
    ToOpenCl::default()
}

/// An `opencl3::memory::Buffer`: the one the array came from, else a copy, because a bare buffer cannot
/// keep the array alive. On an `OpenCL` device; the host waits for work on the array.
#[cfg(feature = "opencl")]
#[must_use]
pub fn opencl_buffer<T>() -> ToOpenClBuffer<T> {
    ToOpenClBuffer::default()
}

/// A [`Capsule`](crate::dlpack::Capsule) with that struct ([`Versioned`] or [`Legacy`]), on the device it
/// is on or the one set by [`on`](ToDlpack::on).
#[must_use]
pub fn dlpack<M>() -> ToDlpack<M> {
    ToDlpack::default()
}

/// A `tch::Tensor`, on the device it is on or the one set by [`on`](ToTorch::on): the CPU or CUDA.
#[cfg(feature = "torch")]
#[must_use]
pub fn torch() -> ToTorch {
    ToTorch::default()
}
