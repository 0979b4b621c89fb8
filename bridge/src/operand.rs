//! Borrowed arrays that can take a handle of their own on the memory.

use std::sync::Arc;

use arrayspan_devices::{Device, Memory};

use crate::view::Lender;
use crate::{DType, Layout, View, ViewMut};

/// A borrowed array that can be read, as a [`View`], or one [held](Self::held) by a handle of its own.
#[derive(Debug)]
pub struct Operand<'a> {
    memory: Handle<'a>,
    layout: Layout,
    dtype: DType,
    lender: Lender,
}

/// A borrowed array that can be written, by this borrower alone, as a [`ViewMut`], or one [held](Self::held) by a handle of
/// its own.
#[derive(Debug)]
pub struct OperandMut<'a> {
    /// Lent for no longer than this itself is.
    inner: Operand<'a>,
}

/// Most calls are run once and dropped: counting their handles would cost more than all else about them.
#[derive(Debug)]
enum Handle<'a> {
    Lent(&'a Arc<Memory>),
    Own(Arc<Memory>),
}

impl Handle<'_> {
    fn get(&self) -> &Arc<Memory> {
        match self {
            Self::Lent(memory) => memory,
            Self::Own(memory) => memory,
        }
    }
}

impl Operand<'_> {
    /// The memory behind the array.
    #[must_use]
    pub fn memory(&self) -> &Memory {
        self.memory.get()
    }

    /// A handle of its own on that memory, which lives as long as there is one.
    #[must_use]
    pub fn handle(&self) -> Arc<Memory> {
        self.memory.get().clone()
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
        self.memory.get().device()
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

    /// The same with a handle of its own on the memory: nothing of it refers to what it was borrowed from.
    #[must_use]
    pub fn held(&self) -> Operand<'_> {
        let memory = Handle::Own(self.memory.get().clone());
        Operand { memory, layout: self.layout.clone(), dtype: self.dtype, lender: self.lender }
    }

    /// Has it lie at the same place in other memory, of which it takes a handle.
    ///
    /// # Safety
    /// `memory` is of the same device and has elements of this dtype wherever this one's lie. Whoever reads through it from now
    /// on sees to it that nobody writes these meanwhile, as a borrow would; that it was [shared](Self::is_shared) says nothing of
    /// `memory`, so it is not.
    pub unsafe fn move_to(&mut self, memory: Arc<Memory>) {
        (self.memory, self.lender) = (Handle::Own(memory), Lender::Other);
    }

    /// Borrows it to read.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View::new(self.memory.get(), self.layout.clone(), self.dtype).lent_by(self.lender)
    }
}

impl OperandMut<'_> {
    /// The memory behind the array.
    #[must_use]
    pub fn memory(&self) -> &Memory {
        self.inner.memory()
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

    /// Borrows it again, for a shorter time, with a handle of its own on the memory: nothing of it refers to what it was
    /// borrowed from.
    #[must_use]
    pub fn held(&mut self) -> OperandMut<'_> {
        OperandMut { inner: self.inner.held() }
    }

    /// As [`Operand::move_to`].
    ///
    /// # Safety
    /// As there; whoever writes through it sees to it that nobody else reads or writes these elements meanwhile.
    pub unsafe fn move_to(&mut self, memory: Arc<Memory>) {
        // SAFETY: the caller's.
        unsafe { self.inner.move_to(memory) }
    }

    /// Borrows it to write.
    #[must_use]
    pub fn view_mut(&mut self) -> ViewMut<'_> {
        ViewMut::new(self.inner.memory.get(), self.inner.layout.clone(), self.inner.dtype)
    }
}

impl<'a> From<View<'a>> for Operand<'a> {
    fn from(view: View<'a>) -> Self {
        let (memory, layout, dtype, lender) = view.into_parts();
        Self { memory: Handle::Lent(memory), layout, dtype, lender }
    }
}

impl<'a> From<ViewMut<'a>> for OperandMut<'a> {
    fn from(view: ViewMut<'a>) -> Self {
        let (memory, layout, dtype) = view.into_parts();
        let (memory, lender) = (Handle::Lent(memory), Lender::Other);
        Self { inner: Operand { memory, layout, dtype, lender } }
    }
}
