//! What may stand on the right of an array that arithmetic takes over.

use num_complex::Complex64;

use super::Elementwise;
use crate::expression::Expression;
use crate::{Array, LentArray, SharedArray, View, ViewMut};

/// What may stand on the right of an array that arithmetic takes over: whatever may stand beside a borrowed one, that is
/// what an [`Elementwise`] is made [`From`].
///
/// The result lives as long as what is borrowed on the right. Nobody implements it beside this crate.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no operand of array arithmetic",
    note = "operands are arrays and views, what was computed of them, and the numbers `f64` and `Complex64`"
)]
pub trait Term: sealed::Term {}

impl<T: sealed::Term> Term for T {}

pub(super) mod sealed {
    use super::{Elementwise, Expression};

    pub trait Term {
        /// The elementwise value that both sides make.
        type Value;

        /// What `function` makes of an array and this.
        fn after(
            self,
            left: Elementwise<'static>,
            function: fn(Expression, Expression) -> Expression,
        ) -> Self::Value;
    }
}

macro_rules! terms {
    ($value:ty: $($term:ty),*) => {$(
        impl<'a> sealed::Term for $term {
            type Value = $value;

            fn after(
                self,
                left: Elementwise<'static>,
                function: fn(Expression, Expression) -> Expression,
            ) -> $value {
                left.with(self.into(), function)
            }
        }
    )*};
}

terms! {
    Elementwise<'a>:
    &'a Array, &'a SharedArray, &'a LentArray, &'a ViewMut<'_>, ViewMut<'a>, View<'a>, &View<'a>, Elementwise<'a>,
    &Elementwise<'a>
}
terms!(Elementwise<'static>: Array, SharedArray, f64, Complex64);
