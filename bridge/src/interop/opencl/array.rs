//! An array in the terms of opencl3.

use std::fmt;

use cl3::memory::retain_mem_object;
use opencl3::memory::Buffer;

use super::failure;
use crate::{Array, Element, Result};

/// An array as a buffer. Made by [`Array::into_opencl`].
///
/// Who queues work on the buffer (which is unsafe) keeps it on the queue of the stream given there, or
/// waits for it before this is dropped or given back.
pub struct OpenClArray<T> {
    /// A reference of its own, given up before the array's.
    buffer: Buffer<T>,
    array: Array,
}

impl<T: Element> OpenClArray<T> {
    pub(super) fn new(array: Array) -> Result<Self> {
        let raw = std::ptr::with_exposed_provenance_mut(array.memory().address());
        // SAFETY: the array's memory is a live buffer; the reference taken is the one `Buffer` gives up.
        let retained = unsafe { retain_mem_object(raw) };
        retained.map_err(|code| failure(array.device(), "clRetainMemObject", code))?;
        Ok(Self { buffer: Buffer::new(raw), array })
    }

    /// The buffer, to read.
    #[must_use]
    pub fn buffer(&self) -> &Buffer<T> {
        &self.buffer
    }

    /// The buffer, to write.
    #[must_use]
    pub fn buffer_mut(&mut self) -> &mut Buffer<T> {
        &mut self.buffer
    }

    /// Elements from the start of the buffer to the first of the array.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.array.layout().offset()
    }

    /// Elements of the array.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "there is no buffer without elements")]
    pub fn len(&self) -> usize {
        self.array.layout().len()
    }

    /// The array again.
    #[must_use]
    pub fn into_array(self) -> Array {
        self.array
    }
}

impl<T> fmt::Debug for OpenClArray<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OpenClArray({:?})", self.array)
    }
}
