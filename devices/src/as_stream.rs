//! What names a queue of work: a stream, or a device for its default one.

use std::borrow::Cow;

use crate::{Device, Result, Stream};

/// What names a queue of work: a reference to a [`Stream`], or a [`Device`] for [its default one](Device::stream). Functions that make
/// something take either: `Array::zeros([3], dtype, device)`, `Array::zeros([3], dtype, &stream)`.
pub trait AsStream: Copy {
    /// The stream.
    ///
    /// # Errors
    /// When the driver cannot make the device's.
    fn as_stream(&self) -> Result<Cow<'_, Stream>>;
}

impl AsStream for &Stream {
    fn as_stream(&self) -> Result<Cow<'_, Stream>> {
        Ok(Cow::Borrowed(self))
    }
}

impl AsStream for Device {
    fn as_stream(&self) -> Result<Cow<'_, Stream>> {
        self.stream().map(Cow::Owned)
    }
}
