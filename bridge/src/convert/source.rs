//! What can be converted.

use super::{ArrayKind, ConvertOptions, Imported};
use crate::Result;

/// An array of some library, that [`convert`](super::convert) takes.
///
/// Owned values are handed over without a copy; what is only borrowed is copied once, straight to where it
/// goes.
pub trait ArraySource: Sized {
    /// Its library.
    const KIND: ArrayKind;

    /// Takes the array over, where it is, as it is. A library whose memory cannot be shared copies here, if
    /// `options` allow that, and says so by [`Imported::after`].
    ///
    /// # Errors
    /// When the value is not an array that can be used; it is dropped then.
    fn import<'a>(self, options: &ConvertOptions) -> Result<Imported<'a>>
    where
        Self: 'a;

    /// The value again, after a conversion that was refused; `None` where there is no way back. What was
    /// borrowed is the caller's anyway.
    #[must_use]
    fn recover(imported: Imported<'_>) -> Option<Self> {
        drop(imported);
        None
    }
}

/// The kind of `x`, known when the program is compiled.
///
/// ```
/// use arrayspan_bridge::convert::{ArrayKind, kind_of};
///
/// assert_eq!(kind_of(&ndarray::array![1.0, 2.0]), ArrayKind::Ndarray);
/// ```
#[must_use]
pub const fn kind_of<S: ArraySource>(_: &S) -> ArrayKind {
    S::KIND
}
