//! An array whose memory others may read too.

use std::fmt;
use std::sync::Arc;

use arrayspan_devices::{Device, Memory};

use crate::layout::wrong;
use crate::owner::Owner;
use crate::relayout::WithLayout;
use crate::view::Lender;
use crate::{Array, DType, Layout, Result, View};

/// A read-only array whose memory others may read too. Cheap to clone. What comes from a read-only
/// producer can only be this.
#[derive(Clone)]
pub struct SharedArray {
    pub(crate) memory: Arc<Memory>,
    /// The value from another library whose memory this is, where it can be handed back.
    pub(crate) owner: Option<Owner>,
    pub(crate) layout: Layout,
    pub(crate) dtype: DType,
    /// Whether the memory's owner lets us write once nobody else reads.
    pub(crate) writable: bool,
}

impl SharedArray {
    /// A read-only array over memory that the caller lends for as long as a handle of it lives.
    ///
    /// # Errors
    /// [`Error::Layout`](crate::Error::Layout) when an element lies outside the memory.
    ///
    /// # Safety
    /// Nobody writes the memory while the array, a clone of it or any other handle of its memory lives, and it holds
    /// initialised elements of `dtype`.
    pub unsafe fn from_memory(memory: Memory, layout: Layout, dtype: DType) -> Result<Self> {
        let needed = layout.extent().map_or(Some(0), |(_, last)| {
            last.checked_add(1).and_then(|n| n.checked_mul(dtype.bytes()))
        });
        if needed.is_none_or(|needed| needed > memory.bytes()) {
            let there = memory.bytes();
            let last = layout.extent().map_or(0, |(_, last)| last);
            let why = format!("element {last} of {dtype} lies outside the memory of {there} bytes");
            return Err(wrong("from_memory", layout.shape(), layout.strides(), why));
        }
        Ok(Self { memory: Arc::new(memory), owner: None, layout, dtype, writable: false })
    }

    /// The array for writing, if the memory may be written, nobody else holds it and no two indices
    /// share a place; else this again.
    ///
    /// # Errors
    /// The array itself, unchanged.
    pub fn try_into_array(mut self) -> Result<Array, Self> {
        let alone = self.writable && Arc::get_mut(&mut self.memory).is_some();
        if alone && !self.layout.may_overlap_itself() {
            Ok(Array::from_unique(self))
        } else {
            Err(self)
        }
    }

    /// The same, never to be written by who has it: neither [as an `Array`](Self::try_into_array) nor by whom it is handed over to.
    /// For memory whose owner counts on that and cannot say so.
    #[must_use]
    pub fn read_only(self) -> Self {
        Self { writable: false, ..self }
    }

    /// The array for writing although others may hold its memory, as languages do that have no owners: if it may be written
    /// and no two indices share a place. It can be viewed, written and handed over as any other; memory that others hold is
    /// not taken from it.
    ///
    /// # Safety
    /// While a mutable view of the result, or whoever it is handed over to, can write the elements, nobody reads or writes them by
    /// another handle of the memory; and no handle is used as one of memory that nobody writes: views of `self` and of its
    /// clones say so.
    #[must_use]
    pub unsafe fn alias(&self) -> Option<Array> {
        let writable = self.writable && !self.layout.may_overlap_itself();
        writable.then(|| Array::lent(self.clone()))
    }

    /// The memory behind the array.
    #[must_use]
    pub fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// Borrows the whole array.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View::new(&self.memory, self.layout.clone(), self.dtype).lent_by(Lender::Shared)
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

/// Gives up writing to share the memory, as [`Array::into_shared`].
impl From<Array> for SharedArray {
    fn from(array: Array) -> Self {
        array.into_shared()
    }
}

/// Shares the memory once more; nothing is copied.
impl From<&Self> for SharedArray {
    fn from(array: &Self) -> Self {
        array.clone()
    }
}

impl fmt::Debug for SharedArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SharedArray({:?} {} on {})", self.shape(), self.dtype, self.device())
    }
}

impl WithLayout for SharedArray {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    unsafe fn with_layout(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }
}
