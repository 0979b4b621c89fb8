//! Borrowed arrays.

use std::sync::Arc;

use arrayspan_devices::{Access, Device, Memory};

use crate::layout::wrong;
use crate::relayout::WithLayout;
use crate::{Array, Axis, DType, Element, Error, Layout, Result, host};

/// A borrowed array that can be read.
#[derive(Clone, Debug)]
pub struct View<'a> {
    memory: &'a Arc<Memory>,
    layout: Layout,
    dtype: DType,
    lender: Lender,
}

/// Whose array a view borrows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lender {
    /// A [`SharedArray`](crate::SharedArray): nobody writes the memory while anyone holds a handle of it.
    Shared,
    /// Any other: nobody writes the memory during the borrow, and nothing is known of the time after.
    Other,
}

/// A borrowed array that can be written, by this borrower alone.
#[derive(Debug)]
pub struct ViewMut<'a> {
    memory: &'a Arc<Memory>,
    layout: Layout,
    dtype: DType,
}

impl<'a> View<'a> {
    pub(crate) fn new(memory: &'a Arc<Memory>, layout: Layout, dtype: DType) -> Self {
        Self { memory, layout, dtype, lender: Lender::Other }
    }

    pub(crate) fn lent_by(self, lender: Lender) -> Self {
        Self { lender, ..self }
    }

    pub(crate) fn into_parts(self) -> (&'a Arc<Memory>, Layout, DType, Lender) {
        (self.memory, self.layout, self.dtype, self.lender)
    }

    /// Whether both show the same elements in the same order.
    pub(crate) fn is_same(&self, other: &View<'_>) -> bool {
        let memory = Arc::ptr_eq(self.memory, other.memory);
        memory && self.dtype == other.dtype && self.layout == other.layout
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
    /// [`Error::WrongDevice`] off the CPU, [`Error::DType`], [`Error::Layout`] unless contiguous, aligned
    /// for `T` and, for `bool`, all 0 or 1.
    pub fn as_slice<T: Element>(&self) -> Result<&'a [T]> {
        let pointer = host::first::<T>("as_slice", self, Access::Read)?;
        // SAFETY: the layout lies within the memory and is contiguous, `first` has checked that it holds
        // values of `T` and waited for queued writes; the memory outlives 'a and has no writer meanwhile.
        Ok(unsafe { std::slice::from_raw_parts(pointer, self.layout.len()) })
    }
}

impl<'a> ViewMut<'a> {
    pub(crate) fn new(memory: &'a Arc<Memory>, layout: Layout, dtype: DType) -> Self {
        Self { memory, layout, dtype }
    }

    pub(crate) fn into_parts(self) -> (&'a Arc<Memory>, Layout, DType) {
        (self.memory, self.layout, self.dtype)
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
        View::new(self.memory, self.layout.clone(), self.dtype)
    }

    /// The parts before and from `index` along one axis.
    ///
    /// # Errors
    /// As [`Layout::sliced`].
    pub fn split_at(self, axis: impl Into<Axis>, index: usize) -> Result<(Self, Self)> {
        let (axis, _) = self.layout.extent_of("slice", axis.into())?;
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
        let carved = Layout::contiguous_for("carve", shape)?;
        let fail = |why: String| Err(wrong("carve", carved.shape(), carved.strides(), why));
        let bytes = carve_bytes(carved.len(), dtype);
        if self.layout.rank() != 1 || !self.layout.is_contiguous() {
            let found = self.layout.shape();
            return fail(format!("the workspace {found:?} is not 1-D and contiguous"));
        }
        if self.layout.len() < bytes {
            let there = self.layout.len();
            return fail(format!("{bytes} bytes of a workspace of {there}"));
        }
        let aligned = self.memory.address().is_multiple_of(dtype.bytes());
        if !aligned || !self.layout.offset().is_multiple_of(CARVE_BYTES) {
            return fail(format!(
                "the workspace does not begin at a multiple of {CARVE_BYTES} bytes"
            ));
        }
        let (first, rest) = self.split_at(0, bytes)?;
        let offset = first.layout.offset() / dtype.bytes();
        let layout = Layout::strided(shape, carved.strides(), offset)?;
        Ok((Self { layout, dtype, ..first }, rest))
    }

    /// The elements in order, on the host. Waits for queued work that uses them.
    ///
    /// # Errors
    /// [`Error::WrongDevice`] off the CPU, [`Error::DType`], [`Error::Layout`] unless contiguous, aligned
    /// for `T` and, for `bool`, all 0 or 1.
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<&mut [T]> {
        let pointer = host::first::<T>("as_mut_slice", &self.view(), Access::Write)?;
        // SAFETY: as in `View::as_slice`; this view is the only one on these elements, and `&mut self`
        // keeps it so. Queued device work on the block is done.
        Ok(unsafe { std::slice::from_raw_parts_mut(pointer, self.layout.len()) })
    }
}

/// Carved arrays begin at multiples of this many bytes.
pub const CARVE_BYTES: usize = 256;

/// The bytes that [`ViewMut::carve`] takes for `len` elements; `usize::MAX` if they cannot be counted.
#[must_use]
pub fn carve_bytes(len: usize, dtype: DType) -> usize {
    len.saturating_mul(dtype.bytes()).checked_next_multiple_of(CARVE_BYTES).unwrap_or(usize::MAX)
}

impl WithLayout for View<'_> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    unsafe fn with_layout(self, layout: Layout) -> Self {
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
        Ok(Self { layout, ..self })
    }
}

impl WithLayout for ViewMut<'_> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    unsafe fn with_layout(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }
}

/// Gives up writing for the rest of the borrow.
impl<'a> From<ViewMut<'a>> for View<'a> {
    fn from(view: ViewMut<'a>) -> Self {
        Self::new(view.memory, view.layout, view.dtype)
    }
}

impl<'a> From<&'a mut Array> for ViewMut<'a> {
    fn from(array: &'a mut Array) -> Self {
        array.view_mut()
    }
}

impl<'a> From<&'a mut ViewMut<'_>> for ViewMut<'a> {
    fn from(view: &'a mut ViewMut<'_>) -> Self {
        view.reborrow()
    }
}
