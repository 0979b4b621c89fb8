//! `arrayspan.Array`.

mod methods;

use arrayspan::bridge::{Array, Conversion, Crossing, DType, LentArray, SharedArray, Why};
use arrayspan::devices::{Device, Stream};
use pyo3::prelude::*;

use crate::error::Result;
use crate::owner::Owner;

/// An array on any device, which other libraries take by ``__dlpack__`` without a copy.
///
/// Its memory is shared by all that it was handed to, as arrays of Python's libraries are.
#[pyclass(frozen, weakref, name = "Array", module = "arrayspan")]
pub(crate) struct PyArray {
    shared: SharedArray,
    /// How it became what it is, where that was not without a copy.
    copies: Vec<Crossing>,
    /// Who else has its memory.
    owner: Owner,
    /// The stream on which the library works that it is made for, where that is known.
    consumer: Option<Stream>,
}

impl PyArray {
    pub(crate) fn new(array: impl Into<SharedArray>) -> Self {
        Self::of(array.into(), Owner::Nobody)
    }

    /// One whose memory somebody else has.
    pub(crate) fn of(shared: SharedArray, owner: Owner) -> Self {
        Self { shared, copies: Vec::new(), owner, consumer: None }
    }

    /// One to be handed over at once to a library that works on a stream which is never destroyed, or was kept.
    pub(crate) fn made_for(array: impl Into<SharedArray>, consumer: Option<Stream>) -> Self {
        Self { consumer, ..Self::new(array) }
    }

    /// What came of it by copies: of these, and of those by which it came to be itself.
    fn copied(
        &self,
        array: impl Into<SharedArray>,
        copies: impl IntoIterator<Item = Crossing>,
    ) -> Self {
        let copies = self.copies.iter().copied().chain(copies).collect();
        Self { copies, ..Self::new(array) }
    }

    pub(crate) fn shared(&self) -> &SharedArray {
        &self.shared
    }

    /// The array, and who else has its memory.
    pub(crate) fn owned(&self) -> (SharedArray, Owner) {
        (self.shared.clone(), self.owner.clone())
    }

    /// Another object for the same array.
    pub(crate) fn again(&self) -> Self {
        Self { owner: self.owner.clone(), ..self.copied(self.shared.clone(), []) }
    }

    /// Orders what others do to it from now on, without asking anybody, after what reads it here.
    pub(crate) fn settle(&self) -> Result<()> {
        self.owner.settle(self.shared.memory())
    }

    /// A copy on another device.
    pub(crate) fn moved(&self, py: Python<'_>, device: Device) -> Result<Self> {
        let (copy, crossing) = py.detach(|| -> Result<_> {
            let moved = self.lent().view().to(device)?;
            self.settle()?;
            Ok(moved)
        })?;
        Ok(self.copied(copy, [crossing]))
    }

    /// A row-major copy, on the same device.
    pub(crate) fn copy(&self, py: Python<'_>) -> Result<Self> {
        let crossing = Crossing::Copied { why: Why::Asked, bytes: self.bytes() };
        let copy = py.detach(|| -> Result<_> {
            let copy = self.lent().try_clone()?;
            self.settle()?;
            Ok(copy)
        })?;
        Ok(self.copied(copy, [crossing]))
    }

    /// How many bytes its elements take.
    fn bytes(&self) -> usize {
        self.shared.layout().len() * self.shared.dtype().bytes()
    }

    /// A copy with elements of a dtype.
    pub(crate) fn converted(
        &self,
        py: Python<'_>,
        dtype: DType,
        conversion: &Conversion,
    ) -> Result<Self> {
        let converted = py.detach(|| -> Result<Array> {
            let stream = self.shared.device().stream()?;
            let converted = self.lent().view().convert(dtype, conversion, &stream)?;
            self.settle()?;
            Ok(converted)
        })?;
        let why = if dtype == self.shared.dtype() { Why::Asked } else { Why::OtherDType };
        let bytes = converted.layout().len() * converted.dtype().bytes();
        Ok(self.copied(converted, [Crossing::Copied { why, bytes }]))
    }

    /// To be read; others may write it.
    pub(crate) fn lent(&self) -> LentArray {
        self.shared.clone().into()
    }
}
