//! A slice that knows its shape.

use cudarc::driver::CudaSlice;

/// A slice with the shape of the array in it, row-major, to be converted. A bare slice is converted as
/// an array of one axis.
#[derive(Debug)]
pub struct ShapedSlice<T> {
    /// The slice.
    pub slice: CudaSlice<T>,
    /// Extents along each axis.
    pub shape: Vec<usize>,
}

impl<T> ShapedSlice<T> {
    /// A slice with a shape. Whether it has as many elements is checked when it is converted.
    pub fn new(slice: CudaSlice<T>, shape: impl Into<Vec<usize>>) -> Self {
        Self { slice, shape: shape.into() }
    }
}
