//! A buffer that knows its shape.

use std::fmt;

use arrayspan_devices::Device;
use opencl3::memory::Buffer;

/// A buffer with its device and the shape of the array in it, row-major, to be converted.
pub struct ShapedBuffer<T> {
    buffer: Buffer<T>,
    shape: Vec<usize>,
    device: Device,
}

impl<T> ShapedBuffer<T> {
    /// A buffer of `device`'s [`context`](crate::interop::opencl::context) with a shape. Whether it fits is
    /// checked when it is converted.
    ///
    /// # Safety
    /// From its conversion on, as long as the array made from it lives, nobody else writes the buffer, nor
    /// reads it if the array is written: other references to the same `cl_mem`, and sub-buffers of it,
    /// included.
    pub unsafe fn new(buffer: Buffer<T>, shape: impl Into<Vec<usize>>, device: Device) -> Self {
        Self { buffer, shape: shape.into(), device }
    }

    /// The buffer, its shape and its device.
    #[must_use]
    pub fn into_parts(self) -> (Buffer<T>, Vec<usize>, Device) {
        (self.buffer, self.shape, self.device)
    }
}

impl<T> fmt::Debug for ShapedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ShapedBuffer({:?} on {})", self.shape, self.device)
    }
}
