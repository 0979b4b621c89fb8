//! Borrowed arrays.

use arrayspan_devices::{Access, Device, Memory};

use crate::relayout::WithLayout;
use crate::{DType, Element, Error, Layout, Result};

/// A borrowed array that can be read.
#[derive(Clone, Debug)]
pub struct View<'a> {
    memory: &'a Memory,
    layout: Layout,
    dtype: DType,
}

/// A borrowed array that can be written, by this borrower alone.
#[derive(Debug)]
pub struct ViewMut<'a> {
    memory: &'a Memory,
    layout: Layout,
    dtype: DType,
}

impl<'a> View<'a> {
    pub(crate) fn new(memory: &'a Memory, layout: Layout, dtype: DType) -> Self {
        Self { memory, layout, dtype }
    }

    /// The memory behind the array.
    #[must_use]
    pub fn memory(&self) -> &'a Memory {
        self.memory
    }

    /// Where the elements lie.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Extents along each axis.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// The type of its elements.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Where it lives.
    #[must_use]
    pub fn device(&self) -> Device {
        self.memory.device()
    }

    /// The elements in order, on the host. Waits for queued work that writes them.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] off the CPU, [`Error::DType`], [`Error::Layout`] unless contiguous.
    pub fn as_slice<T: Element>(&self) -> Result<&'a [T]> {
        let pointer = host::<T>(self.memory, &self.layout, self.dtype, Access::Read)?;
        // SAFETY: the layout lies within the memory and is contiguous, the dtype is `T`'s, the memory
        // outlives 'a, and no writer exists while it is borrowed; queued device writes are done.
        Ok(unsafe { std::slice::from_raw_parts(pointer, self.layout.len()) })
    }
}

impl<'a> ViewMut<'a> {
    pub(crate) fn new(memory: &'a Memory, layout: Layout, dtype: DType) -> Self {
        Self { memory, layout, dtype }
    }

    /// The memory behind the array.
    #[must_use]
    pub fn memory(&self) -> &'a Memory {
        self.memory
    }

    /// Where the elements lie.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Extents along each axis.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// The type of its elements.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Where it lives.
    #[must_use]
    pub fn device(&self) -> Device {
        self.memory.device()
    }

    /// Borrows it again, for a shorter time.
    #[must_use]
    pub fn reborrow(&mut self) -> ViewMut<'_> {
        ViewMut { memory: self.memory, layout: self.layout.clone(), dtype: self.dtype }
    }

    /// Borrows it to read.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View { memory: self.memory, layout: self.layout.clone(), dtype: self.dtype }
    }

    /// The parts before and from `index` along one axis.
    ///
    /// # Errors
    /// As [`Layout::sliced`].
    pub fn split_at(self, axis: usize, index: usize) -> Result<(Self, Self)> {
        let first = self.layout.sliced(axis, 0, index)?;
        let rest = self.shape()[axis] - index;
        let second = self.layout.sliced(axis, index, rest)?;
        Ok((Self { layout: first, ..self }, Self { layout: second, ..self }))
    }

    /// Takes a row-major array of another dtype from the front of a contiguous, 1-D array of bytes, and
    /// leaves the rest, which begins at a multiple of [`CARVE_BYTES`].
    ///
    /// # Errors
    /// [`Error::DType`] unless the elements are `UInt8`; [`Error::Layout`] when they do not suffice.
    pub fn carve(self, shape: &[usize], dtype: DType) -> Result<(Self, Self)> {
        if self.dtype != DType::UInt8 {
            let (expected, found) = (DType::UInt8, self.dtype);
            return Err(Error::DType { operation: "carve", expected, found });
        }
        let carved = Layout::contiguous(shape)?;
        let bytes = carve_bytes(carved.len(), dtype);
        let fits = self.layout.rank() == 1 && self.layout.is_contiguous();
        if !fits || self.layout.len() < bytes || !self.layout.offset().is_multiple_of(CARVE_BYTES) {
            return Err(wrong("carve", &carved, "the workspace is too small"));
        }
        let (first, rest) = self.split_at(0, bytes)?;
        let offset = first.layout.offset() / dtype.bytes();
        let layout = Layout::strided(shape, carved.strides(), offset)?;
        Ok((Self { layout, dtype, ..first }, rest))
    }

    /// The elements in order, on the host. Waits for queued work that uses them.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] off the CPU, [`Error::DType`], [`Error::Layout`] unless contiguous.
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<&mut [T]> {
        let pointer = host::<T>(self.memory, &self.layout, self.dtype, Access::Write)?;
        // SAFETY: as in `View::as_slice`; this view is the only one on these elements, and `&mut self`
        // keeps it so. Queued device work on the block is done.
        Ok(unsafe { std::slice::from_raw_parts_mut(pointer, self.layout.len()) })
    }
}

/// Carved arrays begin at multiples of this many bytes.
pub const CARVE_BYTES: usize = 256;

/// The bytes that [`ViewMut::carve`] takes for `len` elements.
#[must_use]
pub fn carve_bytes(len: usize, dtype: DType) -> usize {
    (len * dtype.bytes()).next_multiple_of(CARVE_BYTES)
}

/// The address of a contiguous array's first element, once the host may access it.
fn host<T: Element>(
    memory: &Memory,
    layout: &Layout,
    dtype: DType,
    access: Access,
) -> Result<*mut T> {
    if !layout.is_contiguous() {
        return Err(wrong("slice", layout, "not contiguous"));
    }
    let base = host_base::<T>(memory, dtype, access)?;
    if layout.is_empty() {
        return Ok(std::ptr::NonNull::dangling().as_ptr());
    }
    Ok(base.wrapping_add(layout.offset()))
}

/// The address of a host block of `T`s, once the host may access it.
pub(crate) fn host_base<T: Element>(
    memory: &Memory,
    dtype: DType,
    access: Access,
) -> Result<*mut T> {
    if dtype != T::DTYPE {
        return Err(Error::DType { operation: "host access", expected: T::DTYPE, found: dtype });
    }
    Ok(host_address(memory, access)? as *mut T)
}

/// The address of a host block, once the host may access it.
pub(crate) fn host_address(memory: &Memory, access: Access) -> Result<usize> {
    if !memory.device().is_cpu() {
        let (expected, found) = (Device::cpu(), memory.device());
        return Err(Error::WrongDevice { operation: "host access", expected, found });
    }
    memory.wait(access)?;
    Ok(memory.address())
}

impl WithLayout for View<'_> {
    fn parts(&self) -> &Layout {
        &self.layout
    }

    fn with_layout(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }
}

impl View<'_> {
    /// Repeats axes of extent 1, and adds axes in front, to fill `shape`, without moving elements.
    ///
    /// # Errors
    /// [`Error::Shape`] when it does not broadcast.
    pub fn broadcast(self, shape: &[usize]) -> Result<Self> {
        let layout = self.layout.broadcast(shape)?;
        Ok(self.with_layout(layout))
    }
}

impl WithLayout for ViewMut<'_> {
    fn parts(&self) -> &Layout {
        &self.layout
    }

    fn with_layout(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }
}

fn wrong(operation: &'static str, layout: &Layout, why: &'static str) -> Error {
    let (shape, strides) = (layout.shape().to_vec(), layout.strides().to_vec());
    Error::Layout { operation, shape, strides, why }
}
