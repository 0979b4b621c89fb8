//! `+ - * /` of arrays, views, expressions and numbers, in every combination that has one of the first three.

use std::ops::{Add, Div, Mul, Neg, Sub};

use num_complex::Complex64;

use super::Elementwise;
use crate::{Array, LentArray, SharedArray, View, ViewMut};

macro_rules! operators {
    ($($trait:ident::$method:ident for $left:ty),*) => {$(
        impl<'a, R: Into<Elementwise<'a>>> $trait<R> for $left {
            type Output = Elementwise<'a>;
            fn $method(self, other: R) -> Elementwise<'a> {
                Elementwise::from(self).with(other.into(), $trait::$method)
            }
        }
    )*};
}

/// Numbers on the left, which are types of others, know every type on the right by name.
macro_rules! numbers {
    ($($trait:ident::$method:ident of $number:ty, $right:ty);*) => {$(
        impl<'a> $trait<$right> for $number {
            type Output = Elementwise<'a>;
            fn $method(self, other: $right) -> Elementwise<'a> {
                Elementwise::from(self).with(other.into(), $trait::$method)
            }
        }
    )*};
}

macro_rules! all {
    ($($type:ty),*) => {$(
        operators!(Add::add for $type, Sub::sub for $type, Mul::mul for $type, Div::div for $type);
        numbers! {
            Add::add of f64, $type; Sub::sub of f64, $type; Mul::mul of f64, $type; Div::div of f64, $type;
            Add::add of Complex64, $type; Sub::sub of Complex64, $type;
            Mul::mul of Complex64, $type; Div::div of Complex64, $type
        }

        impl<'a> Neg for $type {
            type Output = Elementwise<'a>;
            fn neg(self) -> Elementwise<'a> {
                Elementwise::from(self).then(Neg::neg)
            }
        }
    )*};
}

all! {
    &'a Array, &'a SharedArray, &'a LentArray, &'a ViewMut<'_>, View<'a>, &View<'a>, Elementwise<'a>, &Elementwise<'a>
}
