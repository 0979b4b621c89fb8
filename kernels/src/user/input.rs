//! What user kernels are called with.

use arrayspan_bridge::{Array, SharedArray, View};

use super::number::Number;

/// What a user kernel reads: an array, or a number by value.
#[derive(Clone, Debug)]
pub enum Input<'a> {
    /// An array on the executor's device.
    Array(View<'a>),
    /// A number, which broadcasts as an array of one element does.
    Number(Number),
}

impl<'a> From<View<'a>> for Input<'a> {
    fn from(view: View<'a>) -> Self {
        Self::Array(view)
    }
}

impl<'a> From<&'a Array> for Input<'a> {
    fn from(array: &'a Array) -> Self {
        Self::Array(array.view())
    }
}

impl<'a> From<&'a SharedArray> for Input<'a> {
    fn from(array: &'a SharedArray) -> Self {
        Self::Array(array.view())
    }
}

impl<N: Into<Number>> From<N> for Input<'_> {
    fn from(number: N) -> Self {
        Self::Number(number.into())
    }
}
