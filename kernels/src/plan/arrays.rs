//! The arrays that a plan keeps.

use arrayspan_bridge::Array;

/// What holds the arrays that a [`Plan`](super::Plan) keeps: arrays, by value or by an exclusive borrow, in lists and in
/// tuples, and whatever else can show all of its own.
///
/// The plan asks before every replay: an array that is shown is borrowed exclusively until all
/// calls have been queued, and one that is not shown is not used.
pub trait Arrays {
    /// Calls `show` with each array.
    fn show<'a>(&'a mut self, show: &mut dyn FnMut(&'a mut Array));
}

impl Arrays for Array {
    fn show<'a>(&'a mut self, show: &mut dyn FnMut(&'a mut Array)) {
        show(self);
    }
}

impl<A: Arrays + ?Sized> Arrays for &mut A {
    fn show<'a>(&'a mut self, show: &mut dyn FnMut(&'a mut Array)) {
        (**self).show(show);
    }
}

impl<A: Arrays> Arrays for [A] {
    fn show<'a>(&'a mut self, show: &mut dyn FnMut(&'a mut Array)) {
        for arrays in &mut *self {
            arrays.show(show);
        }
    }
}

impl<A: Arrays, const N: usize> Arrays for [A; N] {
    fn show<'a>(&'a mut self, show: &mut dyn FnMut(&'a mut Array)) {
        self.as_mut_slice().show(show);
    }
}

impl<T: Arrays> Arrays for Vec<T> {
    fn show<'a>(&'a mut self, show: &mut dyn FnMut(&'a mut Array)) {
        self.as_mut_slice().show(show);
    }
}

impl<A: Arrays> Arrays for Option<A> {
    fn show<'a>(&'a mut self, show: &mut dyn FnMut(&'a mut Array)) {
        if let Some(arrays) = self {
            arrays.show(show);
        }
    }
}

/// One array or list after the other.
macro_rules! tuples {
    ($($name:ident)*) => {
        impl<$($name: Arrays),*> Arrays for ($($name,)*) {
            #[allow(non_snake_case, reason = "each part has the name of its type")]
            fn show<'a>(&'a mut self, show: &mut dyn FnMut(&'a mut Array)) {
                let ($($name,)*) = self;
                $($name.show(show);)*
            }
        }
    };
}

tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);
