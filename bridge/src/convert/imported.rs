//! An array on its way from one library to another.

use std::marker::PhantomData;
use std::sync::Arc;

use arrayspan_devices::{Device, Memory};

use super::ConvertStep;
use crate::{Array, Crossing, DType, Layout, SharedArray, View, Why};

/// An array on its way: owned, or borrowed for `'a`.
#[derive(Debug)]
pub struct Imported<'a> {
    pub(super) held: Held<'a>,
    pub(super) crossing: Crossing,
}

#[derive(Debug)]
pub(super) enum Held<'a> {
    Shared(SharedArray),
    Borrowed(View<'a>),
    Lent(Box<Lent<'a>>),
}

/// Elements of another library that are only borrowed. No work on them outlives the call that queues it, so the borrow
/// may end in any way, also by being forgotten.
#[derive(Debug)]
pub(super) struct Lent<'a> {
    /// [Borrowed](Memory::borrowed). Can be reached through this only, hence during the borrow.
    memory: Arc<Memory>,
    layout: Layout,
    dtype: DType,
    borrow: PhantomData<&'a ()>,
}

impl From<SharedArray> for Imported<'_> {
    fn from(array: SharedArray) -> Self {
        Self::new(Held::Shared(array))
    }
}

impl From<Array> for Imported<'_> {
    fn from(array: Array) -> Self {
        array.into_shared().into()
    }
}

impl<'a> From<View<'a>> for Imported<'a> {
    fn from(view: View<'a>) -> Self {
        Self::new(Held::Borrowed(view))
    }
}

impl<'a> Imported<'a> {
    fn new(held: Held<'a>) -> Self {
        Self { held, crossing: Crossing::ZeroCopy }
    }

    /// The same, saying how it left its library.
    #[must_use]
    pub fn after(self, crossing: Crossing) -> Self {
        Self { crossing, ..self }
    }

    /// How it left its library.
    #[must_use]
    pub fn crossing(&self) -> Crossing {
        self.crossing
    }

    /// An array over host memory that is borrowed for `'a`: `bytes` bytes at `address`.
    ///
    /// # Safety
    /// `layout` lies within those bytes, which hold elements of `dtype` and are valid and not written while
    /// `'a` lasts.
    pub(crate) unsafe fn lent(address: usize, bytes: usize, layout: Layout, dtype: DType) -> Self {
        // SAFETY: the caller's. The block leaves this only by references that end before `'a` does.
        let memory = Arc::new(unsafe { Memory::borrowed(address, bytes) });
        Self::new(Held::Lent(Box::new(Lent { memory, layout, dtype, borrow: PhantomData })))
    }

    /// Borrows the elements.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        match &self.held {
            Held::Shared(array) => array.view(),
            Held::Borrowed(view) => view.clone(),
            Held::Lent(lent) => View::new(&lent.memory, lent.layout.clone(), lent.dtype),
        }
    }

    /// Where it lives.
    #[must_use]
    pub fn device(&self) -> Device {
        match &self.held {
            Held::Shared(array) => array.device(),
            Held::Borrowed(view) => view.device(),
            Held::Lent(lent) => lent.memory.device(),
        }
    }

    /// The type of its elements.
    #[must_use]
    pub fn dtype(&self) -> DType {
        match &self.held {
            Held::Shared(array) => array.dtype(),
            Held::Borrowed(view) => view.dtype(),
            Held::Lent(lent) => lent.dtype,
        }
    }

    /// Where the elements lie.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        match &self.held {
            Held::Shared(array) => array.layout(),
            Held::Borrowed(view) => view.layout(),
            Held::Lent(lent) => &lent.layout,
        }
    }

    /// The array, if it is not only borrowed.
    ///
    /// # Errors
    /// This again.
    #[allow(
        clippy::result_large_err,
        reason = "the array itself comes back, without a block for it"
    )]
    pub fn into_shared(self) -> Result<SharedArray, Self> {
        match self.held {
            Held::Shared(array) => Ok(array),
            held => Err(Self { held, ..self }),
        }
    }

    /// The array for writing, if it is owned, writable, held by nobody else and free of shared places.
    ///
    /// # Errors
    /// This again.
    #[allow(
        clippy::result_large_err,
        reason = "the array itself comes back, without a block for it"
    )]
    pub fn into_array(self) -> Result<Array, Self> {
        self.into_shared()?.try_into_array().map_err(Self::from)
    }

    /// The same elements for another conversion. While both live neither can be written.
    #[must_use]
    pub fn again(&self) -> Imported<'_> {
        match &self.held {
            Held::Shared(array) => array.clone().into(),
            _ => self.view().into(),
        }
    }

    /// Why [`into_array`](Self::into_array) does not give the array, and which step has to copy it.
    pub(crate) fn why_not_exclusive(&self) -> (Why, ConvertStep) {
        match &self.held {
            Held::Shared(array) if !array.writable => (Why::ReadOnly, ConvertStep::Export),
            Held::Shared(array) if array.layout().may_overlap_itself() => {
                (Why::Strides, ConvertStep::Export)
            }
            Held::Shared(_) => (Why::Shared, ConvertStep::Export),
            _ => (Why::Borrowed, ConvertStep::Import),
        }
    }
}
