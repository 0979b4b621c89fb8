//! Borrowed arrays with a handle of their own on the memory.

use std::marker::PhantomData;
use std::sync::Arc;

use arrayspan_devices::{Device, Memory};

use crate::view::Lender;
use crate::{DType, Layout, View, ViewMut};

/// A borrowed array that can be read, as a [`View`] that also holds the memory by a handle of its own.
#[derive(Clone, Debug)]
pub struct Operand<'a> {
    memory: Arc<Memory>,
    layout: Layout,
    dtype: DType,
    lender: Lender,
    borrow: PhantomData<&'a Memory>,
}

/// A borrowed array that can be written, by this borrower alone, as a [`ViewMut`] that also holds the memory by a handle
/// of its own.
#[derive(Debug)]
pub struct OperandMut<'a> {
    /// Lent for no longer than this itself is.
    inner: Operand<'a>,
}

impl Operand<'_> {
    /// The memory behind the array.
    #[must_use]
    pub fn memory(&self) -> &Memory {
        &self.memory
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

    /// Whether it was lent by a [`SharedArray`](crate::SharedArray): then nobody writes the memory while anyone holds a
    /// handle of it, as this does, also after the borrow has ended.
    ///
    /// For what a `SharedArray` has becomes writable by [`try_into_array`](crate::SharedArray::try_into_array) alone, which
    /// refuses while there is another handle; every other way to write begins with an [`Array`](crate::Array).
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.lender == Lender::Shared
    }

    /// Borrows it to read.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View::new(&self.memory, self.layout.clone(), self.dtype).lent_by(self.lender)
    }
}

impl OperandMut<'_> {
    /// The memory behind the array.
    #[must_use]
    pub fn memory(&self) -> &Memory {
        &self.inner.memory
    }

    /// Where the elements lie.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.inner.layout
    }

    /// Extents along each axis.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.inner.shape()
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

    /// The array to be read, while this is not written through.
    #[must_use]
    pub fn as_operand(&self) -> &Operand<'_> {
        &self.inner
    }

    /// Borrows it again, for a shorter time.
    #[must_use]
    pub fn reborrow(&mut self) -> OperandMut<'_> {
        OperandMut { inner: self.inner.clone() }
    }

    /// Borrows it to write.
    #[must_use]
    pub fn view_mut(&mut self) -> ViewMut<'_> {
        ViewMut::new(&self.inner.memory, self.inner.layout.clone(), self.inner.dtype)
    }
}

impl<'a> From<View<'a>> for Operand<'a> {
    fn from(view: View<'a>) -> Self {
        let (memory, layout, dtype, lender) = view.into_parts();
        Self { memory: memory.clone(), layout, dtype, lender, borrow: PhantomData }
    }
}

impl<'a> From<ViewMut<'a>> for OperandMut<'a> {
    fn from(view: ViewMut<'a>) -> Self {
        let (memory, layout, dtype) = view.into_parts();
        let (memory, lender) = (memory.clone(), Lender::Other);
        Self { inner: Operand { memory, layout, dtype, lender, borrow: PhantomData } }
    }
}
