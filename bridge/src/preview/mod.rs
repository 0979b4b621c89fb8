//! Arrays printed as NumPy prints them: the elements, or the first and the last along each axis, and a line that says
//! what array it is.

mod corners;
mod numbers;
mod text;

use std::fmt;

use corners::Corners;

use crate::{Array, AsView, LentArray, SharedArray, View, ViewMut};

/// The elements of arrays of more axes are not printed.
const MAX_RANK: usize = 64;

/// Writes an array. Elements that cannot be read, for whatever reason, are replaced by the reason: printing never fails for
/// them.
fn write(array: &View<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if array.shape().len() > MAX_RANK {
        return write!(f, "[...]\n{}", summary(array));
    }
    let corners = Corners::of(array.shape());
    match corners.read(array).and_then(|read| numbers::format(&read, f.precision())) {
        Ok(numbers) => text::write(&corners, &numbers, f)?,
        Err(error) => write!(f, "[elements cannot be read: {error}]")?,
    }
    write!(f, "\n{}", summary(array))
}

fn summary(array: &View<'_>) -> String {
    format!("Array({:?} {} on {})", array.shape(), array.dtype(), array.device())
}

macro_rules! printed {
    ($($type:ty),*) => {$(
        /// The elements, or the first and the last along each axis where there are many, in columns, and the shape, the dtype
        /// and the device. Only what is shown is copied to the host, some thousand bytes, and waited for.
        ///
        /// Floats have up to four decimals, or those of `{:.2}`.
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write(&self.as_view(), f)
            }
        }
    )*};
}

printed!(Array, SharedArray, LentArray, View<'_>, ViewMut<'_>);
