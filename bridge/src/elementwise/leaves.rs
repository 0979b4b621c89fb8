//! What elementwise arithmetic begins with: arrays and numbers.

use num_complex::Complex64;

use super::Elementwise;
use crate::{Array, AsView, LentArray, SharedArray, View, ViewMut};

/// What elementwise arithmetic reads: what lends an array ([`AsView`]), and what was made of such.
pub trait AsElementwise {
    /// Its elements as they are, borrowed.
    fn as_elementwise(&self) -> Elementwise<'_>;
}

impl<T: AsView + ?Sized> AsElementwise for T {
    fn as_elementwise(&self) -> Elementwise<'_> {
        Elementwise::array(self.as_view())
    }
}

impl AsElementwise for Elementwise<'_> {
    fn as_elementwise(&self) -> Elementwise<'_> {
        self.clone()
    }
}

impl<'a> From<&Elementwise<'a>> for Elementwise<'a> {
    fn from(value: &Self) -> Self {
        value.clone()
    }
}

impl<'a> From<View<'a>> for Elementwise<'a> {
    fn from(view: View<'a>) -> Self {
        Self::array(view)
    }
}

/// To be read alone from now on.
impl<'a> From<ViewMut<'a>> for Elementwise<'a> {
    fn from(view: ViewMut<'a>) -> Self {
        Self::array(View::from(view))
    }
}

impl<'a> From<&View<'a>> for Elementwise<'a> {
    fn from(view: &View<'a>) -> Self {
        Self::array(view.clone())
    }
}

macro_rules! arrays {
    ($($array:ty),*) => {$(
        impl<'a> From<&'a $array> for Elementwise<'a> {
            fn from(array: &'a $array) -> Self {
                Self::array(array.view())
            }
        }
    )*};
}

arrays!(Array, SharedArray, LentArray, ViewMut<'_>);

macro_rules! owned {
    ($($array:ty),*) => {$(
        /// Takes it over; nothing is copied.
        impl From<$array> for Elementwise<'_> {
            fn from(array: $array) -> Self {
                Self::array(array)
            }
        }
    )*};
}

owned!(Array, SharedArray);

impl From<f64> for Elementwise<'_> {
    fn from(value: f64) -> Self {
        Self::number(value)
    }
}

impl From<Complex64> for Elementwise<'_> {
    fn from(value: Complex64) -> Self {
        Self::number(value)
    }
}
