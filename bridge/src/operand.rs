//! Borrowed arrays with a handle of their own on the memory.

use std::marker::PhantomData;
use std::sync::Arc;

use arrayspan_devices::{Device, Memory};

use crate::{DType, Layout, View, ViewMut};

/// A borrowed array that can be read, as a [`View`] that also holds the memory by a handle of its own.
#[derive(Clone, Debug)]
pub struct Operand<'a> {
    memory: Arc<Memory>,
    layout: Layout,
    dtype: DType,
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

    /// Borrows it to read.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View::new(&self.memory, self.layout.clone(), self.dtype)
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

    /// Borrows it to write.
    #[must_use]
    pub fn view_mut(&mut self) -> ViewMut<'_> {
        ViewMut::new(&self.inner.memory, self.inner.layout.clone(), self.inner.dtype)
    }
}

impl<'a> From<View<'a>> for Operand<'a> {
    fn from(view: View<'a>) -> Self {
        let (memory, layout, dtype) = view.into_parts();
        Self { memory: memory.clone(), layout, dtype, borrow: PhantomData }
    }
}

impl<'a> From<ViewMut<'a>> for OperandMut<'a> {
    fn from(view: ViewMut<'a>) -> Self {
        let (memory, layout, dtype) = view.into_parts();
        Self { inner: Operand { memory: memory.clone(), layout, dtype, borrow: PhantomData } }
    }
}
