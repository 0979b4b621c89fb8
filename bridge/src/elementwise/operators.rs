//! `+ - * /` of arrays, views, expressions and numbers, in every combination that has one of the first three.

use std::ops::{Add, Div, Mul, Neg, Sub};

use num_complex::Complex64;

use super::{Elementwise, Term};
use crate::{Array, LentArray, SharedArray, View, ViewMut};

macro_rules! borrowed {
    ($($trait:ident::$method:ident for $left:ty),*) => {$(
        impl<'a, R: Into<Elementwise<'a>>> $trait<R> for $left {
            type Output = Elementwise<'a>;
            fn $method(self, other: R) -> Elementwise<'a> {
                Elementwise::from(self).with(other.into(), $trait::$method)
            }
        }
    )*};
}

/// Arrays on the left have no lifetime: that of the result is what is on the right.
macro_rules! owned {
    ($($trait:ident::$method:ident for $left:ty),*) => {$(
        impl<R: Term> $trait<R> for $left {
            type Output = R::Value;
            fn $method(self, other: R) -> R::Value {
                other.after(self.into(), $trait::$method)
            }
        }
    )*};
}

/// Numbers on the left, which are types of others, know every type on the right by name.
macro_rules! numbers {
    ($value:ty: $($trait:ident::$method:ident of $number:ty, $right:ty);*) => {$(
        impl<'a> $trait<$right> for $number {
            type Output = $value;
            fn $method(self, other: $right) -> $value {
                Elementwise::from(self).with(other.into(), $trait::$method)
            }
        }
    )*};
}

macro_rules! all {
    ($operators:ident, $value:ty: $($type:ty),*) => {$(
        $operators!(Add::add for $type, Sub::sub for $type, Mul::mul for $type, Div::div for $type);
        numbers! {
            $value:
            Add::add of f64, $type; Sub::sub of f64, $type; Mul::mul of f64, $type; Div::div of f64, $type;
            Add::add of Complex64, $type; Sub::sub of Complex64, $type;
            Mul::mul of Complex64, $type; Div::div of Complex64, $type
        }

        impl<'a> Neg for $type {
            type Output = $value;
            fn neg(self) -> $value {
                Elementwise::from(self).then(Neg::neg)
            }
        }
    )*};
}

all! {
    borrowed, Elementwise<'a>:
    &'a Array, &'a SharedArray, &'a LentArray, &'a ViewMut<'_>, ViewMut<'a>, View<'a>, &View<'a>, Elementwise<'a>,
    &Elementwise<'a>
}
all!(owned, Elementwise<'static>: Array, SharedArray);
