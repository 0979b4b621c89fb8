//! An array that owns its memory alone.

use std::fmt;
use std::sync::Arc;

use arrayspan_devices::{AsStream, Device, Memory, Stream};

use crate::layout::wrong;
use crate::owner::Owner;
use crate::relayout::WithLayout;
use crate::{DType, Layout, Result, SharedArray, View, ViewMut};

/// An array that owns its memory alone and may be written.
pub struct Array {
    /// Nobody else holds the memory, it may be written, and no two indices share a place.
    inner: SharedArray,
}

impl Array {
    /// A row-major array on a device, for work on its default stream, or of a stream that is given instead ([`AsStream`]).
    /// Its content is unspecified (on the CPU some value of its type, of `Bool` false); work on that stream may use it at
    /// once, work on others is put behind it.
    ///
    /// # Errors
    /// Out of memory, or more elements than can be addressed.
    #[track_caller]
    pub fn empty(shape: impl AsRef<[usize]>, dtype: DType, on: impl AsStream) -> Result<Self> {
        Self::empty_for("empty", shape.as_ref(), dtype, &*on.as_stream()?)
    }

    /// As [`empty`](Self::empty), on behalf of what the caller was asked for, which errors name.
    ///
    /// # Errors
    /// As [`empty`](Self::empty).
    #[track_caller]
    pub fn empty_for(
        operation: &'static str,
        shape: &[usize],
        dtype: DType,
        stream: &Stream,
    ) -> Result<Self> {
        let layout = Layout::contiguous_for(operation, shape)?;
        let bytes = layout.bytes(operation, dtype)?;
        let memory = Arc::new(Memory::allocate(bytes, stream)?);
        if dtype == DType::Bool && stream.device().is_cpu() && bytes > 0 {
            let at = std::ptr::with_exposed_provenance_mut::<u8>(memory.address());
            // The old bytes may be none that truth values have.
            // SAFETY: the block was just made with this size, and nobody else knows it.
            unsafe { at.write_bytes(0, memory.bytes()) };
        }
        Ok(Self { inner: SharedArray { memory, owner: None, layout, dtype, writable: true } })
    }

    /// An array over memory that the caller hands over.
    ///
    /// # Errors
    /// [`Error::Layout`](crate::Error::Layout) when an element lies outside the memory or two share a place.
    ///
    /// # Safety
    /// Nobody else reads or writes the memory while the array lives, it may be written, and it holds
    /// initialised elements of `dtype`.
    pub unsafe fn from_memory(memory: Memory, layout: Layout, dtype: DType) -> Result<Self> {
        // SAFETY: passed on to the caller.
        let mut inner = unsafe { SharedArray::from_memory(memory, layout, dtype)? };
        inner.writable = true;
        inner.try_into_array().map_err(|inner| {
            let why = "elements share places, so the array cannot be written";
            wrong("from_memory", inner.shape(), inner.layout.strides(), why)
        })
    }

    /// The array of a shared one that is writable, held by nobody else and free of shared places.
    pub(crate) fn from_unique(inner: SharedArray) -> Self {
        debug_assert!(inner.writable && Arc::strong_count(&inner.memory) == 1);
        debug_assert!(!inner.layout.may_overlap_itself());
        Self { inner }
    }

    /// Gives up writing to share the memory.
    #[must_use]
    pub fn into_shared(self) -> SharedArray {
        self.inner
    }

    /// Another holder's memory as an array, of which a [`LentArray`](crate::LentArray) shows no more than a reference.
    pub(crate) fn lent(inner: SharedArray) -> Self {
        Self { inner }
    }

    /// The memory itself. `None` for an array that was only [lent](Self::lent).
    pub(crate) fn into_memory(self) -> Option<Memory> {
        Arc::into_inner(self.inner.memory)
    }

    pub(crate) fn owner(&self) -> Option<&Owner> {
        self.inner.owner.as_ref()
    }

    /// The memory behind the array. Nobody else holds it.
    #[must_use]
    pub fn memory(&self) -> &Memory {
        &self.inner.memory
    }

    /// As [`memory`](Self::memory), by the handle that views share.
    pub(crate) fn handle(&self) -> &Arc<Memory> {
        &self.inner.memory
    }

    /// Borrows the whole array.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        // Not as a shared array would: this one may be written once the borrow ends.
        View::new(self.handle(), self.inner.layout.clone(), self.inner.dtype)
    }

    /// Borrows the whole array to write it.
    #[must_use]
    pub fn view_mut(&mut self) -> ViewMut<'_> {
        ViewMut::new(self.handle(), self.inner.layout.clone(), self.inner.dtype)
    }

    /// The whole block as `UInt8`, what lies between the elements included.
    ///
    /// # Errors
    /// [`Error::Layout`](crate::Error::Layout) when that may belong to somebody else: in foreign memory with gaps.
    pub fn bytes(&self) -> Result<View<'_>> {
        Ok(View::new(self.handle(), self.block()?, DType::UInt8))
    }

    /// Borrows the whole block as `UInt8` to write it. The host sees only valid elements afterwards: a byte
    /// that is no `Bool` is an error where it is read.
    ///
    /// # Errors
    /// As [`bytes`](Self::bytes).
    pub fn bytes_mut(&mut self) -> Result<ViewMut<'_>> {
        Ok(ViewMut::new(self.handle(), self.block()?, DType::UInt8))
    }

    fn block(&self) -> Result<Layout> {
        let bytes = self.memory().bytes();
        if self.memory().is_foreign() && self.layout().bytes("bytes", self.dtype())? < bytes {
            let why = "what lies between the elements may belong to somebody else";
            return Err(wrong("bytes", self.shape(), self.layout().strides(), why));
        }
        Layout::contiguous([bytes])
    }

    /// Where the elements lie.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.inner.layout
    }

    /// Extents along each axis.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.inner.layout.shape()
    }

    /// The type of its elements.
    #[must_use]
    pub fn dtype(&self) -> DType {
        self.inner.dtype
    }

    /// Where it lives.
    #[must_use]
    pub fn device(&self) -> Device {
        self.inner.device()
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Array({:?} {} on {})", self.shape(), self.dtype(), self.device())
    }
}

impl WithLayout for Array {
    fn layout(&self) -> &Layout {
        &self.inner.layout
    }

    unsafe fn with_layout(self, layout: Layout) -> Self {
        Self { inner: SharedArray { layout, ..self.inner } }
    }
}

/// Arrays of every kind cross threads: their memory orders itself by streams, not by threads.
const _: () = {
    const fn crosses_threads<T: Send + Sync>() {}
    crosses_threads::<Array>();
    crosses_threads::<SharedArray>();
    crosses_threads::<View<'_>>();
    crosses_threads::<ViewMut<'_>>();
};
