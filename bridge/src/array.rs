//! Arrays that own their memory, alone or together.

use std::fmt;
use std::sync::Arc;

use arrayspan_devices::{Device, Memory, Stream};

use crate::relayout::WithLayout;
use crate::{DType, Error, Layout, Result, View, ViewMut};

/// An array that owns its memory alone and may be written.
pub struct Array {
    memory: Arc<Memory>,
    layout: Layout,
    dtype: DType,
}

/// A read-only array whose memory others may read too. Cheap to clone. What comes from a read-only
/// producer can only be this.
#[derive(Clone)]
pub struct SharedArray {
    memory: Arc<Memory>,
    layout: Layout,
    dtype: DType,
    /// Whether the memory's owner lets us write once nobody else reads.
    writable: bool,
}

impl Array {
    /// A row-major array on `stream`'s device. Its content is unspecified, on the CPU zero; work on
    /// `stream` may use it at once.
    ///
    /// # Errors
    /// Out of memory, or more elements than can be addressed.
    pub fn empty(shape: impl Into<Vec<usize>>, dtype: DType, stream: &Stream) -> Result<Self> {
        let layout = Layout::contiguous(shape)?;
        let bytes = layout.len().checked_mul(dtype.bytes()).ok_or_else(|| Error::Layout {
            operation: "array",
            shape: layout.shape().to_vec(),
            strides: layout.strides().to_vec(),
            why: "more bytes than can be addressed",
        })?;
        let memory = Arc::new(Memory::allocate(bytes, stream)?);
        Ok(Self { memory, layout, dtype })
    }

    /// An array over memory that the caller hands over.
    ///
    /// # Errors
    /// [`Error::Layout`] when an element lies outside the memory or two share a place.
    ///
    /// # Safety
    /// Nobody else reads or writes the memory while the array lives, it may be written, and it holds
    /// valid elements of `dtype`, aligned for them.
    pub unsafe fn from_memory(memory: Memory, layout: Layout, dtype: DType) -> Result<Self> {
        if layout.may_overlap_itself() {
            return Err(Error::Layout {
                operation: "array",
                shape: layout.shape().to_vec(),
                strides: layout.strides().to_vec(),
                why: "elements share places, so the array cannot be written",
            });
        }
        // SAFETY: passed on to the caller.
        let shared = unsafe { SharedArray::from_memory(memory, layout, dtype)? };
        Ok(Self { memory: shared.memory, layout: shared.layout, dtype })
    }

    /// Gives up writing to share the memory.
    #[must_use]
    pub fn into_shared(self) -> SharedArray {
        let Self { memory, layout, dtype } = self;
        SharedArray { memory, layout, dtype, writable: true }
    }

    /// The memory behind the array. Nobody else holds it.
    #[must_use]
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Borrows the whole array.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View::new(&self.memory, self.layout.clone(), self.dtype)
    }

    /// Borrows the whole array to write it.
    #[must_use]
    pub fn view_mut(&mut self) -> ViewMut<'_> {
        ViewMut::new(&self.memory, self.layout.clone(), self.dtype)
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
}

impl SharedArray {
    /// A read-only array over memory that the caller lends for as long as the array lives.
    ///
    /// # Errors
    /// [`Error::Layout`] when an element lies outside the memory.
    ///
    /// # Safety
    /// Nobody writes the memory while the array lives, and it holds valid elements of `dtype`, aligned
    /// for them.
    pub unsafe fn from_memory(memory: Memory, layout: Layout, dtype: DType) -> Result<Self> {
        let needed = layout.extent().map_or(Some(0), |(_, last)| {
            last.checked_add(1).and_then(|n| n.checked_mul(dtype.bytes()))
        });
        if needed.is_none_or(|needed| needed > memory.bytes()) {
            return Err(Error::Layout {
                operation: "array",
                shape: layout.shape().to_vec(),
                strides: layout.strides().to_vec(),
                why: "an element lies outside the memory",
            });
        }
        Ok(Self { memory: Arc::new(memory), layout, dtype, writable: false })
    }

    /// The array for writing, if the memory may be written and nobody else holds it; else this again.
    ///
    /// # Errors
    /// The array itself, unchanged.
    pub fn try_into_array(mut self) -> Result<Array, Self> {
        let alone = self.writable && Arc::get_mut(&mut self.memory).is_some();
        if !alone || self.layout.may_overlap_itself() {
            return Err(self);
        }
        Ok(Array { memory: self.memory, layout: self.layout, dtype: self.dtype })
    }

    /// The memory behind the array.
    #[must_use]
    pub fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// Borrows the whole array.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View::new(&self.memory, self.layout.clone(), self.dtype)
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
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Array({:?} {} on {})", self.shape(), self.dtype, self.device())
    }
}

impl fmt::Debug for SharedArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedArray({:?} {} on {})", self.shape(), self.dtype, self.device())
    }
}

impl WithLayout for Array {
    fn parts(&self) -> &Layout {
        &self.layout
    }

    fn with_layout(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }
}

impl WithLayout for SharedArray {
    fn parts(&self) -> &Layout {
        &self.layout
    }

    fn with_layout(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }
}
